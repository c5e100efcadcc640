//! After-texts that no one means: placeholders for code that would be lost, merge conflicts, dividers of the format that
//! they are written in, escaped and binary ones.

mod escaped;
pub(crate) mod placeholder;

use crate::diag::Code;
use crate::edit::{FormatId, Unit};
use crate::pattern::{Pattern, Step, lines};
use crate::text::search::{Effort, Haystack};
use crate::text::{Content, Form, Language, is_blank};
use placeholder::{comment_opener, is_aside, is_left_out, is_new_placeholder, speaks_of_code};

/// What an edit may bring to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Whether it may say "rest of the code" where there was code.
    pub allow_placeholder: bool,
    /// Whether it may bring conflict markers, or dividers of the format that it is written in.
    pub allow_markers: bool,
    /// Whether it may bring text that is escaped as in HTML.
    pub allow_escaped: bool,
    /// What the file is written in.
    pub language: Language,
    /// What the edit is written in.
    pub format: Option<FormatId>,
}

/// A text that no one means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwanted {
    /// What it is.
    pub code: Code,
    /// What is wrong: a lowercase fragment.
    pub message: String,
    /// What to do next.
    pub help: Option<&'static str>,
}

impl Unwanted {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    fn with_help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

/// What is wrong with what a hunk brings to a file.
pub(crate) fn hunk(hay: Haystack<'_>, pattern: &Pattern<'_>, guard: &Guard) -> Result<(), Unwanted> {
    let removes = pattern.removed().any(|text| !is_blank(text)) || pattern.steps.contains(&Step::Gap);
    lines_with_new(hay, &pattern.after_and_new().collect::<Vec<_>>(), removes, guard)?;
    comments_for_code(hay, pattern, guard)?;
    escaped::escaped(pattern.added(), |text| !hay.lines_with(text, true).is_empty(), guard)?;
    dividers(hay, &pattern.added().collect::<Vec<_>>(), guard)
}

/// What is wrong with a text that is a whole file, or is put at its end; `old` is what it replaces, if it does.
///
/// # Errors
/// It holds a placeholder for code of the old text, or a merge conflict, that is new there; or a NUL.
pub fn whole_text(text: &str, old: Option<&Content>, guard: &Guard) -> Result<(), Unwanted> {
    let nothing = Content::new(b"");
    // A line that is looked for in vain costs a look at the whole file, and few are.
    let effort = Effort::default();
    let hay = Haystack::new(old.unwrap_or(&nothing), &effort);
    let after: Vec<(&[u8], bool)> = lines(text).into_iter().map(|line| (line, true)).collect();
    lines_with_new(hay, &after, old.is_some(), guard)?;
    let before = old.map(Content::to_bytes).unwrap_or_default();
    let holds = |text: &[u8]| memchr::memmem::find(&before, text).is_some();
    escaped::escaped(after.iter().map(|(line, _)| *line), holds, guard)?;
    let pattern = std::str::from_utf8(&before).map(|before| Pattern::of_texts(before, text, Unit::Lines));
    pattern.map_or(Ok(()), |pattern| comments_for_code(hay, &pattern, guard))
}

/// What is wrong with lines as they are to stand in a file, each with whether it is new; `removes` says that code goes.
fn lines_with_new(
    hay: Haystack<'_>,
    lines: &[(&[u8], bool)],
    removes: bool,
    guard: &Guard,
) -> Result<(), Unwanted> {
    let (after, is_new): (Vec<&[u8]>, Vec<bool>) = lines.iter().copied().unzip();
    if lines.iter().any(|(line, new)| *new && memchr::memchr(0, line).is_some()) {
        // It would make the file a binary one.
        return Err(Unwanted::new(Code::NotEditable, "the new text holds a NUL, which no text file does"));
    }
    if is_new.first() == Some(&true) && is_new.last() == Some(&true) {
        fenced(hay, &after, guard)?;
    }
    if removes {
        placeholders(hay, &after, |line| is_new.get(line) == Some(&true), guard)?;
    }
    markers(hay, &after, guard)
}

/// A Markdown fence around the whole of a text is the answer's and not the file's, but in a file of prose.
/// So is a CDATA section, with which XML escapes a text.
fn fenced(hay: Haystack<'_>, after: &[&[u8]], guard: &Guard) -> Result<(), Unwanted> {
    let says = |line: &&&[u8]| !line.trim_ascii().is_empty();
    let (first, last) = (after.iter().find(says), after.iter().rev().find(says));
    let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
    // Prose may stand above the fence.
    let opening = after.iter().find(|line| line.starts_with(b"```"));
    let opening = opening.filter(|line| *last == b"```" && !std::ptr::eq(*line, last));
    let is_escaped = first.trim_ascii().starts_with(b"<![CDATA[") && last.trim_ascii().ends_with(b"]]>");
    let (what, begins) = match opening.filter(|_| !guard.language.is_prose()) {
        Some(opening) => ("code fence", opening),
        None if is_escaped => ("CDATA section", first),
        None => return Ok(()),
    };
    if hay.has_line(begins, Form::Text) {
        return Ok(());
    }
    let message = format!("a {what} stands around the new text, which would be put into the file");
    Err(Unwanted::new(Code::Malformed, message).with_help("leave it out"))
}

/// `is_new` says of an index of the after-lines whether the line is an added one.
fn placeholders(
    hay: Haystack<'_>,
    after: &[&[u8]],
    is_new: impl Fn(usize) -> bool,
    guard: &Guard,
) -> Result<(), Unwanted> {
    if guard.allow_placeholder {
        return Ok(());
    }
    let language: Language = guard.language;
    let elides = |at: usize| {
        is_new_placeholder(after[at], language) || !language.is_prose() && is_left_out(after, at, language)
    };
    let new = (0..after.len()).filter(|&at| is_new(at));
    match new.filter(|&at| elides(at)).find(|&at| !hay.has_line(after[at], Form::Trimmed)) {
        None => Ok(()),
        Some(at) => Err(takes_the_place(after[at])),
    }
}

/// A new comment that speaks of code which is not written out, where at least two lines of code go and fewer come.
fn comments_for_code(hay: Haystack<'_>, pattern: &Pattern<'_>, guard: &Guard) -> Result<(), Unwanted> {
    if guard.allow_placeholder {
        return Ok(());
    }
    let is_prose = guard.language.is_prose();
    let is_code = |line: &[u8]| !is_blank(line) && (is_prose || comment_opener(line.trim_ascii()).is_none());
    // A text for people has headings and lists that begin as comments do.
    let may_speak = |line: &&[u8]| {
        let text = String::from_utf8_lossy(line);
        !is_prose || text.trim_start().starts_with("<!--") || is_aside(&text.to_lowercase())
    };
    for run in pattern.steps.split(|step| matches!(step, Step::Keep(_))) {
        let (added, removed): (Vec<_>, Vec<_>) = run.iter().partition(|step| matches!(step, Step::Add(_)));
        let code = |steps: &[&Step<'_>]| steps.iter().filter(|step| is_code(pattern.text_of(step))).count();
        if code(&removed) < 2 || code(&added) >= code(&removed) {
            continue;
        }
        let comments = added.iter().map(|step| pattern.text_of(step)).filter(may_speak);
        let mut comments = comments.filter(|line| speaks_of_code(line));
        if let Some(line) = comments.find(|line| !hay.has_line(line, Form::Trimmed)) {
            return Err(takes_the_place(line));
        }
    }
    Ok(())
}

fn takes_the_place(line: &[u8]) -> Unwanted {
    let line = String::from_utf8_lossy(line);
    let message = format!("`{}` would take the place of code that the file has", line.trim());
    Unwanted::new(Code::Placeholder, message).with_help(
        "write the code out, or leave the unchanged lines out of both texts; \
                            --allow-placeholder lets it pass",
    )
}

fn markers(hay: Haystack<'_>, after: &[&[u8]], guard: &Guard) -> Result<(), Unwanted> {
    if guard.allow_markers {
        return Ok(());
    }
    let label = |line: &[u8], mark: &[u8]| {
        let label = line.strip_prefix(mark).and_then(|rest| rest.strip_prefix(b" ")).map(<[u8]>::trim_ascii);
        label.filter(|label| !label.is_empty()).map(<[u8]>::to_vec)
    };
    let opens = |line: &&[u8]| {
        label(line, b"<<<<<<<").is_some_and(|label| label != b"SEARCH" && label != b"NEW_FILE")
    };
    let mut rest = after.iter();
    let found = [
        rest.find(|line| opens(line)),
        rest.find(|line| **line == b"======="),
        rest.find(|line| label(line, b">>>>>>>").is_some()),
    ];
    let conflict = found.iter().all(Option::is_some);
    if conflict && found.iter().flatten().any(|line| !hay.has_line(line, Form::Text)) {
        // Enough to look for; a label may be of any length.
        let first = String::from_utf8_lossy(found[0].copied().unwrap_or_default());
        let first: String = first.chars().take(40).collect();
        let message = format!("the new text holds an unresolved merge conflict, which begins with `{first}`");
        return Err(Unwanted::new(Code::Markers, message)
            .with_help("write the lines as they should be; --allow-markers lets it pass"));
    }
    Ok(())
}

/// A line that divides a block of the format which an edit is written in, and that the file has none of, was meant to divide
/// it: models double the divider, or lose a line of it.
fn dividers(hay: Haystack<'_>, added: &[&[u8]], guard: &Guard) -> Result<(), Unwanted> {
    if guard.allow_markers || guard.format != Some(FormatId::SearchReplace) {
        return Ok(());
    }
    let is = |line: &[u8], mark: u8, word: &[u8]| {
        let line = line.trim_ascii();
        let marks = line.iter().take_while(|b| **b == mark).count();
        (5..=9).contains(&marks) && line[marks..].trim_ascii() == word
    };
    let divides =
        |line: &&&[u8]| is(line, b'<', b"SEARCH") || is(line, b'=', b"") || is(line, b'>', b"REPLACE");
    match added.iter().find(|line| divides(line) && !hay.has_line(line, Form::Trimmed)) {
        Some(line) => {
            let line = String::from_utf8_lossy(line).into_owned();
            let message = format!("the new text holds `{}`, which divides a block", line.trim());
            Err(Unwanted::new(Code::Markers, message)
                .with_help("write each block with its three marks, each once; --allow-markers lets it pass"))
        }
        None => Ok(()),
    }
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

    fn code(file: &str, before: &str, after: &str) -> Option<Code> {
        let pattern = Pattern::of_texts(before, after, Unit::Lines);
        guarded(file, &pattern, &GUARD).err().map(|refusal| refusal.code)
    }

    fn guarded(file: &str, pattern: &Pattern<'_>, guard: &Guard) -> Result<(), Unwanted> {
        let (content, effort) = (Content::new(file.as_bytes()), Effort::default());
        hunk(Haystack::new(&content, &effort), pattern, guard)
    }

    #[test]
    fn a_comment_that_speaks_of_code_does_not_come_for_it() {
        let before = "fn f() {\n    a();\n    b();\n    c();\n}\n";
        for comment in [
            "// Keep the existing logic",
            "// implementation omitted",
            "// body as before",
            "// <existing code>",
            "// other calls remain",
            "/* same body */",
            "pass  # existing calls",
            "...  # rest",
            "// (no changes)",
            "# (loop as above)",
            "# original loop stays",
            "(rest of the file unchanged)",
            "[... rest of file ...]",
            "<rest of file unchanged>",
            "[unchanged]",
        ] {
            let after = |lines: &str| format!("fn f() {{\n    {comment}\n{lines}}}\n");
            assert_eq!(code(before, before, &after("")), Some(Code::Placeholder), "{comment}");
            assert_eq!(code(before, before, &after("    d();\n")), Some(Code::Placeholder), "{comment}");
            assert_eq!(code(before, before, &after("    a();\n    b();\n    c();\n")), None, "{comment}");
            let with = format!("{before}{comment}\n");
            assert_eq!(code(&with, before, &after("")), None, "{comment} is the file's");
        }
        for comment in [
            "// Moved to b.rs.",
            "// TODO: write it again",
            "// No callers are left here",
            "[rest, other]",
            "(rest)",
        ] {
            let after = format!("fn f() {{\n    {comment}\n}}\n");
            assert_eq!(code(before, before, &after), None, "{comment}");
        }
    }

    #[test]
    fn nor_does_an_aside_come_for_a_text() {
        let prose = Guard { language: Language::of("a.md"), ..GUARD };
        let old = Content::new(b"# A\n\nOne.\n\nTwo.\n\nThree.\n");
        let refused =
            |line: &str| whole_text(&format!("# A\n\nOne!\n\n{line}\n"), Some(&old), &prose).is_err();
        for line in
            ["<!-- rest unchanged -->", "[rest of the README unchanged]", "*(the rest stays as it is)*"]
        {
            assert!(refused(line), "{line}");
        }
        for line in [
            "Keep the rest.",
            "- the rest",
            "## Previous versions",
            "*Other notes*",
            "(restart it)",
            "<!-- markdownlint-disable -->",
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
        assert_eq!(code("x\n", "x\n", "x\n// ...\n"), None, "nothing is removed");
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
        let old = Content::new(b"a();\nb();\nc();\n");
        assert_eq!(refused("a();\n# (b() and c() as before)\n", Some(&old)), Some(Code::Placeholder));
    }

    #[test]
    fn a_fence_around_a_text_is_not_put_into_a_file() {
        let fenced = "```rust\nfn a() {}\n```\n";
        assert_eq!(whole_text(fenced, None, &GUARD).unwrap_err().code, Code::Malformed);
        assert_eq!(code("x\n", "x\n", fenced), Some(Code::Malformed));
        assert_eq!(code("x\n", "x\n", &format!("x\n{fenced}")), None, "in a comment");
        assert!(whole_text(fenced, None, &Guard { language: Language::of("a.md"), ..GUARD }).is_ok());
        assert!(whole_text(&format!("{fenced}\nMore.\n"), None, &GUARD).is_ok());
        let above = format!("Here is the file:\n\n{fenced}");
        assert_eq!(whole_text(&above, None, &GUARD).unwrap_err().code, Code::Malformed);
        assert!(whole_text("```\n", None, &GUARD).is_ok(), "nothing opens it");
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
        assert_eq!(code("x\n", "x\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), None);
        assert_eq!(code("x\n", "x\n", "Title\n=======\n"), None, "an underlined heading");
        assert!(whole_text(conflict, None, &GUARD).is_err());
        assert!(whole_text(conflict, None, &Guard { allow_markers: true, ..GUARD }).is_ok());
    }
}
