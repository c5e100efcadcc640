//! How a file's content differs between the repository and the checkout (gitattributes(5), "End-of-line conversion").
//!
//! Done here and not by libgit2 because its checkout follows links, and its configuration misses `git -c`.

use super::index::Index;
use super::repo::Repo;
use super::{Error, Result};
use std::path::{Path, PathBuf};

/// What stands between a blob and its file in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// Line endings only, or nothing.
    Eol(Eol),
    /// Git itself runs something over the file's text: a filter, or `ident`. The text names the attribute.
    Filtered(String),
    /// The file has another encoding, and the blob is UTF-8. The text names the attribute.
    Encoded(String),
    /// Both at once: what the text is nobody but the filter knows.
    FilteredAndEncoded(String),
}

/// How git treats a file's line endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eol {
    /// Whether to look first whether it is text at all.
    automatic: bool,
    /// Whether it is (or may be) text.
    text: bool,
    /// Whether lines end in CRLF in the checkout.
    crlf: bool,
}

/// Where attributes are read from first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The checkout's files, then the index.
    Checkout,
    /// The index that is to be, then the checkout's files: as git does when it checks out.
    Index,
    /// The index that is to be, where one of the checkout's files is about to go.
    IndexOnly,
}

/// The repository-wide settings.
#[derive(Debug, Clone, Copy)]
struct Core {
    autocrlf: Option<bool>,
    input: bool,
    eol_crlf: Option<bool>,
}

impl Core {
    /// What holds for a file of which no attribute says anything.
    fn without_attributes(self) -> Eol {
        let guessed = self.input || self.autocrlf == Some(true);
        Eol { automatic: guessed, text: guessed, crlf: self.autocrlf == Some(true) }
    }
}

impl Repo {
    /// The conversion of a path, from its attributes and `core.autocrlf` and `core.eol`.
    ///
    /// # Errors
    /// Attributes or configuration cannot be read.
    pub fn conversion(&self, path: &str, source: Source, index: &Index) -> Result<Conversion> {
        if source == Source::Checkout && !self.has_attributes(path, index)? {
            return Ok(Conversion::Eol(self.core()?.without_attributes()));
        }
        self.looked_up(path, source)
    }

    /// The conversion of a path of the checkout, without an index at hand.
    pub(super) fn conversion_of_checkout(&self, path: &str) -> Result<Conversion> {
        // Which libgit2 would read by itself, unless it is one that it cannot read.
        if !self.attribute_index.get() {
            self.read_index()?;
            self.attribute_index.set(true);
        }
        self.looked_up(path, Source::Checkout)
    }

