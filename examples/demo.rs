//! Shows the program at work on a throw-away repository: `cargo run --example demo`.
//!
//! Lands an answer, and shows the commits and the diff. Refuses an answer with a bad edit, and proves that nothing
//! changed. Reverts a commit. If a step does not have the expected result, the demo ends with a message and status 1.
//! It needs only git, and neither reads nor writes the user's configuration and identity.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is for people to look at")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const SHELF: &str = "\
import json


def load(path):
    return json.load(open(path))


def shelf(books):
    return books
";

/// A model's answer.
const ANSWER: &str = r#"Sure, here is the shelf in order, and a word about it:

<opx>
<edit file="shelf.py" op="patch">
<why>Sort the shelf by title. Readers look there first.</why>
<find>
<<<
    return books
>>>
</find>
<put>
<<<
    return sorted(books, key=lambda book: book["title"])
>>>
</put>
</edit>
<edit file="shelf.py" op="patch">
<why>Close the file after reading.</why>
<find>
<<<
    return json.load(open(path))
>>>
</find>
<put>
<<<
    with open(path) as file:
        return json.load(file)
>>>
</put>
</edit>
<edit file="docs/shelf.md" op="new">
<why>Say how the shelf is sorted.</why>
<put>
<<<
The shelf is sorted by title.
>>>
</put>
</edit>
</opx>

Let me know if you would rather have it sorted by author!
"#;

/// A model's answer in which the second edit quotes a line that the file does not have.
const BAD_ANSWER: &str = r#"<edit file="docs/shelf.md" op="replace">
<put>
<<<
The shelf is sorted by author.
>>>
</put>
</edit>
<edit file="shelf.py" op="patch">
<why>Sort by author.</why>
<find>
<<<
    return sorted(books, key=lambda book: book.title)
>>>
</find>
<put>
<<<
    return sorted(books, key=lambda book: book.author)
>>>
</put>
</edit>
"#;

