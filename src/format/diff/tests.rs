use crate::diag::Code;
use crate::edit::{Change, Edit, FormatId, Op, Script};
use crate::format::parse as parse_all;
use crate::format::tests::linear::assert_linear;
use crate::response::Response;

fn script(text: &str) -> Script {
    let response = Response::new(0, "r", text.as_bytes().to_vec(), 1 << 24).unwrap();
    parse_all(&response, &crate::format::Reading::default())
}

/// The edits of a response without errors.
fn edits(text: &str) -> Vec<Edit> {
    let script = script(text);
    assert_eq!(script.diagnostics, [], "{text}");
    script.edits
}

/// Returns an edit in short: a word for its operation, and its paths.
fn shown(edit: &Edit) -> String {
    let path = &edit.path.raw;
    match &edit.op {
        Op::Create { text, .. } => format!("create {path} {text:?}"),
        Op::Modify { hunks, .. } => format!("modify {path} {}", hunks.len()),
        Op::Delete { hunks, .. } => format!("delete {path} {}", hunks.len()),
        Op::Rename { to, hunks } => format!("rename {path} {} {}", to.raw, hunks.len()),
        Op::Copy { to, hunks } => format!("copy {path} {} {}", to.raw, hunks.len()),
        other => panic!("{other:?}"),
    }
}

fn all(text: &str) -> Vec<String> {
    edits(text).iter().map(shown).collect()
}

