//! The directories of the checkout that a landing deletes, creates, or leaves empty.

use super::super::Result;
use super::{File, NetChange, Staged};
use crate::vcs;
use crate::vcs::checkout::{Checkout, Found};
use crate::vcs::fault::{Fault, point};
use crate::vcs::tree::SUBMODULE;
use std::collections::BTreeSet;

/// Finds the directories to delete and to create, and adds them to `staged`.
pub(super) fn find_changes(checkout: &Checkout, net: &[NetChange], staged: &mut Staged) -> Result<()> {
    let mut made = BTreeSet::new();
    let deleted: BTreeSet<&str> =
        net.iter().filter(|(.., new)| new.is_none()).map(|(path, ..)| path.as_str()).collect();
    let mut cleared = Vec::new();
    // A new submodule is an empty directory. Without the directory, git takes the submodule for deleted.
    let submodules = net.iter().filter(|(.., new)| new.is_some_and(|entry| entry.mode == SUBMODULE));
    for path in submodules.map(|(path, ..)| path.as_str()) {
        if !matches!(checkout.look(path)?, Found::Directory) {
            made.insert(path.to_owned());
            add_missing_parents(checkout, path, &deleted, &mut made)?;
        }
    }
    // A file that replaces another one already has its parent directories, so only created files count.
    let is_created = |file: &&File| file.before.is_none() && file.after.is_some();
    for file in staged.files.iter().filter(is_created) {
        if matches!(checkout.look(&file.path)?, Found::Directory) {
            let mut pending = vec![file.path.clone()];
            while let Some(directory) = pending.pop() {
                for name in checkout.list(&directory)? {
                    let below = format!("{directory}/{}", String::from_utf8_lossy(&name));
                    if matches!(checkout.look(&below)?, Found::Directory) {
                        pending.push(below);
                    }
                }
                cleared.push(directory);
            }
        }
        add_missing_parents(checkout, &file.path, &deleted, &mut made)?;
    }
    // Innermost first, because a directory's path is longer than its parent's.
    cleared.sort_by_key(|path| std::cmp::Reverse(path.len()));
    staged.cleared = cleared;
    // Outermost first, because a parent sorts before the directories in it.
    staged.made = made.into_iter().collect();
    Ok(())
}

/// Adds the missing parent directories of a path to `made`.
fn add_missing_parents(
    checkout: &Checkout,
    path: &str,
    deleted: &BTreeSet<&str>,
    made: &mut BTreeSet<String>,
) -> Result<()> {
    let mut end = path.len();
    while let Some(slash) = path[..end].rfind('/') {
        end = slash;
        let parent = &path[..end];
        match checkout.look(parent)? {
            Found::Directory => break,
            Found::Nothing | Found::Blocked { .. } => made.insert(parent.to_owned()),
            _ if deleted.contains(parent) => made.insert(parent.to_owned()),
            _ => return Err(vcs::Error::Raced(parent.to_owned()).into()),
        };
    }
    Ok(())
}

/// Removes the directories that deleted files left empty, as git does. It can be run again.
///
/// # Errors
/// Only at a fault point in tests. A directory that cannot be removed stays, and is not an error.
pub(in crate::transaction) fn prune(checkout: &Checkout, staged: &Staged) -> vcs::Result<()> {
    let here = std::env::current_dir().ok();
    for file in staged.files.iter().filter(|file| file.after.is_none()) {
        let mut end = file.path.len();
        while let Some(slash) = file.path[..end].rfind('/') {
            end = slash;
            // Like git, it keeps the directory that it was started in.
            let is_here = here.is_some() && here == checkout.path_of(&file.path[..end]);
            if is_here || !checkout.remove_directory(&file.path[..end]) {
                break;
            }
            point(Fault::DirectoryPruned)?;
        }
    }
    Ok(())
}
