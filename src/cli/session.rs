//! The repository, arguments and printer that most verbs need.

use super::Error;
use super::args::Typed;
use super::output::{Printer, Said};
use super::settings::{self, Output, Settings};
use crate::flow::{NotNumbers, Numbers, Watch};
use crate::vcs::repo::Repo;
use std::rc::Rc;

/// The repository, the arguments, and the printer.
pub(super) struct Session<'a> {
    pub(super) repo: Repo,
    pub(super) typed: &'a Typed,
    pub(super) printer: Printer,
}

impl<'a> Session<'a> {
    /// Opens the repository of the current directory, and warns about unknown configuration keys.
    pub(super) fn open(typed: &'a Typed, said: &Rc<Said>) -> Result<Self, Error> {
        let repo = Repo::discover()?;
        let printer = Printer::new(Output::read(typed, repo.config())?, said);
        settings::unknown_keys(repo.config()).for_each(|text| printer.warn(&text));
        Ok(Self { repo, typed, printer })
    }

    /// Reads the settings of a landing from the options and the configuration.
    pub(super) fn settings(&self) -> Result<Settings, Error> {
        let mut settings = Settings::read(self.typed, &self.repo, None, false)?;
        settings.adjust_to_output(self.typed, self.printer.output)?;
        Ok(settings)
    }

    pub(super) fn numbers(&self, long: &str) -> Result<Numbers, Error> {
        let mut all = Numbers::default();
        for text in self.typed.values(long) {
            all.extend(text.parse().map_err(|e: NotNumbers| Error::Usage(e.to_string()))?);
        }
        Ok(all)
    }
}
