//! Responses that a careless parser would read again and again.

pub(crate) type Hostile = (&'static str, &'static dyn Fn(usize) -> String);

/// The name of each response, and a function that makes it with about this many lines. Some open no region of any
/// format: detection has to read past them.
pub(crate) const HOSTILE: &[Hostile] = &[
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
    ("deeply indented fences in a fence", &|n| format!(" ```\n{}", "\t```diff\n".repeat(n))),
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
    ("opx: a reason that never ends", &|n| {
        format!("<edit file=\"a\" op=\"remove\"><why>\n{}", "x </wh y\n".repeat(n))
    }),
    ("opx: edits in one line", &|n| "x <edit file=\"a\" op=\"remove\"/> ".repeat(n / 4)),
    ("apply-patch: indented, and one line is not", &|n| {
        format!("  *** Begin Patch\n{}x\n", "  *** Update File: a\n  @@\n  -x\n".repeat(n / 3))
    }),
    ("apply-patch: ends that may be context", &|n| {
        format!("*** Begin Patch\n*** Update File: a\n{}", " *** End Patch\n".repeat(n))
    }),
    ("apply-patch: places of one line", &|n| {
        format!("*** Begin Patch\n*** Update File: a\n{}*** End Patch\n", "@@\n-a\n+b\n".repeat(n / 3))
    }),
    ("search-replace: much prose above every block", &|n| {
        format!("a.rs\n{}<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "so.\n\n".repeat(100))
            .repeat(n / 200)
    }),
    ("search-replace: openings misspelt", &|n| "<<<<<<< search\n".repeat(n)),
    ("file-changes: headers without hunks", &|n| {
        let headers = "--- a\n+++ b\n".repeat(n / 2);
        format!("<FILE_CHANGES>\n<FILE_PATCH file_path=\"a\">\n{headers}</FILE_PATCH>\n</FILE_CHANGES>\n")
    }),
    ("file-changes: closing tags of another directive", &|n| {
        format!("<FILE_CHANGES>\n<FILE_NEW file_path=\"a\">\n{}", "</FILE_PATCH>\n".repeat(n))
    }),
    ("applydir: arrays in prose", &|n| "see [1] and {2}\n[\n1]\n".repeat(n / 3)),
    ("applydir: nested and closed", &|n| format!("[{{\"file\": {}{}}}]", "[".repeat(n), "]".repeat(n))),
    ("detection: lines that look like the beginning of any format", &|n| {
        "<edit\n*** Begin\n<<<<<<< HEAD\n<FILE_CHANGE>\n[ {\n".repeat(n / 5)
    }),
    ("detection: every format's opening by turns", &|n| {
        "<edit file=\"a\" op=\"new\">\n*** Begin Patch\n<<<<<<< SEARCH\n<FILE_CHANGES>\n[{\"file\": \"a\",\n"
            .repeat(n / 5)
    }),
    ("detection: prose in which every word is a tag", &|n| {
        "a <b> <edit> </find> `<put>` <FILE_NEW>\n".repeat(n / 2)
    }),
    ("detection: paths and headings without a block", &|n| "### File: src/a.rs\n`b.rs`:\n".repeat(n / 2)),
    ("detection: commands whose texts never end", &|n| "cat > a <<EOF\n".repeat(n)),
    ("detection: one line of less-than signs", &|n| "<".repeat(n * 10)),
];
