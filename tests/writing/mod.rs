//! The way back: a change between two trees, written as a response in one of the formats, for tests and benchmarks.
//!
//! Each format has a `render`; what they share is here: which changes there are, and in `hunks` how much of a file has to
//! be quoted so that each place is the only one.

mod apply_patch;
mod applydir;
mod diff;
mod edit_calls;
mod fence;
mod file_changes;
pub(crate) mod hunks;
mod opx;
mod search_replace;
mod unified;

use git_llm_apply::format::FormatId;
use hunks::{Fit, Hunk};

/// One file before and after a change.
///
/// `before` and `after` are the file's whole content; both `None`, or equal ones under one path, are no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rendered<'a> {
    /// The file's path, relative to the repository; a renamed file's new one.
    pub(crate) path: &'a str,
    /// What it held; `None` if it was not there. A renamed file's content under its old path.
    pub(crate) before: Option<&'a [u8]>,
    /// What it holds; `None` if it is gone.
    pub(crate) after: Option<&'a [u8]>,
    /// The path that it had, if it was renamed.
    pub(crate) renamed_from: Option<&'a str>,
    /// Why. Left out where the format has no place for it; line breaks in it become blanks where it has to be a line.
    pub(crate) why: Option<&'a str>,
}

/// A change that a format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub(crate) struct Unrepresentable {
    /// The file that changes.
    pub(crate) path: String,
    /// Why not.
    pub(crate) reason: Reason,
}

/// Why a format cannot express a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// A NUL byte, or no UTF-8.
    #[error("it is not text")]
    Binary,
    /// A path that the format would read as another one.
    #[error("its path cannot be written in this format")]
    Path,
    /// The format has no such operation.
    #[error("this format cannot {0} a file")]
    Operation(&'static str),
    /// A payload has lines, not line endings: they are the file's own.
    #[error("its line endings are mixed, change, or are not those of a new file")]
    LineEndings,
    /// A newline at the end that would be there and may not, or the reverse.
    #[error("whether it ends with a newline cannot be said in this format")]
    FinalNewline,
    /// The mark comes or goes.
    #[error("its byte order mark changes")]
    ByteOrderMark,
    /// A line that would end the payload, or begin another.
    #[error("the line {0:?} would be read as the format's own")]
    Marker(String),
    /// No amount of context says where the change belongs.
    #[error("the place of a change cannot be said")]
    NoPlace,
}

/// Writes changes as a response in a format. Parsed and applied in their order to the files before, it gives the files
/// after.
///
/// # Errors
/// The first change that the format cannot express.
pub(crate) fn render(format: FormatId, changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let render = match format {
        FormatId::Opx => opx::render,
        FormatId::ApplyPatch => apply_patch::render,
        FormatId::SearchReplace => search_replace::render,
        FormatId::FileChanges => file_changes::render,
        FormatId::Applydir => applydir::render,
        FormatId::Diff => diff::render,
        FormatId::EditCalls => edit_calls::render,
        FormatId::WholeFile | FormatId::Snippet => refuse,
    };
    render(changes)
}

/// Writes each change by `part`, all of them between the two texts; nothing for no changes.
pub(crate) fn write<'a>(
    changes: &[Rendered<'a>],
    [head, foot]: [&str; 2],
    part: impl Fn(&Rendered<'a>, Action<'a>) -> Result<String, Unrepresentable>,
) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        if let Some(action) = change.action()? {
            out.push_str(&part(change, action)?);
        }
    }
    Ok(if out.is_empty() { out } else { format!("{head}{out}{foot}") })
}

/// Writes the changes that a format has no words for: none.
pub(crate) fn refuse(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, _| Err(change.cannot(Reason::Operation("give only what changes of"))))
}

/// What a change does to its file, its texts checked and cut into lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action<'a> {
    /// Makes it: the whole content, lines each ended by `\n` (but for a last one without a newline).
    Create(&'a str),
    /// Changes it where it is.
    Modify(Texts<'a>),
    /// Moves it here and changes it.
    Rename(&'a str, Texts<'a>),
    /// Removes it.
    Delete,
}

/// A file's lines before and after, without line endings and byte order mark. A payload that has these lines stands
/// for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts<'a> {
    /// Before.
    pub(crate) before: Vec<&'a str>,
    /// After.
    pub(crate) after: Vec<&'a str>,
    /// The last line before has no newline.
    pub(crate) before_unterminated: bool,
    /// The last line after has none.
    pub(crate) after_unterminated: bool,
}

