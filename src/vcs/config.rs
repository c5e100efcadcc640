//! Git's configuration. Libgit2 reads the files, but not what `git -c` and the environment add to them. If they add
//! anything, git is asked instead.

use super::{Error, Result, process};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// All configuration that git would see here, as of when the repository was opened.
#[derive(Default)]
pub struct Config {
    /// All values of each key, from the files in their order and then from the environment; `None` for a key without `=`.
    values: BTreeMap<String, Vec<Option<Vec<u8>>>>,
}

impl Config {
    /// Reads the configuration from a snapshot of the files, or asks git if libgit2 would miss a part of it.
    pub(super) fn new(files: &git2::Config, git_dir: &Path) -> Result<Self> {
        let failed = |e| Error::git("read the configuration", e);
        let mut config = Self::default();
        let mut entries = files.entries(None).map_err(failed)?;
        let mut is_whole = !BY_ENVIRONMENT.iter().any(|name| std::env::var_os(name).is_some());
        while is_whole && let Some(entry) = entries.next() {
            let entry = entry.map_err(failed)?;
            let name = String::from_utf8_lossy(entry.name_bytes());
            is_whole = !is_unknown_condition(&name);
            config.add(&name, entry.has_value().then(|| entry.value_bytes().to_vec()));
        }
        if is_whole { Ok(config) } else { Self::of_git(git_dir) }
    }

    /// Asks git for all of the configuration, including what the environment adds.
    pub(super) fn of_git(git_dir: &Path) -> Result<Self> {
        let mut command = std::process::Command::new("git");
        // `GIT_CONFIG` would make `git config` read that file instead of all others.
        command.env_remove("GIT_CONFIG");
        command.arg("--git-dir").arg(git_dir).args(["config", "--list", "--null"]);
        let mut config = Self::default();
        let listed = process::bytes(&mut command)?;
        for entry in listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let mut parts = entry.splitn(2, |byte| *byte == b'\n');
            let key = String::from_utf8_lossy(parts.next().unwrap_or_default());
            config.add(&key, parts.next().map(<[u8]>::to_vec));
        }
        Ok(config)
    }

    fn add(&mut self, key: &str, value: Option<Vec<u8>>) {
        self.values.entry(canonical(key)).or_default().push(value);
    }

    /// Returns the last value of the key, which is the one that counts.
    fn last(&self, key: &str) -> Option<&Option<Vec<u8>>> {
        self.values.get(&canonical(key))?.last()
    }

    /// Returns whether some remote promises the objects that are missing here (git-config(1),
    /// `remote.<name>.promisor`).
    pub(super) fn has_promisor(&self) -> Result<bool> {
        for key in self.names("remote.").filter(|key| key.ends_with(".promisor")) {
            if self.bool(key)?.unwrap_or(false) {
                return Ok(true);
            }
        }
        Ok(self.string("extensions.partialclone")?.is_some())
    }

    /// The last value of the key; an empty string for a key without `=`.
    ///
    /// # Errors
    /// The value is not UTF-8.
    pub fn string(&self, key: &str) -> Result<Option<String>> {
        self.last(key).map(|value| text(key, value)).transpose()
    }

    /// A boolean in git's syntax; `true` for a key without `=`.
    ///
    /// # Errors
    /// The value is not a boolean.
    pub fn bool(&self, key: &str) -> Result<Option<bool>> {
        if self.last(key).is_some_and(Option::is_none) {
            return Ok(Some(true));
        }
        let Some(value) = self.string(key)? else { return Ok(None) };
        match git2::Config::parse_bool(value.as_str()) {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(bad(key, &value, "a boolean")),
        }
    }

    /// A number in git's syntax, with an optional `k`, `m` or `g`.
    ///
    /// # Errors
    /// The value is not such a number.
    pub fn number(&self, key: &str) -> Result<Option<i64>> {
        let Some(value) = self.string(key)? else { return Ok(None) };
        match git2::Config::parse_i64(value.as_str()) {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(bad(key, &value, "a number")),
        }
    }

    /// A path in git's syntax, with `~/` for the home directory (git-config(1), "pathname"); `None` if it is empty.
    ///
    /// # Errors
    /// The value is not UTF-8, or names somebody else's home.
    pub fn path(&self, key: &str) -> Result<Option<PathBuf>> {
        let Some(value) = self.string(key)?.filter(|value| !value.is_empty()) else { return Ok(None) };
        match (value.strip_prefix("~/"), std::env::var_os("HOME")) {
            (Some(rest), Some(home)) => Ok(Some(PathBuf::from(home).join(rest))),
            _ if value.starts_with(['~', '%']) => Err(bad(key, &value, "a path, or one that begins with ~/")),
            _ => Ok(Some(PathBuf::from(value))),
        }
    }

    /// The names of all keys with this prefix, as git prints them.
    pub fn names(&self, beginning: &str) -> impl Iterator<Item = &str> {
        let from = self.values.range::<str, _>((Bound::Included(beginning), Bound::Unbounded));
        from.map(|(name, _)| name.as_str()).take_while(move |name| name.starts_with(beginning))
    }

    /// All values of these keys that are UTF-8.
    pub(super) fn values_of(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
        let values = self.values.iter().filter(move |(key, _)| wanted(key)).flat_map(|(_, values)| values);
        values.flatten().filter_map(|value| std::str::from_utf8(value).ok())
    }

    /// All values of the key, in git's order. An empty value clears those before it, as in git's own lists.
    ///
    /// # Errors
    /// A value is not UTF-8.
    pub fn list(&self, key: &str) -> Result<Vec<String>> {
        let values = self.values.get(&canonical(key)).into_iter().flatten();
        let mut values = values.map(|value| text(key, value)).collect::<Result<Vec<_>>>()?;
        let from = values.iter().rposition(String::is_empty).map_or(0, |at| at + 1);
        Ok(values.split_off(from))
    }
}

