//! Turns a path as a model writes it into a path of the repository.

use super::error::quoted;
use super::{MAX_PATH, PathError, RepoPath, without_drive};

/// The context in which a path is read.
pub struct PathContext<'a> {
    /// The worktree's absolute path, `/`-separated; `None` in a bare repository.
    pub worktree: Option<String>,
    /// The names of the repository's directories, for OPX's `root=`.
    pub repository_names: &'a [String],
    /// The directory from which relative paths start; `None` for the repository's top.
    pub directory: Option<&'a RepoPath>,
    /// Whether `root=` names a folder in that directory.
    pub root_is_directory: bool,
}

/// Reads a path as a model writes it, with OPX's `root=` if it has one.
///
/// `\` separates names like `/`, and a leading `./` is ignored. A `file:` URL or an absolute path must be in the
/// worktree. A relative path starts from the context's directory, or from the folder there that `root` names.
///
/// Blanks around the path are refused, not trimmed: if both `a` and `a ` exist, trimming could edit or remove the wrong
/// file. A format that has no quotes around paths trims them when it parses.
///
/// # Errors
/// The path is outside of the worktree, [`RepoPath::parse`] refuses it, or `root` names no folder.
pub fn interpret(raw: &str, root: Option<&str>, context: &PathContext<'_>) -> Result<RepoPath, PathError> {
    let folder = root.map(|root| resolve_root(root, context)).transpose()?.flatten();
    let folder = match (context.directory, folder) {
        (Some(directory), Some(folder)) => Some(directory.join(folder.as_str())?),
        (directory, folder) => folder.or(directory.cloned()),
    };
    match (read(raw, context)?, folder) {
        (Written::Relative(path), Some(folder)) => folder.join(path.as_str()),
        (Written::Absolute(path), Some(folder)) if root.is_some() && !path.starts_with(&folder) => {
            Err(PathError::Root(quoted(folder.as_str())))
        }
        (Written::Relative(path) | Written::Absolute(path), _) => Ok(path),
    }
}

/// Returns the folder that `root=` names, or `None` if it names the repository itself. If both have that name, it means
/// the repository.
fn resolve_root(root: &str, context: &PathContext<'_>) -> Result<Option<RepoPath>, PathError> {
    if context.repository_names.iter().any(|name| name == root) {
        return Ok(None);
    }
    match RepoPath::parse(root) {
        Ok(folder) if folder.parent().is_none() && context.root_is_directory => Ok(Some(folder)),
        _ => Err(PathError::Root(quoted(root))),
    }
}

/// A path of the repository, and how it was written.
enum Written {
    /// Relative to the context's directory, or to the folder that `root=` names.
    Relative(RepoPath),
    /// Absolute; converted to a path relative to the worktree.
    Absolute(RepoPath),
}

fn read(raw: &str, context: &PathContext<'_>) -> Result<Written, PathError> {
    if raw.trim().is_empty() {
        return Err(PathError::NoFile);
    }
    // A URL has up to three bytes for each byte of the path, and the worktree's path before it.
    if raw.len() > 4 * MAX_PATH {
        return Err(PathError::TooLong);
    }
    if has_outer_blank(raw) {
        return Err(PathError::Blank);
    }
    // `My\ File` would become `My/ File`.
    if raw.contains("\\ ") {
        return Err(PathError::Character('\\'));
    }
    let mut text = raw.replace('\\', "/");
    if let Some((scheme, rest)) = split_url(&text) {
        if !scheme.eq_ignore_ascii_case("file") {
            return Err(PathError::Outside(quoted(&text)));
        }
        text = file_url_path(rest)?;
    }
    let written = if is_absolute(&text) {
        Written::Absolute(relative_to_worktree(&text, context)?)
    } else {
        Written::Relative(relative(&text)?)
    };
    // A blank may only now be at an end: after `./` was removed from `./ a`, or `%20` was decoded.
    let (Written::Relative(path) | Written::Absolute(path)) = &written;
    if has_outer_blank(path.as_str()) {
        return Err(PathError::Blank);
    }
    Ok(written)
}

