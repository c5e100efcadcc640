//! A model's response.

use crate::format;
use crate::response::{self, ResponseError};
use std::sync::Arc;

#[cfg(feature = "git")]
use crate::transaction::Attempt;

/// A model's response: a text that contains edits in any of the formats, perhaps with other text around them.
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
    /// The refused attempt, if this response corrects one.
    #[cfg(feature = "git")]
    pub(super) attempt: Option<Arc<Attempt>>,
}

impl Response {
    /// Makes a response from a text. It never fails: errors in the text are reported when the response is resolved.
    pub fn parse(text: impl Into<Arc<str>>) -> Self {
        Self {
            name: "response".into(),
            text: text.into(),
            #[cfg(feature = "git")]
            attempt: None,
        }
    }

    /// Sets the name that messages and trailers use for the response. Without this call it is `response`.
    #[must_use]
    pub fn named(self, name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the paths that the edits name, sorted.
    pub fn paths(&self) -> Vec<String> {
        let read = self.numbered(0, u64::MAX);
        read.map(|one| format::parse(&one, &format::Reading::default()).paths()).unwrap_or_default()
    }

    /// Makes the response that the parsers take; `number` is its position among the responses of one landing.
    pub(super) fn numbered(&self, number: u32, limit: u64) -> Result<response::Response, ResponseError> {
        response::Response::new(number, &*self.name, self.text.as_bytes().to_vec(), limit)
    }
}
