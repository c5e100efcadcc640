//! What a landing costs: `cargo bench --bench landing`.
//!
//! A landing with one commit per edit is compared with one `git apply --index` and one `git commit` of the same change.
//! Runs that land nothing are compared with `git rev-parse HEAD`. Both run in turn, on objects that do not exist
//! before. The table has the ratios of the medians and of the minima, because ratios hold on a busy machine, too.
//!
//! Bounds are for the program run directly. Run as `git llm-apply`, it takes longer, because git first has to find and
//! start it. The table shows that, too.
//!
//! The large response lands in a repository of 5,000 files, and in one of 100,000 files with many packs and loose
//! objects. After that come the times of ever larger landings, of making and listing many suggestions, and of calls of
//! the server for agents. Options: `-- --small` leaves out the large response. `-- --worn` measures only the large
//! response in the second repository, `-- --suggestions` only the suggestions, and `-- --served` only the server.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a failure ends the benchmark")]

mod served;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How many lines each file has.
const LINES: usize = 20;
/// The number of the line that is changed, from 1.
const CHANGED: usize = 10;
/// A program without any effect.
const NOTHING: &str = "/usr/bin/true";
/// How many lines each edit of the large response adds. That makes 54 MB.
const ADDED_LINES: usize = 140;

/// A row of the table.
struct Row {
    name: &'static str,
    /// How long the run may take, as a multiple of the time of `measure`.
    bound: f64,
    answer: fn(&Change) -> String,
    run: fn(&Bench, &Change, By),
    measure: fn(&Bench),
}

/// How our program is called.
#[derive(Clone, Copy)]
enum By {
    Itself,
    Git,
}

/// A row that lands edits.
const LANDING: Row = Row {
    name: "10 edits with -b",
    bound: 0.9,
    answer: Change::response,
    run: Bench::lands_beside,
    measure: Bench::by_git,
};
/// A row that lands nothing.
const LOOKING: Row = Row {
    name: "a program without effect",
    bound: f64::INFINITY,
    answer: Change::response,
    run: Bench::nothing,
    measure: Bench::rev_parse,
};

const ROWS: &[Row] = &[
    Row { name: "10 edits onto the checkout", bound: 0.9, run: Bench::lands, ..LANDING },
    LANDING,
    Row { name: "check of 10 edits", bound: 2.5, run: Bench::checks, ..LOOKING },
    Row {
        name: "refused, the last edit bad",
        bound: 2.5,
        answer: Change::spoiled,
        run: Bench::refuses,
        ..LOOKING
    },
    Row { name: "--version", bound: 1.2, run: Bench::version, measure: Bench::git_version, ..LOOKING },
];

/// The bounds in a repository of 100,000 files.
const LARGE_BOUNDS: [f64; 5] = [0.25, 0.06, 4.0, 4.0, 1.2];

fn main() {
    if std::env::args().any(|argument| argument == "--suggestions") {
        return suggestions();
    }
    if std::env::args().any(|argument| argument == "--worn") {
        return worn();
    }
    if std::env::args().any(|argument| argument == "--served") {
        return served::measure(&Bench::new(100_000));
    }
    println!(
        "{:>7}  {:<27} {:>8} {:>9}  {:>14}  {:>13}  {:>5}",
        "files", "", "git (ms)", "ours (ms)", "median (min)", "by way of git", "bound"
    );
    for (files, rounds) in [(100, 80), (100_000, 12)] {
        let bench = Bench::new(files);
        bench.results_are_equal();
        for (row, large) in ROWS.iter().zip(LARGE_BOUNDS) {
            let bound = if files > 1000 { large } else { row.bound };
            bench.compare(&Row { bound, ..*row }, 10, 1, rounds);
        }
        bench.compare(&LOOKING, 10, 1, rounds);
    }
    if !std::env::args().any(|argument| argument == "--small") {
        let bench = Bench::new(5000);
        let row = Row { name: "5,000 edits of 54 MB, -b", bound: 0.8, ..LANDING };
        bench.compare(&row, 5000, ADDED_LINES, 5);
        println!("at its peak it had {} MiB in memory (bound: 300)", bench.peak(5000) >> 20);
        worn();
    }
    growth();
    suggestions();
    served::measure(&Bench::new(100_000));
}

