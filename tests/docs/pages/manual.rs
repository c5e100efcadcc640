//! The man pages, made from their Markdown in man/ and from the program's own tables.
//!
//! The Markdown has paragraphs, headings, fenced lines, and items: a term, and below it a line that begins with `: `. A
//! line `{{NAME}}` is replaced by a table. The items behind a table of options add texts to some of these options.

use super::roff::Page;
use super::*;
use git_llm_apply::cli::args::{Opt, Takes};
use std::collections::BTreeMap;

/// A block of a page's Markdown.
enum Block<'m> {
    Section(&'m str),
    Heading(&'m str),
    Lines(String),
    Table(&'m str),
    Item(&'m str, String),
    Text(String),
}

/// Returns the pages, each with the name of its file.
pub(super) fn pages() -> impl Iterator<Item = (String, String)> {
    let names = ["", "-options", "-config", "-formats", "-output", "-workflow"].into_iter();
    names.map(|name| {
        let section = if name.is_empty() { '1' } else { '7' };
        let name = format!("git-llm-apply{name}");
        (format!("{name}.{section}"), page(&name, section))
    })
}

/// Returns the Markdown of a page.
fn source(name: &str) -> String {
    read(&format!("man/{name}.md"))
}

/// Returns the title of a format in the page of the formats, and its example, which is a whole response.
pub(super) fn chapter(format: FormatId) -> (String, String) {
    let markdown = source("git-llm-apply-formats");
    let mut blocks = blocks(&markdown).into_iter();
    let title = blocks.by_ref().find_map(|block| match block {
        Block::Section(title) => title.strip_suffix(&format!(" (--format={})", format.as_str())),
        _ => None,
    });
    let example = blocks
        .take_while(|block| !matches!(block, Block::Section(_)))
        .filter_map(|block| if let Block::Lines(lines) = block { Some(lines) } else { None });
    (title.unwrap().to_owned(), example.last().unwrap())
}

fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut all = markdown.lines().skip(1).peekable();
    while let Some(line) = all.next() {
        blocks.push(match line {
            "" => continue,
            _ if line.starts_with("```") => {
                let fence = &line[..line.len() - line.trim_start_matches('`').len()];
                let mut text = String::new();
                for line in all.by_ref().take_while(|line| *line != fence) {
                    text += &format!("{line}\n");
                }
                Block::Lines(text)
            }
            _ if line.starts_with("{{") => Block::Table(line.trim_matches(['{', '}'])),
            _ => match (line.strip_prefix("### "), line.strip_prefix("## ")) {
                (Some(title), _) => Block::Heading(title),
                (_, Some(title)) => Block::Section(title),
                _ => {
                    let rest = std::iter::from_fn(|| all.next_if(|line| !line.is_empty()));
                    let text: String = rest.map(|line| format!(" {line}")).collect();
                    match text.strip_prefix(" : ") {
                        Some(text) => Block::Item(line, text.to_owned()),
                        None => Block::Text(line.to_owned() + &text),
                    }
                }
            },
        });
    }
    blocks
}

/// Writes a page in roff's man macros.
fn page(name: &str, section: char) -> String {
    let markdown = source(name);
    let mut page = Page::new(name, section, env!("CARGO_PKG_VERSION"));
    let mut blocks = blocks(&markdown).into_iter().peekable();
    while let Some(block) = blocks.next() {
        match block {
            Block::Section(title) => page.section(title),
            Block::Heading(title) => page.heading(title),
            Block::Lines(lines) => page.lines(&lines),
            Block::Item(term, text) => page.item(term, &text),
            Block::Text(text) => match text.strip_prefix(&format!("{name} - ")) {
                Some(about) => page.name(name, about),
                None if text.ends_with('\\') => page.synopsis(
                    &text.split('\\').map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>(),
                ),
                None => page.paragraph(&text),
            },
            Block::Table("VERBS") => {
                VERBS.iter().for_each(|(name, about)| page.item(&format!("`{name}`"), &sentence(about)));
            }
            Block::Table("CODES") => {
                Code::ALL.iter().for_each(|code| page.item(&format!("`{}`", code.as_str()), code.meaning()));
            }
            Block::Table("KEYS") => {
                let all = ["OPTIONS", "PROMPT_OPTIONS", "ASK_OPTIONS"].into_iter().flat_map(table_of);
                all.filter(|option| option.keyed)
                    .for_each(|option| page.item(&format!("`{}`", option.key()), &configures(option)));
            }
            Block::Table(table) => {
                let options = table_of(table);
                let mut more = BTreeMap::new();
                let is_one = |term: &str| options.iter().any(|option| format!("`--{}`", option.long) == term);
                while let Some(Block::Item(term, text)) =
                    blocks.next_if(|block| matches!(block, Block::Item(term, _) if is_one(term)))
                {
                    more.insert(term, text);
                }
                for option in options {
                    let more = more.get(format!("`--{}`", option.long).as_str()).map_or("", String::as_str);
                    page.item(&usage(option), &said(option, more));
                }
            }
        }
    }
    page.finish()
}

/// Returns the options of a table. `OPTIONS` are those of apply, `ASK_OPTIONS` those of ask that no verb before it has.
fn table_of(name: &str) -> Vec<&'static Opt> {
    let verbs = ["apply", "prompt", "ask", "recover", "drop", "list", "show", "undo", "mcp"];
    let verb = name.strip_suffix("OPTIONS").unwrap().trim_end_matches('_').to_lowercase();
    let verb = if verb.is_empty() { "apply" } else { &verb };
    let of = |option: &&Opt| verbs.into_iter().find(|verb| option.is_of(verb)) == Some(verb);
    OPTIONS.iter().filter(of).collect()
}

/// Returns how the option is typed; a switch is `--[no-]…`.
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

fn said(option: &Opt, more: &str) -> String {
    let mut all = sentence(option.help);
    if !more.is_empty() {
        all.push(' ');
        all.push_str(more);
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

/// Returns a fragment with a capital letter and a full stop.
fn sentence(fragment: &str) -> String {
    let mut letters = fragment.chars();
    let Some(first) = letters.next() else { return String::new() };
    format!("{}{}.", first.to_uppercase(), letters.as_str())
}
