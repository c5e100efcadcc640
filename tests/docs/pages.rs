//! The texts for people are true: the man pages, `-h`, the JSON schema, the sessions of the README, the lists in the
//! other files.
use crate::sandbox;

use git_llm_apply::cli::args::{self, OPTIONS, VERBS};
use git_llm_apply::diag::{Code, RowKind};
use git_llm_apply::edit::FormatId;
use git_llm_apply::format::{self, FORMATS};
use git_llm_apply::locate::Tier;
use git_llm_apply::outcome::Exit;
use git_llm_apply::plan::{self, MemoryTree, Rules};
use git_llm_apply::report::record::RecordKind;
use git_llm_apply::report::{EditState, End, ObstacleKind, SCHEMA_VERSION, Status};
use git_llm_apply::response::Response;
use sandbox::{Run, Sandbox, create, five, patch, rename, replace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(top().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// Returns a search path in which git finds the binary.
fn path_with_binary() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&before))).unwrap()
}

mod man_page {
    use super::*;

    const FILE: &str = "man/git-llm-apply.1";
    /// The most lines of a page, shown in 80 columns, so that people read it to its end.
    const LONGEST: usize = 500;
    const FORMATS_FILE: &str = "man/git-llm-apply-formats.7";

    /// Returns the text of all pages, without the marks of roff.
    fn text() -> String {
        manual::pages().map(|(name, _)| plain(&format!("man/{name}"))).collect()
    }

    fn plain(file: &str) -> String {
        let page = read(file);
        let lines: String = page.split_inclusive('\n').filter(|line| !line.starts_with(".\\\"")).collect();
        let bare = ["\\fB", "\\fI", "\\fR", "\\&"].iter().fold(lines, |text, mark| text.replace(mark, ""));
        bare.replace("\\-", "-").replace("\\ ", " ")
    }

    #[test]
    fn is_made_from_the_tables() {
        for (name, page) in manual::pages() {
            let text = name.rsplit_once('.').unwrap().0.to_owned() + ".txt";
            for (name, page) in [(text, plain::text(&page)), (name, page)] {
                let file = format!("man/{name}");
                if std::env::var_os("UPDATE").is_some() {
                    std::fs::write(top().join(&file), &page).unwrap();
                }
                assert!(read(&file) == page, "{file} is behind: UPDATE=1 cargo test --test docs");
            }
        }
    }

    #[test]
    fn names_everything_that_there_is() {
        let text = text();
        let has = |what: &str| assert!(text.contains(what), "{FILE} does not name {what}");
        for option in OPTIONS {
            has(&format!("\n.TP\n{}", option.short.map(|letter| format!("-{letter}")).unwrap_or_default()));
            assert!(
                text.contains(&format!("--{}", option.long))
                    || text.contains(&format!("--[no-]{}", option.long)),
                "{}",
                option.long
            );
            let key = text.contains(&format!("\n.TP\n{}\n", option.key()));
            // Options of different verbs may have the same name; it is enough if one of them has a key.
            let mut namesakes = OPTIONS.iter().filter(|other| other.long == option.long);
            let keyed = option.keyed || namesakes.any(|other| other.keyed);
            assert_eq!(key, keyed, "{}", option.key());
        }
        for (verb, about) in VERBS {
            has(&format!("\n.TP\n{verb}\n"));
            has(&about[1..]);
        }
        for exit in Exit::ALL {
            has(&format!("\n.TP\n{}\n", exit.code()));
        }
        for code in Code::ALL {
            has(&format!("\n.TP\n{}\n", code.as_str()));
        }
        for format in FORMATS {
            let chapters = plain(FORMATS_FILE);
            assert!(chapters.contains(&format!("(--format={})", format.id.as_str())), "{FORMATS_FILE}");
        }
        for tier in Tier::ALL {
            has(&format!("\n.TP\n{}\n", tier.as_str()));
        }
        has(&format!("schema_version is {SCHEMA_VERSION};"));
        for key in args::OTHER_KEYS {
            has(&format!("\n.TP\nllmapply.{key}\n"));
        }
        for status in Status::ALL {
            has(status.as_str());
        }
    }

    #[test]
    fn has_no_key_or_option_that_there_is_not() {
        let text = text();
        let known: BTreeSet<_> = OPTIONS
            .iter()
            .filter(|option| option.keyed)
            .map(args::Opt::key)
            .chain(args::OTHER_KEYS.map(|key| format!("llmapply.{key}")))
            .collect();
        for at in text.match_indices("llmapply.").map(|(at, _)| at) {
            let key: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
            assert!(known.contains(key.trim_end_matches('.')), "{key}");
        }
        let known: BTreeSet<_> = OPTIONS
            .iter()
            .flat_map(|option| [option.long.to_owned(), format!("no-{}", option.long)])
            .chain(["version", "help", "keep", "no-"].map(str::to_owned))
            .collect();
        for (at, _) in text.match_indices("--") {
            let before = text[..at].chars().next_back();
            let name: String =
                text[at + 2..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            if before != Some('-') && !name.is_empty() && !name.starts_with('-') {
                assert!(known.contains(&name), "--{name} is no option");
            }
        }
    }

    /// The source may write a key in any case.
    #[test]
    fn names_every_key_that_the_source_asks_for() {
        let text = text().to_lowercase();
        let mut pending = vec![top().join("src")];
        let mut keys = BTreeSet::new();
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let source = std::fs::read_to_string(path).unwrap();
            for (at, start) in source.match_indices("\"llmapply.") {
                let key: String =
                    source[at + 1..].chars().take_while(|c| c.is_alphanumeric() || *c == '.').collect();
                keys.extend(Some(key.to_lowercase()).filter(|key| key.len() >= start.len()));
            }
        }
        assert!(keys.len() > 5, "{keys:?}");
        for key in keys {
            assert!(text.contains(&format!("\n.tp\n{key}\n")), "{FILE} does not explain {key}");
        }
    }

