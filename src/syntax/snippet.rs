//! Reads a snippet: takes off its common indentation, and finds its elisions.

use super::error::{HELP_MARK, HELP_WHOLE, MergeError, SNIPPET};
use super::language::Language;
use super::tree::Parsed;
use crate::guard::placeholder::Placeholder;
use crate::text;
use std::collections::BTreeSet;
use tree_sitter::Node;

/// The words that make a comment look like an elision.
const ELISION_WORDS: &[&str] =
    &["existing", "rest", "remaining", "remains", "unchanged", "omitted", "same", "other"];

/// A snippet that parses.
pub(super) struct Snippet {
    pub(super) parsed: Parsed,
    /// The indentation that was taken off all lines.
    pub(super) indentation: String,
    /// The offsets of its elisions.
    pub(super) elisions: BTreeSet<usize>,
    /// The comments that look like elisions, but are ordinary comments, because the file has them, too.
    pub(super) comments_like_elisions: Vec<String>,
    /// Whether its methods were wrapped in a class, so that they parse. The head of the class adds one line.
    pub(super) is_wrapped: bool,
}

impl Snippet {
    /// Reads a snippet for a file.
    pub(super) fn read(
        language: &'static Language,
        path: &str,
        text: &str,
        file: &Parsed,
    ) -> Result<Self, MergeError> {
        let (indentation, text) = dedented(text)?;
        let too_long = MergeError::too_long;
        let mut parsed = Parsed::new(language, text).ok_or_else(too_long)?;
        let mut is_wrapped = false;
        if parsed.first_error_line().is_some() && !language.class.is_empty() {
            let wrapped = format!("{}{}}}\n", language.class, parsed.text);
            let wrapped = Parsed::new(language, wrapped).ok_or_else(too_long)?;
            if wrapped.first_error_line().is_none() {
                (parsed, is_wrapped) = (wrapped, true);
            }
        }
        let comment_language = text::Language::of(path);
        let comments_of_file = file.comment_counts();
        let (mut elisions, mut comments_like_elisions) = (BTreeSet::new(), Vec::new());
        let mut neutral = parsed.text.clone();
        for node in parsed.comments() {
            let comment = parsed.text_of(node).trim();
            let one_line = as_one_line(comment);
            let placeholder = Placeholder::of(one_line.as_bytes(), comment_language);
            if placeholder.is_none() && !looks_like_elision(&one_line) {
                continue;
            }
            if comments_of_file.contains_key(comment) {
                comments_like_elisions.push(comment.to_owned());
                continue;
            }
            let (start, end) = (node.start_byte(), parsed.end(node));
            let is_alone =
                parsed.begins_line(start) && parsed.slice(end..parsed.line_end(end)).trim().is_empty();
            if !(is_alone && placeholder == Some(Placeholder::Marked)) {
                return Err(
                    MergeError::unclear_elision(&format!("`{comment}`"), HELP_MARK).at(parsed.line(start))
                );
            }
            elisions.insert(start);
            if language.is_indented {
                neutral.replace_range(start..end, &"_".repeat(end - start));
            }
        }
        // A string such as `"..."` may be an elision of a docstring, which is not supported.
        let is_dots = |line: &str| {
            let inner = line.trim_matches(['"', '\'']);
            inner.len() < line.len() && ["...", "…"].contains(&inner.trim())
        };
        let dots = parsed.text.lines().map(str::trim).enumerate().find(|(_, line)| is_dots(line));
        if let Some((at, line)) =
            dots.filter(|(_, line)| language.is_indented && !file.text.lines().any(|one| one.trim() == *line))
        {
            return Err(MergeError::unclear_elision(&format!("`{line}`"), HELP_MARK).at(at));
        }
        let is_json =
            !language.commas.is_empty() && language.comments.len() == 1 && language.imports.is_empty();
        if is_json {
            blank_last_commas(&mut neutral, &elisions, &parsed);
        }
        let (written, is_valid) = (parsed.text.clone(), parsed.first_error_line().is_none());
        let parsed = match neutral == parsed.text {
            true => parsed,
            false => Parsed::new(language, neutral).ok_or_else(too_long)?,
        };
        match parsed.first_error_line() {
            None => Ok(Self { parsed, indentation, elisions, comments_like_elisions, is_wrapped }),
            // Only the text with neutral elisions is invalid: an elision is inside of an expression.
            Some(line) if is_valid && !elisions.is_empty() => {
                let below = elisions.iter().find(|at| parsed.line(**at) >= line);
                let at = *below.or(elisions.last()).unwrap_or(&0);
                let shown = written.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
                Err(MergeError::unclear_elision(&format!("`{shown}`"), HELP_WHOLE).at(parsed.line(at)))
            }
            Some(line) => Err(MergeError::syntax(SNIPPET, HELP_WHOLE).at(line)),
        }
    }

    /// Returns the list of its definitions.
    pub(super) fn list(&self) -> Node<'_> {
        let class = self.parsed.root().named_child(0).filter(|_| self.is_wrapped);
        class.and_then(|class| class.child_by_field_name("body")).unwrap_or(self.parsed.root())
    }

    /// Returns whether a range contains an elision.
    pub(super) fn elides(&self, range: std::ops::Range<usize>) -> bool {
        self.elisions.range(range).next().is_some()
    }
}

/// Takes the indentation of the first line off all lines. Returns that indentation and the text.
fn dedented(text: &str) -> Result<(String, String), MergeError> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let indentation = &first[..first.len() - first.trim_start_matches([' ', '\t']).len()];
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.lines().enumerate() {
        match line.strip_prefix(indentation) {
            Some(line) => out.push_str(line.trim_end_matches('\r')),
            None if line.trim().is_empty() => {}
            None => return Err(MergeError::indentation().at(at)),
        }
        out.push('\n');
    }
    Ok((indentation.to_owned(), out))
}

/// Returns a comment as one line, without the marks at the beginnings of its lines.
fn as_one_line(comment: &str) -> String {
    let lines = comment.lines().map(|line| line.trim().trim_start_matches("* "));
    lines.filter(|line| *line != "*").collect::<Vec<_>>().join(" ")
}

/// Returns whether a comment looks like an elision: it begins with an ellipsis, or has words that say that code is left
/// out.
fn looks_like_elision(comment: &str) -> bool {
    let text = comment.trim_matches(|c: char| "/*#-<>! {}".contains(c) || c.is_whitespace());
    let words = || text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let count = words().filter(|word| ELISION_WORDS.contains(&word.as_str())).count();
    let has_dots = text.contains("...") || text.contains('…');
    text.starts_with("...")
        || text.starts_with('…')
        || has_dots && count > 0
        || count > 1
        || words().any(|word| word == "unchanged" || word == "omitted")
}

/// Replaces the comma before an elision at the end of a JSON object by a space.
fn blank_last_commas(text: &mut String, elisions: &BTreeSet<usize>, parsed: &Parsed) {
    for at in elisions {
        let before = parsed.slice(0..*at).trim_end();
        let behind = parsed.slice(parsed.line_end(*at)..parsed.text.len()).trim_start();
        if before.ends_with(',') && behind.starts_with('}') {
            text.replace_range(before.len() - 1..before.len(), " ");
        }
    }
}
