//! Code spans in a line of Markdown, and here-documents in shell commands.

use std::ops::Range;

/// The longest run of backquotes that counts; a longer one is text.
const MAX_RUN: usize = 15;

/// The code spans of a line, each with its backquotes, in order.
pub fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    // A bit for each length of a run: whether no further run has that length.
    let (mut at, mut unmatched) = (0, 0_u16);
    std::iter::from_fn(move || {
        while let Some(run) = run_from(text, at) {
            let length = run.len();
            at = run.end;
            if length > MAX_RUN || unmatched & (1 << length) != 0 {
                continue;
            }
            let mut from = run.end;
            while let Some(other) = run_from(text, from) {
                if other.len() == length {
                    at = other.end;
                    return Some(run.start..other.end);
                }
                from = other.end;
            }
            unmatched |= 1 << length;
        }
        None
    })
}

/// Returns the next run of backquotes.
fn run_from(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.as_bytes().get(at..)?;
    let start = memchr::memchr(b'`', rest)?;
    let length = rest[start..].iter().take_while(|&&byte| byte == b'`').count();
    Some(at + start..at + start + length)
}

/// Returns the word that ends the here-document of a shell, if the last line of a text opens one, such as `EOF` for
/// `git apply <<'EOF'`.
pub(super) fn heredoc_end(above: &str) -> Option<&str> {
    let (_, rest) = above.trim_end().lines().next_back()?.rsplit_once("<<")?;
    let word = rest.trim_start_matches(['-', '~', ' ', '\'', '"']);
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
    Some(&word[..end]).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_between_equal_runs_of_backquotes() {
        let found = |text: &'static str| spans(text).map(|span| &text[span]).collect::<Vec<_>>();
        assert_eq!(found("a `b` c ``d ` e`` f"), ["`b`", "``d ` e``"]);
        assert_eq!(found("a `b``c` d"), ["`b``c`"]);
        assert_eq!(found("`a ``b``"), ["``b``"]);
        assert_eq!(found("no"), [""; 0]);
        assert_eq!(found("` `` ``` `` `"), ["` `` ``` `` `"]);
    }
}
