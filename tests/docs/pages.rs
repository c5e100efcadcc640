//! What is written for people is true: the man page, -h, the JSON schema, the README's session, the lists in the rest.
use crate::sandbox;

use git_llm_apply::cli::args::{self, OPTIONS, VERBS};
use git_llm_apply::diag::{Code, RowKind};
use git_llm_apply::edit::FormatId;
use git_llm_apply::format::{self, FORMATS};
use git_llm_apply::locate::Tier;
use git_llm_apply::outcome::Exit;
use git_llm_apply::plan::{self, MemoryTree, Rules};
use git_llm_apply::report::record::RecordKind;
use git_llm_apply::report::{EditState, SCHEMA_VERSION, Status};
use git_llm_apply::response::Response;
use git_llm_apply::transaction::{End, Obstacle};
use sandbox::{Run, Sandbox, create, five, patch, rename, replace};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    std::fs::read_to_string(top().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// A directory in which git finds the binary.
fn path_with_binary() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_git-llm-apply")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&before))).unwrap()
}

mod man_page {
    use super::*;

    const FILE: &str = "man/git-llm-apply.1";
    /// Whoever opens a page reads it to its end: as it is shown in 80 columns.
    const LONGEST: usize = 500;
    const FORMATS_FILE: &str = "man/git-llm-apply-formats.7";

    /// All pages as text: without what roff needs and readers do not see.
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
            let file = format!("man/{name}");
            if std::env::var_os("UPDATE").is_some() {
                std::fs::write(top().join(&file), &page).unwrap();
            }
            assert!(read(&file) == page, "{file} is behind: UPDATE=1 cargo test --test docs");
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
            // An option of undo may be called as one of apply that is another.
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
            assert!(chapters.contains(&format!("(--format={})", format.name())), "{FORMATS_FILE}");
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

    /// Keys are asked for by their names in the source, in any case.
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

    /// Whether a format is built in.
    fn is_built(id: FormatId) -> bool {
        id != FormatId::Snippet || cfg!(feature = "syntax")
    }

    #[test]
    fn examples_of_the_formats_are_read_without_a_complaint() {
        for id in FORMATS.iter().map(|format| format.id).filter(|id| is_built(*id)) {
            let (_, example) = manual::chapter(id);
            let detected =
                FORMATS.iter().filter(|format| format.is_detected() && format.id == id).map(|_| None);
            for only in detected.chain([Some(id)]) {
                let response = Response::new(0, "example", example.clone().into(), 1 << 20).unwrap();
                let reading = format::Reading { formats: only.into_iter().collect(), ..Default::default() };
                let mut script = format::parse(&response, &reading);
                // Code blocks are files by what the tree has.
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
            let asked = (!format.is_detected()).then(|| format!("--format={}", format.name()));
            let options = asked.into_iter().chain(["-q".to_owned()]);
            sandbox.apply(options, &manual::chapter(format.id).1).exits(0);
            assert!(sandbox.text("src/shelf.py").contains("    return sorted(books"), "{}", format.name());
        }
    }

    #[test]
    fn is_shown_by_git_help_without_a_warning() {
        if Command::new("man").arg("--version").output().is_err() {
            println!("not tested: there is no man here");
            return;
        }
        let sandbox = Sandbox::unborn();
        // As the README installs it: beside the directory of the binary.
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

mod schema {
    use super::*;

    fn schema() -> Value {
        serde_json::from_str(&read("man/report.schema.json")).unwrap()
    }

    /// What of the value is not as the schema has it: that part of JSON Schema 2020-12 that the file uses, and no other.
    fn complaints(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let mut all = Vec::new();
        for (keyword, wanted) in schema.as_object().unwrap() {
            let fine = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let of = match wanted.as_str().unwrap() {
                        "#" => root,
                        other => &root["$defs"][other.strip_prefix("#/$defs/").unwrap()],
                    };
                    all.extend(complaints(root, of, value, at));
                    true
                }
                "const" => value == wanted,
                "enum" => wanted.as_array().unwrap().contains(value),
                "type" => match wanted {
                    Value::Array(names) => names.iter().any(|name| is(value, name.as_str().unwrap())),
                    name => is(value, name.as_str().unwrap()),
                },
                "minimum" => value.as_i64().is_none_or(|n| n >= wanted.as_i64().unwrap()),
                "maximum" => value.as_i64().is_none_or(|n| n <= wanted.as_i64().unwrap()),
                "pattern" => {
                    assert_eq!(
                        wanted, "^([0-9a-f]{40}|[0-9a-f]{64})$",
                        "the only one that is understood here"
                    );
                    let hex = |text: &str| {
                        [40, 64].contains(&text.len())
                            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                    };
                    value.as_str().is_some_and(hex)
                }
                "oneOf" => {
                    let fitting = wanted.as_array().unwrap().iter();
                    fitting.filter(|one| complaints(root, one, value, at).is_empty()).count() == 1
                }
                "required" => {
                    let names = wanted.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                    names.into_iter().all(|name| value.get(name).is_some())
                }
                "additionalProperties" => {
                    assert_eq!(wanted, false);
                    let known = schema["properties"].as_object().unwrap();
                    value.as_object().is_none_or(|value| value.keys().all(|key| known.contains_key(key)))
                }
                "properties" => {
                    for (name, one) in wanted.as_object().unwrap() {
                        if let Some(value) = value.get(name) {
                            all.extend(complaints(root, one, value, &format!("{at}.{name}")));
                        }
                    }
                    true
                }
                "items" => {
                    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                        all.extend(complaints(root, wanted, value, &format!("{at}[{index}]")));
                    }
                    true
                }
                other => panic!("{other} is not understood here"),
            };
            if !fine {
                all.push(format!("{at}: {keyword} {wanted} does not hold for {value}"));
            }
        }
        all
    }

