//! Converts content by given attributes (gitattributes(5)), whatever the repository's attribute files say: `$Id$` in
//! files, and the encoding of commits (git-config(1), `i18n.commitEncoding`), which git converts like that of a file with
//! `working-tree-encoding`. Git does it in a temporary bare repository in which every file has these attributes.

use super::repo::Repo;
use super::temporary::Temporary;
use super::{Error, Result, process};
use std::process::Command;

/// Lines of the checkout end as in the blob.
const KEPT: &str = "-text";

/// Expands every `$Id$` of a blob.
pub(super) fn expand_ident(repo: &Repo, blob: &[u8]) -> Result<Vec<u8>> {
    let git = ConversionRepo::new(repo, &format!("{KEPT} ident"))?;
    git.checked_out(&git.put(blob, false)?)
}

/// Collapses every expanded `$Id$` of a file.
pub(super) fn collapse_ident(repo: &Repo, file: &[u8]) -> Result<Vec<u8>> {
    let git = ConversionRepo::new(repo, &format!("{KEPT} ident"))?;
    git.blob(&git.put(file, true)?)
}

/// Returns whether the encoding is UTF-8, which commits do not declare.
pub(super) fn is_utf8(name: &str) -> bool {
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

fn conversion_repo(repo: &Repo, encoding: &str) -> Result<ConversionRepo> {
    if encoding.is_empty() || encoding.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(Error::Encoding(encoding.to_owned()));
    }
    ConversionRepo::new(repo, &format!("{KEPT} -ident working-tree-encoding={encoding}"))
}

/// Encodes a text.
pub(super) fn encoded(repo: &Repo, text: &str, encoding: &str) -> Result<Vec<u8>> {
    let git = conversion_repo(repo, encoding)?;
    let id = git.put(text.as_bytes(), false)?;
    // If git cannot encode a text, it prints the text unchanged with a warning. Decoding such text fails or gives
    // another blob.
    match git.checked_out(&id) {
        Ok(bytes) if !bytes.contains(&0) && git.put(&bytes, true).is_ok_and(|again| again == id) => Ok(bytes),
        _ => Err(Error::Encoding(encoding.to_owned())),
    }
}

/// Decodes a text; `None` if the bytes are invalid in the encoding.
pub(super) fn decoded(repo: &Repo, bytes: &[u8], encoding: &str) -> Result<Option<String>> {
    let git = conversion_repo(repo, encoding)?;
    let Ok(id) = git.put(bytes, true) else { return Ok(None) };
    if git.checked_out(&id)? != bytes {
        return Ok(None);
    }
    Ok(String::from_utf8(git.blob(&id)?).ok())
}

/// A temporary bare repository in which every file has the same attributes.
struct ConversionRepo(Temporary);

impl ConversionRepo {
    fn new(repo: &Repo, attributes: &str) -> Result<Self> {
        let repository = repo.temporary()?;
        let top = repository.path();
        let mut command = Command::new("git");
        process::forget_repository(&mut command);
        command.args(["init", "--quiet", "--bare", "--template=", "--object-format", repo.format().str()]);
        process::output(command.arg(top))?;
        let (info, attributes) = (top.join("info"), format!("* -filter {attributes}\n"));
        let written =
            std::fs::create_dir_all(&info).and_then(|()| std::fs::write(info.join("attributes"), attributes));
        written.map_err(|e| Error::io("write", info, e))?;
        Ok(Self(repository))
    }

    /// Writes the content as a blob and returns its id. If the content is that of a file in the checkout (`is_file`),
    /// git converts it first.
    fn put(&self, content: &[u8], is_file: bool) -> Result<String> {
        let path: &[&str] = if is_file { &["--path=text"] } else { &[] };
        let id = self.ask(&[&["hash-object", "-w", "--stdin"], path].concat(), content)?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    /// The content of the checkout's file for a blob.
    fn checked_out(&self, id: &str) -> Result<Vec<u8>> {
        self.ask(&["cat-file", "--filters", "--path=text", id], b"")
    }

    fn blob(&self, id: &str) -> Result<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_encoded_if_the_encoding_has_all_their_characters() {
        let top = tempfile::tempdir().expect("a directory");
        git2::Repository::init(top.path()).expect("a repository");
        let repo = Repo::open(&top.path().join(".git"), Some(top.path())).expect("opened");
        let latin = |text| encoded(&repo, text, "ISO-8859-1");
        assert_eq!(latin("Jürgen\n").expect("there is an ü"), b"J\xfcrgen\n");
        assert!(matches!(latin("日本語"), Err(Error::Encoding(_))));
        assert_eq!(decoded(&repo, b"J\xfcrgen\n", "ISO-8859-1").expect("asked").as_deref(), Some("Jürgen\n"));
        assert_eq!(decoded(&repo, b"\xff", "EUC-JP").expect("asked"), None);
        for unknown in ["nothing", "", "UTF-16LE", "a b", "x\ny"] {
            assert!(matches!(encoded(&repo, "ü", unknown), Err(Error::Encoding(_))), "{unknown}");
        }
    }
}
