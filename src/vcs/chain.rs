//! The chain of records: a reference whose commits are the records of landings, each with the previous record as its
//! first parent. The chain starts at a commit without parents, which is the same in every repository. Chains fetched from
//! other repositories are read together with the own one.

use super::commit::Draft;
use super::ident::Identities;
use super::repo::Repo;
use super::tree::{Changes, DIRECTORY, Entry, Named};
use super::{Oid, Result, process};
use crate::path::RepoPath;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// The reference of the own chain. It is not a branch, and `git push` and `git fetch` move it only if asked to.
pub const HISTORY: &str = "refs/llm-apply/history";

/// The directory in a record's tree with one file per response digest, which lists the landings of that response. So a
/// landing is found without reading the chain. Each record repeats the entries of the one before it.
const LANDED: &str = "landed";

/// The prefix of all chains' references.
const CHAINS: &str = "refs/llm-apply/";

/// The prefix of the references that say that a landing was undone in this repository; the record's id follows. They
/// point to where the branch was. Unlike the chains, they are never pushed or fetched.
pub const UNDONE: &str = "refs/llm-apply-undone/";

/// One record of the chain.
#[derive(Debug, Clone)]
pub struct Link {
    /// The commit.
    pub id: Oid,
    /// Its tree.
    pub tree: Oid,
    /// Its message.
    pub message: String,
    /// When it was made: seconds since 1970, and the zone in minutes.
    pub time: (i64, i32),
    /// The record before it, or the chain's first commit.
    pub before: Oid,
    /// Whether it belongs to the own chain.
    pub own: bool,
}

/// The records of all chains.
#[derive(Debug, Default)]
pub struct History {
    /// Each record once, the newest first; the records of one chain keep their order.
    pub links: Vec<Link>,
    /// How many chain references do not point to a commit.
    pub odd: usize,
}

