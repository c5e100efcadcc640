//! Converts content by given attributes (gitattributes(5)), whatever the repository's attribute files say. Git does it,
//! in a temporary bare repository in which every file has these attributes.

use super::repo::Repo;
use super::temporary::Temporary;
use super::{Error, Result, process};
use std::process::Command;

/// How a file differs from its blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Converter {
    /// The attributes that say how its lines end in the checkout.
    pub(super) endings: &'static str,
    pub(super) ident: bool,
}

/// Lines of the checkout end as in the blob.
pub(super) const KEPT: &str = "-text";
/// Lines of the checkout end in CRLF.
pub(super) const CRLF: &str = "text eol=crlf";
/// Lines of the checkout end in CRLF if git guesses that the content is text.
pub(super) const GUESSED: &str = "text=auto eol=crlf";

impl Converter {
    /// The content of the checkout's file for a blob.
    ///
    /// # Errors
    /// Git cannot be run, or fails.
    pub fn to_checkout(self, repo: &Repo, blob: Vec<u8>) -> Result<Vec<u8>> {
        if self.endings == KEPT && !self.ident {
            return Ok(blob);
        }
        let git = ConversionRepo::new(
            repo,
            &format!("{} {}ident", self.endings, if self.ident { "" } else { "-" }),
        )?;
        git.checked_out(&git.put(&blob, false)?)
    }
}

/// Expands every `$Id$` of a blob.
pub(super) fn expand_ident(repo: &Repo, blob: Vec<u8>) -> Result<Vec<u8>> {
    Converter { endings: KEPT, ident: true }.to_checkout(repo, blob)
}

/// Collapses every expanded `$Id$` of a file.
pub(super) fn collapse_ident(repo: &Repo, file: &[u8]) -> Result<Vec<u8>> {
    let git = ConversionRepo::new(repo, &format!("{KEPT} ident"))?;
    git.blob(&git.put(file, true)?)
}

/// A temporary bare repository in which every file has the same attributes.
pub(super) struct ConversionRepo(Temporary);

impl ConversionRepo {
    pub(super) fn new(repo: &Repo, attributes: &str) -> Result<Self> {
        let repository = repo.temporary()?;
        let top = repository.path();
        let write = |name: &str, content: &str| {
            let file = top.join(name);
            std::fs::write(&file, content).map_err(|e| Error::io("write", &file, e))
        };
        for name in ["objects", "refs", "info"] {
            let path = top.join(name);
            std::fs::create_dir(&path).map_err(|e| Error::io("create", &path, e))?;
        }
        write("HEAD", "ref: refs/heads/main\n")?;
        let format = repo.format().str();
        write(
            "config",
            &format!("[core]\nrepositoryformatversion=1\n[extensions]\nobjectFormat={format}\n"),
        )?;
        write("info/attributes", &format!("* -filter {attributes}\n"))?;
        Ok(Self(repository))
    }

    /// Writes the content as a blob and returns its id. If the content is that of a file in the checkout (`is_file`),
    /// git converts it first.
    pub(super) fn put(&self, content: &[u8], is_file: bool) -> Result<String> {
        let path: &[&str] = if is_file { &["--path=text"] } else { &[] };
        let id = self.ask(&[&["hash-object", "-w", "--stdin"], path].concat(), content)?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    /// The content of the checkout's file for a blob.
    pub(super) fn checked_out(&self, id: &str) -> Result<Vec<u8>> {
        self.ask(&["cat-file", "--filters", "--path=text", id], b"")
    }

    pub(super) fn blob(&self, id: &str) -> Result<Vec<u8>> {
        self.ask(&["cat-file", "blob", id], b"")
    }

    fn ask(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let mut command = Command::new("git");
        process::forget_repository(&mut command);
        command.env_remove("GIT_ATTR_SOURCE").env("GIT_DIR", self.0.path());
        command.current_dir(self.0.path()).args(arguments);
        let output = process::output_for_input(&mut command, input)?;
        Ok(process::checked(&command, output)?.stdout)
    }
}
