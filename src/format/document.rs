//! What a response is read for: which regions are its edits, and which are only shown in it.
//!
//! Edits are read at the top level, in list items, and in a fence directly there. Deeper ones, those in a block quote and
//! those in a fence of prose that holds other text too are content of a document. An outer fence or quote is taken off
//! first if nothing else is in the response, an outer fence also if it holds nothing but edits.

use super::blocks::Reader;
use super::{Reading, seen};
use crate::edit::{FormatId, Given, Region, Script, Unread};
use crate::span::Span;
use std::ops::Range;

/// A block of a response that is no text.
pub(super) struct Part {
    pub(super) what: What,
    pub(super) span: Span,
    /// How many fences and quotes it is in.
    pub(super) depth: u32,
    /// How many of these have to be taken off before it is read.
    pub(super) level: u32,
}

pub(super) enum What {
    /// A region of a format: its edits and what is wrong with it, by their places in the script.
    Region { format: FormatId, edits: Range<u32>, faults: Range<u32> },
    /// A fence without edits, or with such as are only shown.
    Fence(Box<Given>),
    /// A region of a format that has neither edits nor faults, such as an empty list of files.
    Empty(FormatId),
    /// A quote, JSON or a tag.
    Other,
}

impl Part {
    pub(super) fn is_region(&self) -> bool {
        matches!(self.what, What::Region { .. })
    }
}

/// Takes one fence or quote off the parts that are in it.
pub(super) fn lift(parts: &mut [Part]) {
    parts.iter_mut().for_each(|part| part.level = part.level.saturating_sub(1));
}

/// Returns what was read as a script: with the edits that are meant, and all else that was seen.
pub(super) fn script(mut reader: Reader<'_>, reading: &Reading) -> Script {
    if reader.is_wrapped
        && reader.parts.len() > 1
        && reader.parts.last().is_some_and(|part| !part.is_region())
    {
        reader.parts.pop();
        lift(&mut reader.parts);
    }
    let mut script = std::mem::take(&mut reader.out.script);
    let mut regions = Vec::new();
    let (mut edits, mut faults) = (vec![true; script.edits.len()], vec![true; script.diagnostics.len()]);
    for part in reader.parts {
        let is_shown = part.level > 0;
        match part.what {
            What::Region { format, .. } if !is_shown && reading.reads(format) => {
                regions.push(Region { format, span: part.span });
            }
            What::Region { format, edits: own, faults: also } => {
                edits[own.start as usize..own.end as usize].fill(false);
                faults[also.start as usize..also.end as usize].fill(false);
                if is_shown {
                    script.shown.get_or_insert(part.span);
                } else {
                    script.other.get_or_insert(Region { format, span: part.span });
                    script.unread.push(Unread { span: part.span, info: String::new() });
                }
            }
            _ if is_shown => {}
            What::Empty(format) => {
                let region = Region { format, span: part.span };
                if reading.reads(format) {
                    regions.push(region);
                } else {
                    script.other.get_or_insert(region);
                }
            }
            What::Fence(given) if given.candidates.is_empty() => {
                script.unread.push(Unread { span: given.span, info: given.language });
            }
            What::Fence(given) => script.given.push(*given),
            What::Other => script.unread.push(Unread { span: part.span, info: String::new() }),
        }
    }
    if edits.contains(&false) {
        let mut kept = edits.iter();
        script.edits.retain(|_| *kept.next().unwrap_or(&true));
        let spans: std::collections::HashSet<Span> = script.edits.iter().map(|edit| edit.span).collect();
        script.unnamed.retain(|unnamed| spans.contains(&unnamed.edit));
    }
    let mut kept = faults.iter();
    script.diagnostics.retain(|_| *kept.next().unwrap_or(&true));
    script.regions = regions;
    // A response that is escaped as a whole has nothing to apply, and that is said then.
    if let Some(line) = reader.escaped.filter(|_| !script.edits.is_empty() || !script.given.is_empty()) {
        script.diagnostics.push(seen::escaped_beside(line));
    }
    reader.out.calls.finish(&mut script);
    script
}
