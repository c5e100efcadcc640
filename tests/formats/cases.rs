//! The golden cases. `tests/cases/<format>/<name>/` (in `general`: of all formats) has `response.txt` and the tree
//! `before/` (missing if it is empty). It also has the tree `after/` (with `.keep-empty` if it is empty), or `refused`,
//! the codes of all errors in order, one a line (`no-edits` if the response has none). For a format that is not
//! detected the test gives `--format`.

use crate::corpus;

use corpus::{Outcome, list, name, read_files, rules, run};
use git_llm_apply::format::{FORMATS, FormatId};
use std::path::Path;

/// Returns what is wrong with the result of a case.
fn complaint(case: &Path, only: Option<FormatId>) -> Option<String> {
    let response = std::fs::read(case.join("response.txt")).expect("a case has a response");
    let before = read_files(&case.join("before"));
    let outcome = run(response, only, &before, &rules());
    let refused = std::fs::read_to_string(case.join("refused")).ok();
    let after = case.join("after").is_dir().then(|| read_files(&case.join("after")));
    let fine = match (&outcome, refused, after) {
        (Outcome::Lands(files), None, Some(after)) => *files == after,
        (outcome, Some(codes), None) => codes.lines().eq(outcome.codes()),
        (_, None, None) | (_, Some(_), Some(_)) => panic!("{}: either after/ or refused", case.display()),
        _ => false,
    };
    (!fine).then(|| format!("{}: {}", case.display(), outcome.describe()))
}

#[test]
fn every_case_is_as_its_folder_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut complaints = Vec::new();
    for format in list(&root).iter().filter(|path| path.is_dir()) {
        if name(format) == "snippet" && cfg!(not(feature = "syntax")) {
            continue;
        }
        let cases = list(format);
        assert!(!cases.is_empty(), "{} has no cases", format.display());
        let name = name(format);
        let row = FORMATS.iter().find(|format| format.id.as_str() == name);
        assert!(
            row.is_some() || name == "general",
            "a folder is named like its format, or holds what is said of all"
        );
        let asked = row.filter(|format| !format.id.is_detected()).map(|format| format.id);
        println!("{name}: {} cases", cases.len());
        complaints.extend(cases.iter().filter_map(|case| complaint(case, asked)));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
