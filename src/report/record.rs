//! The record of a landing. It is stored as a commit message: a sentence for people, then one `Name: value` per line.
//! Anybody could have written the message, so it is not trusted when it is read.

use super::escape::is_hidden;
use crate::diag::counted;
use crate::names::named;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt::Write;

const ID_DIGITS: usize = 10;

/// The shortest accepted abbreviation of an id.
const SHORTEST: usize = 4;

named! {
    /// The kind of a record.
    RecordKind {
        /// Edits of responses landed.
        Landed = "landed",
        /// A landing was undone.
        Undone = "undone",
        /// An undone landing was redone.
        Redone = "redone",
    }
}

/// What a model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The request, if there was one.
    pub request: Option<String>,
    /// The model's command.
    pub command: String,
}

/// What is recorded of a landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Its short id, which stays the same as long as the record is kept.
    pub id: String,
    /// Its kind.
    pub kind: RecordKind,
    /// The id of the landing that is undone or redone.
    pub of: Option<String>,
    /// The full name of the reference that moved.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its old commit; `None` if it was created.
    pub old: Option<String>,
    /// The parent of the first commit, if that is not `old`: the landing created the branch, or was rebased onto a
    /// remote's tip.
    #[serde(skip)]
    pub start: Option<String>,
    /// Its new commit.
    pub new: String,
    /// The commits in order, each with the numbers of its edits.
    #[serde(serialize_with = "named_members")]
    pub commits: Vec<(String, Vec<usize>)>,
    /// The names of the responses.
    pub responses: Vec<String>,
}

impl Record {
    /// Shortens a full object id to the id of a record.
    pub fn id_of(name: &str) -> String {
        name.chars().take(ID_DIGITS).collect()
    }

    /// Whether a text may be an id or its abbreviation.
    pub fn may_be_id(text: &str) -> bool {
        (SHORTEST..=ID_DIGITS).contains(&text.len()) && is_hex(text)
    }

    /// The short name of the branch.
    pub fn branch(&self) -> &str {
        self.reference.strip_prefix("refs/heads/").unwrap_or(&self.reference)
    }

    /// How many edits its commits contain.
    pub fn edits(&self) -> usize {
        self.commits.iter().map(|(_, edits)| edits.len()).sum()
    }

    /// A summary in a few words.
    pub fn summary(&self) -> String {
        match (self.kind, &self.of) {
            (RecordKind::Undone, Some(of)) => format!("undo of {of}"),
            (RecordKind::Redone, Some(of)) => format!("redo of {of}"),
            // Accepting commits involves no response.
            _ if self.responses.is_empty() => counted(self.edits(), "accepted commit"),
            _ => format!("{} from {}", counted(self.edits(), "edit"), self.responses.join(", ")),
        }
    }

    /// The commit message.
    pub fn message(&self) -> String {
        let mut out = format!("{} on {}\n\n", one_line(&self.summary()), self.branch());
        let mut fact = |name: &str, value: &str| {
            let _ = writeln!(out, "{name}: {value}");
        };
        fact("Id", &self.id);
        fact("Kind", self.kind.as_str());
        self.of.iter().for_each(|of| fact("Of", of));
        fact("Ref", &self.reference);
        self.old.iter().for_each(|old| fact("Old", old));
        self.start.iter().for_each(|start| fact("Start", start));
        fact("New", &self.new);
        for (commit, edits) in &self.commits {
            let edits: Vec<String> = edits.iter().map(usize::to_string).collect();
            fact("Commit", format!("{commit} {}", edits.join(",")).trim_end());
        }
        self.responses.iter().for_each(|name| fact("Response", &one_line(name)));
        out
    }

    /// Parses a commit message; `None` if it is not a record's.
    pub fn parse(message: &str) -> Option<Self> {
        let facts: Vec<(&str, &str)> =
            message.lines().skip(2).filter_map(|line| line.split_once(": ")).collect();
        let all = |name: &'static str| {
            facts.iter().filter(move |(known, _)| *known == name).map(|(_, value)| *value)
        };
        let object = |name| match all(name).next() {
            Some(value) if is_object_name(value) => Some(Some(value.to_owned())),
            Some(_) => None,
            None => Some(None),
        };
        let id = |name| all(name).next().filter(|id| id.len() == ID_DIGITS && is_hex(id)).map(str::to_owned);
        let kind = all("Kind").next()?;
        let commit = |value: &str| {
            let (commit, edits) = value.split_once(' ').unwrap_or((value, ""));
            let numbers = edits.split(',').filter(|number| !number.is_empty());
            let numbers = numbers.map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>()?;
            is_object_name(commit).then(|| (commit.to_owned(), numbers))
        };
        Some(Self {
            id: id("Id")?,
            kind: RecordKind::of_name(kind)?,
            of: id("Of"),
            reference: all("Ref").next()?.to_owned(),
            old: object("Old")?,
            start: object("Start")?,
            new: object("New")??,
            commits: all("Commit").map(commit).collect::<Option<_>>()?,
            responses: all("Response").map(str::to_owned).collect(),
        })
    }
}

