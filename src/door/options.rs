//! The options of a landing.

use super::settings::Settings;
use super::{Error, Repo};
use crate::report::record::Asked;
use std::ops::{Deref, DerefMut};

/// The options for reading, checking and landing responses: the repository's configuration, and what the program sets
/// on top. Each option of the command is a field of [`Settings`].
#[derive(Debug, Clone)]
pub struct Options(Settings);

impl Options {
    /// Reads the options from git's configuration, as the command does, so that the repository's owner can set rules
    /// for programs too.
    ///
    /// # Errors
    /// A configuration value is invalid.
    pub fn from_config(repo: &Repo) -> Result<Self, Error> {
        Ok(Self(Settings::from_config(&repo.handle()?)?))
    }

    /// Lands on this branch and leaves the checkout alone. The branch is created if it is missing.
    #[must_use]
    pub fn onto(mut self, branch: impl Into<String>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// Resolves the edits in this revision, the one that the model was shown, and merges them into the branch.
    #[must_use]
    pub fn base(mut self, revision: impl Into<String>) -> Self {
        self.0.base = Some(revision.into());
        self
    }

    /// Also refuses edits of the files that this pathspec matches.
    #[must_use]
    pub fn exclude(mut self, pathspec: impl Into<String>) -> Self {
        self.0.exclude.push(pathspec.into());
        self
    }

    /// Also requires this command line to succeed on the prepared commits, before they land.
    #[must_use]
    pub fn exec(mut self, line: impl Into<String>) -> Self {
        self.0.exec.push(line.into());
        self
    }

    /// Records the request, and the name of the model (or the command) that answered it.
    #[must_use]
    pub fn asked(mut self, request: impl Into<String>, model: impl Into<String>) -> Self {
        self.0.asked = Some(Asked { request: Some(request.into()), command: model.into() });
        self
    }

    /// Gives the landing a key. As long as a landing with this key is in effect, a call with the same key lands
    /// nothing.
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
