//! Commit messages: adds trailers and cleans up as `git commit` does, and lets the user edit messages.

use super::{Error, Options, Watch};
use crate::message::{self, Cleanup, Lost, Marks, Sheet, Trailer};
use crate::report::escape::escape;
use crate::transaction::{KeptText, Planned, check_interrupt, interrupt};
use crate::vcs::repo::Repo;
use crate::vcs::{self, config};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Opens the user's editor with a text, in a file with this name, and returns the edited text.
pub(super) fn edit_text(repo: &Repo, name: &str, text: &str) -> Result<String, Error> {
    let held = interrupt::hold();
    let edited = repo.edit_text(name, text.as_bytes());
    check_interrupt()?;
    drop(held);
    let invalid = |_| vcs::Error::Invalid("what was typed in the editor is not UTF-8".to_owned());
    Ok(String::from_utf8(edited?).map_err(invalid)?)
}

/// How commit messages are made from the options and the configuration.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) marks: Marks,
    cleanup: Cleanup,
    /// The trailers to add to each message.
    trailers: Vec<Trailer>,
    /// More trailers. git adds these itself, because the user has configured `trailer.*`.
    by_git: Vec<String>,
    /// The messages that the user typed for single edits, by the edits' numbers. Empty if the user deleted the message.
    pub(super) by_edit: BTreeMap<usize, String>,
    /// The edited messages by the commit's name and the draft, so that the user need not edit them again in the next
    /// try.
    edited: RefCell<BTreeMap<(String, String), String>>,
    /// The text that the user typed in the editor, until it lands.
    typed: RefCell<Option<String>>,
}

/// Reads which characters in a message have a meaning for git.
pub(super) fn marks(repo: &Repo) -> Result<Marks, Error> {
    Ok(Marks { comment: repo.comment_prefix()?, separators: repo.trailer_separators()? })
}

