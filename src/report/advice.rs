//! Tells a model what to do about a refusal.

use super::Finding;
use super::quotes::Quotes;
use crate::diag::{Code, counted};
use crate::locate::HELP_COPY;

/// The advice for a finding: sentences that are printed after `To do:`. Text from the response is quoted.
pub(super) fn advice(finding: &Finding, quotes: &mut Quotes) -> String {
    let evidence = finding.evidence.as_ref();
    if let Some(earlier) = evidence.and_then(|evidence| evidence.builds_on) {
        return format!(
            "it needs edit {earlier}, which is refused too. Correct that one, and send this one again after it."
        );
    }
    let help = finding.help.as_deref();
    let mut with_help = |text: &str| {
        let help = help.map_or(String::new(), |help| format!("{}.", quotes.inline(help)));
        format!("{text} {help}").trim().to_owned()
    };
    let text = match finding.code {
        Code::SearchNotFound if help != Some(HELP_COPY) => return with_help(""),
        Code::SearchNotFound if evidence.is_some_and(|evidence| evidence.nearest.is_some()) => {
            "if that is the place that you mean, copy the search text from it as quoted, character by character, \
             without the numbers, and keep what the edit changes."
        }
        Code::SearchNotFound => {
            "look whether this is the right file, and copy the search text from it as it is."
        }
        Code::SearchAmbiguous => return context(finding),
        Code::OccurrenceRange => {
            return match evidence.map_or(0, |evidence| evidence.candidates.len()) {
                // The occurrence is a line number.
                0 => with_help(""),
                1 => "leave the occurrence out: the search text matches only once.".to_owned(),
                n => format!("give an occurrence from 1 to {n}; matches are counted from the top."),
            };
        }
        Code::Truncated => {
            return with_help(
                "the edit is not complete in your answer. Send the whole of it, from its first line to its last.",
            );
        }
        code if code.forbids_file() => {
            "this file may not be changed here, whatever the edit is. Leave the edit out, or reach the goal in other \
             files; say in words what is left to do."
        }
        Code::PathBlocked | Code::NotEditable => {
            "this cannot be edited. Leave the edit out, or reach the goal in other files."
        }
        Code::AlreadyExists if evidence.is_some_and(|evidence| evidence.file_lines == Some(0)) => {
            "the file is empty: fill it with an edit whose old text is empty, or choose another path."
        }
        Code::AlreadyExists if evidence.is_some() => {
            "change the lines of the existing file that should change instead of creating it; or choose another path."
        }
        Code::Placeholder => {
            "write out the lines that it stands for, as the file has them; or leave them out of the old and the new text \
             both, so that the edit does not cover them."
        }
        Code::Shrink => "give the whole file, including the lines that do not change.",
        Code::Markers => {
            "write the lines as they should be in the end, without the markers of a merge conflict."
        }
        Code::NotRead => {
            "if it changes a file, send the change as an edit in the same format as the others. A block that only shows code \
             needs no path above it."
        }
        Code::Escaped => "write `<`, `>` and `&` as the file has them, not as `&lt;`, `&gt;` and `&amp;`.",
        Code::Unread => "leave out everything that is not an edit.",
        Code::PathCase => "use the spelling of the path that exists, or another name.",
        Code::NotFound => return with_help("name a file that exists, or create it."),
        Code::Conflict if evidence.is_some_and(|evidence| evidence.nearest.is_some()) => {
            "the file has changed there since. Write the edit anew for the lines as they are now."
        }
        // With evidence, the conflict is with the branch; the help text is for people.
        Code::Conflict if evidence.is_some() => {
            "the branch has changed since. Write the edit anew for the files as they are now."
        }
        Code::Conflict => {
            "these lines were changed since this edit was made, or by another edit. Leave it out, or write it anew for the file as \
             it is now."
        }
        Code::LeftOut => {
            "it depends on an edit that was left out. Leave this one out too, or rewrite it so that it does not need that edit."
        }
        Code::Limit => "use a longer search text, so that it matches fewer places.",
        _ if help.is_some() => return with_help(""),
        _ => "write it as the format requires.",
    };
    text.to_owned()
}

fn context(finding: &Finding) -> String {
    let evidence = finding.evidence.as_ref();
    let context = match evidence.and_then(|evidence| evidence.context_lines) {
        Some(lines) => {
            let lines = counted(lines, "more line");
            format!("{lines} before and {lines} after it")
        }
        None => "more lines before and after it".to_owned(),
    };
    format!(
        "to make the search text match only once, add {context}, copied from the place that you mean. Keep these lines in the new text."
    )
}
