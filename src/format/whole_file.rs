//! Whole files: a path on a line of its own, or in a fence's info string, and then a fence with all of the file.
//!
//! Any snippet looks like that, so it is read only when it is asked for. Otherwise it is said which files a response seems
//! to give.

use super::diff::{is_numbered, says_diff};
use super::fence::Fence;
use super::render::{Reason, Rendered, Unrepresentable};
use super::scan::{Cursor, Line, Lines, is_blank, trim_start};
use super::search_replace::{MADE, Named, Said, announced, file_above, mentioned, one_of, opens_block};
use super::{Format, FormatId, MAX_PASSED_OVER, read, shell};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Choice, Edit, Existing, Git, Op, Script, Target};
use crate::response::{Passage, Response};
use crate::span::Span;

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
    let ends = script.regions.iter().map(|region| region.span.end as usize);
    let starts = script.regions.iter().map(|region| region.span.start as usize);
    let between = std::iter::once(0).chain(ends).zip(starts.chain([response.text().len()]));
    let has_fence = |text: &str| {
        ["```", "~~~"].iter().any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
    };
    if !between.into_iter().any(|(from, to)| response.text().get(from..to).is_some_and(has_fence)) {
        return Vec::new();
    }
    let Script { mut edits, unsure, .. } = read(response, &[FORMAT]);
    // What an error is said of is no file.
    let errors = || script.diagnostics.iter().filter(|fault| fault.is_error()).filter_map(Diagnostic::span);
    let is_fine = |edit: &Edit| !errors().any(|fault| edit.span.holds(fault));
    // What only a paragraph speaks of is more often a part of the file.
    let is_spoken_of = |edit: &Edit| {
        unsure.iter().any(|unsure| unsure.edit == edit.span && unsure.choice != Choice::Applies)
    };
    edits.retain(|edit| outside(edit) && is_fine(edit) && !is_spoken_of(edit));
    // A heading that has its edit is not the fence's below that; what presents the fence may name another file.
    edits.retain_mut(|edit| {
        let behind = script.regions.partition_point(|region| region.span.start < edit.path.span.end);
        let has_edit = script.regions.get(behind).is_some_and(|region| region.span.end <= edit.span.start);
        let other = presented(response, edit.span).filter(|_| has_edit);
        other.into_iter().for_each(|path| path.clone_into(&mut edit.path.raw));
        !has_edit || other.is_some()
    });
    edits
}

/// The only file that the line above a fence presents, other than by a command.
fn presented(response: &Response, fence: Span) -> Option<&str> {
    let (above, below) = response.text().split_at_checked(fence.start as usize)?;
    let info = Fence::of(below.lines().next()?)?.info;
    let line = above.trim_end().lines().next_back()?.strip_suffix(':')?;
    let mut files = mentioned(line);
    files.next().filter(|_| files.next().is_none() && !shell::is_language(info))
}

fn opens(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.first_byte(), Some(b'`' | b'~')) && Fence::of(cursor.text()).is_some()
}

/// Reads a fence and what stands in it. One that no path belongs to is named in a warning.
fn parse(cursor: &mut Cursor<'_>, script: &mut Script) {
    let Some((line, fence)) = cursor.line().and_then(|line| Some((line, Fence::of(line.text)?))) else {
        return;
    };
    // What a heading at some distance names is one fence's below it.
    let held = cursor.heading.take();
    let named = named(cursor, line, fence);
    let blanks = width(line);
    let head = cursor.span(line.start, line.end());
    cursor.advance();
    let mut inside = Inside::new(blanks, cursor.lines());
    let end = loop {
        let Some(line) = cursor.line() else { break None };
        let other = Fence::of(line.text);
        if other.is_some_and(|other| other.closes(fence)) {
            cursor.advance();
            break Some(line);
        }
        let nests = other.is_some_and(|other| other.mark == fence.mark && other.length >= fence.length);
        inside.take(line, nests);
        cursor.advance();
    };
    let span = end.map_or(head, |end| head.join(cursor.span(end.start, end.end())));
    let (path, unsure) = match named {
        Named::File(path) => (path, None),
        Named::OneOf(candidates, choice) => match one_of(span, candidates, choice) {
            Some((likely, unsure)) => (likely, Some(unsure)),
            None => return,
        },
        Named::Nothing(_) => return script.diagnostics.extend(without_path(held, span, script)),
    };
    let fault = |code, span, message: &str, help: &str| {
        let fault = Diagnostic::error(code, span, message).with_help(help);
        Diagnostic { path: Some(path.raw.clone()), ..fault }
    };
    let Some(end) = end else {
        let help = "the response may be cut off; give the whole file again";
        let message = "the fence around this file is not closed";
        return script.diagnostics.push(fault(Code::Truncated, head, message, help));
    };
    if let Some(inner) = inside.inner {
        let message = "a fence opens inside of this file, so that its end is not clear";
        let help = "put a longer fence around the file than those in it: four backquotes, or more";
        let inner = cursor.span(inner.start, inner.end());
        return script.diagnostics.push(fault(Code::Malformed, inner, message, help));
    }
    if says_diff(fence) || inside.is_change(&path.raw) {
        let message = "this fence holds a change of a file, and not the whole file";
        let help = "ask for the whole file, or leave --format=whole-file out";
        return script.diagnostics.push(fault(Code::Malformed, head, message, help));
    }
    script.unsure.extend(unsure);
    script.edits.push(Edit {
        span,
        format: FormatId::WholeFile,
        region: cursor.region(),
        path,
        op: Op::Create { text: inside.text(cursor, end), existing: Existing::Overwrite },
        why: None,
        git: Git::default(),
    });
}

