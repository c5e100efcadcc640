//! Paths in the text around edits: path lines, info strings, and words of prose.
//!
//! Only the form of a word counts here; whether the tree has such a file is looked up later.

use super::scan::{Line, starts_with_ignore_case, trim};
use super::why::without_mark;
use crate::edit::{Candidate, Target, shown};
use crate::span::Span;
use crate::text::extension;
use std::borrow::Cow;

/// The labels of paths.
const LABELS: &[&str] = &["filename", "file path", "filepath", "file", "path"];
/// The quotes and marks around a path.
const WRAPPERS: [&str; 5] = ["**", "__", "`", "\"", "'"];
/// The beginnings and ends of comments.
const COMMENTS: &[(&str, &str)] =
    &[("//", ""), ("#", ""), ("--", ""), (";", ""), ("%", ""), ("/*", "*/"), ("<!--", "-->")];
/// Brackets and commas that a path may have, as in `app/[id]/page.tsx` and `(group)/a,b.ts`.
const BRACKETS: [char; 5] = ['[', ']', '(', ')', ','];
/// The characters of file names that Markdown escapes with a backslash.
const ESCAPED: [char; 7] = ['_', '*', '[', ']', '(', ')', '#'];
/// The length of the longest path, in bytes.
const MAX_LENGTH: usize = 400;

/// A path in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedPath<'t> {
    pub(super) path: &'t str,
    /// Whether a label or quotes mark it as a path.
    pub(super) quoted: bool,
    /// Whether line numbers or a remark follow it, so that it may be named for a part of the file.
    pub(super) is_part: bool,
}

impl NamedPath<'_> {
    /// Whether it is certainly meant as a path: it is marked as one, or has the form of one.
    pub(super) fn is_sure(&self) -> bool {
        self.quoted || is_path(self.path)
    }

    /// The path with its span; the path is a part of the line.
    pub(super) fn target(self, line: Line<'_>, response: u32) -> Target {
        let start = line.start + (self.path.as_ptr() as usize - line.text.as_ptr() as usize);
        let span = Span::new(response, start, start + self.path.len());
        Target::new(&unescaped(self.path), span)
    }
}

/// Returns the path of a line that is only a path. It may be in backquotes, bold or a link, after `#`, a list mark or
/// `File:`, and before a colon or line numbers.
pub(super) fn path_line(line: &str) -> Option<NamedPath<'_>> {
    path_and_label(line).0
}

/// As [`path_line`]; also returns whether the line begins with `File:`.
pub(super) fn path_and_label(line: &str) -> (Option<NamedPath<'_>>, bool) {
    let text = without_marks(line);
    let value = after_label(text);
    (only_path(value.unwrap_or(text), value.is_some()), value.is_some())
}

/// Returns the path in a line that is only a comment with a path.
pub(super) fn path_comment(line: &str) -> Option<NamedPath<'_>> {
    // Three dashes begin the header of a diff.
    let text = Some(trim(line)).filter(|text| !text.starts_with("---"))?;
    let found = COMMENTS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?.strip_suffix(close)?;
        // Removes the rest of `///` or `##`.
        let inner = trim(inner.trim_start_matches(|c| open.starts_with(c)));
        let value = after_label(inner);
        only_path(value.unwrap_or(inner), value.is_some())
    });
    found.filter(NamedPath::is_sure)
}

/// Whether a line begins with a comment, or is a tag.
pub(super) fn is_comment(line: &str) -> bool {
    let text = trim(line);
    COMMENTS.iter().any(|(open, _)| text.starts_with(open)) || text.starts_with('<') && text.ends_with('>')
}

/// Whether a line has to be the first one of its file, so that a comment with the path can only be below it.
pub(super) fn is_preamble(line: &str) -> bool {
    ["#!", "<?", "<!DOCTYPE", "\"use ", "'use "].iter().any(|word| starts_with_ignore_case(line, word))
}

/// Whether two paths may be of the same file: they are equal, or one ends with all components of the other.
pub(super) fn may_be_same(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|path| format!("/{}", shown(path)));
    one.ends_with(&other) || other.ends_with(&one)
}

/// Whether the first line of a text is a comment with a path, and a later line is the same kind of comment with another
/// path.
pub(super) fn names_several(text: &str) -> bool {
    let form = |path: &str| (path.contains('/'), extension(path).is_some());
    let mut named = text.lines().map(|line| {
        let path = path_comment(line)?.path;
        let start = path.as_ptr() as usize - line.as_ptr() as usize;
        Some((path, (&line[..start], line[start + path.len()..].trim_end(), form(path))))
    });
    let Some((first, style)) = named.next().flatten() else { return false };
    named.flatten().any(|(path, other)| other == style && path != first)
}

