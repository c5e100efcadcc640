//! A response, the files that it is for, and what they have to become: worked out by splicing lines at places that are known
//! beforehand, without any of the library's searching.

use crate::answer::{Answer, Hunk, Line, Side};
use crate::history::Commit;
use crate::writing::render;
use git_llm_apply::format::FormatId;
use std::collections::{BTreeMap, BTreeSet};

/// Files by path.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A file as lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) bom: bool,
    /// Each with its ending; only the last one's may be empty.
    pub(crate) lines: Vec<(String, &'static str)>,
}

impl File {
    /// None for what is no text.
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

    /// Where lines stand, one after the other.
    pub(crate) fn places(&self, lines: &[&str]) -> Vec<usize> {
        let stands = |at: &usize| self.lines[*at..].iter().zip(lines).all(|(there, line)| there.0 == *line);
        (0..(self.lines.len() + 1).saturating_sub(lines.len().max(1))).filter(stands).collect()
    }
}

/// A response and what it is for.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) answer: Answer,
    /// The response is written with CRLF.
    pub(crate) crlf: bool,
    /// The files that it is applied to.
    pub(crate) tree: Tree,
    /// What the files without hunks become.
    others: Tree,
    /// The path in `tree` of each file that has hunks.
    pub(crate) sources: BTreeMap<String, String>,
    /// For each hunk the line of its file, from 0, at which its quoted lines begin.
    pub(crate) sites: Vec<usize>,
    /// The response itself does not say where something belongs: made right or refused, both are right.
    pub(crate) unsure: bool,
}

impl Case {
    /// A commit in a format; none if the format cannot express it, or if the response holds lines that cannot be told
    /// from its own.
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
        // What the commit made is what the splicing must make.
        (case.right()? == after).then_some(case)
    }

    /// Where the hunks of a response that quotes its files to the letter stand; none if one stands nowhere or twice.
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

    /// The file that a path's hunks are for.
    pub(crate) fn file(&self, path: &str) -> Option<File> {
        File::read(self.tree.get(self.sources.get(path)?)?)
    }

    /// Changes the file that a path's hunks are for.
    pub(crate) fn set_file(&mut self, path: &str, file: &File) {
        if let Some(source) = self.sources.get(path) {
            self.tree.insert(source.clone(), file.bytes());
        }
    }

    /// The hunks of a file with the lines where they stand, by line.
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

    /// What the files have to become; none if a hunk stands beyond its file.
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
                        // Two texts say nothing of the last line's newline, and a diff does.
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

    /// Whether what a hunk quotes, as it is written now, is to the letter what stands at another place and nowhere else:
    /// then that place is what the response means. Likewise if with a blank line more or less it is to the letter what
    /// stands at its own place, but for a blank line at its end: then its lines stand for others there.
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
                let stands = |lines: &&[&str]| !lines.is_empty() && file.places(lines).contains(site);
                let shifted = hunk.has_blank_amiss() && whole.iter().any(stands);
                (elsewhere || shifted) && !before.is_empty()
            })
        })
    }

    /// Whether the response, as it is written, still says of each hunk where it belongs: what it quotes stands once, blanks
    /// and look-alikes aside and whatever its misquoted lines may mean, and what it makes does not stand there already.
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

/// The lines of a text that are not blank: the number of each, and what of it counts.
fn normal_lines(text: &[u8]) -> Vec<(usize, String)> {
    let text = String::from_utf8_lossy(text);
    text.lines().map(normal).enumerate().filter(|(_, line)| !line.is_empty()).collect()
}

/// A line without blanks, typographic characters as plain ones.
fn normal(line: &str) -> String {
    let plain = |c: char| match c {
        '‘' | '’' | '‚' | '‛' => '\'',
        '“' | '”' | '„' | '‟' => '"',
        '‐'..='―' | '−' => '-',
        _ => c,
    };
    line.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').map(plain).collect()
}

/// What a line of a response stands for.
#[derive(PartialEq)]
enum Wanted {
    Text(String),
    /// One line, whatever it is.
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
                Line { stands_for_any: true, .. } => Wanted::Lines,
                // The text after has it right where only the text before has it wrong.
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
    // With lines elided there is no telling how far what is made goes.
    let made = |at: usize| elides || at <= site && site + old.len() <= at + new.len();
    places(before, &old) == [site]
        && places(after, &old).len() <= 1
        && !places(before, &new).into_iter().any(made)
}

/// Where lines stand in a file: once for each place of those above elided ones, and of those behind them, which have to
/// match one place in the whole file.
fn places(file: &[(usize, String)], wanted: &[Wanted]) -> Vec<usize> {
    let gap = wanted.iter().position(|wanted| *wanted == Wanted::Lines);
    let (head, tail) = gap.map_or((wanted, None), |gap| (&wanted[..gap], Some(&wanted[gap + 1..])));
    let places_of = |wanted: &[Wanted]| -> Vec<usize> {
        let is = |(there, wanted): (&(usize, String), &Wanted)| match wanted {
            Wanted::Text(text) => *text == there.1,
            Wanted::Line | Wanted::Lines => true,
        };
        let stands = |at: &usize| file[*at..].iter().zip(wanted).all(is);
        (0..(file.len() + 1).saturating_sub(wanted.len())).filter(stands).collect()
    };
    let heads = places_of(head);
    let Some(tail) = tail else { return heads };
    let tails = places_of(tail);
    heads.into_iter().flat_map(|at| std::iter::repeat_n(at, tails.len())).collect()
}
