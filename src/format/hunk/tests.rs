use super::*;
use crate::diag::Code;
use crate::format::scan::Cursor;
use crate::response::Response;
use proptest::prelude::*;

fn body(text: &str) -> Body {
    let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 30).unwrap();
    read(Cursor::new(&response).lines(), &response, "src/a.rs")
}

/// The hunks of a body without faults.
fn hunks(text: &str) -> Vec<Hunk> {
    let body = body(text);
    assert_eq!(body.faults, [], "{text}");
    body.hunks
}

/// The marked lines of each hunk.
fn lines(text: &str) -> Vec<String> {
    hunks(text)
        .into_iter()
        .map(|hunk| match hunk.change {
            Change::Diff { lines, .. } => lines.into(),
            change => panic!("{change:?}"),
        })
        .collect()
}

fn faults(text: &str) -> Vec<(Code, String)> {
    let faults = body(text).faults;
    faults.iter().map(|fault| (fault.code, text[fault.span().unwrap().range()].to_owned())).collect()
}

fn numbers(text: &str) -> (Option<u32>, Option<u32>) {
    match hunks(&format!("{text}\n-a\n+b\n"))[0].anchor {
        Anchor::Line { old_start, new_start, .. } => (old_start, new_start),
        ref anchor => panic!("{anchor:?}"),
    }
}

/// Whether the old and the new text end without a newline.
fn unterminated(text: &str) -> (bool, bool) {
    match hunks(text)[0].change {
        Change::Diff { before_unterminated, after_unterminated, .. } => {
            (before_unterminated, after_unterminated)
        }
        ref change => panic!("{change:?}"),
    }
}

#[test]
fn each_at_line_begins_a_hunk_whose_marked_lines_are_kept() {
    assert_eq!(lines("@@\n a\n-b\n+c\n@@\n-d\n"), [" a\n-b\n+c\n", "-d\n"]);
    assert_eq!(lines("@@\r\n\tx\r\n".replace('\t', "+").as_str()), ["+x\n"]);
    assert_eq!(lines("@@\n-  -x\n++y\n+@@\n"), ["-  -x\n++y\n+@@\n"], "only the first byte is a mark");
}

#[test]
fn numbers_are_kept_in_every_form() {
    assert_eq!(numbers("@@ -3,5 +4,6 @@ fn x"), (Some(3), Some(4)));
    assert_eq!(numbers("@@ -3 +4 @@"), (Some(3), Some(4)));
    assert_eq!(numbers("@@-3,1+4,1@@"), (Some(3), Some(4)));
    assert_eq!(numbers("@@ -3,5 @@"), (Some(3), None));
    assert_eq!(numbers("@@ -99999999999,1 +2 @@"), (None, Some(2)));
    for text in ["@@", "@@ ... @@", "@@ fn x() {", "@@ -x +y @@", "@@ - +", "@@  @@"] {
        assert_eq!(numbers(text), (None, None), "{text}");
    }
}

#[test]
fn a_hunk_has_its_span() {
    let text = "@@ -1 +1 @@\n-a\n+b\n\n\n@@\n+c\n";
    let spans: Vec<_> = hunks(text).iter().map(|hunk| &text[hunk.span.range()]).collect();
    assert_eq!(spans, ["@@ -1 +1 @@\n-a\n+b", "@@\n+c"]);
}

#[test]
fn a_blank_line_is_context_but_not_at_the_end() {
    assert_eq!(lines("@@\n a\n\n-b\n  \n\t\n+c\n"), [" a\n \n-b\n  \n \t\n+c\n"]);
    assert_eq!(lines("@@\n+a\n\n \n\n@@\n-b\n+\n-\n\n"), ["+a\n", "-b\n+\n-\n"]);
}

#[test]
fn blank_lines_at_the_end_are_content_if_the_numbers_count_them() {
    assert_eq!(lines("@@ -1,2 +1,3 @@\n a\n+b\n \n\n"), [" a\n+b\n \n"]);
    assert_eq!(lines("@@ -1,2 +1,3 @@\n a\n+b\n\n\n"), [" a\n+b\n \n"]);
    assert_eq!(lines("@@ -1,9 +1,9 @@\n a\n+b\n \n\n"), [" a\n+b\n"], "wrong numbers say nothing");
    assert_eq!(lines("@@ -1,1 +1,2 @@\n a\n+b\n-c\n"), [" a\n+b\n-c\n"], "nor do they end a hunk");
}

