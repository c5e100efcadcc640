//! How often responses land right, wrong or not at all: `cargo bench --bench accuracy`.
//!
//! Commits are written as responses in all formats (`tests/writing`), and then spoiled as models spoil them. Each
//! response is applied, in this process, to the files before the commit. The result must be, byte for byte, what the
//! commit made of them. Other responses are made from a single file, without a commit (`subject`). The benchmark exits
//! with 1 unless
//! - no response is applied wrong;
//! - each response that must be refused is refused;
//! - of the responses that still say where their hunks belong (`case::Case::is_clear`), at least the share that the row
//!   demands is right. The others may be right or refused, and are counted separately.
//!
//! Each response that landed is applied to its own result again, without a record. This is only counted.
//!
//! ```text
//! cargo bench --bench accuracy -- [--clone <path>] [--commits <n>] [--until <rev>] [--made <n>] [--seed <n> | --fresh]
//!     [--show <row>] [--rivals]
//! ```
//! Without `--clone`, the commits are those of the project itself and some generated from the seed. `--show` prints the
//! failures in the rows whose name contains a text. `--rivals` applies the same diffs with `git apply` and `patch`,
//! too.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::panic, reason = "a failure ends the benchmark")]

mod answer;
mod apply;
mod case;
mod drift;
mod earlier;
mod heading;
mod history;
mod language;
mod like;
mod made;
mod moved;
mod random;
mod refusal;
mod rivals;
mod said;
mod sibling;
mod statement;
mod subject;
mod table;
mod trial;
#[path = "../../tests/writing/mod.rs"]
mod writing;

use case::Case;
use drift::DRIFTS;
use git_llm_apply::format::FormatId;
use history::Commit;
use random::Random;
use refusal::BAD;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use table::{Kind, Outcome, Table};
use trial::Trial;

/// The options of the command line.
struct Options {
    clone: Option<PathBuf>,
    commits: usize,
    /// The revision of the newest commit.
    until: String,
    made: usize,
    seed: u64,
    show: Option<String>,
    rivals: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        clone: None,
        commits: 400,
        until: "HEAD".to_owned(),
        made: 200,
        seed: 1,
        show: None,
        rivals: false,
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        if name == "--fresh" {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?;
            options.seed = u64::from(now.subsec_nanos()) << 32 ^ now.as_secs();
            continue;
        }
        if name == "--rivals" {
            options.rivals = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<usize>().map_err(|_| format!("{name} {value}: no number"));
        match name.as_str() {
            "--clone" => options.clone = Some(value.into()),
            "--commits" => options.commits = number()?,
            "--until" => options.until = value,
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
    let clone = options.clone.clone().unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let subjects = subject::of(&commits);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Each thread takes every n-th commit and file, so that all threads get as many of each history.
    let worker = |first: usize| {
        let mut table = Table::new(options.show.clone());
        for (index, commit) in commits.iter().enumerate().skip(first).step_by(threads) {
            let mut random = Random::new(options.seed, &[index as u64]);
            measure(commit, random.next(), options.rivals, &mut table);
            // Generated commits have no history to merge.
            if commit.id.len() == 40 {
                moved::measure(&clone, commit, &mut random, &mut table).unwrap_or_else(|e| panic!("{e}"));
            }
        }
        for (index, subject) in subjects.iter().enumerate().skip(first).step_by(threads) {
            subject.measure(&mut Random::new(options.seed, &[index as u64, 500]), &mut table);
        }
        table
    };
    let table = std::thread::scope(|scope| {
        let worker = &worker;
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(move || worker(first))).collect();
        let mut all = Table::new(options.show.clone());
        workers.into_iter().for_each(|worker| all.add(worker.join().unwrap_or_else(|_| panic!("a worker"))));
        all
    });
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
        return history::load(clone, options.commits, &options.until);
    }
    let mut commits = made::commits(options.seed, options.made);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    match history::load(here, options.commits, &options.until) {
        Ok(own) => commits.extend(own),
        Err(_) => println!("not a clone: there is no history here, and only what is made is measured"),
    }
    Ok(commits)
}

/// Applies a diff with the other programs, too, and counts all outcomes. Returns false without counting if one of the
/// programs fails without any drift, as with a CRLF file and an LF diff.
fn compare(case: &Case, right: &case::Tree, ours: Outcome, is_clean: bool, table: &mut Table) -> bool {
    let outcomes = rivals::RIVALS.iter().map(|(name, arguments)| {
        let outcome = rivals::apply(arguments, &case.text(), &case.tree, right);
        (*name, outcome.unwrap_or_else(|e| panic!("{name}: {e}")))
    });
    let all: Vec<_> = std::iter::once(("git llm-apply", ours)).chain(outcomes).collect();
    let is_fair = !is_clean || all.iter().all(|(_, outcome)| *outcome == Outcome::Right);
    if is_fair {
        all.iter().for_each(|(name, outcome)| table.compare(name, *outcome));
    }
    is_fair
}

/// Measures one commit in all formats under all drifts.
fn measure(commit: &Commit, seed: u64, rivals: bool, table: &mut Table) {
    for (format_index, &format) in FormatId::ALL.iter().enumerate() {
        let Some(clean) = Case::new(commit, format) else {
            table.skip(format);
            continue;
        };
        let random = |row: usize| Random::new(seed, &[format_index as u64, row as u64]);
        let id = commit.id.as_str();
        let (mut clean_is_right, mut fair) = (false, rivals);
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
            let (bar, tree) = (drift.bar, &case.tree);
            let trial = Trial { row: drift.name, bar, kind, id, format, tree, right: Some(&right) };
            let outcome = trial.run(&case.text(), table);
            if fair && format == FormatId::Diff {
                fair = compare(&case, &right, outcome, row == 0, table);
            }
            clean_is_right |= row == 0 && outcome == Outcome::Right;
        }
        earlier::measure(commit, &clean, table, &mut random(100));
        like::measure(commit, &clean, table, &mut random(101));
        if clean_is_right {
            said::measure(commit, &clean, table, &mut random(102));
        }
        for (row, bad) in BAD.iter().enumerate() {
            let mut case = clean.clone();
            let Some(text) = (bad.make)(&mut case, commit, &mut random(200 + row)) else { continue };
            let (row, bar, kind, right) = (bad.name, None, Kind::Bad, None);
            Trial { row, bar, kind, id, format, tree: &case.tree, right }.run(&text, table);
        }
    }
}
