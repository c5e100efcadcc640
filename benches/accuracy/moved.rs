//! `--base`: a response is resolved against the parent of its commit, and the result is moved onto another state of the
//! repository, as the program does it. The outcome is compared with git's own merge of the real commit.
//!
//! The other state is an earlier one, because later ones contain the commit already. Nothing is written to the clone.

use crate::history::{Commit, git};
use crate::random::Random;
use crate::table::{Kind, Outcome, Table};
use crate::writing::render;
use git_llm_apply::format::{self, FormatId};
use git_llm_apply::plan::{self, Grouping, Rules, SyntaxCheck};
use git_llm_apply::response::Response;
use git_llm_apply::transaction::{Making, Planned, carry};
use git_llm_apply::vcs::Oid;
use git_llm_apply::vcs::quarantine::Quarantine;
use git_llm_apply::vcs::repo::Repo;
use std::path::{Path, PathBuf};

/// How many commits earlier the other state is at most.
const MAX_BACK: usize = 40;

const CLEAN: &str = "--base, where git merges the commit";
const CONFLICT: &str = "--base, where git has a conflict";

/// Moves a commit in every format onto an earlier state.
pub(crate) fn measure(
    clone: &Path,
    commit: &Commit,
    random: &mut Random,
    table: &mut Table,
) -> Result<(), String> {
    let text =
        |args: &[&str]| git(clone, args, b"").map(|out| String::from_utf8_lossy(&out).trim().to_owned());
    let git_dir = PathBuf::from(text(&["rev-parse", "--absolute-git-dir"])?);
    let back = 2 + random.below(MAX_BACK);
    let (base, onto) = (format!("{}^", commit.id), format!("{}~{back}", commit.id));
    let Ok(onto) = text(&["rev-parse", "--verify", "-q", &format!("{onto}^{{commit}}")]) else {
        return Ok(());
    };
    let base = text(&["rev-parse", "--verify", "-q", &base])?;
    // No format can say that a new file is executable.
    let added = text(&["diff-tree", "-r", "--no-commit-id", "--diff-filter=A", &commit.id])?;
    if added.lines().any(|line| line.contains(" 100755 ")) {
        return Ok(());
    }
    let merged = text(&["merge-tree", "--write-tree", &format!("--merge-base={base}"), &onto, &commit.id]);
    for &format in FormatId::ALL {
        let Some(response) = response(commit, format) else { continue };
        let result = apply(&git_dir, &base, &onto, response);
        let (row, kind, outcome) = match (&merged, &result) {
            (Ok(_), Err(_)) => (CLEAN, Kind::Clear, Outcome::Refused),
            (Ok(wanted), Ok(made)) if wanted == made => (CLEAN, Kind::Clear, Outcome::Right),
            (Ok(_), Ok(_)) => (CLEAN, Kind::Clear, Outcome::Wrong),
            (Err(_), Err(_)) => (CONFLICT, Kind::Unbarred, Outcome::Refused),
            (Err(_), Ok(_)) => (CONFLICT, Kind::Unbarred, Outcome::Right),
        };
        let bar = (kind == Kind::Clear).then_some(100.0);
        let report = || format!("{} onto {onto} {}: {merged:?} {result:?}", commit.id, format.as_str());
        table.count(row, bar, kind, outcome, &report);
    }
    Ok(())
}

fn response(commit: &Commit, format: FormatId) -> Option<Response> {
    let text = render(format, &commit.rendered()).ok()?;
    Response::new(0, "response", text.into_bytes(), u64::MAX).ok()
}

/// Returns the resulting tree, or why there is none.
fn apply(git_dir: &Path, base: &str, onto: &str, response: Response) -> Result<String, String> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    let open = || Repo::open(git_dir, None).map_err(|e| text(&e));
    let repo = open()?;
    let id = |name: &str| name.parse::<Oid>().map_err(|e| text(&e));
    let (base, onto) = (id(base)?, id(onto)?);
    let script = format::parse(&response, &git_llm_apply::format::Reading::default());
    let rules = Rules {
        allow_overwrite: true,
        allow_sensitive: true,
        allow_placeholder: true,
        allow_markers: true,
        // The syntax check only warns, and takes as long as everything else.
        syntax: SyntaxCheck::Off,
        ..Rules::default()
    };
    let tree = repo.tree(Some(base)).map_err(|e| text(&e))?;
    let plan = plan::resolve(&script, &tree, &rules).map_err(|e| text(&e))?;
    let plan = plan.map_err(|rejected| format!("{:?}", rejected.diagnostics))?;
    let series: Vec<Planned> = plan
        .groups(Grouping::Edit)
        .into_iter()
        .map(|group| Planned {
            edits: Vec::new(),
            message: "m\n".to_owned(),
            changes: group.changes,
            origins: Vec::new(),
            making: Making::New,
        })
        .collect();
    let carried = carry(&open()?, base, onto, &series, true, None).map_err(|e| text(&e))?;
    if !carried.clashes.is_empty() {
        return Err(format!("{:?}", carried.clashes));
    }
    let (repo, _quarantine) = Quarantine::enter_aside(&repo).map_err(|e| text(&e))?;
    let onto = repo.tree(Some(onto)).map_err(|e| text(&e))?;
    let changes = carried.series.iter().flat_map(|planned| &planned.changes);
    let changes = onto.store_all(changes).map_err(|e| text(&e))?;
    repo.write_tree(onto.id(), &changes).map(|id| id.to_string()).map_err(|e| text(&e))
}
