//! Pathspecs, with the meaning that git's commands give them (gitglossary(7), "pathspec").

use super::repo::Repo;
use super::tree::node;
use super::{Error, Oid, Result};
use crate::plan::Node;
use std::path::Path;

struct Pathspec {
    top: bool,
    literal: bool,
    icase: bool,
    exclude: bool,
    pattern: String,
}

impl Pathspec {
    fn parse(text: &str) -> Result<Self> {
        let (words, pattern): (Vec<&str>, &str) = match text.strip_prefix(':') {
            None => (Vec::new(), text),
            Some(long) if let Some(long) = long.strip_prefix('(') => {
                let (words, pattern) = long.split_once(')').ok_or_else(|| refused(text, "has no ')'"))?;
                (words.split(',').collect(), pattern)
            }
            Some(short) => {
                let end = short.find(|c| !"/!^".contains(c)).unwrap_or(short.len());
                let (letters, pattern) = short.split_at(end);
                (letters.split("").collect(), pattern.strip_prefix(':').unwrap_or(pattern))
            }
        };
        let pattern = pattern.to_owned();
        let mut spec = Self { top: false, literal: false, icase: false, exclude: false, pattern };
        for word in words.into_iter().filter(|word| !word.is_empty()) {
            *match word {
                "top" | "/" => &mut spec.top,
                "literal" => &mut spec.literal,
                "icase" => &mut spec.icase,
                "exclude" | "!" | "^" => &mut spec.exclude,
                _ => return Err(refused(text, "has magic other than top, literal, icase and exclude")),
            } = true;
        }
        Ok(spec)
    }

    /// The pathspec as text, relative to the top.
    fn text(&self) -> String {
        let magic = [(self.literal, ",literal"), (self.icase, ",icase"), (self.exclude, ",exclude")];
        let magic: String = magic.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
        match self.pattern.as_str() {
            "" if magic.is_empty() => ":/".to_owned(),
            plain if magic.is_empty() && !plain.starts_with(':') => plain.to_owned(),
            pattern => format!(":(top{magic}){pattern}"),
        }
    }

    /// Returns the path that the pathspec names; `None` if it has wildcards.
    fn path(&self) -> Option<String> {
        if self.literal {
            return Some(self.pattern.clone());
        }
        let mut path = String::new();
        let mut letters = self.pattern.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '*' | '?' | '[' => return None,
                '\\' => path.extend(letters.next()),
                letter => path.push(letter),
            }
        }
        Some(path)
    }

    /// Returns a prefix that all matching paths have.
    fn prefix(&self) -> &str {
        match self.icase || self.exclude {
            true => "",
            false if self.literal => &self.pattern,
            false => self.pattern.split(SPECIAL).next().unwrap_or_default(),
        }
    }

    /// Returns a function that tells whether a path matches: it is the path, is below it, or matches the wildcards.
    fn matcher(&self) -> Result<impl Fn(&str) -> bool + use<>> {
        let case = |icase: bool, text: &str| if icase { text.to_lowercase() } else { text.to_owned() };
        let (icase, path) = (self.icase, self.path());
        let wild = match &path {
            Some(_) => None,
            None => {
                // Libgit2 gives these a meaning at the start, so they are escaped.
                let first = if self.pattern.starts_with(['!', '#']) { "\\" } else { "" };
                let wild = git2::Pathspec::new([format!("{first}{}", self.pattern)]);
                Some(wild.map_err(|e| Error::git("read the pathspec", e))?)
            }
        };
        let named = case(icase, path.as_ref().unwrap_or(&self.pattern));
        let flags = match icase {
            true => git2::PathspecFlags::IGNORE_CASE,
            false => git2::PathspecFlags::USE_CASE,
        };
        Ok(move |path: &str| {
            let is_whole = |rest: &str| {
                named.is_empty() || named.ends_with('/') || rest.is_empty() || rest.starts_with('/')
            };
            case(icase, path).strip_prefix(&named).is_some_and(is_whole)
                || wild.as_ref().is_some_and(|wild| wild.matches_path(Path::new(path), flags))
        })
    }
}

/// The special characters of a pattern. The backslash comes first, because `escape` replaces them in this order and
/// adds backslashes itself.
const SPECIAL: &[char] = &['\\', '*', '?', '['];

/// Paths of files, with their blobs.
type Files = Vec<(String, Oid)>;

