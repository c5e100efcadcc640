//! The README and the tour: their sessions are replayed, and the lists and numbers in the README are those of the
//! program.

use super::*;

/// The files with sessions.
const WITH_SESSIONS: [&str; 2] = ["README.md", "examples/tour.md"];

/// A fenced block: its language, its text, and the line above it.
struct Block {
    language: String,
    text: String,
    above: String,
}

fn blocks(file: &str) -> Vec<Block> {
    let markdown = read(file);
    let mut blocks = Vec::new();
    let (mut lines, mut above) = (markdown.lines(), "");
    while let Some(line) = lines.next() {
        let language = line.trim_start_matches('`');
        let fence = &line[..line.len() - language.len()];
        if fence.len() >= 3 {
            let text: Vec<_> = lines.by_ref().take_while(|line| *line != fence).collect();
            let (language, above) = (language.to_owned(), above.to_owned());
            blocks.push(Block { language, text: text.join("\n") + "\n", above });
        }
        above = line;
    }
    blocks
}

/// Returns the texts of all blocks in a language.
fn texts(file: &str, language: &str) -> Vec<String> {
    let blocks = blocks(file).into_iter().filter(|block| block.language == language);
    blocks.map(|block| block.text).collect()
}

/// Replaces object names by `ID`, because those of another day differ.
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

/// A question at the terminal ends with this.
const PROMPT: &str = "]? ";

/// Runs a script at a pseudo terminal, and writes what is shown there to a file. Each answer is typed when the next
/// question is asked.
const AT_A_TERMINAL: &str = r#"n=0 t=0; : > "$3"
while IFS= read -r answer; do
    n=$((n+1))
    until [ "$(grep -oF "$4" "$3" | wc -l)" -ge $n ] || [ $((t=t+1)) -gt 9999 ]; do sleep 0.02; done
    printf '%s\n' "$answer"
done < "$2" | SHELL=/bin/sh script -qefc "sh '$1'" /dev/null > "$3""#;

/// Returns what is left on a terminal: without colours, and without lines that were erased.
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

/// Runs the commands of the sessions one after another at one terminal, and returns the sessions with their real
/// output.
fn replay(file: &str, sessions: &[String]) -> Vec<String> {
    let sandbox = Sandbox::bare_ground();
    for block in blocks(file) {
        if let Some(name) = block.above.strip_prefix("<!-- ").and_then(|name| name.strip_suffix(" -->")) {
            sandbox.file(name, block.text);
        }
    }
    const MARK: char = '\u{1}';
    let mut script = String::new();
    for command in sessions.iter().flat_map(|session| session.lines()) {
        if let Some(command) = command.strip_prefix("$ ") {
            // The next command finds the exit status of this one in `$?`.
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
    for file in WITH_SESSIONS {
        let sessions = texts(file, "console");
        assert!(sessions.len() >= 2, "there are sessions");
        let replayed = replay(file, &sessions);
        if std::env::var_os("UPDATE").is_some() {
            let mut told = read(file);
            for (old, new) in sessions.iter().zip(&replayed) {
                told = told.replacen(&format!("```console\n{old}```"), &format!("```console\n{new}```"), 1);
            }
            std::fs::write(top().join(file), told).unwrap();
            continue;
        }
        for (told, real) in sessions.iter().zip(&replayed) {
            assert_eq!(
                normalised(told),
                normalised(real),
                "{file} is not true; UPDATE=1 writes this into it"
            );
        }
    }
}

/// The first session of the README, which a test replays, as an animated picture that shows line after line.
#[test]
fn its_picture_is_its_first_session() {
    const FILE: &str = "examples/session.svg";
    let session = texts("README.md", "console").swap_remove(0);
    let picture = picture(session.lines().skip_while(|line| !line.contains("llm-apply")));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(top().join(FILE), &picture).unwrap();
    }
    assert_eq!(
        normalised(&read(FILE)),
        normalised(&picture),
        "{FILE} is behind: UPDATE=1 cargo test --test docs, twice"
    );
}

fn picture<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    const STEP: usize = 19;
    let (mut rows, mut height, mut delay) = (String::new(), 24, 0.3);
    for line in lines {
        let is_command = line.starts_with("$ ");
        delay += if is_command { 1.2 } else { 0.1 };
        height += if is_command && height > 24 { STEP + 8 } else { STEP };
        let text = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let class = if is_command { " class=\"typed\"" } else { "" };
        rows += &format!(
            "  <text x=\"16\" y=\"{height}\"{class} style=\"animation-delay:{delay:.1}s\">{text}</text>\n"
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"{0}\" viewBox=\"0 0 860 {0}\">\n  <style>\n    \
         rect {{ fill: #16191f }}\n    text {{ font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #c9d1d9; \
         white-space: pre; opacity: 0; animation: shown 0.2s forwards }}\n    .typed {{ fill: #7ee787; font-weight: bold }}\n    \
         @keyframes shown {{ to {{ opacity: 1 }} }}\n  </style>\n  <rect width=\"860\" height=\"{0}\" rx=\"8\"/>\n{rows}</svg>\n",
        height + 20
    )
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

/// People read it in half a minute. More belongs into the pages.
#[test]
fn it_is_short() {
    assert!(read("README.md").lines().count() <= 150);
}

#[test]
fn its_links_lead_somewhere() {
    let files = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "hooks/README.md", "benches/README.md"];
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
    let text = texts("README.md", "sh").concat();
    assert!(text.contains("cargo run --example demo\n") && top().join("examples/demo.rs").exists());
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
    assert_eq!(named("benches/README.md"), benches);
}

#[test]
fn object_names_are_told_from_words() {
    assert_eq!(
        normalised("a 1a2b3c4..deadbeef, accede 7 commits, added\n"),
        "a ID..ID, accede 7 commits, added\n"
    );
}
