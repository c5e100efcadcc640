//! The record of a landing, as the message of a commit in the chain that keeps them: a sentence for people, then one fact
//! a line. It is read back as if anybody could have written it.

use super::escape::is_hidden;
use crate::diag::counted;
use crate::names::named;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How many digits an id has.
const ID_DIGITS: usize = 10;

/// The shortest beginning of an id that is taken for one.
const SHORTEST: usize = 4;

named! {
    /// What a record is of.
    RecordKind {
        /// Edits of responses have landed.
        Landed = "landed",
        /// A landing was taken back.
        Undone = "undone",
        /// One that was taken back was put back.
        Redone = "redone",
    }
}

/// What a model was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The request, if there was one.
    pub request: Option<String>,
    /// The command that was asked.
    pub command: String,
}

/// What is known of a landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// By which it is known: short, and the same for as long as it is kept.
    pub id: String,
    /// What it is of.
    pub kind: RecordKind,
    /// The id of the landing that is taken back or put back.
    pub of: Option<String>,
    /// The reference that moved, in full.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Where it was; `None` if it was made.
    pub old: Option<String>,
    /// What the first commit follows, where that is not what the reference was at: it was made, or brought onto what a
    /// remote had.
    #[serde(skip)]
    pub start: Option<String>,
    /// Where it is.
    pub new: String,
    /// The commits in order, each with the numbers of its edits.
    #[serde(skip)]
    pub commits: Vec<(String, Vec<usize>)>,
    /// The names of the responses.
    pub responses: Vec<String>,
}

impl Record {
    /// The id that a whole object name gives.
    pub fn id_of(name: &str) -> String {
        name.chars().take(ID_DIGITS).collect()
    }

    /// Whether a text may be an id, or the beginning of one.
    pub fn may_be_id(text: &str) -> bool {
        (SHORTEST..=ID_DIGITS).contains(&text.len()) && is_hex(text)
    }

    /// The branch as people know it.
    pub fn branch(&self) -> &str {
        self.reference.strip_prefix("refs/heads/").unwrap_or(&self.reference)
    }

    /// How many edits its commits hold.
    pub fn edits(&self) -> usize {
        self.commits.iter().map(|(_, edits)| edits.len()).sum()
    }

    /// What it was, in a few words.
    pub fn summary(&self) -> String {
        match (self.kind, &self.of) {
            (RecordKind::Undone, Some(of)) => format!("undo of {of}"),
            (RecordKind::Redone, Some(of)) => format!("redo of {of}"),
            // Nothing was answered.
            _ if self.responses.is_empty() => counted(self.edits(), "accepted commit"),
            _ => format!("{} from {}", counted(self.edits(), "edit"), self.responses.join(", ")),
        }
    }

    /// The commit's message.
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

    /// Reads a commit's message; `None` if it is no record's.
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

/// What a landing has made of a response's edits, as the record lists it under the response's digest. It is read back as if
/// anybody could have written it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedEdits {
    /// The landing's id.
    pub id: String,
    /// When it landed: seconds since 1970, and the zone in minutes.
    pub time: (i64, i32),
    /// The reference that moved, in full.
    pub reference: String,
    /// All of its commits with edits, in order.
    pub commits: Vec<LandedCommit>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandedCommit {
    /// The commit.
    pub id: String,
    /// Those of the response's edits that it holds.
    pub edits: Vec<LandedEdit>,
}

/// An edit of a response.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LandedEdit {
    /// Its first line there, from 1.
    pub first: usize,
    /// Its last.
    pub last: usize,
    /// The file that it was resolved to.
    pub path: String,
}

impl LandedEdits {
    /// Whether it has the form of what is written.
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
    fn what_is_written_is_read() {
        let first = record();
        assert!(first.message().starts_with("3 edits from answer: 1.txt,  on try/it\n\nId: 0123456789\n"));
        assert_eq!(Record::parse(&first.message()).as_ref(), Some(&first));
        let (kind, of) = (RecordKind::Undone, Some("9876543210".to_owned()));
        let second = Record { kind, of, old: Some("5".repeat(64)), responses: Vec::new(), ..record() };
        assert!(second.message().starts_with("undo of 9876543210 on try/it\n"));
        assert_eq!(Record::parse(&second.message()), Some(second));
    }

    #[test]
    fn a_name_cannot_bring_facts_of_its_own() {
        let record = Record { responses: vec!["a\nOld: x\u{1b}[31m\r".to_owned()], ..record() };
        let read = Record::parse(&record.message()).unwrap();
        assert_eq!((read.old, read.responses), (None, vec!["aOld: x[31m".to_owned()]));
    }

    #[test]
    fn what_is_no_record_is_none() {
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
