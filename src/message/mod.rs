//! Makes commit messages from the untrusted text of a response, so that git reads nothing in them but plain text.
//!
//! This module composes messages by the rules for commits in the man page. In `flow`, `series` decides which message
//! each commit gets and adds this program's trailers; `messages` adds the user's and runs the editor. The parts of this
//! module:
//! - `clean` drops characters that no message may contain;
//! - `guard` changes lines that git would read as trailers, mail headers and the like, `skip` those that tell
//!   continuous integration to skip the commit;
//! - `trailers` are this program's trailers, `block` is where those of the user go;
//! - `width` measures and wraps lines;
//! - `sheet` is the text that the user edits in an editor, and `cleanup` is git's `--cleanup`.

mod block;
mod clean;
mod cleanup;
mod guard;
mod sheet;
mod skip;
mod trailers;
mod width;

use crate::diag::counted;
use crate::edit::Op;
use crate::path::RepoPath;
use crate::plan::{Node, Step, Verb};
pub use block::{Marks, Trailer};
use clean::{clean_line, clean_text};
pub use cleanup::{CLEANUP_NAMES, Cleanup, is_emptied};
pub use sheet::{Lost, Sheet};
use std::collections::HashSet;
use std::fmt;
pub use trailers::{EDIT, ID, MATCH, Provenance, REDONE, Trailed, UNDONE, with_provenance, with_undo};
use unicode_width::UnicodeWidthStr;

/// The widest subject, in terminal columns.
pub const SUBJECT_WIDTH: usize = 72;

/// The columns that the subject gets even after a long subject prefix. The whole line may then exceed
/// [`SUBJECT_WIDTH`].
const MIN_SUBJECT_WIDTH: usize = 24;

/// A commit message: a subject line, and a body that may be empty.
///
/// [`Message::subject`] and [`Message::body`] guarantee for any text:
/// - The subject is one line and not empty.
/// - The two contain all of the text, except characters that no message may contain and the full stop at the end of the
///   subject.
/// - There are no control or invisible characters, no trailing whitespace, and no two blank lines in a row.
/// - Git finds no trailer, and reads each line as plain text: see `guard`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// `--subject-prefix`; empty for none.
    prefix: String,
    headline: Headline,
    /// The text after the headline, including the space or line breaks before it.
    rest: String,
    /// Whether it may contain `[skip ci]` and the like.
    may_skip_ci: bool,
    /// The separators of trailers, besides the colon.
    separators: String,
    /// Whether `rest` is prose, which is wrapped.
    wraps: bool,
    /// More paragraphs, kept as they are.
    notes: String,
}

/// The text that the subject is made from. It becomes the subject as it is if it fits.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Headline {
    /// A sentence of a why. If it is too wide, the subject ends at a clause or word, and the body begins with the whole
    /// sentence.
    Sentence(String),
    /// Generated words and paths. If `whole` is too wide, the subject is `short`, which has the paths without their
    /// directories, and the body begins with `whole`.
    Generated { whole: String, short: String },
}

/// An edit's operation, for a subject without a why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub verb: Verb,
    /// The file or directory.
    pub path: RepoPath,
    /// The destination of a rename or copy.
    pub to: Option<RepoPath>,
    /// Whether the file is executable afterwards.
    pub executable: bool,
}

impl Operation {
    /// An operation on a single path.
    pub fn new(verb: Verb, path: RepoPath) -> Self {
        Self { verb, path, to: None, executable: false }
    }

    /// The operation of a resolved edit.
    pub fn of(op: &Op, step: &Step) -> Self {
        let after = step.changes.last().and_then(|change| change.after.as_ref());
        Self {
            verb: Verb::of(op, Some(step)),
            path: step.path.clone(),
            to: step.to.clone(),
            executable: after.is_some_and(|after| after.node == Node::File { executable: true }),
        }
    }

    /// The operation in words; `shown` renders the paths.
    fn text(&self, shown: &dyn Fn(&str) -> String) -> String {
        let path = shown(self.path.as_str());
        let to = self.to.as_ref().map(|to| format!(" to {}", shown(to.as_str()))).unwrap_or_default();
        match self.verb {
            Verb::Create => format!("Create {path}"),
            Verb::Modify => format!("Update {path}"),
            Verb::Replace => format!("Replace {path}"),
            Verb::Append => format!("Append to {path}"),
            Verb::Delete => format!("Remove {path}"),
            Verb::Rename => format!("Rename {path}{to}"),
            Verb::Copy => format!("Copy {path}{to}"),
            Verb::Mode if self.executable => format!("Make {path} executable"),
            Verb::Mode => format!("Make {path} not executable"),
        }
    }
}

