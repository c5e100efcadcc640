//! How fast responses are parsed, in how much memory, and whether hostile ones take time in proportion to their size.
//!
//! `cargo bench --bench parsing [-- <megabytes> [<part of a name>]]`: exits with 1 if a bound is missed. Bounds: 300
//! MB/s in the text formats and 100 MB/s in JSON on one core; 1.5 times a response's size in memory, the response
//! itself included, and 1.7 times if it has only small hunks; a hostile response of double the size takes at most 2.3
//! times as long. Times are CPU times of this thread, the shortest of several runs. More runs are made before a bound
//! counts as missed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

mod hostile;
mod ordinary;
#[path = "../../tests/writing/mod.rs"]
mod writing;

use git_llm_apply::format::{FormatId, parse};
use git_llm_apply::response::Response;
use hostile::HOSTILE;
use ordinary::Kind;
use rustix::time::{ClockId, clock_gettime};

const MEGABYTE: usize = 1 << 20;

/// How often each response is timed. The shortest time counts, because other work on the machine only adds time.
const RUNS: usize = 5;
/// How often it is timed if a bound seems to be missed.
const MAX_RUNS: usize = 30;

/// How long a hostile response should take at least, in seconds. A shorter one is made longer.
const MIN_SECONDS: f64 = 0.01;
/// How many times as long it may be made. Not more, because a response that does not fit into a cache takes much
/// longer.
const MAX_FACTOR: usize = 16;

/// How many times as long a hostile response of double the size may take.
const MAX_RATIO: f64 = 2.3;

/// The bounds of a format: megabytes a second, and memory in multiples of the response.
fn bounds(format: FormatId, kind: Kind) -> (f64, f64) {
    let is_json = matches!(format, FormatId::Applydir | FormatId::EditCalls);
    let is_small = matches!(kind, Kind::SmallEdits | Kind::ManyPlaces);
    (if is_json { 100.0 } else { 300.0 }, if is_small { 1.7 } else { 1.5 })
}

fn main() {
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [mode, path] = args.as_slice()
        && mode == "memory"
    {
        return memory(path);
    }
    if let [mode, only] = args.as_slice()
        && mode == "hostile"
    {
        std::process::exit(hostile_responses(only));
    }
    let megabytes = args.first().and_then(|arg| arg.parse().ok()).unwrap_or(50);
    let only = args.get(1).cloned().unwrap_or_default();
    let mut missed = 0;
    println!(
        "{:<15} {:<12} {:>9} {:>8} {:>9} {:>8}",
        "format", "response", "MB/s", "bound", "memory", "bound"
    );
    for &format in
        FormatId::ALL.iter().filter(|format| !matches!(format, FormatId::WholeFile | FormatId::Snippet))
    {
        for (kind, name) in Kind::ALL {
            let (least, most) = bounds(format, kind);
            if !format!("{} {name}", format.as_str()).contains(&only) {
                continue;
            }
            let megabytes = kind.megabytes(megabytes);
            let response = response(ordinary::response(format, kind, megabytes * MEGABYTE));
            let script = parse(&response, &git_llm_apply::format::Reading::default());
            assert!(
                !script.has_errors() && !script.edits.is_empty(),
                "{format:?} {name}: {:?}",
                script.diagnostics
            );
            drop(script);
            let size = response.text().len() as f64 / 1e6;
            let enough = |[time]: [f64; 1]| matches!(kind, Kind::SmallEdits) || size / time >= least;
            let [time] = shortest_times([&response], enough);
            let speed = size / time;
            let memory = memory_of(&response);
            // The number of edits is limited, so small edits make no large response. They are shown without a bound.
            let bounded = !matches!(kind, Kind::SmallEdits);
            let verdict = match bounded {
                true if speed < least || memory > most => "MISSED",
                true => "",
                false => "(no bound)",
            };
            missed += usize::from(verdict == "MISSED");
            println!(
                "{:<15} {name:<12} {speed:>9.0} {least:>8.0} {memory:>8.2}x {most:>7.1}x {verdict}",
                format.as_str()
            );
        }
    }
    // Glibc keeps freed blocks of up to 32 MB and gives larger ones back to the system. So the shorter response would
    // be read into memory that the process already has, and the longer one into new pages. With a fixed threshold, both
    // get new pages.
    let hostile = std::env::current_exe().and_then(|program| {
        std::process::Command::new(program)
            .args(["hostile", &only])
            .env("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=131072")
            .status()
    });
    missed += usize::from(!hostile.is_ok_and(|status| status.success()));
    std::process::exit(i32::from(missed > 0));
}

