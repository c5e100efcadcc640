//! Reads responses and messages from files, standard input or the clipboard.

use super::output::remark;
use super::{Error, args, usage};
use crate::response::Response;
use crate::vcs::repo::Repo;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read};

/// Reads the responses in the order of their names. `-`, or no name at all, is standard input.
///
/// If no names are given and no response is `needed`, a terminal or an empty input gives no response. Otherwise a
/// terminal is waited for, and an empty input is an error. If not all responses can be read, `on_failure` gets what was
/// read from standard input.
pub(super) fn read(
    names: &[OsString],
    limit: u64,
    needed: bool,
    on_failure: impl FnOnce(&[u8]),
) -> Result<Vec<Response>, Error> {
    let stdin = OsString::from("-");
    let none_named = names.is_empty();
    let names = match names {
        [] if !needed && std::io::stdin().is_terminal() => return Ok(Vec::new()),
        [] => std::slice::from_ref(&stdin),
        names => names,
    };
    if names.iter().filter(|name| **name == stdin).count() > 1 {
        return usage("'-' can be given once only");
    }
    let (mut read, mut failure) = (Vec::with_capacity(names.len()), None);
    for (at, name) in names.iter().enumerate() {
        match bytes_of(name, limit, at == 0) {
            Ok(bytes) => read.push(bytes),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    if none_named && !needed && read.iter().all(Vec::is_empty) && failure.is_none() {
        return Ok(Vec::new());
    }
    let fits = |bytes: &&Vec<u8>| bytes.len() as u64 <= limit;
    let is_text = |bytes: &Vec<u8>| fits(&bytes) && std::str::from_utf8(bytes).is_ok();
    if let Some(bytes) = names.iter().position(|name| *name == stdin).and_then(|at| read.get(at))
        && (failure.is_some() || !read.iter().all(is_text))
        && fits(&bytes)
    {
        on_failure(bytes);
    }
    if let Some(error) = failure {
        return Err(error);
    }
    let responses = (0..).zip(names).zip(read);
    let responses = responses.map(|((id, name), bytes)| Response::new(id, shown(name), bytes, limit));
    Ok(responses.collect::<Result<_, _>>()?)
}

/// Reads a file or standard input, but at most one byte more than the limit.
fn bytes_of(name: &OsString, limit: u64, is_first: bool) -> Result<Vec<u8>, Error> {
    let shown = shown(name);
    let pasted = name == "-" && std::io::stdin().is_terminal();
    if pasted {
        remark("paste the response, then press Ctrl-D on a line of its own");
    }
    let bytes =
        all_of(name, limit).and_then(|bytes| if pasted { check_line_lengths(bytes) } else { Ok(bytes) });
    bytes.map_err(|source| {
        let is_missing = source.kind() == std::io::ErrorKind::NotFound && is_first;
        let verbs = args::VERBS.iter().map(|(verb, _)| *verb);
        match args::nearest(&shown, verbs).filter(|verb| is_missing && *verb != shown) {
            Some(verb) => {
                Error::Usage(format!("'{shown}' is neither a file nor a command; did you mean '{verb}'?"))
            }
            None => Error::Input { name: shown, source },
        }
    })
}

/// The longest line, in bytes, that a terminal passes on. It silently drops the rest of a longer one: see termios(3),
/// "Canonical and noncanonical mode", and on other systems than Linux `MAX_CANON`.
const LONGEST_LINE: usize = if cfg!(target_os = "linux") { 4095 } else { 1023 };

/// Returns an error if the terminal may have cut a line of what was pasted.
fn check_line_lengths(bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
    match bytes.split(|&byte| byte == b'\n').position(|line| line.len() >= LONGEST_LINE) {
        None => Ok(bytes),
        Some(at) => Err(std::io::Error::other(format!(
            "line {} is longer than {LONGEST_LINE} bytes, and the terminal may have cut it; save the response in a file, or copy it and use --clipboard",
            at + 1
        ))),
    }
}

/// The name of a response in messages.
pub(super) fn shown(name: &OsString) -> String {
    if name == "-" { "standard input".to_owned() } else { name.to_string_lossy().into_owned() }
}

/// Reads a commit message from a file or standard input, in UTF-8 or the encoding of commits.
pub(super) fn read_message(repo: &Repo, name: &str, limit: u64) -> Result<String, Error> {
    let shown = if name == "-" { "standard input" } else { name };
    let failed = |source| Error::Input { name: shown.to_owned(), source };
    let bytes = all_of(name.as_ref(), limit).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(failed(std::io::Error::other(format!("it has more than {limit} bytes"))));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(other) => repo.message_of(other.into_bytes())?,
    };
    text.ok_or_else(|| failed(std::io::Error::other("it is not UTF-8")))
}

fn all_of(name: &OsStr, limit: u64) -> std::io::Result<Vec<u8>> {
    if name == "-" {
        return bounded(std::io::stdin().lock(), 0, limit);
    }
    let file = std::fs::File::open(name)?;
    let expected = file.metadata()?.len();
    bounded(file, expected, limit)
}

fn bounded(input: impl Read, expected: u64, limit: u64) -> std::io::Result<Vec<u8>> {
    // One byte more, so that the caller sees whether the input exceeds the limit.
    let capacity = usize::try_from(expected.min(limit).saturating_add(1)).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(capacity)?;
    input.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_that_does_not_fit_into_memory_is_an_error() {
        let error = bounded(&b"x"[..], u64::MAX, u64::MAX).expect_err("too much");
        assert_eq!(error.kind(), std::io::ErrorKind::OutOfMemory);
        for expected in [0, 1, 2, 100] {
            assert_eq!(bounded(&b"xy"[..], expected, 9).expect("all of it"), b"xy");
            assert_eq!(bounded(&b"xyz"[..], expected, 1).expect("one more than allowed"), b"xy");
        }
    }
}
