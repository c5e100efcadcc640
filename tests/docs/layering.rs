//! The layers of src: which module may use which, by the list in src/lib.rs, and which modules may use the operating
//! system.
//!
//! This reads the words of the source, without the compiler. Comments, string literals and tests do not count.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The first module of the list in src/lib.rs that is not pure.
const FIRST_IMPURE: &str = "vcs";
/// The modules of the standard library, and the crates, that use the operating system.
const WORLD: &[&str] = &["fs", "env", "time", "process", "net", "thread", "os", "path"];
const WORLDLY_CRATES: &[&str] = &["rustix", "tempfile", "signal_hook", "anstream"];
/// A file with more lines is about more than one thing.
const LONGEST: usize = 700;

/// The modules in the order of their layers, the lowest first.
struct Layers(Vec<String>);

impl Layers {
    /// Reads the layers from the text of src/lib.rs.
    fn read(lib: &str) -> Self {
        let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        Self(modules.map(str::to_owned).collect())
    }

    fn rank(&self, module: &str) -> Option<usize> {
        self.0.iter().position(|known| known == module)
    }

    fn is_pure(&self, module: &str) -> bool {
        self.rank(module) < self.rank(FIRST_IMPURE)
    }

    /// Returns what the file (its path from src) does that its layer may not.
    fn complaints(&self, file: &str, text: &str) -> Vec<String> {
        let module = modules(file);
        let Some(own) = module.first() else { return Vec::new() };
        let Some(rank) = self.rank(own) else {
            return vec![format!("{own} is not in the list of src/lib.rs")];
        };
        let words = words(&without_tests(&plain(text)));
        let mut all = Vec::new();
        for import in imports(&words, module.len()) {
            match self.rank(&import) {
                Some(other) if other > rank => all.push(format!("imports {import}, which lies above {own}")),
                // A macro or an item of lib.rs itself. There are none.
                None => all.push(format!("imports {import}, which is no module of src/lib.rs")),
                Some(_) => {}
            }
        }
        let has = |needle: &[&str]| words.windows(needle.len()).any(|found| found == needle);
        let has_word = |word: &str| words.iter().any(|found| found == word);
        if !["vcs", "cli"].contains(&own.as_str()) && has_word("discover") {
            all.push("looks for a repository, where only the command line does".to_owned());
        }
        if own != "vcs" {
            if has_word("git2") {
                all.push("names git2 outside src/vcs".to_owned());
            }
            let process = members(&words, &["process"]);
            if process.iter().any(|member| member == "Command" || member == "*") {
                all.push("starts processes outside src/vcs".to_owned());
            }
        }
        if own != "cli" {
            for name in ["println", "print", "eprintln", "eprint", "dbg"] {
                if has(&[name, "!"]) {
                    all.push(format!("prints ({name}!) outside src/cli"));
                }
            }
            for member in members(&words, &["io"]) {
                if ["stdout", "stderr", "stdin"].contains(&&*member) {
                    all.push(format!("uses io::{member} outside src/cli"));
                }
            }
        }
        if self.is_pure(own) {
            for member in members(&words, &["std"]) {
                if WORLD.contains(&&*member) {
                    all.push(format!("uses std::{member} in a pure layer"));
                }
            }
            for name in WORLDLY_CRATES.iter().filter(|name| has_word(name)) {
                all.push(format!("uses {name} in a pure layer"));
            }
        }
        all
    }
}

