//! The directories of the files that are staged: those that have to go or to be made, and those that are left empty.

use super::super::Result;
use super::super::obstacles::SUBMODULE;
use super::{File, Net, Staged};
use crate::vcs;
use crate::vcs::checkout::{Checkout, Found};
use crate::vcs::fault::{Fault, point};
use std::collections::BTreeSet;

/// Finds the directories that have to go and those that have to be made.
pub(super) fn directories(checkout: &Checkout, net: &[Net], staged: &mut Staged) -> Result<()> {
    let mut made = BTreeSet::new();
    let gone: BTreeSet<&str> =
        net.iter().filter(|(.., new)| new.is_none()).map(|(path, ..)| path.as_str()).collect();
    let mut cleared = Vec::new();
    // A submodule that comes is an empty directory; without it git would take it for removed.
    let submodules = net.iter().filter(|(.., new)| new.is_some_and(|entry| entry.mode == SUBMODULE));
    for path in submodules.map(|(path, ..)| path.as_str()) {
        if !matches!(checkout.look(path)?, Found::Directory) {
            made.insert(path.to_owned());
            parents(checkout, path, &gone, &mut made)?;
        }
    }
    // What stands where another file stood has its directories.
    let come = |file: &&File| file.before.is_none() && file.after.is_some();
    for file in staged.files.iter().filter(come) {
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
        parents(checkout, &file.path, &gone, &mut made)?;
    }
    // Innermost first: a directory is longer than those it lies in.
    cleared.sort_by_key(|path| std::cmp::Reverse(path.len()));
    staged.cleared = cleared;
    // In the order of names an outer directory comes before its inner ones.
    staged.made = made.into_iter().collect();
    Ok(())
}

/// Adds the parents of a path that have to be made.
fn parents(
    checkout: &Checkout,
    path: &str,
    gone: &BTreeSet<&str>,
    made: &mut BTreeSet<String>,
) -> Result<()> {
    let mut end = path.len();
    while let Some(slash) = path[..end].rfind('/') {
        end = slash;
        let parent = &path[..end];
        match checkout.look(parent)? {
            Found::Directory => break,
            Found::Nothing | Found::Blocked { .. } => made.insert(parent.to_owned()),
            _ if gone.contains(parent) => made.insert(parent.to_owned()),
            _ => return Err(vcs::Error::Raced(parent.to_owned()).into()),
        };
    }
    Ok(())
}

/// Removes the directories that the removed files have left empty, as git does. Can be run again.
///
/// # Errors
/// None but a test's: empty directories are nobody's loss.
pub(in crate::transaction) fn prune(checkout: &Checkout, staged: &Staged) -> vcs::Result<()> {
    let here = std::env::current_dir().ok();
    for file in staged.files.iter().filter(|file| file.after.is_none()) {
        let mut end = file.path.len();
        while let Some(slash) = file.path[..end].rfind('/') {
            end = slash;
            // Git spares the directory that it was started in.
            let is_here = here.is_some() && here == checkout.path_of(&file.path[..end]);
            if is_here || !checkout.remove_directory(&file.path[..end]) {
                break;
            }
            point(Fault::DirectoryPruned)?;
        }
    }
    Ok(())
}
