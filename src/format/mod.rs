//! The formats: which there are, which a response is in, and how it is taken apart.
//!
//! One table, [`FORMATS`]; everything else here is the same for all of them. A response is read in one pass over its
//! lines. At every line outside reasoning each format is asked in the table's order whether one of its regions opens
//! there; the first that says yes takes the region and says where it ends. So a format's markers inside another's
//! payload are never seen, and regions of several formats come in the order they stand.
//!
//! To add a format: a file with `opens`, `parse` and `render`, and a row in the table.

mod apply_patch;
mod applydir;
pub mod code;
#[cfg(test)]
mod cost;
mod diff;
mod edit_calls;
pub mod fence;
mod file_changes;
pub mod hunk;
mod json;
#[cfg(test)]
mod linear;
mod object;
mod opx;
#[cfg(test)]
mod properties;
mod reasoning;
pub mod render;
pub mod scan;
mod search_replace;
mod seen;
mod shell;
mod skipped;
pub mod tag;
mod unread;
mod whole_file;
pub mod why;
mod within;
mod worded;

pub use crate::edit::{FormatId, UnknownFormat};
pub use seen::{PROSE, seen};

use crate::diag::{Code, Diagnostic};
use crate::edit::{Region, Script};
use crate::response::Response;
use render::{Rendered, Unrepresentable};
use scan::{Cursor, Line, Margin};
use unread::{Noted, When};

