//! The search text of a refused edit, with its lines in the response.

use crate::diag::Diagnostic;
use crate::edit::{Change, Script};
use crate::response::Response;
use serde::Serialize;

/// How many lines of the response are tried as the first line of the search text.
const MAX_STARTS: usize = 64;

/// A line of a search text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wanted {
    /// Its line in the response, from 1, if it is known.
    pub line: Option<usize>,
    /// Its text after unescaping, without diff markers.
    pub text: String,
}

/// The search text of the hunk that a diagnostic is about; empty if it is about no hunk.
pub(super) fn wanted(diagnostic: &Diagnostic, script: &Script, responses: &[Response]) -> Vec<Wanted> {
    let edit = diagnostic.edit.and_then(|number| script.edits.get(number.checked_sub(1)?));
    let hunk = edit.zip(diagnostic.span()).and_then(|(edit, span)| edit.hunk_at(span));
    let Some(hunk) = hunk else { return Vec::new() };
    let lines = hunk.change.search_lines();
    let numbers = responses.get(hunk.span.response as usize).and_then(|response| {
        let span = response.lines_of(hunk.span);
        let texts: Vec<&str> = response.lines_from(span.first).take(span.last - span.first + 1).collect();
        let numbers = numbers(&texts, &lines, matches!(hunk.change, Change::Diff { .. }))?;
        Some(numbers.into_iter().map(|at| at + span.first).collect::<Vec<_>>())
    });
    let number = |at: usize| numbers.as_ref()?.get(at).copied();
    let wanted = lines.iter().enumerate();
    wanted.map(|(at, text)| Wanted { line: number(at), text: (*text).to_owned() }).collect()
}

/// Returns the positions of the lines of the search text in `texts`, the lines of the hunk in the response, if all are
/// found. If `marked`, `texts` begin with the marks of a diff. Otherwise the search text is in consecutive lines.
fn numbers(texts: &[&str], lines: &[&str], marked: bool) -> Option<Vec<usize>> {
    let matches = |text: &str, line: &str| {
        if marked {
            let text = text.trim_end_matches('\r');
            return text.strip_prefix([' ', '-']) == Some(line) || (text.is_empty() && line.is_empty());
        }
        text.trim() == line.trim() || unquoted(text).is_some_and(|text| text == line)
    };
    if marked {
        let mut found = Vec::with_capacity(lines.len());
        for (at, text) in texts.iter().enumerate() {
            if lines.get(found.len()).is_some_and(|line| matches(text, line)) {
                found.push(at);
            }
        }
        return (found.len() == lines.len()).then_some(found);
    }
    let first = lines.first()?;
    let starts = (0..texts.len()).filter(|at| matches(texts[*at], first)).take(MAX_STARTS);
    for start in starts {
        let run = texts.get(start..start + lines.len())?;
        if run.iter().zip(lines).all(|(text, line)| matches(text, line)) {
            return Some((start..start + lines.len()).collect());
        }
    }
    None
}

/// The string on a line of JSON that contains nothing else, such as `  "a\tb",`.
fn unquoted(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(',').trim_end();
    let text = text.strip_prefix('[').unwrap_or(text).trim_start();
    let text = text.strip_suffix(']').unwrap_or(text).trim_end();
    if !text.starts_with('"') {
        return None;
    }
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_search_text_are_consecutive() {
        let texts = ["<find>", "<<<", "  a", "b", ">>>", "<put>", "  a", "c"];
        assert_eq!(numbers(&texts, &["  a", "b"], false), Some(vec![2, 3]));
        assert_eq!(numbers(&texts, &["  a", "c"], false), Some(vec![6, 7]));
        assert_eq!(numbers(&texts, &["x"], false), None);
        assert_eq!(numbers(&texts, &[], false), None);
    }

    #[test]
    fn lines_of_a_diff_are_found_behind_their_marks() {
        let texts = ["@@ -1,2 +1,2 @@", " a", "-b", "+x", "", "-c"];
        assert_eq!(numbers(&texts, &["a", "b", "", "c"], true), Some(vec![1, 2, 4, 5]));
        assert_eq!(numbers(&texts, &["a", "x"], true), None);
    }

    #[test]
    fn lines_of_json_are_found_as_strings() {
        let texts = ["\"original_lines\": [", "  \"a\\tb\",", "  \"c\"", "]"];
        assert_eq!(numbers(&texts, &["a\tb", "c"], false), Some(vec![1, 2]));
        assert_eq!(unquoted("[\"x\"]"), Some("x".to_owned()));
        assert_eq!(unquoted("[\"x\", \"y\"],"), None);
    }
}
