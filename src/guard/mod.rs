//! Refuses replacements that cannot be meant: placeholders for code that would be lost, conflict markers, dividers of
//! the edit's format, escaped text, and binary text.

mod escaped;
pub(crate) mod placeholder;

use crate::diag::{Code, Refusal};
use crate::edit::{FormatId, Unit};
use crate::pattern::{Pattern, Step, lines};
use crate::text::search::{Budget, Haystack, Place};
use crate::text::{Content, Language, Normalization, depth, is_blank};
use placeholder::{Beside, Placeholder};
use std::collections::HashSet;

/// What an edit may add to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Whether it may add lines such as `// ... existing code ...`.
    pub allow_placeholder: bool,
    /// Whether it may add conflict markers, dividers of its format, or a fence around all of a new text.
    pub allow_markers: bool,
    /// Whether it may add HTML-escaped text.
    pub allow_escaped: bool,
    /// The language of the file.
    pub language: Language,
    /// The format of the edit.
    pub format: Option<FormatId>,
}

/// Checks the lines that a hunk adds at a place of a file.
pub(crate) fn hunk(
    hay: Haystack<'_>,
    place: &Place,
    pattern: &Pattern<'_>,
    guard: &Guard,
) -> Result<(), Box<Refusal>> {
    let added: Vec<&[u8]> = pattern.added().collect();
    new_lines(hay, &added, guard)?;
    let (after, is_new): (Vec<&[u8]>, Vec<bool>) = pattern.after_and_new().unzip();
    if is_new.last() == Some(&true) {
        fenced(hay, &after, is_new.first() == Some(&true), guard)?;
    }
    let beside = || {
        let solid = |line: &usize| !hay.is_blank(*line);
        let depth_of = |line: usize| depth(hay.text(line));
        let least = (place.first()..place.behind()).filter(solid).map(depth_of).min();
        let below = (place.behind()..hay.line_count()).find(solid);
        Beside {
            above: (0..place.first()).rev().find(solid).map(|line| hay.text(line)),
            below: below.zip(least).map(|(line, least)| depth_of(line).cmp(&least)),
        }
    };
    placeholders(hay, pattern, &beside, guard)?;
    escaped::escaped(
        pattern.added().map(|line| (line, true)),
        |text| !hay.lines_with(text, true).is_empty(),
        guard,
    )
}

/// Checks the text of a whole file; `old` is the text that it replaces.
///
/// # Errors
/// The text has a placeholder for code of the old text, a conflict marker that the old text lacks, or a NUL byte.
pub fn whole_text(text: &str, old: Option<&Content>, guard: &Guard) -> Result<(), Box<Refusal>> {
    let nothing = Content::new(b"");
    // Few lines are searched for in the whole file, so the budget is not shared.
    let budget = Budget::default();
    let hay = Haystack::new(old.unwrap_or(&nothing), &budget);
    let new = lines(text);
    // A whole file may contain lines that are markers in the edit's format.
    new_lines(hay, &new, &Guard { format: None, ..*guard })?;
    fenced(hay, &new, true, guard)?;
    let before = old.map(Content::to_bytes).unwrap_or_default();
    if old.is_some() {
        let before = String::from_utf8_lossy(&before);
        placeholders(hay, &Pattern::of_texts(&before, text, Unit::Lines), &Beside::default, guard)?;
    }
    let known: HashSet<&[u8]> =
        before.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end()).collect();
    let new = new.iter().map(|line| (*line, !known.contains(line.trim_ascii_end())));
    escaped::escaped(new, |text| memchr::memmem::find(&before, text).is_some(), guard)
}

/// Whether a text has a comment with an ellipsis or brackets that says that code is left out.
pub(crate) fn leaves_out(text: &str, language: Language) -> bool {
    let lines = lines(text);
    let kind = |at| Placeholder::at(&lines, at, language, &Beside::default);
    (0..lines.len()).any(|at| kind(at) == Some(Placeholder::Marked))
}

