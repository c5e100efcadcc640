//! The files of a checkout that git runs or reads by itself: hooks, configuration files, and the commands in them.
//!
//! Links are followed as the system follows them, on the disk and in a commit's tree. Each link on the way counts,
//! because whoever replaces it controls what git runs.

use super::config::{Config, user_file, variable};
use super::repo::Repo;
use super::tree::BaseTree;
use super::{Result, process};
use crate::path::{RepoPath, is_sensitive};
use crate::plan::{Node, TreeView};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// How many links the system follows for one path.
const MAX_LINKS: usize = 40;

/// The target of the link at a path, if there is a link.
type Link<'a> = dyn Fn(&Path) -> Option<PathBuf> + 'a;

impl Repo {
    /// The paths, relative to the top, of all files that git would run or read by itself, on the disk and in this tree.
    /// In a linked worktree also those of the main one, where the commit will be checked out sooner or later.
    ///
    /// # Errors
    /// The configuration or the tree cannot be read.
    pub fn startup_paths(&self, tree: &BaseTree<'_>) -> Result<Vec<String>> {
        let main = match self.git_dir() == self.common_dir() {
            true => None,
            false => Some(self.open_worktree(self.common_dir(), None)?),
        };
        let repos = || std::iter::once(self).chain(&main);
        let top = |repo: &Repo| resolve_links(repo.workdir()?, &link_on_disk).pop();
        let tops: Vec<_> = repos().filter_map(top).collect();
        let mut all = Vec::new();
        for repo in repos() {
            all.extend(repo.own_startup_paths(tree, &tops)?);
        }
        Ok(all)
    }

    /// As `startup_paths`, by the configuration of this worktree only. `tops` are the checkouts that the paths may be
    /// in.
    fn own_startup_paths(&self, tree: &BaseTree<'_>, tops: &[PathBuf]) -> Result<Vec<String>> {
        let Some(top) = self.workdir() else { return Ok(Vec::new()) };
        let Some(top) = resolve_links(top, &link_on_disk).pop() else { return Ok(Vec::new()) };
        let view = View { top: &top, tree };
        let at_top = view.names(&top);
        // For a directory, the files directly in it count, too.
        let mut starts = vec![self.hooks_dir()?];
        let sensitive = |name: &&OsString| {
            name.to_str().and_then(|name| RepoPath::parse(name).ok()).is_some_and(|path| is_sensitive(&path))
        };
        starts.extend(at_top.iter().filter(sensitive).map(|name| top.join(name)));
        let committed = |path: &Path| view.link(path);
        let git = top.join(".git");
        // The links and the end of a path, once on the disk and once in the commit.
        let ways = |start: &Path| {
            let plain = resolve_links(start, &link_on_disk);
            // A commit cannot change a path that does not lead through the checkout.
            let is_elsewhere = plain == [start] && (!start.starts_with(&top) || start.starts_with(&git));
            let other = if is_elsewhere { Vec::new() } else { resolve_links(start, &committed) };
            [plain, other]
        };
        let mut found = BTreeSet::new();
        for way in starts.iter().flat_map(|start| ways(start)) {
            let Some(end) = way.last() else { continue };
            for name in view.names(end).iter().map(|name| end.join(name)) {
                if link_on_disk(&name).is_some() || committed(&name).is_some() {
                    found.extend(ways(&name).into_iter().flatten());
                }
            }
            found.extend(way);
        }
        found.extend(self.config_files()?.iter().flat_map(|file| ways(file)).flatten());
        for word in self.config().commands().flat_map(words) {
            let path = top.join(word);
            // A bare program name counts only if the top has a file of that name.
            let may_be = word.contains(['/', '.']) || at_top.contains(OsStr::new(word));
            let is_directory = |path: &Path| path.is_dir() || !view.names(path).is_empty();
            if may_be && !is_directory(&path) {
                found.extend(ways(&path).into_iter().flatten());
            }
        }
        let inside = found.iter().filter_map(|path| tops.iter().find_map(|top| path.strip_prefix(top).ok()));
        // Edits below `.git` are refused anyway.
        let inside = inside.filter(|path| !path.starts_with(".git"));
        Ok(inside.map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// The files that git reads its configuration from, including files included on any condition. They need not exist.
    fn config_files(&self) -> Result<Vec<PathBuf>> {
        let home = variable("HOME");
        let mut files = vec![self.common_dir().join("config"), self.git_dir().join("config.worktree")];
        match variable("GIT_CONFIG_GLOBAL") {
            Some(path) => files.push(path),
            None => {
                files.extend(user_file("config"));
                files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
            }
        }
        files.push(variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into()));
        if self.config().names("include").any(|name| name.ends_with(".path")) {
            files.extend(self.included(home.as_deref())?);
        }
        Ok(files.iter().filter_map(|path| std::path::absolute(path).ok()).collect())
    }

    /// The files that configuration files include. A relative path starts from the including file, which only git
    /// reports.
    fn included(&self, home: Option<&Path>) -> Result<Vec<PathBuf>> {
        let mut command = process::git(self);
        command.args(["config", "--null", "--show-origin", "--includes", "--get-regexp"]);
        command.arg(r"^include(if\..*)?\.path$");
        // `None` if the includes were removed meanwhile.
        let Some(output) = process::query(&mut command)? else { return Ok(Vec::new()) };
        let from = self.workdir().unwrap_or(self.git_dir());
        let mut words = output.split('\0');
        let mut files = Vec::new();
        while let (Some(origin), Some(entry)) = (words.next(), words.next()) {
            let Some((_, value)) = entry.split_once('\n') else { continue };
            let directory = origin.strip_prefix("file:").and_then(|file| Path::new(file).parent());
            files.push(match (value.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => from.join(directory.unwrap_or(Path::new(""))).join(value),
            });
        }
        Ok(files)
    }
}

/// The last components, in lowercase, of the keys whose values git runs (git-config(1)), except aliases and pagers.
const COMMANDS: &[&str] = &[
    "alternaterefscommand",
    "askpass",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "helper",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "recentobjectshook",
    "smudge",
    "sshcommand",
    "textconv",
    "uploadpack",
];

/// The words of a command line that may be paths.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || "'\"`;|&()<>=!:".contains(c)).filter(|word| !word.is_empty())
}