/// What the edits of one commit have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group<'a> {
    /// The file. The operation is that of a single edit, or of all its edits together.
    File(Operation),
    /// The response (`--commit response`), by its name, such as `answer.txt` or `standard input`.
    Response(&'a str),
}

impl Message {
    /// Takes the first sentence or line of a why as the subject, and the rest as the body. `None` if nothing in it is
    /// visible.
    ///
    /// A sentence ends at a full stop before a space and a capital, or at the end of the line. The `#` marks of a
    /// Markdown heading are dropped.
    pub fn from_why(why: &str) -> Option<Self> {
        let text = clean_text(why);
        let mut below = text.as_str();
        let line = loop {
            let (line, rest) = below.split_at(below.find('\n').unwrap_or(below.len()));
            if width::is_visible(line) {
                below = rest;
                break line;
            }
            below = rest.strip_prefix('\n')?;
        };
        let line = clean::collapse_blanks(without_heading_marks(line));
        let (sentence, beside) = line.split_at(sentence_end(&line));
        let words = without_stop(sentence);
        let headline = Headline::Sentence(guard::subject(words) + &sentence[words.len()..]);
        Some(Self::new(headline, format!("{beside}{below}")))
    }

    /// The message for the edits of one commit, given their whys. If all whys are the same, it is that why with its
    /// lines wrapped. Otherwise the subject says what the edits have in common, and the body lists the distinct whys.
    pub fn for_group(group: &Group<'_>, whys: &[Option<&str>]) -> Self {
        let distinct = distinct(whys);
        if let [why] = distinct.as_slice()
            && let Some(message) = Self::from_why(why)
        {
            return Self { wraps: true, ..message };
        }
        let edits = counted(whys.len(), "edit");
        let text = |shown: &dyn Fn(&str) -> String| match group {
            Group::File(operation) if whys.len() > 1 => format!("{} ({edits})", operation.text(shown)),
            Group::File(operation) => operation.text(shown),
            Group::Response(name) if clean_line(name).is_empty() => format!("Apply {edits}"),
            Group::Response(name) => format!("Apply {edits} from {}", shown(name)),
        };
        let headline = Headline::Generated { whole: text(&clean_line), short: text(&without_directories) };
        Self::new(headline, String::new()).with_note(&list(&distinct))
    }

    fn new(headline: Headline, rest: String) -> Self {
        Self {
            prefix: String::new(),
            headline,
            rest,
            may_skip_ci: false,
            separators: String::new(),
            wraps: false,
            notes: String::new(),
        }
    }

    /// Sets the options of the message:
    /// - `prefix` is joined to one line and put before the subject. It is the user's own text, so `fixup!` stays.
    /// - `separators` are the characters after which git reads the rest of a line as a trailer's value.
    /// - Unless `may_skip_ci`, words such as `[skip ci]` are changed.
    #[must_use]
    pub fn with_options(self, prefix: &str, separators: &str, may_skip_ci: bool) -> Self {
        Self { prefix: clean_line(prefix), separators: separators.to_owned(), may_skip_ci, ..self }
    }

    /// Adds paragraphs to the body, such as the message of the whole response (applydir's `message`).
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.notes.push_str("\n\n");
        self.notes.push_str(note);
        self
    }

    /// Adds the distinct whys of several edits to the body as a list. This is for a subject from the message of the
    /// whole response.
    #[must_use]
    pub fn with_whys(self, whys: &[Option<&str>]) -> Self {
        self.with_note(&list(&distinct(whys)))
    }

    /// The first line, without its line break.
    pub fn subject(&self) -> String {
        self.split().0
    }

    /// The text after the subject and the blank line; without a line break at the end.
    pub fn body(&self) -> String {
        self.split().1
    }

    fn split(&self) -> (String, String) {
        let used = if self.prefix.is_empty() { 0 } else { self.prefix.width() + 1 };
        let columns = SUBJECT_WIDTH.saturating_sub(used).max(MIN_SUBJECT_WIDTH);
        let (subject, left) = self.headline.fit(columns);
        let allowed = |text: String| if self.may_skip_ci { text } else { skip::defused(&text).into_owned() };
        let below = format!("{left}{}", self.rest);
        // `[skip ci]` is changed before wrapping, which could split it.
        let below = allowed(clean_text(below.strip_prefix(' ').unwrap_or(&below)));
        let below = if self.wraps { width::wrap(&below, SUBJECT_WIDTH) } else { below };
        let body = allowed(clean_text(&format!("{below}{}", self.notes)));
        (
            format!("{} {}", self.prefix, allowed(subject)).trim().to_owned(),
            guard::body(&body, &self.separators),
        )
    }
}