fn has_outer_blank(text: &str) -> bool {
    // Copied text may begin or end with invisible characters.
    let is_blank =
        |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    text.starts_with(is_blank) || text.ends_with(is_blank)
}

fn relative(text: &str) -> Result<RepoPath, PathError> {
    if text.starts_with("~/") {
        return Err(PathError::Outside(quoted(text)));
    }
    RepoPath::parse(&without_parent_steps(text.trim_start_matches("./")))
}

/// Removes each `..` together with the directory before it: `a/b/../c` becomes `a/c`. A `..` without one stays.
fn without_parent_steps(text: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split('/') {
        match parts.last() {
            Some(last) if part == ".." && !["", ".", ".."].contains(last) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether the `/`-separated path is absolute on any platform.
fn is_absolute(text: &str) -> bool {
    text.starts_with('/') || without_drive(text).is_some_and(|(_, rest)| rest.starts_with('/'))
}

/// Returns the rest of an absolute path after the worktree's path. The comparison is case-sensitive, except for the
/// drive letter. On a file system that ignores case, this refuses some paths that are inside; ignoring case could
/// accept a path that is outside.
fn relative_to_worktree(path: &str, context: &PathContext<'_>) -> Result<RepoPath, PathError> {
    let Some(worktree) = context.worktree.as_deref().filter(|worktree| is_absolute(worktree)) else {
        return Err(PathError::Outside(quoted(path)));
    };
    let directory = worktree.trim_end_matches('/');
    let rest = match (without_drive(path), without_drive(directory)) {
        (Some((a, path)), Some((b, directory))) if a == b => path.strip_prefix(directory),
        (None, None) => path.strip_prefix(directory),
        _ => None,
    };
    match rest.map(|rest| (rest, rest.strip_prefix('/'))) {
        Some(("" | "/", _)) => Err(PathError::NoFile),
        Some((_, Some(below))) => RepoPath::parse(below),
        _ => Err(PathError::Outside(quoted(path))),
    }
}

/// Returns the scheme and the text after its colon, if the `/`-separated text is a URL: `scheme://…`, or `file:/…`.
fn split_url(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_url = rest.starts_with("//") || (rest.starts_with('/') && scheme.eq_ignore_ascii_case("file"));
    (is_scheme && is_url).then_some((scheme, rest))
}

/// Returns the absolute path in a `file:` URL (RFC 8089) of this machine. `rest` is the text after `file:`.
fn file_url_path(rest: &str) -> Result<String, PathError> {
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, _) = rest.split_once('/').unwrap_or((rest, ""));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(PathError::Outside(quoted(rest)));
            }
            &rest[host.len()..]
        }
    };
    if path.contains(['?', '#']) {
        return Err(PathError::MalformedUrl);
    }
    let path = percent_decoded(path)?;
    // `file:///C:/x` is `C:/x`.
    let drive = path.strip_prefix('/').filter(|path| without_drive(path).is_some());
    Ok(match drive {
        Some(drive) => drive.to_owned(),
        None => path,
    })
}

