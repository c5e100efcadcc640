//! Lets the user replace the lines that an edit adds.

use crate::edit::{Anchor, Change, Existing, Hunk, Missing, Op};
use crate::span::Span;
use crate::text::alike::common_ends;
use crate::text::{Content, Line};
use std::fmt::Write;
use std::ops::Range;

/// The number of context lines above and below the change.
const CONTEXT: usize = 3;

/// The change of a file by an edit, as removed and added lines.
#[derive(Debug, Clone)]
pub struct Rewrite {
    before: Option<Content>,
    after: Content,
    old: Range<usize>,
    new: Range<usize>,
}

impl Rewrite {
    /// Compares a file before (if it existed) and after an edit; `None` if one of the two is not text.
    pub fn of(before: Option<Content>, after: Content) -> Option<Self> {
        let is_text = |content: &Content| !content.is_binary() && content.not_utf8().is_none();
        if !is_text(&after) || !before.as_ref().is_none_or(is_text) {
            return None;
        }
        let empty = Content::new(b"");
        let old = before.as_ref().unwrap_or(&empty);
        let old: Vec<Line<'_>> = old.lines(0..old.line_count()).collect();
        let new: Vec<Line<'_>> = after.lines(0..after.line_count()).collect();
        let (head, tail) = common_ends(&old, &new);
        let (old, new) = (head..old.len() - tail, head..new.len() - tail);
        Some(Self { before, after, old, new })
    }

    /// The added lines.
    pub fn text(&self) -> String {
        text_of(&self.after, self.new.clone())
    }

    /// Returns the operation that adds other lines instead. `op` is the original operation, and `span` is its span.
    pub fn with(&self, lines: &str, op: &Op, span: Span) -> Op {
        let mut text = lines.replace("\r\n", "\n");
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let Some(before) = self.before.as_ref().filter(|before| before.line_count() > 0) else {
            let text = text.into();
            return match op {
                Op::Create { existing, .. } => Op::Create { text, existing: *existing },
                _ if self.before.is_some() => Op::Replace { text },
                _ => Op::Create { text, existing: Existing::Refuse },
            };
        };
        let start = self.old.start.saturating_sub(CONTEXT);
        let end = (self.old.end + CONTEXT).min(before.line_count());
        let mut lines = String::new();
        for (mark, text) in [
            (' ', &text_of(before, start..self.old.start)),
            ('-', &text_of(before, self.old.clone())),
            ('+', &text),
            (' ', &text_of(before, self.old.end..end)),
        ] {
            for line in text.lines() {
                let _ = writeln!(lines, "{mark}{line}");
            }
        }
        let number = u32::try_from(start + 1).ok();
        let is_unterminated = |content: &Content| !content.ends_with_newline();
        let at_end = end == before.line_count();
        let change = Change::Diff {
            lines: lines.into(),
            before_unterminated: at_end && is_unterminated(before),
            // Editors end the last line even if it had no newline.
            after_unterminated: at_end && is_unterminated(&self.after),
        };
        let anchor = Anchor::Line { old_start: number, new_start: number, section: None };
        Op::Modify { hunks: vec![Hunk { span, change, anchor }], missing: Missing::Refuse }
    }
}

fn text_of(content: &Content, lines: Range<usize>) -> String {
    let mut text = String::new();
    for line in content.lines(lines) {
        text += &String::from_utf8_lossy(line.text);
        text.push('\n');
    }
    text
}
