//! Makes settings from arguments, configuration and defaults. Arguments win over configuration, which wins over
//! defaults.

use super::args::{self, Typed};
use super::{Error, usage};
use crate::flow::configured::{SENSITIVE, number};
use crate::flow::sources::{EXCLUDE, OFF, Sources};
use crate::flow::{Attempt, Each, Options, Question, ROUNDS, Template};
use crate::prompt::{Listing, MIN_CONTEXT_LINES};
use crate::report::escape::shell_word;
use crate::vcs::Result;
use crate::vcs::config::Config;
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use anstream::ColorChoice;
use std::path::Path;

/// The settings of apply and check.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// The options of the flow.
    pub(super) options: Options,
    /// The template for a branch per edit.
    branch_per_edit: Option<String>,
    pub(super) diff: bool,
    pub(super) stat: bool,
}

/// What is printed, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Output {
    /// As one JSON object.
    pub(super) json: bool,
    /// On refusal, the feedback for the model.
    pub(super) feedback: bool,
    /// Only errors.
    pub(super) quiet: bool,
    /// All details.
    pub(super) verbose: bool,
    pub(super) color: ColorChoice,
}

impl Output {
    /// Reads them from the options and the configuration.
    pub(super) fn read(typed: &Typed, config: &Config) -> Result<Self> {
        let from = Sources::new(&typed.options, config);
        let color = match from.single("color")? {
            Some(text) => {
                color_of(&text).ok_or_else(|| from.bad("color", &text, "one of always, never, auto"))?
            }
            None => config.string("color.ui")?.and_then(|text| color_of(&text)).unwrap_or_default(),
        };
        let (mut json, mut feedback) = (from.switch("json", false)?, from.switch("feedback", false)?);
        feedback &= typed.reads_response();
        // A typed --diff or --stat wins over a configured --json or --feedback.
        if diff_is_typed(typed) {
            (json, feedback) = (typed.is_on("json"), typed.is_on("feedback"));
        }
        // A typed one wins over a configured one.
        if json && feedback {
            (json, feedback) = match (typed.is_on("json"), typed.is_on("feedback")) {
                (true, false) => (true, false),
                (false, true) => (false, true),
                _ => (true, true),
            };
        }
        Ok(Self {
            json,
            feedback,
            quiet: from.switch("quiet", false)?,
            verbose: from.switch("verbose", false)?,
            color,
        })
    }
}

/// Whether `--diff` or `--stat` was typed.
fn diff_is_typed(typed: &Typed) -> bool {
    typed.is_on("diff") || typed.is_on("stat")
}

/// Parses a value as git does for `color.ui`.
fn color_of(text: &str) -> Option<ColorChoice> {
    Some(match text.to_ascii_lowercase().as_str() {
        "always" => ColorChoice::Always,
        "never" | "false" | "no" | "off" | "0" => ColorChoice::Never,
        "auto" | "true" | "yes" | "on" | "1" | "" => ColorChoice::Auto,
        _ => return None,
    })
}

/// The value for git's --color.
pub(super) fn git_color(color: ColorChoice) -> &'static str {
    match color {
        ColorChoice::Always | ColorChoice::AlwaysAnsi => "always",
        ColorChoice::Never => "never",
        ColorChoice::Auto => "auto",
    }
}

/// Lists the options that `--continue` takes over from an attempt, as a user would type them. Options that were typed
/// in this run are left out.
pub(super) fn continued_options(typed: &Typed, attempt: &Attempt) -> Option<String> {
    let mut kept = attempt.options.clone();
    let onto = [("branch", &attempt.listed.branch), ("base", &attempt.base)];
    kept.extend(onto.into_iter().filter_map(|(long, value)| Some((long.to_owned(), vec![value.clone()?]))));
    let is_typed = |long: &str| {
        let is_replaced = |values: &Vec<String>| long != EXCLUDE || values.is_empty();
        typed.options.get(long).is_some_and(is_replaced)
    };
    let mut words = Vec::new();
    for (long, values) in kept.iter().filter(|(long, _)| !is_typed(long)) {
        // This is the only one that is not an option, but a configuration key.
        let dashes = if long == SENSITIVE { "" } else { "--" };
        let is_switch = args::is_switch(long);
        match values.as_slice() {
            [] => words.push(format!("--no-{long}")),
            [value] if is_switch && value == OFF => words.push(format!("--no-{long}")),
            values => words.extend(values.iter().map(|value| match value.as_str() {
                value if value.is_empty() || is_switch => format!("--{long}"),
                value => format!("{dashes}{long}={}", shell_word(value)),
            })),
        }
    }
    (!words.is_empty()).then(|| format!("continuing with the options of the attempt: {}", words.join(" ")))
}

