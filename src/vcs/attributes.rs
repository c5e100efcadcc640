//! How a file's content differs between the repository and the checkout (gitattributes(5), "End-of-line conversion").
//!
//! Libgit2's own checkout is not used because it follows links, and its configuration misses `git -c`.

use super::config;
use super::convert::{CRLF, Converter, GUESSED, KEPT};
use super::index::{Index, index_entry};
use super::repo::Repo;
use super::tree::Entry;
use super::{Error, Result, once};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How git turns a blob into its file in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// Line endings and `$Id$`, or nothing.
    Own(Converter),
    /// Git runs a filter on the file's text. The text names the attribute.
    Filtered(String),
    /// The file has another encoding; the blob is UTF-8. The text names the attribute.
    Encoded(String),
    /// An encoding together with a filter or `ident`: only git can make UTF-8 text of the file.
    FilteredAndEncoded(String),
}

/// Where attributes are read from first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The checkout's files, then the index, as for `git add`.
    Checkout,
    /// The new index, then the checkout's files, as for `git checkout`.
    Index,
    /// The new index alone, because the landing deletes an attribute file of the checkout.
    IndexOnly,
}

/// The attribute files that may apply to a path (gitattributes(5)), the nearest first.
pub(super) fn attribute_files(path: &str) -> impl Iterator<Item = String> {
    let directories = path.rmatch_indices('/').map(|(slash, _)| &path[..=slash]);
    directories.chain([""]).map(|directory| format!("{directory}.gitattributes"))
}

/// Remembers which attribute files matter for a question, such as whether they mention a filter.
#[derive(Default)]
pub(super) struct AttributeFiles {
    /// Whether a file that applies to the whole repository matters; empty until the first question.
    shared: OnceCell<bool>,
    /// Whether a file in the tree matters, by its path.
    by_path: RefCell<BTreeMap<String, bool>>,
}