impl<'a> Rendered<'a> {
    /// What it does, if it does something.
    pub(crate) fn action(&self) -> Result<Option<Action<'a>>, Unrepresentable> {
        Ok(match (self.before, self.after, self.renamed_from.filter(|from| *from != self.path)) {
            (None, None, _) => None,
            (None, Some(after), _) => {
                let text = Some(self.text(after)?).filter(|text| !text.contains('\r'));
                Some(Action::Create(text.ok_or_else(|| self.cannot(Reason::LineEndings))?))
            }
            (Some(_), None, _) => Some(Action::Delete),
            (Some(before), Some(after), Some(from)) if before == after => {
                Some(Action::Rename(from, Texts::default()))
            }
            (Some(before), Some(after), Some(from)) => Some(Action::Rename(from, self.texts(before, after)?)),
            (before, after, None) if before == after => None,
            (Some(before), Some(after), None) => Some(Action::Modify(self.texts(before, after)?)),
        })
    }

    /// That this change cannot be expressed.
    pub(crate) fn cannot(&self, reason: Reason) -> Unrepresentable {
        Unrepresentable { path: self.path.to_owned(), reason }
    }

    /// A path as an attribute's value, with its quotes.
    pub(crate) fn quoted(&self, path: &str) -> Result<String, Unrepresentable> {
        opx::quoted(path).ok_or_else(|| self.cannot(Reason::Path))
    }

    /// A new file's text, each line of which has to be ended.
    pub(crate) fn ended_text<'t>(&self, text: &'t str) -> Result<&'t str, Unrepresentable> {
        let is_ended = text.is_empty() || text.ends_with('\n');
        is_ended.then_some(text).ok_or_else(|| self.cannot(Reason::FinalNewline))
    }

    /// The hunks of a format that gives each as two texts; none where the whole new text has to be given, which ends every
    /// line, but for a last one that stays.
    pub(crate) fn hunks_unless_whole(&self, texts: &Texts<'_>) -> Result<Option<Vec<Hunk>>, Unrepresentable> {
        match texts.hunks(&hunks::fit_unless_blank) {
            Ok(hunks) => Ok(Some(hunks)),
            Err(_) if texts.ends_as_lines_do() => Ok(None),
            Err(reason) => Err(self.cannot(reason)),
        }
    }

    /// The why in one line.
    pub(crate) fn why_line(&self) -> Option<String> {
        let line = self.why?.split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then_some(line)
    }

    fn text(&self, bytes: &'a [u8]) -> Result<&'a str, Unrepresentable> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        text.ok_or_else(|| self.cannot(Reason::Binary))
    }

    fn texts(&self, before: &'a [u8], after: &'a [u8]) -> Result<Texts<'a>, Unrepresentable> {
        let (mut before, mut after) = (self.text(before)?, self.text(after)?);
        match (before.strip_prefix('\u{feff}'), after.strip_prefix('\u{feff}')) {
            (Some(rest_before), Some(rest_after)) => (before, after) = (rest_before, rest_after),
            (None, None) => {}
            _ => return Err(self.cannot(Reason::ByteOrderMark)),
        }
        let ending = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let lines = |text: &'a str| {
            let lines: Vec<&str> = text.split_terminator(ending).collect();
            let uniform = lines.iter().all(|line| !line.contains(['\r', '\n']));
            uniform.then_some(lines).ok_or_else(|| self.cannot(Reason::LineEndings))
        };
        Ok(Texts {
            before: lines(before)?,
            after: lines(after)?,
            before_unterminated: !before.is_empty() && !before.ends_with('\n'),
            after_unterminated: !after.is_empty() && !after.ends_with('\n'),
        })
    }
}

/// Lines as a text, each ended by `\n`.
pub(crate) fn ended(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

impl<'a> Texts<'a> {
    /// Those of a new file.
    pub(crate) fn new_file(text: &'a str) -> Self {
        let after_unterminated = !text.is_empty() && !text.ends_with('\n');
        Self { after: text.split_terminator('\n').collect(), after_unterminated, ..Self::default() }
    }

    /// The hunks of a format that gives each as two texts.
    pub(crate) fn hunks(&self, fit: &dyn Fn(&[&str], &[&str]) -> Fit) -> Result<Vec<Hunk>, Reason> {
        let hunks = hunks::hunks(&self.before, &self.after, fit).ok_or(Reason::NoPlace)?;
        let touches_end = hunks.last().is_some_and(|hunk| hunk.before.end == self.before.len());
        let is_kept = self.before_unterminated == self.after_unterminated;
        if is_kept && !(self.before_unterminated && touches_end) {
            Ok(hunks)
        } else {
            Err(Reason::FinalNewline)
        }
    }

    /// The two texts of a hunk.
    pub(crate) fn of(&self, hunk: &Hunk) -> [&[&'a str]; 2] {
        [&self.before[hunk.before.clone()], &self.after[hunk.after.clone()]]
    }

    /// Whether the file comes out with the right end where a last line that the edit names gets a newline, and one that
    /// it does not name stays as it is.
    pub(crate) fn ends_as_lines_do(&self) -> bool {
        let kept = self.before.last() == self.after.last();
        if self.after_unterminated {
            self.before_unterminated && kept
        } else {
            !(self.before_unterminated && kept)
        }
    }
}
