//! A single file, for responses that are not made from a commit.

use crate::answer::{Answer, Line};
use crate::case::{File, Tree};
use crate::history::Commit;
use crate::random::Random;
use crate::table::{Kind, Table};
use crate::trial::Trial;
use crate::{heading, sibling, statement};
use git_llm_apply::format::FormatId;
use std::collections::BTreeSet;

/// A file as it was before a commit.
pub(crate) struct Subject {
    pub(crate) path: String,
    pub(crate) file: File,
    /// The commit and the path, for reports.
    id: String,
}

/// How many files are used at most.
const MAX_FILES: usize = 80;
/// Files with this many lines or more are not used.
const MAX_LINES: usize = 4_000;

/// Texts that the lines of such a response must not have, because they would be read as markup.
const MARKS: &[&str] = &["<<<", ">>>", "===", "***", "@@", "```", "<edit", "</", "FILE_", "think"];

/// The files that commits change, each once.
pub(crate) fn of(commits: &[Commit]) -> Vec<Subject> {
    let mut seen = BTreeSet::new();
    let files = commits.iter().flat_map(|commit| commit.files.iter().map(move |file| (commit, file)));
    let subject = |(commit, file): (&Commit, &crate::history::FileChange)| {
        let text = File::read(file.before.as_ref()?)?;
        let ending = text.lines.first()?.1;
        let is_uniform = text.lines.iter().rev().skip(1).all(|line| line.1 == ending);
        let fits = is_uniform && !ending.is_empty() && (10..MAX_LINES).contains(&text.lines.len());
        let (path, id) = (file.path.clone(), format!("{}, {}", commit.id, file.path));
        (fits && seen.insert(path.clone())).then_some(Subject { path, file: text, id })
    };
    files.filter_map(subject).take(MAX_FILES).collect()
}

/// Returns whether lines can be put into a response of any format.
pub(crate) fn is_plain<'a>(lines: impl IntoIterator<Item = &'a str>) -> bool {
    let is_plain = |line: &str| !MARKS.iter().any(|mark| line.contains(mark)) && line.trim() != "~";
    lines.into_iter().all(is_plain)
}

impl Subject {
    pub(crate) fn measure(&self, random: &mut Random, table: &mut Table) {
        sibling::measure(self, random, table);
        heading::measure(self, random, table);
        statement::measure(self, random, table);
    }

    pub(crate) fn line(&self, at: usize) -> &str {
        self.file.lines.get(at).map_or("", |line| &line.0)
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.file.lines.iter().map(|line| line.0.as_str())
    }

    /// Returns the file with `lines` in place of `count` lines at `at`. If the last of them is unchanged, it keeps its
    /// line ending, which may be none.
    pub(crate) fn with(&self, at: usize, count: usize, lines: &[String]) -> File {
        let mut file = self.file.clone();
        let ending = file.lines.first().map_or("\n", |line| line.1);
        let mut lines: Vec<_> = lines.iter().map(|line| (line.clone(), ending)).collect();
        if let (Some(new), Some(old)) = (lines.last_mut(), file.lines[at..at + count].last())
            && new.0 == old.0
        {
            new.1 = old.1;
        }
        file.lines.splice(at..at + count, lines);
        file
    }

    /// Applies a response with one hunk to `attempt.file`, at the path of this file.
    pub(crate) fn run(&self, attempt: &Attempt<'_>, table: &mut Table) {
        let Attempt { row, bar, kind, format, head, lines, file, right } = attempt;
        let tree = |file: &File| Tree::from([(self.path.clone(), file.bytes())]);
        let (before, right) = (tree(file), right.map(tree));
        let text = Answer::of(*format, &self.path, head, lines.to_vec()).write();
        let (row, bar, kind, format) = (*row, *bar, *kind, *format);
        Trial { row, bar, kind, id: &self.id, format, tree: &before, right: right.as_ref() }
            .run(&text, table);
    }
}

/// A response with one hunk.
pub(crate) struct Attempt<'a> {
    pub(crate) row: &'static str,
    pub(crate) bar: Option<f64>,
    pub(crate) kind: Kind,
    pub(crate) format: FormatId,
    /// Its `@@` line, for formats that have one.
    pub(crate) head: &'a str,
    pub(crate) lines: &'a [Line],
    /// The file that it is applied to.
    pub(crate) file: &'a File,
    /// The right result; `None` if the response must be refused.
    pub(crate) right: Option<&'a File>,
}
