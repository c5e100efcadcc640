//! A response, the files that it edits, and the right result. The right result is made by splicing lines at places that
//! are known beforehand, without the library's search.

use crate::answer::{Answer, Hunk, Line, Side};
use crate::history::Commit;
use crate::writing::render;
use git_llm_apply::format::FormatId;
use std::collections::{BTreeMap, BTreeSet};

/// Files by path.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A text file as lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) bom: bool,
    /// Each line with its ending. Only the last line may have an empty one.
    pub(crate) lines: Vec<(String, &'static str)>,
}

impl File {
    /// Reads a file; `None` if it is not UTF-8 text.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(BOM);
        let text = std::str::from_utf8(rest.unwrap_or(bytes)).ok()?;
        let line = |line: &str| match line.strip_suffix("\r\n") {
            Some(text) => (text.to_owned(), "\r\n"),
            None => match line.strip_suffix('\n') {
                Some(text) => (text.to_owned(), "\n"),
                None => (line.to_owned(), ""),
            },
        };
        Some(Self { bom: rest.is_some(), lines: text.split_inclusive('\n').map(line).collect() })
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = if self.bom { BOM.to_vec() } else { Vec::new() };
        for (text, ending) in &self.lines {
            bytes.extend_from_slice(text.as_bytes());
            bytes.extend_from_slice(ending.as_bytes());
        }
        bytes
    }

    /// Returns where these lines match as a block.
    pub(crate) fn places(&self, lines: &[&str]) -> Vec<usize> {
        let matches = |at: &usize| self.lines[*at..].iter().zip(lines).all(|(there, line)| there.0 == *line);
        (0..(self.lines.len() + 1).saturating_sub(lines.len().max(1))).filter(matches).collect()
    }
}

/// A response and the files that it edits.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) answer: Answer,
    /// Whether the response is written with CRLF.
    pub(crate) crlf: bool,
    /// The files that it is applied to.
    pub(crate) tree: Tree,
    /// The right result for the files without hunks.
    others: Tree,
    /// The path in `tree` of each file that has hunks.
    pub(crate) sources: BTreeMap<String, String>,
    /// For each hunk, the line of its file where its quoted lines begin, from 0.
    pub(crate) sites: Vec<usize>,
    /// Whether the response itself does not say where something belongs. Then it may be refused, too.
    pub(crate) unsure: bool,
}

impl Case {
    /// Writes a commit as a response in a format. Returns `None` if the format cannot express it, or if lines of the
    /// commit look like markup of the format.
    pub(crate) fn new(commit: &Commit, format: FormatId) -> Option<Self> {
        let answer = Answer::read(format, &render(format, &commit.rendered()).ok()?);
        let (mut tree, mut after, mut sources) = (Tree::new(), Tree::new(), BTreeMap::new());
        for file in &commit.files {
            let source = file.from.as_ref().unwrap_or(&file.path);
            tree.extend(file.before.clone().map(|text| (source.clone(), text)));
            after.extend(file.after.clone().map(|text| (file.path.clone(), text)));
            sources.insert(file.path.clone(), source.clone());
        }
        tree.extend(commit.other.clone());
        after.extend(commit.other.clone());
        let mut case = Self {
            answer,
            crlf: false,
            tree,
            others: Tree::new(),
            sources,
            sites: Vec::new(),
            unsure: false,
        };
        let hunked: BTreeSet<String> = case.answer.hunks().map(|hunk| hunk.path.clone()).collect();
        case.sources.retain(|path, _| hunked.contains(path));
        case.others = after.clone();
        case.others.retain(|path, _| !hunked.contains(path));
        case.sites = case.find_sites()?;
        // Splicing must give what the commit made.
        (case.right()? == after).then_some(case)
    }

    /// Finds the sites of hunks that quote their files exactly. Returns `None` if one has no match or several.
    pub(crate) fn find_sites(&self) -> Option<Vec<usize>> {
        let files: BTreeMap<&String, File> = self
            .sources
            .iter()
            .filter_map(|(path, source)| Some((path, File::read(self.tree.get(source)?)?)))
            .collect();
        let site = |hunk: &Hunk| {
            let file = files.get(&hunk.path)?;
            match file.places(&hunk.before()).as_slice() {
                _ if hunk.before().is_empty() => file.lines.is_empty().then_some(0),
                [one] => Some(*one),
                _ => None,
            }
        };
        self.answer.hunks().map(site).collect()
    }