fn named_members<S: Serializer>(commits: &[(String, Vec<usize>)], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Commit<'a> {
        id: &'a str,
        edits: &'a [usize],
    }
    to.collect_seq(commits.iter().map(|(id, edits)| Commit { id, edits }))
}

/// The edits of a response that a landing contains. It is stored under the response's digest, and not trusted when it
/// is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedEdits {
    /// The landing's id.
    pub id: String,
    /// When it landed: seconds since 1970, and the zone in minutes.
    pub time: (i64, i32),
    /// The full name of the reference that moved.
    pub reference: String,
    /// All of its commits with edits, in order.
    pub commits: Vec<LandedCommit>,
}

/// A commit of a landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedCommit {
    /// Its id.
    pub id: String,
    /// The response's edits in it.
    pub edits: Vec<LandedEdit>,
}

/// An edit of a response that has landed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LandedEdit {
    /// Its first line in the response, from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// The byte in its first line at which it begins, from 0. Several tool calls in JSON may be on one line.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: usize,
    /// The file that it resolved to.
    pub path: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it")]
fn is_zero(column: &usize) -> bool {
    *column == 0
}

impl LandedEdits {
    /// Whether its ids are well-formed.
    pub fn is_plausible(&self) -> bool {
        self.id.len() == ID_DIGITS
            && is_hex(&self.id)
            && self.commits.iter().all(|one| is_object_name(&one.id))
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_object_name(text: &str) -> bool {
    [40, 64].contains(&text.len()) && is_hex(text)
}

fn one_line(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c) && !matches!(c, '\n' | '\r')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            id: "0123456789".to_owned(),
            kind: RecordKind::Landed,
            of: None,
            reference: "refs/heads/try/it".to_owned(),
            old: None,
            start: Some("1".repeat(40)),
            new: "2".repeat(40),
            commits: vec![("3".repeat(40), vec![1]), ("2".repeat(40), vec![2, 3]), ("4".repeat(40), vec![])],
            responses: vec!["answer: 1.txt".to_owned(), String::new()],
        }
    }

    #[test]
    fn a_written_record_can_be_read() {
        let first = record();
        assert!(first.message().starts_with("3 edits from answer: 1.txt,  on try/it\n\nId: 0123456789\n"));
        assert_eq!(Record::parse(&first.message()).as_ref(), Some(&first));
        let (kind, of) = (RecordKind::Undone, Some("9876543210".to_owned()));
        let second = Record { kind, of, old: Some("5".repeat(64)), responses: Vec::new(), ..record() };
        assert!(second.message().starts_with("undo of 9876543210 on try/it\n"));
        assert_eq!(Record::parse(&second.message()), Some(second));
    }

    #[test]
    fn a_response_name_cannot_forge_fields() {
        let record = Record { responses: vec!["a\nOld: x\u{1b}[31m\r".to_owned()], ..record() };
        let read = Record::parse(&record.message()).unwrap();
        assert_eq!((read.old, read.responses), (None, vec!["aOld: x[31m".to_owned()]));
    }

    #[test]
    fn other_messages_are_not_records() {
        let whole = record().message();
        for (from, to) in [
            ("Id: 0", "Id: -"),
            ("Kind: landed", "Kind: lost"),
            ("Ref: ", "Reference: "),
            ("New: 2", "New: "),
            (" 2,3", " 2,x"),
        ] {
            assert_eq!(Record::parse(&whole.replacen(from, to, 1)), None, "{from}");
        }
        for text in ["", "\n", "Fix it\n", "Fix it\n\nId: 0123456789\n"] {
            assert_eq!(Record::parse(text), None, "{text:?}");
        }
        assert!(Record::may_be_id("0123") && !Record::may_be_id("012") && !Record::may_be_id("HEAD"));
    }
}