/// Checks lines that are new in a file.
fn new_lines(hay: Haystack<'_>, new: &[&[u8]], guard: &Guard) -> Result<(), Box<Refusal>> {
    if new.iter().any(|line| memchr::memchr(0, line).is_some()) {
        // The file would become a binary one.
        return Err(Refusal::new(Code::NotEditable, "the new text has a NUL byte"));
    }
    markers(hay, new, guard)
}

/// Refuses a Markdown fence around the whole text, or only its closing line, unless the file is prose, and a CDATA section,
/// with which XML escapes a text. They belong to the response, not to the file. `is_whole`: the first line is new, too.
fn fenced(hay: Haystack<'_>, after: &[&[u8]], is_whole: bool, guard: &Guard) -> Result<(), Box<Refusal>> {
    let says = |line: &&&[u8]| !line.trim_ascii().is_empty();
    let (first, last) = (after.iter().find(says), after.iter().rev().find(says));
    let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
    let is_fence = |line: &[u8]| line.starts_with(b"```");
    // Prose may be above the fence.
    let opening = after.iter().find(|line| is_fence(line));
    let opening = opening.filter(|_| *last == b"```" && !guard.language.is_prose());
    let is_of_file = || (0..hay.line_count()).any(|at| is_fence(hay.text(at)));
    let opening = opening.filter(|line| match std::ptr::eq(*line, last) {
        // The opening line is lost.
        true => !is_of_file(),
        false => is_whole,
    });
    let is_escaped = first.trim_ascii().starts_with(b"<![CDATA[") && last.trim_ascii().ends_with(b"]]>");
    let begins = opening.or(Some(first).filter(|_| is_whole && is_escaped));
    match begins.filter(|begins| !hay.has_line(begins, Normalization::Text)) {
        Some(begins) if !guard.allow_markers => Err(marker(&String::from_utf8_lossy(begins))),
        _ => Ok(()),
    }
}

/// Refuses a new line that says that code is left out: with an ellipsis or brackets, always; with words alone, or with an
/// ellipsis and other words, only if fewer lines of code are added than removed.
fn placeholders<'a>(
    hay: Haystack<'a>,
    pattern: &Pattern<'_>,
    beside: &dyn Fn() -> Beside<'a>,
    guard: &Guard,
) -> Result<(), Box<Refusal>> {
    if guard.allow_placeholder {
        return Ok(());
    }
    let (after, language) = (pattern.after(), guard.language);
    let is_code = |step: &&Step<'_>| {
        let text = pattern.text_of(step);
        let is_ordinary =
            || !language.is_comment(text) && Placeholder::with_words(text, language, true).is_none();
        **step == Step::Gap || !is_blank(text) && is_ordinary()
    };
    let is_kept = |step: &Step<'_>| matches!(step, Step::Keep(_));
    let mut at = 0;
    for run in pattern.steps.chunk_by(|one, next| is_kept(one) == is_kept(next)) {
        let (new, old): (Vec<_>, Vec<_>) = run.iter().partition(|step| matches!(step, Step::Add(_)));
        let count = |steps: &[&Step<'_>]| steps.iter().copied().filter(is_code).count();
        let go_for_it = || count(&new) < count(&old);
        for step in run.iter().filter(|step| !matches!(step, Step::Remove(_) | Step::Gap)) {
            let found = if is_kept(step) { None } else { Placeholder::at(&after, at, language, beside) };
            let is_one = found.is_some_and(|found| found != Placeholder::Unmarked || go_for_it());
            if is_one && !hay.has_line(after[at], Normalization::Trimmed) {
                return Err(takes_the_place(after[at]));
            }
            at += 1;
        }
    }
    Ok(())
}

fn takes_the_place(line: &[u8]) -> Box<Refusal> {
    let line = String::from_utf8_lossy(line);
    let message = format!("`{}` would replace code of the file", line.trim());
    Refusal::new(Code::Placeholder, message)
        .with_help("write the code out, or leave the unchanged lines out of both texts")
}

