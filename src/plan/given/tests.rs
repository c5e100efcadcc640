use super::*;
use crate::edit::{Anchor, Change, Clue, Git, Hunk, Missing, Unit};
use crate::plan::{MemoryTree, Plan, Rejected, resolve};
use crate::span::Span;

const FILE: &str = "def f():\n    return 1\n\ndef g():\n    return 2\n";

fn target(path: &str) -> Target {
    Target { raw: path.into(), root: None, span: Span::new(0, 0, 0) }
}

fn block(language: &str, text: &str, candidates: &[(&str, Clue, bool)]) -> CodeBlock {
    let candidate =
        |(path, by, quoted): &(&str, Clue, bool)| Candidate { path: target(path), by: *by, quoted: *quoted };
    CodeBlock {
        span: Span::new(0, 50, 60),
        candidates: candidates.iter().map(candidate).collect(),
        language: language.into(),
        text: text.into(),
        path_line: 0,
        state: FenceState::Closed,
        is_part: false,
        is_whole: false,
        is_snippet: false,
        why: None,
    }
}

fn line(path: &str, text: &str) -> CodeBlock {
    block("", text, &[(path, Clue::Line, false)])
}

/// An edit that changes what f returns.
fn edit() -> Edit {
    let change =
        Change::Texts { before: "    return 1\n".into(), after: "    return 3\n".into(), unit: Unit::Lines };
    let hunk = Hunk { span: Span::new(0, 1, 9), change, anchor: Anchor::Unique };
    Edit {
        span: Span::new(0, 1, 9),
        format: FormatId::SearchReplace,
        region: 0,
        path: target("src/a.py"),
        op: Op::Modify { hunks: vec![hunk], missing: Missing::Refuse },
        why: None,
        git: Git::default(),
        label: None,
    }
}

fn tree() -> MemoryTree {
    MemoryTree::new().with_file("src/a.py", FILE).unwrap().with_file("src/b.py", "x = 1\n").unwrap()
}

fn script(given: CodeBlock) -> Script {
    Script { edits: vec![edit()], given: vec![given], ..Script::default() }
}

fn resolved(given: CodeBlock) -> Result<Plan, Rejected> {
    resolve(&script(given), &tree(), &Rules::default()).unwrap()
}

fn settled_by(given: CodeBlock, rules: &Rules) -> Script {
    let mut script = script(given);
    settle_given(&mut script, &tree(), rules).unwrap();
    script
}

fn settled(given: CodeBlock) -> Script {
    settled_by(given, &Rules::default())
}

/// The code of the only error.
fn error(given: CodeBlock) -> Option<Code> {
    let rejected = resolved(given).err()?;
    assert_eq!(rejected.diagnostics.len(), 1, "{:?}", rejected.diagnostics);
    Some(rejected.diagnostics[0].code)
}

#[test]
fn a_block_with_lines_of_the_file_before_or_after_the_edits_shows_them() {
    for shown in
        ["def g():\n    return 2\n", "\ndef f():\n    return 1\n\n", "def f():\n    return 3\n", "\n"]
    {
        assert_eq!(error(line("src/a.py", shown)), None, "{shown}");
    }
    for other in
        ["def g():\n    return 9\n", "return 2\n", "def f():\n    return 1\ndef g():\n", "    return\n"]
    {
        assert_eq!(error(line("src/a.py", other)), Some(Code::NotRead), "{other}");
    }
    let in_comment = [("src/a.py", Clue::Comment, false)];
    let commented = CodeBlock { path_line: 11, ..block("", "# src/a.py\ndef g():\n", &in_comment) };
    assert_eq!(error(commented), None);
}

#[test]
fn a_missing_file_that_a_whole_line_names_is_created_in_order() {
    let script = settled(line("src/new.py", "y = 1\n"));
    assert_eq!(
        script.edits.iter().map(|edit| edit.path.raw.as_str()).collect::<Vec<_>>(),
        ["src/a.py", "src/new.py"]
    );
    assert_eq!((script.edits[1].format, script.edits[1].region), (FormatId::WholeFile, 1));
    assert_eq!(script.regions.len(), 1);
    let first = settled(CodeBlock {
        span: Span::new(0, 0, 1),
        path_line: 9,
        ..block("", "# new.py\ny = 1\n", &[("new.py", Clue::Comment, false)])
    });
    assert_eq!(first.edits[0].path.raw, "new.py", "in the order of the response");
    assert!(
        matches!(&first.edits[0].op, Op::Create { text, existing: Existing::Refuse } if *text == "y = 1\n")
    );
    let info = block("python", "y = 1\n", &[("src/new.py", Clue::Info, false)]);
    assert_eq!(settled(info).edits.len(), 2);
}

