//! Recodes texts between UTF-8 and another encoding (git-config(1), `i18n.commitEncoding`), as git does it for a file with
//! `working-tree-encoding`.

use super::convert::{ConversionRepo, KEPT};
use super::repo::Repo;
use super::{Error, Result};

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
