//! A file by itself, for responses that no commit made.

use crate::answer::{Answer, Line};
use crate::case::{File, Tree};
use crate::history::Commit;
use crate::random::Random;
use crate::table::{Kind, Table};
use crate::trial::Trial;
use crate::{heading, sibling, statement};
use git_llm_apply::format::FormatId;
use std::collections::BTreeSet;

/// A file.
pub(crate) struct Subject {
    pub(crate) path: String,
    pub(crate) file: File,
    /// Where it comes from.
    id: String,
}

/// So many files are taken at most, and larger ones are not.
const FILES: usize = 80;
const LINES: usize = 4_000;

/// What must not stand in a text that is put into a response by hand: it would be read as the response's own.
const MARKS: &[&str] = &["<<<", ">>>", "===", "***", "@@", "```", "<edit", "</", "FILE_", "think"];

/// The files that commits change, each once.
pub(crate) fn of(commits: &[Commit]) -> Vec<Subject> {
    let mut seen = BTreeSet::new();
    let files = commits.iter().flat_map(|commit| commit.files.iter().map(move |file| (commit, file)));
    let subject = |(commit, file): (&Commit, &crate::history::FileChange)| {
        let text = File::read(file.before.as_ref()?)?;
        let ending = text.lines.first()?.1;
        let is_uniform = text.lines.iter().rev().skip(1).all(|line| line.1 == ending);
        let fits = is_uniform && !ending.is_empty() && (10..LINES).contains(&text.lines.len());
        let (path, id) = (file.path.clone(), format!("{}, {}", commit.id, file.path));
        (fits && seen.insert(path.clone())).then_some(Subject { path, file: text, id })
    };
    files.filter_map(subject).take(FILES).collect()
}

/// Whether lines can be put into a response of any format.
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

    /// The file with other lines in the place of some. A last line that stays keeps its line ending, or that it has none.
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

    /// Applies a response of one hunk to a file in the place of this one.
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

/// A response of one hunk.
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
    /// What is right; none where nothing that lands is.
    pub(crate) right: Option<&'a File>,
}
