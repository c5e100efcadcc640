//! Options for programs.

use super::settings::Settings;
use super::{Error, Repo};
use crate::report::record::Asked;
use std::ops::{Deref, DerefMut};

/// How responses are read, judged and landed: the repository's configuration, and what the program sets on top. Each
/// option of the command is a field of [`Settings`].
#[derive(Debug, Clone)]
pub struct Options(Settings);

impl Options {
    /// Reads the options from the configuration, as the command does. So the owner of the repository has a say.
    ///
    /// # Errors
    /// A configuration value is invalid.
    pub fn from_config(repo: &Repo) -> Result<Self, Error> {
        Ok(Self(Settings::from_config(&repo.handle()?)?))
    }

    /// Lands on this branch, which is created if it is missing, and leaves the checkout alone.
    #[must_use]
    pub fn onto(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// Resolves the edits at the commit that the model was shown.
    #[must_use]
    pub fn base(mut self, revision: impl Into<String>) -> Self {
        self.0.base = Some(revision.into());
        self
    }

    /// Refuses edits of this pathspec, too.
    #[must_use]
    pub fn exclude(mut self, pathspec: impl Into<String>) -> Self {
        self.0.exclude.push(pathspec.into());
        self
    }

    /// Requires this command line, too, to succeed on the prepared commits.
    #[must_use]
    pub fn exec(mut self, line: impl Into<String>) -> Self {
        self.0.exec.push(line.into());
        self
    }

    /// Records the request, and the model or command that was asked.
    #[must_use]
    pub fn asked(mut self, request: impl Into<String>, model: impl Into<String>) -> Self {
        self.0.asked = Some(Asked { request: Some(request.into()), command: model.into() });
        self
    }

    /// Gives the landing a key: while a landing with the same key is in effect, nothing lands again.
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
