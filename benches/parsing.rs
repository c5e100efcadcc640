//! How fast responses are parsed, in how much memory, and whether hostile ones take time in proportion to their size.
//!
//! `cargo bench --bench parsing [-- <megabytes>]`: exits with 1 where a bound is missed. Bounds: 300 MB/s in the text
//! formats and 100 MB/s in JSON on one core; 2.5 times a response's size in memory, 5 times in JSON; doubling a hostile
//! response takes at most 2.3 times the time.
#![expect(clippy::print_stdout, reason = "it is a command")]

use git_llm_apply::format::{FormatId, parse, render};
use git_llm_apply::response::Response;
use std::fmt::Write;
use std::time::Instant;

const MEGABYTE: usize = 1 << 20;

/// The bounds of a format: megabytes a second, and memory in multiples of the response.
fn bounds(format: FormatId) -> (f64, f64) {
    if format == FormatId::Applydir { (100.0, 5.0) } else { (300.0, 2.5) }
}

fn main() {
    let args: Vec<_> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [mode, format, megabytes] = args.as_slice()
        && mode == "memory"
    {
        return memory(format, megabytes.parse().unwrap_or(50));
    }
    let megabytes = args.first().and_then(|arg| arg.parse().ok()).unwrap_or(50);
    let mut missed = 0;
    println!("{:<15} {:>9} {:>8} {:>8}", "format", "MB/s", "bound", "memory");
    for &format in FormatId::ALL {
        let text = ordinary(format, megabytes);
        let response = response(text);
        let size = response.text().len();
        let mut best = f64::MAX;
        let mut edits = 0;
        for _ in 0..3 {
            let start = Instant::now();
            let script = parse(&response, None);
            best = best.min(start.elapsed().as_secs_f64());
            assert!(!script.has_errors(), "{format:?}: {:?}", script.diagnostics.first());
            edits = script.edits.len();
        }
        assert!(edits > 0, "{format:?}");
        drop(response);
        let speed = size as f64 / best / 1e6;
        let memory = memory_of(format, megabytes);
        let (least, most) = bounds(format);
        let verdict = if speed < least || memory > most { "MISSED" } else { "" };
        missed += usize::from(!verdict.is_empty());
        println!("{:<15} {speed:>9.0} {least:>8.0} {memory:>7.2}x {verdict}", format.as_str());
    }
    println!("\n{:<55} {:>8} {:>8} {:>6}", "hostile response", "once", "twice", "ratio");
    for (name, make) in HOSTILE {
        let (once, twice) = (time(make, 1), time(make, 2));
        let ratio = twice / once;
        // What takes no time to speak of has no ratio to speak of.
        let verdict = if ratio > 2.3 && twice > 0.02 { "MISSED" } else { "" };
        missed += usize::from(!verdict.is_empty());
        println!("{name:<55} {:>6.1}ms {:>6.1}ms {ratio:>6.2} {verdict}", once * 1e3, twice * 1e3);
    }
    std::process::exit(i32::from(missed > 0));
}

fn response(text: String) -> Response {
    match Response::new(0, "generated", text.into_bytes(), u64::MAX) {
        Ok(response) => response,
        Err(e) => {
            println!("{e}");
            std::process::exit(2)
        }
    }
}

/// What models write most: changes of a few lines with context, in files of ordinary code, some prose between.
fn ordinary(format: FormatId, megabytes: usize) -> String {
    let mut file = String::new();
    for n in 0..400 {
        let _ = writeln!(file, "    let value_{n} = compute(\"{n}\", &context)?; // what it comes to");
        if n % 9 == 0 {
            file.push('\n');
        }
    }
    let after =
        file.replace("value_100 = compute", "value_100 = recompute").replace("value_300", "total_300");
    let new = &file[..file.len() / 8];
    let modify = render::Rendered {
        path: "src/deep/inside/module.rs",
        before: Some(file.as_bytes()),
        after: Some(after.as_bytes()),
        renamed_from: None,
        why: Some("Compute it anew"),
    };
    let create = render::Rendered {
        path: "src/deep/inside/new.rs",
        before: None,
        after: Some(new.as_bytes()),
        renamed_from: None,
        why: Some("Add a module"),
    };
    let one = match render::render(format, &[modify, create]) {
        Ok(text) => text,
        Err(e) => {
            println!("{e}");
            std::process::exit(2)
        }
    };
    let wanted = megabytes * MEGABYTE;
    if format == FormatId::Applydir {
        // One array: what a model gives once.
        let entries: Vec<_> = entries(&one);
        let mut text = String::from("Here it is.\n\n{\"message\": \"m\", \"file_entries\": [\n");
        while text.len() < wanted {
            for entry in &entries {
                text.push_str(entry);
                text.push_str(",\n");
            }
        }
        text.push_str("]}\n");
        return text;
    }
    let mut text = String::with_capacity(wanted + one.len());
    while text.len() < wanted {
        text.push_str("Next I would change this, for the reasons that you gave.\n\n");
        text.push_str(&one);
        text.push('\n');
    }
    text
}

/// The entries of a rendered applydir object, as JSON.
fn entries(text: &str) -> Vec<String> {
    let start = text.find(['{', '[']).unwrap_or(0);
    let value: serde_json::Value = match serde_json::from_str(text[start..].trim_end_matches(['`', '\n'])) {
        Ok(value) => value,
        Err(e) => {
            println!("{e}");
            std::process::exit(2)
        }
    };
    let array = value.get("file_entries").unwrap_or(&value);
    let entry = |entry: &serde_json::Value| serde_json::to_string_pretty(entry).unwrap_or_default();
    array.as_array().into_iter().flatten().map(entry).collect()
}

