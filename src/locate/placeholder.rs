//! Lines that stand for code which a model did not write out: `// ... existing code ...`.

/// What a comment begins with, longer ones first.
const OPENERS: &[&str] = &["{/*", "<!--", "/*", "//", "--", "#", "%", ";", "*"];

/// What a comment ends with.
const CLOSERS: &[&str] = &["*/}", "*/", "-->"];

/// Words by which dots in front of a comment are known for a placeholder.
const HINTS: &[&str] = &[
    "existing",
    "rest",
    "remain",
    "unchanged",
    "unmodified",
    "same",
    "before",
    "omitted",
    "previous",
    "other",
    "code",
    "change",
    "keep",
    "snip",
    "more",
];

/// How a placeholder without dots begins.
const BEGINNINGS: &[&str] = &[
    "rest of",
    "the rest",
    "existing",
    "remaining",
    "remainder of",
    "the remainder",
    "unchanged",
    "same as before",
    "code unchanged",
    "other methods",
    "other functions",
    "other code",
    "previous code",
    "no changes",
    "code omitted",
    "omitted for brevity",
    "keep existing",
    "keep the rest",
    "everything else",
    "all other",
];

/// What it speaks of.
const SUBJECTS: &[&str] = &[
    "code",
    "file",
    "function",
    "method",
    "class",
    "implementation",
    "unchanged",
    "same",
    "content",
    "component",
    "omitted",
    "brevity",
    "logic",
    "import",
    "here",
    "module",
];

/// A placeholder without dots has no more words; a longer comment says something.
const WORDS: usize = 10;

/// What a comment line begins with.
pub(super) fn comment_opener(line: &[u8]) -> Option<&'static str> {
    let opener = OPENERS.iter().find(|opener| line.starts_with(opener.as_bytes()))?;
    // `#include`, `--flag`, `*pointer`, `%d`: code.
    let rest = &line[opener.len()..];
    let is_code = matches!(*opener, "#" | "--" | "%" | ";" | "*")
        && rest.first().is_some_and(|b| !b.is_ascii_whitespace() && *b != opener.as_bytes()[0]);
    (!is_code).then_some(opener)
}

/// Whether a line is a comment that stands for code. A bare `...` is none: in Python it is code.
pub(super) fn is_placeholder(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let line = line.trim();
    let Some(body) = OPENERS.iter().find_map(|opener| line.strip_prefix(opener)) else { return false };
    let body = CLOSERS.iter().find_map(|closer| body.strip_suffix(closer)).unwrap_or(body);
    // `///`, `##`, `---`.
    let body = body.trim_start_matches(['/', '#', '-', '*', ';', '%', '!']).trim();
    let is_dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let inner = body.trim_matches(['(', ')', '[', ']', '{', '}', ' ']);
    let dots_in_front = is_dots(inner);
    let dots_behind = inner.ends_with("...") || inner.ends_with('…');
    let core = inner.trim_matches(['.', '…', ' ', '(', ')', '[', ']']).to_lowercase();
    if core.is_empty() {
        return dots_in_front;
    }
    let holds = |words: &[&str]| words.iter().any(|word| core.contains(word));
    if dots_in_front && (dots_behind || holds(HINTS)) {
        return true;
    }
    let short = core.split_whitespace().count() <= WORDS;
    short
        && BEGINNINGS.iter().any(|beginning| core.starts_with(beginning))
        && (dots_behind || holds(SUBJECTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_stand_for_code_are_known() {
        for line in [
            "// ...",
            "    # ... existing code ...",
            "/* ... */",
            "{/* ... rest of the component ... */}",
            "<!-- ... -->",
            "// …",
            "// rest of the code unchanged",
            "# (rest of the file remains the same)",
            "// ... (keep existing handlers)",
            "-- existing columns ...",
            "// Existing code here",
            "// [... unchanged ...]",
        ] {
            assert!(is_placeholder(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn what_says_something_is_no_placeholder() {
        for line in [
            "...",
            "    ...",
            "# Loading...",
            "// rest of the arguments are forwarded",
            "// ...and then the fallback",
            "let [a, ...rest] = b; // ...",
            "// existing users keep their role when the import of their new organisation has come to its end",
            "#include <a.h>",
            "-- a",
            "",
            "#",
        ] {
            assert!(!is_placeholder(line.as_bytes()), "{line}");
        }
    }
}
