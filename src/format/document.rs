//! Decides which regions are edits of the response, and which it only shows.
//!
//! Edits are read at the top level, in list items, and in fences directly in these. Edits in deeper fences, in a quote,
//! or in a fence of prose with other text are only shown: they are content of a document. An outer fence or quote does
//! not count if the whole response is in it. An outer fence does not count either if it contains only edits.

use super::blocks::Reader;
use super::{Reading, seen};
use crate::edit::{CodeBlock, FormatId, Region, Script, Unread};
use crate::span::Span;
use std::ops::Range;

/// A block that is not text.
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) span: Span,
    /// The number of fences and quotes around it.
    pub(super) depth: u32,
    /// How many of these make it content of a document. It is read if this is 0.
    pub(super) level: u32,
}

pub(super) enum BlockKind {
    /// A region, with the indexes of its edits and diagnostics.
    Region { format: FormatId, edits: Range<usize>, faults: Range<usize> },
    /// A fence without edits, or with edits that are only shown.
    Fence(Box<CodeBlock>),
    /// A region without edits and diagnostics, such as an empty list of files.
    Empty(FormatId),
    /// A quote, a JSON value or a tag.
    Other,
}

impl Block {
    pub(super) fn is_region(&self) -> bool {
        matches!(self.kind, BlockKind::Region { .. })
    }
}

/// Returns the script with the edits that are read, and the other parts of the response.
pub(super) fn script(mut reader: Reader<'_>, reading: &Reading) -> Script {
    let mut script = std::mem::take(&mut reader.out.script);
    let mut regions = Vec::new();
    let (mut keep_edit, mut keep_fault) =
        (vec![true; script.edits.len()], vec![true; script.diagnostics.len()]);
    for block in reader.blocks {
        let is_shown = block.level > 0;
        match block.kind {
            BlockKind::Region { format, .. } if !is_shown && reading.reads(format) => {
                regions.push(Region { format, span: block.span });
            }
            BlockKind::Region { format, edits, faults } => {
                keep_edit[edits].fill(false);
                keep_fault[faults].fill(false);
                if is_shown {
                    script.shown.get_or_insert(block.span);
                } else {
                    script.other.get_or_insert(Region { format, span: block.span });
                    script.unread.push(Unread { span: block.span, info: String::new() });
                }
            }
            _ if is_shown => {}
            BlockKind::Empty(format) => {
                let region = Region { format, span: block.span };
                if reading.reads(format) {
                    regions.push(region);
                } else {
                    script.other.get_or_insert(region);
                }
            }
            BlockKind::Fence(one) if one.is_named(&script.given) => script.given.push(*one),
            BlockKind::Fence(one) => script.unread.push(Unread { span: one.span, info: one.language }),
            BlockKind::Other => script.unread.push(Unread { span: block.span, info: String::new() }),
        }
    }
    if keep_edit.contains(&false) {
        let mut kept = keep_edit.iter();
        script.edits.retain(|_| *kept.next().unwrap_or(&true));
        let spans: std::collections::HashSet<Span> = script.edits.iter().map(|edit| edit.span).collect();
        script.unnamed.retain(|unnamed| spans.contains(&unnamed.edit));
    }
    let mut kept = keep_fault.iter();
    script.diagnostics.retain(|_| *kept.next().unwrap_or(&true));
    script.regions = regions;
    // If there are no edits, `seen` reports instead that the response is escaped.
    if let Some(line) = reader.escaped.filter(|_| !script.edits.is_empty() || !script.given.is_empty()) {
        script.diagnostics.push(seen::escaped_beside(line));
    }
    reader.out.calls.finish(&mut script);
    script
}
