//! The section of a file in a diff, and the edit that it becomes.

use super::mail::Mail;
use super::name::{HEADER, Name, Path, is_dev_null, only_name, same};
use crate::diag::Diagnostic;
use crate::edit::{Anchor, Change, Edit, Existing, FormatId, Git, Hunk, Missing, Op, Target};
use crate::format::fault::{self, Fault};
use crate::format::hunk::git::{HeaderLine, Move};
use crate::format::hunk::header::is_placeholder;
use crate::format::hunk::{Body, Hunks};
use crate::format::scan::{Cursor, Line};
use crate::response::{self, Passage, Response};
use crate::span::Span;

/// The error if a hunk does not fit a file that is created or deleted.
const UNFIT: &str = "the header creates or deletes the file, but a hunk does more";

/// The beginnings of the empty blob's id, as SHA-1 and as SHA-256.
const EMPTY: [&str; 2] = ["e69de29", "473a0f4"];

/// A section that is being read.
pub(super) struct Section<'r> {
    /// From its first line to its last line that is not blank.
    span: Span,
    /// Whether it has changed lines outside of hunks.
    has_strays: bool,
    head: Head<'r>,
    /// Its hunks and errors.
    pub(super) hunks: Hunks<'r>,
}

/// The header of a section.
#[derive(Default)]
struct Head<'r> {
    /// The rest of the `diff --git ` line.
    git: Option<Line<'r>>,
    /// The rest of the `--- ` and `+++ ` lines.
    old: Option<Line<'r>>,
    new: Option<Line<'r>>,
    /// The rest of the `rename from ` and `rename to ` lines, or of the `copy from ` and `copy to ` lines.
    from: Option<(Move, Line<'r>)>,
    to: Option<(Move, Line<'r>)>,
    /// Whether the `new file mode` line makes the file executable; `None` without one.
    new_file: Option<bool>,
    /// Whether it has a `deleted file mode` line.
    deleted: bool,
    /// Whether the `new mode` line makes the file executable; `None` without one.
    mode: Option<bool>,
    /// The id of the old blob, from the `index` line.
    blob: Option<Box<str>>,
    /// Whether the `index` line says that the new file has text, or that it is empty.
    has_text: bool,
    is_empty: bool,
}

impl<'r> Section<'r> {
    /// Begins a section at the first line of its header.
    pub(super) fn new(line: Line<'r>, response: &'r Response) -> Self {
        let mut section = Self::nameless(line, response);
        if line.text.starts_with("diff --git ") {
            section.head.git = Some(line.skip("diff --git ".len()));
        } else if let Some(command) = line.text.strip_prefix("diff -").filter(|text| !text.starts_with('-')) {
            // A command with one argument that is an option.
            let names = command.find(' ').map_or(line.text.len(), |blank| "diff - ".len() + blank);
            section.head.git = Some(line.skip(names));
        } else if !section.read(line) {
            section.head.git = Some(line.skip(line.text.len()));
            section.hunks.fault_combined(section.span);
        }
        section
    }

    /// Begins a section without a header, at a line where a hunk may begin.
    pub(super) fn nameless(line: Line<'r>, response: &'r Response) -> Self {
        Self {
            span: Span::new(response.id(), line.start, line.end()),
            has_strays: false,
            head: Head::default(),
            hunks: Hunks::new(response),
        }
    }

    /// Whether a line may be the next `--- ` or `+++ ` line.
    pub(super) fn awaits_names(&self, line: Line<'_>) -> bool {
        let is_second = || self.head.new.is_none() && line.text.starts_with("+++ ");
        !self.hunks.begun && if self.head.old.is_some() { is_second() } else { self.head.git.is_some() }
    }

    /// Whether it changes nothing so far, or its open hunk is too short.
    pub(super) fn is_short(&self) -> bool {
        let is_bare = self.head.from.is_none()
            && (self.head.new_file.is_none() || !self.head.is_empty)
            && self.head.mode.is_none()
            && !self.head.deleted;
        let removes = self.head.new.is_some_and(|new| is_dev_null(new.text));
        self.hunks.is_short() || (!self.hunks.begun && is_bare && !removes)
    }

    /// Whether it has the names of its file, but no hunk so far.
    pub(super) fn has_only_names(&self) -> bool {
        self.head.new.is_some() && !self.hunks.begun
    }

    /// Reads a line of the open hunk.
    pub(super) fn take(&mut self, line: Line<'r>) {
        if !line.is_blank() {
            self.extend_to(line);
        }
        self.hunks.take(line);
    }

    /// Goes to the next line, and reads the lines that can only be lines of the open hunk.
    pub(super) fn take_run(&mut self, cursor: &mut Cursor<'r>, bare: bool) {
        if let Some(run) = self.hunks.take_run(cursor, bare) {
            self.span = self.span.join(run);
        }
    }

    /// Reads a changed line outside of hunks.
    pub(super) fn stray(&mut self, line: Line<'r>) {
        self.extend_to(line);
        if !std::mem::replace(&mut self.has_strays, true) {
            let span = self.hunks.span(line);
            self.hunks.fault(fault::no_hunk(span));
        }
    }

    fn extend_to(&mut self, line: Line<'_>) {
        self.span = self.span.join(self.hunks.span(line));
    }

    /// Reads a line of the header; returns whether it is one.
    pub(super) fn read(&mut self, line: Line<'r>) -> bool {
        if self.hunks.begun {
            return false;
        }
        let Some((kind, length)) = HeaderLine::of(line.text) else { return false };
        let rest = line.skip(length);
        match kind {
            HeaderLine::OldName => self.head.old = Some(rest),
            HeaderLine::NewName => self.head.new = Some(rest),
            HeaderLine::From(kind) => self.head.from = Some((kind, rest)),
            HeaderLine::To(kind) => self.head.to = Some((kind, rest)),
            HeaderLine::NewFileMode => self.head.new_file = Some(self.executable(rest)),
            HeaderLine::DeletedFileMode => {
                self.executable(rest);
                self.head.deleted = true;
            }
            HeaderLine::NewMode => self.head.mode = Some(self.executable(rest)),
            HeaderLine::OldMode => _ = self.executable(rest),
            HeaderLine::Index => self.read_index(rest),
            HeaderLine::Similarity => {}
            HeaderLine::Binary => {
                self.hunks.fault(fault::malformed_hunk(self.hunks.span(line), "a binary patch"));
            }
        }
        self.extend_to(line);
        true
    }

    /// Whether a mode is executable. A mode of anything but a regular file is an error.
    fn executable(&mut self, mode: Line<'r>) -> bool {
        let text = mode.text.trim_end();
        if !["100644", "100755"].contains(&text) {
            // The hint must not lead a model to turn a link or submodule into a regular file.
            let help = "leave this file out: only files of mode 100644 or 100755 are edited";
            self.hunks.fault(fault::bad_value(self.hunks.span(mode), "mode", HEADER, "").with_help(help));
        }
        text == "100755"
    }

    /// Reads the rest of an `index ` line: the ids of two blobs, and an unchanged mode.
    fn read_index(&mut self, index: Line<'r>) {
        let (ids, mode) = index.text.split_once(' ').unwrap_or((index.text, ""));
        if ["120000", "160000"].contains(&mode.trim_end()) {
            self.executable(index.skip(ids.len() + 1));
        }
        let (old, new) = ids.split_once("..").unwrap_or(("", ""));
        let is_id =
            |id: &str| id.bytes().all(|byte| byte.is_ascii_hexdigit()) && id.bytes().any(|byte| byte != b'0');
        self.head.blob = Some(old).filter(|old| is_id(old)).map(Box::from);
        self.head.is_empty = EMPTY.iter().any(|empty| new.starts_with(empty));
        self.head.has_text = is_id(new.trim_end()) && !self.head.is_empty;
    }

    /// Returns the edit, or its errors. `cut` names the unterminated part, if the response ends in the section.
    pub(super) fn into_edit(
        mut self,
        cursor: &Cursor<'r>,
        mail: Option<&Mail>,
        cut: Option<&str>,
    ) -> Result<Box<Edit>, Vec<Diagnostic>> {
        if let Some(what) = cut {
            let end = self.span.end as usize;
            let fault = fault::unterminated(self.span, what).with_lost(cursor.span(end, end));
            return Err(vec![Diagnostic { path: self.path(), ..fault }]);
        }
        let response = self.hunks.response;
        let Body { hunks, mut faults } = std::mem::replace(&mut self.hunks, Hunks::new(response)).finish();
        // A hunk may end with blank lines, by its numbers.
        self.span = hunks.last().map_or(self.span, |last| self.span.join(last.span));
        let is_open = response.text().get(self.span.end as usize..).is_some_and(str::is_empty);
        match self.edit(mail, hunks) {
            Ok(edit) if faults.is_empty() => {
                return Ok(Box::new(Edit { git: Git { is_open, ..edit.git }, ..edit }));
            }
            Err(fault) if faults.is_empty() => faults.push(*fault),
            // The errors about lines are enough.
            Ok(_) | Err(_) => {}
        }
        let path = self.path();
        faults.iter_mut().for_each(|fault| fault.path.clone_from(&path));
        Err(faults)
    }

    /// The span of the name in the `--- ` line; empty without such a line.
    fn named_span(&self) -> Span {
        let start = self.span.start as usize;
        let (start, end) =
            self.head.old.map_or((start, start), |old| (old.start, old.start + old.text.trim_end().len()));
        Span::new(self.hunks.response.id(), start, end)
    }

    /// Returns the path that messages show if there is no edit.
    fn path(&self) -> Option<String> {
        self.named().ok().map(|named| named.path.name.text.into()).filter(|path: &String| !path.is_empty())
    }

    /// Returns what the header names.
    fn named(&self) -> Result<Named<'r>, Fault> {
        let id = self.hunks.response.id();
        let is_null = |line: &Line<'r>| is_dev_null(line.text);
        let name = |line: Option<Line<'r>>| {
            line.filter(|line| !is_null(line)).map(|line| Name::read(line, id)).transpose()
        };
        let (old, new) = (name(self.head.old)?, name(self.head.new)?);
        let is_created = self.head.new_file.is_some() || self.head.old.as_ref().is_some_and(is_null);
        let is_deleted = self.head.deleted || self.head.new.as_ref().is_some_and(is_null);
        if let (Some((kind, from)), Some((other, to))) = (self.head.from, self.head.to)
            && kind == other
        {
            let name = |line| Name::read(line, id).map(|name| Path { name, prefixed: false });
            let (path, to) = (name(from)?, name(to)?);
            // If the `to` line ends the response, its path may be cut off.
            let is_last = self.hunks.response.text().len() <= self.head.to.map_or(0, |(_, line)| line.end());
            if let Some((_, new)) = self.head.git.filter(|_| is_last).and_then(|git| Name::pair(git, id))
                && !new.text.ends_with(&*to.name.text)
            {
                return Err(fault::unterminated(self.span, HEADER).into());
            }
            return Ok(Named { path, to: Some((kind, to)), is_created: false, is_deleted: false });
        }
        if let Some((_, line)) = self.head.from.or(self.head.to) {
            let span = self.hunks.span(line);
            let lacks = if self.head.from.is_none() { "from" } else { "to" };
            return Err(fault::missing_field(span, lacks, HEADER).into());
        }
        if is_created && is_deleted {
            return Err(self.contradiction("the header both creates and deletes the file"));
        }
        let pair = self.head.git.and_then(|git| Name::pair(git, id));
        let pair = pair.and_then(|(old, new)| same(&old, &new));
        let path = match (&old, &new) {
            (Some(old), Some(new)) => Some(same(old, new).ok_or_else(|| {
                let help = "to move a file, use \"rename from\" and \"rename to\"";
                two_files(new.span, &old.text, &new.text).with_help(help)
            })?),
            (Some(only), None) | (None, Some(only)) => {
                Some(pair.clone().filter(|pair| pair.may_be(only)).unwrap_or_else(|| only_name(only)))
            }
            (None, None) => pair.clone(),
        };
        if let (Some(path), Some(pair)) = (&path, &pair)
            && path.name.text != pair.name.text
        {
            return Err(two_files(path.name.span, &pair.name.text, &path.name.text).into());
        }
        if path.is_none() && (self.head.git.is_some() || is_created || is_deleted) {
            return Err(fault::missing_field(self.span, "path", HEADER).into());
        }
        // Words such as `original` are not names: the text above names the file.
        let is_bare = |name: &Option<Name<'_>>| name.as_ref().is_none_or(|name| is_placeholder(&name.text));
        let is_unnamed = self.head.git.is_none() && is_bare(&old) && is_bare(&new);
        let path = path.filter(|_| !is_unnamed).unwrap_or_else(|| Path {
            name: Name { text: "".into(), span: self.named_span() },
            prefixed: false,
        });
        Ok(Named { path, to: None, is_created, is_deleted })
    }

    /// The error about a header that contradicts itself or the hunks.
    fn contradiction(&self, what: &str) -> Fault {
        fault::malformed_hunk(self.span, what).into()
    }

    fn edit(&self, mail: Option<&Mail>, hunks: Vec<Hunk>) -> Result<Edit, Fault> {
        let Named { path, to, is_created, is_deleted } = self.named()?;
        // A header that has names, or says that the new file has text, must be followed by hunks.
        let has_names = self.head.old.is_some() || self.head.new.is_some();
        let needs_hunks = match is_created {
            true => self.head.new_file.is_none(),
            false => has_names || to.is_none() && self.head.mode.is_none(),
        };
        if hunks.is_empty() && !is_deleted && (needs_hunks || self.head.has_text) {
            return Err(fault::missing_field(self.span, "@@", "diff").into());
        }
        let op = if let Some((kind, to)) = to {
            let to = Box::new(target(to));
            match kind {
                Move::Rename => Op::Rename { to, hunks },
                Move::Copy => Op::Copy { to, hunks },
            }
        } else if is_deleted {
            if !hunks.iter().all(|hunk| is_only(hunk, b'-')) {
                return Err(self.contradiction(UNFIT));
            }
            Op::Delete { recursive: false, hunks }
        } else if is_created && hunks.iter().all(|hunk| is_only(hunk, b'+')) {
            Op::Create { text: added(&hunks), existing: Existing::Refuse }
        } else if self.head.new_file.is_some() {
            return Err(self.contradiction(UNFIT));
        } else {
            let is_first = |hunk: &Hunk| matches!(hunk.anchor, Anchor::Line { old_start: Some(0), .. });
            let creates = !hunks.is_empty() && hunks.iter().all(|hunk| is_first(hunk) && is_only(hunk, b'+'));
            let missing = if creates { Missing::CreateFromAdditions } else { Missing::Refuse };
            Op::Modify { hunks, missing }
        };
        let executable = self.head.mode.or(self.head.new_file.filter(|executable| *executable));
        let prefixed = path.prefixed && !is_created;
        let git = Git {
            executable,
            blob: self.head.blob.clone(),
            prefixed,
            mail: mail.map(|mail| mail.span),
            is_open: false,
        };
        let why = mail.and_then(Mail::why);
        Ok(Edit { why, git, ..Edit::new(FormatId::Diff, self.span, target(path), op) })
    }
}

