//! How a file's content differs between the repository and the checkout (gitattributes(5), "End-of-line conversion").
//!
//! Done here and not by libgit2 because its checkout follows links, and its configuration misses `git -c`.

use super::convert::{Converter, Endings};
use super::index::Index;
use super::repo::Repo;
use super::{Error, Result};
use std::path::{Path, PathBuf};

/// What stands between a blob and its file in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// What is done here: line endings and `$Id$`, or nothing.
    Own(Converter),
    /// Something that only git itself does; the text names the attribute.
    External(String),
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
    /// What holds for a file that no attribute says anything about.
    fn without_attributes(self) -> Endings {
        match (self.autocrlf, self.input) {
            (Some(true), _) => Endings::Guessed { crlf: true },
            (_, true) => Endings::Guessed { crlf: false },
            _ => Endings::Kept,
        }
    }

    /// Whether text has CRLF in the checkout where no attribute says which.
    fn crlf(self) -> bool {
        match (self.autocrlf, self.eol_crlf) {
            (Some(true), _) => true,
            _ if self.input => false,
            (_, Some(crlf)) => crlf,
            (_, None) => cfg!(windows),
        }
    }
}

/// What `text`, or `crlf`, as it was called once, says of a file.
#[derive(Clone, Copy)]
enum Text {
    Yes,
    No,
    Guess,
    /// Text that has LF in the checkout.
    Input,
}

impl Repo {
    /// The conversion of a path, from its attributes and `core.autocrlf` and `core.eol`.
    ///
    /// # Errors
    /// Attributes or configuration cannot be read.
    pub fn conversion(&self, path: &str, source: Source, index: &Index) -> Result<Conversion> {
        use git2::AttrValue::{Bytes, False, String as Word, True, Unspecified};
        let core = self.core()?;
        if let Some(tree) = self.attribute_tree()? {
            return Ok(Conversion::External(tree));
        }
        let own = |endings, ident| Ok(Conversion::Own(Converter { endings, ident }));
        if source == Source::Checkout && !self.has_attributes(path, index)? {
            return own(core.without_attributes(), false);
        }
        self.show_attributes_file()?;
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
        // A filter that is not configured is none (gitattributes(5), "filter").
        if let Some(name) = word(&attribute("filter")?)
            && self.has_filter(&name)?
        {
            return Ok(Conversion::External(format!("filter={name}")));
        }
        let encoding = attribute("working-tree-encoding")?;
        match word(&encoding) {
            // UTF-8 is what git has anyway.
            Some(name) if ["", "utf-8", "utf8"].contains(&name.to_ascii_lowercase().as_str()) => {}
            Some(name) => return Ok(Conversion::External(format!("working-tree-encoding={name}"))),
            None if matches!(encoding, Unspecified) => {}
            // Git refuses both.
            None => return Ok(Conversion::External("working-tree-encoding".to_owned())),
        }
        let text = |name: &str| {
            let value = attribute(name)?;
            Ok::<_, Error>(match &value {
                True => Some(Text::Yes),
                False => Some(Text::No),
                value => match word(value).as_deref() {
                    Some("auto") => Some(Text::Guess),
                    Some("input") => Some(Text::Input),
                    _ => None,
                },
            })
        };
        let text = match text("text")? {
            None => text("crlf")?,
            said => said,
        };
        let crlf = match word(&attribute("eol")?).as_deref() {
            Some("crlf") => Some(true),
            Some("lf") => Some(false),
            _ => None,
        };
        let endings = match (text, crlf) {
            (Some(Text::No), _) => Endings::Kept,
            (Some(Text::Guess), crlf) => Endings::Guessed { crlf: crlf.unwrap_or(core.crlf()) },
            (_, Some(crlf)) => Endings::Text { crlf },
            (Some(Text::Yes), None) => Endings::Text { crlf: core.crlf() },
            (Some(Text::Input), None) => Endings::Text { crlf: false },
            (None, None) => core.without_attributes(),
        };
        own(endings, matches!(attribute("ident")?, True))
    }

    /// The setting by which git reads attributes from a tree, and not from the checkout.
    fn attribute_tree(&self) -> Result<Option<String>> {
        let by_environment = std::env::var_os("GIT_ATTR_SOURCE").filter(|tree| !tree.is_empty());
        if let Some(tree) = by_environment {
            return Ok(Some(format!("GIT_ATTR_SOURCE={}", tree.to_string_lossy())));
        }
        Ok(self.config().string("attr.tree")?.map(|tree| format!("attr.tree={tree}")))
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

    /// The attribute files that hold for the whole repository (gitattributes(5), "Files").
    fn has_shared_attributes(&self) -> Result<bool> {
        let home = |rest: &str| std::env::var_os("HOME").map(|home| Path::new(&home).join(rest));
        let user = match self.attributes_file()? {
            Some(path) => Some(path),
            None => match std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty()) {
                Some(config) => Some(Path::new(&config).join("git/attributes")),
                None => home(".config/git/attributes"),
            },
        };
        let own = self.common_dir().join("info/attributes");
        Ok([Some(own), user, Some(PathBuf::from("/etc/gitattributes"))]
            .into_iter()
            .flatten()
            .any(|path| path.exists()))
    }

    /// The file that `core.attributesFile` names. Git is at the top of the work tree when it opens it.
    fn attributes_file(&self) -> Result<Option<PathBuf>> {
        let Some(path) = self.config().string("core.attributesfile")?.filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        Ok(Some(match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
            (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
            _ => self.workdir().unwrap_or(self.git_dir()).join(path),
        }))
    }

    /// Tells libgit2 of that file, which it would look for from the current directory, and not find where `git -c` or the
    /// environment names it.
    fn show_attributes_file(&self) -> Result<()> {
        if self.attributes_config.get().is_some() {
            return Ok(());
        }
        let Some(path) = self.attributes_file()? else { return Ok(()) };
        let failed = |e| Error::git("read core.attributesFile", e);
        let written = || -> std::io::Result<tempfile::TempPath> {
            let mut file = tempfile::NamedTempFile::new()?;
            let quoted = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
            let text = format!("[core]\n\tattributesFile = \"{}\"\n", quoted.replace('\n', "\\n"));
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            Ok(file.into_temp_path())
        };
        let file = written().map_err(|e| Error::io("write", std::env::temp_dir(), e))?;
        let mut config = self.git.config().map_err(failed)?;
        config.add_file(&file, git2::ConfigLevel::App, true).map_err(failed)?;
        let _ = self.attributes_config.set(file);
        Ok(())
    }

    /// Reads attributes from that index from now on (with [`Source::Index`]), as git does when it checks out.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn read_attributes_from(&self, index: &Path) -> Result<()> {
        let opened = git2::Index::open(index).and_then(|mut index| self.git.set_index(&mut index));
        opened.map_err(|e| Error::git("read the prepared index", e))
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
