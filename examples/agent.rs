//! The loop of a program that asks a model for edits and lands them. The model is faked: its first answer has a wrong
//! edit, and it corrects the edit after the feedback.
//!
//! `cargo run --example agent` makes a repository in a temporary directory, and prints what happens.

#![expect(clippy::print_stdout, reason = "it is for people to look at")]

use git_llm_apply::{Cancel, Kind, Options, Repo, Resolved, Response};
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Stands for a call of a model, with two fixed answers: a first one, and one after the feedback on it.
fn ask(prompt: &str) -> &'static str {
    match prompt.contains("search-not-found") {
        false => {
            "I sort the shelf, and say so.\n\nshelf.py\n<<<<<<< SEARCH\n    return list(books)\n=======\n    return \
             sorted(books)\n>>>>>>> REPLACE\n\nREADME\n<<<<<<< SEARCH\nA shelf.\n=======\nA sorted shelf.\n>>>>>>> REPLACE\n"
        }
        true => {
            "shelf.py\n<<<<<<< SEARCH\n    return books\n=======\n    return sorted(books)\n>>>>>>> REPLACE\n"
        }
    }
}

fn git(directory: &Path, args: &[&str]) -> Result<String, Box<dyn Error>> {
    let identity = ["-c", "user.name=Agent", "-c", "user.email=agent@example.com"];
    let output = Command::new("git").current_dir(directory).args(identity).args(args).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let top = place.path().canonicalize()?;
    git(&top, &["init", "-q", "-b", "main"])?;
    git(&top, &["config", "user.name", "Agent"])?;
    git(&top, &["config", "user.email", "agent@example.com"])?;
    std::fs::write(top.join("shelf.py"), "def shelf(books):\n    return books\n")?;
    std::fs::write(top.join("README"), "A shelf.\n")?;
    git(&top, &["add", "-A"])?;
    git(&top, &["commit", "-q", "-m", "Begin"])?;

    let request = "Sort the shelf";
    let repo = Repo::open(&top)?;
    let options =
        Options::from_config(&repo)?.exclude("infra").exec("test -s shelf.py").asked(request, "fake");
    let cancel = Cancel::default();
    let mut response = Response::parse(ask(request));
    let landing = loop {
        match repo.resolve(&response, &options)? {
            Resolved::AlreadyLanded(landing) => break landing,
            Resolved::Refused(refused) => {
                let feedback = refused.feedback(16_384);
                println!("refused, and told:\n{feedback}");
                response = refused.corrected(ask(&feedback));
            }
            Resolved::Plan(plan) => {
                for step in plan.steps() {
                    println!("{} {}\n{}", step.operation(), step.path(), step.diff().unwrap_or_default());
                }
                match plan.land(Duration::from_secs(60), &cancel) {
                    Ok(landing) => break landing,
                    Err(error) if error.kind() == Kind::Moved => {}
                    Err(error) => return Err(error.into()),
                }
            }
            _ => return Err("something new".into()),
        }
    };
    println!("landed on {}:\n{}", landing.branch(), git(&top, &["log", "--oneline"])?);
    assert_eq!(landing.commits().len(), 2);
    assert_eq!(
        std::fs::read_to_string(top.join("shelf.py"))?,
        "def shelf(books):\n    return sorted(books)\n"
    );

    repo.undo(landing.id().ok_or("it is on record")?)?;
    assert_eq!(git(&top, &["log", "--format=%s"])?, "Begin\n");
    println!("and taken back");
    Ok(())
}
