//! The front door, and the flows behind it, as a program calls them that lands edits itself: what the command does, without the command.

#![cfg(test)]

mod sandbox;

use git_llm_apply::flow::{self, Each, Options, Order, Question, Template, Undo, Watch};
use git_llm_apply::report::Recovered;
use git_llm_apply::report::{EditState, Status};
use git_llm_apply::response::Response;
use git_llm_apply::vcs::repo::Repo;
use git_llm_apply::{Cancel, Kind, Resolved, Response as Answer};
use sandbox::fault::with_fault;
use sandbox::{Sandbox, create, patch, same};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

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
    let mut dry = options.clone();
    (dry.dry_run, dry.previews) = (true, true);
    let checked = flow::land(&Repo::discover().unwrap(), order(&good), &dry, &());
    assert_eq!(checked.report.status, Status::Checked);
    let (base, preview) = checked.preview.unwrap();
    assert_eq!(base.unwrap().to_string(), sandbox.git(["rev-parse", "HEAD^{tree}"]));
    assert_ne!(Some(preview.tree()), base);
    drop(preview);
    sandbox.state().is(&before, "checked");

    let bad = good.clone() + &patch("src/a.rs", "Change it", "no such line\n", "none\n");
    let done = flow::land(&Repo::discover().unwrap(), order(&bad), &options, &());
    assert_eq!((done.report.status, done.moved), (Status::Refused, None));
    let states: Vec<_> = done.report.edits.iter().map(|edit| edit.state).collect();
    assert_eq!(states, [EditState::Fine, EditState::Refused]);
    let kept = done.report.attempt.unwrap();

    // A run that was killed is settled first, and that is told.
    let killed = with_fault(&sandbox, ["-b", "side"], "ref-prepared:kill");
    assert_eq!(killed.signal, Some(9));
    let resume = flow::attempt(&Repo::discover().unwrap(), Some(&kept), None).unwrap();
    let correction = patch("src/a.rs", "Change it", "fn a() {}\n", "fn z() {}\n");
    let mut corrected =
        Order::of(vec![Response::new(resume.next_response(), "fix", correction.into(), 1 << 20).unwrap()]);
    corrected.attempt = Some(resume);
    let heard = Heard::default();
    let done = flow::land(&Repo::discover().unwrap(), corrected, &options, &heard);
    assert_eq!(done.report.status, Status::Landed);
    assert_eq!(heard.recovered.get(), 1);
    let (_, new) = done.moved.unwrap();
    assert_eq!(new.to_string(), sandbox.head());
    assert_eq!(sandbox.git(["log", "--format=%s", "-2"]), "Change it\nAdd it");
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    assert!(flow::abort(&Repo::discover().unwrap(), Some(&kept), None).is_err(), "the attempt is gone");

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
    let done = flow::land(&repo, order(&create("late.txt", "Add late", "late\n")), &moving, &());
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
    landed(flow::land(&again(), order(&create("new.txt", "Add it", "new\n")), &options, &()));
    let commit = again().tip("HEAD").unwrap().unwrap().to_string();
    let mut undo = Undo { name: Some(commit), ..Undo::default() };
    landed(flow::undo(&again(), &undo, &options, &()));
    undo.redo = true;
    landed(flow::undo(&again(), &undo, &options, &()));
    landed(flow::land(&again(), order(&create("try.txt", "Suggest it", "try\n")), &onto("try"), &()));
    landed(flow::accept(&again(), &["try".to_owned()], &options, &()));
    let done = flow::drop(&again(), &["try".to_owned()], false, &options, &());
    assert_eq!(done.report.status, Status::Dropped, "{:?}", done.failure);
    landed(flow::land(&again(), order(&create("open.txt", "Open", "open\n")), &onto("still-open"), &()));
    let open = flow::open(&repo, &()).unwrap();
    assert_eq!(open.open.iter().map(|one| one.branch.as_str()).collect::<Vec<_>>(), ["still-open"]);
    let forgotten = flow::list(&repo, &()).unwrap().landings[0].record.id.clone();
    flow::forget(&repo, &forgotten, options.lock_timeout, &()).unwrap();
    assert!(flow::show(&repo, Some(&forgotten), &()).is_err());
    let done = flow::drop(&again(), &["still-open".to_owned()], true, &options, &());
    assert_eq!(done.report.status, Status::Dropped, "{:?}", done.failure);
    let bad = order(&patch("src/a.rs", "Change it", "no such line\n", "none\n"));
    let kept = flow::land(&again(), bad, &options, &()).report.attempt.unwrap();
    let resume = flow::attempt(&repo, Some(&kept), None).unwrap();
    let fix = patch("src/a.rs", "Change it", "fn a() {}\n", "fn z() {}\n");
    let mut fix = Order::of(vec![Response::new(resume.next_response(), "fix", fix.into(), 1 << 20).unwrap()]);
    fix.attempt = Some(resume);
    landed(flow::land(&again(), fix, &options, &()));
    let both = order(&(create("1.txt", "One", "1\n") + &create("2.txt", "Two", "2\n")));
    let template = Template::parse("many/{n}").unwrap();
    assert_eq!(flow::suggest(&repo, both, Each::Edit, &template, &options, &()).unwrap().all.len(), 2);
    let mut question = Question::default();
    question.files = vec!["README".to_owned()];
    let (_, shown) = flow::prompt(&repo, &question).unwrap();
    assert_eq!(shown.files[0].0, "README");
    let answer = place.with_file_name("answer");
    std::fs::write(&answer, create("asked.txt", "Asked", "asked\n")).unwrap();
    let command = format!("cat '{}'", answer.display());
    landed(flow::ask(&repo, &question, &command, 1, &options, None, &()).unwrap());
}

