//! Every text that the program may show, in one listing, tests/messages.txt, to be read from end to end. `UPDATE=1`
//! writes it anew.
//!
//! The texts are the string literals of src with a blank between two words, in whatever call or attribute they are. So
//! no new message is missed because it is made in a new way. Not listed are texts of one word, texts that `concat!`
//! makes of these, and texts from files (the completion scripts, the instructions to models). A text that is put
//! together is listed in fragments. Strings that are not texts, such as a format's own markers, are listed too if they
//! are in a file with messages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The sections, with the files of each by the beginnings of their paths. The first one that matches counts.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Help", &["cli/args"]),
    ("What models are told", &["report/feedback", "report/advice", "prompt"]),
    ("Reports", &["report", "message", "cli/output", "cli/recover", "cli/terminal"]),
    (
        "Diagnostics: what is wrong with a response",
        &[
            "diag", "edit", "format", "guard", "locate", "path", "pattern", "plan", "response", "syntax",
            "version",
        ],
    ),
    ("Errors: what is wrong elsewhere", &[""]),
];

/// Files whose strings are words of languages, formats and git, not texts for people.
const DATA: &[&str] = &[
    "text/language.rs",
    "text/language/literal.rs",
    "syntax/language.rs",
    "guard/placeholder.rs",
    "message/skip.rs",
    "message/width.rs",
    "format/apply_patch/marker.rs",
    "format/hunk/git.rs",
    "vcs/reflog.rs",
];

/// The limit for the number of texts about responses.
const MOST_DIAGNOSTICS: usize = 250;

/// Returns the string literals of a source in their order, without those of its tests.
fn literals(source: &str) -> Vec<String> {
    let source = match source.find("#[cfg(test)]\nmod tests {") {
        Some(tests) => &source[..tests],
        None => source,
    };
    let mut all = Vec::new();
    let mut rest = source;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let raw = rest.strip_prefix('r').filter(|_| !is_word(before)).map(|raw| raw.trim_start_matches('#'));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(text) = raw.and_then(|raw| raw.strip_prefix('"')) {
            let end = format!("\"{}", "#".repeat(rest.len() - text.len() - 2));
            let length = text.find(&end).expect("a raw string ends");
            all.push(text[..length].to_owned());
            rest.len() - text.len() + length + end.len()
        } else if first == '"' {
            let (text, length) = quoted(rest);
            // The reason for a disabled lint is only for readers of the source.
            if !source[..source.len() - rest.len()].ends_with("reason = ") {
                all.push(text);
            }
            length
        } else if first == '\'' {
            character(rest)
        } else {
            first.len_utf8()
        };
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
    all
}

/// Returns a string literal as it is written, with continued lines joined, and its length in the source.
fn quoted(source: &str) -> (String, usize) {
    let mut text = String::new();
    let mut chars = source.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (text, at + 1),
            '\\' => match chars.next().expect("something follows a backslash").1 {
                '\n' => while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                escaped => text.extend(['\\', escaped]),
            },
            _ => text.push(c),
        }
    }
    panic!("a string ends: {source}")
}

/// Returns the length of a character literal, or 1 for the quote of a lifetime.
fn character(source: &str) -> usize {
    let inner = &source[1..];
    match inner.strip_prefix('\\') {
        // The escaped character may be a quote.
        Some(escaped) => escaped[1..].find('\'').map_or(1, |end| end + 4),
        None => {
            let one = inner.chars().next().map_or(0, char::len_utf8);
            if inner[one..].starts_with('\'') { one + 2 } else { 1 }
        }
    }
}

/// Returns whether a literal has a blank between two words, or between a word and a format argument.
fn is_text(literal: &str) -> bool {
    let is_word = |word: &str| word.starts_with(|c: char| c.is_alphanumeric() || "{`'<(".contains(c));
    let words: Vec<_> = literal.split([' ', '\n']).filter(|word| is_word(word)).collect();
    words.len() > 1 && words.iter().any(|word| word.contains(|c: char| c.is_ascii_lowercase()))
}

/// Collects the sources by their paths below src.
fn sources(folder: &Path, prefix: &str, all: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            sources(&path, &format!("{prefix}{name}/"), all);
        } else if name.ends_with(".rs") {
            all.push((format!("{prefix}{name}"), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the paths of the modules that are for tests only, without extension.
fn tests(files: &[(String, String)]) -> Vec<String> {
    let declared = |(file, source): &(String, String)| -> Vec<String> {
        let module = file.trim_end_matches("mod.rs").trim_end_matches("lib.rs").trim_end_matches(".rs");
        let folder = module.trim_end_matches('/').to_owned();
        let lines = source.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.lines().next());
        let names = lines.filter_map(|line| line.strip_suffix(';')?.split_once("mod "));
        names.map(|(_, name)| format!("{folder}/{name}").trim_start_matches('/').to_owned()).collect()
    };
    files.iter().flat_map(declared).collect()
}

/// Returns the listing, and the number of texts in each section.
fn listing() -> (String, Vec<usize>) {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    assert!(files.len() > 200, "src was found");
    for data in DATA {
        assert!(files.iter().any(|(file, _)| file == data), "{data} is no file");
    }
    let tests = tests(&files);
    let is_test = |file: &str| {
        let of =
            |test: &String| file.strip_prefix(test.as_str()).is_some_and(|rest| rest.starts_with(['.', '/']));
        tests.iter().any(of)
    };
    files.retain(|(file, _)| !DATA.contains(&file.as_str()) && !is_test(file));
    let section_of =
        |file: &str| SECTIONS.iter().position(|(_, of)| of.iter().any(|start| file.starts_with(start)));
    let mut text = String::new();
    let mut counts = Vec::new();
    for (section, (title, _)) in SECTIONS.iter().enumerate() {
        text += &format!("{}# {title}\n", if section == 0 { "" } else { "\n" });
        let mut seen = BTreeSet::new();
        for (file, source) in files.iter().filter(|(file, _)| section_of(file) == Some(section)) {
            let new: Vec<_> = literals(source)
                .into_iter()
                .filter(|literal| is_text(literal) && seen.insert(literal.clone()))
                .collect();
            if !new.is_empty() {
                text += &format!("\n{file}\n");
                text.extend(new.iter().map(|literal| format!("  {}\n", literal.replace('\n', "\\n"))));
            }
        }
        counts.push(seen.len());
    }
    (text, counts)
}

#[test]
fn all_texts_are_in_the_listing() {
    let (text, counts) = listing();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &text).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let new =
        text.lines().find(|line| !known.lines().any(|known| known == *line)).unwrap_or("a text is gone");
    assert!(
        text == known,
        "tests/messages.txt is behind: {new}\nUPDATE=1 cargo test --test docs texts; then read it"
    );
    assert!(counts[3] <= MOST_DIAGNOSTICS, "{} texts about responses", counts[3]);
}

#[test]
fn literals_are_found_wherever_they_are() {
    let source = r####"
        // "no text"
        #[error("cannot {action}: {source}")]
        fn f<'a>(x: &'a str) { g('"', '\'', '\u{7f}', b'"', "one two", "a \"b\" \
            c"); h(r#"raw "text" here"#, r"C:\ d"); }
        #[cfg(test)]
mod tests { "three four" }
    "####;
    let found = literals(&source.replace("        #[cfg", "#[cfg"));
    assert_eq!(
        found,
        ["cannot {action}: {source}", "one two", r#"a \"b\" c"#, r#"raw "text" here"#, r"C:\ d"]
    );
    assert!(
        is_text("no match") && is_text("{path} has changed") && !is_text("Cargo.toml") && !is_text("{} {}")
    );
}
