//! What a line above a block says: the file's name, the reason, or prose.
//!
//! A line that is a path and nothing else names the file. Prose that holds one does not: it may be about another file.

use crate::format::scan::{starts_with_ignore_case, trim};

/// What a line says. All texts are parts of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Said<'r> {
    /// `### File: path`.
    File(&'r str),
    /// `**Reason**: text`.
    Reason(&'r str),
    /// A path alone.
    Path(&'r str),
    /// One word that may be a file without extension.
    Word(&'r str),
    /// Anything else.
    Prose,
}

/// Files whose name alone tells that it is one.
const KNOWN: &[&str] = &[
    ".dockerignore",
    ".editorconfig",
    ".env",
    ".eslintrc",
    ".gitattributes",
    ".gitignore",
    ".npmrc",
    ".prettierrc",
    "AUTHORS",
    "BUILD",
    "CHANGELOG",
    "CODEOWNERS",
    "CONTRIBUTING",
    "COPYING",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "Kconfig",
    "LICENSE",
    "MAINTAINERS",
    "Makefile",
    "NOTICE",
    "Pipfile",
    "Procfile",
    "README",
    "Rakefile",
    "TODO",
    "VERSION",
    "Vagrantfile",
    "WORKSPACE",
    "justfile",
    "makefile",
];

/// What stands around a path in prose.
const WRAPPERS: [&str; 5] = ["**", "__", "`", "\"", "'"];

impl<'r> Said<'r> {
    /// What a line says.
    pub(in crate::format) fn of(line: &'r str) -> Self {
        match label(line) {
            Some(Label { name: "reason" | "why", value, .. }) => return Said::Reason(value),
            Some(Label { value, marked: true, .. }) => {
                // Behind a quoted path anything may follow.
                let quoted = value.strip_prefix('`').and_then(|rest| rest.split_once('`'));
                return match quoted.map_or_else(|| unwrap(value).0, |(path, _)| trim(path)) {
                    path if path.trim().is_empty() => Said::Prose,
                    path => Said::File(path),
                };
            }
            Some(Label { value, .. }) => return alone(value, false),
            None => {}
        }
        let text = trim(line);
        let unled = without_lead(text);
        alone(unled, unled.len() < text.len())
    }

    /// The path in a fence's info string: the whole of it, or what stands behind a language.
    pub(in crate::format) fn of_info(info: &'r str) -> Option<&'r str> {
        // Lines of a file that are shown, as in `12:15:src/a.rs`.
        if info.starts_with(|c: char| c.is_ascii_digit()) && info.contains(':') {
            return None;
        }
        let path = |text| match alone(text, true) {
            Said::Path(path) => Some(path),
            _ => None,
        };
        let (language, rest) = info.split_once([' ', '\t', ':']).unwrap_or(("", info));
        let is_language = language.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '#'));
        let value = rest.split_once('=').map_or(rest, |(_, value)| value);
        path(trim(value)).filter(|_| is_language).or_else(|| path(info))
    }
}

/// What a label may say.
const LABELS: &[&str] = &["filename", "file path", "file", "path", "reason", "why"];

/// `File: …` and its like, or `<file>…</file>`.
struct Label<'r> {
    /// In lower case.
    name: &'static str,
    value: &'r str,
    /// Whether it is a heading or bold, so that what follows needs not look like a path.
    marked: bool,
}

fn label(line: &str) -> Option<Label<'_>> {
    let unled = without_lead(trim(line));
    if let Some(text) = unled.strip_prefix('<') {
        let name = LABELS.iter().find(|name| starts_with_ignore_case(text, name))?;
        let value =
            text[name.len()..].strip_prefix('>')?.strip_suffix('>')?.strip_suffix(&text[..name.len()])?;
        return Some(Label { name, value: trim(value.strip_suffix("</")?), marked: false });
    }
    let text = unled.trim_start_matches(['*', '_']);
    let bold = unled.len() - text.len();
    let name = LABELS.iter().find(|name| starts_with_ignore_case(text, name))?;
    let rest = text[name.len()..].trim_start_matches(['*', '_', ' ', '\t']);
    let rest = rest.strip_prefix(':')?;
    let value = if bold > 0 { rest.trim_start_matches(['*', '_']) } else { rest };
    // `**File: path**`: what opened before the name closes behind the value.
    let closed = bold == 0 || value.len() < rest.len() || text[name.len()..].starts_with(['*', '_']);
    let value = if closed { value } else { value.trim_end_matches(['*', '_']) };
    Some(Label { name, value: trim(value), marked: bold > 0 || trim(line).starts_with('#') })
}

/// What a line says of a new file, and of one that goes.
pub(in crate::format) const MADE: &[&str] = &["add", "create", "new"];
pub(in crate::format) const GONE: &[&str] = &["delete", "deleted", "remove", "removed"];

