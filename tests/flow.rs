//! The flows as a program calls them that lands edits itself: what the command does, without the command.

#![cfg(test)]

mod sandbox;

use git_llm_apply::flow::{
    self, Each, ModelCommand, Options, Order, Question, Resume, Template, Undo, Watch,
};
use git_llm_apply::report::{EditState, Status};
use git_llm_apply::response::Response;
use git_llm_apply::transaction::Recovered;
use git_llm_apply::vcs::repo::Repo;
use sandbox::fault::with_fault;
use sandbox::{Sandbox, create, patch};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Where the repository is that the program opens, which is this test once more.
const PLACE: &str = "FLOW_TEST_PLACE";

#[test]
fn flows_work_where_their_handle_points() {
    if let Some(place) = std::env::var_os(PLACE) {
        return in_another_repository(&PathBuf::from(place));
    }
    let (sandbox, other) = (Sandbox::new(), Sandbox::new());
    for sandbox in [&sandbox, &other] {
        sandbox.git(["config", "user.name", "A"]);
        sandbox.git(["config", "user.email", "a@example.com"]);
    }
    let (base, untouched) = (sandbox.head(), other.state());
    let git_dir = other.repo.join(".git");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "flows_work_where_their_handle_points"]);
    // As in a hook of the other one.
    child.current_dir(&other.repo).env(PLACE, &sandbox.repo).env("GIT_DIR", &git_dir);
    child.env("GIT_INDEX_FILE", git_dir.join("index")).env("GIT_WORK_TREE", &other.repo);
    child.env("GIT_OBJECT_DIRECTORY", git_dir.join("objects"));
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    other.state().is(&untouched, "the repository that the environment names");
    let subjects = ["Add it", "Suggest it", "Change it", "Asked"];
    assert_eq!(sandbox.subjects(&format!("{base}..main")), subjects);
    assert_eq!(sandbox.git(["branch", "--format=%(refname:short)"]), "main\nmany/1\nmany/2");
    assert_eq!(sandbox.status(), "");
    sandbox.has_sound_objects();
    sandbox.leaves_no_file();
}

/// A program that was started in another repository than the one that it opens.
fn in_another_repository(place: &Path) {
    let repo = Repo::open(&place.join(".git"), Some(place)).unwrap();
    let again = || repo.open_again().unwrap();
    let options = Options::default();
    let onto = |branch: &str| {
        let mut options = Options::default();
        options.branch = Some(branch.to_owned());
        options
    };
    let landed = |done: flow::Done| {
        assert_eq!(done.report.status, Status::Landed, "{:?}", done.failure);
    };
    landed(flow::land(again(), order(&create("new.txt", "Add it", "new\n")), &options, &()));
    let commit = again().tip("HEAD").unwrap().unwrap().to_string();
    let mut undo = Undo { name: Some(commit), ..Undo::default() };
    landed(flow::undo(again(), &undo, &options, &()));
    undo.redo = true;
    landed(flow::undo(again(), &undo, &options, &()));
    landed(flow::land(again(), order(&create("try.txt", "Suggest it", "try\n")), &onto("try"), &()));
    landed(flow::accept(again(), &["try".to_owned()], &options, &()));
    let done = flow::drop(again(), &["try".to_owned()], false, &options, &());
    assert_eq!(done.report.status, Status::Dropped, "{:?}", done.failure);
    landed(flow::land(again(), order(&create("open.txt", "Open", "open\n")), &onto("still-open"), &()));
    let open = flow::open(&repo, &()).unwrap();
    assert_eq!(open.open.iter().map(|one| one.branch.as_str()).collect::<Vec<_>>(), ["still-open"]);
    let forgotten = flow::list(&repo, &()).unwrap().landings[0].record.id.clone();
    flow::forget(&repo, &forgotten, options.lock_timeout, &()).unwrap();
    assert!(flow::show(&repo, Some(&forgotten), &()).is_err());
    let done = flow::drop(again(), &["still-open".to_owned()], true, &options, &());
    assert_eq!(done.report.status, Status::Dropped, "{:?}", done.failure);
    let bad = order(&patch("src/a.rs", "Change it", "no such line\n", "none\n"));
    let kept = flow::land(again(), bad, &options, &()).report.attempt.unwrap();
    let resume = Resume::find(&repo, Some(&kept.id), None).unwrap();
    let fix = patch("src/a.rs", "Change it", "fn a() {}\n", "fn z() {}\n");
    let mut fix = Order::of(vec![Response::new(resume.next_response(), "fix", fix.into(), 1 << 20).unwrap()]);
    fix.resume = Some(resume);
    landed(flow::land(again(), fix, &options, &()));
    let both = order(&(create("1.txt", "One", "1\n") + &create("2.txt", "Two", "2\n")));
    let template = Template::parse("many/{n}").unwrap();
    assert_eq!(flow::suggest(&repo, both, Each::Edit, &template, &options, false, &()).unwrap().all.len(), 2);
    let mut question = Question::default();
    question.files = vec!["README".to_owned()];
    let prompted = flow::prompt(&repo, &question).unwrap();
    assert_eq!(prompted.files, ["README"]);
    let answer = place.with_file_name("answer");
    std::fs::write(&answer, create("asked.txt", "Asked", "asked\n")).unwrap();
    let mut model = ModelCommand::new(&repo, format!("cat '{}'", answer.display()), &options, &());
    landed(flow::ask(&repo, &question, &mut model, 1, &options, None, &()).unwrap());
}

#[test]
fn a_program_has_the_options_that_the_configuration_says() {
    let sandbox = Sandbox::new();
    let set = |key: &str, value: &str| {
        sandbox.git(["config", "--add", key, value]);
    };
    set("user.name", "A");
    set("user.email", "a@example.com");
    set("llmapply.exclude", "infra");
    set("llmapply.allowDelete", "false");
    set("llmapply.lockTimeout", "7");
    set("llmapply.subjectPrefix", "ai:");
    // A directory below the top will do.
    let repo = || Repo::find(&sandbox.repo.join("src")).unwrap();
    let options = Options::from_config(&repo()).unwrap();
    assert_eq!((options.exclude.as_slice(), options.lock_timeout.as_secs()), (&["infra".to_owned()][..], 7));
    let removed = "<edit file=\"gone.txt\" op=\"remove\">\n</edit>\n";
    for refused in [create("infra/a.tf", "Add it", "a\n").as_str(), removed] {
        let done = flow::land(repo(), order(refused), &options, &());
        assert_eq!((done.report.status, done.moved), (Status::Refused, None), "{refused}");
    }
    let done = flow::land(repo(), order(&create("new.txt", "Add it", "new\n")), &options, &());
    assert_eq!(done.report.status, Status::Landed, "{:?}", done.failure);
    assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "ai: Add it");
    set("llmapply.exec", "false");
    let options = Options::from_config(&repo()).unwrap();
    let done = flow::land(repo(), order(&create("more.txt", "Add more", "more\n")), &options, &());
    assert!(done.failure.is_some() && done.moved.is_none());
    // What is kept for whoever goes on is what the command keeps.
    let kept: Vec<&str> = options.given.keys().map(String::as_str).collect();
    assert_eq!(kept, ["allow-delete", "exclude", "exec", "subject-prefix"]);
    set("llmapply.maxFuzz", "loose");
    assert!(Options::from_config(&repo()).is_err());
    assert!(Repo::find(Path::new("src")).is_err() && Repo::find(sandbox.root()).is_err());
}
