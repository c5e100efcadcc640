//! The man pages, made from the tables that the program runs by: options, verbs, formats, codes, exit statuses.
//!
//! `cargo run --example man` writes them to `man`; `tests/docs.rs` fails where the two differ.

mod formats;
mod roff;
mod running;
mod suggestions;
mod text;

pub use formats::{Chapter, chapter};

use super::args::{
    self, ASK_OPTIONS, DROP_OPTIONS, LIST_OPTIONS, OPTIONS, Opt, PROMPT_OPTIONS, RECOVER_OPTIONS,
    SHOW_OPTIONS, Takes, UNDO_OPTIONS, VERBS,
};
use super::exit::Exit;
use crate::diag::Code;
use crate::format::FORMATS;
use crate::locate::Tier;
use crate::report::SCHEMA_VERSION;
use roff::Page;

/// A piece of the page: what its sections are made of. In its texts what stands in backticks is literal, and in that,
/// what stands in angle brackets is to be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// A paragraph.
    Text(&'static str),
    /// A term and what it means.
    Item(&'static str, &'static str),
    /// Lines to be shown as they are.
    Lines(&'static str),
    /// A heading within the section.
    Heading(&'static str),
}

/// The name of the page of the formats.
const FORMATS_PAGE: &str = "git-llm-apply-formats";

/// The pages by the names of their files.
pub fn pages() -> [(&'static str, String); 2] {
    [("git-llm-apply.1", page()), ("git-llm-apply-formats.7", formats_page())]
}

/// The page of the formats, in roff's man macros.
fn formats_page() -> String {
    let mut page = Page::new(FORMATS_PAGE, '7', env!("CARGO_PKG_VERSION"));
    page.section("NAME");
    page.name(FORMATS_PAGE, "how edits are written for git llm-apply");
    page.section("DESCRIPTION");
    page.pieces(text::SEVERAL_FORMATS);
    page.pieces(text::FORMATS);
    for format in FORMATS {
        let chapter = chapter(format.id);
        page.section(&format!("{} (--format={})", chapter.title, format.name()));
        page.paragraph(&format!("Looked for: {}.", format.markers));
        page.pieces(chapter.pieces);
        page.paragraph("An example:");
        page.lines(chapter.example);
    }
    page.section("SEE ALSO");
    page.paragraph("git-llm-apply(1)");
    page.finish()
}

/// The page of the command, in roff's man macros.
fn page() -> String {
    let mut page = Page::new(args::NAME, '1', env!("CARGO_PKG_VERSION"));
    page.section("NAME");
    page.name(args::NAME, "land the code edits in a language model's answer as a git transaction");
    page.section("SYNOPSIS");
    page.synopsis(text::SYNOPSIS);
    page.section("DESCRIPTION");
    page.pieces(text::DESCRIPTION);
    page.section("VERBS");
    for (name, about) in VERBS {
        page.item(&format!("`{name}`"), &sentence(about));
    }
    page.pieces(text::VERBS);
    page.section("OPTIONS");
    page.pieces(text::OPTIONS);
    for option in OPTIONS {
        page.item(&usage(option), &said(option));
    }
    page.pieces(text::OTHER_OPTIONS);
    page.heading("Options of prompt");
    for option in PROMPT_OPTIONS {
        page.item(&usage(option), &said(option));
    }
    page.pieces(text::PROMPT_OPTIONS);
    page.heading("Options of ask");
    for option in ASK_OPTIONS {
        page.item(&usage(option), &said(option));
    }
    page.pieces(text::ASK_OPTIONS);
    page.heading("Options of recover");
    for option in RECOVER_OPTIONS {
        page.item(&usage(option), &said(option));
    }
    for (verb, options) in
        [("drop", DROP_OPTIONS), ("list", LIST_OPTIONS), ("show", SHOW_OPTIONS), ("undo", UNDO_OPTIONS)]
    {
        page.heading(&format!("Options of {verb}"));
        for option in options {
            page.item(&usage(option), &said(option));
        }
    }
    page.section("RESUMING");
    page.pieces(text::RESUMING);
    page.section("SUGGESTIONS");
    page.pieces(suggestions::SUGGESTIONS);
    page.section("HISTORY");
    page.pieces(text::HISTORY);
    page.heading("Undo and redo");
    page.pieces(text::UNDOING);
    page.section("PUSHING");
    page.pieces(suggestions::PUSHING);
    page.section("THE FORMATS");
    page.paragraph(&format!("Each is described in {FORMATS_PAGE}(7). By their names for `--format`:"));
    for format in FORMATS {
        let title = chapter(format.id).title;
        page.item(&format!("`{}`", format.name()), &format!("{title}. Looked for: {}.", format.markers));
    }
    page.section("OUTPUT");
    page.pieces(text::OUTPUT);
    page.heading("How a text was found");
    for tier in Tier::ALL {
        page.item(&format!("`{}`", tier.as_str()), tier.meaning());
    }
    page.heading("Codes");
    page.paragraph("What is wrong with a response has one of these codes, in the text in brackets:");
    for code in Code::ALL {
        page.item(&format!("`{}`", code.as_str()), code.meaning());
    }
    page.heading("JSON");
    page.paragraph(&format!(
        "`--json` prints one object on one line of standard output, whatever happens, usage errors aside. Its \
         `schema_version` is {SCHEMA_VERSION}; within a version fields and names may be added, and \
         none changes or goes."
    ));
    page.pieces(text::JSON);
    page.section("HOOKS AND COMMANDS");
    page.pieces(running::RUNNING);
    page.section("EXIT STATUS");
    for (exit, meaning) in Exit::ALL {
        page.item(&format!("`{}`", exit.code()), &sentence(meaning));
    }
    page.pieces(text::EXIT_STATUS);
    page.section("CONFIGURATION");
    page.pieces(text::CONFIGURATION);
    for option in OPTIONS.iter().chain(PROMPT_OPTIONS).chain(ASK_OPTIONS).filter(|option| option.keyed) {
        page.item(&format!("`{}`", option.key()), &configures(option));
    }
    page.pieces(text::OTHER_KEYS);
    page.section("HOW IT STAYS ATOMIC");
    page.pieces(text::ATOMIC);
    page.section("SECURITY");
    page.pieces(text::SECURITY);
    page.section("EXAMPLES");
    page.pieces(text::EXAMPLES);
    page.section("LIMITS AND BUGS");
    page.pieces(text::LIMITS);
    page.section("SEE ALSO");
    page.pieces(text::SEE_ALSO);
    page.finish()
}

/// The configuration keys that no option has, without `llmapply.` before them.
pub(super) fn other_keys() -> impl Iterator<Item = &'static str> {
    text::OTHER_KEYS.iter().filter_map(|piece| match piece {
        Piece::Item(name, _) => name.strip_prefix("`llmapply.")?.strip_suffix('`'),
        _ => None,
    })
}

/// How the option is written, `--[no-]` where it is a switch.
fn usage(option: &Opt) -> String {
    let short = option.short.map(|letter| format!("`-{letter}`")).unwrap_or_default();
    let long = option.long;
    match option.takes {
        Takes::Nothing if short.is_empty() => format!("`--[no-]{long}`"),
        Takes::Nothing => format!("{short}, `--[no-]{long}`"),
        Takes::Value(name) | Takes::Values(name) => {
            let short = option.short.map(|letter| format!("`-{letter} <{name}>`, ")).unwrap_or_default();
            format!("{short}`--{long}=<{name}>`")
        }
        Takes::Optional(name) => {
            let short = option.short.map(|letter| format!("`-{letter}`[`<{name}>`], ")).unwrap_or_default();
            format!("{short}`--{long}`[`=<{name}>`]")
        }
    }
}

fn said(option: &Opt) -> String {
    let mut all = sentence(option.help);
    if !option.more.is_empty() {
        all.push(' ');
        all.push_str(option.more);
    }
    if !option.choices.is_empty() {
        let choices: Vec<_> = option.choices.iter().map(|choice| format!("`{choice}`")).collect();
        let name = match option.takes {
            Takes::Value(name) | Takes::Values(name) | Takes::Optional(name) => name,
            Takes::Nothing => option.long,
        };
        all.push_str(&format!(" `<{name}>` is {}.", listed(&choices)));
    }
    all
}

fn configures(option: &Opt) -> String {
    let long = option.long;
    match option.takes {
        Takes::Nothing => format!("A boolean, the default of `--{long}`."),
        Takes::Optional(name) => {
            format!("A boolean, or the `<{name}>` of `--{long}`.")
        }
        Takes::Value(_) => format!("The default of `--{long}`; an empty value is none."),
        Takes::Values(_) => {
            format!(
                "The default of `--{long}`; may be set several times, and an empty value clears those before it."
            )
        }
    }
}

fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// A fragment with its first letter large and a full stop.
fn sentence(fragment: &str) -> String {
    let mut letters = fragment.chars();
    let Some(first) = letters.next() else { return String::new() };
    format!("{}{}.", first.to_uppercase(), letters.as_str())
}
