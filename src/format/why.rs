//! The text of a reason for an edit, which is a field of the edit or the prose right before it.
//!
//! Models wrap text, and markup indents it. In a reason, each paragraph and each list item is one line.

use super::fence::Fence;
use super::scan::{starts_with_ignore_case, trim, trim_start};
use std::borrow::Cow;

/// Joins the lines of each paragraph; `None` if there are no words.
pub fn join_paragraphs(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut fence: Option<Fence<'_>> = None;
    let mut begins_paragraph = true;
    for line in text.lines() {
        let found = Fence::of(line);
        if fence.is_some() || found.is_some() {
            // Code keeps its lines.
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(line.trim_end());
            out.push('\n');
            fence = match (fence, found) {
                (None, found) => found,
                (Some(open), Some(found)) if found.closes(open) => None,
                (open, _) => open,
            };
            begins_paragraph = true;
            continue;
        }
        let text = line.trim();
        if text.is_empty() {
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
            }
            begins_paragraph = true;
        } else {
            if !begins_paragraph {
                out.push(if without_mark(text).len() < text.len() { '\n' } else { ' ' });
            }
            out.push_str(text);
            begins_paragraph = text.starts_with('#');
            if begins_paragraph {
                out.push('\n');
            }
        }
    }
    let text = out.trim();
    text.contains(char::is_alphanumeric).then(|| text.to_owned())
}

/// Turns a paragraph or heading into a reason: one line, without the marks of bold text, headings and lists; `None`
/// if there are no words.
pub(super) fn of_prose<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let text = lines.map(trim).collect::<Vec<_>>().join(" ");
    // A heading may be bold and numbered.
    let text = without_mark(without_mark(&text));
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let text =
        bold.map_or(Cow::Borrowed(text), |(bold, rest)| format!("{}{rest}", without_mark(bold)).into());
    text.contains(char::is_alphanumeric).then(|| trim(&text).to_owned())
}

/// The text after `**Reason**:` or `Why:` at the start of a line.
pub(super) fn labelled(line: &str) -> Option<&str> {
    let text = trim(line).trim_start_matches(['*', '_']);
    let label = ["reason", "why"].iter().find(|label| starts_with_ignore_case(text, label))?;
    let rest = text[label.len()..].trim_start_matches(['*', '_']).strip_prefix(':')?;
    Some(trim(rest.trim_start_matches(['*', '_'])))
}

/// A line without the mark of a heading or a list item.
#[inline]
pub(super) fn without_mark(text: &str) -> &str {
    let hashes = text.bytes().take_while(|&byte| byte == b'#').count();
    let mark = list_mark(text).unwrap_or(hashes);
    if text[mark..].starts_with([' ', '\t']) { trim_start(&text[mark..]) } else { text }
}

/// The length of the list mark at the start of a text.
#[inline]
pub(super) fn list_mark(text: &str) -> Option<usize> {
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => Some(1),
        b'.' | b')' if (1..=9).contains(&digits) => Some(digits + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_paragraph_are_joined() {
        for (text, why) in [
            ("Remove the helper, since\n  nothing calls it.", "Remove the helper, since nothing calls it."),
            ("\n   One.\n\n\n   Two\n   three.\n", "One.\n\nTwo three."),
            ("So:\n- a\n  b\n- c\n\nEnd", "So:\n- a b\n- c\n\nEnd"),
            ("1. a\n2. b", "1. a\n2. b"),
            ("# Head\ntext", "# Head\ntext"),
            ("See\n```\n  x\n\ny\n```\nend", "See\n```\n  x\n\ny\n```\nend"),
            ("-1 is no item\n2 neither", "-1 is no item 2 neither"),
        ] {
            assert_eq!(join_paragraphs(text).as_deref(), Some(why), "{text:?}");
        }
        assert_eq!(join_paragraphs(" \n--\n"), None);
    }

    #[test]
    fn prose_loses_its_marks() {
        for (prose, why) in [
            ("The sum was off by\n  one.", "The sum was off by one."),
            ("## 2. Greet by name", "Greet by name"),
            ("- **Loop**: cache it in `a**b**`.", "Loop: cache it in `a**b**`."),
            ("**1. Cache it.** It was slow.", "Cache it. It was slow."),
            ("Pass **kwargs and **args on.", "Pass **kwargs and **args on."),
        ] {
            assert_eq!(of_prose(prose.lines()).as_deref(), Some(why), "{prose:?}");
        }
        assert_eq!(of_prose("***".lines()), None);
    }
}
