//! Reading the responses: files, or standard input.

use super::Error;
use super::args;
use super::output::remark;
use crate::response::Response;
use crate::vcs::repo::Repo;
use std::ffi::OsString;
use std::io::{IsTerminal, Read};

/// Reads all responses, in the order given, numbered from `first` on; standard input for `-`, or where no file is named.
/// Where none is needed and no file is named, a terminal or nothing at all on standard input is none.
///
/// # Errors
/// A file cannot be read, is too large or is no text; no file is named and standard input is a terminal.
pub(super) fn read(names: &[OsString], limit: u64, first: u32, needed: bool) -> Result<Vec<Response>, Error> {
    let stdin = OsString::from("-");
    let none_named = names.is_empty();
    let none_else = names.len() == 1;
    let names = match names {
        [] if !needed && std::io::stdin().is_terminal() => return Ok(Vec::new()),
        [] if std::io::stdin().is_terminal() => {
            return Err(Error::Usage(
                "no response: name a file, or pipe one in ('-' reads the terminal)".into(),
            ));
        }
        [] => std::slice::from_ref(&stdin),
        names => names,
    };
    if names.iter().filter(|name| **name == stdin).count() > 1 {
        return Err(Error::Usage("'-' can be given once only".into()));
    }
    let mut responses = Vec::with_capacity(names.len());
    for (id, name) in (first..).zip(names) {
        let shown = shown(name);
        let failed = |source| Error::Input { name: shown.clone(), source };
        // One more than allowed is enough to know.
        let bytes = if *name == stdin {
            if std::io::stdin().is_terminal() {
                remark("reading the response from the terminal; Ctrl-D on a line of its own ends it");
            }
            bounded(std::io::stdin().lock(), limit).map_err(failed)?
        } else {
            match std::fs::File::open(name) {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound && none_else => {
                    return Err(match args::near_verb(&shown) {
                        Some(verb) => Error::Word { word: shown, verb },
                        None => failed(e),
                    });
                }
                opened => bounded(opened.map_err(failed)?, limit).map_err(failed)?,
            }
        };
        if none_named && !needed && bytes.is_empty() {
            return Ok(Vec::new());
        }
        responses.push(Response::new(id, shown, bytes, limit)?);
    }
    Ok(responses)
}

/// What a response is called.
pub(super) fn shown(name: &OsString) -> String {
    if name == "-" { "standard input".to_owned() } else { name.to_string_lossy().into_owned() }
}

/// Reads a commit message from a file, or from standard input: UTF-8, or else as commits have it.
///
/// # Errors
/// It cannot be read, is too large or is no text.
pub(super) fn read_message(repo: &Repo, name: &str, limit: u64) -> Result<String, Error> {
    let shown = if name == "-" { "standard input" } else { name };
    let failed = |source| Error::Input { name: shown.to_owned(), source };
    let bytes = match name {
        "-" => bounded(std::io::stdin().lock(), limit),
        name => std::fs::File::open(name).and_then(|file| bounded(file, limit)),
    };
    let bytes = bytes.map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(failed(std::io::Error::other(format!("it has more than {limit} bytes"))));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(other) => repo.message_of(other.into_bytes())?,
    };
    text.ok_or_else(|| failed(std::io::Error::other("it is not UTF-8")))
}

fn bounded(input: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