impl Repo {
    /// The references of all chains and their tips, the own chain first.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn chains(&self) -> Result<Vec<(String, Oid)>> {
        let all = self.references_below(CHAINS)?.into_iter();
        let mut all: Vec<_> = all.map(|(rest, tip)| (format!("{CHAINS}{rest}"), tip)).collect();
        all.sort_by_key(|(name, _)| name != HISTORY);
        Ok(all)
    }

    /// The tip of the own chain, if its reference points to a commit.
    ///
    /// # Errors
    /// The reference cannot be read.
    pub fn own_chain(&self) -> Result<Option<Oid>> {
        Ok(self.value(HISTORY)?.filter(|id| self.git.find_commit(*id).is_ok()))
    }

    /// The records of one chain, the newest first. The iterator ends early if commits are missing, as in a shallow clone.
    pub fn chain(&self, tip: Oid, own: bool) -> impl Iterator<Item = Link> {
        std::iter::successors(self.link(tip, own), move |link| self.link(link.before, own))
    }

    /// The records of all chains.
    ///
    /// # Errors
    /// The references cannot be read.
    pub fn history(&self) -> Result<History> {
        let (mut history, mut chains) = (History::default(), Vec::new());
        for (name, tip) in self.chains()? {
            history.odd += usize::from(self.git.find_commit(tip).is_err());
            chains.push(self.chain(tip, name == HISTORY));
        }
        let count = chains.len();
        let mut seen = HashSet::new();
        // A chain ends at a record that was read through another chain, because that one also has all records before
        // it.
        let mut read = |at: usize| {
            let next = chains.get_mut(at).and_then(Iterator::next).filter(|link| seen.insert(link.id));
            next.map(|link| ((Reverse(link.time.0), at), link))
        };
        let mut next_of_each: BTreeMap<_, _> = (0..count).filter_map(&mut read).collect();
        while let Some(((_, at), link)) = next_of_each.pop_first() {
            history.links.push(link);
            next_of_each.extend(read(at));
        }
        Ok(history)
    }

    /// Reads a record; `None` at the chain's first commit.
    fn link(&self, id: Oid, own: bool) -> Option<Link> {
        let commit = self.git.find_commit(id).ok()?;
        let before = commit.parent_ids().next()?;
        let time = commit.committer().when();
        Some(Link {
            id,
            tree: commit.tree_id(),
            message: String::from_utf8_lossy(commit.message_bytes()).into_owned(),
            time: (time.seconds(), time.offset_minutes()),
            before,
            own,
        })
    }

    /// Writes a record after `before`, or after a new first commit. The commits in `keep` become parents, so that git
    /// does not prune them. No reference points to the record yet.
    ///
    /// # Errors
    /// The object store fails.
    pub fn write_record(
        &self,
        before: Option<Oid>,
        tree: Oid,
        message: &str,
        keep: &[Oid],
        who: &Identities,
    ) -> Result<Oid> {
        let before = match before {
            Some(before) => before,
            None => self.write_first_commit()?,
        };
        let mut parents = vec![before];
        for &kept in keep {
            if !parents.contains(&kept) {
                parents.push(kept);
            }
        }
        self.write_plain(&Draft { tree, parents: &parents, message }, &who.committer)
    }

    /// Writes a record again, with another tree and after another record.
    ///
    /// # Errors
    /// The object store fails.
    pub fn rewrite_record(&self, id: Oid, tree: Oid, before: Oid) -> Result<Oid> {
        let (_, data) = self.object(id)?;
        let length = id.to_string().len();
        let mut text = data.to_vec();
        for (key, value) in [(&b"tree "[..], tree), (b"\nparent ", before)] {
            let at = memchr::memmem::find(&text, key).map(|at| at + key.len());
            if let Some(place) = at.and_then(|at| text.get_mut(at..at + length)) {
                place.copy_from_slice(value.to_string().as_bytes());
            }
        }
        self.put(git2::ObjectType::Commit, &text)
    }

    /// The newest own record's list for a digest; `None` if it has none.
    ///
    /// # Errors
    /// The object store fails.
    pub fn listed(&self, digest: &str) -> Result<Option<Vec<u8>>> {
        match self.own_chain()? {
            Some(tip) => self.listed_in(self.tree_of(tip)?, digest),
            None => Ok(None),
        }
    }

    /// The list for a digest in a record's tree; `None` if it has none.
    ///
    /// # Errors
    /// The object store fails.
    pub fn listed_in(&self, tree: Oid, digest: &str) -> Result<Option<Vec<u8>>> {
        self.file_of(tree, &format!("{LANDED}/{}", path_of_list(digest)))
    }

    /// The digests whose lists differ between two records' trees.
    ///
    /// # Errors
    /// The object store fails.
    pub fn digests_between(&self, before: Oid, after: Oid) -> Result<Vec<String>> {
        let paths = self.differences(Some(before), Some(after))?;
        let digest = |path: Vec<u8>| {
            let path = String::from_utf8(path).ok()?;
            Some(path.strip_prefix(LANDED)?.replace('/', ""))
        };
        Ok(paths.into_iter().filter_map(digest).collect())
    }

    /// Writes the directory of lists: that of `tree`, if any, with these lists replaced. An empty list is removed. `None`
    /// if there are no lists at all.
    ///
    /// # Errors
    /// The object store fails.
    pub fn write_listed(
        &self,
        tree: Option<Oid>,
        lists: impl IntoIterator<Item = (String, Vec<u8>)>,
    ) -> Result<Option<Oid>> {
        let found = tree.map(|tree| self.find_in(&self.find_tree(tree)?, LANDED.as_bytes())).transpose()?;
        let known = found.flatten().filter(|entry| entry.mode == DIRECTORY).map(|entry| entry.id);
        let mut changes = Changes::new();
        for (digest, list) in lists {
            if let Ok(path) = RepoPath::parse(&path_of_list(&digest)) {
                let blob = || Ok(Entry { mode: 0o100_644, id: self.put_blob(&list)? });
                changes.insert(path, if list.is_empty() { None } else { Some(blob()?) });
            }
        }
        if changes.is_empty() { Ok(known) } else { self.write_tree(known, &changes).map(Some) }
    }

    /// Writes a record's tree again with this directory of lists.
    ///
    /// # Errors
    /// The object store fails.
    pub fn replace_lists(&self, tree: Oid, listed: Option<Oid>) -> Result<Oid> {
        let Some(id) = listed else { return Ok(tree) };
        let entry = (id != self.empty_tree()?).then_some(Entry { mode: DIRECTORY, id });
        self.put_with(Some(tree), &Named::from([(LANDED.into(), entry)]))
    }

    /// Removes all lines of a reference's reflog, if it has one.
    ///
    /// # Errors
    /// Git cannot be started, or fails.
    pub fn expire_reflog(&self, name: &str) -> Result<()> {
        if process::query(process::git(self).args(["reflog", "exists", name]))?.is_some() {
            process::output(process::git(self).args(["reflog", "expire", "--expire=all", name]))?;
        }
        Ok(())
    }

    /// Deletes the reference that says that this landing was undone here.
    ///
    /// # Errors
    /// Git cannot be started, or fails.
    pub fn forget_undone(&self, id: &str) -> Result<()> {
        let name = format!("{UNDONE}{id}");
        if self.value(&name)?.is_some() {
            process::output(process::git(self).args(["update-ref", "-d", &name]))?;
        }
        Ok(())
    }

    fn write_first_commit(&self) -> Result<Oid> {
        let tree = self.write_tree(None, &super::tree::Changes::new())?;
        let message = "Landings of git llm-apply\n";
        self.write_plain(&Draft { tree, parents: &[], message }, "git-llm-apply <> 0 +0000")
    }

    /// Writes a record's tree: these blobs, and the directory of lists.
    ///
    /// # Errors
    /// The object store fails.
    pub fn write_files(&self, files: Vec<(String, Oid)>, listed: Option<Oid>) -> Result<Oid> {
        let entry = |mode, id| Some(Entry { mode, id });
        let files = files.into_iter().map(|(name, id)| (name.into_bytes(), entry(0o100_644, id)));
        let listed = listed.map(|id| (LANDED.into(), entry(DIRECTORY, id)));
        self.put_with(None, &files.chain(listed).collect())
    }

    /// The content of a file in a tree; `None` if there is no such file.
    ///
    /// # Errors
    /// The object store fails.
    pub fn file_of(&self, tree: Oid, path: &str) -> Result<Option<Vec<u8>>> {
        match self.find_in(&self.find_tree(tree)?, path.as_bytes())? {
            Some(entry) if entry.is_file() => self.blob(entry.id).map(Some),
            _ => Ok(None),
        }
    }
}

/// The path of a digest's file, in one of 256 directories to keep each small.
fn path_of_list(digest: &str) -> String {
    let (directory, name) = digest.split_at_checked(2).unwrap_or((digest, ""));
    format!("{directory}/{name}")
}
