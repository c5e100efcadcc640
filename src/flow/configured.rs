//! Reads the options from the command line, a refused attempt, and the configuration.

use super::sources::{EXCLUDE, Sources, value};
use super::{Attempt, Given, Options};
use crate::format::FormatId;
use crate::locate::Tier;
use crate::message::Trailer;
use crate::path::RepoPath;
use crate::plan::{Grouping, SyntaxCheck};
use crate::syntax;
use crate::vcs::Result;
use crate::vcs::commit::Sign;
use crate::vcs::config::{self, Config};
use crate::vcs::merge::Favor;
use crate::vcs::repo::Repo;
use std::time::Duration;

/// The configuration key that has no option. A refused attempt keeps its value like that of an option.
pub(crate) const SENSITIVE: &str = "llmapply.sensitive";

/// Reads switches whose fields are named like their options.
macro_rules! switches {
    ($from:ident, $options:ident: $($field:ident)*) => {
        $($options.$field = $from.switch(&stringify!($field).replace('_', "-"), $options.$field)?;)*
    };
}

impl Options {
    /// Reads the options from the configuration, as the command does without arguments. A program that lands edits
    /// starts with these, so that the policy of the repository's owner applies.
    ///
    /// # Errors
    /// A configuration value is invalid.
    pub fn from_config(repo: &Repo) -> Result<Self> {
        Self::read(repo, &Given::new(), None)
    }

    /// Reads the options of a refused attempt, and all other options from the configuration.
    ///
    /// # Errors
    /// As [`Options::from_config`].
    pub fn going_on(repo: &Repo, attempt: &Attempt) -> Result<Self> {
        Self::read(repo, &Given::new(), Some(attempt))
    }

    /// Reads the options. Typed values come first, then those of the attempt, then the configuration.
    ///
    /// # Errors
    /// A configuration value is invalid.
    pub(crate) fn read(repo: &Repo, typed: &Given, attempt: Option<&Attempt>) -> Result<Self> {
        let kept = attempt.map(|attempt| &attempt.options);
        let config = repo.config();
        // If the run is refused, the attempt keeps the options that are read through `from`, not those of
        // `for_this_run`.
        let (from, for_this_run) = (Sources::of(typed, kept, repo), Sources::of(typed, kept, repo));
        let formats = from.formats()?;
        let paragraphs = from.several("message")?;
        let file = value(typed, "file");
        let ff = from.switch("ff", true)?;
        // If a message is given, all edits share one commit, except with `--no-ff`, where the message is that of the
        // merge.
        let has_single_message = ff && (file.is_some() || !paragraphs.is_empty());
        let commit = if has_single_message { Grouping::Response } else { Grouping::Edit };
        // An attempt lands on the branch of the refused run. A typed `--branch-per-edit` overrides a configured branch.
        let branch = match attempt.filter(|_| !typed.contains_key("branch")) {
            Some(attempt) => attempt.listed.branch.clone(),
            None if typed.contains_key("branch-per-edit") => value(typed, "branch"),
            None => for_this_run.single("branch")?,
        };
        let mut options = Options { branch, ..Self::default() };
        options.reading.formats = formats;
        options.reading.path = value(typed, "path");
        switches!(from, options:
            strict edit signoff allow_skip_ci verify rebase exec_each allow_delete allow_overwrite allow_sensitive
            allow_placeholder allow_markers allow_escaped allow_shrink trailers again keep_going autostash record);
        switches!(for_this_run, options: keep dry_run);
        options.base = match attempt.filter(|_| !typed.contains_key("base")) {
            Some(attempt) => attempt.base.clone(),
            None => for_this_run.single("base")?,
        };
        // These two have no configuration key.
        options.favor = from.given("strategy-option").flatten().and_then(|name| Favor::of_name(&name));
        options.author.date = from.given("date").flatten();
        options.commit = from.choice("commit", Grouping::NAMES, Grouping::of_name)?.unwrap_or(commit);
        options.message = (!paragraphs.is_empty()).then(|| join_paragraphs(&paragraphs));
        options.subject_prefix = from.single("subject-prefix")?;
        options.cleanup = from.single("cleanup")?;
        options.trailer = from.several("trailer")?;
        let is_configured = !typed.contains_key("trailer") && from.kept("trailer").is_none();
        // If the user has configured `trailer.*`, git parses the trailers later.
        if is_configured && !repo.has_trailer_rules() {
            let mut all = options.trailer.iter();
            if let Some(text) = all.find(|text| Trailer::parse(text).is_none()) {
                return Err(config::bad("llmapply.trailer", text, "<token>: <value>"));
            }
        }
        options.assisted_by = from.single("assisted-by")?;
        options.author.author = from.single("author")?;
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
        options.keep_response = config.bool("llmapply.keepresponse")?.unwrap_or(options.keep_response);
        options.include = from.several("include")?;
        options.exclude = from.several(EXCLUDE)?;
        if let Some(text) = from.single("directory")? {
            let expected = "a directory of the repository";
            options.directory = directory(&text).ok_or_else(|| from.bad("directory", &text, expected))?;
        }
        options.max_fuzz =
            from.choice("max-fuzz", Tier::MAX_FUZZ_NAMES, Tier::of_max_fuzz)?.unwrap_or(Tier::Similar);
        options.syntax =
            from.choice("syntax", SyntaxCheck::NAMES, SyntaxCheck::of_name)?.unwrap_or(SyntaxCheck::Warn);
        if options.syntax == SyntaxCheck::Refuse && !syntax::IS_BUILT_IN {
            let expected = "off or warn (a look at the syntax needs the feature `syntax`)";
            return Err(from.bad("syntax", "refuse", expected));
        }
        options.sensitive = match from.kept(SENSITIVE) {
            Some(kept) => kept.clone(),
            None => config.list(SENSITIVE)?,
        };
        options.max_size = number(config, "llmapply.maxSize", 0, "a number that is not negative")?
            .unwrap_or(options.max_size);
        options.diffs = for_this_run.switch("diff", true)?;
        options.lock_timeout = lock_timeout(typed, config)?;
        if let Some(attempt) = attempt {
            options.key.clone_from(&attempt.key);
            options.asked.clone_from(&attempt.asked);
        }
        options.given = from.used();
        // Corrections may have another format, so the attempt does not keep the formats that are detected. It keeps
        // the formats that are read only on request.
        if let Some(formats) = options.given.get_mut("format") {
            formats.retain(|name| name.parse().is_ok_and(|format: FormatId| !format.is_detected()));
        }
        options.given.retain(|long, values| long != "format" || !values.is_empty());
        if !options.sensitive.is_empty() {
            options.given.insert(SENSITIVE.to_owned(), options.sensitive.clone());
        }
        Ok(options)
    }
}

