//! The prompt for a model: the format's instructions, the files, and the request. Pure.
//!
//! A test applies every example in the instructions, so that they agree with the parsers.

use crate::format::FormatId;
use crate::names::named;
use std::fmt::Write;

/// The context lines that applydir's instructions ask for, unless `llmapply.contextLines` says otherwise.
pub const CONTEXT_LINES: usize = 5;

/// The smallest value of `llmapply.contextLines`.
pub const MIN_CONTEXT_LINES: usize = 3;

/// The longest file in a prompt, in bytes.
pub const MAX_SHOWN_FILE: usize = 256 * 1024;

named! {
    /// How files are delimited.
    #[derive(Default)]
    Listing {
        /// By Markdown fences that are longer than any run of backquotes in the file.
        #[default]
        Fences = "fences",
        /// By `Begin File` and `End File` lines, as prepdir writes them.
        Prepdir = "prepdir",
    }
}

/// A file to show.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// The options for the instructions of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionOptions {
    /// The context lines that applydir's instructions ask for.
    pub context_lines: usize,
    /// Whether files may be deleted; if not, the instructions do not mention it.
    pub delete: bool,
    /// Whether edits are given as arguments of a tool call (`mcp`), so that no format is explained.
    pub as_arguments: bool,
}

impl Default for InstructionOptions {
    fn default() -> Self {
        Self { context_lines: CONTEXT_LINES, delete: true, as_arguments: false }
    }
}

/// The rule that prepdir draws at both ends of the lines that delimit files.
const RULE: &str = "=-=-=-=-=-=-=-=";

/// The instruction that all formats share.
const SHARED: &str = "Edit only files that were shown to you, or that you make. If you need to see another one, ask for it \
                      and leave it as it is.\n";

/// The instructions for a format: Markdown, with an example for each operation.
pub fn instructions(format: FormatId, options: InstructionOptions) -> String {
    let text = match format {
        FormatId::Opx => include_str!("opx.md"),
        FormatId::ApplyPatch => include_str!("apply-patch.md"),
        FormatId::SearchReplace => include_str!("search-replace.md"),
        FormatId::FileChanges => include_str!("file-changes.md"),
        FormatId::Applydir => include_str!("applydir.md"),
        FormatId::Diff => include_str!("diff.md"),
        FormatId::EditCalls => include_str!("edit-calls.md"),
        FormatId::WholeFile => include_str!("whole-file.md"),
        FormatId::Snippet => include_str!("snippet.md"),
    };
    // Text about deleting files is in `⟦…⟧`. Text for prompts that may not delete files is in `⟪…⟫`.
    let text = with_bracketed(text, ['⟦', '⟧'], options.delete);
    let text = with_bracketed(&text, ['⟪', '⟫'], !options.delete);
    let text = text.replace("{context_lines}", &options.context_lines.max(MIN_CONTEXT_LINES).to_string());
    format!("{}\n\n{SHARED}", text.trim_end())
}

/// Removes brackets from a text, and unless `kept` also the text in them.
fn with_bracketed(text: &str, brackets: [char; 2], kept: bool) -> String {
    text.split(brackets).enumerate().filter(|(at, _)| at % 2 == 0 || kept).map(|(_, part)| part).collect()
}

