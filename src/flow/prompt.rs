//! Makes a prompt from the instructions, the files and the request.

use super::Error;
use super::withheld::Withheld;
use crate::edit::FormatId;
use crate::path::RepoPath;
use crate::plan::TreeView;
use crate::prompt::{self, File, InstructionOptions, Listing, MAX_SHOWN_FILE};
use crate::text::Content;
use crate::transaction::with_defaults;
use crate::vcs::Oid;
use crate::vcs::repo::Repo;
use std::collections::HashSet;

with_defaults! {
    /// What a prompt asks for.
    #[derive(Debug, Clone)]
    #[non_exhaustive]
    pub struct Question {
        /// The format to ask for.
        pub format: FormatId = FormatId::Opx,
        /// The commit whose files are shown; by default HEAD.
        pub base: Option<String> = None,
        /// How the files are marked off in the prompt.
        pub listing: Listing = Listing::Fences,
        /// The task.
        pub request: Option<String> = None,
        /// What the instructions say.
        pub instructions: InstructionOptions = InstructionOptions::default(),
        /// Pathspecs of the files to show, from the top of the checkout.
        pub files: Vec<String> = Vec::new(),
        /// Pathspecs of files that are never shown.
        pub exclude: Vec<String> = Vec::new(),
        /// The largest total size of the files, in bytes.
        pub most: u64 = u64::MAX,
        /// Report pathspecs that match nothing and paths that are not files as left out, instead of failing or
        /// ignoring them.
        pub names_all: bool = false,
        /// The paths of more files to show, because the model asked for them.
        pub requested: Vec<String> = Vec::new(),
    }
}

/// Makes a prompt, and returns it with the files that it shows.
///
/// # Errors
/// A pathspec matches no tracked file, or the repository cannot be read.
pub fn prompt(repo: &Repo, question: &Question) -> Result<(String, Shown), Error> {
    let shown = read(repo, question)?;
    let files: Vec<_> = shown.files.iter().map(|(path, text)| File { path, text }).collect();
    let Question { format, instructions, listing, request, .. } = question;
    let text = prompt::prompt(*format, *instructions, &files, *listing, request.as_deref());
    Ok((text, shown))
}

/// The files that a model is shown.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Shown {
    /// The commit of the files, if there are any.
    pub commit: Option<Oid>,
    /// Their paths and texts.
    pub files: Vec<(String, String)>,
    /// The files that are not shown, each with the reason.
    pub left_out: Vec<(String, &'static str)>,
}

/// Reads the files that a question names, except those that are withheld from models.
///
/// # Errors
/// A pathspec matches no tracked file, or the repository cannot be read.
pub fn read(repo: &Repo, question: &Question) -> Result<Shown, Error> {
    let revision = question.base.as_deref().unwrap_or("HEAD");
    let requested = &question.requested;
    let mut shown = Shown::default();
    let Shown { commit: of, files, left_out } = &mut shown;
    if !question.files.is_empty() || !requested.is_empty() {
        let commit = repo.commit_of(revision)?;
        *of = Some(commit);
        let tree = repo.tree(Some(commit))?;
        let selected = Repo::pathspec(&question.files)?;
        let withheld = Withheld::read(repo, &[commit], &question.exclude, &question.files)?;
        let literal: Vec<String> = requested.iter().map(|path| format!(":(top,literal){path}")).collect();
        let (mut seen, mut length) = (HashSet::new(), 0);
        for pattern in question.files.iter().chain(&literal) {
            let (found, others) = repo.files_of(commit, pattern)?;
            let others = others.into_iter().filter(|(path, _)| question.names_all && selected(path));
            let others: Vec<_> = others.filter(|(path, _)| seen.insert(path.clone())).collect();
            if found.is_empty() && others.is_empty() {
                if question.names_all {
                    left_out.push((pattern.clone(), "no tracked file"));
                    continue;
                }
                let message = format!("pathspec '{pattern}' matches no tracked file of {revision}");
                return Err(Error::Impossible(message));
            }
            left_out.extend(others);
            for (path, id) in found.into_iter().filter(|(path, _)| requested.contains(path) || selected(path))
            {
                if !seen.insert(path.clone()) {
                    continue;
                }
                if let Some(why) = withheld.reason(&path) {
                    left_out.push((path, why));
                    continue;
                }
                let size = repo.blob_size(id)?;
                if size <= MAX_SHOWN_FILE as u64 && length + size > question.most {
                    left_out.push((path, "too much at once: name fewer files"));
                    continue;
                }
                let bytes = match RepoPath::parse(&path) {
                    _ if size > MAX_SHOWN_FILE as u64 => None,
                    Ok(path) => Some(tree.read(&path)?.to_vec()),
                    Err(_) => Some(repo.blob(id)?),
                };
                let Some(bytes) = bytes.filter(|bytes| bytes.len() <= MAX_SHOWN_FILE) else {
                    left_out.push((path, "too long"));
                    continue;
                };
                if Content::new(&bytes).is_lfs_pointer() {
                    left_out.push((path, "Git LFS pointer: run 'git lfs pull'"));
                    continue;
                }
                match String::from_utf8(bytes) {
                    Ok(text) if !text.contains('\0') => {
                        length += text.len() as u64;
                        files.push((path, text));
                    }
                    _ => left_out.push((path, "binary")),
                }
            }
        }
    }
    Ok(shown)
}
