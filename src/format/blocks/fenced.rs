//! Reads fences: whether they contain edits, and what in them is not read.

use super::{Gap, PROSE, Reader, Summary};
use crate::edit::{Candidate, CodeBlock, FenceState, FormatId, Op};
use crate::format::document::{Block, BlockKind};
use crate::format::fence::{Fence, Pairs, is_deep, is_markdown};
use crate::format::scan::{Cursor, Line, Margin};
use crate::format::{code, diff, fault, file};
use crate::span::Span;
use crate::text::{Language, extension};

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
        let above = self.above.clone();
        let language = language(fence.info);
        let is_code = !language.is_empty() && !PROSE.contains(&language);
        self.above.enter(line, fence.info, is_code);
        // Line numbers, as in `12:15:src/a.rs`, are of a part of the file.
        let files = self.above.files_of_block(!fence.info.starts_with(|c: char| c.is_ascii_digit()));
        let is_part = self.above.is_part();
        cursor.advance();
        // Models sometimes write the opening line twice, and then sometimes the closing line, too.
        let is_doubled = is_code && cursor.line().is_some_and(|next| Fence::of(next.text) == Some(fence));
        if is_doubled {
            cursor.advance();
        }
        // The fence line may be indented further than the text of its list item, to which the code is indented.
        if let Margin { quotes: 0, blanks } = cursor.margin()
            && let Some(item) = self.item.and_then(|item| blanks.get(..item))
            && let Some(first) = cursor.lines().find(|line| !line.is_blank())
            && first.margin_start.is_some_and(|at| (item.len()..blanks.len()).contains(&(first.start - at)))
        {
            cursor.set_margin(Margin { quotes: 0, blanks: item });
        }
        self.outer.extend(outer.1);
        let is_code_file = |path: &str| extension(path).is_some() && !is_markdown(path);
        let fence = Fence { is_code: is_code || file::own_paths(&files).any(is_code_file), ..fence };
        cursor.set_fence(Some(fence));
        let nests = self.nests_equal_fences && outer.1.is_none_or(|open| !fence.may_close(open));
        let inside = cursor.mark();
        let head = cursor.lines().take(2).find(|line| !file::is_preamble(line.text));
        let (start, head) = (cursor.at(), head.unwrap_or(line));
        let mut summary = self.read_blocks(cursor, depth + 1);
        if cursor.is_end() && !summary.is_closed && nests && summary.nested.is_some() {
            // An inner fence has no end, so inner fences are text: the fence is read again without them.
            self.nests_equal_fences = false;
            self.restore(first, lengths);
            (self.region, self.above) = (region, above.saved());
            self.above.enter(line, fence.info, is_code);
            cursor.reset(inside);
            summary = Summary { nested: summary.nested, ..self.read_blocks(cursor, depth + 1) };
        }
        let close = cursor.line().filter(|line| !summary.is_closed && !self.closes_outer(cursor, *line));
        let end = close.map_or(cursor.at(), |line| line.start);
        let text = cursor.payload(start, end);
        let span = cursor.span(line.start, close.map_or(end, Line::end));
        let is_prose = PROSE.contains(&language);
        let is_example =
            (is_prose || summary.has_text) && self.is_file_with_edits(first, &files, language, &text);
        let is_document = is_example || is_prose && summary.has_text;
        if !is_document {
            let is_direct = |block: &&mut Block| {
                (block.is_region() || matches!(block.kind, BlockKind::Other)) && block.depth == depth + 1
            };
            self.blocks[first..].iter_mut().filter(is_direct).for_each(|block| block.level = depth);
        }
        let inside = &mut self.blocks[first..];
        let has_regions = inside.iter().any(Block::is_region);
        let is_pure = has_regions && !summary.has_text && !summary.has_code;
        if depth == 0 && is_pure && !is_document {
            // It contains only edits, some in fences of their own.
            inside.iter_mut().for_each(|block| block.level = block.level.saturating_sub(1));
        }
        let holds_edits = inside.iter().any(|block| block.is_region() && block.level <= depth);
        if !holds_edits {
            if depth == 0 && has_regions && close.is_none() && !summary.is_closed {
                // The edits in it may be meant as edits of the response.
                self.out.fault(fault::unclear_fence(cursor.span_of(line)));
            }
            if !(has_regions || depth == 0 && is_prose) {
                self.blocks.truncate(first);
            }
            self.above = above.saved();
            // The edits in a fence of code may be meant as edits, so the fence is not taken for a whole file.
            let is_part = is_part || is_example && !is_prose;
            let unclear = || close.and_then(|close| unclear_close(cursor, close));
            let state = match (close.is_some() || summary.is_closed, summary.nested.or_else(unclear)) {
                (false, _) => FenceState::Unclosed,
                (true, Some(nested)) => FenceState::Unclear(nested),
                (true, None) => FenceState::Closed,
            };
            let is_snippet = self.reading.asks_for(FormatId::Snippet);
            let (language, why) = (language.to_owned(), self.above.why());
            let block =
                CodeBlock { language, state, is_part, is_snippet, why, ..self.code_block(span, files, text) };
            self.keep_code_block(block, head, depth);
        } else {
            // Inner fences with code, or with edits that are only shown, are not read. If such a fence names a file,
            // the fence around the edits may have lost its closing line.
            for block in inside.iter_mut().filter(|block| block.depth == depth + 1) {
                let BlockKind::Fence(given) = &mut block.kind else { continue };
                block.level = depth;
                match summary.nested.filter(|_| file::own_paths(&given.candidates).next().is_some()) {
                    Some(nested) => given.state = FenceState::Unclear(nested),
                    None => block.kind = BlockKind::Other,
                }
            }
            let shown = inside.iter().filter(|block| block.is_region() && block.level > depth);
            let shown: Vec<Span> = shown.map(|block| block.span).collect();
            // The closing line is missing. The edits in inner fences may be meant as edits of the response. Or a fence
            // line that was read as the opening line of an inner fence is the closing line.
            let has_no_end = close.is_none() && !summary.is_closed && (!shown.is_empty() || summary.has_code);
            // The opening line of the fence of another file is between two edits, so a closing line is missing.
            let opens_next = summary.nested.filter(|nested| {
                let fence = Fence::of(self.response.slice(*nested).trim_start());
                let mut edits = inside.iter().filter(|block| block.is_region()).map(|block| block.span.start);
                fence.is_some_and(|fence| file::path_info(fence.info).is_some())
                    && edits.next().is_some_and(|first| first < nested.start)
                    && edits.any(|start| start > nested.start)
            });
            if let Some(nested) = opens_next {
                // The edits below it may be for another file.
                for block in inside.iter_mut().filter(|block| block.span.start > nested.start) {
                    if let BlockKind::Region { edits, .. } = &mut block.kind {
                        self.out.script.edits.truncate(edits.start);
                        *edits = self.out.script.edits.len()..self.out.script.edits.len();
                    }
                }
            }
            let unclear = opens_next.or(has_no_end.then(|| cursor.span_of(line)));
            if let Some(unclear) = unclear.filter(|_| self.out.lengths().1 == lengths.1) {
                self.out.fault(fault::unclear_fence(unclear));
            }
            self.report_unread_text(cursor, first, (start, end), depth, is_code && !diff::is_diff(fence));
            shown.into_iter().for_each(|span| self.add(BlockKind::Other, span, depth));
            self.above.leave();
            self.gap = self.gap.max(Gap::Files);
        }
        if close.is_some() {
            cursor.advance_past(|line| is_doubled && fence.is_closed_by(line));
        }
        cursor.set_fence(outer.1);
        cursor.set_margin(outer.0);
        self.outer.truncate(self.outer.len() - usize::from(outer.1.is_some()));
        holds_edits
    }

    /// Whether a fence has a file of its own, and contains edits only as examples: all its edits are for other files.
    /// A line, an info string or a comment names that file, or else the text right above, as its only path. `first` is
    /// the number of the fence's first block.
    fn is_file_with_edits(&self, first: usize, files: &[Candidate], language: &str, text: &str) -> bool {
        let comment = text.lines().next().and_then(file::path_comment).map(|found| found.path);
        // A label such as `Fix` or `Node.js` may not be a path.
        let is_sure = |path: &&str| {
            extension(path).is_some()
                && (path.contains(['/', '\\']) || !language.is_empty() && Language::is_called(language, path))
        };
        let mut own: Vec<&str> = file::own_paths(files).chain(comment).filter(is_sure).collect();
        let mentions = files.iter().filter(|file| !file.by.is_whole()).map(|file| file.path.raw.as_str());
        let mut mentions = mentions.filter(is_sure);
        if let (true, Some(only)) = (own.is_empty(), mentions.next()) {
            let is_only = Language::may_be_called(language, only) && mentions.all(|other| other == only);
            own.extend(is_only.then_some(only));
        }
        let is_own = |path: &str| own.iter().any(|own| path.is_empty() || file::may_be_same(own, path));
        let regions = self.blocks[first..].iter().filter_map(|block| match &block.kind {
            BlockKind::Region { edits, .. } => self.out.script.edits.get(edits.clone()),
            _ => None,
        });
        let mut edits = regions.flatten().peekable();
        !own.is_empty()
            && edits.peek().is_some()
            && edits.all(|edit| match &edit.op {
                Op::Rename { to, .. } | Op::Copy { to, .. } if is_own(&to.raw) => false,
                _ => !is_own(&edit.path.raw),
            })
    }

    /// Reports text in a fence that belongs to no edit as unread. In a fence of code, this is all text that does not
    /// name a file. In another fence, it is only the text after the last edit, because prose above edits is usual
    /// there. `first` is the number of the fence's first block.
    pub(super) fn report_unread_text(
        &mut self,
        cursor: &Cursor<'r>,
        first: usize,
        (start, end): (usize, usize),
        depth: u32,
        is_code: bool,
    ) {
        let whole = self.response.text();
        let blocks = self.blocks[first..].iter();
        let mut blocks: Vec<_> = blocks.map(|block| (block.span.range(), block.is_region())).collect();
        blocks.sort_by_key(|(range, _)| range.start);
        let Some(last) = blocks.iter().rposition(|(_, is_region)| *is_region) else { return };
        blocks.push((end..end, false));
        let span_of = |text: &str| {
            let start = text.as_ptr() as usize - whole.as_ptr() as usize;
            cursor.span(start, start + text.len())
        };
        let is_path_line = |line: &str| file::path_line(line).is_some_and(|path| path.is_sure());
        let (mut at, mut heredoc_end, mut unread, mut other_fence) = (start, None, Vec::new(), None);
        for (index, (block, _)) in blocks.into_iter().enumerate() {
            let text = whole.get(at..block.start.min(end)).unwrap_or("").trim();
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            let is_text = |line: &&str| {
                let is_around = code::heredoc_end(line).is_some() || heredoc_end == Some(line.trim());
                let is_name = is_path_line(line) || file::is_comment(line);
                line.contains(char::is_alphanumeric) && Fence::of(line).is_none() && !is_around && !is_name
            };
            if (is_code || index == last + 1) && lines.iter().any(is_text) {
                unread.push(span_of(text));
            }
            let begins_file = |pair: &&[&str]| is_path_line(pair[0]) && Fence::of(pair[1]).is_some();
            // If there is no other text, the path and the fence belong to the next edit.
            let file = lines
                .windows(2)
                .find(begins_file)
                .filter(|_| !self.nests_equal_fences && lines.iter().any(is_text));
            other_fence = other_fence.or(file.map(|pair| span_of(pair[1])));
            (heredoc_end, at) = (code::heredoc_end(text), at.max(block.end));
        }
        unread.into_iter().for_each(|span| self.add(BlockKind::Other, span, depth));
        // The fence of another file begins here, so the fence around the edits has lost its closing line.
        other_fence.into_iter().for_each(|line| self.out.fault(fault::unclear_fence(line)));
    }

    /// Whether a line closes an outer fence that is longer than the current one or has another mark.
    pub(super) fn closes_outer(&self, cursor: &Cursor<'r>, line: Line<'r>) -> bool {
        let (Some(inner), false) = (cursor.fence(), self.outer.is_empty()) else { return false };
        let Some(fence) = Fence::of(line.text) else { return false };
        let is_other = |outer: &&Fence<'r>| outer.mark != inner.mark || outer.length > inner.length;
        self.outer.iter().filter(is_other).any(|outer| fence.closes(*outer))
    }
}

