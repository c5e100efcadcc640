//! Refuses replacements that a model cannot mean: placeholders for code that would be lost, conflict markers, dividers
//! of the edit's format, fences, HTML-escaped text, and binary text.

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
    check_new_lines(hay, &added, guard)?;
    let (after, is_new): (Vec<&[u8]>, Vec<bool>) = pattern.after_and_new().unzip();
    if is_new.last() == Some(&true) {
        check_fence(hay, &after, is_new.first() == Some(&true), guard)?;
    }
    let beside = || {
        let is_solid = |line: &usize| !hay.is_blank(*line);
        let depth_of = |line: usize| depth(hay.text(line));
        let min_depth = (place.first()..place.behind()).filter(is_solid).map(depth_of).min();
        let below = (place.behind()..hay.line_count()).find(is_solid);
        Beside {
            above: (0..place.first()).rev().find(is_solid).map(|line| hay.text(line)),
            below: below.zip(min_depth).map(|(line, min_depth)| depth_of(line).cmp(&min_depth)),
        }
    };
    check_placeholders(hay, pattern, &beside, guard)?;
    escaped::check_escaped(
        pattern.added().map(|line| (line, true)),
        |text| !hay.lines_with(text, true).is_empty(),
        guard,
    )
}

/// Checks the text of a whole file; `old` is the text that it replaces.
///
/// # Errors
/// The text has a placeholder that the old text lacks, a conflict marker that the old text lacks, a fence around it,
/// HTML escapes, or a NUL byte.
pub fn whole_text(text: &str, old: Option<&Content>, guard: &Guard) -> Result<(), Box<Refusal>> {
    let nothing = Content::new(b"");
    // This searches the file for few lines, so it does not need the shared budget.
    let budget = Budget::default();
    let hay = Haystack::new(old.unwrap_or(&nothing), &budget);
    let new = lines(text);
    // A whole file may contain lines that are dividers in the edit's format.
    check_new_lines(hay, &new, &Guard { format: None, ..*guard })?;
    check_fence(hay, &new, true, guard)?;
    let before = old.map(Content::to_bytes).unwrap_or_default();
    let old_text = String::from_utf8_lossy(&before);
    let pattern = Pattern::of_texts(&old_text, text, Unit::Lines);
    check_placeholders(hay, &pattern, &Beside::default, guard)?;
    let known: HashSet<&[u8]> =
        before.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_end()).collect();
    let new = new.iter().map(|line| (*line, !known.contains(line.trim_ascii_end())));
    escaped::check_escaped(new, |text| memchr::memmem::find(&before, text).is_some(), guard)
}

/// Returns whether a text has a comment, with an ellipsis or in brackets, that says that code is left out.
pub(crate) fn leaves_out(text: &str, language: Language) -> bool {
    let lines = lines(text);
    let kind = |at| Placeholder::at(&lines, at, language, &Beside::default);
    (0..lines.len()).any(|at| kind(at) == Some(Placeholder::Marked))
}

/// Refuses new lines with a NUL byte or a marker.
fn check_new_lines(hay: Haystack<'_>, new: &[&[u8]], guard: &Guard) -> Result<(), Box<Refusal>> {
    if new.iter().any(|line| memchr::memchr(0, line).is_some()) {
        // git would treat the file as binary.
        return Err(Refusal::new(Code::NotEditable, "the new text has a NUL byte"));
    }
    check_markers(hay, new, guard)
}

/// Refuses lines that belong to the response and not to the file: a Markdown fence around the replacement, or only its
/// closing line, unless the file is prose; and a CDATA section around the replacement.
///
/// `is_whole` says whether the first line of the replacement is new, too.
fn check_fence(
    hay: Haystack<'_>,
    after: &[&[u8]],
    is_whole: bool,
    guard: &Guard,
) -> Result<(), Box<Refusal>> {
    let is_solid = |line: &&&[u8]| !line.trim_ascii().is_empty();
    let (first, last) = (after.iter().find(is_solid), after.iter().rev().find(is_solid));
    let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
    let is_fence = |line: &[u8]| line.starts_with(b"```");
    // Prose may be above the fence.
    let opening = after.iter().find(|line| is_fence(line));
    let opening = opening.filter(|_| *last == b"```" && !guard.language.is_prose());
    let file_has_fence = || (0..hay.line_count()).any(|at| is_fence(hay.text(at)));
    let opening = opening.filter(|line| match std::ptr::eq(*line, last) {
        // There is only the closing line.
        true => !file_has_fence(),
        false => is_whole,
    });
    let is_cdata = first.trim_ascii().starts_with(b"<![CDATA[") && last.trim_ascii().ends_with(b"]]>");
    let unwanted = opening.or(Some(first).filter(|_| is_whole && is_cdata));
    match unwanted.filter(|line| !hay.has_line(line, Normalization::Text)) {
        Some(line) if !guard.allow_markers => Err(marker(&String::from_utf8_lossy(line))),
        _ => Ok(()),
    }
}

