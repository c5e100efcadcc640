//! What finding matches costs, with inputs that are the worst for a careless matcher: `cargo bench --bench locating`.
//!
//! Each input is made in two sizes, to see how the time grows with the size. Double the size may take about twice the
//! time, or four times if both the edits and the file are doubled. Each row also has a bound in seconds. It exits with
//! 1 if one of these bounds is missed, or if an input has another outcome than expected.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a failure ends the benchmark")]

mod headings;
mod many;
mod one;

use git_llm_apply::diag::Code;
use git_llm_apply::format::parse;
use git_llm_apply::plan::{MemoryTree, Outcome, Rules, resolve};
use git_llm_apply::response::Response;

/// How many doublings are between the two sizes. On the way, the data may outgrow a cache, or need memory of another
/// kind. That happens once, so it counts less over several doublings.
const DOUBLINGS: u32 = 3;

/// How many times as long an input of double the size may take: twice, and some for colder caches and for new memory
/// from the system. An algorithm whose time grows with the size to the power of 1.5 would take 2.8 times as long.
const LINEAR: f64 = 2.7;

/// The same if both the edits and the file are doubled, because each edit costs a look at the file.
const PRODUCT: f64 = 4.8;

/// How many seconds an input has to take for a reliable ratio. A faster one is doubled.
const ENOUGH_FOR_A_RATIO: f64 = 0.05;
/// How often it is doubled at most.
const MAX_EXTRA_DOUBLINGS: usize = 3;

/// How often a ratio that is too high is measured again.
const MORE_TRIES: usize = 2;

/// A file, a response that edits it, and the expected outcome.
struct Input {
    file: String,
    answer: String,
    expected: Expected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A plan that changes the file.
    Lands,
    /// A plan that changes nothing, because all edits are already applied.
    AlreadyApplied,
    Refused(Code),
    /// Any outcome; only the time counts.
    Any,
}

/// The name of an input, the function that makes it for a size, the size, the bound for doubling it, and the bound in
/// seconds.
type Row = (&'static str, fn(usize) -> Input, usize, f64, f64);

const ROWS: &[Row] = &[
    ("a text of 40 lines that is nowhere in 100,000", one::miss, 100_000, LINEAR, 0.2),
    ("the same, of which no line is there", one::strange, 100_000, LINEAR, 0.2),
    ("the same, with one word changed in each line", one::reworded, 100_000, LINEAR, 0.2),
    ("a typo in 40 lines among 100,000", one::typo, 100_000, LINEAR, 0.2),
    ("one line 100,000 times, 40 of them to find", one::repeated, 100_000, LINEAR, 0.5),
    ("one line 100,000 times, a like one to find", one::repeated_like, 100_000, LINEAR, 0.5),
    ("one word 100,000 times in a line, to find", one::one_line, 100_000, LINEAR, 0.5),
    ("10,000 blocks that are nearly the same", one::blocks, 10_000, LINEAR, 0.5),
    ("a hunk of blocks that are nearly the same, no numbers", one::diff_of_blocks, 10_000, LINEAR, 0.5),
    ("100 hunks for as many places each", many::hunks_everywhere, 100, PRODUCT, 1.0),
    ("400 chunks with the same anchor", many::chunks, 400, PRODUCT, 1.0),
    ("1,000 texts that are nowhere in 10,000 lines", many::misses, 1_000, LINEAR, 5.0),
    ("5,000 edits on a file of 5 MB", many::edits, 5_000, PRODUCT, 5.0),
    ("the same once more, on the result", many::edits_again, 5_000, PRODUCT, 5.0),
    ("5,000 indented otherwise than a file of 5 MB", many::shifted_edits, 5_000, PRODUCT, 10.0),
    ("5,000 hunks of one diff on a file of 5 MB", many::hunks, 5_000, PRODUCT, 5.0),
    ("5,000 chunks of one patch on a file of 5 MB", many::patch, 5_000, PRODUCT, 5.0),
    ("16,000 chunks with headings in 100,000 lines", headings::chunks, 16_000, LINEAR, 2.0),
    ("the same with headings that are part of a line", headings::parts_of_lines, 16_000, LINEAR, 2.0),
    ("the same with a section for each chunk", headings::sections, 16_000, LINEAR, 5.0),
    ("800 hunks with headings in 100,000 lines", headings::hunks, 800, LINEAR, 2.0),
];

/// `-- 3` halves all sizes three times, for a look at code that is not fast yet. `-- headings` runs only the rows whose
/// names contain that text.
fn main() {
    let arguments = || std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let halvings = arguments().find_map(|arg| arg.parse::<u32>().ok()).unwrap_or(0);
    let names: Vec<String> = arguments().filter(|arg| arg.parse::<u32>().is_err()).collect();
    let mut missed = 0;
    println!("{:<56} {:>9} {:>9} {:>13}", "input", "time", "bound", "doubled");
    for &(name, make, size, growth, bound) in ROWS {
        if !names.is_empty() && !names.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let mut size = size >> halvings;
        let [mut small, mut whole] = time([make(size >> DOUBLINGS), make(size)]);
        let taken = whole.seconds;
        let mut fits = small.fits && whole.fits;
        // The ratio of very short times says nothing.
        for _ in 0..MAX_EXTRA_DOUBLINGS {
            if whole.seconds > ENOUGH_FOR_A_RATIO {
                break;
            }
            size *= 2;
            [small, whole] = time([make(size >> DOUBLINGS), make(size)]);
            fits &= small.fits && whole.fits;
        }
        let per_doubling =
            |small: &Taken, whole: &Taken| (whole.seconds / small.seconds).powf(1.0 / f64::from(DOUBLINGS));
        let mut ratio = per_doubling(&small, &whole);
        // Code that is too slow is slow every time, but other work on the machine passes.
        for _ in 0..MORE_TRIES {
            if ratio > growth && whole.seconds < ENOUGH {
                let [small, whole] = time([make(size >> DOUBLINGS), make(size)]);
                ratio = ratio.min(per_doubling(&small, &whole));
            }
        }
        let is_slow = taken > bound || ratio > growth;
        missed += usize::from(is_slow || !fits);
        let verdict = match (is_slow, fits) {
            (_, false) => "  MISSED: not what has to come of it",
            (true, true) => "  MISSED",
            (false, true) => "",
        };
        println!(
            "{name:<56} {:>6.0} ms {:>6.0} ms {ratio:>7.2} / {growth:.1}{verdict}",
            taken * 1e3,
            bound * 1e3
        );
    }
    std::process::exit(i32::from(missed > 0));
}

/// The CPU time of this thread in seconds. Other work on the machine does not count.
fn now() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    #[expect(clippy::cast_precision_loss, reason = "seconds and nanoseconds of a run")]
    let seconds = now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9;
    seconds
}

