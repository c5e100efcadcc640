//! What a landing costs: `cargo bench --bench landing`.
//!
//! Lands a response of 10 edits, which makes 10 commits, and against it the same change by one `git apply --index` and
//! one `git commit`; in turn, in one run, in a repository of 100 files and in one of 100,000. What counts are the
//! ratios, of the medians and of the minima: they hold on a busy machine too.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]
#![expect(clippy::unwrap_used, reason = "a measurement ends where anything fails")]

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Repositories by their number of files, and how often to measure in each.
const SIZES: [(usize, usize); 2] = [(100, 40), (100_000, 12)];
const EDITS: usize = 10;
const LINES: usize = 20;
/// The line that is changed, from 1.
const CHANGED: usize = 10;

fn main() {
    println!("10 edits: git llm-apply (10 commits) against git apply --index + git commit (1 commit)\n");
    println!("{:>9}  {:>17}  {:>17}  {:>6}", "files", "git (ms)", "llm-apply (ms)", "ratio");
    for (files, rounds) in SIZES {
        let bench = Bench::new(files);
        bench.results_are_equal();
        let (mut git, mut ours) = (Vec::new(), Vec::new());
        // The first rounds warm caches up, and do not count.
        for round in 0..rounds + 2 {
            let pair = if round % 2 == 0 {
                let git = bench.git(&format!("{round} by git"));
                (git, bench.llm_apply(&format!("{round} by us")))
            } else {
                let ours = bench.llm_apply(&format!("{round} by us"));
                (bench.git(&format!("{round} by git")), ours)
            };
            if round >= 2 {
                git.push(pair.0);
                ours.push(pair.1);
            }
        }
        for (name, of) in [("median", median as fn(&mut [Duration]) -> f64), ("minimum", minimum)] {
            let (git, ours) = (of(&mut git), of(&mut ours));
            println!("{files:>9}  {name:>7} {git:>9.1}  {name:>7} {ours:>9.1}  {:>6.2}", ours / git);
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    let middle = times.len() / 2;
    (milliseconds(times[middle]) + milliseconds(times[(times.len() - 1) / 2])) / 2.0
}

fn minimum(times: &mut [Duration]) -> f64 {
    times.iter().min().copied().map(milliseconds).unwrap()
}

/// A repository with that many files, checked out.
struct Bench {
    top: tempfile::TempDir,
    path: OsString,
    files: usize,
}

fn path(file: usize) -> String {
    format!("part{}/unit{}/file{file}.txt", file / 1000, file / 50 % 20)
}

fn line(file: usize, number: usize) -> String {
    format!("line {number} of file {file}, which says nothing")
}

impl Bench {
    fn new(files: usize) -> Self {
        let top = tempfile::tempdir().unwrap();
        for directory in ["bin", "home", "repo"] {
            fs::create_dir(top.path().join(directory)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_git-llm-apply"), top.path().join("bin/git-llm-apply")).unwrap();
        let before = std::env::var_os("PATH").unwrap_or_default();
        let own = [top.path().join("bin")].into_iter();
        let path = std::env::join_paths(own.chain(std::env::split_paths(&before))).unwrap();
        let bench = Self { top, path, files };
        bench.ask(&["init", "-q", "-b", "main"]);
        bench.ask(&["config", "user.name", "Bench"]);
        bench.ask(&["config", "user.email", "bench@example.com"]);
        bench.import();
        bench.ask(&["reset", "-q", "--hard"]);
        bench.ask(&["tag", "base"]);
        bench
    }

    fn top(&self) -> &Path {
        self.top.path()
    }

    fn repo(&self) -> PathBuf {
        self.top().join("repo")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.repo()).stdin(Stdio::null());
        command.env_clear().env("PATH", &self.path).env("HOME", self.top().join("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
        command
    }

    /// Runs git, which must succeed, and gives what it prints.
    fn ask(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Commits all files in one stream, which is by far the quickest way to make so many.
    fn import(&self) {
        let mut stream =
            String::from("commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\n");
        stream.push_str("data 5\nbase\n\n");
        for file in 0..self.files {
            let text: String = (1..=LINES).map(|number| line(file, number) + "\n").collect();
            write!(stream, "M 100644 inline {}\ndata {}\n{text}\n", path(file), text.len()).unwrap();
        }
        let mut import = self.command(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
        import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
        assert!(import.wait().unwrap().success());
    }

    /// The files that are edited: spread over the repository.
    fn edited(&self) -> impl Iterator<Item = usize> {
        let step = self.files / EDITS;
        (0..EDITS).map(move |at| at * step + step / 2)
    }

    /// Back to the base, with an index that knows all files to be unchanged.
    fn reset(&self) {
        self.ask(&["reset", "-q", "--hard", "base"]);
        self.ask(&["update-index", "-q", "--refresh"]);
    }

    /// One `git apply --index` and one `git commit`. `new` is what the changed lines say.
    fn git(&self, new: &str) -> Duration {
        let mut patch = String::new();
        for file in self.edited() {
            let path = path(file);
            writeln!(patch, "--- a/{path}\n+++ b/{path}\n@@ -{0},7 +{0},7 @@", CHANGED - 3).unwrap();
            for number in CHANGED - 3..=CHANGED + 3 {
                let old = line(file, number);
                if number == CHANGED {
                    writeln!(patch, "-{old}\n+{new}").unwrap();
                } else {
                    writeln!(patch, " {old}").unwrap();
                }
            }
        }
        fs::write(self.top().join("change.patch"), patch).unwrap();
        self.reset();
        let start = Instant::now();
        self.ask(&["apply", "--index", "../change.patch"]);
        self.ask(&["commit", "-q", "-m", "the same"]);
        start.elapsed()
    }

    /// The same by `git llm-apply`, as a user calls it.
    fn llm_apply(&self, new: &str) -> Duration {
        let mut response = String::from("Here you are:\n\n");
        for file in self.edited() {
            writeln!(response, "<edit file=\"{}\" op=\"patch\">\n<why>Change file {file}.</why>", path(file))
                .unwrap();
            writeln!(response, "<find>\n<<<\n{}\n>>>\n</find>", line(file, CHANGED)).unwrap();
            writeln!(response, "<put>\n<<<\n{new}\n>>>\n</put>\n</edit>").unwrap();
        }
        fs::write(self.top().join("answer.md"), response).unwrap();
        self.reset();
        let start = Instant::now();
        self.ask(&["llm-apply", "-q", "../answer.md"]);
        start.elapsed()
    }

    /// Both ways must come to the same, or there is nothing to compare.
    fn results_are_equal(&self) {
        self.git("the new line");
        let git = self.ask(&["rev-parse", "HEAD^{tree}"]);
        assert_eq!(self.ask(&["rev-list", "--count", "base..HEAD"]), "1");
        self.llm_apply("the new line");
        assert_eq!(self.ask(&["rev-parse", "HEAD^{tree}"]), git);
        assert_eq!(self.ask(&["rev-list", "--count", "base..HEAD"]), EDITS.to_string());
        assert_eq!(self.ask(&["status", "--porcelain"]), "");
    }
}
