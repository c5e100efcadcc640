//! The flows as a program calls them that lands edits itself: what the command does, without the command.

#![cfg(test)]

mod sandbox;

use git_llm_apply::flow::{self, Options, Order, Resume, Watch};
use git_llm_apply::report::{EditState, Status};
use git_llm_apply::response::Response;
use git_llm_apply::transaction::Recovered;
use git_llm_apply::vcs::repo::Repo;
use sandbox::fault::with_fault;
use sandbox::{Sandbox, create, patch};
use std::cell::Cell;

fn order(text: &str) -> Order {
    Order::of(vec![Response::new(0, "answer", text.into(), 1 << 20).unwrap()])
}

#[derive(Default)]
struct Heard {
    recovered: Cell<usize>,
}

impl Watch for Heard {
    fn recovered(&self, _: &Recovered) {
        self.recovered.set(self.recovered.get() + 1);
    }
}

/// The one test here: flows work in the current directory, which is the whole process's.
#[test]
fn a_program_checks_lands_and_resumes() {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "user.name", "A"]);
    sandbox.git(["config", "user.email", "a@example.com"]);
    std::env::set_current_dir(&sandbox.repo).unwrap();
    let before = sandbox.state();
    let options = Options::default();

    let good = create("new.txt", "Add it", "new\n");
    let checked = flow::check(Repo::discover().unwrap(), order(&good), &options, true, &());
    assert_eq!(checked.report.status, Status::Checked);
    let (base, preview) = checked.preview.unwrap();
    assert_eq!(base.unwrap().to_string(), sandbox.git(["rev-parse", "HEAD^{tree}"]));
    assert_ne!(Some(preview.tree()), base);
    drop((preview, checked.repo));
    sandbox.state().is(&before, "checked");

    let bad = good.clone() + &patch("src/a.rs", "Change it", "no such line\n", "none\n");
    let done = flow::land(Repo::discover().unwrap(), order(&bad), &options, &());
    assert_eq!((done.report.status, done.moved), (Status::Refused, None));
    let states: Vec<_> = done.report.edits.iter().map(|edit| edit.state).collect();
    assert_eq!(states, [EditState::Fine, EditState::Refused]);
    let kept = done.report.attempt.unwrap();

    // A run that was killed is settled first, and that is told.
    let killed = with_fault(&sandbox, ["-b", "side"], "ref-prepared:kill");
    assert_eq!(killed.signal, Some(9));
    let mut resume = Resume::find(&Repo::discover().unwrap(), Some(&kept.id), None).unwrap();
    resume.takes_branch = false;
    let correction = patch("src/a.rs", "Change it", "fn a() {}\n", "fn z() {}\n");
    let mut corrected =
        Order::of(vec![Response::new(resume.next_response(), "fix", correction.into(), 1 << 20).unwrap()]);
    corrected.resume = Some(resume);
    let heard = Heard::default();
    let done = flow::land(Repo::discover().unwrap(), corrected, &options, &heard);
    assert_eq!(done.report.status, Status::Landed);
    assert_eq!(heard.recovered.get(), 1);
    let (_, new) = done.moved.unwrap();
    assert_eq!(new.to_string(), sandbox.head());
    assert_eq!(sandbox.git(["log", "--format=%s", "-2"]), "Change it\nAdd it");
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    assert!(flow::abort(&done.repo, Some(&kept.id), None).is_err(), "the attempt is gone");

    // Where the branch moves meanwhile it lands on that, in the repository of its handle, wherever the process is then.
    let other = Sandbox::new();
    let untouched = other.state();
    let (repo, place) = (Repo::discover().unwrap(), sandbox.repo.display());
    std::env::set_current_dir(&other.repo).unwrap();
    let mark = sandbox.root().join("mark");
    let mut moving = Options::default();
    moving.exec = vec![format!(
        "test -e {0} || {{ touch {0}; git -C {place} commit -q --allow-empty -m moved; }}",
        mark.display()
    )];
    moving.branch = Some("main".to_owned());
    let before = sandbox.head();
    let done = flow::land(repo, order(&create("late.txt", "Add late", "late\n")), &moving, &());
    assert_eq!(done.report.status, Status::Landed, "{:?}", done.failure);
    assert_eq!(sandbox.git(["log", "--format=%s", &format!("{before}..")]), "Add late\nmoved");
    other.state().is(&untouched, "the repository in the current directory");
}
