//! What is to be done, from what was typed, the configuration and the defaults, in that order.

use super::Error;
use super::args::{self, OPTIONS, Takes};
use crate::edit::FormatId;
use crate::flow::{Each, Given, Options, Question, ROUNDS, Template};
use crate::locate::Tier;
use crate::path::RepoPath;
use crate::plan::{Grouping, SyntaxCheck};
use crate::prompt::{LEAST_CONTEXT_LINES, Listing};
use crate::report::escape::shell_word;
use crate::syntax;
use crate::vcs::Result;
use crate::vcs::commit::Sign;
use crate::vcs::config::{self, Config};
use crate::vcs::merge::Favor;
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
        let from = From::new(matches, config);
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

/// The sources of an option, in their order.
struct From<'a> {
    matches: &'a ArgMatches,
    /// The options of the attempt that is gone on with.
    kept: Option<&'a Given>,
    config: &'a Config,
    /// Where pathspecs are typed.
    repo: Option<&'a Repo>,
}

impl<'a> From<'a> {
    fn new(matches: &'a ArgMatches, config: &'a Config) -> Self {
        Self { matches, kept: None, config, repo: None }
    }

    fn key(long: &str) -> String {
        let option = OPTIONS.iter().find(|option| option.long == long && option.keyed);
        option.map(args::Opt::key).unwrap_or_default()
    }

    /// One of the values that the option takes and no others.
    fn choice<T>(&self, long: &str, named: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        let Some(name) = self.single(long)? else { return Ok(None) };
        named(&name).map(Some).ok_or_else(|| {
            let option = OPTIONS.iter().find(|option| option.long == long);
            let choices = option.map_or(String::new(), |option| option.choices.join(", "));
            config::bad(&Self::key(long), &name, &format!("one of {choices}"))
        })
    }

    fn kept(&self, long: &str) -> Option<&Vec<String>> {
        self.kept?.get(long)
    }

    fn switch(&self, long: &str, default: bool) -> Result<bool> {
        let kept = || self.kept(long).map(|values| values.as_slice() == [ON]);
        match args::switch(self.matches, long).or_else(kept) {
            Some(on) => Ok(on),
            None => Ok(self.config.bool(&Self::key(long))?.unwrap_or(default)),
        }
    }

    /// What was typed, or is kept: a value, or that there is to be none.
    fn given(&self, long: &str) -> Option<Option<String>> {
        args::single(self.matches, long).or_else(|| Some(self.kept(long)?.last().cloned()))
    }

    fn single(&self, long: &str) -> Result<Option<String>> {
        match self.given(long) {
            Some(value) => Ok(value),
            None => Ok(self.config.string(&Self::key(long))?.filter(|value| !value.is_empty())),
        }
    }

    /// The value of an option that may do without: an empty one where none is named, and none where it is turned off.
    fn optional(&self, long: &str) -> Result<Option<Option<String>>> {
        if let Some(given) = self.given(long) {
            return Ok(Some(given));
        }
        let key = Self::key(long);
        let Some(text) = self.config.string(&key)? else { return Ok(None) };
        Ok(Some(match is_switch(&text) {
            true => (self.config.bool(&key)? == Some(true)).then(String::new),
            false => Some(text),
        }))
    }

