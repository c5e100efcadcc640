//! Tells comments and prose from code, by the name of the file.

/// File extensions, the marks that begin a comment line in such files, and the placeholder for lines that are left out.
const COMMENTS: &[(&[&str], &[&str], &str)] = &[
    (
        &[
            "rs", "go", "js", "jsx", "mjs", "ts", "tsx", "cs", "c", "h", "cc", "cpp", "hpp", "java", "kt",
            "swift",
        ],
        &["///", "//!", "//", "/*", "*"],
        "// ...",
    ),
    (&["py", "sh", "bash", "rb", "toml", "yaml", "yml", "pl"], &["#"], "# ..."),
    (&["sql", "lua", "hs"], &["--"], "-- ..."),
    (&["html", "xml"], &["<!--"], "<!-- ... -->"),
];

/// Texts by which a comment is a directive for a program.
const DIRECTIVES: &[&str] = &[
    "#!",
    "noqa",
    "go:",
    "+build",
    "nolint",
    "eslint",
    "prettier",
    "rustfmt",
    "clippy",
    "@ts-",
    "pragma",
    "pylint",
    "mypy",
    "type:",
    "fmt:",
    "isort",
    "coding",
    "shellcheck",
    "istanbul",
    "c8 ",
    "NOLINT",
    "clang-",
];

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn row(path: &str) -> Option<&'static (&'static [&'static str], &'static [&'static str], &'static str)> {
    COMMENTS.iter().find(|(extensions, _, _)| extensions.contains(&extension(path)))
}

/// Returns whether a file is written for people to read.
pub(crate) fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = ["README", "CHANGELOG", "HISTORY", "AUTHORS", "CONTRIBUTING"];
    ["md", "markdown", "rst", "adoc"].contains(&extension(path)) || known.contains(&name)
}

/// Returns where the text of a comment begins, if the whole line is a comment.
pub(crate) fn comment_text(path: &str, line: &str) -> Option<usize> {
    let body = line.trim_start();
    let mark = row(path)?.1.iter().find(|mark| body.starts_with(**mark))?;
    let is_directive = DIRECTIVES.iter().any(|word| body.contains(word));
    let rest = &body[mark.len()..];
    (!is_directive && (rest.is_empty() || rest.starts_with(' '))).then(|| line.len() - rest.len())
}

/// Returns whether a line may have a comment, or a part of one, in any language.
pub(crate) fn may_be_comment(line: &str) -> bool {
    let body = line.trim_start();
    let begins = ["*", "--", ";", "%", "'", "\"", "<!--", "dnl ", "rem ", "REM "];
    begins.iter().any(|mark| body.starts_with(mark))
        || ["//", "#", "/*"].iter().any(|mark| body.contains(mark))
}

/// The placeholder that a model writes for lines that it leaves out.
pub(crate) fn placeholder(path: &str) -> Option<&'static str> {
    row(path).map(|row| row.2)
}
