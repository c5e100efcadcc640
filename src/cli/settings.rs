//! What is to be done, from what was typed, the configuration and the defaults, in that order.

use super::Error;
use super::args;
use crate::flow::configured::{SENSITIVE, number};
use crate::flow::sources::{OFF, Sources, Typed};
use crate::flow::{Each, Given, Options, Question, ROUNDS, Resume, Template};
use crate::prompt::{LEAST_CONTEXT_LINES, Listing};
use crate::report::escape::shell_word;
use crate::vcs::Result;
use crate::vcs::config::{self, Config};
use crate::vcs::repo::Repo;
use crate::vcs::show::Show;
use clap::ArgMatches;
use std::path::Path;
use std::time::Duration;

/// The settings of apply and check.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// What decides how a response lands.
    pub(super) options: Options,
    /// The template for a branch of each edit.
    branch_per_edit: Option<String>,
    /// The file that has the message.
    pub(super) file: Option<String>,
    /// Change nothing.
    pub(super) dry_run: bool,
    /// Show the diff.
    pub(super) diff: bool,
    /// Show the diffstat.
    pub(super) stat: bool,
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Output {
    /// One JSON object.
    pub(super) json: bool,
    /// On refusal, what to send back to the model.
    pub(super) feedback: bool,
    /// Errors only.
    pub(super) quiet: bool,
    /// Everything.
    pub(super) verbose: bool,
    /// Colours.
    pub(super) color: Color,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Color {
    /// On any output.
    Always,
    /// Never.
    Never,
    /// On a terminal.
    Auto,
}

impl Output {
    /// As if nothing had been typed.
    pub(super) fn plain() -> Self {
        Self { json: false, feedback: false, quiet: false, verbose: false, color: Color::Auto }
    }

    /// From what was typed alone: for messages before there is a repository.
    pub(super) fn typed(matches: &ArgMatches) -> Self {
        let on = |long| args::switch(matches, long).unwrap_or(false);
        let color = args::single(matches, "color").flatten();
        let color = color.and_then(|text| Color::read(&text)).unwrap_or(Color::Auto);
        Self { json: on("json"), feedback: on("feedback"), quiet: on("quiet"), verbose: on("verbose"), color }
    }

    /// From what was typed and the configuration.
    ///
    /// # Errors
    /// A configuration value makes no sense.
    pub(super) fn read(matches: &ArgMatches, config: &Config) -> Result<Self> {
        let from = Sources::new(matches, config);
        let color = match from.single("color")? {
            Some(text) => Color::read(&text)
                .ok_or_else(|| config::bad("llmapply.color", &text, "one of always, never, auto"))?,
            None => match config.string("color.ui")? {
                Some(text) => Color::read(&text).unwrap_or(Color::Auto),
                None => Color::Auto,
            },
        };
        let (mut json, mut feedback) = (from.switch("json", false)?, from.switch("feedback", false)?);
        if json && feedback {
            // What is typed goes before what is configured.
            let typed = |long| args::switch(matches, long) == Some(true);
            (json, feedback) = match (typed("json"), typed("feedback")) {
                (true, false) => (true, false),
                (false, true) => (false, true),
                both => (true, both.0 == both.1),
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

impl Color {
    /// As git reads `color.ui`.
    fn read(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "always" => Self::Always,
            "never" | "false" | "no" | "off" | "0" => Self::Never,
            "auto" | "true" | "yes" | "on" | "1" | "" => Self::Auto,
            _ => return None,
        })
    }

    /// The colours of what goes to no terminal.
    pub(super) fn without_terminal(self) -> Self {
        if self == Self::Auto { Self::Never } else { self }
    }

    /// The word that git takes.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Never => "never",
            Self::Auto => "auto",
        }
    }
}

/// What an attempt is gone on with, as it would be typed, but for what is typed now.
pub(super) fn going_on(matches: &ArgMatches, kept: &Given) -> Option<String> {
    let is_typed = |long: &str| {
        args::switch(matches, long).is_some()
            || args::single(matches, long).is_some()
            || args::several(matches, long).is_some()
    };
    let mut words = Vec::new();
    for (long, values) in kept.iter().filter(|(long, _)| !is_typed(long)) {
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

impl Typed for ArgMatches {
    fn switch(&self, long: &str) -> Option<bool> {
        args::switch(self, long)
    }

    fn single(&self, long: &str) -> Option<Option<String>> {
        args::single(self, long)
    }

    fn several(&self, long: &str) -> Option<Vec<String>> {
        args::several(self, long)
    }

    fn wait(&self) -> Option<Duration> {
        self.try_get_one::<u64>("wait").ok().flatten().map(|seconds| Duration::from_secs(*seconds))
    }
}

impl Settings {
    /// Reads all settings, also those of the attempt that is gone on with.
    ///
    /// # Errors
    /// A configuration value makes no sense; what was typed was checked by the parser.
    pub(super) fn read(
        matches: &ArgMatches,
        repo: &Repo,
        attempt: Option<&Resume>,
        dry_run: bool,
    ) -> Result<Self> {
        let mut options = Options::read(repo, matches, attempt)?;
        options.dry_run |= dry_run;
        let from = Sources::new(matches, repo.config());
        Ok(Self {
            branch_per_edit: args::single(matches, "branch-per-edit").flatten(),
            file: args::single(matches, "file").flatten(),
            dry_run: options.dry_run,
            diff: from.switch("diff", false)?,
            stat: from.switch("stat", false)?,
            options,
        })
    }

    /// Takes in how is printed.
    ///
    /// # Errors
    /// That does not go together with the rest.
    pub(super) fn print_by(&mut self, output: Output) -> std::result::Result<(), Error> {
        let odd = if output.json && self.shows() {
            "--json cannot be used with --diff or --stat"
        } else if self.branch_per_edit.is_some() && self.options.branch.is_some() {
            "--branch-per-edit cannot be used with --branch"
        } else if output.json && output.feedback {
            "--json cannot be used with --feedback"
        } else {
            self.options.diffs &= output.json;
            self.options.abbreviate = !output.json && !output.quiet;
            return Ok(());
        };
        Err(Error::Usage(odd.to_owned()))
    }

    /// What gets a branch of its own, and how these are named, where several are to be.
    pub(super) fn template(&self) -> Option<(Each, String)> {
        if let Some(template) = &self.branch_per_edit {
            return Some((Each::Edit, template.clone()));
        }
        let template = self.options.branch.as_ref().filter(|name| Template::is_one(name))?;
        Some((Each::Response, template.clone()))
    }

    /// Whether git is to show what came of it.
    pub(super) fn shows(&self) -> bool {
        self.diff || self.stat
    }

    /// What git is to show; `objects` is where objects are that the repository lacks.
    pub(super) fn show<'a>(&self, output: Output, objects: Option<&'a Path>) -> Show<'a> {
        Show { diff: self.diff, stat: self.stat, color: output.color.as_str(), objects }
    }
}

/// What is to be said of keys that nothing knows.
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

/// The command that `ask` asks.
///
/// # Errors
/// The configuration cannot be read.
pub(super) fn with(matches: &ArgMatches, config: &Config) -> Result<Option<String>> {
    Ok(Sources::new(matches, config).single("with")?.filter(|line| !line.trim().is_empty()))
}

/// How often it asks at most.
///
/// # Errors
/// It is no number above 0.
pub(super) fn rounds(matches: &ArgMatches, config: &Config) -> std::result::Result<usize, Error> {
    let Some(text) = Sources::new(matches, config).single("rounds")? else { return Ok(ROUNDS) };
    let number = text.parse().ok().filter(|rounds| *rounds > 0);
    number.ok_or_else(|| match args::single(matches, "rounds").flatten() {
        Some(text) => Error::Usage(format!("bad value '{text}' for --rounds: expected a number from 1")),
        None => config::bad("llmapply.rounds", &text, "a number from 1").into(),
    })
}

/// The attempt that an option names, or the only one.
pub(super) fn attempt(matches: &ArgMatches, long: &str) -> Option<Option<String>> {
    args::single(matches, long).flatten().map(|id| Some(id).filter(|id| !id.is_empty()))
}

/// What `prompt` and `ask` are to ask for.
///
/// # Errors
/// A configuration value makes no sense.
pub(super) fn question(matches: &ArgMatches, repo: &Repo) -> Result<Question> {
    let config = repo.config();
    let from = Sources::new(matches, config);
    let mut question = Question::default();
    if let Some(format) = from.formats()?.last() {
        question.format = *format;
    }
    question.listing = from.choice("listing", Listing::NAMES, Listing::of_name)?.unwrap_or_default();
    let least = LEAST_CONTEXT_LINES;
    if let Some(n) = number(config, "llmapply.contextLines", least, "a number from 3")? {
        question.context_lines = n;
    }
    question.delete = config.bool("llmapply.allowDelete")?.unwrap_or(question.delete);
    question.base = from.single("base")?;
    question.request = from.single("request")?;
    question.exclude = config.list("llmapply.exclude")?;
    let files = matches.get_many::<String>("pathspec").into_iter().flatten();
    question.files = files.map(|typed| repo.from_here(typed)).collect::<Result<_>>()?;
    Ok(question)
}