/// The message as git stores it: each line ends with a line break. The user's trailers are added later, after a blank
/// line. Git then reads those as trailers, but no line of the body.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, body) = self.split();
        writeln!(f, "{subject}")?;
        if !body.is_empty() {
            writeln!(f, "\n{body}")?;
        }
        Ok(())
    }
}

impl Headline {
    /// The subject, which fits into these columns, and the text that the body has to begin with.
    fn fit(&self, columns: usize) -> (String, String) {
        match self {
            Headline::Sentence(sentence) => match without_stop(sentence) {
                words if words.width() <= columns => (words.to_owned(), String::new()),
                _ => width::split(sentence, columns),
            },
            Headline::Generated { whole, .. } if whole.width() <= columns => (whole.clone(), String::new()),
            Headline::Generated { whole, short } => (width::split(short, columns).0, whole.clone()),
        }
    }
}

/// The last name of a path, with `…/` before it if the path has directories.
fn without_directories(path: &str) -> String {
    let path = clean_line(path);
    path.rsplit_once('/').map_or(path.clone(), |(_, name)| format!("…/{name}"))
}

/// The distinct whys with visible text, cleaned.
fn distinct(whys: &[Option<&str>]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut distinct = Vec::new();
    for why in whys.iter().flatten() {
        let why = clean_text(why).trim_start().to_owned();
        if width::is_visible(&why) && seen.insert(why.clone()) {
            distinct.push(why);
        }
    }
    distinct
}

fn list(whys: &[String]) -> String {
    let items: Vec<String> = whys.iter().map(|why| format!("- {}", why.replace('\n', "\n  "))).collect();
    width::wrap(&items.join("\n"), SUBJECT_WIDTH)
}

/// Where the first sentence of a line ends, in bytes.
fn sentence_end(line: &str) -> usize {
    line.match_indices(". ")
        .find(|(at, _)| line[at + 2..].starts_with(char::is_uppercase))
        .map_or(line.len(), |(at, _)| at + 1)
}

/// A sentence without the full stop at its end; `...` stays.
fn without_stop(sentence: &str) -> &str {
    let words = sentence.strip_suffix('.').filter(|words| !words.is_empty() && !words.ends_with('.'));
    words.unwrap_or(sentence)
}

