//! Paths in JSON.

use serde::{Deserialize, Serialize};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// A path in JSON. It need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnyPath(pub(super) PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for AnyPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let written = match self.0.to_str() {
            Some(text) => Written::Text(text.to_owned()),
            None => Written::Bytes(self.0.as_os_str().as_bytes().to_vec()),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AnyPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Text(text) => PathBuf::from(text),
            Written::Bytes(bytes) => PathBuf::from(std::ffi::OsString::from_vec(bytes)),
        }))
    }
}