/// The path of the file that a line says that of, and hardly more: `### New file: path`, `Create path with:`.
pub(in crate::format) fn announced<'t>(line: &'t str, says: &[&str]) -> Option<&'t str> {
    let fillers =
        &["a", "also", "and", "called", "file", "finally", "first", "named", "next", "now", "the", "then"];
    let mut text = without_lead(trim(line)).trim_matches(['*', '_']);
    let mut is_said = false;
    for _ in 0..8 {
        let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        let says = is(says);
        if !(says || is(fillers)) || !rest.starts_with([' ', ':', '*', ',']) {
            break;
        }
        is_said |= says;
        text = rest.trim_start_matches([' ', ':', '*', ',']);
    }
    let text = text.split_once(" with").filter(|_| text.ends_with(':')).map_or(text, |(path, _)| path);
    match alone(text.trim_end_matches('.'), true) {
        Said::Path(path) if is_said => Some(path),
        _ => None,
    }
}

/// A line without the marks of a heading, a list item or a comment.
fn without_lead(text: &str) -> &str {
    let mut text = text;
    for _ in 0..3 {
        let rest = text.trim_start_matches('#');
        let rest = if rest.len() < text.len() {
            rest
        } else if let Some(rest) = ["- ", "* ", "+ ", "// "].iter().find_map(|lead| text.strip_prefix(lead)) {
            rest
        } else {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = if rest.len() < text.len() { rest.strip_prefix(['.', ')']) } else { None };
            match rest.filter(|rest| rest.starts_with(' ')) {
                Some(rest) => rest,
                None => break,
            }
        };
        text = trim(rest);
    }
    text
}

/// Takes colons behind a text and quotes around it away; whether there were any, and which was the innermost.
fn unwrap(text: &str) -> (&str, bool, Option<&'static str>) {
    let mut text = without_remark(trim(text));
    let (mut colon, mut wrapper) = (false, None);
    for _ in 0..4 {
        if let Some(rest) = text.strip_suffix([':', '：']) {
            (text, colon) = (trim(rest), true);
        }
        let inner = |mark: &&'static str| text.strip_prefix(*mark)?.strip_suffix(*mark);
        match WRAPPERS.iter().find_map(|mark| Some((inner(mark)?, *mark))) {
            Some((inner, mark)) => (text, wrapper) = (trim(inner), Some(mark)),
            None => break,
        }
    }
    (text, colon, wrapper)
}

/// A text without a remark such as ` (new file)` behind a path.
fn without_remark(text: &str) -> &str {
    let bare = trim(text.trim_end_matches(':'));
    let Some((path, remark)) = bare.rsplit_once(" (") else { return text };
    let is_remark = |text: &str| text.chars().all(|c| c.is_alphabetic() || c == ' ');
    let path = trim(path);
    let is_path = path.ends_with(['`', '*']) || has_extension(path);
    if is_path && remark.strip_suffix(')').is_some_and(is_remark) { path } else { text }
}

/// What a text says that may be a path with quotes around it. `led`: it is a heading or an item of a list.
fn alone(text: &str, led: bool) -> Said<'_> {
    let (path, colon, wrapper) = unwrap(text);
    let quoted = matches!(wrapper, Some("`" | "\"" | "'"));
    if !is_plausible(path, quoted) {
        return Said::Prose;
    }
    if path.contains(['/', '\\']) || has_extension(path) || KNOWN.contains(&path) {
        Said::Path(path)
    } else if led || colon || wrapper.is_some_and(|mark| mark != "`") || !path.bytes().all(is_of_word) {
        Said::Prose
    } else {
        Said::Word(path)
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || !byte.is_ascii()
}

/// Whether a text may be a path at all.
fn is_plausible(path: &str, quoted: bool) -> bool {
    let is_url = path.contains("://") && !starts_with_ignore_case(path, "file:");
    let is_odd = |c: char| {
        c.is_control() || matches!(c, '`' | '<' | '>' | '"' | '|' | '*' | '?' | ';' | '{' | '}' | '=')
    };
    path.contains(char::is_alphanumeric)
        && !is_url
        && !path.contains(is_odd)
        && !path.ends_with(['.', ',', '!'])
        && (quoted || !path.contains(char::is_whitespace))
}

/// Whether a path's file has an extension, or is a dot file.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (1..=20).contains(&extension.len())
        && is_extension(extension)
        && extension.contains(|c: char| c.is_ascii_alphabetic())
        && (!stem.is_empty() || extension.len() > 1)
}