/// Paths of links and submodules, with the kind in words.
type Others = Vec<(String, &'static str)>;

const OUTSIDE: &str = "leads out of the repository";

fn refused(pathspec: &str, why: &str) -> Error {
    Error::git("read the pathspec", git2::Error::from_str(&format!("'{pathspec}' {why}")))
}

impl Repo {
    /// Returns a function that tells whether pathspecs, relative to the top, select a path. An excluding pathspec that
    /// matches the path rules it out. Otherwise another pathspec has to match it, unless all of them are excluding.
    ///
    /// # Errors
    /// A pathspec is invalid.
    pub fn pathspec(patterns: &[String]) -> Result<impl Fn(&str) -> bool + use<>> {
        let specs = patterns.iter().map(|text| Pathspec::parse(text)).collect::<Result<Vec<_>>>()?;
        let matchers = |exclude: bool| {
            let wanted = specs.iter().filter(move |spec| spec.exclude == exclude);
            wanted.map(Pathspec::matcher).collect::<Result<Vec<_>>>()
        };
        let (named, excluded) = (matchers(false)?, matchers(true)?);
        Ok(move |path: &str| {
            (named.is_empty() || named.iter().any(|names| names(path)))
                && !excluded.iter().any(|names| names(path))
        })
    }

    /// Makes a pathspec that was typed in the current directory relative to the top of the checkout.
    ///
    /// # Errors
    /// It is invalid, it leads out of the checkout, or there is no current directory.
    pub fn from_here(&self, pathspec: &str) -> Result<String> {
        let mut spec = Pathspec::parse(pathspec)?;
        let canonical = |path: &Path| std::fs::canonicalize(path).ok();
        let here = std::env::current_dir().map_err(|e| Error::io("find", ".", e))?;
        let top = self.workdir().and_then(canonical);
        let here = top.as_ref().and_then(|top| Some(canonical(&here)?.strip_prefix(top).ok()?.to_owned()));
        let here = here.unwrap_or_default().to_string_lossy().into_owned();
        let mut parts: Vec<String> = Vec::new();
        let mut typed = spec.pattern.as_str();
        if typed.starts_with('/') && !spec.top {
            let top = top.map(|top| format!("{}/", top.display())).unwrap_or_default();
            let below = typed.strip_prefix(&top).filter(|_| !top.is_empty());
            let is_top = !top.is_empty() && format!("{typed}/") == top;
            typed = below.or(is_top.then_some("")).ok_or_else(|| refused(pathspec, OUTSIDE))?;
        } else if !spec.top {
            let escape = |part: &str| match spec.literal {
                true => part.to_owned(),
                false => SPECIAL.iter().fold(part.to_owned(), |part, c| part.replace(*c, &format!("\\{c}"))),
            };
            parts.extend(here.split('/').filter(|part| !part.is_empty()).map(escape));
        }
        for part in typed.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop().ok_or_else(|| refused(pathspec, OUTSIDE))?),
                part => parts.push(part.to_owned()),
            }
        }
        let end = if typed.ends_with('/') && !parts.is_empty() { "/" } else { "" };
        spec.pattern = parts.join("/") + end;
        Ok(spec.text())
    }

    /// The files of a commit that a pathspec selects, in the order of paths, and the links and submodules that it
    /// selects.
    ///
    /// # Errors
    /// The pathspec is invalid, or the object store fails.
    pub fn files_of(&self, commit: Oid, pathspec: &str) -> Result<(Files, Others)> {
        let matches = Self::pathspec(&[pathspec.to_owned()])?;
        let spec = Pathspec::parse(pathspec)?;
        // Skips directories that cannot contain a match.
        let may_hold =
            |directory: &str| spec.prefix().starts_with(directory) || directory.starts_with(spec.prefix());
        let failed = |e| Error::git("read the tree", e);
        let id = self.tree_of(commit)?;
        self.ensure_trees(None, Some(id))?;
        let tree = self.find_tree(id)?;
        let (mut files, mut others) = (Vec::new(), Vec::new());
        tree.walk(git2::TreeWalkMode::PreOrder, |directory, entry| {
            let path = format!("{directory}{}", String::from_utf8_lossy(entry.name_bytes()));
            match node(entry.filemode() as u32) {
                Node::Directory if !may_hold(&format!("{path}/")) => return git2::TreeWalkResult::Skip,
                Node::File { .. } if matches(&path) => files.push((path, entry.id())),
                Node::Symlink if matches(&path) => others.push((path, "symbolic link")),
                Node::Submodule if matches(&path) => others.push((path, "submodule")),
                _ => {}
            }
            git2::TreeWalkResult::Ok
        })
        .map_err(failed)?;
        files.sort();
        // All are fetched at once, because each fetch opens a connection.
        self.ensure(&files.iter().map(|(_, id)| *id).collect::<Vec<_>>())?;
        Ok((files, others))
    }
}
