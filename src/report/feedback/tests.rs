use super::super::escape::is_hidden;
use super::super::{EditReport, Wanted};
use super::*;
use crate::diag::{Nearest, Row, RowKind, Severity};
use crate::plan::Verb;
use crate::span::LineRange;

const PLACE: LineRange = LineRange { first: 3, last: 4 };

fn edit(number: usize, state: EditState) -> EditReport {
    EditReport {
        number,
        operation: Some(Verb::Modify),
        path: format!("file{number}"),
        to: None,
        why: None,
        format: Some(FormatId::Opx),
        response: "answer.txt".to_owned(),
        lines: PLACE,
        matched: Vec::new(),
        state,
        commit: None,
        diff: None,
        unwanted: None,
    }
}

fn finding(edit: Option<usize>, code: Code) -> Finding {
    Finding {
        code,
        severity: Severity::Error,
        message: "what `happened`".to_owned(),
        edit,
        path: edit.map(|edit| format!("file{edit}")),
        wanted: Vec::new(),
        response: Some("answer.txt".to_owned()),
        places: vec![PLACE],
        excerpt: vec![(3, "<edit>".to_owned())],
        help: None,
        evidence: None,
    }
}

fn refused(edits: Vec<EditReport>, findings: Vec<Finding>) -> Report {
    let mut report = Report::new(Status::Refused);
    report.responses = vec!["answer.txt".to_owned()];
    (report.edits, report.findings) = (edits, findings);
    report
}

fn text(report: &Report) -> String {
    feedback(report, Quoting::Exact, FEEDBACK_LIMIT).unwrap()
}

/// A finding with a closest match of `lines` lines, all of which differ.
fn missed(number: usize, lines: usize) -> Finding {
    let real: Vec<String> = (0..lines).map(|line| format!("line {line}\t\u{202e}```")).collect();
    let wanted = real.iter().map(|line| Wanted { line: None, text: line.replace("line", "lime") });
    let row = |at| Row { wanted: Some(at), real: Some(at), kind: RowKind::Differs };
    let nearest =
        Nearest { line: 11, similarity: 90, rows: (0..lines).map(row).collect(), lines: real.clone() };
    Finding {
        wanted: wanted.collect(),
        evidence: Some(Box::new(Evidence { nearest: Some(nearest), ..Evidence::default() })),
        ..finding(Some(number), Code::SearchNotFound)
    }
}

#[test]
fn there_is_no_feedback_if_nothing_was_refused() {
    for status in Status::ALL.iter().filter(|status| **status != Status::NoEdits) {
        assert_eq!(feedback(&Report::new(*status), Quoting::Exact, FEEDBACK_LIMIT), None);
    }
    let mut warned = refused(vec![], vec![finding(None, Code::Reasoning)]);
    warned.findings[0].severity = Severity::Warning;
    assert_eq!(feedback(&warned, Quoting::Exact, FEEDBACK_LIMIT), None);
}

#[test]
fn findings_about_no_edit_come_first_and_dependent_edits_last() {
    let mut second = finding(Some(2), Code::NotFound);
    second.evidence = Some(Box::new(Evidence { builds_on: Some(1), ..Evidence::default() }));
    let edits = vec![edit(1, EditState::Refused), edit(2, EditState::Refused), edit(3, EditState::Refused)];
    let findings = vec![
        finding(Some(1), Code::NotFound),
        second,
        finding(Some(3), Code::Markers),
        finding(None, Code::Truncated),
    ];
    let text = text(&refused(edits, findings));
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        heads,
        [
            "## Lines 3-4 of your answer",
            "## Edit 1: modify `file1` (lines 3-4 of your answer)",
            "## Edit 3: modify `file3` (lines 3-4 of your answer)",
            "## Edit 2: modify `file2` (lines 3-4 of your answer)"
        ]
    );
    assert!(text.contains("it needs edit 1"));
}

#[test]
fn good_edits_and_landed_edits_are_named() {
    let edits = |good| vec![edit(1, good), edit(2, EditState::Refused), edit(3, good), edit(4, good)];
    let report = |good| refused(edits(good), vec![finding(Some(2), Code::Policy)]);
    let of = |good| text(&Report { attempt: Some("1".to_owned()), ..report(good) });
    let fine = of(EditState::Fine);
    assert!(
        fine.starts_with("Your answer was not applied: 1 of its 4 edits was refused. Nothing was changed.")
    );
    assert!(fine.contains("Edits 1, 3, 4 are fine as they are: do not send them again."), "{fine}");
    let landed = of(EditState::Landed);
    assert!(landed.starts_with("Not all of your answer was applied"), "{landed}");
    assert!(landed.contains("Edits 1, 3, 4 are applied: do not send them again."), "{landed}");
    // Good edits that nobody keeps have to be sent again. A model that gets to answer again may drop the refused edit.
    let lost = text(&report(EditState::Fine));
    assert!(lost.contains("again without that edit") && !lost.contains("do not send"), "{lost}");
    let asked = text(&Report { is_held: true, is_asked_again: true, ..report(EditState::Fine) });
    assert!(asked.contains("send one of the good edits again") && !asked.contains("do not send"), "{asked}");
}

#[test]
fn the_limit_is_kept_and_no_edit_is_forgotten() {
    let edits = |count| (1..=count).map(|number| edit(number, EditState::Refused)).collect();
    for (count, lines) in [(1, 10), (1, 3000), (3, 500), (40, 30), (1000, 3)] {
        let report = refused(edits(count), (1..=count).map(|number| missed(number, lines)).collect());
        for limit in [0, 4096, FEEDBACK_LIMIT, 100_000] {
            let text = feedback(&report, Quoting::Exact, limit).unwrap();
            assert!(text.len() <= limit.max(4096), "{count} x {lines}: {} of {limit}", text.len());
            assert!(text.contains("## Edit 1:"), "{count} x {lines} in {limit}");
            let named = text.contains(&format!("## Edit {count}:")) || text.contains(&format!("-{count}."));
            assert!(named, "{count} x {lines} in {limit}:\n{text}");
        }
    }
}

#[test]
fn text_is_exact_for_a_model_and_escaped_for_a_terminal() {
    let report = refused(vec![edit(1, EditState::Refused)], vec![missed(1, 2)]);
    let exact = text(&report);
    assert!(exact.contains("\n11 | line 0\t\u{202e}```\n"), "{exact}");
    assert!(exact.contains("\n````\n"), "the fence is longer than what it holds: {exact}");
    let escaped = feedback(&report, Quoting::Escaped, FEEDBACK_LIMIT).unwrap();
    assert!(!escaped.contains(|c: char| is_hidden(c) && c != '\n' && c != '\t'), "{escaped}");
    assert!(escaped.ends_with("stands for a character that cannot be shown.\n"));
}

#[test]
fn removing_is_not_explained_if_it_is_not_allowed() {
    let mut report = Report::new(Status::NoEdits);
    report.responses = vec!["answer".to_owned()];
    let teaches = |report: &Report| text(report).contains("op=\"remove\"");
    assert!(teaches(&report));
    report.instructions.delete = false;
    assert!(!teaches(&report));
}
