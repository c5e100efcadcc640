//! A model's response, for programs.

use crate::format;
use crate::response::{self, ResponseError};
use std::sync::Arc;

#[cfg(feature = "git")]
use crate::transaction::Attempt;

/// A model's response: a text with edits in any of the formats, or with corrections of refused edits.
///
/// ```
/// let answer = "README.md\n<<<<<<< SEARCH\nhello\n=======\nhello world\n>>>>>>> REPLACE\n";
/// let response = git_llm_apply::Response::parse(answer);
/// assert_eq!(response.paths(), ["README.md"]);
/// ```
#[derive(Debug, Clone)]
pub struct Response {
    name: Arc<str>,
    text: Arc<str>,
    /// The refused edits that it corrects, and the good ones.
    #[cfg(feature = "git")]
    pub(super) attempt: Option<Arc<Attempt>>,
}

impl Response {
    /// Takes a text. Errors in it are reported when it is resolved.
    pub fn parse(text: impl Into<Arc<str>>) -> Self {
        Self {
            name: "response".into(),
            text: text.into(),
            #[cfg(feature = "git")]
            attempt: None,
        }
    }

    /// Sets the name that messages and trailers use instead of `response`.
    #[must_use]
    pub fn named(self, name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The paths that its edits name, sorted.
    pub fn paths(&self) -> Vec<String> {
        let read = self.numbered(0, u64::MAX);
        read.map(|one| format::parse(&one, &format::Reading::default()).paths()).unwrap_or_default()
    }

    /// The response for the parsers, with this number.
    pub(super) fn numbered(&self, number: u32, limit: u64) -> Result<response::Response, ResponseError> {
        response::Response::new(number, &*self.name, self.text.as_bytes().to_vec(), limit)
    }
}
