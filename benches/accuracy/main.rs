//! How often responses land right, wrong or not at all: `cargo bench --bench accuracy`.
//!
//! Commits are written as responses in all formats, by the library's own `render`, and then spoiled as models spoil them.
//! Each is applied, in process, to the files before the commit; what comes out has to be, byte for byte, what the commit
//! made of them. It exits with 1 where a bar is missed:
//! - nothing is ever applied wrong;
//! - what must be refused is refused;
//! - of the responses that still say where their hunks belong (`case::Case::is_clear`), at least the share that stands in
//!   the row is right. The others may be right or refused, and count apart.
//!
//! ```text
//! cargo bench --bench accuracy -- [--clone <path>] [--commits <n>] [--made <n>] [--seed <n> | --fresh] [--show <row>]
//! ```
//! Without `--clone` the commits are those of the project itself and some made from the seed. `--show` prints what went
//! wrong in the rows whose name holds a text.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]
#![expect(clippy::panic, reason = "a measurement ends where anything fails")]

mod answer;
mod apply;
mod case;
mod drift;
mod history;
mod language;
mod made;
mod moved;
mod random;
mod refusal;
mod table;

use case::{Case, Tree};
use drift::DRIFTS;
use git_llm_apply::format::FormatId;
use history::Commit;
use random::Random;
use refusal::BAD;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use table::{Kind, Outcome, Table};

/// What is asked for.
struct Options {
    clone: Option<PathBuf>,
    commits: usize,
    made: usize,
    seed: u64,
    show: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { clone: None, commits: 400, made: 200, seed: 1, show: None };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        if name == "--fresh" {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?;
            options.seed = u64::from(now.subsec_nanos()) << 32 ^ now.as_secs();
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<usize>().map_err(|_| format!("{name} {value}: no number"));
        match name.as_str() {
            "--clone" => options.clone = Some(value.into()),
            "--commits" => options.commits = number()?,
            "--made" => options.made = number()?,
            "--seed" => options.seed = number()? as u64,
            "--show" => options.show = Some(value),
            _ => return Err(format!("no option {name}")),
        }
    }
    Ok(options)
}

fn main() {
    let options = options().unwrap_or_else(|e| panic!("{e}"));
    let start = Instant::now();
    let commits = commits(&options).unwrap_or_else(|e| panic!("{e}"));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Commits in turn, so that all threads have as many of each history.
    let table = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let (commits, options) = (&commits, &options);
                scope.spawn(move || {
                    let mut table = Table::new(options.show.clone());
                    for (index, commit) in commits.iter().enumerate().skip(first).step_by(threads) {
                        measure(commit, Random::new(options.seed, &[index as u64]).next(), &mut table);
                    }
                    table
                })
            })
            .collect();
        let mut all = Table::new(options.show.clone());
        workers.into_iter().for_each(|worker| all.add(worker.join().unwrap_or_else(|_| panic!("a worker"))));
        all
    });
    let mut table = table;
    let clone = options.clone.clone().unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    // What is made from the seed has no history to merge.
    let real: Vec<&Commit> = commits.iter().filter(|commit| commit.id.len() == 40).collect();
    moved::measure(&clone, &real, options.seed, &mut table).unwrap_or_else(|e| panic!("{e}"));
    println!("{} commits in {} formats, seed {}", commits.len(), FormatId::ALL.len(), options.seed);
    let missed = table.print();
    println!(
        "{} applications, {} wrong, {:.0} s",
        table.applications(),
        table.wrong(),
        start.elapsed().as_secs_f64()
    );
    std::process::exit(i32::from(missed > 0));
}

fn commits(options: &Options) -> Result<Vec<Commit>, String> {
    if let Some(clone) = &options.clone {
        return history::load(clone, options.commits);
    }
    let mut commits = made::commits(options.seed, options.made);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match history::load(here, options.commits) {
        Ok(own) => commits.extend(own),
        Err(_) => println!("not a clone: there is no history here, and only what is made is measured"),
    }
    Ok(commits)
}

/// One commit in all formats under all drifts.
fn measure(commit: &Commit, seed: u64, table: &mut Table) {
    for (format_index, &format) in FormatId::ALL.iter().enumerate() {
        let Some(clean) = Case::new(commit, format) else {
            table.skip(format);
            continue;
        };
        let random = |row: usize| Random::new(seed, &[format_index as u64, row as u64]);
        for (row, drift) in DRIFTS.iter().enumerate() {
            let mut case = clean.clone();
            if !(drift.make)(&mut case, &mut random(row)) {
                continue;
            }
            let Some(right) = case.right() else { continue };
            if case.names_another_place() {
                table.leave_out();
                continue;
            }
            let kind = if row == 0 || case.is_clear() { Kind::Clear } else { Kind::Unclear };
            judge(table, drift.name, drift.bar, kind, commit, &case, case.text(), &right);
        }
        earlier(commit, &clean, table, &mut random(100));
        for (row, bad) in BAD.iter().enumerate() {
            let mut case = clean.clone();
            let Some(text) = (bad.make)(&mut case, commit, &mut random(200 + row)) else { continue };
            let result = apply::apply(text.clone(), &case.tree);
            let outcome = if result.is_err() { Outcome::Refused } else { Outcome::Wrong };
            let report = || {
                let landed = result.as_ref().map(|tree| difference(&case.tree, tree)).unwrap_or_default();
                let spoiled = difference(&clean.tree, &case.tree);
                format!("{} {}\nspoiled: {spoiled}\nlanded: {landed}\n{text}", commit.id, format.as_str())
            };
            table.count(bad.name, None, Kind::Bad, outcome, &report);
        }
    }
}

