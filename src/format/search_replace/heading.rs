//! Which file a block is about, and why: read from the lines above it.

use super::name::{Said, mentioned};
use crate::edit::Target;
use crate::format::code;
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, trim};
use crate::format::why;

/// How many lines of text that say nothing of the file may stand between it and the block, one excepted: a heading
/// with `File:` counts at any distance.
const NEAR: usize = 3;
/// How many paths that prose names are candidates, and how long they may be.
const CANDIDATES: usize = 10;
const LONGEST: usize = 400;
/// How many lines of prose are kept for the reason.
const PROSE: usize = 100;

/// What stands above a block.
pub(super) struct Heading {
    /// The path of the nearest heading that says that it is one (`### File: path`).
    pub(super) explicit: Option<Target>,
    /// The path on a line of its own, or in the fence's info, that is nearest to the block.
    pub(super) bare: Option<Bare>,
    /// The only file of a line right above the block that says nothing more, as in `a.py (line 2):`.
    pub(super) beside: Option<String>,
    /// Why, if a line says that it is the reason; for all blocks under the heading.
    pub(super) reason: Option<String>,
    /// What headings and the last paragraph of the prose say, where no path is named.
    pub(super) about: Vec<String>,
    /// The paths in backticks in the paragraph right above the block.
    pub(super) quoted: Vec<Target>,
    /// The prose between the heading and the block; of several paragraphs without a heading the last.
    pub(super) prose: Option<String>,
}

/// A path without the word that it is one.
pub(super) struct Bare {
    pub(super) path: Target,
    /// Whether it stands right above the block or its fence, and in no list.
    pub(super) is_near: bool,
}

/// The lines between a heading and its block, gathered upward.
#[derive(Default)]
struct Between<'r> {
    /// The nearest first; a run of blank lines is one.
    prose: Vec<&'r str>,
    /// For every fence without info, how many lines of prose are below it.
    fences: Vec<usize>,
    reason: Option<String>,
}

impl Heading {
    /// Reads what stands above the line of the cursor, up to `floor`, where the last block ended.
    pub(super) fn above(cursor: &Cursor<'_>, floor: usize) -> Self {
        let mut between = Between::default();
        let mut texts = 0;
        let (mut word, mut beside) = (None, None);
        let mut lines = cursor.above().take_while(|line| line.start >= floor).peekable();
        let (mut explicit, mut bare) = (None, None);
        // Whether the fence around the block opens above all lines so far.
        let mut fenced = cursor.fence().is_some();
        let holds = cursor.heading.is_some()
            || lines.clone().any(|line| matches!(Said::of(line.text), Said::File(_)));
        while explicit.is_none() && bare.is_none() {
            let Some(line) = lines.next() else { break };
            let found =
                |path| Bare { path: target(cursor, line, path), is_near: texts == 0 && !is_item(line.text) };
            if let Some(fence) = Fence::of(line.text) {
                fenced = false;
                if between.pass(fence) && texts < NEAR {
                    bare = Said::of_info(fence.info).map(found);
                }
            } else if line.is_blank() {
                between.push("");
            } else {
                match Said::of(line.text) {
                    Said::File(path) => explicit = Some(target(cursor, line, path)),
                    // An explicit heading is not overruled by a path that a list or prose names.
                    Said::Path(path) if texts < NEAR && (!holds || found(path).is_near) => {
                        bare = Some(found(path));
                    }
                    Said::Reason(text) => between.take_reason(text),
                    said => {
                        let mut is_listed =
                            || is_item(line.text) && lines.peek().is_some_and(|line| !line.is_blank());
                        if texts == 0 && !is_listed() {
                            beside = only_file(line.text);
                        }
                        if let Said::Word(path) = said
                            && texts == 0
                        {
                            word = Some(Bare { is_near: false, ..found(path) });
                        }
                        texts += 1;
                        between.push(trim(line.text));
                    }
                }
            }
        }
        let found = explicit.is_some() || bare.is_some();
        // The reason may stand right above the heading too.
        if found
            && between.reason.is_none()
            && let Some(Said::Reason(text)) = lines.peek().map(|line| Said::of(line.text))
        {
            between.reason = Some(text.to_owned());
        }
        let Between { prose, reason, .. } = between;
        let about = if found || word.is_some() { Vec::new() } else { about(&prose) };
        let quoted = if found { Vec::new() } else { quoted(cursor, floor) };
        let prose = match (found, &word) {
            (true, _) => paragraphs(&prose).or_else(|| {
                let lines = lines.clone().map(|line| line.text);
                why::above(lines, fenced)
            }),
            (false, Some(_)) => None,
            (false, None) => {
                let lines = cursor.above().take_while(|line| line.start >= floor);
                why::above(lines.map(|line| line.text), cursor.fence().is_some())
            }
        };
        if explicit.is_none() {
            // A heading higher up still holds.
            let said = lines.find_map(|line| match Said::of(line.text) {
                Said::File(path) => Some(target(cursor, line, path)),
                _ => None,
            });
            explicit = said;
        }
        let reason = reason.as_deref().and_then(why::joined);
        Self {
            explicit,
            bare: bare.or(word),
            beside: beside.map(str::to_owned),
            reason,
            about,
            quoted,
            prose,
        }
    }
}

