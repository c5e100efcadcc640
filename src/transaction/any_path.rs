//! Paths in the JSON of journals.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A path that JSON can hold even if it is not UTF-8: as a string, or else as an array of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub(super) struct AnyPath(pub(super) PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<AnyPath> for Written {
    fn from(path: AnyPath) -> Self {
        let text = path.0.into_os_string().into_string();
        text.map_or_else(|other| Self::Bytes(other.into_vec()), Self::Text)
    }
}

impl From<Written> for AnyPath {
    fn from(written: Written) -> Self {
        Self(match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes).into(),
        })
    }
}
