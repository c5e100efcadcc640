//! Files that run by themselves at the next commit, and `.gitmodules`.

use super::RepoPath;
use super::component::{fold_case, ntfs_name, without_ignorable};

/// Directories of hooks, and of the scripts that lefthook's hooks run.
const DIRECTORIES: &[&str] = &[".husky", ".lefthook", ".lefthook-local"];

/// Whole file names. pre-commit reads the first of the two only; its successor prek reads both.
const FILES: &[&str] = &[".pre-commit-config.yaml", ".pre-commit-config.yml", ".gitmodules"];

/// Beginnings of file names: lint-staged reads (and runs) any of many extensions.
const BEGINNINGS: &[&str] = &[".lintstagedrc", "lint-staged.config."];

/// lefthook's configuration, each with one of the extensions below.
const LEFTHOOK: &[&str] = &["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"];
const LEFTHOOK_EXTENSIONS: &[&str] = &["yml", "yaml", "json", "jsonc", "toml"];

/// How the short names begin that NTFS gives to the above, before `~` and a number.
const SHORT_NAMES: &[&str] = &["husky", "lintst", "lint-s", "leftho", "pre-co", "gitmod"];

/// Whether a change of the file needs `--allow-sensitive`: it runs by itself at the next
/// commit, or says where submodules come from. At any depth, since monorepos keep such files in their parts.
///
/// Case, ignorable code points, and what NTFS leaves out of names or shortens are looked through: on such file systems
/// another name opens the same file.
pub fn is_sensitive(path: &RepoPath) -> bool {
    path.components().any(is_sensitive_directory) || is_sensitive_file(path.file_name())
}

fn is_sensitive_directory(component: &str) -> bool {
    let name = plain(component);
    DIRECTORIES.contains(&&*name) || is_short_name(&name)
}

fn is_sensitive_file(component: &str) -> bool {
    let name = plain(component);
    FILES.contains(&&*name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || name.rsplit_once('.').is_some_and(|(stem, extension)| {
            LEFTHOOK.contains(&stem) && LEFTHOOK_EXTENSIONS.contains(&extension)
        })
}

/// The name as the least distinguishing file system sees it.
fn plain(component: &str) -> String {
    let visible = without_ignorable(component);
    ntfs_name(&visible).chars().flat_map(fold_case).collect()
}

/// Whether it may be the short name (8.3) of one of the files: their first six letters, or two letters and four
/// hexadecimal digits of a checksum, then `~` and a number.
fn is_short_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let Some((start, number)) = stem.rsplit_once('~') else { return false };
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    numbered && (SHORT_NAMES.contains(&start) || is_checksum_name(start))
}

fn is_checksum_name(start: &str) -> bool {
    let Some((letters, checksum)) = start.split_at_checked(2) else { return false };
    SHORT_NAMES.iter().any(|name| name.starts_with(letters))
        && checksum.len() == 4
        && checksum.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensitive(path: &str) -> bool {
        is_sensitive(&RepoPath::parse(path).unwrap())
    }

    #[test]
    fn what_runs_by_itself_is_sensitive_at_any_depth() {
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
            ".gitmodules",
        ] {
            assert!(sensitive(path), "{path}");
        }
    }

    #[test]
    fn names_that_a_file_system_takes_for_them_are_sensitive() {
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
        ] {
            assert!(sensitive(path), "{path}");
        }
    }

    #[test]
    fn other_names_are_not() {
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
        ] {
            assert!(!sensitive(path), "{path}");
        }
    }
}