#[test]
fn a_missing_final_newline_is_obeyed() {
    assert_eq!(unterminated("@@\n-a\n\\ No newline at end of file\n+b\n"), (true, false));
    assert_eq!(unterminated("@@\n-a\n+b\n\\ No newline at end of file\n"), (false, true));
    assert_eq!(unterminated("@@\n-a\n\\ No newline\n+b\n\\ Kein Zeilenumbruch\n"), (true, true));
    assert_eq!(unterminated("@@\n-a\n b\n\\ No newline at end of file\n\n"), (true, true));
    assert_eq!(unterminated("@@\n-a\n+b\n"), (false, false));
}

#[test]
fn lines_after_the_last_one_are_an_error() {
    let marker = "\\ No newline at end of file\n";
    for text in ["@@\n-a\n{}-b\n+c\n", "@@\n a\n{}+b\n", "@@\n-a\n+b\n{}\n+c\n", "@@\n-a\n{}\n+b\n"] {
        let text = text.replace("{}", marker);
        assert_eq!(faults(&text).len(), 1, "{text}");
    }
    assert_eq!(faults("@@\n\\ No newline at end of file\n+a\n")[0].1, "\\ No newline at end of file");
}

#[test]
fn a_line_without_a_mark_is_a_context_line() {
    for line in ["fn x() {", "\tlet", "<tag>", "\u{a0}fn x() {"] {
        let text = format!("@@\n a\n{line}\n+b\n");
        assert_eq!(lines(&text), [format!(" a\n {}\n+b\n", line.trim_start_matches('\u{a0}'))]);
    }
}

#[test]
fn a_tilde_needs_two_removed_lines_on_each_side() {
    assert_eq!(lines("@@\n-a\n-b\n~\n-c\n-d\n e\n"), ["-a\n-b\n~\n-c\n-d\n e\n"]);
    assert_eq!(lines("@@\n-a\n-b\n~ \t\n-c\n-d\n~\n-e\n-f\n"), ["-a\n-b\n~\n-c\n-d\n~\n-e\n-f\n"]);
    assert_eq!(lines("@@\n-a\n ~\n"), ["-a\n ~\n"], "a file's line may be a tilde");
    for text in [
        "@@\n-a\n~\n-b\n-c\n",
        "@@\n-a\n-b\n~\n-c\n",
        "@@\n-a\n-b\n~\n-c\n+d\n-e\n",
        "@@\n a\n b\n~\n c\n d\n",
        "@@\n-a\n-b\n\n~\n-c\n-d\n",
        "@@\n-a\n-b\n~\n~\n-c\n-d\n",
        "@@\n-a\n-b\n~\n-c\n~\n-d\n-e\n",
        "@@\n-a\n-b\n~\n@@\n-c\n-d\n",
        "@@\n~\n",
    ] {
        assert_eq!(faults(text).first(), Some(&(Code::Malformed, "~".to_owned())), "{text}");
    }
}

#[test]
fn headers_are_skipped() {
    for header in [
        "--- a/src/a.rs\n+++ b/src/a.rs\n",
        "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\t2024\n+++ b/src/a.rs\t2024\n",
        "--- /dev/null\n+++ b/src/a.rs\n",
        "diff --git a/src/a.rs b/src/a.rs\nnew file mode 100644\n--- /dev/null\n+++ b/src/a.rs\n",
        "--- original\n+++ modified\n",
        "--- a.rs\n+++ a.rs\n",
        "--- a/top/src/a.rs\n+++ b/top/src/a.rs\n",
        "Index: src/a.rs\n=======\n--- src/a.rs\n+++ src/a.rs\n",
        "*** Begin Patch\n*** Update File: b.rs\n",
        "Here it is, rename from that to this:\n\n",
    ] {
        assert_eq!(lines(&format!("{header}@@\n-x\n+y\n")), ["-x\n+y\n"], "{header}");
    }
}

#[test]
fn a_header_of_the_same_file_may_be_before_each_hunk() {
    let text = "--- a/src/a.rs\n+++ b/src/a.rs\n@@\n-x\n--- a/src/a.rs\n+++ b/src/a.rs\n@@\n-y\n";
    assert_eq!(lines(text), ["-x\n", "-y\n"]);
    let text = "--- old\n+++ new\n@@\n-x\n--- old\n+++ new\n@@\n-y\n";
    assert_eq!(lines(text), ["-x\n", "-y\n"]);
    assert_eq!(
        lines("@@\n-x\n+y\ndiff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@\n-y\n").len(),
        2
    );
}