/// Returns the path in an info string: the only word with the form of a path, as in `python src/a.py`,
/// `title="src/a.js" showLineNumbers` or `12:15:src/a.rs`. If there is no such word, the whole string may be a path.
pub(super) fn path_info<'t>(info: &'t str) -> Option<NamedPath<'t>> {
    // Most info strings are one word, such as `diff`.
    info.contains(['.', '/', '\\']).then_some(())?;
    let path_of = |text| only_path(text, false).filter(|found| is_path(found.path));
    let is_border = |c: char| c.is_whitespace() || "{}\"'=,:;".contains(c);
    let bare = |word: &'t str| {
        let inner = |open: char, close: char| word.strip_prefix(open)?.strip_suffix(close);
        inner('(', ')').or_else(|| inner('[', ']')).unwrap_or(word)
    };
    // In `{.python file="a.py"}`, the first word is a class.
    let is_class = |found: &NamedPath<'_>| found.path.starts_with('.') && info.contains('{');
    let mut words = info.split(is_border).map(bare).filter_map(path_of).filter(|found| !is_class(found));
    let only = words.next().filter(|first| words.all(|other| other.path == first.path));
    let only = only.or_else(|| path_of(info))?;
    // Line numbers, a remark or the arguments of a command may follow the path.
    let after = &info[only.path.as_ptr() as usize - info.as_ptr() as usize + only.path.len()..];
    let after = after.trim_start();
    let is_number = |text: &str| text.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit());
    let is_part = only.is_part
        || after.starts_with('(')
        || after.strip_prefix([':', '#']).is_some_and(is_number)
        || after.starts_with('-') && after.trim_start_matches('-').starts_with(char::is_alphabetic);
    Some(NamedPath { is_part, ..only })
}

/// The paths that lines, comments and info strings name for a code block.
pub(super) fn own_paths(files: &[Candidate]) -> impl Iterator<Item = &str> {
    files.iter().filter(|file| file.by.is_whole()).map(|file| file.path.raw.as_str())
}

/// Returns the words of a line of prose that may be paths, in order.
pub(super) fn path_words(line: &str) -> impl Iterator<Item = NamedPath<'_>> {
    let may_be_in_word = |c: char| is_of_path(c) || c == ':';
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(|c| !matches!(c, '`' | '[') && !may_be_in_word(c));
            let quoted = rest.strip_prefix('`').and_then(|inner| inner.split_once('`'));
            let (word, after) = match (quoted, link_length(rest)) {
                (Some((word, after)), _) => (trim(word), after),
                (None, Some(length)) => rest.split_at(length),
                (None, None) => {
                    rest = rest.strip_prefix(['`', '[']).unwrap_or(rest);
                    let (word, after) =
                        rest.split_at(rest.find(|c| !may_be_in_word(c)).unwrap_or(rest.len()));
                    let word = word.split(':').next().unwrap_or(word).trim_end_matches(['.', '-']);
                    (without_prose(word), after)
                }
            };
            if rest.is_empty() {
                return None;
            }
            rest = after;
            let quoted = quoted.is_some();
            let found = only_path(word, quoted).map(|found| NamedPath { quoted, ..found });
            // Without quotes, a word counts only if it looks like the name of a file.
            let may_be_name = |found: &NamedPath<'_>| {
                quoted || is_path(found.path) || found.path.starts_with(char::is_uppercase)
            };
            if let Some(found) = found.filter(may_be_name) {
                return Some(found);
            }
        }
    })
}

/// Whether a text only names a file. A single word with a colon may be before the path, such as `File:` in any
/// language.
pub(super) fn only_names(text: &str) -> bool {
    // Most texts are prose: they have more words than a label and a path.
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    if !text.contains('`') && text.split_whitespace().filter(is_word).nth(2).is_some() {
        return false;
    }
    let Some(found) = path_words(text).find(NamedPath::is_sure) else { return false };
    let start = found.path.as_ptr() as usize - text.as_ptr() as usize;
    let (before, after) = (&text[..start], &text[start + found.path.len()..]);
    let before = trim(before.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '：')));
    let is_label = |label: &str| !label.contains(char::is_whitespace);
    !after.contains(char::is_alphanumeric)
        && (before.is_empty() || before.strip_suffix([':', '：']).is_some_and(is_label))
}

/// Whether a text has the form of a path: one word with a separator or an extension. A word with brackets needs both.
pub(super) fn is_path(path: &str) -> bool {
    if path.contains(' ') {
        return false;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.len() <= 20
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    });
    if path.contains(BRACKETS) {
        extension && path.contains('/')
    } else {
        extension || path.contains(['/', '\\'])
    }
}