/// How often an input is run.
const RUNS: usize = 5;
/// No more runs are started after this many seconds.
const ENOUGH: f64 = 4.0;

/// The result of measuring an input.
struct Taken {
    /// The shortest time of resolving it. Parsing the response is measured by the benchmark `parsing`.
    seconds: f64,
    /// Whether the outcome was the expected one.
    fits: bool,
}

/// Measures both inputs in turn, so that other work on the machine slows both.
fn time(inputs: [Input; 2]) -> [Taken; 2] {
    let ready = inputs.map(|input| {
        let response = Response::new(0, "generated", input.answer.into_bytes(), u64::MAX).unwrap();
        let script = parse(&response, &git_llm_apply::format::Reading::default());
        assert!(!script.has_errors(), "{:?}", script.diagnostics.first());
        (script, MemoryTree::new().with_file("a.txt", &input.file).unwrap(), input.expected)
    });
    let mut taken = [(); 2].map(|()| Taken { seconds: f64::MAX, fits: true });
    let mut all = 0.0;
    // If each edit wrote a version of the whole file, large inputs would exceed `max_written`.
    let rules = Rules { every_version: false, ..Rules::default() };
    for _ in 0..RUNS {
        for ((script, tree, expected), taken) in ready.iter().zip(&mut taken) {
            let start = now();
            let outcome = resolve(script, tree, &rules).unwrap();
            let seconds = now() - start;
            taken.seconds = taken.seconds.min(seconds);
            all += seconds;
            let made = match outcome {
                Err(rejected) => Expected::Refused(rejected.diagnostics.first().unwrap().code),
                Ok(plan) if plan.steps().iter().all(|step| step.outcome == Outcome::AlreadyApplied) => {
                    Expected::AlreadyApplied
                }
                Ok(_) => Expected::Lands,
            };
            taken.fits &= [made, Expected::Any].contains(expected);
        }
        if all > ENOUGH {
            break;
        }
    }
    taken
}