/// A Markdown heading without its marks; any other line as it is.
fn without_heading_marks(line: &str) -> &str {
    let text = line.trim_start_matches('#');
    if text.len() < line.len() && text.starts_with(' ') { text } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    fn moved(verb: Verb, from: &RepoPath, to: &RepoPath) -> Operation {
        Operation { to: Some(to.clone()), ..Operation::new(verb, from.clone()) }
    }

    fn for_edit(why: Option<&str>, operation: Operation) -> Message {
        Message::for_group(&Group::File(operation), &[why])
    }

    fn parts(why: &str) -> (String, String) {
        let message = Message::from_why(why).unwrap();
        (message.subject(), message.body())
    }

    fn both(subject: &str, body: &str) -> (String, String) {
        (subject.to_owned(), body.to_owned())
    }

    #[test]
    fn the_first_sentence_is_the_subject() {
        for (why, subject, body) in [
            ("Fix the parser", "Fix the parser", ""),
            ("Fix the parser.", "Fix the parser", ""),
            ("Fix it. It was wrong. Really.", "Fix it", "It was wrong. Really."),
            ("Fix it.  Ähnlich.", "Fix it", "Ähnlich."),
            ("Wait...", "Wait...", ""),
            ("Cope with e.g. this and 1.5 Metres", "Cope with e.g. this and 1.5 Metres", ""),
            ("Rename a.Rs. then go", "Rename a.Rs. then go", ""),
            ("Fix it. Now\nand below\n\nmore", "Fix it", "Now\nand below\n\nmore"),
            ("First line\nsecond line. Third", "First line", "second line. Third"),
            ("feat: add auth\n\n- JWT logic\n- tests", "feat: add auth", "- JWT logic\n- tests"),
            ("\n\n  Fix   it\tnow \r\n\r\n\r\n  code\r\n", "Fix it now", "  code"),
            ("## Fix it\nbody", "Fix it", "body"),
            ("\u{301}\nFix it", "Fix it", ""),
            ("fixup! Fix it. More", "'fixup!' Fix it", "More"),
            ("fix\u{200b}up! x", "'fixup!' x", ""),
        ] {
            assert_eq!(parts(why), both(subject, body), "{why:?}");
        }
    }

    #[test]
    fn a_why_without_visible_text_is_none() {
        for why in ["", " \n\t", "\u{200b}", "\u{1b}\u{7f}\0", "\u{3164}", "\u{2800}", "\u{301}", "\u{a0}"] {
            assert_eq!(Message::from_why(why), None, "{why:?}");
            let message = for_edit(Some(why), Operation::new(Verb::Create, path("a")));
            assert_eq!(message.subject(), "Create a");
        }
    }

    #[test]
    fn a_wide_sentence_is_cut_in_the_subject_and_whole_in_the_body() {
        let sentence = "Replace the recursive descent parser by a table-driven one that never overflows.";
        assert_eq!(
            parts(&format!("{sentence} See below.\nEnd")),
            both(
                "Replace the recursive descent parser by a table-driven one that never…",
                &format!("{sentence} See below.\nEnd")
            )
        );
        let sentence = "Remove the old helper, since nothing has called it after the move to the new client.";
        assert_eq!(parts(sentence), both("Remove the old helper", sentence));
        let sentence =
            "Remove the old and unused helper of the client, which nothing has called for a long time.";
        assert_eq!(parts(sentence), both("Remove the old and unused helper of the client", sentence));
        let why = for_edit(Some(sentence), Operation::new(Verb::Create, path("a")));
        assert_eq!(
            why.body(),
            "Remove the old and unused helper of the client, which nothing has called\nfor a long time."
        );
        let exact = "x".repeat(35) + " " + &"y".repeat(36);
        assert_eq!(parts(&exact), both(&exact, ""));
        assert_eq!(parts(&format!("{exact} z")), both(&format!("{}…", &exact[..35]), &format!("{exact} z")));
        assert_eq!(parts(&format!("{exact}z")).0, format!("{}…", &exact[..35]));
    }

    #[test]
    fn a_word_that_is_too_wide_is_cut_and_repeated() {
        let word = "x".repeat(100);
        assert_eq!(parts(&word), (format!("{}…", "x".repeat(71)), word.clone()));
        assert_eq!(
            parts(&format!("A {word}. More")),
            (format!("A {}…", "x".repeat(69)), format!("A {word}. More"))
        );
        let wide = "修".repeat(50);
        assert_eq!(parts(&wide), (format!("{}…", "修".repeat(35)), wide));
    }

    #[test]
    fn without_a_why_the_subject_is_the_operation() {
        let (a, b) = (path("src/a.rs"), path("b.rs"));
        for (operation, subject) in [
            (Operation::new(Verb::Create, a.clone()), "Create src/a.rs"),
            (Operation::new(Verb::Modify, a.clone()), "Update src/a.rs"),
            (Operation::new(Verb::Replace, a.clone()), "Replace src/a.rs"),
            (Operation::new(Verb::Delete, a.clone()), "Remove src/a.rs"),
            (Operation::new(Verb::Append, a.clone()), "Append to src/a.rs"),
            (moved(Verb::Rename, &a, &b), "Rename src/a.rs to b.rs"),
            (moved(Verb::Copy, &a, &b), "Copy src/a.rs to b.rs"),
            (
                Operation { executable: true, ..Operation::new(Verb::Mode, a.clone()) },
                "Make src/a.rs executable",
            ),
            (Operation::new(Verb::Mode, a.clone()), "Make src/a.rs not executable"),
        ] {
            let message = for_edit(None, operation);
            assert_eq!((message.subject(), message.body()), both(subject, ""));
            assert_eq!(message.to_string(), format!("{subject}\n"));
        }
    }

    #[test]
    fn long_paths_are_shortened_in_the_subject_and_whole_in_the_body() {
        let deep = "some/quite/deep/directory/of/a/project/with/long/names/inside/it/file.rs";
        let message = for_edit(None, Operation::new(Verb::Create, path(deep)));
        assert_eq!((message.subject(), message.body()), both("Create …/file.rs", &format!("Create {deep}")));

        let message = for_edit(None, moved(Verb::Rename, &path(deep), &path("a/b.rs")));
        let (subject, body) = ("Rename …/file.rs to …/b.rs", format!("Rename {deep} to a/b.rs"));
        assert_eq!((message.subject(), message.body()), both(subject, &body));

        let name = format!("dir/{}.rs", "n".repeat(200));
        let message = for_edit(None, moved(Verb::Copy, &path(&name), &path(deep)));
        assert_eq!(message.subject(), format!("Copy …/{}…", "n".repeat(64)));
        assert_eq!(message.body(), format!("Copy {name} to {deep}"));
    }

    #[test]
    fn a_prefix_takes_its_columns_from_the_subject() {
        let message = Message::from_why("Fix the parser").unwrap().with_options("[ai] ", "", false);
        assert_eq!(message.subject(), "[ai] Fix the parser");
        let sentence = ["word"; 15].join(" ");
        let message = Message::from_why(&sentence).unwrap();
        assert_eq!((message.subject(), message.body()), both(&format!("{}…", &sentence[..69]), &sentence));
        let message = message.with_options("[ai]", "", false);
        assert_eq!(
            (message.subject(), message.body()),
            (format!("[ai] {}…", &sentence[..64]), sentence.clone())
        );
        let message = message.with_options(&"p".repeat(90), "", false);
        assert_eq!(message.subject(), format!("{} {}…", "p".repeat(90), &sentence[..19]));
        assert_eq!(message.clone().with_options("a\nb", "", false).subject().split_at(4).0, "a b ");
    }

    #[test]
    fn a_group_takes_its_only_why_or_lists_them_all() {
        let file = Group::File(Operation::new(Verb::Modify, path("src/a.rs")));
        let response = Group::Response("answer.txt");
        let text = |group: &Group<'_>, whys: &[Option<&str>]| Message::for_group(group, whys).to_string();
        assert_eq!(text(&file, &[Some("Fix it")]), "Fix it\n");
        assert_eq!(text(&file, &[Some("Fix it"), None, Some(" Fix it\r\n")]), "Fix it\n");
        assert_eq!(text(&file, &[None]), "Update src/a.rs\n");
        assert_eq!(text(&file, &[None, None]), "Update src/a.rs (2 edits)\n");
        assert_eq!(text(&response, &[None]), "Apply 1 edit from answer.txt\n");
        assert_eq!(
            text(&file, &[Some("One. Two\n\nThree"), Some("Four"), Some("Four")]),
            "Update src/a.rs (3 edits)\n\n- One. Two\n\n  Three\n- Four\n"
        );
        assert_eq!(
            text(&response, &[Some("A"), None, Some("Signed-off-by: x")]),
            "Apply 3 edits from answer.txt\n\n- A\n- Signed-off-by: x\n"
        );
        assert_eq!(text(&Group::Response("\n"), &[None, None]), "Apply 2 edits\n");
        let long = Group::Response("answers/of/a/rather/long/name/in/a/directory/of/a/long/name/too/a.txt");
        assert_eq!(Message::for_group(&long, &[None; 12]).subject(), "Apply 12 edits from …/a.txt");
    }

    #[test]
    fn the_message_of_the_response_is_a_note_or_the_subject() {
        let message = Message::from_why("Fix it").unwrap().with_note("All of it.\n\n\nReally.\n");
        assert_eq!(message.to_string(), "Fix it\n\nAll of it.\n\nReally.\n");
        let message = Message::from_why("feat: all\n\nText").unwrap().with_whys(&[
            Some("A"),
            None,
            Some("A"),
            Some("B"),
        ]);
        assert_eq!(message.to_string(), "feat: all\n\nText\n\n- A\n- B\n");
        assert_eq!(
            Message::from_why("x").unwrap().with_note("\u{200b}\n").with_whys(&[None]).to_string(),
            "x\n"
        );
    }
}