    /// The file that the hunks with this path edit.
    pub(crate) fn file(&self, path: &str) -> Option<File> {
        File::read(self.tree.get(self.sources.get(path)?)?)
    }

    /// Replaces the file that the hunks with this path edit.
    pub(crate) fn set_file(&mut self, path: &str, file: &File) {
        if let Some(source) = self.sources.get(path) {
            self.tree.insert(source.clone(), file.bytes());
        }
    }

    /// The hunks of a file with their sites, in the order of the sites.
    pub(crate) fn hunks_of<'a>(&'a self, path: &'a str) -> Vec<(usize, &'a Hunk)> {
        let mut hunks: Vec<(usize, &Hunk)> = self
            .sites
            .iter()
            .copied()
            .zip(self.answer.hunks())
            .filter(|(_, hunk)| hunk.path == path)
            .collect();
        hunks.sort_by_key(|(site, _)| *site);
        hunks
    }

    /// Returns the right result; `None` if a hunk reaches beyond its file.
    pub(crate) fn right(&self) -> Option<Tree> {
        let mut right = self.others.clone();
        for path in self.sources.keys() {
            right.insert(path.clone(), self.spliced(path)?.bytes());
        }
        Some(right)
    }

    fn spliced(&self, path: &str) -> Option<File> {
        let file = self.file(path)?;
        let ending = file.lines.iter().map(|line| line.1).find(|ending| !ending.is_empty()).unwrap_or("\n");
        let open = file.lines.last().is_some_and(|line| line.1.is_empty());
        let mut lines: Vec<(String, &'static str)> = Vec::new();
        let mut at = 0;
        let mut last_added = None;
        for (site, hunk) in self.hunks_of(path) {
            lines.extend_from_slice(file.lines.get(at..site)?);
            at = site;
            for line in hunk.lines.iter().filter(|line| !line.made_up) {
                match line.side {
                    Side::Kept => lines.push(file.lines.get(at)?.clone()),
                    Side::Removed => {}
                    Side::Added => {
                        // Unlike a diff, a search text and a replacement do not say whether the last line has a
                        // newline.
                        let diff = [FormatId::ApplyPatch, FormatId::FileChanges, FormatId::Diff]
                            .contains(&self.answer.format);
                        let says_nothing = open && !diff;
                        lines.push((line.lands.clone(), ending));
                        last_added = Some((lines.len(), line.unterminated || says_nothing));
                    }
                }
                at += usize::from(line.side != Side::Added);
            }
        }
        lines.extend_from_slice(file.lines.get(at..)?);
        let count = lines.len();
        for (index, line) in lines.iter_mut().enumerate() {
            if index + 1 < count && line.1.is_empty() {
                line.1 = ending;
            }
            if last_added == Some((count, true)) && index + 1 == count {
                line.1 = "";
            }
        }
        Some(File { bom: file.bom, lines })
    }

    /// The text of the response.
    pub(crate) fn text(&self) -> String {
        let text = self.answer.write();
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// Returns whether a spoiled hunk now means something else. Either its quoted lines match exactly one place, and
    /// that is another one than its own. Or a blank line is left out or made up, and the quoted lines still match
    /// exactly at the hunk's own place (except for a blank line at their end), so that they mean other lines there.
    pub(crate) fn names_another_place(&self) -> bool {
        self.sources.keys().any(|path| {
            let Some(file) = self.file(path) else { return false };
            self.hunks_of(path).iter().any(|(site, hunk)| {
                let lost = hunk.lines.iter().take_while(|line| line.left_out).count();
                let before = hunk.before();
                let elsewhere = matches!(file.places(&before)[..], [one] if one != site + lost);
                let whole = match before.split_last() {
                    Some((&"", rest)) => vec![&before[..], rest],
                    _ => vec![&before[..]],
                };
                let matches = |lines: &&[&str]| !lines.is_empty() && file.places(lines).contains(site);
                let shifted = hunk.has_wrong_line_inside() && whole.iter().any(matches);
                (elsewhere || shifted) && !before.is_empty()
            })
        })
    }

    /// Returns whether the spoiled response still says where each hunk belongs: its search text has one match, if
    /// whitespace and look-alikes are ignored and misquoted lines match any line, and its replacement is not there
    /// already.
    pub(crate) fn is_clear(&self) -> bool {
        if self.unsure {
            return false;
        }
        let Some(right) = self.right() else { return false };
        self.sources.iter().all(|(path, source)| {
            let texts =
                [self.tree.get(source), right.get(path)].map(|text| text.map(|text| normal_lines(text)));
            let [Some(before), Some(after)] = texts else { return false };
            self.hunks_of(path).iter().all(|(site, hunk)| {
                let site = before.iter().position(|(line, _)| line >= site).unwrap_or(0);
                is_clear(hunk, &before, &after, site)
            })
        })
    }
}

/// The lines of a text that are not blank, normalized, with their numbers.
fn normal_lines(text: &[u8]) -> Vec<(usize, String)> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(normal).enumerate().filter(|(_, line)| !line.is_empty()).collect()
}