/// Peak memory of parsing, in multiples of the response, measured in a process of its own.
fn memory_of(format: FormatId, megabytes: usize) -> f64 {
    let here = std::env::current_exe().unwrap_or_default();
    let args = ["memory", format.as_str(), &megabytes.to_string()];
    let output = std::process::Command::new(here).args(args).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.trim().parse().unwrap_or(f64::INFINITY)
}

fn memory(format: &str, megabytes: usize) {
    let Ok(format) = format.parse() else { return };
    // Through a file, as the command reads one, so that making it leaves nothing behind.
    let path = std::env::temp_dir().join(format!("parsing-{}", std::process::id()));
    let _ = std::fs::write(&path, ordinary(format, megabytes));
    let before = resident("VmRSS:");
    // Forget the peak of making it.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let bytes = std::fs::read(&path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    let size = bytes.len() as f64;
    let Ok(response) = Response::new(0, "generated", bytes, u64::MAX) else { return };
    let script = parse(&response, None);
    let peak = resident("VmHWM:");
    assert!(!script.edits.is_empty());
    println!("{}", (peak.saturating_sub(before)) as f64 / size);
}

fn resident(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or(0) * 1024
}

/// The least time of three.
fn time(make: &dyn Fn(usize) -> String, times: usize) -> f64 {
    let response = response(make(times * 100_000));
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        std::hint::black_box(parse(&response, None));
        start.elapsed().as_secs_f64()
    });
    runs.fold(f64::MAX, f64::min)
}

type Hostile = (&'static str, &'static dyn Fn(usize) -> String);

/// Inputs that a careless parser goes over again and again.
const HOSTILE: &[Hostile] = &[
    ("opx: openings that never close", &|n| "<edit file=\"a\" op=\"patch\"><find>\n".repeat(n)),
    ("opx: one payload full of openings", &|n| {
        format!("<edit file=\"a\" op=\"new\"><put>\n<<<\n{}", "<edit file=\"a\" op=\"new\">\n".repeat(n))
    }),
    ("opx: markers that never close", &|n| {
        format!("<edit file=\"a\" op=\"new\"><put>\n{}", "<<<\n".repeat(n))
    }),
    ("opx: an attribute that never ends", &|n| format!("<edit file=\"{}", "a ".repeat(n))),
    ("opx: openings without an end of the tag", &|n| "<edit file=\"a\n".repeat(n)),
    ("think: openings that never close", &|n| "<think>\n".repeat(n)),
    ("think: closings without an opening", &|n| "</think>\n<edit file=\"a\" op=\"remove\"/>\n".repeat(n / 2)),
    ("quotes in quotes", &|n| format!("{}x\n", "> ".repeat(n))),
    ("a line of blanks", &|n| " ".repeat(n * 20)),
    ("fences", &|n| "```\n".repeat(n)),
    ("apply-patch: patches that never end", &|n| "*** Begin Patch\n".repeat(n)),
    ("apply-patch: files without a change", &|n| {
        format!("*** Begin Patch\n{}*** End Patch\n", "*** Update File: a\n".repeat(n))
    }),
    ("apply-patch: anchors without lines", &|n| {
        format!("*** Begin Patch\n*** Update File: a\n{}*** End Patch\n", "@@ x\n".repeat(n))
    }),
    ("search-replace: searches without a divider", &|n| "a.rs\n<<<<<<< SEARCH\n".repeat(n)),
    ("search-replace: dividers without an end", &|n| {
        format!("a.rs\n<<<<<<< SEARCH\n{}", "=======\n".repeat(n))
    }),
    ("search-replace: ends without a beginning", &|n| ">>>>>>> REPLACE\n".repeat(n)),
    ("search-replace: dividers in one block", &|n| {
        format!("a.rs\n<<<<<<< SEARCH\n{}>>>>>>> REPLACE\n", "=======\n".repeat(n))
    }),
    ("search-replace: prose and a block, again and again", &|n| {
        "a.rs\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(n / 6)
    }),
    ("file-changes: envelopes that never close", &|n| "<FILE_CHANGES>\n".repeat(n)),
    ("file-changes: directives that never close", &|n| {
        format!("<FILE_CHANGES>\n{}", "<FILE_NEW file_path=\"a\">\n".repeat(n))
    }),
    ("file-changes: hunks without lines", &|n| {
        format!(
            "<FILE_CHANGES>\n<FILE_PATCH file_path=\"a\">\n{}</FILE_PATCH>\n</FILE_CHANGES>\n",
            "@@\n".repeat(n)
        )
    }),
    ("file-changes: brackets that never close", &|n| "[[[UDIFFX_FILE_CHANGES]]]\n".repeat(n)),
    ("applydir: brackets", &|n| "[".repeat(n)),
    ("applydir: braces", &|n| "{\"file\":".repeat(n)),
    ("applydir: lines that open an array", &|n| "[\n".repeat(n)),
    ("applydir: lines that open an entry", &|n| "[{\"file\": \"a\", \"changes\": [\n".repeat(n / 4)),
    ("applydir: a string that never ends", &|n| format!("[{{\"file\": \"{}", "\\n".repeat(n))),
    ("applydir: comments that never end", &|n| "[{\"file\": /*\n".repeat(n)),
];