/// Times the hostile responses with `only` in their name. Returns 1 if the time of one grows faster than its size.
fn hostile_responses(only: &str) -> i32 {
    let mut missed = false;
    println!("\n{:<62} {:>8} {:>8} {:>6}", "hostile response", "once", "twice", "ratio");
    for (name, make) in HOSTILE.iter().filter(|(name, _)| name.contains(only)) {
        let make = |times: usize| response(make(times * 100_000));
        let mut times = 1;
        while times < MAX_FACTOR && seconds(&make(times)) < MIN_SECONDS {
            times *= 2;
        }
        // The ratio of very short times says nothing: such a response is not read to its end.
        let fine = |[once, twice]: [f64; 2]| twice <= MAX_RATIO * once || twice < 2.0 * MIN_SECONDS;
        let [once, twice] = shortest_times([&make(times), &make(2 * times)], fine);
        let ratio = twice / once;
        let verdict = if fine([once, twice]) { "" } else { "MISSED" };
        missed |= !verdict.is_empty();
        println!("{name:<62} {:>6.1}ms {:>6.1}ms {ratio:>6.2} {verdict}", once * 1e3, twice * 1e3);
    }
    i32::from(missed)
}

fn response(text: String) -> Response {
    Response::new(0, "generated", text.into_bytes(), u64::MAX).unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2)
    })
}

/// Returns the shortest time of parsing each response, in seconds. They take turns, so that other work on the machine
/// slows all of them.
fn shortest_times<const N: usize>(responses: [&Response; N], fine: impl Fn([f64; N]) -> bool) -> [f64; N] {
    let mut least = [f64::MAX; N];
    for run in 0..MAX_RUNS {
        if run >= RUNS && fine(least) {
            break;
        }
        for (least, response) in least.iter_mut().zip(responses) {
            *least = least.min(seconds(response));
        }
    }
    least
}

/// Returns the CPU time of parsing a response, in seconds.
fn seconds(response: &Response) -> f64 {
    let clock = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let start = clock();
    let script = std::hint::black_box(parse(response, &git_llm_apply::format::Reading::default()));
    let time = clock() - start;
    drop(script);
    time
}

/// Returns the peak memory of parsing, in multiples of the response. It is measured in a separate process that reads
/// the response from a file, as the command does.
fn memory_of(response: &Response) -> f64 {
    let path = std::env::temp_dir().join(format!("parsing-{}", std::process::id()));
    let measured = std::fs::write(&path, response.text()).and_then(|()| {
        std::process::Command::new(std::env::current_exe()?).arg("memory").arg(&path).output()
    });
    let _ = std::fs::remove_file(path);
    let text =
        measured.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.trim().parse().unwrap_or(f64::INFINITY)
}

fn memory(path: &str) {
    let before = resident("VmRSS:");
    let bytes = std::fs::read(path).unwrap_or_default();
    let size = bytes.len() as f64;
    let Ok(response) = Response::new(0, "generated", bytes, u64::MAX) else { return };
    let script = parse(&response, &git_llm_apply::format::Reading::default());
    let peak = resident("VmHWM:");
    assert!(!script.edits.is_empty());
    println!("{}", (peak.saturating_sub(before)) as f64 / size);
}

fn resident(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or(0) * 1024
}