/// Returns the closing line of a fence if it may instead open an inner fence: text is right below it, and the next
/// fence line has no info string either. The file of the fence then decides.
fn unclear_close<'r>(cursor: &Cursor<'r>, close: Line<'r>) -> Option<Span> {
    let mut below = cursor.lines().skip(1);
    below.next().filter(|line| !line.is_blank() && Fence::of(line.text).is_none())?;
    let next = below.find_map(|line| Fence::of(line.text))?;
    next.info.is_empty().then(|| cursor.span_of(close))
}

/// Whether this is the first deeply indented fence line in a fence of code.
pub(super) fn is_first_deep(open: Fence<'_>, line: Line<'_>) -> bool {
    open.has_pairs.is_none() && open.is_code && is_deep(line.text) && Fence::of(line.text).is_some()
}

/// Whether all deeply indented fence lines from here on are in pairs. Then they are content, for example of a doc
/// comment:
///
/// ````text
/// ```js
/// /**
///  * Example:
///     ```
///     f(1)
///     ```
///  */
/// ```
/// ````
///
/// If one has no partner, it closes the fence around the code, because models may indent that line wrongly. The search
/// ends at a fence line that is not indented deeply.
pub(super) fn begins_pairs(cursor: &Cursor<'_>) -> bool {
    let lines = cursor.lines().take_while(|line| is_deep(line.text) || Fence::of(line.text).is_none());
    Pairs::of(lines.filter(|line| is_deep(line.text))).unpaired.is_empty()
}

/// Returns the first word of an info string; empty if that is a path.
pub(super) fn language(info: &str) -> &str {
    let info = info.strip_prefix('{').map_or(info, |inside| inside.trim_start_matches('.'));
    let word = info.split([' ', '\t', ':', ',', '{', '}']).next().unwrap_or("");
    if file::is_path(word) { "" } else { word }
}