/// The whole prompt: instructions, files, request.
pub fn prompt(
    format: FormatId,
    options: InstructionOptions,
    files: &[File<'_>],
    listing: Listing,
    request: Option<&str>,
) -> String {
    let mut out = String::from("# How to answer\n\n");
    out.push_str(instructions(format, options).trim_end());
    out.push('\n');
    if !files.is_empty() {
        out.push_str("\n# The files\n");
        for File { path, text } in files {
            let (before, after) = match listing {
                Listing::Fences => {
                    let fence = fence(text);
                    (format!("{path}:\n{fence}"), fence)
                }
                Listing::Prepdir => (
                    format!("{RULE} Begin File: '{path}' {RULE}"),
                    format!("{RULE} End File: '{path}' {RULE}"),
                ),
            };
            let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            let _ = writeln!(out, "\n{before}\n{text}{end}{after}");
        }
    }
    if let Some(request) = request.map(str::trim).filter(|request| !request.is_empty()) {
        let _ = write!(out, "\n# The request\n\n{request}\n");
    }
    out
}

/// The next prompt for a model that remembers nothing: the first prompt, its last answer, and the feedback on that
/// answer.
pub fn retry(prompt: &str, answer: &str, feedback: &str) -> String {
    let fence = fence(answer);
    let end = if answer.ends_with('\n') { "" } else { "\n" };
    format!(
        "{}\n\n# Your last answer\n\n{fence}\n{answer}{end}{fence}\n\n# What became of it\n\n{}\n",
        prompt.trim_end(),
        feedback.trim_end()
    )
}

/// The feedback on an answer whose edits apply, but then a command of `--exec` failed. `output` is the end of its
/// output.
pub fn check_failed(message: &str, output: &str) -> String {
    let (output, fence) = (output.trim_end(), fence(output));
    let printed = match output {
        "" => "It printed nothing.".to_owned(),
        output => format!("This is what was printed:\n\n{fence}\n{output}\n{fence}"),
    };
    format!(
        "All edits of your answer could be applied, but then {message}, so nothing was changed. {printed}\n\n\
         Send a whole new answer, with all edits, made to the files as they were.\n"
    )
}

/// A Markdown fence with more backquotes than any run in the text.
pub fn fence(text: &str) -> String {
    "`".repeat(longest_run_of_backquotes(text).max(2) + 1)
}

/// A one-line text as inline code: no run of backquotes in it ends the code.
pub fn inline_code(text: &str) -> String {
    let ticks = "`".repeat(longest_run_of_backquotes(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

fn longest_run_of_backquotes(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Estimates the number of tokens as one for every four bytes. For code and English the error is below a third.
pub fn estimated_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_files_own_fences_do_not_end_its_fence() {
        let file = File { path: "a.md", text: "````\nx\n````" };
        let options = InstructionOptions::default();
        let text = prompt(FormatId::Opx, options, &[file], Listing::Fences, Some(" do it \n"));
        assert!(text.contains("a.md:\n`````\n````\nx\n````\n`````\n"), "{text}");
        assert!(text.ends_with("\n# The request\n\ndo it\n"));
    }

    #[test]
    fn nothing_in_inline_code_ends_it() {
        assert_eq!(inline_code("a"), "`a`");
        assert_eq!(inline_code("no file `a`"), "`` no file `a` ``");
        assert_eq!(inline_code("a ``` b"), "````a ``` b````");
    }

    #[test]
    fn prepdir_lines_name_the_file_at_both_ends() {
        let (file, options) = (File { path: "a", text: "" }, InstructionOptions::default());
        let text = prompt(FormatId::Opx, options, &[file], Listing::Prepdir, None);
        assert!(text.ends_with(
            "=-=-=-=-=-=-=-= Begin File: 'a' =-=-=-=-=-=-=-=\n=-=-=-=-=-=-=-= End File: 'a' =-=-=-=-=-=-=-=\n"
        ));
    }

    #[test]
    fn applydir_asks_for_three_lines_at_least() {
        for (asked, given) in [(0, "Give 3 lines"), (7, "Give 7 lines")] {
            let options = InstructionOptions { context_lines: asked, ..InstructionOptions::default() };
            assert!(instructions(FormatId::Applydir, options).contains(given));
        }
    }

    #[test]
    fn removing_is_not_explained_where_it_is_forbidden() {
        let options = InstructionOptions { delete: false, ..InstructionOptions::default() };
        for &format in FormatId::ALL {
            let text = instructions(format, options).to_lowercase();
            assert!(!text.contains(['⟦', '⟧', '⟪', '⟫']), "{text}");
            for word in
                ["op=\"remove\"", "`remove`", "*** delete", "file_delete", "delete_file", "remove a file"]
            {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    }
}