/// A line without the marks of a heading, a list item or bold text.
fn without_marks(line: &str) -> &str {
    let text = trim(without_mark(without_mark(trim(trim(line).trim_start_matches('#')))));
    text.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")).map_or(text, trim)
}

/// The text after `File:` or another label.
fn after_label(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches('*');
    if !bare.starts_with(['f', 'F', 'p', 'P']) {
        return None;
    }
    let name = LABELS.iter().find(|name| starts_with_ignore_case(bare, name))?;
    let rest = bare[name.len()..].trim_start_matches('*').strip_prefix([':', '：'])?;
    Some(trim(rest.strip_prefix("**").unwrap_or(rest)))
}

/// Returns the path if a text is only a path, without quotes and marks around it.
fn only_path(text: &str, labelled: bool) -> Option<NamedPath<'_>> {
    let (mut text, mut quoted, mut is_part) = (trim(text), labelled, false);
    // Marks may be nested, as in **`a.py`**.
    for _ in 0..4 {
        text = trim(text.strip_suffix([':', '：']).unwrap_or(text));
        if let Some(path) = without_remark(text) {
            (text, is_part) = (path, true);
        }
        let inner = |mark: &&str| text.strip_prefix(*mark)?.strip_suffix(*mark);
        // Most lines are prose, and a look at the first letter costs less than five comparisons.
        let wrappers = if text.starts_with(char::is_alphanumeric) { &[][..] } else { &WRAPPERS[..] };
        if let Some((inner, mark)) = wrappers.iter().find_map(|mark| Some((inner(mark)?, *mark))) {
            (text, quoted) = (trim(inner), quoted || mark != "**" && mark != "__");
        } else if let Some((name, link)) = text.strip_prefix('[').and_then(|rest| rest.split_once("](")) {
            (text, quoted) = (path_of_link(name, link.strip_suffix(')')?)?, true);
        } else {
            break;
        }
    }
    is_plausible(text, quoted).then_some(NamedPath { path: text, quoted, is_part })
}

/// Removes the escapes of Markdown, as in `my\_long\_name.py`. They are escapes only if there are at least two and all
/// such characters have one: a single backslash may separate folders.
fn unescaped(path: &str) -> Cow<'_, str> {
    let is_escaped = |(at, _): (usize, &str)| path[..at].ends_with('\\');
    let all = path.match_indices(ESCAPED);
    if all.clone().count() < 2 || !all.clone().all(is_escaped) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(
        ESCAPED.iter().fold(path.to_owned(), |path, c| path.replace(&format!("\\{c}"), &c.to_string())),
    )
}

/// Returns the length of the link at the start of a text.
fn link_length(text: &str) -> Option<usize> {
    let target = text.strip_prefix('[')?.find(']')? + 2;
    let length = text[target..].strip_prefix('(')?.find(')')? + 2;
    Some(target + length)
}

/// Returns the path that a link `[name](target)` names:
/// - the target, if it adds directories to the name: `[a.py](src/a.py)`;
/// - otherwise the name, if it has directories, or the target has none either:
///   `[src/a.py](https://x.org/src/a.py)`, `[a.py](b.py)`;
/// - otherwise the target, if it is a local path: `[the file](src/a.py)`.
fn path_of_link<'t>(name: &'t str, target: &'t str) -> Option<&'t str> {
    let bare = target.split(['#', '"', '\'']).next().map_or(target, trim);
    let bare = target.strip_prefix('<').and_then(|rest| rest.split('>').next()).unwrap_or(bare);
    let bare = without_remark(bare).unwrap_or(bare);
    // ChatGPT links its files from its own directory.
    let bare = bare.strip_prefix("sandbox:/mnt/data/").unwrap_or(bare);
    // Editors put their own scheme before the path, such as `mdc:`.
    let file = bare.split_once(':').filter(|(_, path)| !path.starts_with('/')).map_or(bare, |(_, path)| path);
    let is_local = !file.contains([':', '%']) || file.starts_with("file:");
    let is_relative = is_local && !file.starts_with(['/', '\\']) && !file.starts_with("..");
    let extends_name = is_path(file) && is_relative && file.len() > name.len() && may_be_same(name, file);
    let is_enough = name.contains(['/', '\\']) || !file.contains(['/', '\\', '%']);
    match is_path(name) && is_enough && !extends_name {
        true => Some(name),
        false => Some(file).filter(|_| is_local),
    }
}