fn two_files(span: Span, one: &str, other: &str) -> Diagnostic {
    fault::malformed_hunk(span, &format!("two files, `{one}` and `{other}`"))
}

/// What a header names.
struct Named<'r> {
    /// The file; the source of a rename or copy.
    path: Path<'r>,
    /// The destination.
    to: Option<(Move, Path<'r>)>,
    is_created: bool,
    is_deleted: bool,
}

fn target(path: Path<'_>) -> Target {
    Target::new(&path.name.text, path.name.span)
}

/// Whether a hunk has only lines with this mark. A blank line may have lost it.
fn is_only(hunk: &Hunk, mark: u8) -> bool {
    let Change::Diff { lines, .. } = &hunk.change else { return false };
    let text = lines.written();
    let is_blank = |start: usize| text[start..].lines().next().is_none_or(|line| line.trim().is_empty());
    let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    std::iter::once(0).chain(starts).all(|at| text.as_bytes().get(at) == Some(&mark) || is_blank(at))
}

/// Returns the text of hunks that only add lines.
fn added(hunks: &[Hunk]) -> Passage {
    // Usually the text is one part of the response, and is not copied.
    if let [Hunk { change: Change::Diff { lines, after_unterminated: false, .. }, .. }] = hunks {
        return lines.convert(response::marked);
    }
    let mut text = String::new();
    for hunk in hunks {
        let Change::Diff { lines, after_unterminated, .. } = &hunk.change else { continue };
        text.push_str(&lines.convert(response::marked));
        if *after_unterminated && text.ends_with('\n') {
            text.pop();
        }
    }
    text.shrink_to_fit();
    text.into()
}
