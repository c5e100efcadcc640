//! What most verbs need to run.

use super::Error;
use super::output::{Printer, Said};
use super::settings::Settings;
use crate::flow::sources::Typed;
use crate::flow::{NotNumbers, Numbers};
use crate::vcs::repo::Repo;
use clap::ArgMatches;
use std::rc::Rc;

/// The repository, the arguments, and the printer.
pub(super) struct Session<'a> {
    pub(super) repo: Repo,
    pub(super) matches: &'a ArgMatches,
    pub(super) printer: Printer,
}

impl<'a> Session<'a> {
    /// Opens the repository of the current directory.
    pub(super) fn open(matches: &'a ArgMatches, said: &Rc<Said>) -> Result<Self, Error> {
        let repo = Repo::discover()?;
        let printer = Printer::open(matches, repo.config(), said)?;
        Ok(Self { repo, matches, printer })
    }

    /// Reads the settings of a landing, as typed and configured.
    pub(super) fn settings(&self) -> Result<Settings, Error> {
        let mut settings = Settings::read(self.matches, &self.repo, None, false)?;
        settings.print_by(self.printer.output)?;
        Ok(settings)
    }

    pub(super) fn is_on(&self, long: &str) -> bool {
        self.matches.switch(long) == Some(true)
    }

    pub(super) fn operands(&self, name: &str) -> Vec<String> {
        self.matches.get_many(name).into_iter().flatten().cloned().collect()
    }

    pub(super) fn numbers(&self, long: &str) -> Result<Numbers, Error> {
        let mut all = Numbers::default();
        for text in self.matches.several(long).unwrap_or_default() {
            all.extend(text.parse().map_err(|e: NotNumbers| Error::Usage(e.to_string()))?);
        }
        Ok(all)
    }
}