impl Settings {
    /// Reads all settings, including those of the attempt to continue.
    pub(super) fn read(typed: &Typed, repo: &Repo, attempt: Option<&Attempt>, dry_run: bool) -> Result<Self> {
        let mut options = Options::read(repo, &typed.options, attempt)?;
        options.dry_run |= dry_run;
        let from = Sources::new(&typed.options, repo.config());
        Ok(Self {
            branch_per_edit: typed.value("branch-per-edit"),
            diff: from.switch("diff", false)?,
            stat: from.switch("stat", false)?,
            options,
        })
    }

    /// Checks the options against each other, and drops those that the output does not need.
    pub(super) fn adjust_to_output(
        &mut self,
        typed: &Typed,
        output: Output,
    ) -> std::result::Result<(), Error> {
        let exclusive = [(output.json, "--json"), (output.feedback, "--feedback")];
        if let Some((_, option)) = exclusive.into_iter().find(|(is_on, _)| *is_on) {
            if diff_is_typed(typed) {
                return usage(&format!("{option} cannot be used with --diff or --stat"));
            }
            (self.diff, self.stat) = (false, false);
        }
        if self.branch_per_edit.is_some() && self.options.branch.is_some() {
            return usage("--branch-per-edit cannot be used with --branch");
        }
        if typed.is_on("rebase") && self.options.push.is_none() {
            return usage("--rebase needs --push");
        }
        if output.json && output.feedback {
            return usage("--json cannot be used with --feedback");
        }
        self.options.diffs &= output.json || (self.options.dry_run && self.diff);
        self.options.previews = self.shows_diff();
        Ok(())
    }

    /// The template for branch names, and whether each response or each edit gets a branch; `None` for a single branch.
    pub(super) fn template(&self) -> Option<(Each, String)> {
        if let Some(template) = &self.branch_per_edit {
            return Some((Each::Edit, template.clone()));
        }
        let template = self.options.branch.as_ref().filter(|name| Template::is_one(name))?;
        Some((Each::Response, template.clone()))
    }

    /// Whether to show a diff or a diffstat of the result.
    pub(super) fn shows_diff(&self) -> bool {
        self.diff || self.stat
    }

    /// How to show it; `objects` is a directory with objects that the repository lacks.
    pub(super) fn show<'a>(&self, output: Output, objects: Option<&'a Path>) -> Show<'a> {
        Show { diff: self.diff, stat: self.stat, color: git_color(output.color), objects }
    }
}

/// The warnings about unknown configuration keys.
pub(super) fn unknown_keys(config: &Config) -> impl Iterator<Item = String> {
    config.names("llmapply.").filter_map(|key| {
        let name = key.strip_prefix("llmapply.")?;
        if args::keys().any(|known| known.eq_ignore_ascii_case(name)) {
            return None;
        }
        let nearest = args::nearest(name, args::keys());
        let nearest = nearest.map(|known| format!("; did you mean 'llmapply.{known}'?")).unwrap_or_default();
        Some(format!("unknown configuration key '{key}'{nearest}"))
    })
}

/// The model's command for `ask`.
pub(super) fn model_command(typed: &Typed, config: &Config) -> Result<Option<String>> {
    Ok(Sources::new(&typed.options, config).single("with")?.filter(|line| !line.trim().is_empty()))
}

/// The maximum number of rounds of `ask`.
pub(super) fn rounds(typed: &Typed, config: &Config) -> Result<usize> {
    let from = Sources::new(&typed.options, config);
    let Some(text) = from.single("rounds")? else { return Ok(ROUNDS) };
    let number = text.parse().ok().filter(|rounds| *rounds > 0);
    number.ok_or_else(|| from.bad("rounds", &text, "a number from 1"))
}

/// The value of `--continue` or `--abort`: `Some(None)` without an id.
pub(super) fn attempt(typed: &Typed, long: &str) -> Option<Option<String>> {
    typed.value(long).map(|id| Some(id).filter(|id| !id.is_empty()))
}

/// The question for `prompt` and `ask`.
pub(super) fn question(typed: &Typed, repo: &Repo) -> Result<Question> {
    let config = repo.config();
    let from = Sources::new(&typed.options, config);
    let mut question = Question::default();
    if let Some(format) = from.formats()?.last() {
        question.format = *format;
    }
    question.listing = from.choice("listing", Listing::NAMES, Listing::of_name)?.unwrap_or_default();
    let least = MIN_CONTEXT_LINES;
    if let Some(n) = number(config, "llmapply.contextLines", least, "a number from 3")? {
        question.instructions.context_lines = n;
    }
    question.instructions.delete = config.bool("llmapply.allowDelete")?.unwrap_or(true);
    question.base = from.single("base")?;
    question.request = from.single("request")?;
    question.exclude = config.list("llmapply.exclude")?;
    let files = typed.operands::<String>("pathspec");
    question.files = files.iter().map(|typed| repo.from_here(typed)).collect::<Result<_>>()?;
    Ok(question)
}