/// Returns the path of the module that a file (its path from src) is, outermost first; empty for lib.rs and main.rs.
fn modules(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" || path == "main" {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// Returns the source with blanks in place of comments and string literals.
fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let length = if rest.starts_with(b"//") {
            find(rest, b"\n")
        } else if rest.starts_with(b"/*") {
            find(rest, b"*/") + 2
        } else if rest[0] == b'"' {
            1 + quoted(&rest[1..], b'"')
        } else if rest[0] == b'r' && !is_word(before) && raw(rest).is_some() {
            raw(rest).unwrap_or(1)
        } else if rest.starts_with(b"'\\") || (rest.len() > 2 && rest[0] == b'\'' && closes(&rest[1..])) {
            1 + quoted(&rest[1..], b'\'')
        } else {
            at += 1;
            continue;
        };
        let end = (at + length).min(bytes.len());
        out[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn find(text: &[u8], what: &[u8]) -> usize {
    text.windows(what.len()).position(|found| found == what).unwrap_or(text.len())
}

/// Returns the length of a string literal, with its closing quote.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the length of `r"…"` or `r#"…"#`.
fn raw(text: &[u8]) -> Option<usize> {
    let hashes = text[1..].iter().take_while(|&&byte| byte == b'#').count();
    if text.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let end = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
    Some(2 + hashes + find(&text[2 + hashes..], &end) + end.len())
}

/// Returns whether this is the rest of a character literal, and not of a lifetime.
fn closes(text: &[u8]) -> bool {
    let length = match text[0] {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    text.get(length) == Some(&b'\'')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the source without its tests, which are at the end of a file.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            match lines.peek() {
                Some(next) if next.ends_with(';') => {
                    lines.next();
                    continue;
                }
                Some(next) if next.starts_with("mod ") => break,
                _ => {}
            }
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// Returns the modules that a file declares for tests only.
fn test_modules(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    let declared = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]");
    declared.filter_map(|pair| Some(pair[1].strip_prefix("mod ")?.strip_suffix(';')?.to_owned())).collect()
}

/// Splits a source into names, `::`, and single characters.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        all.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    all
}

/// Returns the names right behind a path, with `{…}` expanded: `a` and `b` of `std::a::c` and `std::{a::c, b}`.
fn members(words: &[String], path: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    let mut prefix: Vec<&str> = Vec::new();
    for part in path {
        prefix.extend([*part, "::"]);
    }
    for at in 0..words.len() {
        if words[at..].iter().zip(&prefix).filter(|(found, wanted)| found == *wanted).count() == prefix.len()
        {
            all.extend(heads(&words[at + prefix.len()..]));
        }
    }
    all
}

/// Returns the names that may follow a `::`.
fn heads(words: &[String]) -> Vec<String> {
    match words.first().map(String::as_str) {
        Some("{") => {}
        Some(_) => return vec![words[0].clone()],
        None => return Vec::new(),
    }
    let mut all = Vec::new();
    let mut depth = 0;
    for pair in words.windows(2) {
        match pair[0].as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && (pair[0] == "{" || pair[0] == ",") && pair[1] != "}" {
            all.push(pair[1].clone());
        }
    }
    all
}

/// Returns the top modules that a file imports by `crate::`, or by as many `super::` as it is deep.
fn imports(words: &[String], depth: usize) -> BTreeSet<String> {
    let mut all: BTreeSet<_> = members(words, &["crate"]).into_iter().collect();
    let up = vec!["super"; depth];
    all.extend(members(words, &up));
    all
}

fn sources(root: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
        folders.extend(inner);
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
            let name = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            all.push((name, fs::read_to_string(file).unwrap()));
        }
    }
    all.sort();
    all
}

