//! Every kept input of every fuzz target, in `tests/fuzz/corpus`, goes through the same checks again.
//!
//! The inputs are the short ones of those that reach something that no other reaches (`cargo fuzz cmin`). An input that
//! once broke a check is kept as `found-*`.
#[path = "../fuzz/checks/apply_patch.rs"]
mod apply_patch;
#[path = "../fuzz/checks/applydir.rs"]
mod applydir;
#[path = "../fuzz/checks/detection.rs"]
mod detection;
#[path = "../fuzz/checks/diff.rs"]
mod diff;
#[path = "../fuzz/checks/edit_calls.rs"]
mod edit_calls;
#[path = "../fuzz/checks/file_changes.rs"]
mod file_changes;
#[path = "../fuzz/checks/messages.rs"]
mod messages;
#[path = "../fuzz/checks/opx.rs"]
mod opx;
#[path = "../fuzz/checks/round_trip.rs"]
mod round_trip;
#[path = "../fuzz/checks/search_replace.rs"]
mod search_replace;
#[path = "../fuzz/checks/whole_file.rs"]
mod whole_file;

use std::path::Path;

type Check = fn(&[u8]);

/// Each target's name, and its check.
const TARGETS: &[(&str, Check)] = &[
    ("apply_patch", apply_patch::check),
    ("applydir", applydir::check),
    ("detection", detection::check),
    ("diff", diff::check),
    ("edit_calls", edit_calls::check),
    ("file_changes", file_changes::check),
    ("messages", messages::check),
    ("opx", opx::check),
    ("round_trip", round_trip::check),
    ("search_replace", search_replace::check),
    ("whole_file", whole_file::check),
];

#[test]
fn the_kept_inputs_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz");
    let mut targets: Vec<String> = std::fs::read_dir(fuzz.join("fuzz_targets"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    targets.sort();
    assert_eq!(
        targets,
        TARGETS.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        "every target is held to it"
    );
    for (name, check) in TARGETS {
        let mut count = 0;
        for entry in std::fs::read_dir(fuzz.join("corpus").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let outcome = std::panic::catch_unwind(|| check(&bytes));
            assert!(outcome.is_ok(), "{} breaks the check", path.display());
            count += 1;
        }
        assert!(count >= 20, "{name}: {count} inputs are kept");
    }
}