    fn looked_up(&self, path: &str, source: Source) -> Result<Conversion> {
        let flags = match source {
            Source::Checkout => git2::AttrCheckFlags::FILE_THEN_INDEX,
            Source::Index => git2::AttrCheckFlags::INDEX_THEN_FILE,
            Source::IndexOnly => git2::AttrCheckFlags::INDEX_ONLY,
        };
        let attribute = |name: &str| {
            let value = self.git.get_attr_bytes(Path::new(path), name, flags);
            let value = value.map_err(|e| Error::git(format!("read the attributes of {path}"), e))?;
            Ok::<_, Error>(git2::AttrValue::always_bytes(value))
        };
        use git2::AttrValue::{Bytes, False, String, True, Unspecified};
        let text = |value: git2::AttrValue<'_>| match value {
            Unspecified => "unspecified".to_owned(),
            True => "set".to_owned(),
            False => "unset".to_owned(),
            Bytes(bytes) => std::string::String::from_utf8_lossy(bytes).into_owned(),
            String(text) => text.to_owned(),
        };
        let filter = text(attribute("filter")?);
        let (encoding, ident) = (text(attribute("working-tree-encoding")?), text(attribute("ident")?));
        match self.conversion_by_git(&filter, &encoding, &ident)? {
            Conversion::Eol(_) => {}
            by_git => return Ok(by_git),
        }
        let is = |value: &git2::AttrValue<'_>, text: &str| match value {
            Bytes(bytes) => *bytes == text.as_bytes(),
            String(string) => *string == text,
            _ => false,
        };
        // `crlf` is what `text` was called once.
        let mut text = attribute("text")?;
        if matches!(text, Unspecified) {
            text = attribute("crlf")?;
        }
        let eol = attribute("eol")?;
        let core = self.core()?;
        let native = match (core.autocrlf, core.eol_crlf) {
            (Some(true), _) => true,
            _ if core.input => false,
            (_, Some(crlf)) => crlf,
            (_, None) => cfg!(windows),
        };
        let (text, automatic) = match text {
            False => (Some(false), false),
            True => (Some(true), false),
            ref value if is(value, "auto") => (Some(true), true),
            ref value if is(value, "input") => {
                return Ok(Conversion::Eol(Eol { automatic: false, text: true, crlf: false }));
            }
            _ => (None, false),
        };
        let explicit = if is(&eol, "crlf") {
            Some(true)
        } else if is(&eol, "lf") {
            Some(false)
        } else {
            None
        };
        Ok(Conversion::Eol(match (text, explicit) {
            (Some(false), _) => Eol { automatic: false, text: false, crlf: false },
            (Some(true), Some(crlf)) => Eol { automatic, text: true, crlf },
            (Some(true), None) => Eol { automatic, text: true, crlf: native },
            (None, Some(crlf)) => Eol { automatic: false, text: true, crlf },
            (None, None) => core.without_attributes(),
        }))
    }

    /// What git itself does to a file with these attributes, named as `git check-attr` names them; line endings if
    /// nothing.
    pub(super) fn conversion_by_git(&self, filter: &str, encoding: &str, ident: &str) -> Result<Conversion> {
        let named = |value: &str| !["unspecified", "set", "unset", ""].contains(&value);
        // A filter that is not configured is none (gitattributes(5), "filter").
        let filter = (named(filter) && self.has_filter(filter)?).then(|| format!("filter={filter}"));
        // UTF-8 is what git has anyway.
        let is_utf8 = |name: &str| ["utf-8", "utf8"].iter().any(|utf8| name.eq_ignore_ascii_case(utf8));
        let encoding =
            (named(encoding) && !is_utf8(encoding)).then(|| format!("working-tree-encoding={encoding}"));
        let filter = filter.or_else(|| (ident == "set").then(|| "ident".to_owned()));
        Ok(match (filter, encoding) {
            (None, None) => Conversion::Eol(self.core()?.without_attributes()),
            (Some(filter), None) => Conversion::Filtered(filter),
            (None, Some(encoding)) => Conversion::Encoded(encoding),
            (Some(filter), Some(encoding)) => {
                Conversion::FilteredAndEncoded(format!("{filter} and {encoding}"))
            }
        })
    }

    /// Whether any attribute file could speak of the path. Mostly none can, and libgit2 would look for each of them
    /// once for every attribute.
    fn has_attributes(&self, path: &str, index: &Index) -> Result<bool> {
        let everywhere = match self.attributes_everywhere.get() {
            Some(known) => *known,
            None => {
                let found = self.has_shared_attributes()?;
                *self.attributes_everywhere.get_or_init(|| found)
            }
        };
        if everywhere {
            return Ok(true);
        }
        let mut known = self.attributes_in.borrow_mut();
        let mut end = path.len();
        loop {
            let directory = path[..end].rfind('/').map(|slash| &path[..slash]);
            let file = directory
                .map_or(".gitattributes".to_owned(), |directory| format!("{directory}/.gitattributes"));
            let found = match known.get(&file) {
                Some(found) => *found,
                None => {
                    let on_disk =
                        self.workdir().is_some_and(|top| top.join(&file).symlink_metadata().is_ok());
                    let found = on_disk || index.get(&file).is_some();
                    known.insert(file, found);
                    found
                }
            };
            match directory {
                _ if found => return Ok(true),
                Some(directory) => end = directory.len(),
                None => return Ok(false),
            }
        }
    }

    fn has_shared_attributes(&self) -> Result<bool> {
        Ok(!self.shared_attributes()?.is_empty())
    }

    /// The attribute files that hold for the whole repository (gitattributes(5), "Files"), and are there.
    pub(super) fn shared_attributes(&self) -> Result<Vec<PathBuf>> {
        let home = |rest: &str| std::env::var_os("HOME").map(|home| Path::new(&home).join(rest));
        let user = match self.config().string("core.attributesfile")? {
            Some(path) => match path.strip_prefix("~/") {
                Some(rest) => home(rest),
                None => Some(PathBuf::from(path)),
            },
            None => match std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty()) {
                Some(config) => Some(Path::new(&config).join("git/attributes")),
                None => home(".config/git/attributes"),
            },
        };
        let own = self.common_dir().join("info/attributes");
        Ok([Some(own), user, Some(PathBuf::from("/etc/gitattributes"))]
            .into_iter()
            .flatten()
            .filter(|path| path.exists())
            .collect())
    }

    /// Reads attributes from that index from now on (with [`Source::Index`]), as git does when it checks out. It is for
    /// that alone: it may be written anew.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn read_attributes_from(&self, index: &Path) -> Result<()> {
        self.set_attribute_index(&mut self.open_scratch_index(index)?)
    }

    /// Gives libgit2 an index to read attribute files from, where they are not on the disk.
    pub(super) fn set_attribute_index(&self, index: &mut git2::Index) -> Result<()> {
        self.git.set_index(index).map_err(|e| Error::git("read the prepared index", e))?;
        self.attribute_index.set(true);
        Ok(())
    }

    fn has_filter(&self, name: &str) -> Result<bool> {
        for key in ["smudge", "clean", "process"] {
            if self
                .config()
                .string(&format!("filter.{name}.{key}"))?
                .is_some_and(|command| !command.is_empty())
            {
                return Ok(true);
            }
        }
        Ok(self.config().bool(&format!("filter.{name}.required"))?.unwrap_or(false))
    }

    fn core(&self) -> Result<Core> {
        let autocrlf = self.config().string("core.autocrlf")?;
        let input = autocrlf.as_deref().is_some_and(|value| value.eq_ignore_ascii_case("input"));
        let autocrlf = if input { None } else { self.config().bool("core.autocrlf")? };
        let eol_crlf =
            match self.config().string("core.eol")?.map(|value| value.to_ascii_lowercase()).as_deref() {
                Some("crlf") => Some(true),
                Some("lf") => Some(false),
                _ => None,
            };
        Ok(Core { autocrlf, input, eol_crlf })
    }
}