/// A repository whose configuration names its user.
fn configured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "user.name", "A"]);
    sandbox.git(["config", "user.email", "a@example.com"]);
    sandbox
}

#[test]
fn through_the_front_door_corrections_are_values() {
    let sandbox = configured();
    let repo = git_llm_apply::Repo::open(sandbox.repo.join("src")).unwrap();
    let options = git_llm_apply::Options::from_config(&repo).unwrap();
    let before = sandbox.listing();
    let bad = create("new.txt", "Add it", "new\n")
        + &patch("src/a.rs", "Change it", "no such line\n", "none\n")
        + &patch("old.txt", "Say so", "nor such\n", "none\n");
    let refused = |resolved| match resolved {
        Resolved::Refused(refused) => refused,
        other => panic!("{other:?}"),
    };
    let first = refused(repo.resolve(&Answer::parse(bad.as_str()), &options).unwrap());
    assert_eq!(first.reasons().iter().map(|one| one.edit).collect::<Vec<_>>(), [Some(2), Some(3)]);
    let told = first.feedback(16_384);
    assert!(
        told.contains("src/a.rs") && told.contains("old.txt") && told.contains("Edit 1 is fine"),
        "{told}"
    );
    // One at a time, each on what came before; what corrects nothing is said, and what was there stays.
    let one = first.corrected(patch("src/a.rs", "Change it", "fn a() {}\n", "fn z() {}\n"));
    let second = refused(repo.resolve(&one, &options).unwrap());
    assert_eq!(second.reasons().iter().map(|one| one.edit).collect::<Vec<_>>(), [Some(3)]);
    let odd = second.corrected(create("new.txt", "Add it", "new\n"));
    let third = refused(repo.resolve(&odd, &options).unwrap());
    assert!(third.feedback(16_384).contains("old.txt"), "{}", third.feedback(16_384));
    let all = third.corrected(patch("old.txt", "Say so", "two\n", "2\n"));
    let Resolved::Plan(plan) = repo.resolve(&all, &options).unwrap() else { panic!("it resolves") };
    same("nothing is kept", &before, &sandbox.listing());
    let steps: Vec<_> = plan.steps().map(|step| (step.number(), step.operation(), step.path())).collect();
    assert_eq!(steps, [(1, "create", "new.txt"), (2, "modify", "src/a.rs"), (3, "modify", "old.txt")]);
    assert!(plan.steps().all(|step| step.diff().is_some_and(|diff| diff.starts_with("diff --git"))));
    let landing = plan.land(Duration::from_secs(60), &Cancel::default()).unwrap();
    assert_eq!(landing.commits().last(), Some(&sandbox.head()));
    assert_eq!((landing.branch(), landing.commits().len()), ("main", 3));
    assert_eq!(sandbox.subjects("-3"), ["Add it", "Change it", "Say so"]);
    match repo.resolve(&all, &options).unwrap() {
        Resolved::AlreadyLanded(again) => assert_eq!(again.id(), landing.id()),
        other => panic!("{other:?}"),
    }
    repo.undo(landing.id().unwrap()).unwrap();
    assert_eq!(sandbox.subjects("-1"), ["base"]);
    sandbox.is_sound();
}

