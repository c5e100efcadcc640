//! Parts of lines: they match where a plain search finds them once, and nowhere else.

use super::{config, run, texts};
use git_llm_apply::diag::Code;
use git_llm_apply::edit::Unit;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Returns where a text of one line occurs in a file without beginning or ending inside a word or an operator: as whole
/// lines if there are any, else as a part.
fn stands(file: &str, text: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let joined = |left: &str, right: &str| {
        let (left, right) = (left.chars().next_back(), right.chars().next());
        left.is_some_and(is_word) && right.is_some_and(is_word) || left == Some('=') && right == Some('=')
    };
    let all: Vec<usize> = (0..=file.len().saturating_sub(text.len()))
        .filter(|&at| file.is_char_boundary(at) && file[at..].starts_with(text))
        .filter(|&at| !joined(&file[..at], text) && !joined(text, &file[at + text.len()..]))
        .collect();
    let lines = |blanks: &[char]| -> Vec<usize> {
        let is_line = |at: &&usize| {
            let (before, behind) = (&file[..**at], file[**at + text.len()..].trim_start_matches(blanks));
            (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'))
        };
        all.iter().filter(is_line).copied().collect()
    };
    // Blanks at the end of a line are ignored if no line is exactly the text.
    let found = [lines(&[]), lines(&[' ', '\t'])].into_iter().find(|lines| !lines.is_empty());
    found.unwrap_or(all)
}

proptest! {
    #![proptest_config(config(3000))]

    /// Exactly these bytes are replaced if they occur once; nothing is replaced if they occur twice.
    #[test]
    fn a_part_of_a_line_is_replaced_and_nothing_else(
        words in prop::collection::vec(select(vec!["ab", "cd", "e1", "é", " ", "  ", "\t", "=", "(", ")", "_", "\n"]), 1..40),
        start in any::<Index>(),
        length in 1..12usize,
    ) {
        let file = words.concat();
        let start = start.index(words.len());
        let text = words[start..(start + length).min(words.len())].concat();
        let at = words[..start].concat().len();
        if text.contains('\n') || text.trim() != text || text.chars().all(|c| c.is_whitespace()) || !stands(&file, &text).contains(&at) {
            return Ok(());
        }
        let outcome = run(file.as_bytes(), &[texts(&text, "NEW", Unit::Text)]);
        match stands(&file, &text)[..] {
            [one] => {
                let (before, mut behind) = (&file[..one], &file[one + text.len()..]);
                // If a whole line is replaced, the blanks at its end are removed too.
                let rest = behind.trim_start_matches([' ', '\t']);
                if (before.is_empty() || before.ends_with('\n')) && (rest.is_empty() || rest.starts_with('\n')) {
                    behind = rest;
                }
                let wanted = format!("{before}NEW{behind}");
                let made = outcome.map(|applied| applied.version.content().to_bytes());
                let made = made.map_err(|refusals| TestCaseError::fail(format!("{refusals:?}")))?;
                prop_assert_eq!(String::from_utf8_lossy(&made), wanted);
            }
            _ => {
                let code = outcome.map(|applied| applied.outcome).map_err(|refusals| refusals[0].code);
                prop_assert_eq!(code, Err(Code::SearchAmbiguous));
            }
        }
    }

    /// One word of the text is in no file, so the edit is refused and changes nothing.
    #[test]
    fn a_part_that_is_nowhere_is_refused(
        words in prop::collection::vec(select(vec!["ab", "cd", " ", "=", "(", ")", "\n", "\r\n"]), 1..40),
        start in any::<Index>(),
        length in 0..12usize,
    ) {
        let start = start.index(words.len());
        let part = words[start..(start + length).min(words.len())].concat();
        let outcome = run(words.concat().as_bytes(), &[texts(&format!("{part}nowhere"), "NEW", Unit::Text)]);
        let code = outcome.map(|applied| applied.outcome).map_err(|refusals| refusals[0].code);
        prop_assert_eq!(code, Err(Code::SearchNotFound));
    }
}