    /// The formats that are named, each once.
    fn formats(&self) -> Result<Vec<FormatId>> {
        let mut formats = Vec::new();
        for name in self.several("format")?.iter().filter(|name| !name.is_empty()) {
            let bad = |_| config::bad("llmapply.format", name, "the name of a format");
            let format = name.parse().map_err(bad)?;
            if format == FormatId::Snippet && !syntax::IS_BUILT_IN {
                let expected = "a format that this build has (snippets need the feature `syntax`)";
                return Err(config::bad("llmapply.format", name, expected));
            }
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        Ok(formats)
    }

    fn several(&self, long: &str) -> Result<Vec<String>> {
        let from_here = |typed: String| match self.repo.filter(|_| PATHSPECS.contains(&long)) {
            Some(repo) => repo.from_here(&typed),
            None => Ok(typed),
        };
        match (args::several(self.matches, long), self.kept(long)) {
            (Some(typed), _) => typed.into_iter().map(from_here).collect(),
            (None, Some(kept)) => Ok(kept.clone()),
            (None, None) => self.config.list(&Self::key(long)),
        }
    }

    /// All that says how edits are judged and landed, wherever it is from.
    fn all(&self) -> Result<Given> {
        let mut all = Given::new();
        for option in OPTIONS.iter().filter(|option| option.is_of("apply") && !option.is_of_run) {
            let long = option.long;
            let is_given = self.given(long).is_some() || args::switch(self.matches, long).is_some();
            let values = match option.takes {
                Takes::Nothing => {
                    let on = self.switch(long, true)?;
                    let is_said = on == self.switch(long, false)?;
                    is_said.then(|| vec![if on { ON } else { OFF }.to_owned()])
                }
                Takes::Values(_) => Some(self.several(long)?).filter(|values| is_given || !values.is_empty()),
                Takes::Value(_) | Takes::Optional(_) => {
                    let value = match option.takes {
                        Takes::Optional(_) => self.optional(long)?.flatten(),
                        _ => self.single(long)?,
                    };
                    (is_given || value.is_some()).then(|| value.into_iter().collect())
                }
            };
            all.extend(values.map(|values| (long.to_owned(), values)));
        }
        Ok(all)
    }
}

/// The options whose values are pathspecs, which begin where they are typed.
const PATHSPECS: &[&str] = &["include", "exclude"];

/// The values of a switch that is kept.
const ON: &str = "true";
const OFF: &str = "false";

/// The key that no option stands for, and that is kept with the options.
const SENSITIVE: &str = "llmapply.sensitive";

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
        match values.as_slice() {
            [] => words.push(format!("--no-{long}")),
            [value] if value == OFF => words.push(format!("--no-{long}")),
            values => words.extend(values.iter().map(|value| match value.as_str() {
                "" | ON => format!("--{long}"),
                value => format!("{dashes}{long}={}", shell_word(value)),
            })),
        }
    }
    (!words.is_empty()).then(|| format!("continuing with the options of the attempt: {}", words.join(" ")))
}

/// The directory that a text names from the top; none for the top itself.
fn directory(key: &str, text: &str) -> Result<Option<RepoPath>> {
    let plain = text.trim_start_matches("./").trim_end_matches('/');
    if ["", "."].contains(&plain) && !text.starts_with('/') {
        return Ok(None);
    }
    let path = RepoPath::parse(plain).ok().filter(|_| !text.starts_with('/'));
    path.map(Some).ok_or_else(|| config::bad(key, text, "a directory of the repository"))
}

