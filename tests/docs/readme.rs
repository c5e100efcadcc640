//! The README: its sessions are replayed, and its figures and lists are those of the program.

use super::*;

/// The texts of the fenced blocks of a language, and what stands in the line above each.
fn blocks(language: &str) -> Vec<(String, String)> {
    let readme = read("README.md");
    let lines: Vec<_> = readme.lines().collect();
    let fence = format!("```{language}");
    let starts = (0..lines.len()).filter(|&at| lines[at] == fence);
    let block = |at: usize| {
        let text: Vec<_> = lines[at + 1..].iter().take_while(|line| **line != "```").copied().collect();
        (lines[at - 1].to_owned(), text.join("\n") + "\n")
    };
    starts.map(block).collect()
}

/// Object names as `ID`, so that those of another day are the same.
fn normalised(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, after) = rest.split_at(word);
        let hex = name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        out.push_str(if hex && (7..=40).contains(&name.len()) { "ID" } else { name });
        let next = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

/// What is asked at a terminal ends so.
const PROMPT: &str = "]? ";

/// Runs a command that asks at a pseudo terminal, where each answer is typed that the session has behind a question, once
/// that is asked. None for one that asks nothing.
fn at_a_terminal(command: &str, session: &str) -> Option<String> {
    if !command.contains("llm-apply -i ") {
        return None;
    }
    let answers: String =
        session.lines().filter_map(|line| Some(format!("{}\n", line.split_once(PROMPT)?.1))).collect();
    Some(format!(
        ": > ../seen; n=0 t=0; while IFS= read -r answer; do n=$((n+1)); \
         until [ \"$(grep -oF '{PROMPT}' ../seen | wc -l)\" -ge $n ] || [ $((t=t+1)) -gt 999 ]; do sleep 0.02; done; \
         printf '%s\\n' \"$answer\"; done <<'ANSWERS' | SHELL=/bin/sh script -qefc '{command}' /dev/null > ../seen\n\
         {answers}ANSWERS\ntr -d '\\r' < ../seen | sed 's/\x1b\\[[0-9;]*[mK]//g'; rm ../seen"
    ))
}

/// Runs the commands of the sessions one after another in one shell, and gives the sessions as they really go.
fn replay(sessions: &[String]) -> Vec<String> {
    let sandbox = Sandbox::bare_ground();
    for (above, text) in blocks("xml") {
        let file = above.strip_prefix("<!-- ").and_then(|name| name.strip_suffix(" -->")).unwrap();
        sandbox.file(file, text);
    }
    const MARK: char = '\u{1}';
    let mut script = String::from("exec 2>&1\n");
    for session in sessions {
        for command in session.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let command = at_a_terminal(command, session).unwrap_or_else(|| command.to_owned());
            // The status of a command is what `$?` is in the next one.
            script.push_str(&format!("s=$?; printf '\\001'; (exit $s)\n{command}\n"));
        }
    }
    let mut shell = sandbox.git_command([""; 0]);
    let pinned: Vec<_> =
        shell.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(&sandbox.repo).env_clear();
    for (name, value) in pinned {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    shell.env("PATH", path_with_binary());
    let run = Run::of(shell.output().unwrap());
    let mut outputs = run.stdout.split(MARK).skip(1);
    let replayed = |session: &String| {
        let mut text = String::new();
        for command in session.lines().filter(|line| line.starts_with("$ ")) {
            text.push_str(&format!("{command}\n{}", outputs.next().unwrap_or("(never came here)\n")));
        }
        text
    };
    sessions.iter().map(replayed).collect()
}

#[test]
fn its_sessions_go_as_it_says() {
    let sessions: Vec<_> = blocks("console").into_iter().map(|(_, text)| text).collect();
    assert!(sessions.len() >= 3, "there are sessions");
    let replayed = replay(&sessions);
    if std::env::var_os("UPDATE").is_some() {
        let mut readme = read("README.md");
        for (old, new) in sessions.iter().zip(&replayed) {
            readme = readme.replacen(&format!("```console\n{old}```"), &format!("```console\n{new}```"), 1);
        }
        std::fs::write(top().join("README.md"), readme).unwrap();
        return;
    }
    for (told, real) in sessions.iter().zip(&replayed) {
        assert_eq!(normalised(told), normalised(real), "README.md is not true; UPDATE=1 writes this into it");
    }
}

#[test]
fn it_names_the_formats_and_so_does_the_changelog() {
    for file in ["README.md", "CHANGELOG.md"] {
        let text = read(file);
        for format in FORMATS {
            let title = manual::chapter(format.id).title;
            assert!(text.contains(title), "{file} does not name {title}");
        }
    }
}

#[test]
fn its_exit_statuses_are_those_of_the_program() {
    let readme = read("README.md");
    for (exit, meaning) in Exit::ALL {
        let row = format!("| {} | {meaning} |", exit.code());
        assert!(readme.contains(&row), "README.md lacks the row {row}");
    }
}

#[test]
fn its_links_lead_somewhere() {
    let files = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "hooks/README.md"];
    let mut seen = 0;
    for file in files {
        let text = read(file);
        for (_, rest) in text.match_indices("](").map(|(at, _)| text[at + 2..].split_at(0)) {
            let target = rest.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                let path = top().join(file).parent().unwrap().join(target);
                assert!(path.exists(), "{file}: {target}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 5);
}

#[test]
fn its_commands_are_there() {
    let text: String = blocks("sh").into_iter().map(|(_, text)| text).collect();
    assert!(text.contains("cargo run --release --example demo\n") && top().join("examples/demo.rs").exists());
    assert!(text.contains("cargo test\n"));
    assert!(text.contains("cargo install --locked --path . && "));
    let line = text.lines().find(|line| line.contains("cargo install")).unwrap();
    assert!(
        line.contains("cp man/*.1 \"$d/man1\" && cp man/*.7 \"$d/man7\""),
        "one line installs all: {line}"
    );
}

#[test]
fn the_benchmarks_that_are_named_are_those_that_there_are() {
    let named = |file: &str| -> BTreeSet<String> {
        let text = read(file);
        let after = text.split("cargo bench --bench ").skip(1);
        after.map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()).collect()
    };
    let manifest = read("Cargo.toml");
    let benches = manifest.split("[[bench]]\nname = \"").skip(1);
    let benches: BTreeSet<_> = benches.map(|rest| rest.split('"').next().unwrap().to_owned()).collect();
    assert_eq!(named("CONTRIBUTING.md"), benches);
    let quoted = named("README.md");
    assert!(quoted.is_subset(&benches), "{quoted:?}");
    assert!(["accuracy", "faults", "landing"].iter().all(|bench| quoted.contains(*bench)), "{quoted:?}");
}

#[test]
fn object_names_are_told_from_words() {
    assert_eq!(
        normalised("a 1a2b3c4..deadbeef, accede 7 commits, added\n"),
        "a ID..ID, accede 7 commits, added\n"
    );
}
