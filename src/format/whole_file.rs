//! Whole files: a path on a line of its own, or in a fence's info string, and then a fence with all of the file.
//!
//! Any snippet looks like that, so it is read only when it is asked for. Otherwise it is said which files a response seems
//! to give.

use super::diff::says_diff;
use super::fence::Fence;
use super::render::{Reason, Rendered, Unrepresentable};
use super::scan::{Cursor, Line, is_blank};
use super::search_replace::Said;
use super::{Format, FormatId, read};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Existing, Git, Op, Script, Target};
use crate::response::Response;

/// The row of the table.
pub(super) const FORMAT: Format = Format {
    id: FormatId::WholeFile,
    markers: "a path on its own line above a Markdown fence with a whole file",
    opens,
    parse,
    render,
};

/// The files that a response seems to give as a whole, beside what is read of it otherwise.
pub(super) fn given(response: &Response, script: &Script) -> Vec<Edit> {
    let outside = |edit: &Edit| {
        let behind = script.regions.partition_point(|region| region.span.end <= edit.span.start);
        script.regions.get(behind).is_none_or(|region| region.span.start >= edit.span.end)
    };
    let mut files = read(response, &[FORMAT]).edits;
    files.retain(outside);
    files
}

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'`' | b'~')) && Fence::of(cursor.text()).is_some()
}

/// Reads a fence and what stands in it. One that no path belongs to says nothing.
fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some((line, fence)) = cursor.line().and_then(|line| Some((line, Fence::of(line.text)?))) else {
        return;
    };
    let path = path_of(cursor, line, fence);
    let blanks = line.text.bytes().take_while(|&byte| is_blank(byte)).count();
    let mut text = String::new();
    let mut inner = None;
    let head = cursor.span(line.start, line.end());
    cursor.advance();
    while let Some(line) = cursor.line() {
        if let Some(other) = Fence::of(line.text) {
            if other.closes(fence) {
                cursor.advance();
                let span = head.join(cursor.span(line.start, line.end()));
                let Some(path) = path else { return };
                if says_diff(fence) {
                    let message = "a fence that says that it holds a diff is no whole file";
                    let mut fault = Diagnostic::error(Code::Malformed, head, message);
                    fault.path = Some(path.raw);
                    return script
                        .diagnostics
                        .push(fault.with_help("ask for the whole file, or use --format=diff"));
                }
                return match inner {
                    Some(inner) => script.diagnostics.push(nested(inner, &path)),
                    None => {
                        let op = Op::Create { text, existing: Existing::Overwrite };
                        let (format, region) = (FormatId::WholeFile, cursor.region());
                        script.edits.push(Edit {
                            span,
                            format,
                            region,
                            path,
                            op,
                            why: None,
                            git: Git::default(),
                        });
                    }
                };
            }
            if other.mark == fence.mark && other.length >= fence.length && inner.is_none() {
                inner = Some(cursor.span(line.start, line.end()));
            }
        }
        // What the fence is indented by is not content.
        let indent = line.text.bytes().take(blanks).take_while(|&byte| is_blank(byte)).count();
        text.push_str(line.skip(indent).text);
        text.push('\n');
        cursor.advance();
    }
    if let Some(path) = path {
        let mut fault = Diagnostic::error(Code::Truncated, head, "the fence around this file is not closed");
        fault.path = Some(path.raw);
        script.diagnostics.push(fault.with_help("the response may be cut off; give the whole file again"));
    }
}

/// A fence that opens within the file: the one that closes then may be that one's end.
fn nested(inner: crate::span::Span, path: &Target) -> Diagnostic {
    let mut fault = Diagnostic::error(
        Code::Malformed,
        inner,
        "a fence opens inside of this file, so that its end is not clear",
    );
    fault.path = Some(path.raw.clone());
    fault.with_help("put a longer fence around the file than those in it: four backquotes, or more")
}

