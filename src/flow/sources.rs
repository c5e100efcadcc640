//! Looks up the values of options: first on the command line, then in a refused attempt, then in the configuration.

use super::Given;
use crate::edit::FormatId;
use crate::syntax;
use crate::vcs::config::{self, Config};
use crate::vcs::repo::Repo;
use crate::vcs::{self, Result};
use std::cell::RefCell;

/// The values of a switch.
pub(crate) const ON: &str = "true";
pub(crate) const OFF: &str = "false";

/// The options whose values are pathspecs. On the command line these are relative to the current directory.
const PATHSPECS: &[&str] = &["include", "exclude"];

/// The sources of options.
pub(crate) struct Sources<'a> {
    /// The options on the command line.
    typed: &'a Given,
    /// The options of the refused attempt.
    kept: Option<&'a Given>,
    config: &'a Config,
    /// The repository, if typed pathspecs are to be made relative to its top.
    repo: Option<&'a Repo>,
    /// The options that were looked up and have a value.
    used: RefCell<Given>,
}

/// Returns the configuration key of an option: its long name in camelCase.
pub(crate) fn key(long: &str) -> String {
    let mut key = String::from("llmapply.");
    let mut upper = false;
    for c in long.chars() {
        match c {
            '-' => upper = true,
            c if std::mem::take(&mut upper) => key.extend(c.to_uppercase()),
            c => key.push(c),
        }
    }
    key
}

/// Returns the value of an option; the last one if there are several.
pub(crate) fn value(given: &Given, long: &str) -> Option<String> {
    given.get(long)?.last().cloned()
}

/// The option whose typed values are added to those of the attempt instead of replacing them. Otherwise excluding one
/// more path would allow the paths that the attempt excluded.
pub(crate) const EXCLUDE: &str = "exclude";

impl<'a> Sources<'a> {
    pub(crate) fn new(typed: &'a Given, config: &'a Config) -> Self {
        Self { typed, kept: None, config, repo: None, used: RefCell::default() }
    }

    /// Like [`Sources::new`], with the options of an attempt. Typed pathspecs are relative to the current directory.
    pub(super) fn of(typed: &'a Given, kept: Option<&'a Given>, repo: &'a Repo) -> Self {
        Self { kept, repo: Some(repo), ..Self::new(typed, repo.config()) }
    }

    /// Returns the options that were looked up and have a value.
    pub(super) fn used(self) -> Given {
        self.used.into_inner()
    }

    fn note_used(&self, long: &str, values: impl IntoIterator<Item = String>) {
        self.used.borrow_mut().insert(long.to_owned(), values.into_iter().collect());
    }

    pub(super) fn kept(&self, long: &str) -> Option<&'a Vec<String>> {
        self.kept?.get(long)
    }

    fn typed_or_kept(&self, long: &str) -> Option<&'a Vec<String>> {
        self.typed.get(long).or_else(|| self.kept(long))
    }

    pub(crate) fn switch(&self, long: &str, default: bool) -> Result<bool> {
        let on = match self.typed_or_kept(long) {
            Some(values) => Some(*values == [ON]),
            None => self.config.bool(&key(long))?,
        };
        on.into_iter().for_each(|on| self.note_used(long, [if on { ON } else { OFF }.to_owned()]));
        Ok(on.unwrap_or(default))
    }

    /// Returns the value on the command line or of the attempt; `Some(None)` if the `--no-` form was given.
    pub(super) fn given(&self, long: &str) -> Option<Option<String>> {
        let given = self.typed_or_kept(long).map(|values| values.last().cloned());
        given.iter().for_each(|given| self.note_used(long, given.clone()));
        given
    }

    pub(crate) fn single(&self, long: &str) -> Result<Option<String>> {
        if let Some(value) = self.given(long) {
            return Ok(value);
        }
        let value = self.config.string(&key(long))?.filter(|value| !value.is_empty());
        value.iter().for_each(|value| self.note_used(long, [value.clone()]));
        Ok(value)
    }

    /// Returns the error about an invalid value of an option or of its configuration key.
    pub(crate) fn bad(&self, long: &str, value: &str, expected: &str) -> vcs::Error {
        let name = if self.typed_or_kept(long).is_some() { format!("--{long}") } else { key(long) };
        config::bad(&name, value, expected)
    }

    /// Returns the value of an option that must be one of `names`.
    pub(crate) fn choice<T>(
        &self,
        long: &str,
        names: &[&str],
        named: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(name) = self.single(long)? else { return Ok(None) };
        let bad = || self.bad(long, &name, &format!("one of {}", names.join(", ")));
        named(&name).map(Some).ok_or_else(bad)
    }

    /// Returns the value of an option that can be given without one, such as `--push`. It is an empty text if the
    /// option is given without a value, and `Some(None)` if the option is turned off.
    pub(super) fn optional(&self, long: &str) -> Result<Option<Option<String>>> {
        if let Some(given) = self.given(long) {
            return Ok(Some(given));
        }
        let key = key(long);
        let Some(text) = self.config.string(&key)? else { return Ok(None) };
        let value = match is_switch(&text) {
            true => (self.config.bool(&key)? == Some(true)).then(String::new),
            false => Some(text),
        };
        value.iter().for_each(|value| self.note_used(long, [value.clone()]));
        Ok(Some(value))
    }

    /// Returns the formats, each once.
    pub(crate) fn formats(&self) -> Result<Vec<FormatId>> {
        let mut formats = Vec::new();
        for name in self.several("format")?.iter().filter(|name| !name.is_empty()) {
            let bad = |_| self.bad("format", name, "the name of a format");
            let format = name.parse().map_err(bad)?;
            if format == FormatId::Snippet && !syntax::IS_BUILT_IN {
                let expected = "a format that is built in (snippets need the feature `syntax`)";
                return Err(self.bad("format", name, expected));
            }
            if !formats.contains(&format) {
                formats.push(format);
            }
        }
        Ok(formats)
    }

    pub(super) fn several(&self, long: &str) -> Result<Vec<String>> {
        let from_here = |typed: &String| match self.repo.filter(|_| PATHSPECS.contains(&long)) {
            Some(repo) => repo.from_here(typed),
            None => Ok(typed.clone()),
        };
        let (typed, kept) = (self.typed.get(long), self.kept(long));
        let is_given = typed.is_some() || kept.is_some();
        let values = match (typed, kept) {
            (Some(typed), kept) => {
                let kept_excludes = kept.filter(|_| long == EXCLUDE && !typed.is_empty());
                let typed = typed.iter().map(from_here);
                kept_excludes
                    .into_iter()
                    .flatten()
                    .cloned()
                    .map(Ok)
                    .chain(typed)
                    .collect::<Result<Vec<_>>>()?
            }
            (None, Some(kept)) => kept.clone(),
            (None, None) => self.config.list(&key(long))?,
        };
        if is_given || !values.is_empty() {
            self.note_used(long, values.iter().cloned());
        }
        Ok(values)
    }
}

/// Whether a configuration value is a boolean.
fn is_switch(text: &str) -> bool {
    let words = ["", "true", "yes", "on", "1", "false", "no", "off", "0"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}
