//! Recognizes placeholders: lines such as `// ... existing code ...`, in the place of code that a model left out.

use crate::text::{Language, Trait, depth, is_blank};
use std::cmp::Ordering;

/// The words of placeholders. A comment with any other word is ordinary, unless it has an ellipsis and the hunk removes
/// more code than it adds.
const WORDS: &str = "existing rest remaining remain remains other same unchanged omitted keep kept stay stays code methods \
                     members fields variants properties definitions tests logic implementation \
                     imports function functions class file section as before here of the your to be and in for this";

/// The beginnings of common comments; a longer mark comes before its prefix.
const OPENERS: &[&str] = &["{/*", "<!--", "/*", "//", "--", "#", "%", ";", "*", "dnl ", "REM "];

/// The kind of a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placeholder {
    /// An ellipsis, perhaps in brackets, that is not in a comment.
    Dots,
    /// A comment of only placeholder words, with an ellipsis or in brackets.
    Marked,
    /// A comment of placeholder words alone, or one with an ellipsis and other words. It counts only if code is
    /// removed.
    Unmarked,
}

/// The lines of the file around the new lines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Beside<'a> {
    /// The next line above that is not blank.
    pub(super) above: Option<&'a [u8]>,
    /// How the indentation of the next line below compares with the smallest indentation of the replaced lines.
    pub(super) below: Option<Ordering>,
}

impl Placeholder {
    /// Returns the kind of placeholder that a line is, judged by the line alone. In prose, only the comments of HTML,
    /// MDX and TeX are comments.
    pub(crate) fn of(line: &[u8], language: Language) -> Option<Self> {
        Self::parse(line, language, false)
    }

    /// As [`Placeholder::of`]; with `any_words`, a comment with an ellipsis may also have other words.
    pub(super) fn parse(line: &[u8], language: Language, any_words: bool) -> Option<Self> {
        let whole = std::str::from_utf8(line).ok()?.trim();
        let opener = OPENERS.iter().find(|opener| whole.starts_with(**opener));
        let opener = opener.filter(|opener| !language.is_prose() || ["<!--", "{/*", "%"].contains(opener));
        let is_text = |c: char| c.is_alphanumeric() || "_.…".contains(c);
        let body = opener.map_or(whole, |opener| &whole[opener.len()..]);
        let text = body.trim_matches(|c| !is_text(c));
        let start = whole.len() - body.len() + body.find(is_text)?;
        let (open, close) = (whole[..start].trim_end(), whole[start + text.len()..].trim_start());
        let is_bracketed = open.ends_with(['(', '[', '{', '<'])
            && close.starts_with([')', ']', '}', '>'])
            && (opener.is_some() || open.len() + close.len() == 2);
        let begins = text.starts_with("...") || text.starts_with('…');
        let ends = text.ends_with("...") || text.ends_with('…');
        let is_dotted = begins || ends;
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let is_comment =
            || language.is_comment(line) || matches!(opener, Some(&"<!--" | &"{/*" | &"//" | &"/*"));
        let is_plain = text.chars().all(|c| c.is_alphabetic() || " .…".contains(c));
        // Whatever the marks around it are, it is no code: not `...rest`, `function(...)`, or a string.
        let is_string = ['"', '\'', '`'].iter().any(|quote| open.contains(*quote) && close.contains(*quote));
        let is_apart = is_plain && text.contains(' ') && !is_string && !language.is_prose();
        if !words.clone().all(|word| WORDS.split(' ').any(|one| one.eq_ignore_ascii_case(word))) {
            let is_one = is_dotted && is_comment() || begins && is_apart && !open.is_empty();
            return (any_words && is_one).then_some(Placeholder::Unmarked);
        }
        match (opener, words.count()) {
            (Some(_), _) if is_dotted => Some(Placeholder::Marked),
            (Some(_), 1..) if is_bracketed => Some(Placeholder::Marked),
            (Some(_), 1..) if is_comment() => Some(Placeholder::Unmarked),
            (None, 0) if is_dotted && is_plain && (is_bracketed || text == whole) => Some(Placeholder::Dots),
            // A line of text or an item of a list may end with an ellipsis.
            (None, 1..) if begins && is_apart && (ends || !open.is_empty()) => Some(Placeholder::Marked),
            (None, 2..) if ends && is_apart && !["", "-"].contains(&open) => Some(Placeholder::Marked),
            // Code such as `[rest]` has one word in brackets, so several are not code.
            (None, 2..) if is_bracketed && is_plain && is_dotted => Some(Placeholder::Marked),
            (None, 2..) if is_bracketed && is_plain => Some(Placeholder::Unmarked),
            _ => None,
        }
    }