/// A line without whitespace, and with plain characters for typographic ones.
fn normal(line: &str) -> String {
    let plain = |c: char| match c {
        '‘' | '’' | '‚' | '‛' => '\'',
        '“' | '”' | '„' | '‟' => '"',
        '‐'..='―' | '−' => '-',
        _ => c,
    };
    line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').map(plain).collect()
}

/// What a line of a response matches.
#[derive(PartialEq)]
enum Wanted {
    Text(String),
    /// Any one line.
    Line,
    /// Any number of lines.
    Lines,
}

fn is_clear(hunk: &Hunk, before: &[(usize, String)], after: &[(usize, String)], site: usize) -> bool {
    let wanted = |side: Side| -> Vec<Wanted> {
        let lines =
            hunk.lines.iter().filter(|line| !line.left_out && (line.side == Side::Kept || line.side == side));
        let wanted = lines.map(|line| {
            let text = if side == Side::Added { &line.after } else { &line.before };
            match line {
                Line { is_elision: true, .. } => Wanted::Lines,
                // If only the search text misquotes the line, the replacement has it right.
                Line { misquoted: true, .. } if side == Side::Removed || line.after == line.before => {
                    Wanted::Line
                }
                _ => Wanted::Text(normal(text)),
            }
        });
        wanted.filter(|wanted| *wanted != Wanted::Text(String::new())).collect()
    };
    let (old, new) = (wanted(Side::Removed), wanted(Side::Added));
    if old.is_empty() || old == new {
        return old.is_empty() && before.is_empty();
    }
    let elides = old.contains(&Wanted::Lines);
    // With an elision, it is unknown how far the replacement reaches.
    let covers_site = |at: usize| elides || at <= site && site + old.len() <= at + new.len();
    places(before, &old) == [site]
        && places(after, &old).len() <= 1
        && !places(before, &new).into_iter().any(covers_site)
}

/// Returns where lines match in a file. With an elision, each match of the lines above it is returned once for each
/// match of the lines below it, because both must have only one match in the file.
fn places(file: &[(usize, String)], wanted: &[Wanted]) -> Vec<usize> {
    let gap = wanted.iter().position(|wanted| *wanted == Wanted::Lines);
    let (head, tail) = gap.map_or((wanted, None), |gap| (&wanted[..gap], Some(&wanted[gap + 1..])));
    let places_of = |wanted: &[Wanted]| -> Vec<usize> {
        let is = |(there, wanted): (&(usize, String), &Wanted)| match wanted {
            Wanted::Text(text) => *text == there.1,
            Wanted::Line | Wanted::Lines => true,
        };
        let matches = |at: &usize| file[*at..].iter().zip(wanted).all(is);
        (0..(file.len() + 1).saturating_sub(wanted.len())).filter(matches).collect()
    };
    let heads = places_of(head);
    let Some(tail) = tail else { return heads };
    let tails = places_of(tail);
    heads.into_iter().flat_map(|at| std::iter::repeat_n(at, tails.len())).collect()
}
