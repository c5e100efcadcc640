//! How git converts a file between the repository and the checkout (gitattributes(5)): line endings, `$Id$`, filters and
//! encodings.
//!
//! Git does all of it. Here is only found out whether git has to be asked, because usually nothing converts a file.

use super::config;
use super::repo::Repo;
use super::temporary::Temporary;
use super::tree::Entry;
use super::{Error, Oid, Result, process};
use memchr::memmem;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How git turns a blob into its file in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// At most the line endings differ.
    Endings,
    /// Git expands `$Id$`.
    Ident,
    /// Git runs a filter on the file's text. The text names the attribute.
    Filtered(String),
    /// The file has another encoding; the blob is UTF-8. The text names the attribute.
    Encoded(String),
    /// An encoding together with a filter or `ident`: only git can make UTF-8 text of the file.
    FilteredAndEncoded(String),
}

impl Conversion {
    /// The attribute by which git changes more than line endings and `$Id$`.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::Endings | Self::Ident => None,
            Self::Filtered(what) | Self::Encoded(what) | Self::FilteredAndEncoded(what) => Some(what),
        }
    }
}

/// Which attributes apply.
#[derive(Debug, Clone, Copy)]
pub enum Attributes<'a> {
    /// The checkout's, as for `git add` there.
    Checkout,
    /// Those of a tree that is not checked out; `None` for the empty tree.
    Tree(Option<Oid>),
    /// Those of the attribute files in this directory, at the same paths as in a checkout.
    Directory(&'a Path),
}

impl Attributes<'_> {
    /// Makes a git command read attributes from here.
    pub(super) fn set(self, repo: &Repo, command: &mut Command) {
        match self {
            Attributes::Checkout | Attributes::Tree(None) => {}
            Attributes::Tree(Some(tree)) => drop(command.arg(format!("--attr-source={tree}"))),
            Attributes::Directory(top) => {
                // Without an index.
                command.env("GIT_INDEX_FILE", repo.git_dir().join("no-index"));
                command.env("GIT_WORK_TREE", top).current_dir(top);
            }
        }
    }
}

/// What attributes or settings may change in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// Its line endings.
    Endings,
    /// Its text.
    Text,
}

/// The attributes that convert text.
const TEXT: [&str; 3] = ["filter", "working-tree-encoding", "ident"];

impl Reach {
    /// What an attribute file with this content may change. Without a setting, only attributes with this word make git
    /// write CRLF.
    pub fn of(content: &[u8]) -> Self {
        let has = |word: &str| memmem::find(content, word.as_bytes()).is_some();
        match () {
            () if TEXT.into_iter().any(has) => Self::Text,
            () if has("crlf") => Self::Endings,
            () => Self::Nothing,
        }
    }
}

/// The attribute files that may apply to a path (gitattributes(5)), the nearest first.
pub(super) fn attribute_files(path: &str) -> impl Iterator<Item = String> {
    let directories = path.rmatch_indices('/').map(|(slash, _)| &path[..=slash]);
    directories.chain([""]).map(|directory| format!("{directory}.gitattributes"))
}

impl Repo {
    /// Asks git how it converts the file at a path.
    pub(super) fn conversion(&self, path: &str, attributes: Attributes<'_>) -> Result<Conversion> {
        let mut command = process::git(self);
        attributes.set(self, &mut command);
        command.args(["check-attr", "-z", "--stdin"]).args(TEXT);
        let output = process::output_for_input(&mut command, &[path.as_bytes(), b"\0"].concat())?;
        let printed = String::from_utf8_lossy(&process::checked(&command, output)?.stdout).into_owned();
        // Path, attribute and value, for each of the three attributes.
        let values: Vec<&str> = printed.split('\0').skip(2).step_by(3).collect();
        let [filter, encoding, ident] = values[..] else { return Ok(Conversion::Endings) };
        let is_named = !["unspecified", "set", "unset", ""].contains(&filter);
        // Git ignores a filter that is not configured (gitattributes(5), "filter").
        let is_set = is_named && self.config().names(&format!("filter.{filter}.")).next().is_some();
        let filter = is_set.then(|| format!("filter={filter}"));
        let encoding = match encoding.to_ascii_lowercase().as_str() {
            // Blobs are UTF-8 already.
            "unspecified" | "" | "utf-8" | "utf8" => None,
            // Git refuses these with an error.
            "set" | "unset" => Some("working-tree-encoding".to_owned()),
            _ => Some(format!("working-tree-encoding={encoding}")),
        };
        Ok(match (filter, encoding) {
            (None, None) if ident == "set" => Conversion::Ident,
            (None, None) => Conversion::Endings,
            (Some(filter), None) => Conversion::Filtered(filter),
            (None, Some(encoding)) if ident != "set" => Conversion::Encoded(encoding),
            (filter, Some(encoding)) => {
                let filter = filter.unwrap_or_else(|| "ident".to_owned());
                Conversion::FilteredAndEncoded(format!("{filter} and {encoding}"))
            }
        })
    }

    /// Makes a directory with the attribute files that will apply to these paths after the changes. `known` returns the
    /// entries of other attribute files.
    ///
    /// # Errors
    /// The object store or the file system fails.
    pub fn attribute_directory(
        &self,
        changes: &BTreeMap<&str, Option<Entry>>,
        known: impl Fn(&str) -> Option<Entry>,
    ) -> Result<Temporary> {
        let directory = self.temporary()?;
        for file in changes.keys().flat_map(|path| attribute_files(path)).collect::<BTreeSet<_>>() {
            let entry = changes.get(file.as_str()).copied().unwrap_or_else(|| known(&file));
            let Some(entry) = entry.filter(|entry| entry.is_file()) else { continue };
            let (path, content) = (directory.path().join(&file), self.blob(entry.id)?);
            let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(&path, content)).map_err(|e| Error::io("write", path, e))?;
        }
        Ok(directory)
    }

    /// The setting that makes git read attributes from a tree instead of the checkout.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub fn attribute_tree(&self) -> Result<Option<String>> {
        let by_environment = std::env::var_os("GIT_ATTR_SOURCE").filter(|tree| !tree.is_empty());
        if let Some(tree) = by_environment {
            return Ok(Some(format!("GIT_ATTR_SOURCE={}", tree.to_string_lossy())));
        }
        Ok(self.config().string("attr.tree")?.map(|tree| format!("attr.tree={tree}")))
    }

    /// What settings, and the attribute files that apply to the whole repository (gitattributes(5), "Files"), may change.
    pub(super) fn shared_reach(&self, checked_out: bool) -> Result<Reach> {
        if checked_out && self.attribute_tree()?.is_some() {
            return Ok(Reach::Text);
        }
        let config = self.config();
        let is = |key: &str, word: &str| {
            Ok(config.string(key)?.is_some_and(|value| value.eq_ignore_ascii_case(word)))
        };
        let is_crlf = is("core.eol", "crlf")?
            || !is("core.autocrlf", "input")? && config.bool("core.autocrlf")?.unwrap_or(false);
        let by_setting = if is_crlf { Reach::Endings } else { Reach::Nothing };
        let named = config.path("core.attributesfile")?;
        let named = named.map(|path| self.workdir().unwrap_or(self.git_dir()).join(path));
        let user = named.or_else(|| config::user_file("attributes"));
        let own = self.common_dir().join("info/attributes");
        let files = [Some(own), user, Some(PathBuf::from("/etc/gitattributes"))].into_iter().flatten();
        let reaches = files.filter_map(|file| Some(Reach::of(&std::fs::read(file).ok()?)));
        Ok(reaches.fold(by_setting, Reach::max))
    }
}