/// Extensions by which a word of prose is known for a file: a dot is in `console.log` too.
const EXTENSIONS: &[&str] = &[
    "c", "cc", "cfg", "clj", "cmake", "conf", "cpp", "cs", "css", "csv", "cts", "dart", "ex", "exs", "go",
    "gradle", "graphql", "h", "hpp", "hs", "htm", "html", "ini", "java", "js", "json", "jsx", "kt", "lua",
    "md", "mjs", "ml", "mts", "php", "pl", "proto", "py", "pyi", "r", "rb", "rs", "rst", "scala", "scss",
    "sh", "sql", "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zig",
];

/// Whether a character is one of a path in prose. All others stand around it.
fn is_of_path(c: char) -> bool {
    let is_accent = matches!(c, '\u{300}'..='\u{36f}');
    c.is_alphanumeric()
        || is_accent
        || matches!(c, '/' | '\\' | '.' | '_' | '-' | '+' | '@' | '~' | '$' | '#' | '%' | '&')
}

/// The files that a line of prose speaks of.
pub(in crate::format) fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    // An address is one word, with its colon; otherwise a path ends where a sign stands that paths seldom have.
    let is_url = |word: &&str| word.contains("://") && !starts_with_ignore_case(word, "file:");
    let words = line
        .split([' ', '\t', '`', '"', '\'', '(', ')', '[', ']', '<', '>'])
        .filter(move |word| !is_url(word));
    let words = words.flat_map(|word| word.split(|c| !is_of_path(c)));
    words.map(|word| word.trim_start_matches('-').trim_end_matches(['.', '-'])).filter(|word| {
        let extension = word.rsplit_once('.').map(|(stem, extension)| (stem, extension.to_ascii_lowercase()));
        let known = extension.is_some_and(|(stem, extension)| {
            // `Node.js` is no file.
            let is_name = extension == "js" && stem.starts_with(char::is_uppercase) && !stem.contains('/');
            !stem.is_empty() && !is_name && EXTENSIONS.contains(&extension.as_str())
        });
        // Of the other names those in capitals are words of prose.
        let is_name = || KNOWN.contains(word) && word.contains(char::is_lowercase);
        (known || is_name()) && is_plausible(word, false)
    })
}