/// A format: how its regions are recognised and taken apart.
pub struct Format {
    /// Which.
    pub id: FormatId,
    /// What is looked for in a response, in words, for the message when nothing was found.
    pub markers: &'static str,
    /// Whether a region opens at the line where the cursor stands. Asked at every line of prose, so it must be cheap:
    /// look at the line's first byte that is no blank before anything else. May look further down and, through
    /// [`Cursor::above`], up.
    pub opens: fn(&Cursor<'_>) -> bool,
    /// Takes the region: adds its edits and what is wrong with it to the script and leaves the cursor after it. A
    /// cursor left where it was means that there is no region after all.
    ///
    /// What was declared and gives no edit must give an error; an error that covers a part of the response covers all
    /// that was declared in it only if it says so.
    pub parse: fn(&mut Cursor<'_>, &mut Script),
    /// Writes changes in this format; what [`render::render`] calls.
    pub render: fn(&[Rendered<'_>]) -> Result<String, Unrepresentable>,
}

impl Format {
    /// The name that `--format` takes.
    pub fn name(&self) -> &'static str {
        self.id.as_str()
    }

    /// Whether it is looked for without being asked for. Those that are not stand behind the others.
    pub fn is_detected(&self) -> bool {
        self.id != FormatId::WholeFile
    }
}

/// All formats, in the order in which they are asked.
pub const FORMATS: &[Format] = &[
    opx::FORMAT,
    apply_patch::FORMAT,
    search_replace::FORMAT,
    file_changes::FORMAT,
    applydir::FORMAT,
    diff::FORMAT,
    edit_calls::FORMAT,
    whole_file::FORMAT,
];

/// The errors, and the edits, after which a response is not looked at further: a bound on memory for hostile input.
const MAX_ERRORS: usize = 1000;
const MAX_EDITS: usize = 100_000;

/// How many files are named that a response seems to give as a whole.
const MAX_PASSED_OVER: usize = 20;

/// Whether a script has as much as is taken from one response. A parser that takes many edits in one region asks after
/// each.
fn is_full(script: &Script) -> bool {
    script.diagnostics.len() >= MAX_ERRORS || script.edits.len() >= MAX_EDITS
}

/// Takes the edits out of a response; all formats, or only the one given.
///
/// Never fails: what is wrong is in the script's diagnostics. A response without any edit gives an empty script.
pub fn parse(response: &Response, only: Option<FormatId>) -> Script {
    match only {
        None => {
            let detected = FORMATS.partition_point(Format::is_detected);
            let mut script = read(response, &FORMATS[..detected]);
            if !script.edits.is_empty() && !is_full(&script) {
                script.diagnostics.extend(passed_over(&whole_file::given(response, &script)));
            }
            script
        }
        Some(id) => match FORMATS.iter().position(|format| format.id == id) {
            Some(at) => {
                let mut script = read(response, &FORMATS[at..=at]);
                unread::report_others(response, id, &mut script);
                script
            }
            None => Script::default(),
        },
    }
}

/// Warnings for files that a response seems to give as a whole beside its edits.
fn passed_over(files: &[crate::edit::Edit]) -> impl Iterator<Item = Diagnostic> + '_ {
    let help = "if it is meant, give it again with --format=whole-file, or as an edit";
    files.iter().take(MAX_PASSED_OVER).map(move |file| {
        let message = format!("this seems to be all of `{}`, which is not read as an edit", file.path.raw);
        let mut warning = Diagnostic::warning(Code::WholeFile, file.span, message).with_help(help);
        warning.path = Some(file.path.raw.clone());
        warning
    })
}

/// The formats that a response is in, each once, in the order in which they first stand.
///
/// ```
/// use git_llm_apply::format::{FormatId, detect};
/// use git_llm_apply::response::Response;
///
/// let text = "Sure.\n\n<edit file=\"a.txt\" op=\"remove\" />\n";
/// let response = Response::new(0, "answer", text.into(), 1000)?;
/// assert_eq!(detect(&response), [FormatId::Opx]);
/// # Ok::<(), git_llm_apply::response::ResponseError>(())
/// ```
pub fn detect(response: &Response) -> Vec<FormatId> {
    let mut found = Vec::new();
    for region in parse(response, None).regions {
        if !found.contains(&region.format) {
            found.push(region.format);
        }
    }
    found
}

fn read(response: &Response, formats: &[Format]) -> Script {
    let mut script = Script::default();
    let mut cursor = Cursor::new(response);
    cursor.past.asked = formats.len() == 1;
    read_to(&mut cursor, &mut script, formats);
    if let Some(span) = cursor.envelope() {
        let end = response.text().len();
        script.diagnostics.push(
            Diagnostic::error(Code::Truncated, span, "what is opened here is never closed")
                .with_lost(cursor.span(end, end))
                .with_help("the response may be cut off; give the rest of it, closing tag included"),
        );
    }
    cursor.finish_reasoning(&mut script);
    cursor.past.finish(&mut script);
    unread::report(&cursor, &mut script);
    skipped::warn(response, formats, &cursor.skipped, &mut script);
    script
}

/// Reads on to the end of the cursor's input, or until as much was found as is taken from one response.
fn read_to(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) {
    while !cursor.is_end() {
        if cursor.text().is_empty() {
            cursor.pass();
            continue;
        }
        let taken = take(cursor, script, formats)
            || take_quoted(cursor, script, formats)
            || take_written(cursor, script, formats);
        if !taken {
            cursor.note_unread();
            cursor.pass();
        } else if is_full(script) {
            let rest = cursor.span(cursor.at(), cursor.response().text().len());
            let message = format!(
                "the response is not read from here on, after {} and {} errors",
                reasoning::count(script.edits.len()),
                script.diagnostics.len()
            );
            script.diagnostics.push(Diagnostic::error(Code::Limit, rest, message));
            break;
        }
    }
}

/// Takes what begins at this line, reasoning or a region; says whether there was anything.
fn take(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    cursor.skip_reasoning()
        || cursor.end_reasoning(script, false)
        || cursor.skip_word_before_json()
        || take_indented(cursor, script, formats)
        || take_item(cursor, script, formats)
        || take_region(cursor, script, formats)
        || cursor.end_reasoning(script, true)
}

/// Takes the region that opens at this line if its fence or list item is indented.
fn take_indented(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    // It is read without that indentation. If it then breaks off at a line that lacks it, or is at fault, only tags or
    // fence are indented, and its lines are read as they are. JSON has no lines.
    let blanks = cursor.indentation();
    if blanks.is_empty() || cursor.at() < cursor.outdented {
        return false;
    }
    let text = cursor.text().trim_start();
    if text.starts_with('{') || (text.starts_with('[') && !text.starts_with("[[")) {
        return false;
    }
    let (state, outer) = (cursor.state(), cursor.margin());
    let found = Found::of(script);
    let taken = cursor.enter_indentation(blanks) && take_region(cursor, script, formats);
    let ends_inside = !cursor.is_end();
    let whole = !script.diagnostics[found.diagnostics..].iter().any(Diagnostic::is_error);
    let lacks = !whole && cursor.lacks_margin(state.start());
    cursor.leave(outer);
    if taken && !lacks && (ends_inside || cursor.is_end() || whole) {
        return true;
    }
    cursor.outdented = cursor.at();
    cursor.restore(state);
    found.restore(script);
    false
}

/// Takes the region that opens right behind the mark of a list's item. Its lines are indented by the item, or not at all.
fn take_item(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    if !cursor.may_begin_item() {
        return false;
    }
    let (state, outer) = (cursor.state(), cursor.margin());
    for is_indented in [true, false] {
        if !cursor.enter_item(is_indented) || !formats.iter().any(|format| (format.opens)(cursor)) {
            break;
        }
        let found = Found::of(script);
        let taken = take_region(cursor, script, formats);
        cursor.leave(outer);
        let whole = !script.diagnostics[found.diagnostics..].iter().any(Diagnostic::is_error);
        // One that is not whole is a mention, or said to be in the midst of its line.
        if taken && whole {
            return true;
        }
        found.restore(script);
        cursor.restore(state.clone());
    }
    cursor.leave(outer);
    cursor.restore(state);
    false
}

/// Goes over a command at this line by which a shell writes a text into a file, and notes that it was not read. A text that
/// begins with a region is a way to give that.
fn take_written(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    let Some((line, writing)) = cursor.line().zip(cursor.writing()) else { return false };
    let (state, found) = (cursor.state(), Found::of(script));
    cursor.pass();
    if writing.end.is_some() {
        while cursor.line().is_some_and(Line::is_blank) {
            cursor.pass();
        }
        let taken = take_indented(cursor, script, formats) || take_region(cursor, script, formats);
        if taken && !found.is_all_of(script) {
            return true;
        }
    }
    cursor.restore(state);
    found.restore(script);
    let end = writing.end.and_then(|word| cursor.end_of_written(word));
    let command = line.start + cursor.command(line).len();
    let span = cursor.span(line.trim_start().start, end.map_or(command, |end| end.end().max(command)));
    cursor.note(Noted { span, when: When::written(writing) });
    cursor.pass();
    if let Some(end) = end {
        cursor.go_to(end);
        cursor.advance();
        cursor.end_region();
    }
    true
}

/// How much was found so far.
struct Found {
    edits: usize,
    diagnostics: usize,
    regions: usize,
    unsure: usize,
}

impl Found {
    fn of(script: &Script) -> Self {
        let Script { edits, diagnostics, regions, unsure, .. } = script;
        Self {
            edits: edits.len(),
            diagnostics: diagnostics.len(),
            regions: regions.len(),
            unsure: unsure.len(),
        }
    }

    /// Whether nothing was found since.
    fn is_all_of(&self, script: &Script) -> bool {
        (self.edits, self.diagnostics) == (script.edits.len(), script.diagnostics.len())
    }

    /// Takes back what was found since.
    fn restore(&self, script: &mut Script) {
        script.edits.truncate(self.edits);
        script.diagnostics.truncate(self.diagnostics);
        script.regions.truncate(self.regions);
        script.unsure.truncate(self.unsure);
    }
}

/// Takes the region that opens at this line.
fn take_region(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    let start = cursor.at();
    let found = (script.edits.len(), script.diagnostics.len());
    // JSON is more than one format's.
    for format in formats {
        if !(format.opens)(cursor) {
            continue;
        }
        let (above, fenced, message) = (cursor.above(), cursor.fence().is_some(), script.message.is_some());
        cursor.begin_region();
        (format.parse)(cursor, script);
        let edits = script.edits.get_mut(found.0..).unwrap_or_default();
        // A message for the whole is why, too; and blocks have a prose of their own each. A patch is one thought, so that the
        // prose before it is that of all its sections; of other edits it is that of the first.
        let is_own = script.message.is_some() != message || format.id == FormatId::SearchReplace;
        let is_patch = matches!(format.id, FormatId::ApplyPatch | FormatId::Diff);
        let below = if is_patch { edits.len() } else { edits.len().min(1) };
        let edits = &mut edits[..below];
        if !is_own && script.diagnostics.len() == found.1 && edits.iter().any(|edit| edit.why.is_none()) {
            let why = why::above(above.map(|line| line.text), fenced);
            edits.iter_mut().filter(|edit| edit.why.is_none()).for_each(|edit| edit.why.clone_from(&why));
        }
        if cursor.at() > start {
            cursor.end_region();
            if found != (script.edits.len(), script.diagnostics.len()) {
                script.regions.push(Region { format: format.id, span: cursor.span(start, cursor.at()) });
            }
            return true;
        }
    }
    false
}

/// Likewise, inside a block quote.
fn take_quoted(cursor: &mut Cursor<'_>, script: &mut Script, formats: &[Format]) -> bool {
    if cursor.first_byte() != Some(b'>') {
        return false;
    }
    let mark = cursor.mark();
    if !cursor.enter_quote() {
        return false;
    }
    let taken = take(cursor, script, formats) || take_written(cursor, script, formats);
    if !taken {
        cursor.note_unread();
    }
    cursor.leave(Margin::default());
    if !taken {
        cursor.reset(mark);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Edit, Git, Op, Target};

    /// A format whose regions are a line `[name` and the lines up to `]`, each line a path to remove.
    const LISTS: Format = Format {
        id: FormatId::Applydir,
        markers: "`[`",
        opens: |cursor| cursor.first_byte() == Some(b'['),
        parse: |cursor, script| {
            let start = cursor.at();
            cursor.advance();
            while let Some(line) = cursor.line() {
                if line.text == "]" {
                    return cursor.advance();
                }
                let span = cursor.span(line.start, line.end());
                script.edits.push(Edit {
                    span,
                    format: FormatId::Applydir,
                    region: cursor.region(),
                    path: Target { raw: line.text.to_owned(), root: None, span },
                    op: Op::Delete { recursive: false, hunks: Vec::new() },
                    why: None,
                    git: Git::default(),
                });
                cursor.advance();
            }
            let span = cursor.span(start, cursor.at());
            script.diagnostics.push(Diagnostic::error(Code::Truncated, span, "a list without an end"));
        },
        render: |_| Ok(String::new()),
    };

    /// A format whose regions are lines that begin with `(`, each an error; and `()`, which is none after all.
    const ERRORS: Format = Format {
        id: FormatId::Opx,
        markers: "`(`",
        opens: |cursor| cursor.first_byte() == Some(b'('),
        parse: |cursor, script| {
            if cursor.text() != "()" {
                let span = cursor.span(cursor.at(), cursor.at() + 1);
                script.diagnostics.push(Diagnostic::error(Code::Malformed, span, "a parenthesis"));
                cursor.advance();
            }
        },
        render: |_| Ok(String::new()),
    };

    fn response(text: &str) -> Response {
        Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
    }

    fn script(text: &str) -> Script {
        read(&response(text), &[ERRORS, LISTS])
    }

    /// Region and path of every edit.
    fn edits(script: &Script) -> Vec<(u32, &str)> {
        script.edits.iter().map(|edit| (edit.region, edit.path.raw.as_str())).collect()
    }

    fn codes(script: &Script) -> Vec<Code> {
        script.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn names_lead_to_formats_and_back() {
        for id in FormatId::ALL {
            assert_eq!(id.as_str().parse::<FormatId>().as_ref(), Ok(id));
        }
        let message = "OPX".parse::<FormatId>().unwrap_err().to_string();
        for id in FormatId::ALL {
            assert!(message.contains(id.as_str()), "{message}");
        }
    }

    #[test]
    fn prose_and_fences_around_regions_are_passed_over_and_regions_are_numbered() {
        let s = script("Sure:\n\n```json\n[\na\nb\n]\n```\nand\n[\na\n]\nbye");
        assert_eq!(edits(&s), [(1, "a"), (1, "b"), (2, "a")]);
        assert_eq!(codes(&s), []);
    }

    #[test]
    fn a_formats_markers_inside_anothers_region_are_its_payload() {
        let s = script("[\n(x\n<think>\n]\n(y\n");
        assert_eq!(edits(&s), [(1, "(x"), (1, "<think>")]);
        assert_eq!(codes(&s), [Code::Malformed]);
    }

    #[test]
    fn a_parser_that_stays_where_it_was_found_no_region() {
        let s = script("()\n[\na\n]\n");
        assert_eq!(edits(&s).len(), 1);
        assert_eq!(codes(&s), []);
    }

    #[test]
    fn a_region_in_a_block_quote_is_read_without_its_marks() {
        let s = script("> so:\n> [\n> a\n>  b\n> ]\n> > [\n> > c\n\nd\n");
        assert_eq!(edits(&s), [(1, "a"), (1, " b"), (2, "c"), (2, "")]);
        assert_eq!(codes(&s), [Code::Truncated], "the quote ends before the list does");
    }

    #[test]
    fn spans_are_of_the_response() {
        let r = response("> [\r\n> abc\r\n> ]\r\n");
        let s = read(&r, &[LISTS]);
        assert_eq!(r.slice(s.edits[0].span), "abc");
    }

    #[test]
    fn nothing_in_reasoning_is_an_edit() {
        for text in [
            "<think>\n[\nno\n]\n</think>\n[\na\n]\n",
            "  <Thinking>\n(no\n\t</THINKING >\n[\na\n]\n",
            "<think>(no</think>\n[\na\n]\n",
            "<think>\n[\nno\n] so.</think>\n[\na\n]\n",
            "<think>\n(no\n</think>[\na\n]\n",
            "<thinking>\n(no\n</think>\n(no\n</thinking>\n[\na\n]\n",
            "<think>\n(no\n</thinking>\n[\na\n]\n",
            "> <think>\n> (no\n> </think>\n> [\n> a\n> ]\n",
            "<think>\n(no\n</think>\n[\na\n]\n<think>\n(no\n</think>\n",
        ] {
            let s = script(text);
            assert_eq!(edits(&s), [(1, "a")], "{text}");
            let named = if text.contains("\nno\n") { vec![Code::Reasoning] } else { vec![] };
            assert_eq!((codes(&s), s.has_errors()), (named, false), "{text}");
        }
    }

    #[test]
    fn reasoning_tags_within_a_line_or_with_another_name_are_prose() {
        let s = script("The <think> tag\n<thinker>\n<think about it>\nand </think> too\n[\na\n]\n");
        assert_eq!((edits(&s), codes(&s)), (vec![(1, "a")], vec![]));
    }

    #[test]
    fn a_closing_tag_alone_ends_reasoning_that_began_at_the_top() {
        let s = script("I could\n[\nno\n]\n(no\n</think>\n[\na\n]\n");
        assert_eq!(edits(&s), [(3, "a")]);
        assert_eq!(codes(&s), [Code::Reasoning]);
        assert!(!s.has_errors(), "a warning says that edits in reasoning were not taken");
        assert_eq!(codes(&script("I think so\n</think>\n[\na\n]\n")), []);
    }

    #[test]
    fn a_second_closing_tag_alone_is_an_error_if_edits_stand_before_it() {
        let s = script("hm\n</think>\n[\na\n]\n</think>\n[\nb\n]\n");
        assert_eq!(codes(&s), [Code::Reasoning]);
        assert!(s.has_errors());
        assert_eq!(edits(&s), [(2, "b")]);
        assert_eq!(codes(&script("<think>\nx\n</think>\n</think>\n[\na\n]\n")), []);
    }

    #[test]
    fn reasoning_never_closed_is_an_error_if_edits_stand_after_it() {
        let s = script("[\na\n]\n<think>\n[\nb\n]\n");
        assert_eq!(edits(&s), [(1, "a")]);
        assert_eq!(codes(&s), [Code::Reasoning]);
        assert_eq!(s.diagnostics[0].span().map(|span| span.start), Some(6));
        assert_eq!(codes(&script("[\na\n]\n<think>\nWas that right?")), []);
    }

    #[test]
    fn what_is_no_region_is_prose() {
        let r = response("Sure:\n\n```\n[\na\nb\na\n]\n```\n\nThen\nthis:\n[\nc\n]\n");
        let s = read(&r, &[ERRORS, LISTS]);
        assert_eq!(s.prose(&r), ["Sure:", "Then\nthis:"]);
        assert_eq!(s.paths(), ["a", "b", "c"]);
        assert_eq!(
            s.regions.iter().map(|region| r.slice(region.span)).collect::<Vec<_>>(),
            ["[\na\nb\na\n]\n", "[\nc\n]\n"]
        );
        let r = response("no edits here\n");
        assert_eq!(read(&r, &[LISTS]).prose(&r), ["no edits here"]);
        let r = response("[\na\n]\n");
        assert!(read(&r, &[LISTS]).prose(&r).is_empty());
    }

    #[test]
    fn one_format_can_be_forced() {
        let r = response("(x\n[\na\n]\n");
        assert_eq!(codes(&read(&r, &[LISTS])), []);
        assert_eq!(edits(&read(&r, &[ERRORS])), []);
    }

    #[test]
    fn reading_stops_with_an_error_after_too_many_errors_or_edits() {
        let s = script(&"(\n".repeat(MAX_ERRORS + 500));
        assert_eq!(s.diagnostics.len(), MAX_ERRORS + 1);
        assert_eq!(s.diagnostics.last().map(|last| last.code), Some(Code::Limit));
        let s = script(&format!("[\n{}]\n[\nb\n]\n", "a\n".repeat(MAX_EDITS)));
        assert_eq!((s.edits.len(), codes(&s)), (MAX_EDITS, vec![Code::Limit]));
    }
}