/// Returns how long to wait for locks: the typed value, else `llmapply.lockTimeout`, else 60 seconds.
///
/// # Errors
/// The configured value is not a number, or is negative.
pub(crate) fn lock_timeout(typed: &Given, config: &Config) -> Result<Duration> {
    if let Some(wait) = value(typed, "wait").and_then(|seconds| seconds.parse().ok()) {
        return Ok(Duration::from_secs(wait));
    }
    let seconds = number(config, "llmapply.lockTimeout", 0, "a number of seconds")?;
    Ok(Duration::from_secs(seconds.unwrap_or(60)))
}

/// Reads a number from the configuration. It must be at least `min`.
pub(crate) fn number<N>(config: &Config, key: &str, min: N, expected: &str) -> Result<Option<N>>
where
    N: TryFrom<i64> + PartialOrd,
{
    let Some(n) = config.number(key)? else { return Ok(None) };
    let fits = N::try_from(n).ok().filter(|n| *n >= min);
    fits.map(Some).ok_or_else(|| config::bad(key, &n.to_string(), expected))
}

/// Parses the path of a directory, relative to the top of the repository. Returns `Some(None)` for the top itself,
/// and `None` if the text is not such a path.
fn directory(text: &str) -> Option<Option<RepoPath>> {
    let plain = text.trim_start_matches("./").trim_end_matches('/');
    if ["", "."].contains(&plain) && !text.starts_with('/') {
        return Some(None);
    }
    RepoPath::parse(plain).ok().filter(|_| !text.starts_with('/')).map(Some)
}

/// Joins paragraphs as `git commit` joins several `-m`: each ends with a line break, and a blank line is between two.
fn join_paragraphs(paragraphs: &[String]) -> String {
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