/// Whether a value only turns something on or off.
fn is_switch(text: &str) -> bool {
    let words = ["", "true", "yes", "on", "1", "false", "no", "off", "0"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Sets switches that are called as their options.
macro_rules! switches {
    ($from:ident, $options:ident: $($field:ident)*) => {
        $($options.$field = $from.switch(&stringify!($field).replace('_', "-"), $options.$field)?;)*
    };
}

impl Settings {
    /// Reads all settings; `kept` are the options of the attempt that is gone on with.
    ///
    /// # Errors
    /// A configuration value makes no sense; what was typed was checked by the parser.
    pub(super) fn read(
        matches: &ArgMatches,
        repo: &Repo,
        kept: Option<&Given>,
        dry_run: bool,
    ) -> Result<Self> {
        let config = repo.config();
        let from = From { kept, repo: Some(repo), ..From::new(matches, config) };
        let formats = from.formats()?;
        let paragraphs = from.several("message")?;
        let file = args::single(matches, "file").flatten();
        let ff = from.switch("ff", true)?;
        // One message is one commit; with `--no-ff` it is that of the merge.
        let one = ff && (file.is_some() || !paragraphs.is_empty());
        let commit = if one { Grouping::Response } else { Grouping::Edit };
        let mut options = Options::default();
        let branch_per_edit = args::single(matches, "branch-per-edit").flatten();
        // What is typed goes before what is configured.
        options.branch = match branch_per_edit {
            Some(_) => args::single(matches, "branch").flatten(),
            None => from.single("branch")?,
        };
        options.reading.formats = formats;
        options.reading.path = args::single(matches, "path").flatten();
        switches!(from, options:
            strict edit signoff allow_skip_ci verify rebase exec_each allow_delete allow_overwrite allow_sensitive
            allow_placeholder allow_markers allow_escaped allow_shrink trailers again keep_going autostash keep record);
        options.base = from.single("base")?;
        options.favor = from.choice("strategy-option", Favor::of_name)?;
        options.commit = from.choice("commit", Grouping::of_name)?.unwrap_or(commit);
        options.message = (!paragraphs.is_empty()).then(|| joined(&paragraphs));
        options.subject_prefix = from.single("subject-prefix")?;
        options.cleanup = from.single("cleanup")?;
        options.trailer = from.several("trailer")?;
        options.assisted_by = from.single("assisted-by")?;
        options.author.author = from.single("author")?;
        options.author.date = from.single("date")?;
        options.sign = match from.optional("gpg-sign")? {
            Some(Some(key)) => Sign::With(key),
            Some(None) => Sign::Never,
            None => Sign::AsConfigured,
        };
        options.ff = ff;
        options.push = from.optional("push")?.flatten();
        options.exec = from.several("exec")?;
        options.scratch_dir = config.path("llmapply.scratchdir")?;
        options.keep_scratch = config.bool("llmapply.keepscratch")?.unwrap_or(options.keep_scratch);
        options.include = from.several("include")?;
        options.exclude = from.several("exclude")?;
        options.directory = match from.single("directory")? {
            Some(text) => {
                let key =
                    if from.given("directory").is_some() { "--directory" } else { "llmapply.directory" };
                directory(key, &text)?
            }
            None => None,
        };
        options.max_fuzz = from.choice("max-fuzz", Tier::of_max_fuzz)?.unwrap_or(Tier::Similar);
        options.syntax = from.choice("syntax", SyntaxCheck::of_name)?.unwrap_or(SyntaxCheck::Warn);
        if options.syntax == SyntaxCheck::Refuse && !syntax::IS_BUILT_IN {
            let expected = "off or warn (the syntax check needs a build with the feature `syntax`)";
            return Err(config::bad("llmapply.syntax", "refuse", expected));
        }
        options.sensitive = match from.kept(SENSITIVE) {
            Some(kept) => kept.clone(),
            None => config.list(SENSITIVE)?,
        };
        options.max_size =
            number(config, "llmapply.maxSize", 0, "a number from 0")?.unwrap_or(options.max_size);
        options.diffs = from.switch("diff", true)?;
        options.dry_run = dry_run || from.switch("dry-run", false)?;
        options.lock_timeout = lock_timeout(matches, config)?;
        options.given = from.all()?;
        if !options.sensitive.is_empty() {
            options.given.insert(SENSITIVE.to_owned(), options.sensitive.clone());
        }
        Ok(Self {
            branch_per_edit,
            file,
            dry_run: options.dry_run,
            diff: from.switch("diff", false)?,
            stat: from.switch("stat", false)?,
            options,
        })
    }
}

impl Settings {
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
    Ok(From::new(matches, config).single("with")?.filter(|line| !line.trim().is_empty()))
}

/// How often it asks at most.
///
/// # Errors
/// It is no number above 0.
pub(super) fn rounds(matches: &ArgMatches, config: &Config) -> std::result::Result<usize, Error> {
    let Some(text) = From::new(matches, config).single("rounds")? else { return Ok(ROUNDS) };
    let number = text.parse().ok().filter(|rounds| *rounds > 0);
    number.ok_or_else(|| match args::single(matches, "rounds").flatten() {
        Some(text) => Error::Usage(format!("bad value '{text}' for --rounds: expected a number from 1")),
        None => config::bad("llmapply.rounds", &text, "a number from 1").into(),
    })
}

/// Paragraphs as `git commit` joins them: a line break behind each, and a blank line between.
fn joined(paragraphs: &[String]) -> String {
    let mut all = String::new();
    for paragraph in paragraphs {
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(paragraph);
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
    }
    all
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
    let from = From::new(matches, config);
    let mut question = Question::default();
    if let Some(format) = from.formats()?.last() {
        question.format = *format;
    }
    question.listing = from.choice("listing", Listing::of_name)?.unwrap_or_default();
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

/// `--wait`, else `llmapply.lockTimeout`, in seconds; 60 by default.
///
/// # Errors
/// It is no number, or negative.
pub(super) fn lock_timeout(matches: &ArgMatches, config: &Config) -> Result<Duration> {
    if let Some(seconds) = matches.try_get_one::<u64>("wait").ok().flatten() {
        return Ok(Duration::from_secs(*seconds));
    }
    let seconds = number(config, "llmapply.lockTimeout", 0, "a number of seconds")?;
    Ok(Duration::from_secs(seconds.unwrap_or(60)))
}

/// A configured number that is not below the least.
fn number<N>(config: &Config, key: &str, least: N, expected: &str) -> Result<Option<N>>
where
    N: TryFrom<i64> + PartialOrd,
{
    let Some(n) = config.number(key)? else { return Ok(None) };
    let fits = N::try_from(n).ok().filter(|n| *n >= least);
    fits.map(Some).ok_or_else(|| config::bad(key, &n.to_string(), expected))
}