const EARLIER: &str = "file as it was some commits earlier";
const OVERLAPPING: &str = "the same, where context changed too";

/// The response on the files as they were before other commits.
fn earlier(commit: &Commit, clean: &Case, table: &mut Table, random: &mut Random) {
    let mut case = clean.clone();
    let mut any = false;
    for file in
        commit.files.iter().filter(|file| file.from.is_none() && case.sources.contains_key(&file.path))
    {
        if let Some(older) = random.pick(&file.older) {
            case.tree.insert(file.path.clone(), older.clone());
            any = true;
        }
    }
    if !any {
        return;
    }
    if let Some(sites) = case.find_sites() {
        case.sites = sites;
        if case.is_clear()
            && let Some(right) = case.right()
        {
            judge(table, EARLIER, Some(100.0), Kind::Clear, commit, &case, case.text(), &right);
            return;
        }
    }
    // What git's own merge makes of it is right, by lines or else by words; where both conflict, nothing is.
    let (result, right) = (apply::apply(case.text(), &case.tree), merged(commit, clean, &case));
    let outcome = match (&result, &right) {
        (Err(_), _) => Outcome::Refused,
        (Ok(tree), Some(right)) if tree == right => Outcome::Right,
        (Ok(_), _) => Outcome::Wrong,
    };
    let report = || {
        let head = format!("{} {}", commit.id, case.answer.format.as_str());
        let made = result.as_ref().map(|tree| match &right {
            Some(right) => difference(right, tree),
            None => format!("git's merge conflicts\n{}", difference(&case.tree, tree)),
        });
        format!("{head}\n{}\n{}", made.unwrap_or_default(), case.text())
    };
    table.count(OVERLAPPING, None, Kind::Unbarred, outcome, &report);
}

/// What git's three-way merge makes of a commit on the files as they were earlier; none if it conflicts.
fn merged(commit: &Commit, clean: &Case, case: &Case) -> Option<Tree> {
    let scratch = tempfile::tempdir().ok()?;
    let mut right = clean.right()?;
    for file in &commit.files {
        let (Some(base), Some(theirs)) = (&file.before, &file.after) else { continue };
        let Some(ours) = case.tree.get(&file.path).filter(|ours| *ours != base) else { continue };
        let merge = |form: fn(&[u8]) -> Vec<u8>| -> Option<Vec<u8>> {
            for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
                std::fs::write(scratch.path().join(name), form(text)).ok()?;
            }
            history::git(scratch.path(), &["merge-file", "-p", "ours", "base", "theirs"], b"").ok()
        };
        let lines = merge(<[u8]>::to_vec);
        let merged = lines.or_else(|| merge(words).map(|merged| of_words(&merged)))?;
        right.insert(file.path.clone(), merged);
    }
    Some(right)
}

/// A text with every word, and every other character, on a line of its own: so that changes of neighbouring lines, and of
/// different words of one line, do not conflict.
fn words(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in text.chunk_by(|a, b| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric()) {
        out.extend_from_slice(if chunk == b"\n" { b"\\n" } else { chunk });
        out.push(b'\n');
    }
    out
}

/// Back from that.
fn of_words(words: &[u8]) -> Vec<u8> {
    let text = |word: &[u8]| if word == b"\\n" { b"\n".to_vec() } else { word.to_vec() };
    words.split(|&byte| byte == b'\n').flat_map(text).collect()
}

#[expect(clippy::too_many_arguments, reason = "all that there is to say of an application")]
fn judge(
    table: &mut Table,
    row: &'static str,
    bar: Option<f64>,
    kind: Kind,
    commit: &Commit,
    case: &Case,
    text: String,
    right: &Tree,
) {
    let result = apply::apply(text.clone(), &case.tree);
    let outcome = match &result {
        Err(_) => Outcome::Refused,
        Ok(tree) if tree == right => Outcome::Right,
        Ok(_) => Outcome::Wrong,
    };
    let report = || {
        let head = format!("{} {}", commit.id, case.answer.format.as_str());
        match &result {
            Err(errors) => format!("{head}: {errors:#?}\n{text}"),
            Ok(tree) => format!("{head}\n{}\n{text}", difference(right, tree)),
        }
    };
    table.count(row, bar, kind, outcome, &report);
}

/// What differs between what is right and what was made.
fn difference(right: &Tree, made: &Tree) -> String {
    let paths = right.keys().chain(made.keys().filter(|path| !right.contains_key(*path)));
    let mut out = String::new();
    for path in paths.filter(|path| right.get(*path) != made.get(*path)) {
        let text = |tree: &Tree| {
            tree.get(path).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
        };
        let (right, made) = (text(right), text(made));
        let diff = similar::TextDiff::from_lines(&right, &made);
        out.push_str(&diff.unified_diff().header(&format!("right {path}"), "made").to_string());
    }
    out
}
