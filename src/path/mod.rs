//! Paths inside of a repository. Each path is checked once, when it is created.
//!
//! [`RepoPath::parse`] takes a path in git's own form; [`interpret()`] takes one as a model writes it. `component` has
//! the rules for the names between slashes, and `sensitive` lists the files that need `--allow-sensitive`.

mod component;
mod error;
mod interpret;
mod secret;
mod sensitive;

pub use component::is_ignorable;
pub use error::PathError;
pub use interpret::{PathContext, interpret};
pub use secret::may_hold_secrets;
pub use sensitive::{Places, is_sensitive};

use std::fmt;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// The length limit of a path, in bytes: Linux's `PATH_MAX` without the final zero byte.
pub const MAX_PATH: usize = 4095;

/// The limit for the components of a path. Each directory is a tree object, which takes time to write and to look up.
pub const MAX_COMPONENTS: usize = 256;

/// The length limit of a component, in bytes: `NAME_MAX` of the usual file systems.
pub const MAX_COMPONENT: usize = 255;

/// A path relative to the repository's root: UTF-8 components joined by `/`. No component is empty, `.`, `..`, or a
/// name that some file system takes for `.git`. Comparisons are case-sensitive.
///
/// [`RepoPath::parse`] checks every path, so any sequence of a path's components is a valid path, too. Cloning is
/// cheap. Paths are ordered by their bytes, so all paths below `a` are one range, which starts at `a/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Arc<str>);

impl RepoPath {
    /// Checks a path in git's own form. The rules are the same on all platforms and with any configuration, except that
    /// Windows also refuses the names of devices and the characters that it reserves.
    ///
    /// # Errors
    /// The path is not valid on all platforms; see [`PathError`].
    pub fn parse(raw: &str) -> Result<Self, PathError> {
        check(raw, cfg!(windows))?;
        Ok(Self(raw.into()))
    }

