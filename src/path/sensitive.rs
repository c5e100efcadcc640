//! Sensitive files: files that run at the next commit without being asked for, `.gitmodules`, and `.aiignore`, which
//! says what models may see.

use super::RepoPath;
use super::component::{fold_case, ntfs_name, without_ignorable};

/// Directories of hooks, and of scripts that hook managers run.
const DIRECTORIES: &[&str] = &[".husky", ".lefthook", ".lefthook-local", ".cargo-husky", ".git-hooks"];

/// Whole file names. pre-commit reads only the first; its successor prek reads the first three.
const FILES: &[&str] = &[
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "prek.toml",
    ".overcommit.yml",
    ".local-overcommit.yml",
    "captainhook.json",
    "hk.pkl",
    "hk.local.pkl",
    ".gitmodules",
    ".aiignore",
];

/// Prefixes of file names: the files that hook managers for Node read have many extensions.
const PREFIXES: &[&str] = &[
    ".lintstagedrc",
    "lint-staged.config.",
    ".huskyrc",
    "husky.config.",
    ".simple-git-hooks.",
    "simple-git-hooks.",
    "commitlint.config.",
    ".commitlintrc",
];

/// lefthook's configuration, each with one of the extensions below.
const LEFTHOOK: &[&str] = &["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"];
const LEFTHOOK_EXTENSIONS: &[&str] = &["yml", "yaml", "json", "jsonc", "toml"];

/// Whether a change to the file needs `--allow-sensitive`: the file runs at the next commit without being asked for, or
/// says where submodules come from or what models may see. It may be in any directory, because monorepos have such
/// files in their subprojects.
///
/// Ignores case, invisible code points, and characters that NTFS drops, and knows NTFS's short names, because file
/// systems open the same file by these other names.
pub fn is_sensitive(path: &RepoPath) -> bool {
    path.components().any(is_sensitive_directory) || is_sensitive_file(path.file_name())
}

fn is_sensitive_directory(component: &str) -> bool {
    let name = as_seen_by_file_systems(component);
    DIRECTORIES.contains(&&*name) || is_short_name(&name)
}

fn is_sensitive_file(component: &str) -> bool {
    let name = as_seen_by_file_systems(component);
    FILES.contains(&&*name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.rsplit_once('.').is_some_and(|(stem, extension)| {
            LEFTHOOK.contains(&stem) && LEFTHOOK_EXTENSIONS.contains(&extension)
        })
}

/// Returns the name as some file systems see it: in folded case, without invisible code points and what NTFS drops.
fn as_seen_by_file_systems(component: &str) -> String {
    let visible = without_ignorable(component);
    match ntfs_name(&visible) {
        name if name.is_ascii() => name.to_ascii_lowercase(),
        name => name.chars().flat_map(fold_case).collect(),
    }
}

/// Returns the beginning of NTFS's short name (8.3) for a name, before `~` and a number.
fn short_prefix(name: &str) -> impl Iterator<Item = char> {
    name.trim_start_matches('.').chars().take_while(|&c| c != '.').take(6)
}

fn all_names() -> impl Iterator<Item = &'static str> {
    [DIRECTORIES, FILES, PREFIXES, LEFTHOOK].into_iter().flatten().copied()
}

/// Whether it may be the NTFS short name of a sensitive file. A short name is the first six letters, or two letters and
/// a checksum of four hexadecimal digits; then `~` and a number: `PRE-CO~1`, `GI7EBA~1`.
fn is_short_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let Some((start, number)) = stem.rsplit_once('~') else { return false };
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    numbered
        && all_names()
            .any(|name| start.chars().eq(short_prefix(name)) || is_checksum_name(start, short_prefix(name)))
}