/// The only file that a line names, if it says nothing more.
fn only_file(line: &str) -> Option<&str> {
    let mut files = mentioned(line);
    let file = files.next()?;
    let says_more = || why::says_something(&why::plain(trim(line.trim_start_matches('#'))));
    (files.all(|other| other == file) && !says_more()).then_some(file)
}

/// Whether a line is an item of a list.
fn is_item(line: &str) -> bool {
    let text = trim(line);
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '*' | '+'))
        && text.contains([' ', '\t'])
}

/// The paths in backticks in the paragraph right above the block.
fn quoted(cursor: &Cursor<'_>, floor: usize) -> Vec<Target> {
    let lines = cursor.above().take_while(|line| line.start >= floor);
    let lines = lines.skip_while(|line| line.is_blank() || Fence::of(line.text).is_some());
    let lines = lines.take(PROSE).take_while(|line| !line.is_blank() && Fence::of(line.text).is_none());
    let of_line = |line: Line<'_>| {
        let spans = code::spans(line.text).filter_map(|span| {
            let path = trim(line.text[span].trim_matches('`'));
            (!path.trim().is_empty() && path.len() <= LONGEST).then(|| target(cursor, line, path))
        });
        spans.collect::<Vec<_>>()
    };
    lines.flat_map(of_line).take(CANDIDATES).collect()
}

impl<'r> Between<'r> {
    fn push(&mut self, line: &'r str) {
        if self.prose.len() < PROSE
            && !(line.is_empty() && self.prose.last().is_some_and(|last| last.is_empty()))
        {
            self.prose.push(line);
        }
    }

    /// Goes over a fence, upward; whether it opens a block of code that is still open at the bottom. What stands in one
    /// that was closed is no prose.
    fn pass(&mut self, fence: Fence<'_>) -> bool {
        if fence.info.is_empty() {
            if self.fences.len() < PROSE {
                self.fences.push(self.prose.len());
            }
            return false;
        }
        match self.fences.pop() {
            Some(below) => {
                self.prose.truncate(below);
                false
            }
            None => true,
        }
    }

    /// Takes a reason and the lines that go on with it.
    fn take_reason(&mut self, text: &str) {
        if self.reason.is_some() {
            return;
        }
        let below = self.prose.iter().rev().take_while(|line| !line.is_empty()).copied();
        let lines: Vec<&str> = std::iter::once(text).chain(below).collect();
        self.reason = Some(lines.join("\n").trim().to_owned());
    }
}

/// Of lines gathered upward the headings and the last paragraph.
fn about(prose: &[&str]) -> Vec<String> {
    let last = prose.iter().skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let headings = prose.iter().filter(|line| line.starts_with(['#', '*']));
    last.chain(headings).map(|line| (*line).to_owned()).collect()
}

/// The paragraphs of lines gathered upward that say something.
fn paragraphs(lines: &[&str]) -> Option<String> {
    let mut lines: Vec<&str> = lines.iter().map(|line| trim(line.trim_start_matches('#'))).collect();
    lines.reverse();
    let paragraphs = lines.split(|line| line.is_empty()).map(|lines| lines.join("\n"));
    let saying: Vec<String> = paragraphs.filter(|text| why::says_something(&why::plain(text))).collect();
    why::joined(&why::plain(&saying.join("\n\n")))
}

/// The path that is a part of a line.
fn target(cursor: &Cursor<'_>, line: Line<'_>, path: &str) -> Target {
    let start = line.start + (path.as_ptr() as usize - line.text.as_ptr() as usize);
    Target { raw: path.to_owned(), root: None, span: cursor.span(start, start + path.len()) }
}