    /// Returns the kind of placeholder that the new line `lines[at]` is. A stub, the end of a YAML document, and an
    /// example in prose are none.
    pub(super) fn at<'a>(
        lines: &[&[u8]],
        at: usize,
        language: Language,
        beside: &dyn Fn() -> Beside<'a>,
    ) -> Option<Self> {
        let is_fence = |line: &&&[u8]| line.trim_ascii_start().starts_with(b"```");
        let is_meant = |found: &Self| match found {
            Placeholder::Dots => language.is_prose() || is_stub(lines, at, language, beside),
            _ => language.is_prose() && lines[..at].iter().filter(is_fence).count() % 2 == 1,
        };
        Self::parse(lines[at], language, true).filter(|found| !is_meant(found))
    }
}

/// Returns whether the dots in `lines[at]` are code: the whole body of a Python function, any dots in a stub file, the
/// last parameter or argument in R, Lua and C, the end of a YAML document, or a line of a Python session (`>>>`).
fn is_stub<'a>(lines: &[&[u8]], at: usize, language: Language, beside: &dyn Fn() -> Beside<'a>) -> bool {
    let beside = beside();
    let (above, below) = (&lines[..at], &lines[at + 1..]);
    let is_shallower = |line: &&[u8]| !is_blank(line) && depth(line) < depth(lines[at]);
    let next = below.iter().find(|line| !is_blank(line));
    let ends = match next {
        Some(below) => is_shallower(below),
        // Nothing follows in the new lines, but the file may continue the body: deeper than the replaced lines if the
        // new lines have the header, else as deep as they are.
        None if above.iter().any(is_shallower) => beside.below != Some(Ordering::Greater),
        None => beside.below.is_none_or(Ordering::is_lt),
    };
    let above = above.iter().rev().find(|line| !is_blank(line)).copied().or(beside.above);
    let above = above.unwrap_or_default().trim_ascii();
    // A comment such as `# noqa` may follow the header.
    let header =
        memchr::memmem::find(above, b" #").map_or(above, |comment| &above[..comment]).trim_ascii_end();
    let begins = [&b"def "[..], b"async def ", b")"].iter().any(|begin| header.starts_with(begin))
        && header.ends_with(b":")
        || above.ends_with(b"\"\"\"");
    let is_last_argument = above.ends_with(b",") || above.ends_with(b"(");
    let closes = next.is_some_and(|next| next.trim_ascii().starts_with(b")"));
    language.has(Trait::Stub)
        || language.has(Trait::DotsAreArguments) && is_last_argument && closes
        || language.has(Trait::DotsEndDocuments) && lines[at] == b"..."
        || above.starts_with(b">>>")
        || above.starts_with(b"... ")
        || language.has(Trait::DotsAreBodies) && begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placeholder::{Dots, Marked, Unmarked};

    fn of(path: &str, line: &str) -> Option<Placeholder> {
        Placeholder::of(line.as_bytes(), Language::of(path))
    }

    #[test]
    fn a_comment_of_placeholder_words_is_a_placeholder() {
        for line in [
            "// ...",
            "// …",
            "    # ... existing code ...",
            "// ... keep existing code",
            "# rest of the function remains the same ...",
            "# ... rest of the code unchanged",
            "// Rest of the file ...",
            "/* ... */",
            "{/* ... the other methods ... */}",
            "<!-- ... rest of this section ... -->",
            "-- existing imports, as before...",
            "// [... unchanged ...]",
            "# (rest of the file unchanged)",
            "// <existing code>",
            "[... rest of the file ...]",
        ] {
            assert_eq!(of("a.x", line), Some(Marked), "{line}");
        }
        for line in ["...", "    …", "[...]", "{ ... }"] {
            assert_eq!(of("a.x", line), Some(Dots), "{line}");
        }
        for (path, line) in [
            ("a.rs", "// rest of the code"),
            ("a.py", "    # Existing code here"),
            ("a.html", "<!-- same as before -->"),
            ("a.md", "<!-- rest unchanged -->"),
            ("a.py", "(rest of the file unchanged)"),
        ] {
            assert_eq!(of(path, line), Some(Unmarked), "{line}");
        }
    }

    #[test]
    fn the_marks_of_any_comment_may_be_around_a_placeholder() {
        for (path, line) in [
            ("a.j2", "{# ... existing code ... #}"),
            ("a.erb", "<%# ... rest of the section %>"),
            ("a.php", "{{-- ... existing code ... --}}"),
            ("a.hbs", "{{!-- ... the rest ... --}}"),
            ("a.cshtml", "    @* ... other methods ... *@"),
            ("a.ml", "(* rest of the functions ... *)"),
            ("a.tex", "% ... existing code ..."),
            ("a.vim", "\" ... existing code ..."),
            ("a.vb", "' ... existing code ..."),
            ("a.f90", "! … unchanged"),
            ("a.m4", "dnl ... existing code ..."),
            ("a.bat", "REM ... existing code ..."),
            ("a.hs", "{- ... existing code ... -}"),
            ("a.vue", "// ... other methods"),
            ("a.json", "... existing code ..."),
        ] {
            assert_eq!(of(path, line), Some(Marked), "{line}");
        }
        for line in ["// ... other options", "{# ... the two forms #}", "<%# ... inputs ... %>"] {
            let parse = |path| Placeholder::parse(line.as_bytes(), Language::of(path), true);
            assert_eq!(parse("a.html"), Some(Unmarked), "{line}");
        }
        for line in [
            "...on User {",
            "... on User {",
            "(... + args)",
            "\"... and more\",",
            "- ...rest",
            "{...a, b: 1}",
        ] {
            assert_eq!(Placeholder::parse(line.as_bytes(), Language::of("a.js"), true), None, "{line}");
        }
    }

    #[test]
    fn a_line_with_another_word_is_no_placeholder() {
        for line in [
            "# Loading...",
            "// ... and then the fallback",
            "// ... skip the rest",
            "# ... 2 other methods ...",
            "# rest_of_code ...",
            "// (see the other file)",
            "-- existing columns ...",
            "// handle the remaining cases",
            "#",
            "# ---",
            "// ()",
            "",
            "let [a, ...rest] = b; // ...",
            "...rest",
            "...other,",
            "[...rest]",
            "...rest,",
            "{ ...other }",
            "(...rest) => {",
            "{...existing, a: 1}",
            "rest...,",
            "function(...)",
            "function(...) {",
            "f(...)",
            "(...),",
            "\"Same as before...\",",
            "'... the rest',",
            "\"...\"",
            "...,",
            "{{ ... }}",
            "- same file ...",
            "[file ...]",
            "[..., file]",
            "[section]",
            "(rest)",
            "[rest, other]",
            "code",
            "rest of the code ...",
            "fn f() { ... }",
            "x = [1, 2, ...]",
        ] {
            assert_eq!(of("a.rs", line), None, "{line}");
        }
        assert_eq!(of("a.md", "# Other code ..."), None, "a heading");
        assert_eq!(of("a.unknown", "# other code"), None, "a comment?");
        assert_eq!(of("a.c", "*this"), None, "code");
    }

    fn at(path: &str, text: &str) -> Option<Placeholder> {
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        let dots = lines
            .iter()
            .rposition(|line| matches!(line.trim_ascii(), b"..." | b"# ... other code ..."))
            .unwrap();
        Placeholder::at(&lines, dots, Language::of(path), &Beside::default)
    }

    #[test]
    fn dots_are_code_as_the_whole_body_of_a_python_function() {
        for text in [
            "def f(self) -> int:\n    ...\n",
            "def f(self):  # noqa: D103\n    ...\n",
            "async def f(\n    a,\n) -> int:\n    ...\n\nx = 1\n",
            "class A:\n    def f(self):\n        \"\"\"What.\"\"\"\n        ...\n\n    x = 1\n",
            ">>> for i in x:\n...     print(i)\n...\nx\n",
        ] {
            assert_eq!(at("a.py", text), None, "{text}");
        }
        for text in [
            "def f():\n    ...\n    return c\n",
            "def f():\n    a()\n    ...\n",
            "for a in b:\n    ...\n",
            "def f():\n    # ... other code ...\n",
            "x = 1\n...\n",
        ] {
            assert!(at("a.py", text).is_some(), "{text}");
        }
        assert_eq!(at("a.js", "def f():\n    ...\n"), Some(Dots), "another language");
        assert_eq!(at("a.pyi", "class A:\n    ...\n    x: int\n"), None);
        assert_eq!(at("a.pyi", "class A:\n    # ... other code ...\n"), Some(Marked));
        assert_eq!(at("a.R", "f <- function(\n  x,\n  ...\n) {\n"), None, "the last parameter");
        assert!(at("a.R", "f <- function(x) {\n  ...\n}\n").is_some());
        assert!(at("a.js", "f(\n  x,\n  ...\n);\n").is_some(), "another language");
        assert_eq!(at("a.yml", "a: 1\n...\n"), None, "the end of a document");
        assert_eq!(at("a.yml", "a:\n  b: 1\n  ...\n"), Some(Dots));
    }

    #[test]
    fn dots_are_no_whole_body_if_the_file_continues_the_body() {
        let at = |text: &str, above: Option<&str>, below| {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            let beside = Beside { above: above.map(str::as_bytes), below };
            Placeholder::at(&lines, lines.len() - 1, Language::of("a.py"), &|| beside)
        };
        let whole = "def f():\n    ...\n";
        assert_eq!(at(whole, None, Some(Ordering::Equal)), None);
        assert_eq!(at(whole, None, Some(Ordering::Greater)), Some(Dots), "the rest of the body");
        assert_eq!(at("    ...\n", Some("def f():"), Some(Ordering::Less)), None);
        assert_eq!(at("    ...\n", Some("def f():"), Some(Ordering::Equal)), Some(Dots));
        assert_eq!(at("    ...\n", Some("    a()"), Some(Ordering::Less)), Some(Dots));
        let described = "    \"\"\"What.\"\"\"\n    ...\n";
        assert_eq!(at(described, Some("def f():"), Some(Ordering::Less)), None);
        assert_eq!(
            at(described, Some("def f():"), Some(Ordering::Equal)),
            Some(Dots),
            "the rest of the body"
        );
    }

    #[test]
    fn an_example_in_prose_is_no_placeholder() {
        let at = |text: &str| {
            let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            let line = lines.iter().position(|line| memchr::memmem::find(line, b"...").is_some()).unwrap();
            Placeholder::at(&lines, line, Language::of("a.md"), &Beside::default)
        };
        assert_eq!(at("```html\n<!-- ... other code ... -->\n```\n"), None);
        assert_eq!(at("```py\n# ... other code ...\n```\n"), None);
        assert_eq!(at("...\n"), None);
        assert_eq!(at("# A\n\n<!-- ... rest of the file ... -->\n"), Some(Marked));
    }
}