/// Measures the large response in a repository that has been in use for long.
fn worn() {
    let bench = Bench::new(100_000);
    bench.wear();
    let row = Row { name: "the same, worn objects", bound: 0.8, ..LANDING };
    bench.compare(&row, 5000, ADDED_LINES, 5);
    println!("at its peak it had {} MiB in memory (bound: 200)", bench.peak(5000) >> 20);
}

/// How many suggestions one call makes.
const SUGGESTED: usize = 1000;
/// How many calls are made.
const CALLS: usize = 10;
/// How many suggestions have to be made per second.
const A_SECOND: f64 = 200.0;

/// How long a list of all suggestions may take, in milliseconds.
const LIST: f64 = 200.0;

/// Prints how fast suggestions are made in one call, and how long it takes to list all that were made.
fn suggestions() {
    let bench = Bench::new(SUGGESTED);
    let mut times: Vec<_> = (0..CALLS).map(|call| bench.suggest(call)).collect();
    let rate = SUGGESTED as f64 / median(&mut times) * 1000.0;
    let verdict = |is_kept: bool| if is_kept { "" } else { "  missed" };
    println!(
        "\n{SUGGESTED} suggestions in one call: {rate:.0} a second (bound: {A_SECOND}){}",
        verdict(rate >= A_SECOND)
    );
    let mut times: Vec<_> = (0..CALLS)
        .map(|_| {
            let start = Instant::now();
            let output = bench.ours(&["list"]).output().unwrap();
            let time = start.elapsed();
            assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), CALLS * SUGGESTED + 1);
            time
        })
        .collect();
    let time = median(&mut times);
    println!(
        "a list of {} landings: {time:.0} ms (bound: {LIST}){}",
        CALLS * SUGGESTED,
        verdict(time <= LIST)
    );
}

/// How many times as long ten times as much may take: ten times, and some for noise.
const MAX_GROWTH: f64 = 12.0;

/// How many lines each edit adds, for responses of 53 kB and of 10, 100 and 1,000 times as much.
const ADDED_BY_LENGTH: [usize; 4] = [1, 33, 353, 3550];

/// Prints how the cost of a landing grows with the edits, the length of the response and the files, over three decades.
fn growth() {
    println!("\n{:<48} {:>8} {:>8} {:>8} {:>8}  ten times as much", "growth (ms)", "", "", "", "");
    let tens = |first: usize| [first, first * 10, first * 100, first * 1000];
    let grown = |name: &str, costs: [f64; 4]| {
        let most = costs.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
        let [a, b, c, d] = costs;
        let verdict = if most <= MAX_GROWTH { "" } else { "  missed" };
        println!("{name:<48} {a:>8.1} {b:>8.1} {c:>8.1} {d:>8.1}  at most {most:.1}{verdict}");
    };
    let edits = |edits| Bench::new(edits).cost(edits, 1, Bench::lands_beside);
    grown("10 to 10,000 edits, with -b", tens(10).map(edits));
    let bench = Bench::new(200);
    let lengths = ADDED_BY_LENGTH.map(|lines| bench.cost(200, lines, Bench::lands_beside));
    grown("200 edits, a response of 50 kB to 50 MB, with -b", lengths);
    let benches = tens(100).map(Bench::new);
    grown(
        "10 edits in 100 to 100,000 files, with -b",
        benches.each_ref().map(|b| b.cost(10, 1, Bench::lands_beside)),
    );
    grown("... onto the checkout", benches.each_ref().map(|b| b.cost(10, 1, Bench::lands)));
}

/// A change of some files.
struct Change {
    /// The numbers of the files.
    files: Vec<usize>,
    /// The lines that replace line [`CHANGED`] of each file.
    new: Vec<String>,
}

impl Change {
    fn patch(&self) -> String {
        let mut patch = String::new();
        for &file in &self.files {
            let path = path(file);
            let new = self.new.len();
            write!(patch, "--- a/{path}\n+++ b/{path}\n@@ -{0},7 +{0},{1} @@\n", CHANGED - 3, 6 + new)
                .unwrap();
            for number in CHANGED - 3..=CHANGED + 3 {
                let old = line(file, number);
                if number == CHANGED {
                    writeln!(patch, "-{old}").unwrap();
                    self.new.iter().for_each(|new| writeln!(patch, "+{new}{file}").unwrap());
                } else {
                    writeln!(patch, " {old}").unwrap();
                }
            }
        }
        patch
    }