/// Refuses a new line that says that code is left out.
///
/// ```text
/// // ... existing code ...     always refused
/// ...                           refused, except in a new file
/// // rest of the code          refused if fewer lines of code are added than removed
/// // ... validation ...        likewise
/// ```
fn check_placeholders<'a>(
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
        let is_ordinary = || !language.is_comment(text) && Placeholder::parse(text, language, true).is_none();
        **step == Step::Gap || !is_blank(text) && is_ordinary()
    };
    let is_kept = |step: &Step<'_>| matches!(step, Step::Keep(_));
    let mut at = 0;
    for run in pattern.steps.chunk_by(|one, next| is_kept(one) == is_kept(next)) {
        let (new, old): (Vec<_>, Vec<_>) = run.iter().partition(|step| matches!(step, Step::Add(_)));
        let count = |steps: &[&Step<'_>]| steps.iter().copied().filter(is_code).count();
        let loses_code = || count(&new) < count(&old);
        for step in run.iter().filter(|step| !matches!(step, Step::Remove(_) | Step::Gap)) {
            let found = if is_kept(step) { None } else { Placeholder::at(&after, at, language, beside) };
            let is_unwanted = found.is_some_and(|found| match found {
                Placeholder::Marked => true,
                Placeholder::Dots => hay.line_count() > 0,
                Placeholder::Unmarked => loses_code(),
            });
            if is_unwanted && !hay.has_line(after[at], Normalization::Trimmed) {
                return Err(placeholder_refusal(after[at]));
            }
            at += 1;
        }
    }
    Ok(())
}

fn placeholder_refusal(line: &[u8]) -> Box<Refusal> {
    let line = String::from_utf8_lossy(line);
    let message = format!("the placeholder `{}` would land in the file", line.trim());
    Refusal::new(Code::Placeholder, message)
        .with_help("write the code out, or leave the unchanged lines out of both texts")
}

/// Refuses a conflict marker that the file lacks, and a divider of SEARCH/REPLACE if the file has no such divider.
/// Models sometimes repeat a divider, or forget one.
fn check_markers(hay: Haystack<'_>, added: &[&[u8]], guard: &Guard) -> Result<(), Box<Refusal>> {
    // The other labels are those of SEARCH/REPLACE markers.
    let is_conflict = |line: &[u8]| {
        let label = [&b"<<<<<<< "[..], b">>>>>>> "].iter().find_map(|mark| line.strip_prefix(*mark));
        label.is_some_and(|label| !matches!(label.trim_ascii(), b"" | b"SEARCH" | b"REPLACE" | b"NEW_FILE"))
    };
    let has_form = |line: &[u8], mark: u8, word: &[u8]| {
        let marks = line.iter().take_while(|b| **b == mark).count();
        (5..=9).contains(&marks) && line[marks..].trim_ascii() == word
    };
    let divides = |line: &[u8]| {
        let line = line.trim_ascii();
        guard.format == Some(FormatId::SearchReplace)
            && (has_form(line, b'<', b"SEARCH")
                || has_form(line, b'=', b"")
                || has_form(line, b'>', b"REPLACE"))
    };
    // The lengths may differ, because a line of `=` that underlines a heading is as long as the heading.
    let file_has_one = |new: &[u8]| {
        let mut lines = (0..hay.line_count()).map(|at| hay.text(at));
        let mark = new.trim_ascii().first();
        lines.any(|line| line.trim_ascii().first() == mark && divides(line))
    };
    let is_new = |line: &&&[u8]| {
        is_conflict(line) && !hay.has_line(line, Normalization::Text) || divides(line) && !file_has_one(line)
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
    fn a_placeholder_without_ellipsis_is_refused_if_it_replaces_code() {
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
    fn an_ellipsis_with_other_words_is_refused_if_it_replaces_code() {
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
    fn a_placeholder_in_prose_is_refused() {
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
    fn a_new_divider_is_refused() {
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
    fn a_new_placeholder_for_code_is_refused() {
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
    fn a_whole_text_is_checked_against_the_file_it_replaces() {
        let old = Content::new(b"a\nb\n");
        let refused = |text, old| whole_text(text, old, &GUARD).err().map(|refusal| refusal.code);
        assert_eq!(refused("a\n// ... rest of the code ...\n", Some(&old)), Some(Code::Placeholder));
        assert_eq!(refused("a\n// ... rest of the code ...\n", None), Some(Code::Placeholder), "not whole");
        assert_eq!(refused("a\n// rest of the code\n{\n    ...\n}\n", None), None, "it may be code");
        assert_eq!(refused("a\n# (rest as before)\n", Some(&old)), Some(Code::Placeholder));
        let latin = Content::new(b"a\n\xe4\n");
        assert_eq!(refused("a\n# ...\n", Some(&latin)), Some(Code::Placeholder));
    }

    #[test]
    fn a_fence_around_a_text_is_refused() {
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
    fn a_nul_byte_is_refused() {
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
