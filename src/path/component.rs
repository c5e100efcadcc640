//! The rules for one component of a path.

use super::{MAX_COMPONENT, PathError, error::quoted};
use gix_validate::path::component::Options;
use std::borrow::Cow;

/// Checks one component, which has no slashes, backslashes or control characters.
///
/// Refuses the names that git refuses with `core.protectHFS` and `core.protectNTFS`, and more:
/// - Invisible code points do not hide a reserved name. Git ignores only those that HFS+ ignores, but `ext4` and `f2fs`
///   with case folding ignore more.
/// - `git~2` and so on are refused like `git~1`. They are NTFS's short names of `.git` if `git~1` is in use.
pub(super) fn check(component: &str, windows: bool) -> Result<(), PathError> {
    if component.len() > MAX_COMPONENT {
        return Err(PathError::TooLong);
    }
    let visible = without_ignorable(component);
    match (&*visible, component.chars().next()) {
        ("", Some(invisible)) => return Err(PathError::Character(invisible)),
        ("" | "." | "..", _) => return Err(PathError::Dots),
        _ => {}
    }
    if super::without_drive(&visible).is_some() {
        return Err(PathError::Outside(quoted(component)));
    }
    let options = Options { protect_windows: windows, protect_hfs: true, protect_ntfs: true };
    let is_reserved = is_short_dot_git(&visible)
        || gix_validate::path::component(visible.as_bytes().into(), None, options).is_err();
    if is_reserved { Err(PathError::Reserved(quoted(component))) } else { Ok(()) }
}

/// Whether NTFS reads the name as `git~` and a number.
fn is_short_dot_git(component: &str) -> bool {
    let name = ntfs_name(component);
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("git~"))
        && name.len() > 4
        && name.bytes().skip(4).all(|byte| byte.is_ascii_digit())
}

/// Returns the name of the file that NTFS opens: it drops everything from the first `:` on (the name of a stream), and
/// dots and blanks at the end.
pub(super) fn ntfs_name(component: &str) -> &str {
    component.split(':').next().unwrap_or_default().trim_end_matches(['.', ' '])
}

/// Removes the code points that some file system ignores in names.
pub(super) fn without_ignorable(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() && text.contains(is_ignorable) {
        Cow::Owned(text.chars().filter(|&c| !is_ignorable(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a code point is invisible: Unicode's `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`), which
/// includes all that HFS+ ignores in names, and the annotation marks U+FFF9 to U+FFFB. Zero-width characters and bidi
/// controls are among them.
pub fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Folds case: returns the lower case of the upper case, so that letters with the same upper case (`σ` and `ς`, `s` and
/// `ſ`) become equal. A letter whose upper case is several letters (`ß`), and the dotless `ı`, are only converted to
/// lower case, because file systems distinguish them from `ss` and `i`.
pub(super) fn fold_case(c: char) -> std::char::ToLowercase {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) if c != 'ı' => upper.to_lowercase(),
        _ => c.to_lowercase(),
    }
}