#[test]
fn removed_and_added_lines_may_look_like_a_header() {
    assert_eq!(lines("@@\n--- a comment\n+++ x\n z\n"), ["--- a comment\n+++ x\n z\n"]);
    assert_eq!(lines("@@\n--- a comment\n-x\n@@\n-y\n"), ["--- a comment\n-x\n", "-y\n"]);
    let text = "@@ -1,2 +1,2 @@\n a\n--- one\n+++ two\n@@ -9 +9 @@\n-x\n+y\n";
    assert_eq!(lines(text), [" a\n--- one\n+++ two\n", "-x\n+y\n"], "the numbers say that they are due");
}

#[test]
fn another_files_header_is_an_error() {
    for (text, place) in [
        ("--- a/src/b.rs\n+++ b/src/b.rs\n@@\n-x\n", "+++ b/src/b.rs"),
        ("@@\n-x\n--- a/b.txt\n+++ b/b.txt\n@@\n-y\n", "+++ b/b.txt"),
        ("@@ -1 +1 @@\n-x\n+x\n--- q\n+++ w\n@@ -1 +1 @@\n-y\n", "+++ w"),
        ("@@\n-x\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@\n-y\n", "+++ b/b"),
        ("@@\n-x\n*** Update File: b\n@@\n-y\n", "*** Update File: b"),
        ("*** Delete File: b\n@@\n-y\n", "*** Delete File: b"),
    ] {
        assert_eq!(faults(text), [(Code::Malformed, place.to_owned())], "{text}");
    }
}

#[test]
fn a_header_that_does_more_than_change_lines_is_an_error() {
    for line in [
        "+++ /dev/null",
        "diff --git a/x b/y\nrename from x",
        "diff --git a/x b/x\ndeleted file mode 100644",
        "diff --git a/x b/x\nold mode 100644",
        "diff --git a/x b/x\nnew file mode 100755",
        "diff --git a/x b/x\nBinary files a/x and b/x differ",
        "diff --git a/x b/x\nGIT binary patch",
    ] {
        assert_eq!(faults(&format!("{line}\n@@\n-x\n")).len(), 1, "{line}");
    }
    assert_eq!(faults("@@@ -1 -1 +1 @@@\n--x\n").len(), 1);
}

#[test]
fn changed_lines_outside_a_hunk_are_an_error() {
    assert_eq!(faults("-x\n+y\n@@\n-a\n"), [(Code::Malformed, "-x".into()), (Code::Malformed, "+y".into())]);
    assert_eq!(faults("```\n@@\n-a\n```\n+y\n"), [(Code::Malformed, "+y".into())]);
    assert_eq!(body("just text\n").hunks, []);
}

#[test]
fn a_fence_around_the_lines_is_removed() {
    assert_eq!(lines("```diff\n@@\n-a\n```\n"), ["-a\n"]);
    assert_eq!(lines("\n````\n@@\n ```\n-a\n```` \n\nSo it is.\n"), [" ```\n-a\n"]);
    assert_eq!(lines("```diff\n@@\n-a\n```\n\n```diff\n@@\n-b\n```\n"), ["-a\n", "-b\n"]);
}

#[test]
fn a_hunk_without_changes_counts_only_if_it_is_the_only_one() {
    assert_eq!(lines("@@\n a\n@@\n-b\n@@\n c\n"), ["-b\n"]);
    assert_eq!(lines("@@\n a\n@@\n b\n"), [" a\n", " b\n"]);
    assert_eq!(faults("@@\n@@\n-b\n"), [(Code::Missing, "@@".into())]);
    assert_eq!(lines("@@\n-b\n@@ -1,3 +1 @@\n\n"), ["-b\n"], "an empty last one says nothing");
}

#[test]
fn faults_are_bounded() {
    assert_eq!(body(&"@@\n".repeat(1000)).faults.len(), MAX_FAULTS);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_body_panics_and_hunks_are_in_it_in_order(
        parts in prop::collection::vec(prop::sample::select(vec![
            "@@", "@@ -1,2 +1 @@", "-", "+", " ", "~", "\\ No newline", "--- a", "+++ b", "+++ /dev/null", "é", "\n",
            "\r\n", "```", "diff --git a b", "*** End Patch", "\t", "99999999999999999999",
        ]), 0..60),
    ) {
        let text = parts.concat();
        let body = body(&text);
        let mut end = 0;
        for hunk in &body.hunks {
            prop_assert!(hunk.span.start as usize >= end);
            end = hunk.span.end as usize;
            prop_assert!(text.get(hunk.span.range()).is_some());
            let Change::Diff { lines, .. } = &hunk.change else { panic!() };
            prop_assert!(lines.lines().all(|line| line.starts_with([' ', '-', '+', '~'])));
            prop_assert!(lines.ends_with('\n'));
        }
        for fault in &body.faults {
            prop_assert!(fault.span().is_some_and(|span| text.get(span.range()).is_some()));
        }
    }
}
