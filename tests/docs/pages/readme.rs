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

/// Runs a script at a pseudo terminal, where each answer is typed once another question is asked, and writes what is seen
/// there to a file.
const AT_A_TERMINAL: &str = r#"n=0 t=0; : > "$3"
while IFS= read -r answer; do
    n=$((n+1))
    until [ "$(grep -oF "$4" "$3" | wc -l)" -ge $n ] || [ $((t=t+1)) -gt 9999 ]; do sleep 0.02; done
    printf '%s\n' "$answer"
done < "$2" | SHELL=/bin/sh script -qefc "sh '$1'" /dev/null > "$3""#;

/// What stays of what a terminal was sent: no colours, and no line that was wiped away.
fn seen(text: &str) -> String {
    let mut out = String::new();
    for line in text.replace("\r\n", "\n").split_inclusive('\n') {
        let mut parts = line.rsplit("\r\u{1b}[K").next().unwrap_or_default().split('\u{1b}');
        out.push_str(parts.next().unwrap_or_default());
        parts.for_each(|part| {
            out.push_str(part.trim_start_matches(|c: char| "[;0123456789".contains(c)).get(1..).unwrap_or(""))
        });
    }
    out
}

/// Runs the commands of the sessions one after another at one terminal, and gives the sessions as they really go.
fn replay(sessions: &[String]) -> Vec<String> {
    let sandbox = Sandbox::bare_ground();
    for (above, text) in blocks("xml") {
        let file = above.strip_prefix("<!-- ").and_then(|name| name.strip_suffix(" -->")).unwrap();
        sandbox.file(file, text);
    }
    const MARK: char = '\u{1}';
    let mut script = String::new();
    for command in sessions.iter().flat_map(|session| session.lines()) {
        if let Some(command) = command.strip_prefix("$ ") {
            // The status of a command is what `$?` is in the next one.
            script.push_str(&format!("s=$?; printf '\\001'; (exit $s)\n{command}\n"));
        }
    }
    let typed = sessions.iter().flat_map(|session| session.lines());
    let typed: String = typed.filter_map(|line| Some(format!("{}\n", line.split_once(PROMPT)?.1))).collect();
    let [play, answers, screen] = ["play", "answers", "screen"].map(|name| sandbox.root().join(name));
    std::fs::write(&play, script).unwrap();
    std::fs::write(&answers, typed).unwrap();
    let mut shell = sandbox.git_command([""; 0]);
    let pinned: Vec<_> =
        shell.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    shell = Command::new("sh");
    shell.args(["-c", AT_A_TERMINAL, "sh"]).args([play, answers]).arg(&screen).arg(PROMPT.trim_end());
    shell.current_dir(&sandbox.repo).env_clear();
    for (name, value) in pinned {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    shell.env("PATH", path_with_binary()).env("TERM", "xterm").env("GIT_PAGER", "cat");
    let run = Run::of(shell.output().unwrap());
    let screen = std::fs::read(&screen).unwrap();
    let screen = String::from_utf8_lossy(&screen);
    assert!(screen.contains("\u{1b}["), "no terminal: {screen}{}", run.stderr);
    let shown = seen(&screen);
    let mut outputs = shown.split(MARK).skip(1);
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
            let (title, _) = manual::chapter(format.id);
            assert!(text.contains(&title), "{file} does not name {title}");
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
