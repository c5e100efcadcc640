//! How often snippets land right, wrong or not at all: `cargo bench --bench snippets`.
//!
//! Changes of commits are written as snippets in four styles, as chats write them, and then with one mark forgotten: an
//! elision, a comment or a decorator. Each snippet is merged into the file before the commit. The result must be the
//! file after the commit, except for blank lines and the place of new definitions. It exits with 1 if any result is
//! wrong.
//!
//! ```text
//! cargo bench --bench snippets -- [--clone <path>]… [--commits <n>] [--show wrong|refused|elsewhere]
//! ```
//! Without `--clone` the commits are those of the project itself.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod chunks;
mod history;
mod long;
mod styles;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use styles::{Case, Mark};

/// The outcome of merging a snippet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Right,
    /// Right, except for the place of a new definition or import, or for blank lines.
    Elsewhere,
    Refused,
    Wrong,
}

/// The number of snippets of one kind, by outcome.
#[derive(Default)]
struct Row([usize; 4]);

fn outcome(case: &Case) -> (Outcome, String) {
    match git_llm_apply::syntax::merge(&case.path, &case.before, &case.snippet, false) {
        Err(refusal) => (Outcome::Refused, refusal.message),
        Ok(after) if after == case.after => (Outcome::Right, after),
        Ok(after) if lines(&after) == lines(&case.after) => (Outcome::Elsewhere, after),
        // Without the mark, the snippet may still mean the same.
        Ok(after) if case.mark.is_some() && case.allowed.iter().any(|one| lines(one) == lines(&after)) => {
            (Outcome::Elsewhere, after)
        }
        Ok(after) => (Outcome::Wrong, after),
    }
}

/// The lines that are not blank, in any order.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

fn run() -> Result<bool, String> {
    let (mut clones, mut commits, mut show) = (Vec::new(), 400, None);
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--clone" => clones.push(PathBuf::from(value)),
            "--commits" => commits = value.parse().map_err(|_| format!("{value} is no number"))?,
            "--show" => show = Some(value),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    if clones.is_empty() {
        clones.push(env!("CARGO_MANIFEST_DIR").into());
    }
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    let mut spent = Duration::ZERO;
    for clone in &clones {
        for change in history::changes(clone, commits)? {
            for case in styles::cases(&change) {
                let start = Instant::now();
                let (outcome, said) = outcome(&case);
                spent += start.elapsed();
                let mark = match case.mark {
                    None => "as it should be".to_owned(),
                    Some(Mark::Elision) => "an elision is forgotten".to_owned(),
                    Some(Mark::Comment) => "a comment is forgotten".to_owned(),
                    Some(Mark::Decorator) => "a decorator or `export` is forgotten".to_owned(),
                };
                rows.entry((mark, case.style.to_owned())).or_default().0[outcome as usize] += 1;
                let word = ["right", "elsewhere", "refused", "wrong"][outcome as usize];
                if outcome == Outcome::Refused && case.mark.is_none() {
                    let plain = said.split('`').step_by(2).collect::<Vec<_>>().join("…");
                    *refusals.entry(plain.chars().filter(|c| !c.is_ascii_digit()).collect()).or_default() +=
                        1;
                }
                if show.as_deref() == Some(word) {
                    println!(
                        "==== {word}: {} {} ({})\n{}\n---- came:\n{said}",
                        change.commit, case.path, case.style, case.snippet
                    );
                    if outcome == Outcome::Wrong {
                        println!("---- should be:\n{}", case.after);
                    }
                }
            }
        }
    }
    let mut total = [0; 4];
    println!("| | snippets | right | elsewhere | refused | wrong |\n|---|---|---|---|---|---|");
    for ((mark, style), Row(row)) in &rows {
        let all: usize = row.iter().sum();
        println!("| {style}, {mark} | {all} | {} | {} | {} | {} |", row[0], row[1], row[2], row[3]);
        if mark == "as it should be" {
            total.iter_mut().zip(row).for_each(|(sum, one)| *sum += one);
        }
    }
    let all: usize = total.iter().sum();
    let share = |count: usize| 100 * count / all.max(1);
    println!(
        "\nas they should be: {all}; right {}%, elsewhere {}%, refused {}%",
        share(total[0]),
        share(total[1]),
        share(total[2])
    );
    println!(
        "{} ms a snippet",
        spent.as_millis() as usize / rows.values().flat_map(|row| row.0).sum::<usize>().max(1)
    );
    let mut refusals: Vec<_> = refusals.into_iter().collect();
    refusals.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (message, count) in refusals.iter().take(25) {
        println!("{count:6} {message}");
    }
    long::print();
    Ok(rows.values().all(|row| row.0[Outcome::Wrong as usize] == 0))
}

fn main() {
    match run() {
        Ok(true) => {}
        Ok(false) => {
            println!("some are wrong");
            std::process::exit(1);
        }
        Err(error) => {
            println!("{error}");
            std::process::exit(2);
        }
    }
}