impl Config {
    fn commands(&self) -> impl Iterator<Item = &str> {
        let is_command = |key: &str| {
            let own = key.starts_with("alias.") || key.starts_with("pager.");
            own || key.rsplit('.').next().is_some_and(|last| COMMANDS.contains(&last))
        };
        self.values_of(move |key| is_command(key))
    }
}

fn link_on_disk(path: &Path) -> Option<PathBuf> {
    std::fs::read_link(path).ok()
}

/// The file system with a commit's tree in place of the checkout.
struct View<'a> {
    top: &'a Path,
    tree: &'a BaseTree<'a>,
}

impl View<'_> {
    fn inside(&self, path: &Path) -> Option<RepoPath> {
        RepoPath::parse(path.strip_prefix(self.top).ok()?.to_str()?).ok()
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        let Some(inside) = self.inside(path) else { return link_on_disk(path) };
        match self.tree.entry(&inside) {
            Ok(Some(Node::Symlink)) => {
                let target = self.tree.read(&inside).ok()?;
                Some(OsString::from_vec(target.to_vec()).into())
            }
            _ => None,
        }
    }

    /// The names in a directory, on the disk and in the tree.
    fn names(&self, directory: &Path) -> BTreeSet<OsString> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut names: BTreeSet<OsString> = entries.map(|entry| entry.file_name()).collect();
        let inside = self.inside(directory);
        if inside.is_some() || directory == self.top {
            let listed = self.tree.list(inside.as_ref()).unwrap_or_default();
            names.extend(listed.into_iter().map(|(name, _)| OsString::from_vec(name)));
        }
        names
    }
}

/// Returns each link that the absolute path leads through, and then the path without links.
fn resolve_links(path: &Path, link: &Link<'_>) -> Vec<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut way = Vec::new();
    let mut rest = parts(path);
    let mut at = PathBuf::from("/");
    while let Some(part) = rest.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(at.pop()),
            Some(Component::RootDir) => at = PathBuf::from("/"),
            Some(Component::Normal(name)) => {
                let next = at.join(name);
                match link(&next).filter(|target| !target.as_os_str().as_bytes().is_empty()) {
                    Some(target) if way.len() < MAX_LINKS => {
                        way.push(next);
                        rest.extend(parts(&target));
                    }
                    _ => at = next,
                }
            }
            _ => {}
        }
    }
    way.push(at);
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_as_the_system_does() {
        let links = [("/a/b", "c"), ("/a/c/hook", "../../x/./hook"), ("/x/hook", "/y"), ("/round", "round")];
        let link = |path: &Path| {
            links.iter().find(|(from, _)| Path::new(from) == path).map(|(_, to)| PathBuf::from(to))
        };
        let text = |path: &str| -> Vec<String> {
            resolve_links(Path::new(path), &link).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(text("/a/b/hook"), ["/a/b", "/a/c/hook", "/x/hook", "/y"]);
        assert_eq!(text("/a/./x/../z"), ["/a/z"]);
        assert_eq!(text("/round").len(), MAX_LINKS + 1);
    }
}
