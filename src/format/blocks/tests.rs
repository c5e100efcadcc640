use crate::diag::Code;
use crate::edit::{FenceState, FormatId, Script};
use crate::format::{Reading, parse};
use crate::response::Response;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 30).unwrap()
}

/// A response in which `(a)` stands for an edit of the file a.
fn script(text: &str) -> Script {
    let text = text.replace('(', "<edit file=\"").replace(')', "\" op=\"remove\"/>");
    parse(&response(&text), &Reading::default())
}

/// Region and path of every edit.
fn edits(script: &Script) -> Vec<(u32, &str)> {
    script.edits.iter().map(|edit| (edit.region, edit.path.raw.as_str())).collect()
}

fn paths(text: &str) -> Vec<String> {
    script(text).edits.into_iter().map(|edit| edit.path.raw).collect()
}

fn codes(script: &Script) -> Vec<Code> {
    script.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn text_and_fences_around_regions_are_passed_over_and_regions_are_numbered() {
    let s = script("Sure:\n\n```xml\n(a)\n(b)\n```\nand\n(a)\nbye");
    assert_eq!(edits(&s), [(1, "a"), (1, "b"), (2, "a")]);
    assert_eq!(codes(&s), []);
}

#[test]
fn indentation_and_list_marks_are_no_content() {
    let new = |margin: &str, first: &str| {
        let lines = ["<edit file='a' op='new'><put>", "<<<", "  x", "", "y", ">>>", "</put></edit>"];
        let lines = lines.iter().enumerate();
        lines.map(|(n, line)| format!("{}{line}\n", if n == 0 { first } else { margin })).collect::<String>()
    };
    for text in [
        new("", ""),
        format!("- Do this:\n\n{}", new("  ", "  ")),
        new("   ", "1. "),
        format!("1. Do this:\n   ```xml\n{}   ```\n", new("   ", "   ")),
        format!("  ```xml\n{}  ```\n", new("  ", "  ")),
    ] {
        let s = script(&text);
        assert_eq!(codes(&s), [], "{text}\n{:?}", s.diagnostics);
        let [edit] = &s.edits[..] else { panic!("{text}") };
        let crate::edit::Op::Create { text: content, .. } = &edit.op else { panic!("{edit:?}") };
        assert_eq!(content, "  x\n\ny\n", "{text}");
    }
}

#[test]
fn a_line_of_code_is_no_reason() {
    let why = |text: &str| script(text).edits[0].why.clone();
    assert_eq!(why("Remove a.\n\n```bash\ncat > x <<'EOF'\n(a)\n```\n").as_deref(), Some("Remove a."));
    assert_eq!(why("```markdown\nRemove a.\n\n(a)\n```\n").as_deref(), Some("Remove a."));
}

#[test]
fn edits_in_a_quote_or_in_a_fence_in_a_fence_are_not_read() {
    assert_eq!(paths("(a)\n\n> (b)\n"), ["a"]);
    assert_eq!(paths("(a)\n````\n```\n(b)\n```\ntext\n````\n"), ["a"]);
    assert_eq!(paths("(a)\n```markdown\nWrite\n(b)\n```\n"), ["a"]);
    assert_eq!(paths("(a)\n```markdown\n(b)\n```\n"), ["a", "b"]);
    assert_eq!(paths("(a)\n```html\nWrite\n(b)\n```\n"), ["a", "b"]);
    assert_eq!(paths("(a)\n````\n```\n(b)\n```\n\n```\n(c)\n```\n````\n"), ["a", "b", "c"]);
    let s = script("(a)\n\n> So:\n> (b)\n\n````md\n# x\n```\n(c)\n```\n````\n");
    assert_eq!((edits(&s), s.unread.len()), (vec![(1, "a")], 2));
}

#[test]
fn a_fence_or_quote_around_a_whole_response_is_ignored() {
    assert_eq!(paths("> Do\n> (a)\n"), ["a"]);
    assert_eq!(paths("\n```markdown\nDo\n```x\n(a)\n```\nand\n(b)\n```\n\n"), ["a", "b"]);
    assert_eq!(paths("Do:\n```markdown\nDo\n```x\n(a)\n```\nand\n(b)\n```\n"), [""; 0]);
    assert_eq!(paths("<think>hm</think>\n```markdown\nDo\n(a)\n```\n"), ["a"]);
}

#[test]
fn fences_in_a_fence_are_pairs_or_text() {
    let s = script("```text\n```rust opens\n```\n\n(a)\n\n```sh\nls\n```\n");
    assert_eq!(edits(&s), [(1, "a")]);
    let s = script("```md\n```rust\n```\n```\n\n(a)\n");
    assert_eq!(edits(&s), [(1, "a")]);
}

#[test]
fn code_blocks_that_may_have_a_file_are_kept() {
    let s = script("(a)\n\n`src/b.py`\n```python\nx\n```\n\n```sh\nls\n```\n");
    let [given] = &s.given[..] else { panic!("{:?}", s.given) };
    assert_eq!(given.candidates[0].path.raw, "src/b.py");
    assert_eq!((given.text.as_str(), given.language.as_str()), ("x\n", "python"));
    assert_eq!((given.state, s.unread.len()), (FenceState::Closed, 1));
    let s = script("(a)\n```python\n# src/b.py\nx\n");
    assert_eq!((s.given[0].state, s.given[0].path_line), (FenceState::Unclosed, 11));
    let s = script("(a)\n\n**c.md**\n```\nx\n```sh\nls\n```\n```\n");
    assert!(matches!(s.given[0].state, FenceState::Unclear(_)));
}

#[test]
fn tag_blocks_are_unread() {
    let s = script("(a)\n\n<file path=\"b\">\nx\n\ny\n</file>\n\nA <b>word</b>.\n");
    assert_eq!(s.unread.len(), 1);
}

#[test]
fn nothing_in_reasoning_is_an_edit() {
    for text in [
        "<think>\n(no)\n</think>\n(a)\n",
        "  <Thinking>\n(no)\n\t</THINKING >\n(a)\n",
        "<think>\n(no)\n so.</think>\n(a)\n",
        "<think>\n(no)\n</think>(a)\n",
        "<thinking>\n(no)\n</think>\n(no)\n</thinking>\n(a)\n",
        "<think>\n(no)\n</thinking>\n(a)\n",
        "<|channel|>analysis<|message|>hm\n(no)\n<|end|><|start|>assistant<|channel|>final<|message|>\n(a)\n<|return|>",
    ] {
        let s = script(text);
        assert_eq!(edits(&s), [(1, "a")], "{text}");
        assert_eq!((codes(&s), s.has_errors()), (vec![Code::Reasoning], false), "{text}");
    }
    let s = script("The <think> tag\n<thinker>\nand `</think>` too\n(a)\n");
    assert_eq!((edits(&s), codes(&s)), (vec![(1, "a")], vec![]));
}

#[test]
fn a_closing_tag_alone_ends_reasoning_that_began_at_the_top() {
    let s = script("I could\n(no)\nor\n(no)\n</think>\n(a)\n");
    assert_eq!(s.edits.len(), 1);
    assert_eq!((codes(&s), s.has_errors()), (vec![Code::Reasoning], false));
    assert_eq!(codes(&script("I think so\n</think>\n(a)\n")), []);
    assert!(script("I could\n(no)\n</think>\nThat is it.\n").has_errors());
    let s = script("hm\n</think>\n(a)\n</think>\n(b)\n");
    assert_eq!((codes(&s), s.has_errors()), (vec![Code::Reasoning], true));
}

#[test]
fn unclosed_reasoning_is_an_error_if_edits_follow() {
    let s = script("(a)\n<think>\n(b)\n");
    assert_eq!((codes(&s), s.has_errors()), (vec![Code::Reasoning], true));
    assert_eq!(codes(&script("(a)\n<think>\nWas that right?")), []);
}

#[test]
fn only_the_last_answer_of_a_chat_page_is_read() {
    let page = "You said:\nx\nChatGPT said:\n(a)\nYou said:\ny\nChatGPT said:\n(b)\n";
    assert_eq!(paths(page), ["b"]);
    assert_eq!(codes(&script(page)), [Code::Unread]);
    assert_eq!(paths(&page[10..]), ["a", "b"]);
}

#[test]
fn a_response_that_is_cut_off_in_a_marker_is_an_error() {
    for (end, code) in [
        ("<edi", Some(Code::Truncated)),
        ("*** Begin Pa", Some(Code::Truncated)),
        ("> *** Begin Pa", None),
        ("<ed", None),
        ("<edi\n", None),
        ("----", None),
        ("```\n<FILE_CH", Some(Code::Truncated)),
    ] {
        let s = script(&format!("(a)\n\nThen\n{end}"));
        let errors = s.diagnostics.iter().filter(|found| found.is_error()).map(|found| found.code);
        assert_eq!(errors.collect::<Vec<_>>(), code.into_iter().collect::<Vec<_>>(), "{end}");
    }
    for end in ["### File: b.py\n", "```python\n"] {
        let s = script(&format!("(a)\n\nThen\n{end}"));
        assert_eq!((codes(&s), s.has_errors()), (vec![Code::Truncated], false), "{end}");
    }
}

#[test]
fn text_that_opens_no_region_is_prose() {
    let remove = |path: &str| format!("<edit file='{path}' op='remove'/>\n");
    let r = response(&format!("Sure:\n\n```\n{}```\n\nThen\nthis:\n{}", remove("a"), remove("c")));
    let s = parse(&r, &Reading::default());
    assert_eq!(s.prose(&r), ["Sure:", "Then\nthis:"]);
    assert_eq!(s.paths(), ["a", "c"]);
}

#[test]
fn formats_that_are_not_asked_for_are_not_read() {
    let r = response("<edit file='a' op='remove'/>\n");
    let s = parse(&r, &Reading::only(FormatId::Diff));
    assert_eq!((s.edits.len(), s.unread.len()), (0, 1));
}
