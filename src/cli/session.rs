//! What a verb runs with.

use super::Error;
use super::args;
use super::output::{Printer, Said};
use super::settings::Settings;
use crate::flow::{NotNumbers, Numbers};
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

/// The repository, what was typed, and how to print.
pub(super) struct Session<'a> {
    pub(super) repo: Repo,
    pub(super) matches: &'a ArgMatches,
    pub(super) printer: Printer,
}

impl<'a> Session<'a> {
    /// In the repository where the user stands.
    ///
    /// # Errors
    /// There is none, or a configuration value makes no sense.
    pub(super) fn open(matches: &'a ArgMatches, said: &Rc<Said>) -> Result<Self, Error> {
        let repo = Repo::discover()?;
        let printer = Printer::open(matches, repo.config(), said)?;
        Ok(Self { repo, matches, printer })
    }

    /// How a landing goes, as typed and configured.
    ///
    /// # Errors
    /// A configuration value makes no sense, or options do not go together.
    pub(super) fn settings(&self) -> Result<Settings, Error> {
        let mut settings = Settings::read(self.matches, &self.repo, None, false)?;
        settings.print_by(self.printer.output)?;
        Ok(settings)
    }

    /// Whether a switch was typed.
    pub(super) fn is_on(&self, long: &str) -> bool {
        args::switch(self.matches, long) == Some(true)
    }

    /// What was typed as an operand.
    pub(super) fn operands(&self, name: &str) -> Vec<String> {
        self.matches.get_many(name).into_iter().flatten().cloned().collect()
    }

    /// The numbers that were typed for an option, all together.
    pub(super) fn numbers(&self, long: &str) -> Result<Numbers, Error> {
        let mut all = Numbers::default();
        for text in args::several(self.matches, long).unwrap_or_default() {
            all.extend(text.parse().map_err(|e: NotNumbers| Error::Usage(e.to_string()))?);
        }
        Ok(all)
    }
}