impl AttributeFiles {
    /// Returns whether any attribute file that may apply to the path matters. `shared` answers that for the files that
    /// apply to the whole repository, `matters` for a file in the tree.
    pub(super) fn any(
        &self,
        path: &str,
        shared: impl FnOnce() -> Result<bool>,
        matters: impl Fn(&str) -> Result<bool>,
    ) -> Result<bool> {
        if *once(&self.shared, shared)? {
            return Ok(true);
        }
        for file in attribute_files(path) {
            let known = self.by_path.borrow().get(&file).copied();
            let found = known.map_or_else(|| matters(&file), Ok)?;
            self.by_path.borrow_mut().insert(file, found);
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns whether lines end in CRLF, by a value of the attribute `eol` or of `core.eol`; `None` if it says nothing.
fn ends_in_crlf(eol: Option<String>) -> Option<bool> {
    match eol?.as_str() {
        "crlf" => Some(true),
        "lf" => Some(false),
        _ => None,
    }
}

impl Repo {
    /// The conversion of a path, from its attributes and `core.autocrlf` and `core.eol`.
    ///
    /// # Errors
    /// Attributes or configuration cannot be read.
    pub fn conversion(&self, path: &str, source: Source, index: &Index) -> Result<Conversion> {
        if let Some(tree) = self.attribute_tree()? {
            return Err(Error::Unsupported {
                what: format!("git converts {path} ({tree})"),
                help: "use -b <branch>, which leaves the checkout alone".into(),
            });
        }
        if source == Source::Checkout && !self.has_attributes(path, index)? {
            let (endings, _) = self.core_endings()?;
            return Ok(Conversion::Own(Converter { endings, ident: false }));
        }
        self.look_up_conversion(path, source)
    }

    /// Reads the index into libgit2 if it has none yet. Libgit2 looks up attributes there when it merges or diffs, and
    /// fails if it cannot read the file by itself.
    pub(super) fn load_attribute_index(&self) -> Result<()> {
        if !self.attribute_index.get() {
            self.read_index()?;
            self.attribute_index.set(true);
        }
        Ok(())
    }

    pub(super) fn look_up_conversion(&self, path: &str, source: Source) -> Result<Conversion> {
        use git2::AttrValue::{Bytes, False, String as Word, True, Unspecified};
        self.load_attributes_file()?;
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
        let word = |value: &git2::AttrValue<'_>| match value {
            Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Word(text) => Some((*text).to_owned()),
            _ => None,
        };
        // The value as `git check-attr` prints it.
        let printed = |name: &str| {
            let value = attribute(name)?;
            Ok::<_, Error>(match &value {
                Unspecified => "unspecified".to_owned(),
                True => "set".to_owned(),
                False => "unset".to_owned(),
                value => word(value).unwrap_or_default(),
            })
        };
        let is_ident = matches!(attribute("ident")?, True);
        if let Some(by_git) =
            self.conversion_by_git(&printed("filter")?, &printed("working-tree-encoding")?, is_ident)?
        {
            return Ok(by_git);
        }
        let (unspecified, crlf) = self.core_endings()?;
        let eol = ends_in_crlf(word(&attribute("eol")?));
        if !eol.unwrap_or(crlf) {
            return Ok(Conversion::Own(Converter { endings: KEPT, ident: is_ident }));
        }
        let by_eol = if eol.is_some() { CRLF } else { KEPT };
        let text = |name: &str| {
            let value = attribute(name)?;
            Ok::<_, Error>(match &value {
                True => Some(CRLF),
                False => Some(KEPT),
                value => match word(value).as_deref() {
                    Some("auto") => Some(GUESSED),
                    Some("input") => Some(by_eol),
                    _ => None,
                },
            })
        };
        // `crlf` is the old name of `text` (gitattributes(5), "Backwards compatibility").
        let text = match text("text")? {
            None => text("crlf")?,
            text => text,
        };
        let endings = text.unwrap_or(if eol.is_some() { by_eol } else { unspecified });
        Ok(Conversion::Own(Converter { endings, ident: is_ident }))
    }

    /// The setting that makes git read attributes from a tree instead of the checkout.
    pub(super) fn attribute_tree(&self) -> Result<Option<String>> {
        let by_environment = std::env::var_os("GIT_ATTR_SOURCE").filter(|tree| !tree.is_empty());
        if let Some(tree) = by_environment {
            return Ok(Some(format!("GIT_ATTR_SOURCE={}", tree.to_string_lossy())));
        }
        Ok(self.config().string("attr.tree")?.map(|tree| format!("attr.tree={tree}")))
    }

    /// Returns the conversion that only git can do for these attribute values, as `git check-attr` prints them; `None`
    /// if they need none.
    pub(super) fn conversion_by_git(
        &self,
        filter: &str,
        encoding: &str,
        ident: bool,
    ) -> Result<Option<Conversion>> {
        let named = |value: &str| !["unspecified", "set", "unset", ""].contains(&value);
        // Git ignores a filter that is not configured (gitattributes(5), "filter").
        let filter = (named(filter) && self.has_filter(filter)?).then(|| format!("filter={filter}"));
        let encoding = match encoding.to_ascii_lowercase().as_str() {
            // Blobs are UTF-8 already.
            "unspecified" | "" | "utf-8" | "utf8" => None,
            // Git refuses these with an error.
            "set" | "unset" => Some("working-tree-encoding".to_owned()),
            _ => Some(format!("working-tree-encoding={encoding}")),
        };
        Ok(match (filter, encoding) {
            (None, None) => None,
            (Some(filter), None) => Some(Conversion::Filtered(filter)),
            (None, Some(encoding)) if !ident => Some(Conversion::Encoded(encoding)),
            (filter, Some(encoding)) => {
                let filter = filter.unwrap_or_else(|| "ident".to_owned());
                Some(Conversion::FilteredAndEncoded(format!("{filter} and {encoding}")))
            }
        })
    }

    /// Returns whether any attribute file may apply to the path. Usually none does, and libgit2 would look for each
    /// file once per attribute.
    fn has_attributes(&self, path: &str, index: &Index) -> Result<bool> {
        let on_disk =
            |file: &str| self.workdir().is_some_and(|top| top.join(file).symlink_metadata().is_ok());
        self.attribute_files.any(
            path,
            || Ok(!self.shared_attributes()?.is_empty()),
            |file| Ok(on_disk(file) || index.get(file).is_some()),
        )
    }

    /// The attribute files that apply to the whole repository (gitattributes(5), "Files") and exist.
    pub(super) fn shared_attributes(&self) -> Result<Vec<PathBuf>> {
        let user = self.attributes_file()?.or_else(|| config::user_file("attributes"));
        let own = self.common_dir().join("info/attributes");
        Ok([Some(own), user, Some(PathBuf::from("/etc/gitattributes"))]
            .into_iter()
            .flatten()
            .filter(|path| path.exists())
            .collect())
    }

    /// The file that `core.attributesFile` names, relative to the top of the work tree.
    fn attributes_file(&self) -> Result<Option<PathBuf>> {
        let path = self.config().path("core.attributesfile")?;
        Ok(path.map(|path| self.workdir().unwrap_or(self.git_dir()).join(path)))
    }

    /// Tells libgit2 the absolute path of `core.attributesFile`: by itself it starts from the current directory, and does
    /// not know `git -c` and the environment.
    fn load_attributes_file(&self) -> Result<()> {
        if self.attributes_config.get().is_some() {
            return Ok(());
        }
        let Some(path) = self.attributes_file()? else { return Ok(()) };
        let failed = |e| Error::git("read core.attributesFile", e);
        let quoted = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("[core]\n\tattributesFile = \"{}\"\n", quoted.replace('\n', "\\n"));
        let directory = self.temporary()?;
        let file = directory.path().join("config");
        std::fs::write(&file, text).map_err(|e| Error::io("write", &file, e))?;
        let mut config = self.git.config().map_err(failed)?;
        config.add_file(&file, git2::ConfigLevel::App, true).map_err(failed)?;
        let _ = self.attributes_config.set(directory);
        Ok(())
    }

    /// Makes [`Source::Index`] read the attributes of the changed paths from the index that the landing will leave, as
    /// git does for a checkout.
    ///
    /// # Errors
    /// The library fails.
    pub fn read_attributes_of(&self, index: &Index, changes: &BTreeMap<&str, Option<Entry>>) -> Result<()> {
        let failed = |e| Error::git("read the attributes of the new index", e);
        let mut new = git2::Index::new_ext(self.format()).map_err(failed)?;
        for file in changes.keys().flat_map(|path| attribute_files(path)).collect::<BTreeSet<_>>() {
            let known = || index.get(&file).map(|indexed| indexed.entry);
            if let Some(entry) = changes.get(file.as_str()).copied().unwrap_or_else(known) {
                new.add(&index_entry(file.as_bytes(), entry)).map_err(failed)?;
            }
        }
        self.set_attribute_index(&mut new)
    }

    /// Gives libgit2 an index to read attribute files from.
    pub(super) fn set_attribute_index(&self, index: &mut git2::Index) -> Result<()> {
        self.give_all_to_libgit2()?;
        self.git.set_index(index).map_err(|e| Error::git("read the index", e))?;
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

    /// Returns the line endings of a file without attributes, and whether text has CRLF in the checkout if no attribute
    /// says otherwise.
    fn core_endings(&self) -> Result<(&'static str, bool)> {
        let autocrlf = self.config().string("core.autocrlf")?;
        let is_input = autocrlf.is_some_and(|value| value.eq_ignore_ascii_case("input"));
        if !is_input && self.config().bool("core.autocrlf")?.unwrap_or(false) {
            return Ok((GUESSED, true));
        }
        let eol = self.config().string("core.eol")?.map(|value| value.to_ascii_lowercase());
        Ok((KEPT, !is_input && ends_in_crlf(eol).unwrap_or(cfg!(windows))))
    }
}
