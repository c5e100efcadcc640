//! How a response is judged and landed, as a program says it.

use super::settings::Settings;
use super::{Error, Repo};
use crate::report::record::Asked;
use std::ops::{Deref, DerefMut};

/// How responses are read, judged and landed: what the configuration of the repository says, and what the program says on
/// top. All that the command can be told is a field: see [`Settings`].
#[derive(Debug, Clone)]
pub struct Options(Settings);

impl Options {
    /// The options that the configuration says, as the command reads them. So whoever owns the repository has a say.
    ///
    /// # Errors
    /// A value of the configuration makes no sense.
    pub fn from_config(repo: &Repo) -> Result<Self, Error> {
        Ok(Self(Settings::from_config(&repo.handle()?)?))
    }

    /// Lands on that branch, which is made if it is missing, and leaves the checkout alone.
    #[must_use]
    pub fn onto(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// Resolves at the commit that the model was shown.
    #[must_use]
    pub fn base(mut self, revision: impl Into<String>) -> Self {
        self.0.base = Some(revision.into());
        self
    }

    /// Refuses edits of that pathspec, too.
    #[must_use]
    pub fn exclude(mut self, pathspec: impl Into<String>) -> Self {
        self.0.exclude.push(pathspec.into());
        self
    }

    /// Has a command line succeed, too, on what is to land.
    #[must_use]
    pub fn exec(mut self, line: impl Into<String>) -> Self {
        self.0.exec.push(line.into());
        self
    }

    /// Records what was asked for, and which model or command was asked.
    #[must_use]
    pub fn asked(mut self, request: impl Into<String>, model: impl Into<String>) -> Self {
        self.0.asked = Some(Asked { request: Some(request.into()), command: model.into() });
        self
    }

    /// Knows the landing by a key: while one with the same key is in effect, nothing lands again.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.0.key = Some(key.into());
        self
    }
}

impl Deref for Options {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0
    }
}

impl DerefMut for Options {
    fn deref_mut(&mut self) -> &mut Settings {
        &mut self.0
    }
}
