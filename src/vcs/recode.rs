//! Texts in another encoding than UTF-8 (git-config(1), `i18n.commitEncoding`).
//!
//! Git converts them, as it converts files with a `working-tree-encoding`: in a bare repository made for it, whose only
//! attribute says so.

use super::{Error, Result, process};
use std::path::Path;
use std::process::Command;

/// Whether that is git's own encoding, which nobody has to be told of.
pub(super) fn is_utf8(name: &str) -> bool {
    name.eq_ignore_ascii_case("utf-8") || name.eq_ignore_ascii_case("utf8")
}

/// The text in that encoding.
///
/// # Errors
/// Git does not know the encoding, or the text cannot be written in it; or git cannot be run.
pub(super) fn encoded(text: &str, encoding: &str) -> Result<Vec<u8>> {
    let impossible = || Error::Encoding { encoding: encoding.to_owned() };
    if encoding.is_empty() || encoding.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(impossible());
    }
    let directory = tempfile::tempdir().map_err(|e| Error::io("create", std::env::temp_dir(), e))?;
    let top = directory.path();
    let write = |name: &str, content: &str| {
        let file = top.join(name);
        std::fs::write(&file, content).map_err(|e| Error::io("write", &file, e))
    };
    for name in ["objects", "refs", "info"] {
        let path = top.join(name);
        std::fs::create_dir(&path).map_err(|e| Error::io("create", &path, e))?;
    }
    write("HEAD", "ref: refs/heads/main\n")?;
    write("info/attributes", &format!("* working-tree-encoding={encoding}\n"))?;
    let id = ask(top, &["hash-object", "-w", "--stdin"], text.as_bytes())?;
    let id = String::from_utf8_lossy(&id).trim().to_owned();
    let bytes = ask(top, &["cat-file", "--filters", "--path=text", &id], b"")?;
    // What cannot be converted git leaves as it is, with a complaint; back, where it is to write an object, it does not.
    let back = ask(top, &["hash-object", "-w", "--stdin", "--path=text"], &bytes)?;
    match String::from_utf8_lossy(&back).trim() == id && !bytes.contains(&0) {
        true => Ok(bytes),
        false => Err(impossible()),
    }
}

fn ask(top: &Path, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>> {
    let mut command = Command::new("git");
    process::forget_repository(&mut command);
    command.env("GIT_DIR", top).current_dir(top).args(arguments);
    Ok(process::fed(&mut command, input)?.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_written_is_and_the_rest_is_refused() {
        let latin = |text| encoded(text, "ISO-8859-1");
        assert_eq!(latin("Jürgen\n").expect("there is an ü"), b"J\xfcrgen\n");
        assert!(matches!(latin("日本語"), Err(Error::Encoding { .. })));
        for unknown in ["nothing", "", "UTF-16LE", "a b", "x\ny"] {
            assert!(matches!(encoded("ü", unknown), Err(Error::Encoding { .. })), "{unknown}");
        }
    }
}