/// Returns the path before line numbers or a remark, as in `a.py:4-6`, `a.py#L4-L6`, `a.py (lines 4-6)` and `` `a.py`
/// (new file) ``.
fn without_remark(text: &str) -> Option<&str> {
    if let Some((path, remark)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" ("))
        && (path.ends_with(['`', '*']) || path.rsplit(' ').next().is_some_and(is_path))
        && !remark.contains(['/', '.'])
    {
        return Some(trim(path));
    }
    let is_lines = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | 'L'));
    let numbered = Some(text).filter(|text| text.ends_with(|c: char| c.is_ascii_digit()))?;
    let (path, lines) = numbered.split_once(':').or_else(|| numbered.split_once("#L"))?;
    is_lines(lines).then_some(path)
}

/// Whether a character may be in a path without quotes. Other characters are rare in paths.
#[inline]
fn is_of_path(c: char) -> bool {
    match c.is_ascii() {
        true => {
            c.is_ascii_alphanumeric()
                || matches!(c, '/' | '\\' | '.' | '_' | '-' | '+' | '@' | '~' | '$' | '#' | '%' | '&')
        }
        false => c.is_alphanumeric(),
    }
}

/// Removes prose around a path in a script that has no blanks between words, as in `把src/a.py改掉`.
fn without_prose(word: &str) -> &str {
    let is_prose = |c: char| !c.is_ascii() && (c >= '\u{2e80}' || !c.is_alphabetic());
    let begins = |text: &&str| text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let word = Some(word.trim_start_matches(is_prose)).filter(begins).unwrap_or(word);
    let ends = |text: &&str| text.ends_with(|c: char| c.is_ascii_alphanumeric());
    Some(word.trim_end_matches(is_prose)).filter(ends).unwrap_or(word)
}

