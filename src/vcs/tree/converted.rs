//! Converts between blobs and the text of files: edits are made on the text that git would check out, and stored as git
//! would store it.

use super::{BaseTree, MAX_EDITED_FILE};
use crate::path::RepoPath;
use crate::vcs::attributes::{Attributes, Conversion, Reach, attribute_files};
use crate::vcs::convert::{collapse_ident, expand_ident};
use crate::vcs::packer::Text;
use crate::vcs::{Error, Oid, Result, once};

impl BaseTree<'_> {
    /// Chooses the checkout's attributes (the default if there is a checkout), or those in the tree.
    #[must_use]
    pub fn as_checked_out(self, checked_out: bool) -> Self {
        Self { checked_out, ..self }
    }

    /// Which attributes apply.
    fn attributes(&self) -> Attributes<'static> {
        if self.checked_out { Attributes::Checkout } else { Attributes::Tree(self.id()) }
    }

    /// The same attributes, for git commands that start no filter. If all attribute files are in the checkout, git need
    /// not read the index, which takes long in a large repository.
    pub fn plain_attributes(&self) -> Attributes<'_> {
        match self.repo.workdir() {
            Some(top) if self.checked_out && !self.needs_index.get() => Attributes::Directory(top),
            _ => self.attributes(),
        }
    }

    /// How git converts the file at a path; `None` if nothing may convert it.
    ///
    /// # Errors
    /// Attributes or configuration cannot be read.
    pub fn conversion(&self, path: &str) -> Result<Option<Conversion>> {
        if let Some(known) = self.conversions.borrow().get(path) {
            return Ok(known.clone());
        }
        let found = match self.reach(path)? {
            Reach::Nothing => None,
            Reach::Endings => Some(Conversion::Endings),
            Reach::Text => Some(self.repo.conversion(path, self.plain_attributes())?),
        };
        self.conversions.borrow_mut().insert(path.to_owned(), found.clone());
        Ok(found)
    }

    pub(super) fn text_of(&self, path: &RepoPath, id: Oid) -> Result<Vec<u8>> {
        if self.repo.blob_size(id)? > MAX_EDITED_FILE {
            return Err(Error::TooLarge { path: path.to_string(), limit: MAX_EDITED_FILE });
        }
        match self.conversion(path.as_str())? {
            Some(Conversion::Filtered(_)) => self.repo.smudge(path.as_str(), id, self.attributes()),
            Some(Conversion::Ident) => expand_ident(self.repo, &self.repo.blob(id)?),
            Some(Conversion::FilteredAndEncoded(what)) => Err(unknown_text(path, &what)),
            _ => self.repo.blob(id),
        }
    }

    pub(super) fn store_text(&self, path: &RepoPath, text: &Text) -> Result<Oid> {
        match self.conversion(path.as_str())? {
            Some(Conversion::Filtered(what)) => {
                self.check_filter(path, &what)?;
                self.repo.put_blob(&self.repo.clean(path.as_str(), &text.bytes(), self.attributes())?)
            }
            Some(Conversion::Ident) => self.repo.put_blob(&collapse_ident(self.repo, &text.bytes())?),
            Some(Conversion::FilteredAndEncoded(what)) => Err(unknown_text(path, &what)),
            _ => self.repo.put_text(text),
        }
    }

    /// Returns whether the text of the file at a path is stored unchanged; `false` if that is unknown.
    pub(super) fn stores_text(&self, path: &RepoPath) -> bool {
        matches!(
            self.conversion(path.as_str()),
            Ok(None | Some(Conversion::Endings | Conversion::Encoded(_)))
        )
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

    /// What the attributes of a path may change. Usually that is nothing, and git need not be asked.
    fn reach(&self, path: &str) -> Result<Reach> {
        let mut most = *once(&self.shared_reach, || self.repo.shared_reach(self.checked_out))?;
        for file in attribute_files(path) {
            let known = self.reaches.borrow().get(&file).copied();
            let found = known.map_or_else(|| self.reach_of(&file), Ok)?;
            self.reaches.borrow_mut().insert(file, found);
            most = most.max(found);
        }
        Ok(most)
    }

    fn reach_of(&self, file: &str) -> Result<Reach> {
        let on_disk = self.repo.workdir().filter(|_| self.checked_out);
        if let Some(text) = on_disk.and_then(|top| std::fs::read(top.join(file)).ok()) {
            return Ok(Reach::of(&text));
        }
        let Some(tree) = &self.tree else { return Ok(Reach::Nothing) };
        match self.repo.find_in(tree, file.as_bytes())? {
            Some(entry) if entry.is_file() => {
                self.needs_index.set(true);
                Ok(Reach::of(&self.repo.blob(entry.id)?))
            }
            _ => Ok(Reach::Nothing),
        }
    }
}

fn unknown_text(path: &RepoPath, what: &str) -> Error {
    Error::Unsupported {
        what: format!("git converts {path} ({what} in its attributes)"),
        help: "change that file by hand, and leave it out of the response".into(),
    }
}