/// What git counts to tell text from binary.
#[derive(Debug, Default)]
struct Statistics {
    nul: usize,
    lone_cr: usize,
    lone_lf: usize,
    crlf: usize,
    printable: usize,
    other: usize,
}

impl Statistics {
    fn of(bytes: &[u8]) -> Self {
        let mut all = Self::default();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => {
                    all.crlf += 1;
                    at += 1;
                }
                b'\r' => all.lone_cr += 1,
                b'\n' => all.lone_lf += 1,
                0 => {
                    all.nul += 1;
                    all.other += 1;
                }
                // Backspace, tab, escape, form feed.
                8 | 9 | 27 | 12 => all.printable += 1,
                127 | 1..=31 => all.other += 1,
                _ => all.printable += 1,
            }
            at += 1;
        }
        // An end-of-file mark of old does not make a file binary.
        if bytes.last() == Some(&26) {
            all.other -= 1;
        }
        all
    }

    fn is_binary(&self) -> bool {
        self.lone_cr > 0 || self.nul > 0 || (self.printable >> 7) < self.other
    }
}

impl Eol {
    /// The bytes of the checkout's file for a blob.
    pub fn to_checkout(self, blob: &[u8]) -> Vec<u8> {
        if !self.text || !self.crlf || blob.is_empty() {
            return blob.to_vec();
        }
        let found = Statistics::of(blob);
        if found.lone_lf == 0
            || (self.automatic && (found.lone_cr > 0 || found.crlf > 0 || found.is_binary()))
        {
            return blob.to_vec();
        }
        let mut bytes = Vec::with_capacity(blob.len() + found.lone_lf);
        for (at, &byte) in blob.iter().enumerate() {
            if byte == b'\n' && (at == 0 || blob[at - 1] != b'\r') {
                bytes.push(b'\r');
            }
            bytes.push(byte);
        }
        bytes
    }

    /// The blob that git would make of the checkout's file. `indexed` is the blob that the index has, whose CRLFs
    /// protect the file's where the attributes only guess.
    pub fn to_blob(self, file: &[u8], indexed: Option<&[u8]>) -> Vec<u8> {
        if !self.text {
            return file.to_vec();
        }
        let found = Statistics::of(file);
        if found.crlf == 0 {
            return file.to_vec();
        }
        if self.automatic {
            let guards = |blob: &[u8]| {
                let blob = Statistics::of(blob);
                blob.crlf > 0 && !blob.is_binary()
            };
            if found.is_binary() || indexed.is_some_and(guards) {
                return file.to_vec();
            }
        }
        let mut bytes = Vec::with_capacity(file.len());
        for (at, &byte) in file.iter().enumerate() {
            if byte != b'\r' || file.get(at + 1) != Some(&b'\n') {
                bytes.push(byte);
            }
        }
        bytes
    }
}
