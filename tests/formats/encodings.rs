//! Text that is not UTF-8, without an attribute that says so: its ASCII lines can be edited, and every other byte
//! stays.
use crate::sandbox;

use sandbox::{Sandbox, create, patch, rename, replace, same};

const LATIN: &[u8] = b"# caf\xe9\nplain = 1\n# na\xefve \xdf\nlast = 2\n";

fn latin() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("latin.py", LATIN);
    sandbox.file("crlf.txt", b"\xe4\r\nplain\r\n\xf6");
    sandbox.commit("latin");
    sandbox
}

fn append(path: &str, text: &str) -> String {
    format!("<FILE_CHANGES>\n<FILE_APPEND file_path=\"{path}\">\n{text}</FILE_APPEND>\n</FILE_CHANGES>\n")
}

#[test]
fn ascii_lines_are_edited_and_all_other_bytes_stay() {
    let sandbox = latin();
    let diff = "--- a/crlf.txt\n+++ b/crlf.txt\n@@ -2 +2,2 @@\n-plain\n+other\n+more\n";
    let response = [
        patch("latin.py", "w", "plain = 1\n", "plain = 3\nmore = 4\n"),
        patch("latin.py", "w", "last = 2\n", ""),
        append("latin.py", "added = 5\n"),
        rename("latin.py", "moved.py", "w"),
        format!(
            "<FILE_CHANGES>\n<FILE_PATCH file_path=\"crlf.txt\">\n{diff}</FILE_PATCH>\n</FILE_CHANGES>\n"
        ),
    ];
    sandbox.apply([""; 0], &response.concat()).exits(0);
    assert_eq!(sandbox.read("moved.py"), b"# caf\xe9\nplain = 3\nmore = 4\n# na\xefve \xdf\nadded = 5\n");
    assert_eq!(sandbox.read("crlf.txt"), b"\xe4\r\nother\r\nmore\r\n\xf6");
    assert_eq!(sandbox.status(), "");
    // A new ASCII text fits any encoding.
    sandbox.apply([""; 0], &replace("moved.py", "w", "plain\n")).exits(0);
    // A file that was UTF-8, or is new, may have any UTF-8.
    sandbox.apply([""; 0], &(append("README", "caf\u{e9}\n") + &create("new", "w", "\u{e9}\n"))).exits(0);
    assert_eq!(sandbox.text("README"), "hello\ncaf\u{e9}\n");
    sandbox.is_sound();
}

#[test]
fn what_would_mix_encodings_is_refused_with_the_reason() {
    let sandbox = latin();
    let before = sandbox.listing();
    let why = "`latin.py` is not UTF-8 (line 1 has the byte 0xe9)";
    for (what, response) in [
        ("a line of more than ASCII", patch("latin.py", "w", "plain = 1\n", "plain = '\u{e9}'\n")),
        ("one at the end", append("latin.py", "# \u{e9}\n")),
        ("the whole text", replace("latin.py", "w", "# caf\u{e9}\nplain = 1\n")),
        (
            "with a move",
            patch("latin.py", "w", "plain = 1\n", "plain = 2\n")
                + &rename("latin.py", "moved.py", "w")
                + &patch("moved.py", "w", "plain = 2\n", "plain = '\u{2013}'\n"),
        ),
    ] {
        let run = sandbox.apply(["--no-keep"], &response).exits(1).says("not-editable");
        let why = if what == "with a move" { why.replace("latin.py", "moved.py") } else { why.to_owned() };
        assert!(run.stderr.contains(&why), "{what}: {}", run.stderr);
        assert!(run.stderr.contains("which is not ASCII"), "{what}: {}", run.stderr);
    }
    let over = create("latin.py", "w", "# caf\u{e9}\n");
    sandbox.apply(["--no-keep", "--allow-overwrite"], &over).exits(1).says(why);
    // A search text with such a line has no match, and the refusal says why.
    for quoted in ["# caf\u{e9}\nplain = 1\n", "# caf\u{fffd}\nplain = 1\n"] {
        let response = patch("latin.py", "w", quoted, "plain = 2\n");
        let run = sandbox.apply(["--no-keep", "--max-fuzz", "exact"], &response).exits(1);
        assert!(
            run.stderr.contains(why) && run.stderr.contains("quote its plain ASCII lines"),
            "{}",
            run.stderr
        );
    }
    same("latin", &before, &sandbox.listing());
}
