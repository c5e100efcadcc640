//! `git llm-apply prompt`: the instructions, the files named and the request, for a model to answer.

use super::output;
use super::settings::Prompt;
use super::{Error, exit::Exit};
use crate::path::RepoPath;
use crate::plan::TreeView;
use crate::prompt::{self, File, LONGEST_FILE};
use crate::vcs::repo::Repo;
use clap::ArgMatches;

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Error> {
    let repo = Repo::discover()?;
    let settings = Prompt::read(matches, repo.config())?;
    let revision = settings.base.as_deref().unwrap_or("HEAD");
    let patterns: Vec<String> = matches.get_many("pathspec").into_iter().flatten().cloned().collect();
    let mut files = Vec::new();
    let mut left_out = Vec::new();
    if !patterns.is_empty() {
        let commit = repo.commit_of(revision)?;
        let tree = repo.tree(Some(commit))?;
        for pattern in &patterns {
            let found = repo.files_of(commit, &repo.from_here(pattern)?)?;
            if found.is_empty() {
                return Err(Error::NoSuchFiles(pattern.clone(), revision.to_owned()));
            }
            for (path, id) in found {
                if files.iter().any(|(known, _)| *known == path)
                    || left_out.iter().any(|(known, _)| *known == path)
                {
                    continue;
                }
                let bytes = match RepoPath::parse(&path) {
                    Ok(path) => tree.read(&path)?.to_vec(),
                    Err(_) => repo.blob(id)?,
                };
                if bytes.len() > LONGEST_FILE {
                    left_out.push((path, "too long"));
                    continue;
                }
                match String::from_utf8(bytes) {
                    Ok(text) if !text.contains('\0') => files.push((path, text)),
                    _ => left_out.push((path, "binary")),
                }
            }
        }
    }
    let shown: Vec<_> = files.iter().map(|(path, text)| File { path, text }).collect();
    let text = prompt::prompt(
        settings.format,
        settings.lesson,
        &shown,
        settings.listing,
        settings.request.as_deref(),
    );
    output::prompt(&text);
    for (path, why) in &left_out {
        output::remark(&format!("left out: {path} ({why})"));
    }
    let files = match files.len() {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    };
    output::remark(&format!(
        "{files}, {} bytes, about {} tokens",
        text.len(),
        prompt::estimated_tokens(&text)
    ));
    Ok(Exit::Done)
}
