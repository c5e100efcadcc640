//! Reads regions, and takes the files and reasons of their edits from the text around them.

use super::drafts::may_be_cut_off;
use super::{Gap, Reader};
use crate::edit::{Candidate, Clue, CodeBlock, Edit, FenceState, FormatId, Script, Target, Unnamed};
use crate::format::document::{Block, BlockKind};
use crate::format::fence::{is_deep, is_markdown};
use crate::format::file::NamedPath;
use crate::format::scan::{Cursor, Line};
use crate::format::{FORMATS, Format, diff, fault, file};
use crate::span::Span;

impl<'r> Reader<'r> {
    /// Parses the region at this line, if a format opens one.
    pub(super) fn read_region(&mut self, cursor: &mut Cursor<'r>, depth: u32) -> bool {
        let Some(line) = cursor.line() else { return false };
        // A diff in an indented code block is only shown.
        let is_code = !self.is_indented && cursor.fence().is_none() && is_deep(line.text);
        let above_code = is_code.then(|| self.above.saved());
        for format in FORMATS {
            // A hunk without numbers continues the diff above.
            let continues_diff = || format.id == FormatId::Diff && diff::is_hunk(cursor.text());
            if !((format.opens)(cursor) || continues_diff() && self.is_last_region(format.id)) {
                continue;
            }
            if format.id == FormatId::SearchReplace {
                let all = self.above.candidates();
                self.out.file = self.asked_path(&all).or(all.first().map(|file| file.path.raw.clone()));
            }
            let (edits, faults) = self.out.lengths();
            let fence_above = self.fence_right_above(line, depth);
            (format.parse)(cursor, &mut self.out);
            if cursor.at() == line.start && !cursor.is_end() {
                continue;
            }
            self.tag = None;
            let leftovers = std::mem::take(&mut self.out.leftovers);
            let is_empty = (edits, faults) == self.out.lengths();
            let kind = if is_empty {
                BlockKind::Empty(format.id)
            } else {
                self.attach(format, edits, faults, cursor.span_of(line));
                // The closing line of that fence may be meant as the opening line of this edit's fence, if there is one
                // fence line too many, or too few, above.
                if let Some(above) = fence_above {
                    self.out.script.edits.truncate(edits);
                    self.out.fault(fault::unclear_fence(above));
                }
                let to = self.out.lengths();
                BlockKind::Region { format: format.id, edits: edits..to.0, faults: faults..to.1 }
            };
            let span = cursor.span(line.start, cursor.at());
            if let Some(above) = above_code.filter(|_| format.id == FormatId::Diff) {
                self.add(BlockKind::Other, span, depth);
                self.blocks.push(Block { kind, span, depth: depth + 1, level: depth + 1 });
                (self.above, self.gap) = (above, Gap::Text);
                return true;
            }
            let leftovers = leftovers.into_iter().filter(|one| !is_empty && span.holds(*one));
            leftovers.for_each(|one| self.add(BlockKind::Other, one, depth));
            self.add(kind, span, depth);
            if !is_empty {
                self.gap = Gap::Blank;
                self.item = self.item.filter(|_| depth > 0 || !cursor.margin().blanks.is_empty());
                self.above.clear();
            }
            return true;
        }
        false
    }

    /// Returns the span of a fence without edits whose closing line is right above a line, if the last line of its text
    /// is the path of a file.
    fn fence_right_above(&self, line: Line<'_>, depth: u32) -> Option<Span> {
        let last = self.blocks.last().filter(|block| block.depth == depth)?;
        let BlockKind::Fence(code) = &last.kind else { return None };
        let between = self.response.text().get(last.span.end as usize..line.start)?;
        let names = code.text.trim_end().lines().next_back().and_then(file::path_line);
        let is_right_above = between.trim().is_empty() && between.matches('\n').count() <= 1;
        (is_right_above && names.is_some_and(|path| path.is_sure())).then_some(last.span)
    }

    /// Whether the last region is of this format.
    pub(super) fn is_last_region(&self, format: FormatId) -> bool {
        let last = self.blocks.iter().rev().find(|block| block.is_region());
        matches!(last, Some(Block { kind: BlockKind::Region { format: last, .. }, .. }) if *last == format)
    }

    /// Returns the path that the user names for blocks without one, unless a line, an info string or a heading names
    /// one of these candidates.
    fn asked_path(&self, candidates: &[Candidate]) -> Option<String> {
        self.reading.path.clone().filter(|_| !candidates.iter().any(Candidate::is_named))
    }

    /// Returns the file that the text above names most clearly.
    fn file_above(&self) -> Option<Target> {
        self.above.candidates().into_iter().next().map(|file| file.path)
    }

