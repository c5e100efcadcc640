//! The options that the configuration says, and what goes before it.

use super::sources::{Sources, Typed};
use super::{Given, Options, Resume};
use crate::locate::Tier;
use crate::path::RepoPath;
use crate::plan::{Grouping, SyntaxCheck};
use crate::syntax;
use crate::vcs::Result;
use crate::vcs::config::{self, Config};
use crate::vcs::merge::Favor;
use crate::vcs::repo::Repo;
use std::time::Duration;

/// The key that no option stands for, and that is kept with the options.
pub(crate) const SENSITIVE: &str = "llmapply.sensitive";

impl Options {
    /// Reads the options that the configuration says: those of the command with nothing typed. A program that lands edits
    /// begins with them, so that it has the policy of whoever owns the repository.
    ///
    /// # Errors
    /// A configuration value makes no sense.
    pub fn from_config(repo: &Repo) -> Result<Self> {
        Self::read(repo, &(), None)
    }

    /// Reads the options of a refused attempt, and of the configuration where those say nothing.
    ///
    /// # Errors
    /// As [`Options::from_config`].
    pub fn going_on(repo: &Repo, attempt: &Resume) -> Result<Self> {
        Self::read(repo, &(), Some(attempt.options()))
    }

    /// Reads the options; `kept` are those of the attempt that is gone on with.
    ///
    /// # Errors
    /// A configuration value makes no sense.
    pub(crate) fn read(repo: &Repo, typed: &dyn Typed, kept: Option<&Given>) -> Result<Self> {
        let config = repo.config();
        // Those of one run are not kept for whoever goes on from a refused attempt.
        let (from, of_run) = (Sources::of(typed, kept, repo), Sources::of(typed, kept, repo));
        let formats = of_run.formats()?;
        let paragraphs = from.several("message")?;
        let ff = from.switch("ff", true)?;
        let commit = match from.single("commit")?.as_deref() {
            // One message is one commit; with `--no-ff` it is that of the merge.
            None if ff && (typed.single("file").flatten().is_some() || !paragraphs.is_empty()) => {
                Grouping::Response
            }
            None | Some("edit") => Grouping::Edit,
            Some("file") => Grouping::File,
            Some("response") => Grouping::Response,
            Some(other) => return Err(config::bad("llmapply.commit", other, "one of edit, file, response")),
        };
        let max_fuzz = match from.single("max-fuzz")? {
            None => Tier::Similar,
            Some(name) => Tier::of_max_fuzz(&name).ok_or_else(|| {
                config::bad("llmapply.maxFuzz", &name, "one of exact, whitespace, indent, similar")
            })?,
        };
        let positive = |key: &str, default: u64| match config.number(key)? {
            None => Ok(default),
            Some(n) => u64::try_from(n)
                .map_err(|_| config::bad(key, &n.to_string(), "a number that is not negative")),
        };
        // What is typed goes before what is configured.
        let branch = match typed.single("branch-per-edit").flatten() {
            Some(_) => typed.single("branch").flatten(),
            None => of_run.single("branch")?,
        };
        let mut options = Options { branch, ..Self::default() };
        options.reading.formats = formats;
        options.reading.path = typed.single("path").flatten();
        options.strict = from.switch("strict", options.strict)?;
        options.base = of_run.single("base")?;
        options.favor = match from.given("strategy-option").flatten().as_deref() {
            Some("ours") => Some(Favor::Ours),
            Some(_) => Some(Favor::Theirs),
            None => None,
        };
        options.commit = commit;
        options.message = (!paragraphs.is_empty()).then(|| joined(&paragraphs));
        options.subject_prefix = from.single("subject-prefix")?;
        options.cleanup = from.single("cleanup")?;
        options.edit = from.switch("edit", options.edit)?;
        options.trailer = from.several("trailer")?;
        options.assisted_by = from.single("assisted-by")?;
        options.signoff = from.switch("signoff", options.signoff)?;
        options.allow_skip_ci = from.switch("allow-skip-ci", options.allow_skip_ci)?;
        options.author.author = from.single("author")?;
        options.author.date = from.given("date").flatten();
        options.sign = from.sign()?;
        options.ff = ff;
        options.verify = from.switch("verify", options.verify)?;
        options.push = from.push()?;
        options.rebase = from.switch("rebase", options.rebase)?;
        options.exec = from.several("exec")?;
        options.exec_each = from.switch("exec-each", options.exec_each)?;
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
        options.max_fuzz = max_fuzz;
        options.allow_delete = from.switch("allow-delete", options.allow_delete)?;
        options.allow_overwrite = from.switch("allow-overwrite", options.allow_overwrite)?;
        options.allow_sensitive = from.switch("allow-sensitive", options.allow_sensitive)?;
        options.allow_placeholder = from.switch("allow-placeholder", options.allow_placeholder)?;
        options.allow_markers = from.switch("allow-markers", options.allow_markers)?;
        options.allow_escaped = from.switch("allow-escaped", options.allow_escaped)?;
        options.allow_shrink = from.switch("allow-shrink", options.allow_shrink)?;
        options.syntax = match from.single("syntax")?.as_deref() {
            None | Some("warn") => SyntaxCheck::Warn,
            Some("refuse") if !syntax::IS_BUILT_IN => {
                let expected = "off or warn (a look at the syntax needs the feature `syntax`)";
                return Err(config::bad("llmapply.syntax", "refuse", expected));
            }
            Some("refuse") => SyntaxCheck::Refuse,
            Some("off") => SyntaxCheck::Off,
            Some(other) => return Err(config::bad("llmapply.syntax", other, "one of off, warn, refuse")),
        };
        options.trailers = from.switch("trailers", options.trailers)?;
        options.again = from.switch("again", options.again)?;
        options.keep_going = from.switch("keep-going", options.keep_going)?;
        options.autostash = from.switch("autostash", options.autostash)?;
        options.keep = of_run.switch("keep", options.keep)?;
        options.record = from.switch("record", options.record)?;
        options.sensitive = match from.kept(SENSITIVE) {
            Some(kept) => kept.clone(),
            None => config.list(SENSITIVE)?,
        };
        options.max_size = positive("llmapply.maxSize", options.max_size)?;
        options.diffs = of_run.switch("diff", true)?;
        options.dry_run = of_run.switch("dry-run", false)?;
        options.lock_timeout = lock_timeout(typed, config)?;
        options.given = from.said();
        if !options.sensitive.is_empty() {
            options.given.insert(SENSITIVE.to_owned(), options.sensitive.clone());
        }
        Ok(options)
    }
}

/// How long is waited for locks: what was typed, else `llmapply.lockTimeout`, in seconds; 60 by default.
///
/// # Errors
/// It is no number, or negative.
pub(crate) fn lock_timeout(typed: &dyn Typed, config: &Config) -> Result<Duration> {
    if let Some(wait) = typed.wait() {
        return Ok(wait);
    }
    match config.number("llmapply.lockTimeout")? {
        None => Ok(Duration::from_secs(60)),
        Some(n) => match u64::try_from(n) {
            Ok(seconds) => Ok(Duration::from_secs(seconds)),
            Err(_) => Err(config::bad("llmapply.lockTimeout", &n.to_string(), "a number of seconds")),
        },
    }
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