fn is_checksum_name(start: &str, prefix: impl Iterator<Item = char>) -> bool {
    let Some((letters, checksum)) = start.split_at_checked(2) else { return false };
    letters.chars().eq(prefix.take(2))
        && checksum.len() == 4
        && checksum.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Files and directories that are sensitive in one repository, such as its hooks directory.
#[derive(Debug, Clone, Default)]
pub struct Places(Vec<String>);

impl Places {
    /// Creates the set of these paths and all paths below them. Paths are relative to the top of the checkout; an empty
    /// path is the top itself.
    pub fn new(paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let folded = |path: &str| path.chars().flat_map(fold_case).collect();
        let mut all: Vec<String> = paths.into_iter().map(|path| folded(path.as_ref())).collect();
        all.sort();
        all.dedup();
        Self(all)
    }

    /// Whether the path is one of them, or below one. Ignores case.
    pub fn hold(&self, path: &RepoPath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let path = path.case_folded();
        self.0.iter().any(|place| {
            let below = |rest: &str| rest.is_empty() || rest.starts_with('/');
            place.is_empty() || path.strip_prefix(place.as_str()).is_some_and(below)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensitive(path: &str) -> bool {
        is_sensitive(&RepoPath::parse(path).unwrap())
    }

    #[test]
    fn files_that_run_at_a_commit_are_sensitive_at_any_depth() {
        for path in [
            ".husky/pre-commit",
            ".husky/_/husky.sh",
            ".husky",
            "web/.husky/pre-push",
            ".pre-commit-config.yaml",
            "part/.pre-commit-config.yaml",
            "lefthook.yml",
            "lefthook.yaml",
            "lefthook.toml",
            ".lefthook.yml",
            "lefthook-local.yml",
            ".lefthook-local.json",
            ".config/lefthook.yml",
            ".lefthook/pre-commit/check.sh",
            ".lintstagedrc",
            ".lintstagedrc.json",
            "web/.lintstagedrc.mjs",
            "lint-staged.config.js",
            "prek.toml",
            "part/prek.toml",
            ".huskyrc",
            ".huskyrc.json",
            "husky.config.js",
            ".overcommit.yml",
            ".git-hooks/pre_commit/check.rb",
            ".simple-git-hooks.json",
            ".simple-git-hooks.cjs",
            "simple-git-hooks.js",
            "captainhook.json",
            "commitlint.config.js",
            "commitlint.config.mts",
            ".commitlintrc.yml",
            "hk.pkl",
            ".cargo-husky/hooks/pre-commit",
            ".gitmodules",
        ] {
            assert!(sensitive(path), "{path}");
        }
    }

    #[test]
    fn other_names_of_sensitive_files_are_sensitive() {
        for path in [
            ".HUSKY/pre-commit",
            ".hus\u{212a}y/pre-commit",
            ".hu\u{17f}ky/pre-commit",
            ".hus\u{200c}ky/pre-commit",
            "Lefthook.YML",
            "lefthook.yml.",
            "lefthook.yml::$DATA",
            ".gitmodules .",
            ".GitModules",
            "GITMOD~1",
            "gi7eba~1",
            "HUSKY~1/pre-commit",
            "PRE-CO~1.YAM",
            "LEFTHO~2.YML",
            "LINTST~1",
            "CARGO-~1/hooks/pre-commit",
            "OVERCO~1.YML",
            "PREK~1.TOM",
            "simple~3.jso",
            "Hk.PKL",
        ] {
            assert!(sensitive(path), "{path}");
        }
    }

    #[test]
    fn similar_names_are_not_sensitive() {
        for path in [
            "husky/index.js",
            "src/husky.rs",
            "lefthook.md",
            "lefthook",
            "docs/lefthook.yml.md",
            "lefthook.yml/x",
            ".pre-commit-hooks.yaml",
            "pre-commit-config.yaml",
            ".gitmodules.txt",
            ".gitattributes",
            ".gitignore",
            "lintstagedrc",
            "backup~1",
            "a~1",
            "gitmodel~1x",
            "lib~12",
            "prek.md",
            "src/commitlint.rs",
            "captainhook.json/x",
            "hk.rs",
            "git-hooks/x",
        ] {
            assert!(!sensitive(path), "{path}");
        }
    }

    #[test]
    fn places_contain_the_paths_below_them() {
        let path = |text: &str| RepoPath::parse(text).unwrap();
        let places = Places::new([".githooks", "tools/check.sh"]);
        for inside in [".githooks", ".githooks/pre-commit", ".GitHooks/x", "tools/check.sh"] {
            assert!(places.hold(&path(inside)), "{inside}");
        }
        for outside in [".githooks2", "githooks", "tools", "tools/check", "a/.githooks"] {
            assert!(!places.hold(&path(outside)), "{outside}");
        }
        assert!(Places::new([""]).hold(&path("a")));
        assert!(!Places::default().hold(&path("a")));
    }
}
