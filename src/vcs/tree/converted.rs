//! Converts between blobs and the text of files: edits are made on the text that git would check out, and stored as git
//! would store it.

use super::{BaseTree, MAX_EDITED_FILE};
use crate::path::RepoPath;
use crate::vcs::attributes::Conversion;
use crate::vcs::convert::{collapse_ident, expand_ident};
use crate::vcs::filters::Attributes;
use crate::vcs::packer::Text;
use crate::vcs::{Error, Oid, Result};
use memchr::memmem;
use std::path::PathBuf;

/// The attributes that convert text. Only attribute files with one of these words matter.
const WORDS: &[&str] = &["filter", "working-tree-encoding", "ident"];

impl BaseTree<'_> {
    /// Chooses the checkout's attributes (the default if there is a checkout), or those in the tree.
    #[must_use]
    pub fn as_checked_out(self, checked_out: bool) -> Self {
        Self { checked_out, ..self }
    }

    fn attributes(&self) -> Attributes {
        match self.checked_out {
            true => Attributes::Checkout,
            false => Attributes::Tree(self.id()),
        }
    }

    /// The attribute by which git itself converts the file at a path, if it does.
    ///
    /// # Errors
    /// Attributes or configuration cannot be read.
    pub fn converted_by(&self, path: &RepoPath) -> Result<Option<String>> {
        Ok(match self.conversion(path)? {
            None | Some(Conversion::Own(_)) => None,
            Some(
                Conversion::Filtered(what) | Conversion::Encoded(what) | Conversion::FilteredAndEncoded(what),
            ) => Some(what),
        })
    }

    /// Returns whether an attribute file with this content may make git convert files.
    pub fn may_convert(content: &[u8]) -> bool {
        WORDS.iter().any(|word| memmem::find(content, word.as_bytes()).is_some())
    }

    pub(super) fn text_of(&self, path: &RepoPath, id: Oid) -> Result<Vec<u8>> {
        if self.repo.blob_size(id)? > MAX_EDITED_FILE {
            return Err(Error::TooLarge { path: path.to_string(), limit: MAX_EDITED_FILE });
        }
        match self.conversion(path)? {
            Some(Conversion::Filtered(_)) => self.repo.smudge(path.as_str(), id, self.attributes()),
            Some(Conversion::Own(converter)) if converter.ident => {
                expand_ident(self.repo, self.repo.blob(id)?)
            }
            Some(Conversion::FilteredAndEncoded(what)) => Err(unknown_text(path, &what)),
            _ => self.repo.blob(id),
        }
    }

    pub(super) fn store_text(&self, path: &RepoPath, text: &Text) -> Result<Oid> {
        match self.conversion(path)? {
            Some(Conversion::Filtered(what)) => {
                self.check_filter(path, &what)?;
                self.repo.put_blob(&self.repo.clean(path.as_str(), &text.bytes(), self.attributes())?)
            }
            Some(Conversion::FilteredAndEncoded(what)) => Err(unknown_text(path, &what)),
            Some(Conversion::Own(converter)) if converter.ident => {
                self.repo.put_blob(&collapse_ident(self.repo, &text.bytes())?)
            }
            _ => self.repo.put_text(text),
        }
    }

    /// Returns whether the text of the file at a path is stored unchanged; `false` if that is unknown.
    pub(super) fn stores_text(&self, path: &RepoPath) -> bool {
        match self.conversion(path) {
            Ok(None | Some(Conversion::Encoded(_))) => true,
            Ok(Some(Conversion::Own(converter))) => !converter.ident,
            _ => false,
        }
    }

    /// Checks that the filter turns the unchanged file into the blob that it came from. Otherwise landing would change
    /// more than the edit does. That happens if the filter may fail and does, is configured differently now, or is
    /// lossy.
    fn check_filter(&self, path: &RepoPath, what: &str) -> Result<()> {
        let Some(entry) = self.stored(path)?.filter(|entry| entry.is_file()) else {
            return Ok(());
        };
        if self.filtered.borrow().contains(path) {
            return Ok(());
        }
        let text = self.text_of(path, entry.id)?;
        if self.repo.blob_id(&self.repo.clean(path.as_str(), &text, self.attributes())?)? != entry.id {
            let message = format!(
                "{what} does not restore the stored content; see 'git add --renormalize' in git-add(1)"
            );
            return Err(Error::Filter { path: path.to_string(), message });
        }
        self.filtered.borrow_mut().insert(path.clone());
        Ok(())
    }

    fn conversion(&self, path: &RepoPath) -> Result<Option<Conversion>> {
        if let Some(known) = self.conversions.borrow().get(path) {
            return Ok(known.clone());
        }
        let found = match self.may_be_converted(path)? {
            true => Some(self.repo.text_conversion(path.as_str(), self.attributes())?),
            false => None,
        };
        self.conversions.borrow_mut().insert(path.clone(), found.clone());
        Ok(found)
    }

    /// Returns whether an attribute file for the path mentions a conversion at all. Usually none does, and git need not
    /// be asked.
    fn may_be_converted(&self, path: &RepoPath) -> Result<bool> {
        let in_shared = || {
            if self.checked_out && self.repo.attribute_tree()?.is_some() {
                return Ok(true);
            }
            let says = |file: &PathBuf| std::fs::read(file).is_ok_and(|text| Self::may_convert(&text));
            Ok(self.repo.shared_attributes()?.iter().any(says))
        };
        self.mentions.any(path.as_str(), in_shared, |file| self.file_mentions_conversion(file))
    }

    fn file_mentions_conversion(&self, file: &str) -> Result<bool> {
        let on_disk = self.repo.workdir().filter(|_| self.checked_out);
        if let Some(text) = on_disk.and_then(|top| std::fs::read(top.join(file)).ok()) {
            return Ok(Self::may_convert(&text));
        }
        let Some(tree) = &self.tree else { return Ok(false) };
        match self.repo.find_in(tree, file.as_bytes())? {
            Some((mode, id)) if mode & 0o170000 == 0o100000 => Ok(Self::may_convert(&self.repo.blob(id)?)),
            _ => Ok(false),
        }
    }
}

fn unknown_text(path: &RepoPath, what: &str) -> Error {
    Error::Unsupported {
        what: format!("git converts {path} ({what} in its attributes)"),
        help: "change that file by hand, and leave it out of the response".into(),
    }
}