    /// The path in git's form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names between the slashes, from the root down; at least one.
    pub fn components(&self) -> std::str::Split<'_, char> {
        self.0.split('/')
    }

    /// The directory of the file; `None` for the root.
    pub fn parent(&self) -> Option<RepoPath> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.into()))
    }

    /// The directories above it, the outermost first, and then the path itself.
    pub fn prefixes(&self) -> impl DoubleEndedIterator<Item = RepoPath> {
        let ends = self.0.match_indices('/').map(|(at, _)| at).chain([self.0.len()]);
        ends.map(|end| Self(self.0[..end].into()))
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Appends `rest`, a path in git's form.
    ///
    /// # Errors
    /// `rest` is not a valid path, or the result is too long.
    pub fn join(&self, rest: &str) -> Result<RepoPath, PathError> {
        Self::parse(&format!("{self}/{}", Self::parse(rest)?))
    }

    /// Returns the path of `name` in a directory (`None` is the root), if it is valid.
    pub(crate) fn within(directory: Option<&RepoPath>, name: &str) -> Option<RepoPath> {
        directory.map_or_else(|| Self::parse(name), |directory| directory.join(name)).ok()
    }

    /// Whether it is `ancestor` or a path below it.
    pub fn starts_with(&self, ancestor: &RepoPath) -> bool {
        self.0.strip_prefix(&*ancestor.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The path relative to `ancestor`; `None` if it is not below `ancestor`.
    pub fn strip_prefix(&self, ancestor: &RepoPath) -> Option<RepoPath> {
        let rest = self.0.strip_prefix(&*ancestor.0)?.strip_prefix('/')?;
        Some(Self(rest.into()))
    }

    /// Returns the path with folded case and composed letters, for lookups. Two paths have the same result if they are the
    /// same path on a file system that ignores case, such as that of macOS.
    pub fn case_folded(&self) -> String {
        self.0.nfc().flat_map(component::fold_case).nfc().collect()
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// For lookups by `&str` in a map with paths as keys.
impl std::borrow::Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Checks the rules of [`RepoPath::parse`]; with `windows`, also those for Windows.
///
/// The length is checked first, so that no other check reads or quotes more than [`MAX_PATH`] bytes.
fn check(raw: &str, windows: bool) -> Result<(), PathError> {
    if raw.len() > MAX_PATH {
        return Err(PathError::TooLong);
    }
    if let Some(character) = raw.chars().find(|&c| c.is_control() || c == '\\') {
        return Err(PathError::Character(character));
    }
    if raw.starts_with('/') {
        return Err(PathError::Outside(error::quoted(raw)));
    }
    if raw.is_empty() || raw.ends_with('/') {
        return Err(PathError::NoFile);
    }
    if raw.split('/').count() > MAX_COMPONENTS {
        return Err(PathError::TooLong);
    }
    raw.split('/').try_for_each(|component| component::check(component, windows))
}

/// Splits off a drive letter and its colon.
fn without_drive(text: &str) -> Option<(u8, &str)> {
    match text.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Some((letter.to_ascii_lowercase(), &text[2..])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn parents_end_at_the_root() {
        assert_eq!(path("a/b/c").parent(), Some(path("a/b")));
        assert_eq!(path("a").parent(), None);
        assert_eq!(path("a/b.rs").file_name(), "b.rs");
        assert_eq!(path("b.rs").file_name(), "b.rs");
        assert_eq!(path("a/b/c").components().collect::<Vec<_>>(), ["a", "b", "c"]);
    }

    #[test]
    fn prefixes_are_whole_components() {
        assert!(path("a/b").starts_with(&path("a")));
        assert!(path("a/b").starts_with(&path("a/b")));
        assert!(!path("ab").starts_with(&path("a")));
        assert!(!path("a").starts_with(&path("a/b")));
        assert!(!path("A/b").starts_with(&path("a")));
        assert_eq!(path("a/b/c").strip_prefix(&path("a")), Some(path("b/c")));
        assert_eq!(path("a").strip_prefix(&path("a")), None);
        assert_eq!(path("ab").strip_prefix(&path("a")), None);
    }

    #[test]
    fn joined_paths_are_checked_like_any_other_path() {
        assert_eq!(path("a").join("b/c"), Ok(path("a/b/c")));
        assert_eq!(path("a").join("../b"), Err(PathError::Dots));
        assert_eq!(path("a").join("/b"), Err(PathError::Outside("/b".to_owned())));
        assert_eq!(path("a").join(""), Err(PathError::NoFile));
        let long = ["0123456789abcde"; 200].join("/");
        assert_eq!(path(&long).join(&long), Err(PathError::TooLong));
    }

    #[test]
    fn case_is_folded_beyond_ascii() {
        for (a, b) in [("README", "readme"), ("Ünï/Ço", "üNÏ/çO"), ("ΣΑΣ", "σας"), ("\u{212a}", "k")]
        {
            assert_eq!(path(a).case_folded(), path(b).case_folded(), "{a} {b}");
        }
        for (a, b) in [("a/b", "a/c"), ("a", "a/b"), ("straße", "strasse"), ("ı", "i"), ("é", "e")] {
            assert_ne!(path(a).case_folded(), path(b).case_folded(), "{a} {b}");
        }
    }

    #[test]
    fn lengths_are_inclusive_limits_in_bytes() {
        assert!(RepoPath::parse(&"a".repeat(MAX_COMPONENT)).is_ok());
        assert_eq!(RepoPath::parse(&"a".repeat(MAX_COMPONENT + 1)), Err(PathError::TooLong));
        assert_eq!(RepoPath::parse(&"é".repeat(128)), Err(PathError::TooLong));
        let longest = format!("{}/a", ["0123456789abcdef"; 256].join("/").split_at(MAX_PATH - 2).0);
        assert_eq!(longest.len(), MAX_PATH);
        assert!(RepoPath::parse(&longest).is_ok());
        assert_eq!(RepoPath::parse(&format!("{longest}a")), Err(PathError::TooLong));
        let deepest = ["a"; MAX_COMPONENTS].join("/");
        assert!(RepoPath::parse(&deepest).is_ok());
        let too_deep = Err(PathError::TooLong);
        assert_eq!(RepoPath::parse(&format!("{deepest}/a")), too_deep);
        assert_eq!(path(&deepest).join("a"), too_deep);
    }

    #[test]
    fn windows_names_are_refused_on_windows_only() {
        for name in ["aux.c", "con", "a/NUL", "a/lpt1.txt", "a?b", "what.", "a /b", "x|y", "com1:"] {
            assert!(check(name, true).is_err(), "{name}");
            assert_eq!(check(name, false), Ok(()), "{name}");
        }
        for name in ["console", "auxiliary.c", "a b", ".github/x", "..a"] {
            assert_eq!(check(name, true), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_set_of_paths_can_be_searched_by_text() {
        let set = std::collections::HashSet::from([path("a/b")]);
        assert!(set.contains("a/b"));
        assert!(!set.contains("a"));
    }
}
