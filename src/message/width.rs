//! Makes text fit into terminal columns. A wide letter and most emoji take 2 columns, a combining mark takes none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether anything in a text is visible.
pub(super) fn is_visible(text: &str) -> bool {
    // U+2800 is the blank Braille pattern, which no font draws.
    text.chars().any(|c| !c.is_whitespace() && c != '\u{2800}' && c.width().unwrap_or(0) > 0)
}

/// Texts at which a new clause of a sentence may begin.
const CLAUSES: [&str; 14] = [
    ", ",
    "; ",
    ": ",
    " - ",
    " – ",
    " — ",
    " (",
    " because ",
    " since ",
    " so that ",
    " which ",
    " instead of ",
    " rather than ",
    " but ",
];

/// Cuts a line that is too wide. Returns the cut line and then the whole line; the second part is empty if the line
/// fits.
///
/// The cut is before the last clause that begins within the columns, if at least a quarter of the columns remains.
/// Otherwise it is after a word, and `…` marks it. Only a word that is too wide by itself is cut inside.
pub(super) fn split(line: &str, columns: usize) -> (String, String) {
    if line.width() <= columns {
        return (line.to_owned(), String::new());
    }
    let head = prefix(line, columns + 1);
    let clause = CLAUSES.iter().filter_map(|mark| head.rfind(mark)).max();
    if let Some(clause) = clause.map(|at| head[..at].trim_end_matches([',', ';', ':', ' ']))
        && clause.width() * 4 >= columns
        && is_visible(clause)
    {
        return (clause.to_owned(), line.to_owned());
    }
    let head = prefix(line, columns.saturating_sub(1));
    let word = head.rsplit_once(' ').map_or("", |(words, _)| words);
    let next = line[word.len()..].split_whitespace().next().unwrap_or("");
    let head = if !word.is_empty() && next.width() < columns { word } else { head };
    (format!("{}…", head.trim_end()), line.to_owned())
}

/// Wraps lines. The lines of a list item are aligned with its text. Code (indented or fenced) and rows of tables are
/// not wrapped.
pub(super) fn wrap(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / columns.max(1));
    let mut fenced = false;
    for line in text.split_inclusive('\n') {
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        let is_fence = text.trim_start().starts_with("```") || text.trim_start().starts_with("~~~");
        fenced ^= is_fence;
        let blanks = text.len() - text.trim_start_matches(' ').len();
        if text.width() <= columns || fenced || is_fence || blanks >= 4 || text.starts_with('|') {
            out.push_str(line);
            continue;
        }
        let mark = text[blanks..].find(' ').filter(|&at| is_list_mark(&text[blanks..blanks + at]));
        let hang = " ".repeat(blanks + mark.map_or(0, |at| at + 1));
        let mut used = 0;
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 && used + 1 + word.width() > columns && used > hang.len() {
                out.push('\n');
                out.push_str(&hang);
                used = hang.len();
            } else if index > 0 {
                out.push(' ');
                used += 1;
            }
            out.push_str(word);
            used += word.width();
        }
        out.push_str(end);
    }
    out
}

fn is_list_mark(word: &str) -> bool {
    let digits = word.trim_end_matches(['.', ')']);
    matches!(word, "-" | "*" | "+")
        || (word.len() == digits.len() + 1
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The longest prefix that fits, including the combining marks after it.
fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return &text[..at];
        }
    }
    text
}