/// Refuses a line that begins or ends a conflict, unless the file has it, or divides a block of the edit's format, unless the file
/// has such lines.
/// Models sometimes repeat a divider, or omit a line of a block.
fn markers(hay: Haystack<'_>, added: &[&[u8]], guard: &Guard) -> Result<(), Box<Refusal>> {
    let label = |line: &[u8]| {
        let label = [&b"<<<<<<< "[..], b">>>>>>> "].iter().find_map(|mark| line.strip_prefix(*mark));
        label.map(|label| !matches!(label.trim_ascii(), b"" | b"SEARCH" | b"REPLACE" | b"NEW_FILE"))
    };
    let is = |line: &[u8], mark: u8, word: &[u8]| {
        let marks = line.iter().take_while(|b| **b == mark).count();
        (5..=9).contains(&marks) && line[marks..].trim_ascii() == word
    };
    let divides = |line: &[u8]| {
        let line = line.trim_ascii();
        guard.format == Some(FormatId::SearchReplace)
            && (is(line, b'<', b"SEARCH") || is(line, b'=', b"") || is(line, b'>', b"REPLACE"))
    };
    // Of any length: under a heading it may be as long as that.
    let has_one = |new: &[u8]| {
        let mut lines = (0..hay.line_count()).map(|at| hay.text(at));
        let mark = new.trim_ascii().first();
        lines.any(|line| line.trim_ascii().first() == mark && divides(line))
    };
    let is_new = |line: &&&[u8]| {
        label(line) == Some(true) && !hay.has_line(line, Normalization::Text)
            || divides(line) && !has_one(line)
    };
    match added.iter().find(is_new) {
        Some(line) if !guard.allow_markers => Err(marker(&String::from_utf8_lossy(line))),
        _ => Ok(()),
    }
}

