//! Which file a block is about, and why: read from the lines above it.

use super::name::Said;
use crate::edit::Target;
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, trim};
use crate::format::why;

/// How many lines of text that say nothing of the file may stand between it and the block, one excepted: a heading
/// with `File:` counts at any distance.
const NEAR: usize = 3;
/// How many lines of prose are kept for the reason.
const PROSE: usize = 100;

/// What stands above a block.
pub(super) struct Heading {
    /// The path, if one is named there.
    pub(super) path: Option<Target>,
    /// Why, if a line says that it is the reason; for all blocks under the heading.
    pub(super) reason: Option<String>,
    /// What headings and the last paragraph of the prose say, where no path is named.
    pub(super) about: Vec<String>,
    /// The prose between the heading and the block; of several paragraphs without a heading the last.
    pub(super) prose: Option<String>,
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
        let mut word = None;
        let mut lines = cursor.above().take_while(|line| line.start >= floor).peekable();
        let mut found = None;
        while let Some(line) = lines.next() {
            if let Some(fence) = Fence::of(line.text) {
                if between.pass(fence) && texts < NEAR && found.is_none() {
                    found = Said::of_info(fence.info).map(|path| target(cursor, line, path));
                }
            } else if line.is_blank() {
                between.push("");
            } else {
                match Said::of(line.text) {
                    Said::File(path) => found = Some(target(cursor, line, path)),
                    Said::Path(path) if texts < NEAR => found = Some(target(cursor, line, path)),
                    Said::Reason(text) => between.take_reason(text),
                    said => {
                        if let Said::Word(path) = said
                            && texts == 0
                        {
                            word = Some(target(cursor, line, path));
                        }
                        texts += 1;
                        between.push(trim(line.text));
                    }
                }
            }
            if found.is_some() {
                break;
            }
        }
        // The reason may stand right above the heading too.
        if found.is_some()
            && between.reason.is_none()
            && let Some(Said::Reason(text)) = lines.peek().map(|line| Said::of(line.text))
        {
            between.reason = Some(text.to_owned());
        }
        let Between { prose, reason, .. } = between;
        let about = if found.is_some() || word.is_some() { Vec::new() } else { about(&prose) };
        let above = |lines: &mut dyn Iterator<Item = Line<'_>>, fenced| why::above(lines.map(|line| line.text), fenced);
        let prose = match (&found, &word) {
            (Some(_), _) => paragraphs(&prose).or_else(|| above(&mut lines, false)),
            (None, Some(_)) => None,
            (None, None) => {
                let mut lines = cursor.above().take_while(|line| line.start >= floor);
                above(&mut lines, cursor.fence().is_some())
            }
        };
        let reason = reason.as_deref().and_then(why::joined);
        Self { path: found.or(word), reason, about, prose }
    }
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
    let saying: Vec<String> = paragraphs.filter(|text| why::says_something(text)).collect();
    why::joined(why::plain(&saying.join("\n\n")))
}

/// The path that is a part of a line.
fn target(cursor: &Cursor<'_>, line: Line<'_>, path: &str) -> Target {
    let start = line.start + (path.as_ptr() as usize - line.text.as_ptr() as usize);
    Target { raw: path.to_owned(), root: None, span: cursor.span(start, start + path.len()) }
}
