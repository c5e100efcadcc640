//! Reads commits from a clone: the files that each one changes, and older versions of these files.

use crate::writing::Rendered;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A commit.
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) files: Vec<FileChange>,
    /// A file that it does not touch.
    pub(crate) other: Option<(String, Vec<u8>)>,
}

impl Commit {
    /// The changes, to be rendered as a response.
    pub(crate) fn rendered(&self) -> Vec<Rendered<'_>> {
        let rendered = |file| {
            let FileChange { path, from, before, after, .. }: &FileChange = file;
            let (before, after, renamed_from) = (before.as_deref(), after.as_deref(), from.as_deref());
            Rendered { path, before, after, renamed_from, why: Some("Do it again") }
        };
        self.files.iter().map(rendered).collect()
    }
}

/// A file that a commit changes.
pub(crate) struct FileChange {
    pub(crate) path: String,
    /// Where it was moved from.
    pub(crate) from: Option<String>,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
    /// Its texts before earlier commits, the newest first.
    pub(crate) older: Vec<Vec<u8>>,
}

/// Commits with larger files are left out, because no model writes such a response.
const MAX_FILE_BYTES: usize = 400_000;
/// Commits with more files are left out for the same reason.
const MAX_COMMIT_FILES: usize = 25;

/// How many older texts of a file are kept.
const MAX_OLDER: usize = 6;

/// A row of `git diff-tree --raw`.
struct Raw {
    path: String,
    from: Option<String>,
    before: Option<String>,
    after: Option<String>,
}

/// Reads the newest commits of a clone up to a revision, at most `limit`. Only commits with one parent count.
pub(crate) fn load(clone: &Path, limit: usize, until: &str) -> Result<Vec<Commit>, String> {
    let list =
        git(clone, &["rev-list", "--min-parents=1", "--max-parents=1", &format!("-n{limit}"), until], b"")?;
    let args = ["diff-tree", "--stdin", "-r", "-M", "-z", "--raw", "--no-abbrev"];
    let raw = rows(&git(clone, &args, &list)?);
    let ids: BTreeSet<&String> =
        raw.iter().flat_map(|(_, rows)| rows).flat_map(|row| row.before.iter().chain(&row.after)).collect();
    let blobs = blobs(clone, &ids)?;
    let blob = |id: &Option<String>| id.as_ref().map(|id| blobs.get(id).cloned().unwrap_or_default());
    // The blobs that each path had before the commits that changed it, with the index of the commit.
    let mut texts: BTreeMap<&str, Vec<(usize, &String)>> = BTreeMap::new();
    for (index, (_, rows)) in raw.iter().enumerate() {
        for row in rows {
            if let Some(before) = row.before.as_ref().filter(|_| row.from.is_none()) {
                texts.entry(&row.path).or_default().push((index, before));
            }
        }
    }
    let mut commits = Vec::new();
    for (index, (id, rows)) in raw.iter().enumerate() {
        let mut files = Vec::new();
        for row in rows {
            let older = texts.get(row.path.as_str()).map_or(&[][..], Vec::as_slice).iter();
            let older = older.filter(|(at, id)| *at > index && Some(*id) != row.before.as_ref());
            files.push(FileChange {
                path: row.path.clone(),
                from: row.from.clone(),
                before: blob(&row.before),
                after: blob(&row.after),
                older: older
                    .take(MAX_OLDER)
                    .map(|(_, id)| blobs.get(*id).cloned().unwrap_or_default())
                    .collect(),
            });
        }
        let size = |text: &Option<Vec<u8>>| text.as_ref().map_or(0, Vec::len);
        let fits = files.iter().all(|file| size(&file.before).max(size(&file.after)) <= MAX_FILE_BYTES);
        if !fits || files.is_empty() || files.len() > MAX_COMMIT_FILES {
            continue;
        }
        let touched =
            |path: &str| rows.iter().any(|row| row.path == path || row.from.as_deref() == Some(path));
        let mut others = raw.iter().skip(index).flat_map(|(_, rows)| rows).filter(|row| row.before.is_some());
        let other = others.find(|row| !touched(&row.path) && row.from.is_none());
        let other = other.and_then(|row| Some((row.path.clone(), blob(&row.before)?)));
        commits.push(Commit { id: id.clone(), files, other });
    }
    Ok(commits)
}

/// Parses the output of `git diff-tree --stdin -z`. Commits that change a mode, a link or a submodule are left out,
/// because no format can express that.
fn rows(raw: &[u8]) -> Vec<(String, Vec<Raw>)> {
    let mut fields = raw.split(|&b| b == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut commits: Vec<(String, Vec<Raw>, bool)> = Vec::new();
    while let Some(field) = fields.next() {
        let Some(header) = field.strip_prefix(':') else {
            if !field.trim().is_empty() {
                commits.push((field.trim().to_owned(), Vec::new(), true));
            }
            continue;
        };
        let words: Vec<&str> = header.split(' ').collect();
        let [before_mode, after_mode, before, after, status] = words[..] else { continue };
        let first = fields.next().unwrap_or_default();
        let moved = status.starts_with(['R', 'C']);
        let (path, from) =
            if moved { (fields.next().unwrap_or_default(), Some(first)) } else { (first, None) };
        let Some((_, rows, is_expressible)) = commits.last_mut() else { continue };
        let plain = |mode: &str| matches!(mode, "000000" | "100644" | "100755");
        let same = before_mode == after_mode || before_mode == "000000" || after_mode == "000000";
        *is_expressible &= plain(before_mode) && plain(after_mode) && same && !status.starts_with('C');
        let id = |mode: &str, id: &str| (mode != "000000").then(|| id.to_owned());
        rows.push(Raw { path, from, before: id(before_mode, before), after: id(after_mode, after) });
    }
    commits
        .into_iter()
        .filter(|(_, _, is_expressible)| *is_expressible)
        .map(|(id, rows, _)| (id, rows))
        .collect()
}

fn blobs(clone: &Path, ids: &BTreeSet<&String>) -> Result<HashMap<String, Vec<u8>>, String> {
    let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let output = git(clone, &["cat-file", "--batch"], input.as_bytes())?;
    let mut reader = BufReader::new(output.as_slice());
    let mut blobs = HashMap::new();
    let mut header = String::new();
    while reader.read_line(&mut header).map_err(|e| e.to_string())? > 0 {
        let words: Vec<&str> = header.split_whitespace().collect();
        // Git prints no size for an object that a partial clone lacks.
        if let [id, _, size] = words[..] {
            let mut bytes = vec![0; size.parse().map_err(|_| header.clone())?];
            reader.read_exact(&mut bytes).map_err(|e| e.to_string())?;
            reader.read_exact(&mut [0]).map_err(|e| e.to_string())?;
            blobs.insert(id.to_owned(), bytes);
        }
        header.clear();
    }
    Ok(blobs)
}

/// Runs git with this input, and returns its output.
pub(crate) fn git(clone: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(clone)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // If git closes the pipe early, its status says why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output()
    });
    let output = output.map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)))
}