fn percent_decoded(text: &str) -> Result<String, PathError> {
    let mut pieces = text.split('%');
    let mut decoded = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            return Err(PathError::MalformedUrl);
        };
        decoded.push(byte);
        decoded.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(decoded).map_err(|_| PathError::MalformedUrl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proj() -> &'static [String] {
        static NAMES: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| vec!["main".to_owned(), "proj".to_owned()]);
        &NAMES
    }

    fn context(worktree: Option<&str>) -> PathContext<'static> {
        PathContext {
            worktree: worktree.map(str::to_owned),
            repository_names: proj(),
            directory: None,
            root_is_directory: false,
        }
    }

    fn read_in(worktree: &str, raw: &str) -> Result<String, PathError> {
        interpret(raw, None, &context(Some(worktree))).map(|path| path.as_str().to_owned())
    }

    fn read_below(root: &str, raw: &str) -> Result<String, PathError> {
        let root_is_directory = ["app", "proj", ".."].contains(&root);
        let context = PathContext { root_is_directory, ..context(Some("/home/u/proj")) };
        interpret(raw, Some(root), &context).map(|path| path.as_str().to_owned())
    }

    #[test]
    fn paths_that_models_write_are_read() {
        for (raw, path) in [
            ("src/a.rs", "src/a.rs"),
            ("./src/a.rs", "src/a.rs"),
            ("././src/a.rs", "src/a.rs"),
            (".\\src\\a.rs", "src/a.rs"),
            ("src\\a.rs", "src/a.rs"),
            ("/home/u/proj/src/a.rs", "src/a.rs"),
            ("\\home\\u\\proj\\src\\a.rs", "src/a.rs"),
            ("file:///home/u/proj/src/a.rs", "src/a.rs"),
            ("FILE://localhost/home/u/proj/src/a.rs", "src/a.rs"),
            ("file:/home/u/proj/src/a.rs", "src/a.rs"),
            ("file:///home/u/proj/a%20b/%C3%BC.rs", "a b/ü.rs"),
            ("~", "~"),
            ("./~/a", "~/a"),
            ("~u/a", "~u/a"),
            ("a b/c d.rs", "a b/c d.rs"),
            ("👩\u{200d}💻/❤\u{fe0f}", "👩\u{200d}💻/❤\u{fe0f}"),
            ("file:a", "file:a"),
            ("home/u/proj/a", "home/u/proj/a"),
        ] {
            assert_eq!(read_in("/home/u/proj", raw).as_deref(), Ok(path), "{raw}");
        }
    }

    #[test]
    fn paths_outside_of_the_worktree_are_refused() {
        for raw in [
            "/home/u/proj2/a",
            "/home/u/pro",
            "/home/u/PROJ/a",
            "/home/u",
            "/etc/passwd",
            "/home/u/x/../proj/a",
            "//home/u/proj/a",
            "C:/home/u/proj/a",
            "C:\\x",
            "\\\\srv\\share\\a",
            "\\\\?\\C:\\x",
            "file:///etc/passwd",
            "file:///C:/home/u/proj/a",
        ] {
            let error = read_in("/home/u/proj", raw).unwrap_err();
            assert!(matches!(error, PathError::Outside(_)), "{raw}: {error}");
        }
        for (raw, error) in [
            ("", PathError::NoFile),
            (" \t", PathError::NoFile),
            ("./", PathError::NoFile),
            (".", PathError::Dots),
            ("../a", PathError::Dots),
            ("..\\a", PathError::Dots),
            ("/home/u/proj/../a", PathError::Dots),
            ("/home/u/proj//a", PathError::Outside("/a".to_owned())),
            ("/home/u/proj/a/", PathError::NoFile),
            (".//etc/passwd", PathError::Outside("/etc/passwd".to_owned())),
            (".\\\\srv\\a", PathError::Outside("/srv/a".to_owned())),
            ("src/", PathError::NoFile),
            ("My\\ File.txt", PathError::Character('\\')),
            ("~/a", PathError::Outside("~/a".to_owned())),
            ("~\\a", PathError::Outside("~/a".to_owned())),
            (" a", PathError::Blank),
            ("a ", PathError::Blank),
            ("a\n", PathError::Blank),
            ("./ a", PathError::Blank),
            ("a\u{a0}", PathError::Blank),
            ("\u{feff}a", PathError::Blank),
            ("a.rs\u{200b}", PathError::Blank),
            ("file:///home/u/proj/a%20", PathError::Blank),
            ("/home/u/proj", PathError::NoFile),
            ("/home/u/proj/", PathError::NoFile),
            ("C:a", PathError::Outside("C:a".to_owned())),
            ("./C:/a", PathError::Outside("C:".to_owned())),
            ("https://a.example/b", PathError::Outside("https://a.example/b".to_owned())),
            ("file://src/a.rs", PathError::Outside("src/a.rs".to_owned())),
            ("file://src", PathError::Outside("src".to_owned())),
            ("file:///home/u/proj/a%2", PathError::MalformedUrl),
            ("file:///home/u/proj/%+1", PathError::MalformedUrl),
            ("file:///home/u/proj/%é", PathError::MalformedUrl),
            ("file:///home/u/proj/%ff", PathError::MalformedUrl),
            ("file:///home/u/proj/a#L3", PathError::MalformedUrl),
            ("file:///home/u/proj/%2e%2e/a", PathError::Dots),
            ("file:///home/u/proj/.%67it/a", PathError::Reserved(".git".to_owned())),
            ("file:///home/u/proj/a%00", PathError::Character('\0')),
            ("file:///home/u/proj/a%5cb", PathError::Character('\\')),
            (".git\\hooks\\x", PathError::Reserved(".git".to_owned())),
        ] {
            assert_eq!(read_in("/home/u/proj", raw), Err(error), "{raw}");
        }
    }

    #[test]
    fn a_worktree_may_be_a_root_or_on_a_drive_or_share() {
        assert_eq!(read_in("/", "/src/a").as_deref(), Ok("src/a"));
        assert_eq!(read_in("/", "//srv/a"), Err(PathError::Outside("/srv/a".to_owned())));
        assert_eq!(read_in("/", "/"), Err(PathError::NoFile));
        assert_eq!(read_in("/w/", "/w/a").as_deref(), Ok("a"));
        assert_eq!(read_in("C:/w", "c:\\w\\a").as_deref(), Ok("a"));
        assert_eq!(read_in("C:/w", "file:///c%3A/w/a").as_deref(), Ok("a"));
        assert_eq!(read_in("C:/", "C:/a").as_deref(), Ok("a"));
        assert!(read_in("C:/w", "D:/w/a").is_err());
        assert!(read_in("C:/w", "/w/a").is_err());
        assert!(read_in("C:/w", "C:/W/a").is_err());
        assert_eq!(read_in("//srv/share/w", "\\\\srv\\share\\w\\a").as_deref(), Ok("a"));
    }

    #[test]
    fn without_a_worktree_absolute_paths_are_refused() {
        for worktree in [None, Some(""), Some("w")] {
            let read = |raw| interpret(raw, None, &context(worktree));
            assert!(matches!(read("/etc/passwd"), Err(PathError::Outside(_))));
            assert!(matches!(read("C:/x"), Err(PathError::Outside(_))));
            assert!(read("etc/passwd").is_ok());
        }
    }

    #[test]
    fn a_root_is_the_repository_or_a_folder_at_its_top() {
        assert_eq!(read_below("proj", "src/a.rs").as_deref(), Ok("src/a.rs"));
        assert_eq!(read_below("main", "src/a.rs").as_deref(), Ok("src/a.rs"));
        assert_eq!(read_below("app", "src/a.rs").as_deref(), Ok("app/src/a.rs"));
        assert_eq!(read_below("app", "./a.rs").as_deref(), Ok("app/a.rs"));
        assert_eq!(read_below("app", "/home/u/proj/app/a.rs").as_deref(), Ok("app/a.rs"));
        assert_eq!(read_below("proj", "/home/u/proj/lib/a.rs").as_deref(), Ok("lib/a.rs"));
        assert_eq!(read_below("app", "/home/u/proj/lib/a.rs"), Err(PathError::Root("app".to_owned())));
        assert_eq!(read_below("app", "../lib/a.rs"), Err(PathError::Dots));
        for root in ["", ".", "..", "App", "app/", "./app", "app/src", "lib", "/home/u/proj", " app"] {
            assert_eq!(read_below(root, "a.rs"), Err(PathError::Root(root.to_owned())), "{root}");
        }
    }

    #[test]
    fn quoted_paths_are_shortened() {
        let path = format!("/{}", "é".repeat(5000));
        assert!(read_in("/w", &path).unwrap_err().to_string().len() < 400);
        assert!(matches!(read_in("/w", &"é/".repeat(50_000)), Err(PathError::TooLong)));
        assert!(read_below(&"x".repeat(50_000), "a").unwrap_err().to_string().len() < 400);
    }
}