/// The path that a fence's info string has, or the line above it.
fn path_of(cursor: &Cursor<'_>, line: Line<'_>, fence: Fence<'_>) -> Option<Target> {
    let target = |line: Line<'_>, path: &str| {
        let start = line.start + (path.as_ptr() as usize - line.text.as_ptr() as usize);
        Target { raw: path.to_owned(), root: None, span: cursor.span(start, start + path.len()) }
    };
    if let Some(path) = Said::of_info(fence.info) {
        return Some(target(line, path));
    }
    let above = cursor.above().find(|line| !line.is_blank())?;
    match Said::of(above.text) {
        Said::File(path) | Said::Path(path) => Some(target(above, path)),
        Said::Reason(_) | Said::Word(_) | Said::Prose => None,
    }
}

/// It is for what models write unasked, not for what is written.
fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    match changes.first() {
        Some(change) => Err(change.cannot(Reason::Operation("give only what changes of"))),
        None => Ok(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::parse as parse_response;

    fn response(text: &str) -> Response {
        Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
    }

    fn files(text: &str) -> Vec<(String, String)> {
        let script = parse_response(&response(text), Some(FormatId::WholeFile));
        assert_eq!(script.diagnostics, [], "{text}");
        let text_of = |op: Op| match op {
            Op::Create { text, .. } => text,
            other => panic!("{other:?}"),
        };
        script.edits.into_iter().map(|edit| (edit.path.raw, text_of(edit.op))).collect()
    }

    #[test]
    fn a_path_alone_above_a_fence_or_in_its_info_names_the_file() {
        let one = |path: &str, text: &str| vec![(path.to_owned(), text.to_owned())];
        assert_eq!(files("src/a.py\n```python\nx\n\ny\n```\n"), one("src/a.py", "x\n\ny\n"));
        assert_eq!(files("### File: `b`\n\n~~~\nx\n~~~\n"), one("b", "x\n"));
        assert_eq!(files("```python src/a.py\nx\n```"), one("src/a.py", "x\n"));
        assert_eq!(files("- **a.py**:\n\n  ```\n  x\n    y\n  ```\n"), one("a.py", "x\n  y\n"));
        assert_eq!(files("> a.py\n> ```\n> x\n> ```\n"), one("a.py", "x\n"));
        assert_eq!(files("a.md\n````\n```sh\nls\n```\n````\n"), one("a.md", "```sh\nls\n```\n"));
        assert_eq!(files("a.py\n```\n```\n"), one("a.py", ""));
    }

    #[test]
    fn a_fence_without_a_path_is_prose_and_so_is_what_is_in_it() {
        for text in [
            "Run it:\n```sh\nls\n```\n",
            "```\na.py\n~~~\n```\n",
            "a.py\n\nis changed:\n\n```\nx\n```\n",
            "```\na.py\n",
        ] {
            assert_eq!(files(text), [], "{text}");
        }
    }

    #[test]
    fn a_file_whose_end_is_not_clear_is_refused() {
        let fault = |text: &str| {
            let script = parse_response(&response(text), Some(FormatId::WholeFile));
            assert!(script.edits.is_empty(), "{text}");
            script
                .diagnostics
                .into_iter()
                .map(|fault| (fault.code, fault.path.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        assert_eq!(fault("a.md\n```\n```sh\nls\n```\nmore\n```\n"), [(Code::Malformed, "a.md".to_owned())]);
        assert_eq!(fault("a.md\n```\nx\n"), [(Code::Truncated, "a.md".to_owned())]);
    }

    #[test]
    fn beside_edits_it_is_a_warning() {
        let edit = "<edit file=\"b\" op=\"remove\" />\n";
        let file = "a.py:\n```\nx\n```\n";
        let script = parse_response(&response(&format!("{file}\n{edit}")), None);
        let codes: Vec<Code> = script.diagnostics.iter().map(|fault| fault.code).collect();
        assert_eq!((script.edits.len(), codes), (1, vec![Code::WholeFile]));
        let fenced = parse_response(&response(&format!("b:\na.py\n```\n{edit}```\n")), None);
        assert_eq!(fenced.diagnostics, []);
        assert_eq!(parse_response(&response(file), None).diagnostics, []);
    }
}
