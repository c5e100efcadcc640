//! Applies the same diffs with `git apply` and `patch`, for comparison.

use crate::case::Tree;
use crate::table::Outcome;
use std::path::Path;
use std::process::{Command, Stdio};

/// The name of each program, and its command. It reads the diff from standard input.
pub(crate) const RIVALS: &[(&str, &[&str])] = &[
    ("git apply", &["git", "apply", "-"]),
    (
        "git apply --recount -C1 --ignore-whitespace",
        &["git", "apply", "--recount", "-C1", "--ignore-whitespace", "-"],
    ),
    // Rejected hunks are discarded, and it asks no questions.
    ("patch -p1", &["patch", "-p1", "--batch", "--no-backup-if-mismatch", "--reject-file=-", "--quiet"]),
];

/// Applies a diff to files with another program. If it fails but has changed files, the outcome is wrong.
pub(crate) fn apply(
    arguments: &[&str],
    diff: &str,
    tree: &Tree,
    right: &Tree,
) -> Result<Outcome, std::io::Error> {
    let root = tempfile::tempdir()?;
    for (path, content) in tree {
        let file = root.path().join(path);
        file.parent().map(std::fs::create_dir_all).transpose()?;
        std::fs::write(file, content)?;
    }
    let (program, rest) = arguments.split_first().unwrap_or((&"", &[]));
    let mut input = tempfile::tempfile()?;
    // These programs do not read a fence around a diff.
    let bare = diff.split_inclusive('\n').filter(|line| !line.starts_with("```")).collect::<String>();
    std::io::Write::write_all(&mut input, bare.as_bytes())?;
    std::io::Seek::rewind(&mut input)?;
    let status = Command::new(program)
        .args(rest)
        .current_dir(root.path())
        .env("GIT_CEILING_DIRECTORIES", root.path().parent().unwrap_or(root.path()))
        .env("LC_ALL", "C")
        .stdin(input)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let mut made = Tree::new();
    read(root.path(), "", &mut made)?;
    Ok(match (status.success(), &made) {
        (true, made) if made == right => Outcome::Right,
        (false, made) if made == tree => Outcome::Refused,
        _ => Outcome::Wrong,
    })
}

fn read(directory: &Path, prefix: &str, tree: &mut Tree) -> Result<(), std::io::Error> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => read(&entry.path(), &format!("{path}/"), tree)?,
            false => _ = tree.insert(path, std::fs::read(entry.path())?),
        }
    }
    Ok(())
}