    /// Gives the edits of a region the region's number, and their files and reasons.
    fn attach(&mut self, format: &Format, edits: usize, faults: usize, opening: Span) {
        let may_continue = match format.id {
            FormatId::SearchReplace => self.gap <= Gap::Files,
            FormatId::Opx | FormatId::EditCalls => self.gap == Gap::Blank,
            _ => false,
        };
        if !(may_continue && self.is_last_region(format.id)) {
            self.region += 1;
        }
        let is_whole = self.out.script.diagnostics.len() == faults;
        let mut at = edits;
        while let Some(edit) = self.out.script.edits.get_mut(at) {
            edit.region = self.region;
            if edit.path.raw.is_empty() && !self.name_file(at) {
                self.out.script.edits.remove(at);
                self.out.fault(fault::no_path(opening));
            } else {
                at += 1;
            }
        }
        let Script { edits: all, unnamed, message, .. } = &mut self.out.script;
        let new = all.get_mut(edits..).unwrap_or_default();
        // The prose above a patch is about all its sections. In other formats it is about the first edit.
        let is_patch = matches!(format.id, FormatId::ApplyPatch | FormatId::Diff);
        let below = if is_patch { new.len() } else { new.len().min(1) };
        if is_whole && message.is_none() && new[..below].iter().any(|edit| edit.why.is_none()) {
            let why = self.above.why().filter(|why| !new[..below].iter().any(|edit| edit.path.raw == *why));
            let without = new[..below].iter_mut().filter(|edit| edit.why.is_none());
            without.for_each(|edit| edit.why.clone_from(&why));
        }
        let last = new.last();
        let is_undecided =
            last.is_some_and(|last| unnamed.last().is_some_and(|unnamed| unnamed.edit == last.span));
        let last = last.map(|last| last.path.clone()).or_else(|| self.file_above());
        self.above.set_previous(last, !is_undecided);
    }

    /// Gives an edit without a path the file that the text around it names; returns whether there is one.
    fn name_file(&mut self, at: usize) -> bool {
        let mut candidates = self.above.candidates();
        if let Some(path) = self.asked_path(&candidates) {
            self.out.script.edits[at].path.raw = path;
            return true;
        }
        let edit: &mut Edit = &mut self.out.script.edits[at];
        // A word such as `original` in the header of a diff is a path only if the tree has that file.
        let word = self.response.slice(edit.path.span);
        if !word.is_empty() {
            let path = Target { raw: word.to_owned(), ..edit.path.clone() };
            candidates.push(Candidate { path, by: Clue::Mention, quoted: false });
        }
        let is_sure = |one: &&Candidate| !one.is_prose() && !one.is_uncertain_previous();
        let Some(first) = candidates.iter().find(is_sure).or(candidates.first()) else { return false };
        edit.path = first.path.clone();
        if candidates.len() > 1
            || first.by == Clue::Mention
            || first.is_prose()
            || first.is_uncertain_previous()
        {
            self.out.script.unnamed.push(Unnamed { edit: edit.span, candidates });
        }
        true
    }

    /// Keeps a code block without edits. `head` is its first line, or the second one below a line such as `<?php`.
    pub(super) fn keep_code_block(&mut self, mut block: CodeBlock, head: Line<'r>, depth: u32) {
        self.gap = Gap::Text;
        if block.text.trim().is_empty() && block.state == FenceState::Unclosed {
            self.above.clear();
            return self.out.fault(may_be_cut_off(block.span));
        }
        let is_path = file::path_line(head.text).is_some_and(|found| found.is_sure());
        let names_file = |one: &Candidate| one.by.is_whole() && (one.quoted || file::is_path(&one.path.raw));
        let is_named = block.candidates.iter().any(names_file) && !self.above.is_in_fence();
        if block.text.trim().len() == head.trimmed().len() && is_path && !is_named {
            // A fence with only a path names the file of the next block.
            self.gap = Gap::Files;
            self.above.read_path_in_fence(head);
            return;
        }
        if let Some(found) = file::path_comment(head.text).filter(|found| !is_title(head, *found, &block)) {
            let path = found.target(head, self.response.id());
            let first = block.text.lines().next().unwrap_or("");
            if !file::is_preamble(first) {
                block.path_line = first.len() + 1;
            } else if block.candidates.iter().any(|file| file.by.is_whole()) {
                return self.add_code_block(block, depth);
            }
            block.candidates.retain(|file| file.by.is_whole());
            block.candidates.push(Candidate { path, by: Clue::Comment, quoted: found.quoted });
            block.is_part |= found.is_part || file::names_several(&block.text);
        }
        self.add_code_block(block, depth);
    }
}

/// Whether the first line of a code block is the title of a Markdown file, where `#` begins no comment.
fn is_title(head: Line<'_>, found: NamedPath<'_>, block: &CodeBlock) -> bool {
    let by_language = format!(".{}", block.language);
    let mut named = file::own_paths(&block.candidates).chain([found.path, &by_language]);
    head.trimmed().starts_with('#') && named.any(is_markdown)
}