impl Messages {
    /// Reads the options and the configuration of messages.
    pub(super) fn read(repo: &Repo, options: &Options) -> Result<Self, Error> {
        let configured = repo.config().string("commit.cleanup")?;
        let (key, name) = match (&options.cleanup, &configured) {
            (Some(name), _) => ("llmapply.cleanup", name.as_str()),
            (None, Some(name)) => ("commit.cleanup", name.as_str()),
            (None, None) => ("commit.cleanup", "default"),
        };
        let cleanup = Cleanup::named(name, options.edit)
            .ok_or_else(|| config::bad(key, name, "one of default, strip, whitespace, verbatim, scissors"))?;
        let mut trailers = Vec::new();
        if options.signoff {
            trailers.push(Trailer::new("Signed-off-by", &repo.committer_address()?));
        }
        if options.assisted_by.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return Err(Error::bad_trailer("Assisted-by:"));
        }
        let model = options.assisted_by.iter().map(|model| format!("Assisted-by={model}"));
        let mut by_git: Vec<String> = model.chain(options.trailer.iter().cloned()).collect();
        let is_sound = |text: &String| {
            !text.trim().is_empty()
                && !text.trim_start().starts_with([':', '='])
                && !text.contains(char::is_control)
        };
        if let Some(text) = by_git.iter().find(|text| !is_sound(text)) {
            return Err(Error::bad_trailer(text));
        }
        if by_git.is_empty() || !repo.has_trailer_rules() {
            for text in by_git.drain(..) {
                trailers.push(Trailer::parse(&text).ok_or_else(|| Error::bad_trailer(&text))?);
            }
        }
        Ok(Self { marks: marks(repo)?, cleanup, trailers, by_git, ..Self::default() })
    }

    /// Returns how messages are cleaned up before they are committed. Comments were removed after editing already, so
    /// then only whitespace is cleaned up.
    pub(super) fn final_cleanup(&self, options: &Options) -> (Cleanup, String) {
        let cleanup = match self.cleanup {
            Cleanup::Strip | Cleanup::Scissors if options.edit => Cleanup::Whitespace,
            cleanup => cleanup,
        };
        (cleanup, self.marks.comment.clone())
    }

    /// Returns a message that the user wrote, with the subject prefix.
    pub(super) fn user_message(&self, text: &str, options: &Options) -> Result<String, Error> {
        let text = match self.cleanup {
            Cleanup::Verbatim => text.to_owned(),
            _ => Cleanup::Whitespace.apply(text, &self.marks.comment),
        };
        if text.contains('\0') {
            return Err(Error::bad_message("a message has a NUL byte in it"));
        }
        if text.trim().is_empty() && !options.edit {
            return Err(Error::bad_message("the message is empty"));
        }
        let prefix = options.subject_prefix.as_deref().unwrap_or_default().replace('\n', " ");
        Ok(match prefix.trim() {
            "" => text,
            prefix => format!("{prefix} {text}"),
        })
    }

    /// Returns a message from the response. Lines that git would take for comments are escaped.
    pub(super) fn response_text(&self, text: String, options: &Options) -> String {
        if options.edit { text } else { self.cleanup.escape_comments(text, &self.marks.comment) }
    }

    /// Returns a message with the trailers.
    pub(super) fn with_trailers(&self, repo: &Repo, message: String) -> Result<String, Error> {
        let add = |message: String, trailer: &Trailer| trailer.added_to(&message, &self.marks);
        let message = self.trailers.iter().fold(message, add);
        match self.by_git.as_slice() {
            [] => Ok(message),
            trailers => Ok(repo.with_trailers(&message, trailers)?),
        }
    }

    /// Lets the user edit all messages, with `--edit`.
    pub(super) fn edited<'s>(
        &self,
        repo: &Repo,
        series: &'s [Planned],
        mut merge: Option<String>,
        options: &Options,
    ) -> Result<(Cow<'s, [Planned]>, Option<String>), Error> {
        if !options.edit {
            return Ok((series.into(), merge));
        }
        let mut series = series.to_vec();
        let mut all: Vec<(String, &mut String)> =
            series.iter_mut().map(|planned| (planned.named(), &mut planned.message)).collect();
        if let Some(merge) = &mut merge {
            all.push(("the merge of them all".to_owned(), merge));
        }
        // The key has the commit's name because two commits can have the same draft.
        let key = |about: &str, draft: &str| (about.to_owned(), draft.to_owned());
        if !all.iter().all(|(about, draft)| self.edited.borrow().contains_key(&key(about, draft))) {
            let drafts: Vec<(String, &str)> =
                all.iter().map(|(about, message)| (escape(about), message.as_str())).collect();
            let sheet = Sheet::new(&drafts, &self.marks.comment, self.cleanup);
            let text = edit_text(repo, "COMMIT_EDITMSG", &sheet.text)?;
            *self.typed.borrow_mut() = Some(text.clone()).filter(|text| *text != sheet.text);
            if text.contains('\0') {
                return Err(Error::bad_message("a message has a NUL byte in it"));
            }
            if text.trim().is_empty() {
                return Err(Error::bad_message("the message is empty"));
            }
            let edited = sheet.read(&text, self.cleanup).map_err(|Lost { commit }| {
                Error::bad_message(&format!("the line that names commit {commit} is missing or was moved"))
            })?;
            for ((about, draft), edited) in all.iter().zip(edited) {
                if message::is_emptied(&edited, draft, &self.marks) {
                    return Err(Error::bad_message(&format!("the message of {} is empty", escape(about))));
                }
                self.edited.borrow_mut().insert(key(about, draft), edited);
            }
        }
        for (about, message) in all {
            if let Some(edited) = self.edited.borrow().get(&key(&about, message)) {
                message.clone_from(edited);
            }
        }
        Ok((series.into(), merge))
    }

    /// Saves what the user typed in the editor if it did not land, and tells the user where it is.
    pub(super) fn keep_typed(&self, repo: &Repo, options: &Options, watch: &dyn Watch, landed: bool) {
        match self.typed.take() {
            Some(text) if !landed && options.keep => {
                KeptText::Messages.keep(repo, text.as_bytes(), watch);
            }
            _ if landed && options.edit => KeptText::Messages.forget(repo),
            _ => {}
        }
    }
}
