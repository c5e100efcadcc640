//! The reports of refusals.

use super::config;
use git_llm_apply::edit::FormatId;
use git_llm_apply::format;
use git_llm_apply::plan::{self, MemoryTree, Rules};
use git_llm_apply::report::{self, Quoting, Report, Status};
use git_llm_apply::response::Response;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(300))]

    /// A refusal of any text can be reported to people, programs and models without a panic, and to models in bounded
    /// size.
    #[test]
    fn a_refusal_of_anything_can_be_said(
        file in "([ -~\t\u{a0}\u{2019}\u{202e}`é]{0,12}\n){0,12}",
        wanted in "([ -~\t\u{a0}\u{2019}\u{202e}`é]{0,12}\n){0,12}",
        close in any::<bool>(),
    ) {
        let wanted = if close { format!("{file}{wanted}") } else { wanted };
        let json = serde_json::json!({ "file_entries": [{ "file": "f", "changes": [{
            "original_lines": wanted.lines().collect::<Vec<_>>(), "changed_lines": ["new"],
        }]}]});
        let response = Response::new(0, "r", json.to_string().into_bytes(), 1 << 20).unwrap();
        let script = format::parse(&response, &git_llm_apply::format::Reading::only(FormatId::Applydir));
        let tree = MemoryTree::new().with_file("f", file.as_str()).unwrap();
        if let Err(rejected) = plan::resolve(&script, &tree, &Rules::default()).unwrap() {
            let mut report = Report::new(Status::Refused);
            report.responses = vec!["r".to_owned()];
            let responses = [response];
            report.edits = vec![report::edit(1, &script.edits[0], None, &responses)];
            report.findings =
                rejected.diagnostics.iter().map(|found| report::finding(found, &script, &responses)).collect();
            let people = report::findings(&report, true);
            let shown = people.contains("edit 1") && !people.contains('\u{202e}');
            prop_assert!(shown, "{people}");
            prop_assert!(report::json(&report).unwrap().contains("nearest"));
            let limit = report::FEEDBACK_LIMIT;
            for quoting in [Quoting::Exact, Quoting::Escaped] {
                let text = report::feedback(&report, quoting, limit).unwrap();
                prop_assert!(text.len() <= limit && text.contains("## Edit 1"));
                // Every fence is closed by one of the same length, and no quoted line looks like a fence.
                let fences: Vec<&str> = text.lines().filter(|line| line.starts_with("```")).collect();
                prop_assert!(fences.len().is_multiple_of(2) && fences.chunks(2).all(|pair| pair[0] == pair[1]));
            }
        }
    }
}