/// Whether a text may be a path.
fn is_plausible(path: &str, quoted: bool) -> bool {
    // A path may have blanks. Later, the tree shows whether it is one, or prose.
    let may_be = |(at, c): (usize, char)| {
        c == ' '
            || is_of_path(c)
            || BRACKETS.contains(&c)
            || c == ':' && (at == 1 || path.starts_with("file:"))
    };
    let is_plain = || path.char_indices().all(may_be) && without_prose(path).len() == path.len();
    let is_odd = |c: char| {
        c.is_control() || matches!(c, '`' | '<' | '>' | '"' | '|' | '*' | '?' | ';' | '{' | '}' | '=' | '…')
    };
    // A folder may be a pattern or a template, as in `[id=int]/a.ts` and `{{slug}}/a.ts`.
    let is_template = || path.contains('/') && is_path(path) && path.contains(['[', '{']);
    let is_of_template = |c: char| matches!(c, '{' | '}' | '=');
    // Most lines are prose, so the checks that fail soonest come first.
    path.len() <= MAX_LENGTH
        && !path.starts_with('!')
        && !path.ends_with(['.', ',', '!'])
        && (quoted || is_plain())
        && (!path.contains(is_odd) || is_template() && !path.contains(|c| is_odd(c) && !is_of_template(c)))
        && !path.contains(" /")
        && !path.contains("/ ")
        && path.contains(char::is_alphanumeric)
        && (!path.contains("://") || starts_with_ignore_case(path, "file:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_only_a_path_names_the_file() {
        for (line, path) in [
            ("src/a.py", "src/a.py"),
            ("### File: src/a.py", "src/a.py"),
            ("**File:** `src/a.py`", "src/a.py"),
            ("**src/a.py**:", "src/a.py"),
            ("### 1. `a.py` (lines 4-6)", "a.py"),
            ("- a.py:4-6", "a.py"),
            ("[a.py](src/a.py):", "src/a.py"),
            ("[src/a.py](./src/a.py#L4)", "./src/a.py"),
            ("[src/a.py](https://x.org/src/a.py)", "src/a.py"),
            ("[a.py](b.py)", "a.py"),
            ("[a.py](src/a.py \"title\")", "src/a.py"),
            ("[a.py](<src/a.py>)", "src/a.py"),
            ("[a.py](/src/a.py)", "/src/a.py"),
            ("[a.py](../src/a.py)", "../src/a.py"),
            ("[a.py](src/b.py)", "src/b.py"),
            ("[a.py](src/a.py:12)", "src/a.py"),
            ("[a.py](sandbox:/mnt/data/src/a.py)", "src/a.py"),
            ("[new file.py](src/new file.py)", "src/new file.py"),
            ("[a.py](mdc:src/a.py)", "src/a.py"),
            ("[src/a.py](/src/a.py)", "src/a.py"),
            ("[src/a.py](../src/a.py)", "src/a.py"),
            ("[src/a.py](sandbox:/mnt/src/a.py)", "src/a.py"),
            ("[the file](src/a.py)", "src/a.py"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            ("### app/(group)/[...slug].tsx:", "app/(group)/[...slug].tsx"),
            ("`my file.txt`", "my file.txt"),
            ("Makefile", "Makefile"),
            ("File: Makefile", "Makefile"),
            ("d\\a.py", "d\\a.py"),
        ] {
            assert_eq!(path_line(line).map(|found| found.path), Some(path), "{line}");
        }
        for (line, is_part) in [
            ("`a.py`:", false),
            ("`a.py:4-6`", true),
            ("**`a.py`** (new):", true),
            ("src/a.py#L4-L6", true),
            ("src/c#/a.cs", false),
        ] {
            assert_eq!(path_line(line).map(|found| found.is_part), Some(is_part), "{line}");
        }
        for line in [
            "[a.py](https://x.org/src/a.py)",
            "[a.py](sandbox:/mnt/src/a.py)",
            "[a.py](src%2Fa.py)",
            "Change `a.py` so:",
            "https://x.org/a.py",
            "done.",
            "path/<name>.py",
        ] {
            assert_eq!(path_line(line), None, "{line}");
        }
        for line in ["in a.py", "a.py and b.py", "my file.txt", "(1/3)", "f(a/b)", "a[0].js", "a.py,b.py"] {
            assert!(path_line(line).is_some_and(|found| !found.is_sure()), "{line}");
        }
    }

    #[test]
    fn info_strings_and_comments_name_files() {
        for (text, path) in [
            ("src/a.py", Some("src/a.py")),
            ("python src/a.py", Some("src/a.py")),
            ("python:src/a.py", Some("src/a.py")),
            ("js title=\"a.js\"", Some("a.js")),
            ("js title=\"src/a.js\" showLineNumbers", Some("src/a.js")),
            ("js {file=src/a.js}", Some("src/a.js")),
            ("js (src/a.js)", Some("src/a.js")),
            ("{.python #main file=\"src/a.py\" .numberLines}", Some("src/a.py")),
            ("tsx title=\"app/[id]/page.tsx\"", Some("app/[id]/page.tsx")),
            ("tsx:app/(group)/page.tsx", Some("app/(group)/page.tsx")),
            ("ts // src/a.ts", Some("src/a.ts")),
            ("12:15:src/a.rs", Some("src/a.rs")),
            ("a.rs b.rs", None),
            ("python", None),
            ("rust,no_run", None),
        ] {
            assert_eq!(path_info(text).map(|found| found.path), path, "{text}");
        }
        let of = |line| path_comment(line).map(|found: NamedPath<'static>| found.path);
        assert_eq!(of("# src/a.py"), Some("src/a.py"));
        assert_eq!(of("// File: a.ts"), Some("a.ts"));
        assert_eq!(of("<!-- a.html -->"), Some("a.html"));
        assert_eq!(of("# Makefile"), None, "a comment may be of one word");
        assert_eq!(of("#!/bin/sh"), None, "a program is no file of the repository");
    }

    #[test]
    fn a_second_path_as_a_comment_like_the_first_is_another_file() {
        let of = |text: &str| names_several(&format!("{text}\nx\n"));
        for text in ["# a/b.py\nx\n\n# a/c.py", "<!-- File: a.html -->\n<!-- File: b.html -->"] {
            assert!(of(text), "{text}");
        }
        for text in [
            "x\n# a/b.py\n# a/c.py",
            "# a/b.py\n# a/b.py",
            "# a/b.py\n  # a/c.py",
            "# a/b.py\n# and/or",
            "// src/a.js\n// Node.js",
            "// src/a.js\n// see src/b.js",
        ] {
            assert!(!of(text), "{text}");
        }
    }

    #[test]
    fn words_of_prose_that_may_be_paths_are_found() {
        let of = |line: &'static str| path_words(line).map(|found| found.path).collect::<Vec<_>>();
        assert_eq!(
            of("Now change `src/a.py`, and (b.rs); see the Makefile."),
            ["Now", "src/a.py", "b.rs", "Makefile"]
        );
        assert_eq!(of("it is `lower` case"), ["lower"]);
        let links = "[it](src/a.py), [a.py](https://a.org/src/a.py) and [ ] [b.py] and [c.py]";
        assert_eq!(of(links), ["src/a.py", "b.py", "c.py"]);
        assert_eq!(of("see https://a.org/b.py and e.g. this"), ["e.g"]);
    }
}