/// What comments begin with.
const COMMENTS: &[&str] = &["//", "#", "/*", "<!--"];

/// What stands in a fence.
struct Inside<'r> {
    /// How many blanks the fence is indented by.
    blanks: usize,
    /// The lines, and those below.
    lines: Lines<'r>,
    /// How many blanks the first line begins with that has more than blanks.
    first: Option<usize>,
    /// Whether lines begin as those do that a diff adds and removes, and all as those of one.
    adds: bool,
    removes: bool,
    is_diff: bool,
    /// A fence that opens within: the next one that closes may end it.
    inner: Option<Line<'r>>,
    /// Whether a line shows that it is a change.
    is_marked: bool,
}

impl<'r> Inside<'r> {
    fn new(blanks: usize, lines: Lines<'r>) -> Self {
        let (first, inner) = (None, None);
        Self { blanks, lines, first, adds: false, removes: false, is_diff: true, inner, is_marked: false }
    }

    fn take(&mut self, line: Line<'r>, nests: bool) {
        self.inner = self.inner.or(Some(line).filter(|_| nests));
        // Some models make comments of the marks.
        let text = trim_start(line.text);
        let comment = COMMENTS.iter().find_map(|mark| text.strip_prefix(mark));
        self.is_marked |= opens_block(comment.unwrap_or(text)) || is_numbered(text);
        // A command that writes the file; a script may have some of these below.
        self.is_marked |=
            self.first.is_none() && shell::Writing::of(text).is_some_and(|writing| writing.there.is_empty());
        self.first = self.first.or_else(|| (!line.is_blank()).then(|| width(line)));
        self.adds |= line.text.starts_with('+');
        self.removes |= line.text.starts_with('-');
        self.is_diff &=
            line.is_blank() || line.text.starts_with([' ', '+', '-']) || line.text.starts_with("@@");
    }

    /// Whether it is a change of a file: blocks, hunks, or lines with the marks of a diff.
    fn is_change(&self, path: &str) -> bool {
        let is_patch = [".diff", ".patch"].iter().any(|end| path.ends_with(end));
        !is_patch && (self.is_marked || self.adds && self.removes && self.is_diff)
    }

    /// The lines up to the one that ends the fence, without what that is indented by. Where the first one stands left of it,
    /// none is indented so.
    fn text(self, cursor: &Cursor<'r>, end: Line<'r>) -> Passage {
        let blanks = if self.first.unwrap_or(0) < self.blanks { 0 } else { self.blanks };
        if blanks == 0 && cursor.margin().is_none() {
            return self.lines.payload(end.start);
        }
        let lines = self.lines.take_while(|line| line.start < end.start);
        let text: String = lines.flat_map(|line| [line.skip(width(line).min(blanks)).text, "\n"]).collect();
        text.into()
    }
}

/// How many blanks a line begins with.
fn width(line: Line<'_>) -> usize {
    line.text.bytes().take_while(|&byte| is_blank(byte)).count()
}

/// What is said of a fence that no path belongs to. `held`: the path that a fence above it has from a heading.
fn without_path(held: Option<Target>, span: Span, script: &Script) -> Option<Diagnostic> {
    let help = "put the path on a line of its own right above each fence that is a file";
    if let Some(held) = held {
        let message = format!("which of two fences below its name is `{}` is not clear", held.raw);
        let fault = Diagnostic::error(Code::Malformed, span, message).with_help(help);
        return Some(Diagnostic { path: Some(held.raw), ..fault });
    }
    let named = script.diagnostics.iter().filter(|found| found.code == Code::WholeFile).count();
    let message = "no path belongs to this fence, so that it is not taken for a file";
    (named < MAX_PASSED_OVER).then(|| Diagnostic::warning(Code::WholeFile, span, message).with_help(help))
}