fn main() -> ExitCode {
    // In the demo's PATH, git-llm-apply is a link to this program, so that `git llm-apply` runs it.
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let called = arguments.first().and_then(|program| Path::new(program).file_name());
    if called == Some(OsStr::new("git-llm-apply")) {
        return git_llm_apply::cli::run(arguments);
    }
    match demonstrate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn demonstrate() -> Result<()> {
    let stage = Stage::new()?;
    stage.write("shelf.py", SHELF)?;
    for quiet in [
        "init --quiet --initial-branch=main",
        "config user.name Reader",
        "config user.email reader@example.com",
    ] {
        stage.quietly(&format!("git {quiet}"))?;
    }
    stage.quietly("git add shelf.py && git commit --quiet --message='A shelf'")?;
    let base = stage.quietly("git rev-parse HEAD")?;

    say("A repository with one file, and what a model answered:");
    fs::write(stage.top().join("answer.md"), ANSWER)?;
    stage.run("cat ../answer.md")?.with(0)?;

    say("Landing it makes one commit per edit, and moves the checkout along:");
    stage.run("git llm-apply ../answer.md")?.with(0)?.with_text("3 commits")?;
    stage.run("git log --oneline --stat")?.with(0)?;
    stage.run(&format!("git diff {}", short(&base)))?.with(0)?;
    ensure(stage.quietly("git rev-list --count HEAD")? == "4", "there should be four commits")?;
    ensure(stage.quietly("git status --porcelain")?.is_empty(), "the checkout should be clean")?;
    let subject = stage.quietly("git log -1 --format=%s HEAD~2")?;
    ensure(subject == "Sort the shelf by title", "the reason should be the message")?;

    say("An answer of which one edit is wrong is refused as a whole:");
    fs::write(stage.top().join("bad.md"), BAD_ANSWER)?;
    let (status, files) = (stage.quietly("git status --porcelain --ignored")?, stage.listing()?);
    stage.run("git llm-apply ../bad.md")?.with(1)?.with_text("nothing was changed")?;
    let mut after = stage.listing()?;
    after.retain(|path, _| !path.starts_with(stage.repository().join(".git/llm-apply")));
    ensure(after == files, "a refusal should change no file of the repository, .git included")?;
    ensure(stage.quietly("git status --porcelain --ignored")? == status, "nor the status")?;
    println!("({} files and directories, .git among them: every byte and mode is as before)", files.len());
    println!("What was refused is kept under .git/llm-apply for its corrections, until it is forgotten:");
    stage.run("git llm-apply --abort")?.with(0)?;
    ensure(stage.listing()? == files, "nothing should be left then")?;

    say("Every edit is an ordinary commit, which git can take back:");
    let first = stage.quietly("git rev-parse HEAD~2")?;
    stage.run(&format!("git revert --no-edit {}", short(&first)))?.with(0)?;
    stage.run("cat shelf.py")?.with(0)?;
    let text = fs::read_to_string(stage.repository().join("shelf.py"))?;
    ensure(text.contains("return books\n"), "the first edit should be gone")?;
    ensure(text.contains("with open(path) as file:\n"), "the second one should still be there")?;
    stage.quietly("git fsck --strict")?;

    println!("\nAll was as it should be. The repository was in a temporary directory, and is gone.");
    Ok(())
}

fn say(text: &str) {
    println!("\n== {text}\n");
}

fn short(id: &str) -> &str {
    id.get(..7).unwrap_or(id)
}

fn ensure(holds: bool, otherwise: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

/// A temporary directory with a repository in it, apart from all files and settings of the user.
struct Stage {
    top: tempfile::TempDir,
    path: OsString,
}

/// How a command ended.
struct Ended {
    command: String,
    code: Option<i32>,
    text: String,
}

impl Stage {
    fn new() -> Result<Self> {
        let top = tempfile::tempdir()?;
        for directory in ["bin", "home", "shop"] {
            fs::create_dir(top.path().join(directory))?;
        }
        symlink(std::env::current_exe()?, top.path().join("bin/git-llm-apply"))?;
        let before = std::env::var_os("PATH").unwrap_or_default();
        let own = [top.path().join("bin")].into_iter();
        let path = std::env::join_paths(own.chain(std::env::split_paths(&before)))?;
        Ok(Self { top, path })
    }

    fn top(&self) -> &Path {
        self.top.path()
    }

    fn repository(&self) -> PathBuf {
        self.top().join("shop")
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        Ok(fs::write(self.repository().join(path), text)?)
    }

    fn shell(&self, command: &str) -> Result<Ended> {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.repository())
            .stdin(Stdio::null());
        shell.env_clear().env("PATH", &self.path).env("HOME", self.top().join("home"));
        shell.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
        let output = shell.output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Ended { command: command.to_owned(), code: output.status.code(), text })
    }

    /// Runs a command, and prints the command and its output.
    fn run(&self, command: &str) -> Result<Ended> {
        println!("$ {command}");
        let ended = self.shell(command)?;
        print!("{}", ended.text);
        Ok(ended)
    }

    /// Runs a command that must succeed, and returns its output.
    fn quietly(&self, command: &str) -> Result<String> {
        Ok(self.shell(command)?.with(0)?.text.trim_end().to_owned())
    }

    /// The mode and content of everything in the repository, including `.git`.
    fn listing(&self) -> Result<BTreeMap<PathBuf, (u32, Vec<u8>)>> {
        let mut all = BTreeMap::new();
        let mut pending = vec![self.repository()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(&directory)? {
                let path = entry?.path();
                let metadata = path.symlink_metadata()?;
                let content = if metadata.is_file() { fs::read(&path)? } else { Vec::new() };
                if metadata.is_dir() {
                    pending.push(path.clone());
                }
                all.insert(path, (metadata.mode(), content));
            }
        }
        Ok(all)
    }
}

impl Ended {
    fn with(self, code: i32) -> Result<Self> {
        if self.code == Some(code) {
            return Ok(self);
        }
        let Self { command, code: other, text } = self;
        Err(format!("'{command}' should have ended with {code}, not {other:?}:\n{text}").into())
    }

    fn with_text(self, wanted: &str) -> Result<Self> {
        let missing = format!("'{}' should have said '{wanted}'", self.command);
        ensure(self.text.contains(wanted), &missing)?;
        Ok(self)
    }
}