    /// Returns whether a format is built in.
    fn is_built(id: FormatId) -> bool {
        id != FormatId::Snippet || cfg!(feature = "syntax")
    }

    #[test]
    fn examples_of_the_formats_are_read_without_a_complaint() {
        for id in FORMATS.iter().map(|format| format.id).filter(|id| is_built(*id)) {
            let (_, example) = manual::chapter(id);
            let detected =
                FORMATS.iter().filter(|format| format.id.is_detected() && format.id == id).map(|_| None);
            for only in detected.chain([Some(id)]) {
                let response = Response::new(0, "example", example.clone().into(), 1 << 20).unwrap();
                let reading = format::Reading { formats: only.into_iter().collect(), ..Default::default() };
                let mut script = format::parse(&response, &reading);
                // The tree decides whether a code block is a file.
                let tree = match id {
                    FormatId::Snippet => MemoryTree::new().with_file("src/shelf.py", "").unwrap(),
                    _ => MemoryTree::new(),
                };
                plan::settle_given(&mut script, &tree, &Rules::default()).unwrap();
                assert_eq!(script.diagnostics, [], "{}", id.as_str());
                assert!(script.edits.len() >= 2, "{}", id.as_str());
                assert!(script.edits.iter().all(|edit| edit.format == id));
            }
        }
    }

    #[test]
    fn examples_of_the_formats_land() {
        for format in FORMATS.iter().filter(|format| is_built(format.id)) {
            let sandbox = Sandbox::new();
            sandbox.file("src/shelf.py", "def shelf(books):\n    return books\n");
            sandbox.file("TODO", "sort\n");
            sandbox.file("notes.txt", "x\n");
            sandbox.commit("as the examples have it");
            let asked = (!format.id.is_detected()).then(|| format!("--format={}", format.id.as_str()));
            let options = asked.into_iter().chain(["-q".to_owned()]);
            sandbox.apply(options, &manual::chapter(format.id).1).exits(0);
            assert!(
                sandbox.text("src/shelf.py").contains("    return sorted(books"),
                "{}",
                format.id.as_str()
            );
        }
    }

    #[test]
    fn is_shown_by_git_help_without_a_warning() {
        if Command::new("man").arg("--version").output().is_err() {
            println!("not tested: there is no man here");
            return;
        }
        let sandbox = Sandbox::unborn();
        // Install it as the README says: next to the directory of the binary.
        let place = sandbox.root().join("cargo/share/man/man1");
        let bin = sandbox.root().join("cargo/bin");
        std::fs::create_dir_all(&place).unwrap();
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::copy(top().join(FILE), place.join("git-llm-apply.1")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_git-llm-apply"), bin.join("git-llm-apply")).unwrap();
        let mut path = bin.into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap());
        for help in [["help", "llm-apply"], ["llm-apply", "--help"]] {
            let mut command = sandbox.git_command(help);
            let run = Run::of(
                command.env("PATH", &path).env("MANPAGER", "cat").env("MANWIDTH", "80").output().unwrap(),
            );
            let shown = run.clone().exits(0).stdout;
            if shown.contains("has been minimized") {
                println!("not tested: man is a stub here");
                return;
            }
            assert!(shown.contains("one transaction"), "{shown}");
            assert!(shown.contains("EXIT STATUS") && shown.contains("llmapply.maxSize"), "{shown}");
            let wide: Vec<_> = shown.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{wide:#?}");
        }
        for (locale, file) in
            ["C", "C.UTF-8"].into_iter().flat_map(|locale| manual::pages().map(move |page| (locale, page.0)))
        {
            let mut command = Command::new("man");
            command
                .args(["--warnings", "-l"])
                .arg(top().join("man").join(&file))
                .env("MANPAGER", "cat")
                .env("MANWIDTH", "80")
                .env("LC_ALL", locale);
            let run = Run::of(command.output().unwrap());
            // Only man-db knows these options.
            if run.code == Some(0) {
                assert_eq!(run.stderr, "", "{file}, {locale}");
                let lines = run.stdout.lines().count();
                assert!(lines < LONGEST, "{file} has {lines} lines");
            }
        }
    }
}

mod help;

mod schema;

mod readme;

mod manual;

mod plain;

mod roff;

#[test]
fn the_changelog_has_this_version() {
    let changelog = read("CHANGELOG.md");
    let version = env!("CARGO_PKG_VERSION");
    assert!(changelog.contains("\n## [Unreleased]\n"));
    assert!(changelog.lines().any(|line| line.starts_with(&format!("## [{version}]"))), "{version}");
}

#[test]
fn the_hooks_are_named_that_the_program_knows() {
    let text = read("hooks/README.md");
    let source = read("src/transaction/hooks.rs");
    // The names in the source are in quotes.
    let named = source.lines().filter(|line| line.starts_with("const ") && line.contains(": &str = \""));
    let names: Vec<_> = named.filter_map(|line| line.split('"').nth(1)).collect();
    assert!(names.len() >= 6, "{names:?}");
    for name in names.into_iter().chain(["reference-transaction"]) {
        assert!(text.contains(&format!("`{name}`")), "hooks/README.md does not name {name}");
    }
}

#[test]
fn the_package_says_what_it_is() {
    let manifest = read("Cargo.toml");
    for key in ["description", "license", "readme", "keywords", "categories", "rust-version"] {
        assert!(manifest.lines().any(|line| line.starts_with(&format!("{key} = "))), "{key}");
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(read(file).len() > 1000, "{file}");
    }
    assert!(read("LICENSE-MIT").contains("git-llm-apply contributors"));
}