#[test]
fn modules_know_only_those_below_them_and_the_world_is_where_it_belongs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = Layers::read(&fs::read_to_string(root.join("lib.rs")).unwrap());
    assert!(layers.rank(FIRST_IMPURE) > Some(5), "src/lib.rs lists the modules: {:?}", layers.0);
    let sources = sources(&root);
    assert!(sources.len() > 40, "src was found");
    let for_tests: Vec<_> = sources
        .iter()
        .flat_map(|(file, text)| {
            let path = modules(file).join("/");
            test_modules(text).into_iter().map(move |name| format!("{path}/{name}"))
        })
        .collect();
    let mut complaints = Vec::new();
    for (file, text) in &sources {
        let path = modules(file).join("/");
        if text.lines().count() > LONGEST {
            complaints.push(format!("src/{file} has more than {LONGEST} lines: split it by noun"));
        }
        if modules(file).iter().any(|name| ["util", "utils", "helpers", "common", "types"].contains(&&**name))
        {
            complaints.push(format!("src/{file}: a name that says nothing"));
        }
        if !for_tests.iter().any(|test| path == *test || path.starts_with(&format!("{test}/"))) {
            let all = layers.complaints(file, text);
            complaints.extend(all.into_iter().map(|what| format!("src/{file} {what}")));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

mod planted {
    use super::*;

    fn layers() -> Layers {
        Layers::read(
            "//! x\npub mod text;\n\npub mod format;\n// y\npub mod vcs;\npub mod transaction;\npub mod cli;\n",
        )
    }

    fn complaints(file: &str, text: &str) -> String {
        layers().complaints(file, text).join("; ")
    }

    #[test]
    fn an_upward_import_is_caught_however_it_is_written() {
        let upward = "imports format, which lies above text";
        for text in [
            "use crate::format::X;",
            "use crate::{text::Y, format};",
            "use crate::{\n    text::{A, B},\n    format::{C, D},\n};",
            "fn f() -> crate::format::X { todo() }",
            "use super::format;",
            "fn f<'a>(x: &'a str) -> char { ':' }\nuse super::{format::X};",
        ] {
            assert_eq!(complaints("text.rs", text), upward, "{text}");
            assert_eq!(complaints("text/mod.rs", text), upward, "{text}");
        }
        assert_eq!(complaints("text/deep/inner.rs", "use super::super::super::format::X;"), upward);
        assert_eq!(complaints("text/inner.rs", "use super::format;"), "", "that is text::format");
        assert_eq!(
            complaints("cli.rs", "use crate::nothing::X;"),
            "imports nothing, which is no module of src/lib.rs"
        );
        assert_eq!(complaints("else.rs", ""), "else is not in the list of src/lib.rs");
    }

    #[test]
    fn a_downward_import_is_fine() {
        let text = "use crate::text::X;\nuse crate::format;\nuse crate::{text, format::{self, scan}};";
        assert_eq!(complaints("format/mod.rs", text), "");
        assert_eq!(complaints("cli/apply.rs", "use crate::{transaction, vcs};\nuse super::exit;"), "");
    }

    #[test]
    fn git_and_processes_are_caught_outside_vcs() {
        for (file, text, what) in [
            ("cli.rs", "use git2::Oid;", "names git2 outside src/vcs"),
            ("transaction.rs", "let x: git2::Oid;", "names git2 outside src/vcs"),
            ("cli.rs", "use std::process::Command;", "starts processes outside src/vcs"),
            ("cli.rs", "use std::process::{ExitCode, Command};", "starts processes outside src/vcs"),
            (
                "cli.rs",
                "use std::process;\nprocess::Command::new(\"git\");",
                "starts processes outside src/vcs",
            ),
            ("cli.rs", "use std::process::*;", "starts processes outside src/vcs"),
        ] {
            assert_eq!(complaints(file, text), what, "{text}");
            assert_eq!(complaints("vcs/repo.rs", text), "", "{text}");
        }
        assert_eq!(complaints("cli.rs", "use std::process::ExitCode;\nuse clap::Command;"), "");
    }

    #[test]
    fn printing_is_caught_outside_cli() {
        for text in [
            "fn f() { println!(\"a\"); }",
            "eprint!(\"a\")",
            "dbg!(x)",
            "std::io::stdout()",
            "use std::io::{self, stderr};",
        ] {
            assert_ne!(complaints("vcs.rs", text), "", "{text}");
            assert_eq!(complaints("cli.rs", text), "", "{text}");
        }
        assert_eq!(complaints("vcs.rs", "command.stdout(x); write!(out, \"\")"), "");
    }

    #[test]
    fn the_world_is_caught_in_pure_layers() {
        for text in [
            "use std::fs;",
            "std::env::var(\"X\")",
            "use std::{fmt, time::Instant};",
            "use std::path::Path;",
            "let x = tempfile::tempdir();",
        ] {
            assert_ne!(complaints("format.rs", text), "", "{text}");
            assert_eq!(complaints("transaction.rs", text), "", "{text}");
        }
        assert_eq!(
            complaints("format.rs", "use std::fmt;\nconst V: &str = env!(\"CARGO_PKG_VERSION\");"),
            ""
        );
    }

    #[test]
    fn what_is_not_code_does_not_count() {
        for text in [
            "//! see [`crate::format`]\n/* use crate::cli; println!() */",
            "const X: &str = \"use crate::format;\\\" git2\";",
            "const X: &str = r#\"use \" crate::format; git2\"#;",
            "const X: [char; 2] = ['\"', '\\''];\n// git2 \"",
            "#[cfg(test)]\nmod tests {\n    use crate::format::X;\n}",
            "#[cfg(test)]\nmod tests;\nuse std::fmt;",
        ] {
            assert_eq!(complaints("text.rs", text), "", "{text}");
        }
        let after = "#[cfg(test)]\nmod tests;\nuse crate::format;";
        assert_ne!(complaints("text.rs", after), "", "what stands behind a declaration does count");
        assert_eq!(test_modules("#[cfg(test)]\nmod properties;\nmod x;\n"), ["properties"]);
    }
}