#[test]
fn no_other_file_is_created() {
    let open = |given: CodeBlock| settled(given).pending.len() == 1;
    assert!(open(block("", "y\n", &[("src/new.py", Clue::Mention, true)])), "it is only spoken of");
    assert!(open(line("a.py", "y\n")), "a file elsewhere has that name");
    assert!(open(line(".husky/pre-commit", "y\n")), "it runs by itself");
    assert!(open(line("path/to/file.py", "y\n")) && open(line("src/<name>.py", "y\n")), "it stands for any");
    assert!(open(line("/etc/some.conf", "y\n")));
    assert!(
        open(block("", "y\n", &[("q.py", Clue::Line, false), ("r.py", Clue::Info, false)])),
        "which one?"
    );
    let ignored = Rules { ignored: Box::new(|path| path.as_str() == "build/x.c"), ..Rules::default() };
    assert_eq!(settled_by(line("build/x.c", "y\n"), &ignored).pending.len(), 1);
    assert_eq!(settled_by(line("build/y.c", "y\n"), &ignored).pending.len(), 0);
}

#[test]
fn what_does_not_look_like_a_path_names_no_file() {
    let said = |language: &str, path: &str, by| {
        let script = settled(block(language, "y\n", &[(path, by, false)]));
        (script.edits.len() == 2, script.unread.len() == 1)
    };
    const NEW: (bool, bool) = (true, false);
    const NOTED: (bool, bool) = (false, true);
    const ERROR: (bool, bool) = (false, false);
    for by in [Clue::Line, Clue::Comment, Clue::Info] {
        for (language, path, outcome) in [
            ("bash", "Linux/macOS", NOTED),
            ("", "and/or", NOTED),
            ("powershell", "Windows/PowerShell", NOTED),
            ("", "2024/05/06", NOTED),
            ("", "application/json", NOTED),
            ("", "$HOME/.npmrc", NOTED),
            ("", "~/.bashrc", NOTED),
            ("js", "console.log", NOTED),
            ("python", "os.path", NOTED),
            ("", "requests.get", NOTED),
            ("bash", "output.txt", NOTED),
            ("bash", "src/run.py", ERROR),
            ("", "src/run.py", NEW),
            ("proto", "src/api.proto", NEW),
            ("", "src/run", NEW),
            ("python", "run.py", NEW),
            ("css", "site.css", NEW),
            ("make", "Makefile", NEW),
            ("dockerfile", "docker/Dockerfile", NEW),
            ("", ".dockerignore", NEW),
            ("", "Makefile", NOTED),
        ] {
            assert_eq!(said(language, path, by), outcome, "{path} in a fence of {language:?}");
        }
    }
    let tree = tree().with_file("Makefile", "all:\n").unwrap();
    let mut script = script(line("Makefile", "y\n"));
    settle_given(&mut script, &tree, &Rules::default()).unwrap();
    assert_eq!(script.pending.len(), 1, "the tree has it");
}

#[test]
fn a_block_with_a_placeholder_is_no_new_file() {
    let lazy = || line("src/c.js", "// ... existing code ...\nf();\n");
    assert_eq!(settled(lazy()).pending.len(), 1);
    let rules = Rules { allow_placeholder: true, ..Rules::default() };
    assert_eq!(settled_by(lazy(), &rules).edits.len(), 2);
}

#[test]
fn a_new_file_may_be_changed_by_edits_below_it() {
    let mut both = script(line("new.py", "    return 1\n"));
    both.edits[0].path = target("new.py");
    both.edits[0].span = Span::new(0, 70, 90);
    let plan = resolve(&both, &tree(), &Rules::default()).unwrap().unwrap();
    assert_eq!(plan.steps().len(), 2);
    both.edits[0].span = Span::new(0, 1, 9);
    assert!(resolve(&both, &tree(), &Rules::default()).unwrap().is_err(), "what stands above it cannot");
}

#[test]
fn new_files_that_exist_are_already_applied() {
    let given = |text| vec![line("src/b.py", text)];
    let mut script = Script { given: given("x = 1\n"), ..Script::default() };
    settle_given(&mut script, &tree(), &Rules::default()).unwrap();
    let plan = resolve(&script, &tree(), &Rules::default()).unwrap().unwrap();
    assert_eq!(plan.steps()[0].outcome, crate::plan::Outcome::AlreadyApplied);
    let mut part = Script { given: given("x = 2\n"), ..Script::default() };
    settle_given(&mut part, &tree(), &Rules::default()).unwrap();
    assert_eq!((part.edits.len(), part.pending.len()), (0, 1));
}

