//! Recodes texts between UTF-8 and another encoding (git-config(1), `i18n.commitEncoding`).
//!
//! Git does it, as for a file with `working-tree-encoding`, in a temporary bare repository with that attribute.

use super::temporary::Temporary;
use super::{Error, Result, process};
use std::process::Command;

/// Whether the encoding is UTF-8, which commits do not declare.
pub(super) fn is_utf8(name: &str) -> bool {
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

struct Converter {
    repository: Temporary,
    encoding: String,
}

impl Converter {
    fn new(repository: Temporary, encoding: &str) -> Result<Self> {
        let encoding = encoding.to_owned();
        if encoding.is_empty() || encoding.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(Error::Encoding { encoding });
        }
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
        write("info/attributes", &format!("* -text -ident -filter working-tree-encoding={encoding}\n"))?;
        Ok(Self { repository, encoding })
    }

    /// Writes a blob from UTF-8, or from bytes in the encoding. Returns an empty id if the bytes are invalid.
    fn blob(&self, content: &[u8], is_encoded: bool) -> Result<String> {
        let path: &[&str] = if is_encoded { &["--path=text"] } else { &[] };
        let id = self.ask(&[&["hash-object", "-w", "--stdin"], path].concat(), content)?;
        Ok(String::from_utf8_lossy(&id).trim().to_owned())
    }

    fn encoded(&self, id: &str) -> Result<Vec<u8>> {
        self.ask(&["cat-file", "--filters", "--path=text", id], b"")
    }

    fn ask(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let top = self.repository.path();
        let mut command = Command::new("git");
        process::forget_repository(&mut command);
        command.env("GIT_DIR", top).current_dir(top).args(arguments);
        Ok(process::output_for_input(&mut command, input)?.stdout)
    }
}

/// Encodes a text, in a repository that is created in `repository`.
pub(super) fn encoded(repository: Temporary, text: &str, encoding: &str) -> Result<Vec<u8>> {
    let converter = Converter::new(repository, encoding)?;
    let id = converter.blob(text.as_bytes(), false)?;
    let bytes = converter.encoded(&id)?;
    // If git cannot encode a text, it prints it unchanged with a warning. Decoding it then fails or gives another blob.
    match converter.blob(&bytes, true)? == id && !bytes.contains(&0) {
        true => Ok(bytes),
        false => Err(Error::Encoding { encoding: converter.encoding }),
    }
}

/// Decodes a text; `None` if the bytes are invalid in the encoding.
pub(super) fn decoded(repository: Temporary, bytes: &[u8], encoding: &str) -> Result<Option<String>> {
    let converter = Converter::new(repository, encoding)?;
    let id = converter.blob(bytes, true)?;
    if id.is_empty() || converter.encoded(&id)? != bytes {
        return Ok(None);
    }
    Ok(String::from_utf8(converter.ask(&["cat-file", "blob", &id], b"")?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_is_and_the_rest_is_refused() {
        let top = tempfile::tempdir().expect("a directory");
        let place = || Temporary::new(top.path(), None).expect("a directory");
        let latin = |text| encoded(place(), text, "ISO-8859-1");
        assert_eq!(latin("Jürgen\n").expect("there is an ü"), b"J\xfcrgen\n");
        assert!(matches!(latin("日本語"), Err(Error::Encoding { .. })));
        assert_eq!(
            decoded(place(), b"J\xfcrgen\n", "ISO-8859-1").expect("asked").as_deref(),
            Some("Jürgen\n")
        );
        assert_eq!(decoded(place(), b"\xff", "EUC-JP").expect("asked"), None);
        for unknown in ["nothing", "", "UTF-16LE", "a b", "x\ny"] {
            assert!(matches!(encoded(place(), "ü", unknown), Err(Error::Encoding { .. })), "{unknown}");
        }
    }
}