#[test]
fn through_the_front_door_errors_have_a_kind_and_change_nothing() {
    fn goes_to_threads<T: Send + Sync>() {}
    goes_to_threads::<(git_llm_apply::Repo, git_llm_apply::Options, Answer, Resolved, git_llm_apply::Error)>(
    );
    goes_to_threads::<(git_llm_apply::Plan, git_llm_apply::Refused, git_llm_apply::Landing, Cancel)>();
    let sandbox = configured();
    sandbox.git(["config", "llmapply.exclude", "infra"]);
    let repo = git_llm_apply::Repo::open(&sandbox.repo).unwrap();
    let options = git_llm_apply::Options::from_config(&repo).unwrap();
    let before = sandbox.listing();
    let resolve = |text: &str, options: &git_llm_apply::Options| repo.resolve(&Answer::parse(text), options);
    let plan = |text: &str, options: &git_llm_apply::Options| match resolve(text, options).unwrap() {
        Resolved::Plan(plan) => plan,
        other => panic!("{other:?}"),
    };
    let good = patch("README", "Greet", "hello\n", "hi\n");
    for text in [create("infra/a", "Add it", "a\n").as_str(), "no edits at all\n"] {
        assert!(matches!(resolve(text, &options).unwrap(), Resolved::Refused(_)), "{text}");
    }
    let wait = Duration::from_secs(10);
    let failing = plan(&good, &options.clone().exec("echo no; exit 3")).land(wait, &Cancel::default());
    let error = failing.unwrap_err();
    assert_eq!((error.kind(), error.exit_code(), error.output()), (Kind::Exec, 2, Some("no")));
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(plan(&good, &options).land(wait, &cancel).unwrap_err().kind(), Kind::Interrupted);
    same("nothing landed", &before, &sandbox.listing());
    // What a killed run has left is settled first.
    assert_eq!(with_fault(&sandbox, ["-b", "side"], "ref-prepared:kill").signal, Some(9));
    let mut dry = options.clone();
    dry.dry_run = true;
    let planned = plan(&good, &dry);
    same("the killed run is settled", &before, &sandbox.listing());
    sandbox.file("README", "mine\n");
    assert_eq!(resolve(&good, &options).unwrap_err().kind(), Kind::InTheWay);
    assert_eq!(planned.land(wait, &Cancel::default()).unwrap_err().kind(), Kind::InTheWay);
    assert_eq!(repo.undo("none").unwrap_err().kind(), Kind::NoLanding);
    // Elsewhere than in the checkout it lands all the same.
    let landing = plan(&good, &options.clone().onto("ai/greet")).land(wait, &Cancel::default()).unwrap();
    assert_eq!((landing.branch(), sandbox.text("README").as_str()), ("ai/greet", "mine\n"));
    sandbox.git(["config", "llmapply.maxFuzz", "loose"]);
    assert_eq!(git_llm_apply::Options::from_config(&repo).unwrap_err().kind(), Kind::Configuration);
    assert_eq!(git_llm_apply::Repo::open("src").unwrap_err().kind(), Kind::Configuration);
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
        let done = flow::land(&repo(), order(refused), &options, &());
        assert_eq!((done.report.status, done.moved), (Status::Refused, None), "{refused}");
    }
    let done = flow::land(&repo(), order(&create("new.txt", "Add it", "new\n")), &options, &());
    assert_eq!(done.report.status, Status::Landed, "{:?}", done.failure);
    assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "ai: Add it");
    set("llmapply.exec", "false");
    let options = Options::from_config(&repo()).unwrap();
    let done = flow::land(&repo(), order(&create("more.txt", "Add more", "more\n")), &options, &());
    assert!(done.failure.is_some() && done.moved.is_none());
    // What is kept for whoever goes on is what the command keeps.
    let kept: Vec<&str> = options.given.keys().map(String::as_str).collect();
    assert_eq!(kept, ["allow-delete", "exclude", "exec", "subject-prefix"]);
    set("llmapply.maxFuzz", "loose");
    assert!(Options::from_config(&repo()).is_err());
    assert!(Repo::find(Path::new("src")).is_err() && Repo::find(sandbox.root()).is_err());
}