#[test]
fn a_block_that_shows_the_result_of_an_edit_creates_no_file() {
    let mut made = script(line("new.py", "y = 2\n"));
    let text = "y = 1\ny = 2\n".into();
    made.edits[0] =
        Edit { path: target("new.py"), op: Op::Create { text, existing: Existing::Refuse }, ..edit() };
    let plan = resolve(&made, &tree(), &Rules::default()).unwrap().unwrap();
    assert_eq!(plan.steps().len(), 1);
    made.given[0].text = "y = 3\n".into();
    assert!(resolve(&made, &tree(), &Rules::default()).unwrap().is_err());
}

#[test]
fn a_block_is_for_a_mentioned_file_if_the_language_fits() {
    let mention =
        |language: &str, path: &str, quoted| block(language, "y\n", &[(path, Clue::Mention, quoted)]);
    for language in ["", "python", "py", "Python3"] {
        assert_eq!(error(mention(language, "src/b.py", false)), Some(Code::NotRead), "{language}");
    }
    for other in ["sh", "console", "json", "rust"] {
        assert_eq!(settled(mention(other, "src/b.py", true)).unread.len(), 1, "{other}");
    }
    assert_eq!(
        settled(mention("", "src/new.py", true)).pending.len(),
        1,
        "quoted, with a folder and an extension"
    );
    for (path, quoted) in [("src/new.py", false), ("new.py", true), ("src/new", true)] {
        assert_eq!(settled(mention("", path, quoted)).unread.len(), 1, "{path}");
    }
    let two = [("src/a.py", Clue::Heading, false), ("src/b.py", Clue::Mention, false)];
    assert_eq!(settled(block("", "y\n", &two)).unread.len(), 1, "exactly one");
}

#[test]
fn an_unclosed_or_unclear_fence_is_an_error_of_its_own() {
    let state = |state, text| CodeBlock { state, ..line("src/b.py", text) };
    assert_eq!(error(state(FenceState::Unclosed, "y\n")), Some(Code::Truncated));
    assert_eq!(error(state(FenceState::Unclosed, "x = 1\n")), Some(Code::Truncated), "more may follow");
    let unclear = FenceState::Unclear(Span::new(0, 52, 53));
    assert_eq!(error(state(unclear, "y\n")), Some(Code::FenceUnclear));
    let new = CodeBlock { state: unclear, ..line("new.py", "y\n") };
    assert_eq!(error(new), Some(Code::FenceUnclear), "it is not made");
}

#[test]
fn without_edits_every_block_is_listed_and_none_is_an_error() {
    let mut script = Script { given: vec![line("src/b.py", "y\n")], ..Script::default() };
    settle_given(&mut script, &tree(), &Rules::default()).unwrap();
    assert!(resolve(&script, &tree(), &Rules::default()).unwrap().is_ok());
    let listed = list_pending(&script);
    assert_eq!((listed.len(), listed[0].path.as_deref(), listed[0].is_error()), (1, Some("src/b.py"), false));
    assert!(listed[0].help.as_deref().unwrap().contains("--format whole-file"));
}

#[test]
fn a_refused_edit_of_the_same_file_turns_the_error_into_a_warning() {
    let mut failing = script(line("src/a.py", "def f():\n    return 4\n"));
    let Op::Modify { hunks, .. } = &mut failing.edits[0].op else { panic!() };
    hunks[0].change = Change::Texts { before: "nowhere\n".into(), after: "y\n".into(), unit: Unit::Lines };
    let rejected = resolve(&failing, &tree(), &Rules::default()).unwrap().unwrap_err();
    let said: Vec<_> = rejected.diagnostics.iter().map(|d| (d.code, d.is_error())).collect();
    assert_eq!(said, [(Code::Unread, false), (Code::SearchNotFound, true)], "it is noted");
}

#[test]
fn unread_blocks_are_noted_in_one_line() {
    let text = "a\n```\nb\n```\nc\n```sh\nd\n```\n";
    let response = Response::new(0, "r", text.into(), 100).unwrap();
    let unread = |start, end| Unread { span: Span::new(0, start, end), info: String::new() };
    let all = vec![unread(2, 12), unread(14, 24)];
    let mut script = Script { edits: vec![edit()], unread: all.clone(), ..Script::default() };
    note_unread(&mut script, std::slice::from_ref(&response), false);
    assert_eq!(script.diagnostics[0].message, "not read: 2 other code blocks (lines 2-4, 6-8)");
    assert!(!script.has_errors());
    note_unread(&mut script, std::slice::from_ref(&response), true);
    assert!(script.has_errors());
    let mut nothing = Script { unread: all, ..Script::default() };
    note_unread(&mut nothing, &[response], true);
    assert_eq!(nothing.diagnostics, [], "where nothing is read the listing says it");
}