/// The error about a line that belongs to the response, not to the file: a conflict marker, a divider, a fence.
pub(crate) fn marker(line: &str) -> Box<Refusal> {
    // The message shows enough of a long line to find it.
    let line: String = line.trim().chars().take(40).collect();
    Refusal::new(Code::Markers, format!("the marker `{line}` would land in the file"))
        .with_help("write only lines of the file, and each marker of a block once")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: Guard = Guard {
        allow_placeholder: false,
        allow_markers: false,
        allow_escaped: false,
        language: Language::UNKNOWN,
        format: None,
    };
    fn rust() -> Guard {
        Guard { language: Language::of("a.rs"), ..GUARD }
    }

    fn code(file: &str, before: &str, after: &str) -> Option<Code> {
        let pattern = Pattern::of_texts(before, after, Unit::Lines);
        guarded(file, &pattern, &rust()).err().map(|refusal| refusal.code)
    }

    fn guarded(file: &str, pattern: &Pattern<'_>, guard: &Guard) -> Result<(), Box<Refusal>> {
        let (content, budget) = (Content::new(file.as_bytes()), Budget::default());
        hunk(Haystack::new(&content, &budget), &Place::lines(0, content.line_count()), pattern, guard)
    }

    #[test]
    fn the_words_of_leaving_out_alone_are_refused_where_lines_go_for_them() {
        let before = "fn f() {\n    a();\n    b();\n    c();\n}\n";
        for comment in ["// rest of the code", "/* same as before */", "(rest of the file unchanged)"] {
            let after = |lines: &str| format!("fn f() {{\n    {comment}\n{lines}}}\n");
            assert_eq!(code(before, before, &after("")), Some(Code::Placeholder), "{comment}");
            assert_eq!(code(before, before, &after("    d();\n")), Some(Code::Placeholder), "{comment}");
            assert_eq!(code(before, before, &after("    a();\n    b();\n    c();\n")), None, "{comment}");
            assert_eq!(code(before, before, &after("    d();\n    e();\n    f();\n")), None, "{comment}");
            let with = format!("{before}{comment}\n");
            assert_eq!(code(&with, before, &after("")), None, "{comment} is the file's");
        }
        for comment in
            ["// The rest moved to b.rs.", "// TODO: write this", "// handle the other cases", "(rest)"]
        {
            let after = format!("fn f() {{\n    {comment}\n}}\n");
            assert_eq!(code(before, before, &after), None, "{comment}");
        }
        assert_eq!(
            code("x\na();\n", "a();\n", "(rest of the file)\n"),
            Some(Code::Placeholder),
            "one for one"
        );
        assert_eq!(code("// a\nx\n", "// a\nx\n", "// this file\nx\n"), None, "no code goes");
    }

    #[test]
    fn a_comment_with_an_ellipsis_and_any_words_is_refused_where_lines_go_for_it() {
        let before = "fn f() {\n    a();\n    b();\n    c();\n}\n";
        for comment in
            ["// ... validation ...", "// … a and b", "// Handle the request...", "/* and so on... */"]
        {
            let after = |lines: &str| format!("fn f() {{\n    {comment}\n{lines}}}\n");
            assert_eq!(code(before, before, &after("    d();\n")), Some(Code::Placeholder), "{comment}");
            assert_eq!(code(before, before, &after("    a();\n    b();\n    c();\n")), None, "{comment}");
            assert_eq!(code(before, before, &after("    d();\n    e();\n    f();\n")), None, "{comment}");
        }
        for line in ["// a ... b", "f(...args); // ...", "..a"] {
            assert_eq!(code(before, before, &format!("fn f() {{\n    {line}\n}}\n")), None, "{line}");
        }
        let jsx = Guard { language: Language::of("a.jsx"), ..GUARD };
        let pattern = Pattern::of_texts("<A />\n<B />\n", "{/* ... the forms ... */}\n<B />\n", Unit::Lines);
        assert!(guarded("<A />\n<B />\n", &pattern, &jsx).is_err());
    }

    #[test]
    fn a_comment_of_a_text_for_people_is_one_too() {
        let prose = Guard { language: Language::of("a.md"), ..GUARD };
        let old = Content::new(b"# A\n\nOne.\n\nTwo.\n\nThree.\n");
        let refused =
            |line: &str| whole_text(&format!("# A\n\nOne!\n\n{line}\n"), Some(&old), &prose).is_err();
        for line in ["<!-- rest unchanged -->", "<!-- ... rest of the file ... -->", "(rest of the file)"] {
            assert!(refused(line), "{line}");
        }
        for line in [
            "The rest.",
            "- the rest",
            "## Other",
            "*Other*",
            "(rest)",
            "<!-- markdownlint-disable -->",
            "...",
        ] {
            assert!(!refused(line), "{line}");
        }
    }

    #[test]
    fn a_divider_of_the_format_is_not_put_into_a_file() {
        let guard = Guard { format: Some(FormatId::SearchReplace), ..GUARD };
        let code = |file: &str, after: &str| {
            let pattern = Pattern::of_texts("x\n", after, Unit::Lines);
            guarded(file, &pattern, &guard).err().map(|refusal| refusal.code)
        };
        assert_eq!(code("x\n", "y\n=======\n"), Some(Code::Markers));
        assert_eq!(code("x\n", "y\n>>>>>>> REPLACE\n"), Some(Code::Markers));
        assert_eq!(code("x\n=======\n", "y\n=======\n"), None, "the file has one");
        assert_eq!(code("x\n", "y\n===========\n"), None, "too long for one");
    }

    #[test]
    fn a_new_placeholder_that_takes_the_place_of_code_is_refused() {
        let before = "fn f() {\n    a();\n    b();\n}\n";
        let after = "fn f() {\n    // ... existing code ...\n}\n";
        assert_eq!(code(before, before, after), Some(Code::Placeholder));
        assert_eq!(code("// ...\nx\n", "// ...\nx\n", "// ...\n"), None, "it was there");
        assert_eq!(code("x\ny\n// ...\n", "y\n", "// ...\n"), None, "it is elsewhere in the file");
        assert_eq!(code("x\n", "x\n", "x\n// ...\n"), Some(Code::Placeholder), "though nothing is removed");
        assert_eq!(code("x\n", "x\n", "x\n// ... then the rest\n"), None, "it says something");
        let dots = "fn f() {\n    ...\n    b();\n}\n";
        assert_eq!(code(before, before, dots), Some(Code::Placeholder));
        let pattern = Pattern::of_texts(before, dots, Unit::Lines);
        let prose = Guard { language: Language::of("a.md"), ..GUARD };
        assert!(guarded(before, &pattern, &prose).is_ok(), "a text may say so");
        let lax = Guard { allow_placeholder: true, ..GUARD };
        let pattern = Pattern::of_texts(before, after, Unit::Lines);
        assert!(guarded("", &pattern, &lax).is_ok());
    }

    #[test]
    fn a_whole_text_is_guarded_where_it_replaces_one() {
        let old = Content::new(b"a\nb\n");
        let refused = |text, old| whole_text(text, old, &GUARD).err().map(|refusal| refusal.code);
        assert_eq!(refused("a\n// ... rest of the code ...\n", Some(&old)), Some(Code::Placeholder));
        assert_eq!(refused("a\n// ... rest of the code ...\n", None), None, "a new file loses nothing");
        assert_eq!(refused("a\n# (rest as before)\n", Some(&old)), Some(Code::Placeholder));
        let latin = Content::new(b"a\n\xe4\n");
        assert_eq!(refused("a\n# ...\n", Some(&latin)), Some(Code::Placeholder));
    }

    #[test]
    fn a_fence_around_a_text_is_not_put_into_a_file() {
        let fenced = "```rust\nfn a() {}\n```\n";
        assert_eq!(whole_text(fenced, None, &GUARD).unwrap_err().code, Code::Markers);
        assert_eq!(code("x\n", "x\n", fenced), Some(Code::Markers));
        assert_eq!(code("x\n", "x\n", &format!("x\n{fenced}")), None, "in a comment");
        assert!(whole_text(fenced, None, &Guard { language: Language::of("a.md"), ..GUARD }).is_ok());
        assert!(whole_text(&format!("{fenced}\nMore.\n"), None, &GUARD).is_ok());
        let above = format!("Here is the file:\n\n{fenced}");
        assert_eq!(whole_text(&above, None, &GUARD).unwrap_err().code, Code::Markers);
        assert_eq!(code("x\n", "x\n", "x\ny\n```\n"), Some(Code::Markers), "nothing opens it");
        assert_eq!(code("x\n```\n", "x\n", "x\ny\n```\n"), None, "the file has one");
    }

    #[test]
    fn a_text_is_no_binary() {
        assert_eq!(code("x\n", "x\n", "a\0b\n"), Some(Code::NotEditable));
        assert!(whole_text("a\0b\n", None, &GUARD).is_err());
    }

    #[test]
    fn a_new_merge_conflict_is_refused() {
        let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n";
        assert_eq!(code("x\n", "x\n", conflict), Some(Code::Markers));
        assert_eq!(code(conflict, "a\n", "c\n"), None);
        assert_eq!(
            code(&format!("x\n{conflict}"), &format!("x\n{conflict}"), &format!("y\n{conflict}")),
            None
        );
        assert_eq!(code("x\n", "x\n", "y\n>>>>>>> theirs\n"), Some(Code::Markers), "one is enough");
        assert_eq!(code("x\n", "x\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), None);
        assert_eq!(code("x\n", "x\n", "Title\n=======\n"), None, "an underlined heading");
        assert!(whole_text(conflict, None, &GUARD).is_err());
        assert!(whole_text(conflict, None, &Guard { allow_markers: true, ..GUARD }).is_ok());
    }
}