    fn response(&self) -> String {
        let mut response = String::from("Here you are:\n\n");
        for &file in &self.files {
            writeln!(response, "<edit file=\"{}\" op=\"patch\">\n<why>Change file {file}.</why>", path(file))
                .unwrap();
            writeln!(response, "<find>\n<<<\n{}\n>>>\n</find>\n<put>\n<<<", line(file, CHANGED)).unwrap();
            self.new.iter().for_each(|new| writeln!(response, "{new}{file}").unwrap());
            response.push_str(">>>\n</put>\n</edit>\n");
        }
        response
    }

    /// The response with a last edit that has no match.
    fn spoiled(&self) -> String {
        let mut response = self.response();
        let find = "<find>\n<<<\n";
        response.insert_str(response.rfind(find).unwrap() + find.len(), "this is nowhere: ");
        response
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
    /// The files of the object store after [`Bench::wear`]; [`Bench::tidy`] keeps them.
    worn: RefCell<Option<BTreeSet<PathBuf>>>,
}

fn path(file: usize) -> String {
    format!("part{}/unit{}/file{file}.txt", file / 2000, file / 50 % 40)
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
        symlink(NOTHING, top.path().join("bin/git-nothing")).unwrap();
        let before = std::env::var_os("PATH").unwrap_or_default();
        let own = [top.path().join("bin")].into_iter();
        let path = std::env::join_paths(own.chain(std::env::split_paths(&before))).unwrap();
        let bench = Self { top, path, files, worn: RefCell::default() };
        bench.ask(&["init", "-q", "-b", "main"]);
        bench.ask(&["config", "user.name", "Bench"]);
        bench.ask(&["config", "user.email", "bench@example.com"]);
        // Git tidies up in the background, and whatever is measured next would pay for it: see `tidy`.
        bench.ask(&["config", "gc.auto", "0"]);
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

    /// A command that runs our binary directly, not by way of git.
    fn ours(&self, arguments: &[&str]) -> Command {
        self.instead_of_git(env!("CARGO_BIN_EXE_git-llm-apply"), arguments)
    }

    fn instead_of_git(&self, program: &str, arguments: &[&str]) -> Command {
        let git = self.command(arguments);
        let mut command = Command::new(program);
        command.args(git.get_args()).current_dir(self.repo()).stdin(Stdio::null()).env_clear();
        command.envs(git.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }

    /// Runs our program, and returns its exit code.
    fn runs(&self, by: By, arguments: &[&str]) -> Option<i32> {
        let mut command = match by {
            By::Itself => self.ours(arguments),
            By::Git => self.command(&[&["llm-apply"], arguments].concat()),
        };
        command.output().unwrap().status.code()
    }

    /// Runs git, which must succeed, and returns its output.
    fn ask(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Lets `git fast-import` make objects from a stream: loose ones, or a pack.
    fn import_as(&self, loose: bool, stream: &str) {
        let limit = format!("fastimport.unpackLimit={}", if loose { 1_000_000 } else { 1 });
        let arguments = ["-c", &limit, "fast-import", "--quiet"];
        let mut import = self.command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
        import.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
        assert!(import.wait().unwrap().success());
    }

    /// Makes 39 packs and 30,000 loose objects, as in a repository that has been in use for long.
    fn wear(&self) {
        for pack in 1..39 {
            let mut stream = format!(
                "commit refs/heads/other{pack}\ncommitter Bench <bench@example.com> 1700000000 +0000\n"
            );
            stream.push_str("data 1\nx\n");
            for file in 0..200 {
                let text = format!("{file} of {pack}\n");
                write!(stream, "M 100644 inline other/{file}\ndata {}\n{text}\n", text.len()).unwrap();
            }
            self.import_as(false, &stream);
        }
        let blob = |number: usize| format!("blob\ndata 6\n{number:06}\n");
        self.import_as(true, &(0..30_000).map(blob).collect::<String>());
        let objects = self.ask(&["count-objects", "-v"]);
        assert!(objects.contains("count: 30000\n") && objects.contains("packs: 39\n"), "{objects}");
        *self.worn.borrow_mut() = Some(self.objects());
    }

    /// The files of the object store.
    fn objects(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut directories = vec![self.repo().join(".git/objects")];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
                match entry.file_type().unwrap().is_dir() {
                    true => directories.push(entry.path()),
                    false => drop(found.insert(entry.path())),
                }
            }
        }
        found
    }

    /// Commits all files in one stream, which is by far the fastest way to make that many.
    fn import(&self) {
        let mut stream =
            String::from("commit refs/heads/main\ncommitter Bench <bench@example.com> 1700000000 +0000\n");
        stream.push_str("data 5\nbase\n\n");
        for file in 0..self.files {
            let text: String = (1..=LINES).map(|number| line(file, number) + "\n").collect();
            write!(stream, "M 100644 inline {}\ndata {}\n{text}\n", path(file), text.len()).unwrap();
        }
        self.import_as(false, &stream);
    }

    /// A change that nobody has made before.
    fn change(&self, edits: usize, lines: usize, token: &str) -> Change {
        let step = self.files / edits;
        let files = (0..edits).map(|at| at * step + step / 2).collect();
        let new =
            (0..lines).map(|line| format!("{token}, and what comes of it in line {line} of file ")).collect();
        Change { files, new }
    }

    /// Resets the repository to the base, with an index that knows that all files are unchanged.
    fn reset(&self) {
        self.ask(&["reset", "-q", "--hard", "base"]);
        self.ask(&["update-index", "-q", "--refresh"]);
    }

    /// Lets git pack the new objects, as it does by itself after some landings. In a worn repository, removes the new
    /// objects instead.
    fn tidy(&self) {
        let Some(worn) = &*self.worn.borrow() else { return drop(self.ask(&["gc", "-q"])) };
        for name in
            self.ask(&["for-each-ref", "--format=%(refname)", "refs/heads/the*", "refs/llm-apply"]).lines()
        {
            self.ask(&["update-ref", "-d", name]);
        }
        self.reset();
        self.objects().difference(worn).for_each(|file| fs::remove_file(file).unwrap());
    }

    /// Runs git and our program in turn, and prints how long both take.
    fn compare(&self, row: &Row, edits: usize, lines: usize, rounds: usize) {
        let mut all = [const { Vec::new() }; 3];
        // The first two rounds warm up the caches, and do not count.
        for round in 0..rounds + 2 {
            if round % 10 == 0 || self.worn.borrow().is_some() {
                self.tidy();
            }
            for at in (0..3).map(|turn| (round + turn) % 3) {
                let token = format!("{} {round} {}", row.name, ["by git", "by us", "by both"][at]);
                let change = self.change(edits, lines, &token);
                self.reset();
                fs::write(self.top().join("change.patch"), change.patch()).unwrap();
                fs::write(self.top().join("answer.md"), (row.answer)(&change)).unwrap();
                let start = Instant::now();
                match at {
                    0 => (row.measure)(self),
                    1 => (row.run)(self, &change, By::Itself),
                    _ => (row.run)(self, &change, By::Git),
                }
                if round >= 2 {
                    all[at].push(start.elapsed());
                }
            }
        }
        let [mut git, mut ours, mut both] = all;
        let (of_git, of_ours, of_both) = (median(&mut git), median(&mut ours), median(&mut both));
        let (by_median, by_minimum) = (of_ours / of_git, minimum(&mut ours) / minimum(&mut git));
        let by_way = of_both / of_git;
        let verdict = match row.bound {
            bound if bound.is_infinite() => String::new(),
            bound => format!("  {bound:>5.2}{}", if by_median <= bound { "" } else { "  missed" }),
        };
        println!(
            "{:>7}  {:<27} {of_git:>8.1} {of_ours:>9.1}  {by_median:>6.2} ({by_minimum:>5.2})  {by_way:>13.2}{verdict}",
            self.files, row.name,
        );
    }

    /// Returns the shortest time of five runs, in milliseconds.
    fn cost(&self, edits: usize, lines: usize, run: fn(&Self, &Change, By)) -> f64 {
        let mut times: Vec<_> = (0..5)
            .map(|round| {
                let change = self.change(edits, lines, &format!("{edits} of {lines}, {round}"));
                self.reset();
                fs::write(self.top().join("answer.md"), change.response()).unwrap();
                let start = Instant::now();
                run(self, &change, By::Itself);
                start.elapsed()
            })
            .collect();
        minimum(&mut times)
    }

    /// One `git apply --index` and one `git commit`.
    fn by_git(&self) {
        self.ask(&["apply", "--index", "../change.patch"]);
        self.ask(&["commit", "-q", "-m", "the same"]);
    }

    /// Lands the same change with our program.
    fn lands(&self, _: &Change, by: By) {
        assert_eq!(self.runs(by, &["-q", "../answer.md"]), Some(0));
    }

    fn lands_beside(&self, change: &Change, by: By) {
        let branch = change.new[0].replace([' ', ',', '-'], "_");
        assert_eq!(self.runs(by, &["-q", "-b", &branch, "../answer.md"]), Some(0));
    }

    /// Runs a program without effect, directly or by way of git.
    fn nothing(&self, _: &Change, by: By) {
        match by {
            By::Itself => assert!(self.instead_of_git(NOTHING, &[]).status().unwrap().success()),
            By::Git => drop(self.ask(&["nothing"])),
        }
    }

    /// Lands a response for each file on its own branch, all in one call, and returns how long that takes.
    fn suggest(&self, call: usize) -> Duration {
        let answers = self.top().join("answers");
        fs::create_dir_all(&answers).unwrap();
        let mut command = self.ours(&["-q", "-b", &format!("call{call}/{{n}}"), "--"]);
        for file in 0..self.files {
            let change = Change { files: vec![file], new: vec![format!("call {call} for file ")] };
            let answer = answers.join(format!("{file}.md"));
            fs::write(&answer, change.response()).unwrap();
            command.arg(answer);
        }
        let start = Instant::now();
        assert!(command.status().unwrap().success());
        let time = start.elapsed();
        let made = self.ask(&["for-each-ref", "--format=%(refname)", &format!("refs/heads/call{call}")]);
        assert_eq!(made.lines().count(), self.files);
        time
    }

    fn checks(&self, _: &Change, by: By) {
        assert_eq!(self.runs(by, &["check", "-q", "../answer.md"]), Some(0));
    }

    fn refuses(&self, _: &Change, by: By) {
        assert_eq!(self.runs(by, &["-q", "--no-keep", "../answer.md"]), Some(1));
    }

    fn version(&self, _: &Change, by: By) {
        assert_eq!(self.runs(by, &["--version"]), Some(0));
    }

    fn rev_parse(&self) {
        self.ask(&["rev-parse", "HEAD"]);
    }

    fn git_version(&self) {
        self.ask(&["--version"]);
    }

    /// Returns the peak memory of a landing with this many large edits, in bytes.
    fn peak(&self, edits: usize) -> u64 {
        self.tidy();
        self.reset();
        let change = self.change(edits, ADDED_LINES, "for the peak");
        fs::write(self.top().join("answer.md"), change.response()).unwrap();
        let mut command = self.ours(&["-q", "-b", "the-peak", "../answer.md"]);
        let mut child = command.spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let said = fs::read_to_string(&status).unwrap_or_default();
            let line = said.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
            peak = peak.max(kib.unwrap_or(0) << 10);
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    }

    /// Checks that git and our program make the same tree.
    fn results_are_equal(&self) {
        let change = self.change(10, 1, "the new line");
        fs::write(self.top().join("change.patch"), change.patch()).unwrap();
        fs::write(self.top().join("answer.md"), change.response()).unwrap();
        self.reset();
        self.by_git();
        let git = self.ask(&["rev-parse", "HEAD^{tree}"]);
        assert_eq!(self.ask(&["rev-list", "--count", "base..HEAD"]), "1");
        self.reset();
        self.lands(&change, By::Itself);
        assert_eq!(self.ask(&["rev-parse", "HEAD^{tree}"]), git);
        assert_eq!(self.ask(&["rev-list", "--count", "base..HEAD"]), "10");
        assert_eq!(self.ask(&["status", "--porcelain"]), "");
    }
}