    fn is(value: &Value, name: &str) -> bool {
        match name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("{other} is no type"),
        }
    }

    /// Runs it with `--json`, holds what it prints against the schema, and gives it.
    #[track_caller]
    fn reported(run: Run, code: i32, status: &str) -> Value {
        let run = run.exits(code);
        assert_eq!(run.stdout.lines().count(), 1, "one object on one line");
        let value: Value = serde_json::from_str(&run.stdout).unwrap();
        let schema = schema();
        let complaints = complaints(&schema, &schema, &value, "$");
        assert!(complaints.is_empty(), "{complaints:#?}\n{value:#}");
        assert_eq!((&value["status"], &value["exit_code"]), (&status.into(), &code.into()));
        value
    }

    #[test]
    fn holds_for_what_is_printed() {
        let sandbox = Sandbox::new();
        let json = ["--json"];
        reported(sandbox.apply(["--json", "-n"], &five()), 0, "checked");
        let landed = reported(sandbox.apply(json, &five()), 0, "landed");
        assert_eq!(landed["edits"].as_array().unwrap().len(), 5);
        assert_eq!(landed["edits"][0]["matches"][0]["tier"], "exact");
        assert_eq!(landed["branch"]["new"], sandbox.head());
        reported(sandbox.apply(json, &five()), 0, "nothing");
        reported(sandbox.apply(json, "nothing here"), 5, "no-edits");
        let other =
            reported(sandbox.apply(["--json", "-b", "side/way"], &create("z", "w", "z\n")), 0, "landed");
        assert_eq!(other["branch"]["old"], Value::Null);

        sandbox.file("twice", "a\nx\nb\nx\n");
        sandbox.commit("twice");
        let bad = [
            patch("twice", "w", "x\n", "y\n"),
            patch("README", "w", "not there\n", "y\n"),
            rename("nowhere", "else", "w"),
            create("../out", "w", "x\n"),
            create("fine", "w", "x\n"),
        ];
        let refused = reported(sandbox.apply(json, &bad.concat()), 1, "refused");
        assert_eq!(refused["diagnostics"][0]["candidates"], serde_json::json!([2, 4]));
        let first = &refused["diagnostics"][0];
        assert_eq!(first["places"][1]["lines"]["first"], 4);
        assert_eq!(first["places"][0]["excerpt"]["lines"], serde_json::json!(["a", "x", "b"]));
        assert_eq!(first["context_lines"], 1);
        assert_eq!(refused["diagnostics"][1]["beginning"]["lines"], serde_json::json!(["hello world"]));

        sandbox.file("near", "one\n\ttwo\nthree\nfour\n");
        sandbox.commit("near");
        let near = patch("near", "w", "one\n  two\nfive\nthree\n", "y\n");
        let refused = reported(sandbox.apply(json, &near), 1, "refused");
        let nearest = &refused["diagnostics"][0]["nearest"];
        let kinds: Vec<_> = nearest["rows"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
        assert_eq!(kinds, ["same", "alike", "missing", "same"]);
        assert_eq!(nearest["rows"][1]["wanted"], serde_json::json!({"line": 6, "text": "  two"}));
        assert_eq!(nearest["rows"][1]["real"], serde_json::json!({"line": 2, "text": "\ttwo"}));
        assert_eq!(nearest["first_difference"]["row"], 2);
        let id = |report: &Value| report["attempt"].as_str().unwrap().to_owned();
        let broken = "<edit file=\"a\" op=\"patch\">\n<find>\n<<<\nx\n";
        reported(sandbox.apply(json, broken), 1, "refused");

        sandbox.file("README", "my own\n");
        let there = reported(sandbox.apply(json, &replace("README", "w", "x\n")), 4, "in-the-way");
        assert_eq!(there["obstacles"][0]["kind"], "modified");
        reported(sandbox.apply(["--json", "-n"], &replace("README", "w", "x\n")), 4, "in-the-way");
        let forgotten =
            reported(sandbox.run([&format!("--abort={}", id(&refused)), "--json"]), 0, "forgotten");
        assert_eq!(id(&forgotten), id(&refused));
        reported(sandbox.apply(["--json", "--base", "nothing"], &create("y", "w", "y\n")), 128, "failed");
        reported(sandbox.apply(["--json", "-C", "/nowhere/at/all"], ""), 128, "failed");
        reported(sandbox.run(["-C", "/nowhere/at/all", "list", "--json"]), 128, "failed");
        let ask = |with: &str| sandbox.run(["ask", "--json", "--no-keep", "-r", "x", "--with", with]);
        reported(ask("false"), 1, "refused");
        reported(ask("echo no"), 5, "no-edits");
        sandbox.response(&create("asked", "w", "x\n"));
        reported(ask("cat ../response.txt"), 0, "landed");
        reported(sandbox.apply(["--json", "--diff"], &create("y", "w", "y\n")), 129, "failed");
        reported(sandbox.apply(["--json", "--feedback"], &create("y", "w", "y\n")), 129, "failed");
        // Configured, too, and whatever goes wrong.
        sandbox.git(["config", "llmapply.json", "true"]);
        reported(sandbox.run(["no-such-file"]), 128, "failed");
        reported(sandbox.run(["--abort=nothing"]), 128, "failed");
        let prompt = sandbox.run(["prompt", "no-such-file"]).exits(128);
        assert_eq!(prompt.stdout, "", "it is for a model");
        let outside = Sandbox::bare_ground();
        let failed = reported(outside.apply(json, &create("y", "w", "y\n")), 128, "failed");
        assert!(failed["error"]["help"].is_string());
    }

    #[test]
    fn holds_for_suggestions() {
        let sandbox = Sandbox::new();
        let good = create("z", "w", "z\n");
        let bad = patch("README", "w", "not there\n", "y\n");
        let file = |name: &str, text: &str| std::fs::write(sandbox.root().join(name), text).unwrap();
        file("good", &good);
        file("bad", &bad);
        let run = sandbox.run(["--json", "-x", "true", "-b", "try/{n}", "../good", "../bad"]);
        let report = reported(run, 1, "refused");
        assert_eq!(report["suggestions"].as_array().unwrap().len(), 2);
        let run = sandbox.run(["--json", "-x", "false", "-b", "more/{n}", "../good"]);
        let report = reported(run, 2, "failed");
        assert_eq!(report["suggestions"][0]["checks"], false);
        reported(sandbox.run(["--json", "-b", "main{n}", "-n", "../good"]), 0, "checked");
        reported(sandbox.run(["accept", "--json", "more/1"]), 128, "failed");
        let open = reported(sandbox.run(["list", "--open", "--json"]), 0, "shown");
        assert_eq!(
            (&open["open"][0]["branch"], &open["open"][0]["onto"]),
            (&"try/1".into(), &"as-it-is".into())
        );
        let accepted = reported(sandbox.run(["accept", "--json", "try/1"]), 0, "landed");
        assert_eq!(accepted["accepted"][0]["commits"][0]["new"], sandbox.head());
        reported(sandbox.run(["accept", "--json", "try/1"]), 0, "nothing");
        let dropped = reported(sandbox.run(["drop", "--json", "try/1"]), 0, "dropped");
        assert_eq!(dropped["dropped"][0]["tip"], sandbox.head());
        reported(sandbox.run(["drop", "--json", "main"]), 4, "in-the-way");
        reported(sandbox.run(["--json", "-b", "{slug}", "-n", "../good", "../good"]), 129, "failed");
    }

    #[test]
    fn holds_for_what_recover_prints() {
        let clean = reported(Sandbox::new().run(["recover", "--json"]), 0, "nothing");
        assert_eq!(clean["recovered"], serde_json::json!([]));
        let mut ends = BTreeSet::new();
        for fault in ["committed", "index-prepared", "ref-moved"] {
            let mut sandbox = Sandbox::new();
            sandbox.set("GIT_LLM_APPLY_FAULT", &format!("{fault}:kill"));
            assert_eq!(sandbox.apply(["-q"], &five()).signal, Some(9));
            sandbox.set("GIT_LLM_APPLY_FAULT", "-");
            let report = reported(sandbox.run(["recover", "--json"]), 0, "nothing");
            ends.insert(report["recovered"][0]["end"].as_str().unwrap().to_owned());
        }
        assert_eq!(ends, ["discarded", "finished", "taken-back"].map(str::to_owned).into());
        // Somebody has gone on with a file that the killed run had put there.
        let mut sandbox = Sandbox::new();
        sandbox.set("GIT_LLM_APPLY_FAULT", "index-prepared:kill");
        assert_eq!(sandbox.apply(["-q"], &five()).signal, Some(9));
        sandbox.set("GIT_LLM_APPLY_FAULT", "-");
        sandbox.file("README", "my own since\n");
        let report = reported(sandbox.run(["recover", "--json"]), 4, "in-the-way");
        assert_eq!(report["recovered"][0]["left"], serde_json::json!(["README"]));
    }

    #[test]
    fn holds_for_what_is_on_record() {
        let sandbox = Sandbox::new();
        reported(sandbox.run(["list", "--json"]), 0, "shown");
        let landed = reported(sandbox.apply(["--json"], &five()), 0, "landed");
        let shown = reported(sandbox.run(["show", "--json"]), 0, "shown");
        assert_eq!(shown["landings"][0]["id"], landed["landing"]);
        assert_eq!(shown["edits"][0]["commit"], landed["edits"][0]["commit"]);
        let id = landed["landing"].as_str().unwrap();
        let undone = reported(sandbox.run(["undo", "--json"]), 0, "landed");
        assert_eq!((&undone["undone"], &undone["edits"][0]["state"]), (&id.into(), &"taken-back".into()));
        let redone = reported(sandbox.run(["redo", "--json"]), 0, "landed");
        assert_eq!((&redone["undone"], &redone["edits"][0]["state"]), (&id.into(), &"landed".into()));
        reported(sandbox.run(["forget", id, "--json"]), 0, "forgotten");
        reported(sandbox.run(["show", id, "--json"]), 128, "failed");
    }

    #[test]
    fn what_is_not_so_does_not_hold() {
        let sandbox = Sandbox::new();
        let good = reported(sandbox.apply(["--json", "-n"], &five()), 0, "checked");
        let schema = schema();
        type Spoil = fn(&mut Value);
        let spoils: &[Spoil] = &[
            |v| v["schema_version"] = 2.into(),
            |v| v["status"] = "done".into(),
            |v| v["more"] = 1.into(),
            |v| drop(v.as_object_mut().unwrap().remove("error")),
            |v| v["branch"] = "main".into(),
            |v| v["branch"]["old"] = "1234".into(),
            |v| v["edits"][0]["number"] = 0.into(),
            |v| v["edits"][0]["path"] = Value::Null,
            |v| v["edits"][0]["lines"]["more"] = 1.into(),
            |v| v["edits"][4]["matches"] = serde_json::json!([{"tier": "exact"}]),
            |v| v["responses"] = serde_json::json!([1]),
            |v| v["paths"][0] = 1.into(),
            |v| v["warnings"] = serde_json::json!([{"code": "no-change", "count": 0}]),
        ];
        for (index, spoil) in spoils.iter().enumerate() {
            let mut value = good.clone();
            spoil(&mut value);
            assert_ne!(value, good);
            assert!(!complaints(&schema, &schema, &value, "$").is_empty(), "spoil {index} passes");
        }
    }

    #[test]
    fn names_all_names_and_explains_every_field() {
        let schema = schema();
        let names = |of: &Value| -> Vec<String> {
            of["enum"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let defs = &schema["$defs"];
        assert_eq!(schema["properties"]["schema_version"]["const"], SCHEMA_VERSION);
        assert!(Status::ALL.iter().map(|s| s.as_str()).eq(names(&schema["properties"]["status"])));
        assert!(RowKind::ALL.iter().map(|k| k.as_str()).eq(names(&defs["row"]["properties"]["kind"])));
        assert!(EditState::ALL.iter().map(|s| s.as_str()).eq(names(&defs["edit"]["properties"]["state"])));
        assert!(FormatId::ALL.iter().map(|f| f.as_str()).eq(names(&defs["edit"]["properties"]["format"])));
        assert!(Tier::ALL.iter().map(|t| t.as_str()).eq(names(&defs["match"]["properties"]["tier"])));
        assert!(Code::ALL.iter().map(|c| c.as_str()).eq(names(&defs["diagnostic"]["properties"]["code"])));
        assert!(End::ALL.iter().map(|e| e.as_str()).eq(names(&defs["recovered"]["properties"]["end"])));
        assert!(
            RecordKind::ALL
                .iter()
                .map(|kind| kind.as_str())
                .eq(names(&defs["landing"]["properties"]["kind"]))
        );
        assert!(
            every_obstacle().iter().map(Obstacle::kind).eq(names(&defs["obstacle"]["properties"]["kind"]))
        );

        let mut fields = 0;
        for object in defs.as_object().unwrap().values().chain([&schema]) {
            assert!(object["description"].is_string(), "{object}");
            let Some(properties) = object.get("properties") else { continue };
            let required: BTreeSet<_> =
                object["required"].as_array().unwrap().iter().flat_map(Value::as_str).collect();
            assert_eq!(object["additionalProperties"], false);
            for (name, field) in properties.as_object().unwrap() {
                assert!(field["description"].as_str().is_some_and(|text| text.len() > 5), "{name}");
                assert!(required.contains(name.as_str()), "{name} is always there");
                fields += 1;
            }
            assert_eq!(required.len(), properties.as_object().unwrap().len());
        }
        assert!(fields > 40);
        let page = read("man/git-llm-apply-output.7");
        for name in schema["properties"].as_object().unwrap().keys().filter(|name| *name != "schema_version")
        {
            assert!(
                page.contains(&format!("\n.TP\n\\fB{name}\\fR\n")),
                "the man page does not explain {name}"
            );
        }
    }

    /// One of each kind; a new one does not compile here until it is added.
    fn every_obstacle() -> Vec<Obstacle> {
        let path = String::new;
        let all = vec![
            Obstacle::Modified(path()),
            Obstacle::Staged(path()),
            Obstacle::Deleted(path()),
            Obstacle::Untracked(path()),
            Obstacle::Conflicted(path()),
            Obstacle::Clash { path: path(), lines: Vec::new() },
            Obstacle::Uncarried { path: path(), why: "" },
            Obstacle::Blocked { path: path(), parent: path(), what: "" },
            Obstacle::Submodule(path()),
            Obstacle::Operation("merge"),
            Obstacle::Locked(PathBuf::new()),
            Obstacle::Exists(path()),
            Obstacle::CheckedOut { branch: path(), worktree: PathBuf::new() },
        ];
        for one in &all {
            match one {
                Obstacle::Modified(_)
                | Obstacle::Staged(_)
                | Obstacle::Deleted(_)
                | Obstacle::Untracked(_)
                | Obstacle::Conflicted(_)
                | Obstacle::Clash { .. }
                | Obstacle::Uncarried { .. }
                | Obstacle::Blocked { .. }
                | Obstacle::Submodule(_)
                | Obstacle::Operation(_)
                | Obstacle::Locked(_)
                | Obstacle::Exists(_)
                | Obstacle::CheckedOut { .. } => {}
            }
        }
        all
    }
}

mod readme;

mod manual;

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
    // The names in the source, in quotes there.
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