/// A path from the environment; `None` if it is empty.
pub(super) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The path of a file in the user's own git directory, such as `~/.config/git/config` (git-config(1), "FILES").
pub(super) fn user_file(name: &str) -> Option<PathBuf> {
    let directory = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    Some(directory?.join("git").join(name))
}

/// The variables through which the environment and `git -c` add to the files (git-config(1), "Environment").
const BY_ENVIRONMENT: [&str; 2] = ["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"];

/// A key as git prints it: lowercase, except between the first dot and the last.
fn canonical(key: &str) -> String {
    let (first, last) = (key.find('.').unwrap_or(key.len()), key.rfind('.').unwrap_or(key.len()));
    [&key[..first].to_ascii_lowercase(), &key[first..last], &key[last..].to_ascii_lowercase()].concat()
}

fn text(key: &str, value: &Option<Vec<u8>>) -> Result<String> {
    let bytes = value.as_deref().unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(bad(key, &String::from_utf8_lossy(bytes), "UTF-8 text")),
    }
}

pub(crate) fn bad(key: &str, value: &str, expected: &str) -> Error {
    Error::Config { key: key.to_owned(), value: value.to_owned(), expected: expected.to_owned() }
}

/// Returns whether a key includes a file on a condition that libgit2 does not know (git-config(1), "Conditional
/// includes"). Libgit2 would skip that file, which may hold the user's name for repositories with a certain remote.
fn is_unknown_condition(name: &str) -> bool {
    let condition = name.strip_prefix("includeif.");
    condition.is_some_and(|condition| {
        !["gitdir:", "gitdir/i:", "onbranch:"].iter().any(|known| condition.starts_with(known))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn booleans_and_numbers_are_gits() {
        assert_eq!(
            ["yes", "On", "0", "", "7", "x"].map(|value| git2::Config::parse_bool(value).ok()),
            [Some(true), Some(true), Some(false), Some(false), Some(true), None]
        );
        assert_eq!(
            ["2k", "1m", "x", ""].map(|value| git2::Config::parse_i64(value).ok()),
            [Some(2048), Some(1 << 20), None, None]
        );
    }
}