/// Which file a fence is: what its info string has, or what stands above it. A path at some distance is kept as heading.
fn named(cursor: &mut Cursor<'_>, line: Line<'_>, fence: Fence<'_>) -> Named {
    let target = |line: Line<'_>, path: &str| {
        let start = line.start + (path.as_ptr() as usize - line.text.as_ptr() as usize);
        Target { raw: path.to_owned(), root: None, span: cursor.span(start, start + path.len()) }
    };
    if let Some(path) = Said::of_info(fence.info) {
        return Named::File(target(line, path));
    }
    let nearest = cursor.above().find(|line| !line.is_blank());
    if let Some((line, path)) = nearest.and_then(|line| Some((line, announced(line.text, MADE)?))) {
        return Named::File(target(line, path));
    }
    let is_near = nearest.is_some_and(|line| matches!(Said::of(line.text), Said::File(_) | Said::Path(_)));
    let named = match file_above(cursor, None) {
        Named::OneOf(mut candidates, choice @ Choice::Exists { .. }) => {
            // A paragraph that speaks of a file may well show a command.
            let is_shell = shell::is_language(fence.info);
            candidates.retain(|path| !is_shell && matches!(Said::of(&path.raw), Said::Path(_)));
            match candidates.is_empty() {
                true => Named::Nothing(String::new()),
                false => Named::OneOf(candidates, choice),
            }
        }
        // At some distance it must be a heading.
        Named::File(path) if !is_near && !is_heading(cursor, &path) => Named::Nothing(String::new()),
        named => named,
    };
    cursor.heading = match &named {
        Named::File(path) if !is_near => Some(path.clone()),
        Named::OneOf(candidates, _) => candidates.first().cloned(),
        Named::File(_) | Named::Nothing(_) => None,
    };
    named
}

/// Whether the line that names a path is a heading, or bold.
fn is_heading(cursor: &Cursor<'_>, path: &Target) -> bool {
    let above = cursor.response().text().get(..path.span.start as usize).unwrap_or("");
    let line = above.rsplit('\n').next().unwrap_or("");
    let line = line.trim_start_matches([' ', '>']);
    line.starts_with('#') || line.starts_with("**")
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
            Op::Create { text, .. } => text.into(),
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
    fn a_fence_without_a_path_is_named_in_a_warning() {
        for (text, lines) in [
            ("Run it:\n```sh\nls\n```\n", "lines 2-4"),
            ("```\na.py\n~~~\n```\n", "lines 1-4"),
            ("The a.py\n\nis changed:\n\n```\nx\n```\n", "lines 5-7"),
            ("More\n```\nx\n```\n", "lines 2-4"),
            ("```\na.py\n", "line 1"),
            ("Then run `scripts/all.sh`:\n```sh\n./all.sh\n```\n", "lines 2-4"),
        ] {
            let response = response(text);
            let script = parse_response(&response, Some(FormatId::WholeFile));
            assert!(script.edits.is_empty() && !script.has_errors(), "{text}");
            let at = |found: &Diagnostic| found.span().map(|span| response.lines_of(span).to_string());
            assert_eq!(script.diagnostics.iter().map(at).collect::<Vec<_>>(), [Some(lines.to_owned())]);
        }
    }

    #[test]
    fn a_heading_at_some_distance_names_the_only_fence_below_it() {
        let text = "## src/a.py\n\nIt adds:\n\n```python\nx\n```\n";
        assert_eq!(files(text), [("src/a.py".to_owned(), "x\n".to_owned())]);
        let script =
            parse_response(&response(&format!("{text}\nso:\n\n```\ny\n```\n")), Some(FormatId::WholeFile));
        assert_eq!(script.diagnostics.iter().map(|fault| fault.code).collect::<Vec<_>>(), [Code::Malformed]);
    }

    #[test]
    fn a_fence_with_a_change_in_it_is_no_file() {
        for inside in
            ["<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "@@ -1 +1 @@\n-x\n+y\n", " x\n-y\n+z\n"]
        {
            let script =
                parse_response(&response(&format!("a.py\n```\n{inside}```\n")), Some(FormatId::WholeFile));
            assert_eq!((script.edits.len(), script.has_errors()), (0, true), "{inside}");
            let kept = format!("a.patch\n```\n{inside}```\n");
            assert_eq!(files(&kept).len(), 1);
        }
        assert_eq!(files("a.yaml\n```\n- x\n- y\n```\n").len(), 1);
    }

    #[test]
    fn a_file_whose_end_is_not_clear_is_refused() {
        let fault = |text: &str| {
            let script = parse_response(&response(text), Some(FormatId::WholeFile));
            assert!(script.edits.is_empty(), "{text}");
            script
                .diagnostics
                .into_iter()
                .filter(Diagnostic::is_error)
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
        for above in ["a.py:", "### New file: `a.py`\n", "**Create a.py**", "Create `a.py`:"] {
            let script = parse_response(&response(&format!("{above}\n```\nx\n```\n\n{edit}")), None);
            let codes: Vec<Code> = script.diagnostics.iter().map(|fault| fault.code).collect();
            assert_eq!((script.edits.len(), codes), (1, vec![Code::WholeFile]), "{above}");
        }
        let fenced = parse_response(&response(&format!("b:\na.py\n```\n{edit}```\n")), None);
        assert_eq!(fenced.diagnostics, []);
        assert_eq!(parse_response(&response(file), None).diagnostics, []);
    }
}
