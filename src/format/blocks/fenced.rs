//! Reads fences: whether they contain edits, and what in them is not read.

use super::{Gap, PROSE, Reader};
use crate::edit::{Candidate, CodeBlock, FenceState};
use crate::format::document::{Block, BlockKind, lift};
use crate::format::fence::{Fence, is_markdown};
use crate::format::scan::{Cursor, Line};
use crate::format::{code, file};
use crate::span::Span;

impl<'r> Reader<'r> {
    /// Reads a fence; returns whether it contains edits.
    pub(super) fn read_fence(
        &mut self,
        cursor: &mut Cursor<'r>,
        line: Line<'r>,
        fence: Fence<'r>,
        depth: u32,
    ) -> bool {
        let outer = (cursor.margin(), cursor.fence());
        let (first, lengths, region) = (self.blocks.len(), self.out.lengths(), self.region);
        cursor.set_indent();
        let mut above = self.above.clone();
        let language = language(fence.info);
        let is_code = !language.is_empty() && !PROSE.contains(&language);
        self.above.enter(line, fence.info, is_code);
        cursor.advance();
        self.outer.extend(outer.1);
        cursor.set_fence(Some(fence));
        let nests = self.nests && outer.1.is_none_or(|open| !fence.may_close(open));
        let inside = cursor.mark();
        let start = cursor.at();
        let mut summary = self.read_blocks(cursor, depth + 1);
        if cursor.is_end() && !summary.is_closed && nests && summary.nested.is_some() {
            // An inner fence has no end, so inner fences are text: the fence is read again without them.
            self.nests = false;
            self.restore(first, lengths);
            (self.region, self.above) = (region, above.saved());
            self.above.enter(line, fence.info, is_code);
            cursor.reset(inside);
            summary = self.read_blocks(cursor, depth + 1);
        }
        let close = cursor.line().filter(|line| !summary.is_closed && !self.closes_outer(cursor, *line));
        let end = close.map_or(cursor.at(), |line| line.start);
        let text = cursor.payload(start, end);
        let span = cursor.span(line.start, close.map_or(end, Line::end));
        let is_prose = PROSE.contains(&language) && summary.has_text;
        if !is_prose {
            let is_direct = |block: &&mut Block| {
                (block.is_region() || matches!(block.kind, BlockKind::Other)) && block.depth == depth + 1
            };
            self.blocks[first..].iter_mut().filter(is_direct).for_each(|block| block.level = depth);
        }
        let inside = &mut self.blocks[first..];
        let has_regions = inside.iter().any(Block::is_region);
        let is_pure = has_regions && !summary.has_text && !summary.has_code;
        if depth == 0 && is_pure {
            // It contains only edits, some in fences of their own.
            lift(inside);
        }
        let holds_edits = inside.iter().any(|block| block.is_region() && block.level <= depth);
        if !holds_edits {
            if !(has_regions || depth == 0 && PROSE.contains(&language)) {
                self.blocks.truncate(first);
            }
            self.above = above.saved();
            above.enter(line, fence.info, is_code);
            let files = above.files_of_block(!file::has_line_numbers(fence.info));
            let is_part = above.is_part();
            let goes_on = || close.and_then(|close| may_go_on(cursor, close, language, &files));
            let state = match (close.is_some() || summary.is_closed, summary.nested.or_else(goes_on)) {
                (false, _) => FenceState::Unclosed,
                (true, Some(nested)) => FenceState::Unclear(nested),
                (true, None) => FenceState::Closed,
            };
            let (language, is_snippet, why) = (language.to_owned(), self.snippets, self.above.why());
            let block =
                CodeBlock { language, state, is_part, is_snippet, why, ..self.code_block(span, files, text) };
            self.keep_code_block(cursor, block, (start, end), depth);
        } else {
            // Code beside the edits is not read, nor are edits in a fence there.
            let is_code =
                |block: &&mut Block| matches!(block.kind, BlockKind::Fence(_)) && block.depth == depth + 1;
            inside
                .iter_mut()
                .filter(is_code)
                .for_each(|block| (block.kind, block.level) = (BlockKind::Other, depth));
            let shown = inside.iter().filter(|block| block.is_region() && block.level > depth);
            let shown: Vec<Span> = shown.map(|block| block.span).collect();
            self.note_rest(cursor, first, (start, end), depth);
            shown.into_iter().for_each(|span| self.add(BlockKind::Other, span, depth));
            self.above.leave();
            self.gap = self.gap.max(Gap::Files);
        }
        if close.is_some() {
            cursor.advance();
        }
        cursor.set_fence(outer.1);
        cursor.set_margin(outer.0);
        self.outer.truncate(self.outer.len() - usize::from(outer.1.is_some()));
        holds_edits
    }

    /// Notes the text in a fence behind its last edit as not read; its blocks begin at a number.
    pub(super) fn note_rest(
        &mut self,
        cursor: &Cursor<'r>,
        first: usize,
        (start, end): (usize, usize),
        depth: u32,
    ) {
        let inside = &self.blocks[first..];
        let Some(last) = inside.iter().rposition(Block::is_region) else { return };
        // What is a block has a note of its own.
        let end = inside.get(last + 1).map_or(end, |next| end.min(next.span.start as usize));
        let range = inside[last].span.range();
        let rest = self.response.text().get(range.end.min(end)..end).unwrap_or("").trim_start();
        let above = self.response.text().get(start..range.start).unwrap_or("");
        let rest = code::heredoc_end(above).and_then(|word| rest.strip_prefix(word)).unwrap_or(rest);
        let rest = rest.trim_start();
        if rest.contains(char::is_alphanumeric) {
            let start = end - rest.len();
            self.add(BlockKind::Other, cursor.span(start, start + rest.trim_end().len()), depth);
        }
    }

    /// Whether a line closes an outer fence that is longer than the current one or has another mark.
    pub(super) fn closes_outer(&self, cursor: &Cursor<'r>, line: Line<'r>) -> bool {
        let (Some(inner), false) = (cursor.fence(), self.outer.is_empty()) else { return false };
        let Some(fence) = Fence::of(line.text) else { return false };
        let holds = |outer: &&Fence<'r>| outer.mark != inner.mark || outer.length > inner.length;
        self.outer.iter().filter(holds).any(|outer| fence.closes(*outer))
    }
}

/// The closing line of a Markdown fence, if it may also open an inner fence: text is right below it, and the next
/// fence line has no info string either.
fn may_go_on<'r>(cursor: &Cursor<'r>, close: Line<'r>, language: &str, files: &[Candidate]) -> Option<Span> {
    let is_markdown = ["markdown", "md", "mdx"].contains(&language)
        || files.iter().any(|file| file.by.is_whole() && is_markdown(&file.path.raw));
    let mut below = cursor.lines().skip(1).peekable();
    if !is_markdown || below.peek().is_none_or(|line| line.is_blank() || Fence::of(line.text).is_some()) {
        return None;
    }
    let next = below.find_map(|line| Fence::of(line.text))?;
    next.info.is_empty().then(|| cursor.span_of(close))
}

/// The first word of an info string; empty if it is a path.
pub(super) fn language(info: &str) -> &str {
    let word = info.split([' ', '\t', ':', ',', '{']).next().unwrap_or("");
    if file::is_path(word) { "" } else { word }
}