fn codes(text: &str) -> Vec<Code> {
    script(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

const ONE: &str = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn a_diff_may_be_anywhere_in_prose() {
    for text in [
        ONE.to_owned(),
        format!("So:\n{ONE}Done.\n"),
        format!("So:\n\n{ONE}\nDone.\n\n- one\n- two\n"),
        format!("```diff\n{ONE}```\n- one\n+ two\n"),
        format!("````patch\n\n{ONE}\n````\n"),
        format!("```\n{ONE}```\n"),
        format!("```text\n{ONE}```\n"),
        format!("```rust\nlet x;\n```\n{ONE}"),
        format!("diff --git a/x b/x\nindex 1..2 100644\n{ONE}"),
        format!("# A remark\n{ONE}"),
    ] {
        assert_eq!(all(&text), ["modify x 1"], "{text}");
    }
    for between in ["", "diff -ru a/y b/y\n"] {
        let text = format!("```diff\n{ONE}{between}{}```\n", ONE.replace('x', "y"));
        assert_eq!(all(&text), ["modify x 1", "modify y 1"], "{text}");
    }
}

#[test]
fn the_span_of_an_edit_is_from_its_header_to_its_last_line() {
    let text = format!("So:\n\n{ONE}\n\nDone.\n");
    assert_eq!(&text[edits(&text)[0].span.range()], ONE.trim_end());
    let text = format!("```diff\n{ONE}\n{}```\n", ONE.replace('x', "y"));
    let spans: Vec<String> = edits(&text).iter().map(|edit| text[edit.span.range()].to_owned()).collect();
    assert_eq!(spans, [ONE.trim_end().to_owned(), ONE.trim_end().replace('x', "y")]);
    assert_eq!(&text[edits(&text)[0].path.span.range()], "b/x");
}

#[test]
fn headers_create_delete_rename_and_copy_files() {
    for (text, is) in [
        ("diff --git a/x b/y\nrename from x\nrename to y\n", "rename x y 0"),
        (
            "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n@@\n-a\n+b\n",
            "copy x y 1",
        ),
        ("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", "create x \"\""),
        (
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n",
            "create x \"a\\nb\"",
        ),
        ("--- /dev/null\n+++ x\n@@ ... @@\n-a\n+b\n", "modify x 1"),
        ("--- a/x\n+++ /dev/null\n", "delete x 0"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete x 1"),
        ("diff --git a/x b/x\ndeleted file mode 100755\nindex 1..0\n", "delete x 0"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "modify x 0"),
        ("diff --git a/x b/x\n@@\n-a\n+b\n", "modify x 1"),
    ] {
        assert_eq!(all(text), [is], "{text}");
    }
    let executable = |text: &str| edits(text)[0].git.executable;
    assert_eq!(executable("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"), Some(true));
    assert_eq!(executable("diff --git a/x b/x\nold mode 100755\nnew mode 100644\n"), Some(false));
    assert_eq!(executable("diff --git a/x b/x\nnew file mode 100755\nindex 0000000..e69de29\n"), Some(true));
    assert_eq!(executable("diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n"), None);
    let blob = |text: &str| edits(&format!("diff --git a/x b/x\n{text}\n@@\n-a\n+b\n"))[0].git.blob.clone();
    assert_eq!(blob("index 83db48f..bf269f4 100644").as_deref(), Some("83db48f"));
    assert_eq!(blob("index 0000000..bf269f4"), None);
    assert_eq!(blob("index HEAD..x"), None);
}

#[test]
fn an_invalid_section_is_an_error() {
    use Code::{Malformed, Missing, Truncated};
    for (text, code) in [
        ("diff --git a/x b/y\nrename from x\n@@\n-a\n+b\n", Missing),
        ("diff --git a/x b/y\n--- a/x\n+++ b/y\n@@\n-a\n+b\n", Malformed),
        ("diff --git a/x b/x\n--- a/y\n+++ b/y\n@@\n-a\n+b\n", Malformed),
        ("diff --git a/x b/x\nnew file mode 100644\n@@\n a\n+b\n", Malformed),
        ("diff --git a/x b/x\nnew file mode 100600\n@@\n+b\n", Malformed),
        ("--- /dev/null\n+++ /dev/null\n@@\n+b\n", Malformed),
        ("```diff\n--- a/x\n+++ b/x\n```\n", Missing),
        ("--- a/x\n+++ b/x\n-a\n+b\n\nDone.\n", Malformed),
        ("```\n--- a/x\n+++ b/x\n-a\n+b\n```\n", Malformed),
        ("```diff\n@@ -1 +1 @@\n-a\n+b\n```\n", Missing),
        ("```diff\n- a\n+ b\n```\n", Missing),
        ("@@ -1 +1 @@\n-a\n+b\n", Missing),
        ("```diff\n--- a/x\n+++ b/x\n@@\n-a\n+b\n", Truncated),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n", Truncated),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n", Truncated),
        ("diff --git a/x b/x\n", Truncated),
    ] {
        assert_eq!(codes(text), [code], "{text}");
        assert!(script(text).edits.is_empty(), "{text}");
    }
}

#[test]
fn the_sections_before_an_invalid_one_are_edits() {
    let text = format!(
        "```diff\n{ONE}diff --git a/y b/y\nBinary files a/y and b/y differ\ndiff --git a/z b/z\n{}```\n",
        ONE.replace('x', "z")
    );
    let script = script(&text);
    assert_eq!(script.edits.iter().map(shown).collect::<Vec<_>>(), ["modify x 1", "modify z 1"]);
    assert_eq!(script.diagnostics.len(), 1);
    assert_eq!(script.diagnostics[0].path.as_deref(), Some("y"));
}

#[test]
fn a_wrong_count_is_no_error_before_the_end() {
    assert_eq!(all("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n\nSo.\n"), ["modify x 1"]);
    assert_eq!(
        all(&format!("--- a/y\n+++ b/y\n@@ -1,9 +1,9 @@\n-a\n+b\n{ONE}")),
        ["modify y 1", "modify x 1"]
    );
    assert_eq!(all("```diff\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n```\n"), ["modify x 1"]);
}

#[test]
fn the_text_of_a_mail_is_not_kept_for_very_many_edits() {
    let head = format!("From {} x\nSubject: [PATCH] x\n\n{}\n---\n", "a".repeat(40), "word ".repeat(100_000));
    let file = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    let read = |files: usize| {
        let script = script(&format!("{head}{}", file.repeat(files)));
        (script.edits.len(), script.diagnostics.iter().map(|fault| fault.code).collect::<Vec<_>>())
    };
    assert_eq!(read(60), (60, vec![]));
    let (edits, codes) = read(500);
    assert!(edits < 100 && codes.last() == Some(&Code::Limit), "{edits} {codes:?}");
}

#[test]
fn the_edits_of_a_mail_have_its_reason_and_one_commit() {
    let mail = |subject: &str, body: &str| {
        format!(
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: {subject}\n\
             \n{body}---\n x | 2 +-\n\n{ONE}{}-- \n2.43.0\n\n",
            ONE.replace('x', "y")
        )
    };
    let text =
        mail("[PATCH 1/2] One", "From: B <b@c>\n\nBody: this.\n\n- item\n") + &mail("[PATCH 2/2]\n Two", "");
    let edits = edits(&text);
    let whys: Vec<_> = edits.iter().map(|edit| edit.why.as_deref()).collect();
    assert_eq!(
        whys,
        [
            Some("One\n\nBody: this.\n\n- item"),
            Some("One\n\nBody: this.\n\n- item"),
            Some("Two"),
            Some("Two")
        ]
    );
    assert!(edits[0].git.mail == edits[1].git.mail && edits[1].git.mail != edits[2].git.mail);
    assert!(edits.iter().all(|edit| edit.region == 1));
    let fenced = format!("```patch\n{}```\n", mail("[PATCH] One", ""));
    assert_eq!(super::tests::edits(&fenced).len(), 2);
    let bare = mail("[PATCH] One", "");
    let bare = bare.split_once('\n').unwrap().1;
    assert_eq!(super::tests::edits(bare)[0].why.as_deref(), Some("One"));
}

#[test]
fn a_fenced_diff_that_is_cut_off_gives_the_sections_before_and_an_error() {
    let text = format!(
        "So:\n\n```diff\n{ONE}diff --git a/y b/z\nsimilarity index 90%\nrename from y\nrename to z\n--- a/y\n+++ b/z\n\
         @@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -9 +9 @@\n-d\n+e\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n```\nDone.\n"
    );
    let whole = edits(&text);
    assert_eq!(whole.len(), 3);
    let begins = text.find("```diff").unwrap() + "```".len();
    let ends = text.rfind("```").unwrap() + 3;
    for cut in 0..text.len() {
        let script = script(&text[..cut]);
        let kept = script.edits.len();
        assert_eq!(script.edits, whole[..kept], "cut at {cut}");
        assert!(script.edits.iter().all(|edit| (edit.span.end as usize) < cut), "cut at {cut}");
        assert_eq!(
            script.diagnostics.is_empty(),
            !(begins..ends).contains(&cut),
            "cut at {cut}: {:?}",
            script.diagnostics
        );
        assert!(script.has_errors() || cut < begins + 6 || cut >= ends, "cut at {cut}");
    }
}

#[test]
fn a_diff_without_one_of_its_header_lines_does_nothing_else() {
    let text = "```diff\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n@@ -7 +7 @@\n-d\n+e\n\
                diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+y\n```\n";
    let whole: Vec<String> = edits(text).iter().map(meaning).collect();
    let lines: Vec<&str> = text.lines().collect();
    for lost in (0..lines.len()).filter(|&lost| !lines[lost].starts_with([' ']) && lines[lost].len() > 2) {
        let rest = lines.iter().enumerate().filter(|(at, _)| *at != lost);
        let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
        let script = script(&rest);
        let seen: Vec<String> = script.edits.iter().map(meaning).collect();
        assert!(script.has_errors() || seen == whole, "without {:?}: {seen:?}", lines[lost]);
    }
}

fn meaning(edit: &Edit) -> String {
    let lines = edit.hunks().iter().map(|hunk| match &hunk.change {
        Change::Diff { lines, .. } => lines.as_str(),
        other => panic!("{other:?}"),
    });
    // The hunks may divide the same lines in another way.
    format!("{} {}", shown(edit).trim_end_matches(|c: char| c.is_ascii_digit()), lines.collect::<String>())
}

#[test]
fn reading_is_linear() {
    let patterns: &[(&str, &str, &str)] = &[
        ("", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ""),
        ("", "--- a/x\n", ""),
        ("", "--- a/x\n+++ b/x\n", ""),
        ("", "diff --git a/x b/x\n", ""),
        ("", "```diff\n", ""),
        ("", "```diff\n\n\n\n", ""),
        ("", "```\n--- a/x\n+++ b/x\n@@\n", ""),
        ("~~~\n", "```\n--- a/x\n+++ b/x\n@@\n", ""),
        ("", "@@ -1 +1 @@\n-a\nb\n", ""),
        ("--- a/x\n+++ b/x\n@@ -1,99999999 +1,99999999 @@\n-a\n", "b\n", "-c\n"),
        ("", "--- a/x\n+++ b/x\n@@ -1,99999999 +1,99999999 @@\n-a\nb\n", ""),
        ("--- a/x\n+++ b/x\n@@\n-a\n", "b\n", ""),
        ("", "From: x\n", ""),
        ("", "Date: x\n", "Subject: [PATCH] x\n"),
        ("", "From 0123456789012345678901234567890123456789 x\n", ""),
        ("From 0123456789012345678901234567890123456789 x\n\n", "text\n", ""),
        ("", "> ```diff\n> -a\n\n", ""),
    ];
    for (head, unit, tail) in patterns {
        assert_linear(unit, FormatId::Diff, &|n| format!("{head}{}{tail}", unit.repeat(n)));
    }
    // Each of these lines may begin a diff, which ends at the next of them.
    assert_linear("hunks below lines that may name a file", FormatId::Diff, &|n| {
        let lines = " +++ b/a\n\t*** Begin Patch\n".repeat(n / 3);
        format!("```diff\n{lines}{}", "@@ -1 +1 @@\n".repeat(n / 3))
    });
}
