//! What a refusal has: the closest lines, the first difference, all matches, and what to do.

use crate::answer::{diffs, each, opx, patch, texts};
use crate::check::{Refusals, refused};
use git_llm_apply::diag::{Code, Evidence};

impl Refusals {
    /// Returns the evidence of the first error in each format.
    fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        self.0.iter().map(|(format, findings)| {
            let first = findings.iter().find(|finding| finding.is_error()).unwrap();
            first.evidence.as_deref().unwrap_or_else(|| panic!("{format} has no evidence: {}", first.message))
        })
    }
}

const FILE: &str = "\
[one]
size = 1
kind = a

[two]
size = 1
kind = a

[three]
size = 3
depth = 4
kind = c
";

#[test]
fn an_ambiguous_text_carries_all_places_and_the_context_that_tells_them_apart() {
    let found = refused("a.ini", FILE, each("a.ini", "size = 1\nkind = a", "size = 2\nkind = a"));
    let found = found.code(Code::SearchAmbiguous);
    for evidence in found.evidence() {
        assert_eq!(evidence.candidates, [2, 6]);
        assert_eq!(evidence.context_lines, Some(1));
    }
}

#[test]
fn a_text_that_is_nowhere_carries_the_nearest_region() {
    let find = "[three]\nsize = 5\ndepth = 4\nkind = c";
    let found = refused("a.ini", FILE, each("a.ini", find, &find.replace("kind = c", "kind = d")));
    let found = found.code(Code::SearchNotFound).says("no match for the search text");
    for evidence in found.evidence() {
        let nearest = evidence.nearest.as_ref().unwrap();
        assert_eq!(nearest.line, 9);
        let row = nearest.rows[nearest.first_differing_row().unwrap()];
        assert_eq!((row.wanted, &*nearest.lines[row.real.unwrap()]), (Some(1), "size = 3"));
        assert!(nearest.similarity >= 60, "{}", nearest.similarity);
    }
}

#[test]
fn it_says_which_edit_and_where_in_the_response() {
    let pairs = [("size = 3", "size = 4"), ("nowhere = 1", "nowhere = 2")];
    let found = refused("a.ini", FILE, texts("a.ini", &pairs)).code(Code::SearchNotFound);
    for (format, findings) in &found.0 {
        let error = findings.iter().find(|finding| finding.is_error()).unwrap();
        assert_eq!(error.path.as_deref(), Some("a.ini"), "{format}");
        assert!(error.span().is_some(), "{format}");
        let number = if *format == "applydir" { 1 } else { 2 };
        assert_eq!(error.edit, Some(number), "{format}");
    }
}

#[test]
fn nowhere_is_not_said_of_a_text_that_stands_there() {
    // The place contradicts a heading, an end-of-file mark or the order, but the lines are in the file.
    let by_heading = "@@ [one]\n size = 3\n-depth = 4\n+depth = 5\n";
    let file =
        FILE.replace("\nsize", "\n  size").replace("\nkind", "\n  kind").replace("\ndepth", "\n  depth");
    let indented =
        by_heading.replace(" size", "   size").replace("-depth", "-  depth").replace("+depth", "+  depth");
    let _ = &file;
    refused(
        "a.py",
        &file.replace('[', "class ").replace(']', ":"),
        diffs("a.py", &indented.replace("[one]", "class one:")),
    )
    .not_nowhere();
    let by_end = "@@\n-size = 3\n+size = 4\n*** End of File\n";
    refused("a.ini", FILE, patch("a.ini", by_end)).not_nowhere();
    let by_order = "@@\n-depth = 4\n+depth = 5\n@@\n-kind = a\n+kind = d\n";
    refused("a.ini", FILE, patch("a.ini", by_order)).not_nowhere();
    let in_comment = "first = 1\n# workers = 4\n";
    refused("a.py", in_comment, opx("a.py", "workers = 4", "workers = 5")).not_nowhere();
}

#[test]
fn the_line_of_the_text_is_named_where_a_pointer_goes_against_it() {
    let file = "def alpha():\n    one()\n\ndef beta():\n    two()\n    three()\n";
    let body = "@@ def alpha():\n     two()\n-    three()\n+    four()\n";
    let found = refused("a.py", file, diffs("a.py", body)).says("alpha");
    for (format, findings) in &found.0 {
        let error = findings.iter().find(|finding| finding.is_error()).unwrap();
        let evidence = error.evidence.as_deref();
        let named = error.message.contains("line 5")
            || evidence.is_some_and(|evidence| {
                evidence.candidates.contains(&5)
                    || evidence.nearest.as_ref().is_some_and(|nearest| nearest.line == 5)
            });
        assert!(named, "{format}: {}", error.message);
    }
}