/// Whether two paths may be the same, one of them perhaps without its directory.
pub(in crate::format) fn may_be_same(one: &str, other: &str) -> bool {
    let parts = |path: &'_ str| -> Vec<String> {
        path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    one.ends_with(&other) || other.ends_with(&one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_names_a_file_or_a_reason() {
        for (line, said) in [
            ("### File: src/a.rs", Said::File("src/a.rs")),
            ("# file:   my file.txt  ", Said::File("my file.txt")),
            ("###### File: `src/a.rs`", Said::File("src/a.rs")),
            ("**File**: src/a.rs", Said::File("src/a.rs")),
            ("**File:** `src/a.rs` (new)", Said::File("src/a.rs")),
            ("**File: Makefile**", Said::File("Makefile")),
            ("### **File:** lib", Said::File("lib")),
            ("### File: src/new.rs (new file)", Said::File("src/new.rs")),
            ("### File: app/(group)/page.tsx", Said::File("app/(group)/page.tsx")),
            ("File: src/a.rs", Said::Path("src/a.rs")),
            ("File: see below", Said::Prose),
            ("### File:", Said::Prose),
            ("### File: \u{a0}", Said::Prose),
            ("### Files: a, b", Said::Prose),
            ("**Reason**: it broke", Said::Reason("it broke")),
            ("**Reason:** it *broke*", Said::Reason("it *broke*")),
            ("- Reason: it broke", Said::Reason("it broke")),
            ("Why: because", Said::Reason("because")),
            ("<path>src/a.rs</path>", Said::Path("src/a.rs")),
            ("<file>`a.rs`</file>:", Said::Prose),
            ("<why>it broke</why>", Said::Reason("it broke")),
            ("<path>src/a.rs</file>", Said::Prose),
            ("<file src/a.rs>", Said::Prose),
        ] {
            assert_eq!(Said::of(line), said, "{line:?}");
        }
    }

    #[test]
    fn a_file_that_comes_or_goes_is_announced_by_its_path_alone() {
        for line in [
            "### New file: `src/a.py`",
            "### Create src/a.py",
            "**New file `src/a.py`:**",
            "**New file:** src/a.py",
            "Create `src/a.py`:",
            "2. Add a new file src/a.py",
            "And a new file `src/a.py`:",
            "Next, create the file `src/a.py` with the following content:",
        ] {
            assert_eq!(announced(line, MADE), Some("src/a.py"), "{line}");
            assert_eq!(announced(line, GONE), None, "{line}");
        }
        for line in [
            "DELETE FILE: src/a.py",
            "### Delete `src/a.py`",
            "- **Removed:** `src/a.py`",
            "Remove the file `src/a.py`.",
        ] {
            assert_eq!(announced(line, GONE), Some("src/a.py"), "{line}");
        }
        for line in [
            "src/a.py",
            "File: src/a.py",
            "Create `a.py` in `src/`:",
            "The new `a.py` is used so:",
            "New in a.py:",
            "Create it:",
            "Create a page with `src/a.py`:",
            "Add `src/a.py` with the others",
        ] {
            assert_eq!(announced(line, MADE), None, "{line}");
        }
    }

    #[test]
    fn prose_speaks_of_files() {
        for (line, paths) in [
            ("Now update `src/b.py`:", &["src/b.py"][..]),
            ("**src/b.py** needs a.rs too.", &["src/b.py", "a.rs"]),
            ("In (lib/x.ts), line 3", &["lib/x.ts"]),
            ("We call `console.log` from Node.js, e.g. with os.path, and/or https://a.b/c.html", &[]),
            ("`x.py()` is .py", &["x.py"]),
            ("In the Makefile, a TODO:", &["Makefile"]),
            ("The .gitignore file, the .env, a .map() and process.env:", &[".gitignore", ".env"]),
            ("src/b.py—raise it, <b>lib/x.ts</b>: a.rs:2", &["src/b.py", "lib/x.ts", "a.rs"]),
            (
                "<!--a.rs--> {b.rs} file=c.rs ===d.rs |e.rs| «f.rs»…",
                &["a.rs", "b.rs", "c.rs", "d.rs", "e.rs", "f.rs"],
            ),
        ] {
            assert_eq!(mentioned(line).collect::<Vec<_>>(), paths, "{line}");
        }
        assert!(may_be_same("src/a.py", "a.py") && may_be_same("./a.py", "src\\a.py"));
        assert!(!may_be_same("src/a.py", "lib/a.py") && !may_be_same("ba.py", "a.py"));
    }

    #[test]
    fn a_path_alone_names_a_file() {
        for (line, path) in [
            ("src/a.rs", "src/a.rs"),
            ("a.txt", "a.txt"),
            ("  `src/a.rs`  ", "src/a.rs"),
            ("`my file.txt`", "my file.txt"),
            ("**src/a.rs**", "src/a.rs"),
            ("**`src/a.rs`**:", "src/a.rs"),
            ("**`src/a.rs`:**", "src/a.rs"),
            ("#### `x.py`:", "x.py"),
            ("# file1.py", "file1.py"),
            ("src/a.rs:", "src/a.rs"),
            ("- src/a.rs", "src/a.rs"),
            ("2. `src/a.rs`:", "src/a.rs"),
            ("// src/a.js", "src/a.js"),
            ("/x.ts", "/x.ts"),
            ("src\\a.rs", "src\\a.rs"),
            (".gitignore", ".gitignore"),
            (".gitattributes", ".gitattributes"),
            ("app.code-workspace", "app.code-workspace"),
            ("Makefile:", "Makefile"),
            ("## Dockerfile", "Dockerfile"),
            ("`src/new.rs` (new file):", "src/new.rs"),
            ("app/[slug]/+page.svelte", "app/[slug]/+page.svelte"),
            ("src/größe.rs", "src/größe.rs"),
        ] {
            assert_eq!(Said::of(line), Said::Path(path), "{line:?}");
        }
    }

    #[test]
    fn one_word_may_be_a_file_if_nothing_makes_it_a_heading() {
        assert_eq!(Said::of("file1"), Said::Word("file1"));
        assert_eq!(Said::of("`main`"), Said::Word("main"));
        for line in ["Example:", "## Changes", "**Note**", "- item", "Done."] {
            assert_eq!(Said::of(line), Said::Prose, "{line:?}");
        }
    }

    #[test]
    fn prose_names_no_file() {
        for line in [
            "",
            "...",
            "---",
            "In `src/a.rs`:",
            "Change src/a.rs like this:",
            "e.g.",
            "version 1.2",
            "3.14",
            "https://example.org/a.rs",
            "let x = 1;",
            "foo(bar)",
            "}",
            "<div>",
            "`a.rs` and `b.rs`",
            "*",
            "**",
            "`",
            ":",
        ] {
            assert_eq!(Said::of(line), Said::Prose, "{line:?}");
        }
    }

    #[test]
    fn an_info_string_may_hold_a_path() {
        for (info, path) in [
            ("src/a.rs", Some("src/a.rs")),
            ("x.py", Some("x.py")),
            ("python x.py", Some("x.py")),
            ("rust:src/a.rs", Some("src/a.rs")),
            ("js title=\"src/a.js\"", Some("src/a.js")),
            ("python", None),
            ("rust,ignore", None),
            ("c++", None),
            ("{.python}", None),
            ("src/my file.rs", None),
            ("", None),
        ] {
            assert_eq!(Said::of_info(info), path, "{info:?}");
        }
    }
}
