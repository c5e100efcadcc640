use super::*;
use crate::edit::{Anchor, Change, Edit, Existing, Git, Hunk, Missing, Op, Target, Unit};
use crate::format::FormatId;
use crate::span::Span;

fn span() -> Span {
    Span::new(0, 0, 0)
}

fn target(path: &str) -> Target {
    Target { raw: path.into(), root: None, span: span() }
}

fn edit(path: &str, op: Op) -> Edit {
    Edit {
        span: span(),
        format: FormatId::Opx,
        region: 0,
        path: target(path),
        op,
        why: None,
        git: Git::default(),
        label: None,
    }
}

fn hunk(before: &str, after: &str) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit: Unit::Lines };
    Hunk { span: span(), change, anchor: Anchor::Unique }
}

fn create(path: &str, text: &str) -> Edit {
    edit(path, Op::Create { text: text.into(), existing: Existing::Refuse })
}

fn overwrite(path: &str, text: &str) -> Edit {
    edit(path, Op::Create { text: text.into(), existing: Existing::Overwrite })
}

fn patch(path: &str, before: &str, after: &str) -> Edit {
    edit(path, Op::Modify { hunks: vec![hunk(before, after)], missing: Missing::Refuse })
}

fn replace(path: &str, text: &str) -> Edit {
    edit(path, Op::Replace { text: text.into() })
}

fn append(path: &str, text: &str) -> Edit {
    edit(path, Op::Append { text: text.into() })
}

fn delete(path: &str) -> Edit {
    edit(path, Op::Delete { recursive: false, hunks: Vec::new() })
}

fn delete_all(path: &str) -> Edit {
    edit(path, Op::Delete { recursive: true, hunks: Vec::new() })
}

fn rename(path: &str, to: &str) -> Edit {
    edit(path, Op::Rename { to: Box::new(target(to)), hunks: Vec::new() })
}

fn copy(path: &str, to: &str) -> Edit {
    edit(path, Op::Copy { to: Box::new(target(to)), hunks: Vec::new() })
}

fn in_region(region: u32, edit: Edit) -> Edit {
    Edit { region, ..edit }
}

fn rules() -> Rules {
    Rules::default()
}

fn tree(files: &[(&str, &str)]) -> MemoryTree {
    files.iter().fold(MemoryTree::new(), |tree, (path, text)| tree.with_file(path, text).unwrap())
}

fn run_with(tree: &MemoryTree, edits: &[Edit], rules: &Rules) -> Result<Plan, Rejected> {
    resolve(&Script { edits: edits.to_vec(), ..Script::default() }, tree, rules).unwrap()
}

fn run(tree: &MemoryTree, edits: &[Edit]) -> Result<Plan, Rejected> {
    run_with(tree, edits, &rules())
}

/// Returns the files after the steps, and checks that each change begins where the one before it ended.
fn after(tree: &MemoryTree, steps: &[Step]) -> Vec<(String, String)> {
    let mut now = std::collections::BTreeMap::new();
    let mut pending = vec![None];
    while let Some(directory) = pending.pop() {
        for (name, node) in tree.list(directory.as_ref()).unwrap() {
            let name = String::from_utf8(name).unwrap();
            let path: RepoPath = match &directory {
                None => RepoPath::parse(&name).unwrap(),
                Some(directory) => RepoPath::join(directory, &name).unwrap(),
            };
            if node == Node::Directory {
                pending.push(Some(path));
            } else {
                now.insert(path.to_string(), (node, tree.read(&path).unwrap()));
            }
        }
    }
    for change in steps.iter().flat_map(|step| &step.changes) {
        let read = |state: &FileState| (state.node, state.body.read(tree).unwrap());
        assert_eq!(now.remove(change.path.as_str()), change.before.as_ref().map(read), "{}", change.path);
        if let Some(state) = &change.after {
            now.insert(change.path.to_string(), read(state));
        }
    }
    now.into_iter().map(|(path, (_, bytes))| (path, String::from_utf8(bytes.to_vec()).unwrap())).collect()
}

#[track_caller]
fn made(tree: &MemoryTree, edits: &[Edit]) -> Vec<(String, String)> {
    after(tree, run(tree, edits).unwrap().steps())
}

fn files(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect()
}

fn codes(outcome: Result<Plan, Rejected>) -> Vec<(usize, Code)> {
    let rejected = outcome.map(|plan| panic!("{:?}", plan.steps())).unwrap_err();
    rejected.diagnostics.iter().map(|d| (d.edit.unwrap_or(0), d.code)).collect()
}

fn outcomes(outcome: Result<Plan, Rejected>) -> Vec<Outcome> {
    outcome.unwrap().steps().iter().map(|step| step.outcome).collect()
}

#[test]
fn each_operation_does_what_it_says() {
    let base = tree(&[("a", "1\n"), ("b", "2\n"), ("d/e", "3\n")]);
    assert_eq!(made(&base, &[create("x/y", "n\n")])[3], ("x/y".into(), "n\n".into()));
    assert_eq!(made(&base, &[patch("a", "1\n", "9\n")])[0], ("a".into(), "9\n".into()));
    assert_eq!(made(&base, &[replace("a", "8\n")])[0], ("a".into(), "8\n".into()));
    assert_eq!(made(&base, &[append("a", "8\n")])[0], ("a".into(), "1\n8\n".into()));
    assert_eq!(made(&base, &[append("q", "8\n")])[3], ("q".into(), "8\n".into()));
    let json = tree(&[("a.json", "{\n}\n")]);
    assert_eq!(codes(run(&json, &[append("a.json", "{}\n")])), [(1, Code::Malformed)]);
    assert_eq!(made(&base, &[delete("a")]), files(&[("b", "2\n"), ("d/e", "3\n")]));
    assert_eq!(made(&base, &[rename("a", "z")]), files(&[("b", "2\n"), ("d/e", "3\n"), ("z", "1\n")]));
    assert_eq!(made(&base, &[copy("a", "z")])[3], ("z".into(), "1\n".into()));
    let op = Op::Rename { to: Box::new(target("z")), hunks: vec![hunk("1\n", "7\n")] };
    assert_eq!(made(&base, &[edit("a", op)])[2], ("z".into(), "7\n".into()));
}

#[test]
fn edits_see_earlier_ones_and_a_refused_one_changes_nothing() {
    let base = tree(&[("a", "1\n")]);
    let edits =
        [patch("a", "1\n", "2\n"), patch("a", "2\n", "3\n"), create("b", "x\n"), patch("b", "x\n", "y\n")];
    assert_eq!(made(&base, &edits), files(&[("a", "3\n"), ("b", "y\n")]));
    let two = Op::Modify { hunks: vec![hunk("1\n", "2\n"), hunk("q\n", "r\n")], missing: Missing::Refuse };
    let rejected =
        run(&base, &[edit("a", two), patch("a", "1\n", "5\n"), patch("w", "1\n", "5\n")]).unwrap_err();
    let found: Vec<_> = rejected.diagnostics.iter().map(|d| (d.edit, d.code)).collect();
    assert_eq!(found, [(Some(1), Code::SearchNotFound), (Some(3), Code::NotFound)], "all failures at once");
    assert_eq!(after(&base, &rejected.fine), files(&[("a", "5\n")]));
}

#[test]
fn errors_of_the_script_reject_it() {
    let base = tree(&[("a", "1\n")]);
    let diagnostics = vec![Diagnostic::error(Code::Truncated, span(), "half open")];
    let script = Script { edits: vec![patch("a", "1\n", "2\n")], diagnostics, ..Script::default() };
    let rejected = resolve(&script, &base, &rules()).unwrap().unwrap_err();
    assert_eq!((rejected.diagnostics.len(), rejected.fine.len()), (1, 1));
    let diagnostics = vec![Diagnostic::warning(Code::Duplicate, span(), "twice")];
    let plan = resolve(&Script { diagnostics, ..script }, &base, &rules()).unwrap().unwrap();
    assert_eq!(plan.warnings().len(), 1);
}

#[test]
fn creating_an_existing_file_needs_permission() {
    let base = tree(&[("a", "1\n"), ("c", "1\r\n")]);
    assert_eq!(codes(run(&base, &[create("a", "2\n")])), [(1, Code::AlreadyExists)]);
    assert_eq!(made(&base, &[overwrite("a", "2\n")])[0].1, "2\n");
    let allowed = Rules { allow_overwrite: true, ..rules() };
    let plan = run_with(&base, &[create("a", "2\n"), rename("c", "a")], &allowed).unwrap();
    assert_eq!(after(&base, plan.steps()), files(&[("a", "1\r\n")]));
    assert_eq!(outcomes(run(&base, &[create("a", "1\n")])), [Outcome::AlreadyApplied]);
    assert_eq!(
        outcomes(run(&base, &[create("c", "1\n")])),
        [Outcome::AlreadyApplied],
        "line ends are the file's"
    );
    assert_eq!(codes(run(&base, &[create("a/b", "2\n")])), [(1, Code::PathBlocked)]);
    let directory = tree(&[("a/b", "1\n")]);
    assert_eq!(codes(run(&directory, &[create("a", "2\n")])), [(1, Code::AlreadyExists)]);
}

#[test]
fn a_replaced_file_keeps_line_ending_bom_mode_and_missing_newline() {
    let run_mode = Node::File { executable: true };
    let base = MemoryTree::new().with("a", run_mode, "\u{feff}1\r\n2\r\n3").unwrap();
    let plan = run(&base, &[replace("a", "x\ny\n")]).unwrap();
    assert_eq!(after(&base, plan.steps()), files(&[("a", "\u{feff}x\r\ny\r\n")]));
    assert_eq!(plan.steps()[0].changes[0].after.as_ref().unwrap().node, run_mode);
    assert_eq!(made(&base, &[replace("a", "x\n3\n")])[0].1, "\u{feff}x\r\n3");
    assert_eq!(outcomes(run(&base, &[replace("a", "1\n2\n3\n")])), [Outcome::AlreadyApplied]);
    assert_eq!(made(&base, &[replace("a", "")])[0].1, "\u{feff}");
    assert_eq!(codes(run(&base, &[replace("b", "x\n")])), [(1, Code::NotFound)]);
}

#[test]
fn patched_copied_and_moved_files_keep_their_mode() {
    let run_mode = Node::File { executable: true };
    let base = MemoryTree::new().with("a", run_mode, "1\n").unwrap();
    let plan = run(&base, &[patch("a", "1\n", "2\n"), copy("a", "b"), rename("a", "c"), append("c", "3\n")])
        .unwrap();
    let modes = plan.steps().iter().flat_map(|s| &s.changes).filter_map(|c| c.after.as_ref()).map(|s| s.node);
    assert!(modes.into_iter().all(|node| node == run_mode));
    assert_eq!(after(&base, plan.steps()), files(&[("b", "2\n"), ("c", "2\n3\n")]));
}

#[test]
fn a_file_that_is_moved_unread_stays_the_base_object() {
    let base = MemoryTree::new().with_file("a", b"\0\x01").unwrap().with("l", Node::Symlink, "a").unwrap();
    let base = base.with("s", Node::Submodule, "").unwrap();
    let plan = run(&base, &[rename("a", "b"), rename("l", "m"), rename("s", "t"), delete("t")]).unwrap();
    let bodies: Vec<_> = plan.steps()[..3].iter().map(|s| s.changes[1].after.clone().unwrap().body).collect();
    assert_eq!(bodies, ["a", "l", "s"].map(|path| Body::Base(RepoPath::parse(path).unwrap())));
}

#[test]
fn appending_adds_a_missing_newline_and_is_applied_once() {
    let base = tree(&[("a", "1\r\n2"), ("b", "fn f() {\n}\n")]);
    assert_eq!(made(&base, &[append("a", "3\n")])[0].1, "1\r\n2\r\n3\r\n");
    assert_eq!(outcomes(run(&base, &[append("a", "2\n")])), [Outcome::AlreadyApplied]);
    assert_eq!(codes(run(&base, &[append("b", "}\n")])), [(1, Code::SearchAmbiguous)], "any file ends so");
    assert_eq!(outcomes(run(&base, &[append("a", "")])), [Outcome::NoChange]);
}

#[test]
fn a_missing_file_is_created_only_from_additions_if_the_format_allows_it() {
    let base = tree(&[]);
    let modify = |hunks| edit("a", Op::Modify { hunks, missing: Missing::CreateFromAdditions });
    let diff = |lines: &str| Hunk {
        change: Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false },
        anchor: Anchor::Line { old_start: None, new_start: None, section: None },
        span: span(),
    };
    assert_eq!(made(&base, &[modify(vec![hunk("", "x\n")])]), files(&[("a", "x\n")]));
    assert_eq!(made(&base, &[modify(vec![diff("+x\n"), diff("+y\n")])]), files(&[("a", "x\ny\n")]));
    let splits = |lines: &str, dividers: &[usize]| Hunk {
        change: Change::Splits { lines: lines.into(), dividers: dividers.to_vec() },
        ..hunk("", "")
    };
    assert_eq!(made(&base, &[modify(vec![splits("===\nx\n===\n", &[0, 6])])]), files(&[("a", "x\n")]));
    let within = splits("===\nx\n===\ny\n", &[0, 6]);
    assert_eq!(codes(run(&base, &[modify(vec![within])])), [(1, Code::Markers)]);
    assert_eq!(codes(run(&base, &[modify(vec![splits("x\n===\n===\n", &[2, 6])])])), [(1, Code::NotFound)]);
    assert_eq!(codes(run(&base, &[modify(vec![diff(" c\n+x\n")])])), [(1, Code::NotFound)]);
    assert_eq!(codes(run(&base, &[patch("a", "", "x\n")])), [(1, Code::NotFound)]);
    let filled = tree(&[("a", "q\n")]);
    assert_eq!(codes(run(&filled, &[modify(vec![hunk("", "x\n")])])), [(1, Code::AlreadyExists)]);
    assert_eq!(outcomes(run(&filled, &[modify(vec![hunk("", "q\n")])])), [Outcome::AlreadyApplied]);
}

#[test]
fn a_moved_path_is_followed_unless_a_new_file_is_there() {
    let base = tree(&[("a", "1\n")]);
    assert_eq!(made(&base, &[rename("a", "b"), patch("a", "1\n", "2\n")]), files(&[("b", "2\n")]));
    assert_eq!(
        made(&base, &[rename("a", "b"), rename("b", "c"), append("a", "x\n")]),
        files(&[("c", "1\nx\n")]),
        "through a chain of moves"
    );
    assert_eq!(
        made(&base, &[rename("a", "b"), create("a", "n\n"), patch("a", "n\n", "m\n")]),
        files(&[("a", "m\n"), ("b", "1\n")])
    );
    assert_eq!(made(&base, &[rename("a", "b"), rename("b", "a"), patch("b", "1\n", "2\n")])[0].1, "2\n");
    // Deleting the old path would delete the moved file.
    assert_eq!(codes(run(&base, &[rename("a", "b"), delete("a")])), [(2, Code::NotFound)]);
}

#[test]
fn moving_onto_a_file_is_refused_unless_it_is_the_same() {
    let base = tree(&[("a", "1\n"), ("b", "2\n"), ("c", "1\n"), ("d/x", "1\n")]);
    assert_eq!(codes(run(&base, &[rename("a", "b")])), [(1, Code::AlreadyExists)]);
    assert_eq!(made(&base, &[rename("a", "c")]).len(), 3);
    assert_eq!(codes(run(&base, &[rename("a", "d")])), [(1, Code::AlreadyExists)]);
    assert_eq!(codes(run(&base, &[rename("d", "e")])), [(1, Code::NotEditable)]);
    assert_eq!(codes(run(&base, &[copy("a", "b")])), [(1, Code::AlreadyExists)]);
    assert_eq!(outcomes(run(&base, &[copy("a", "c")])), [Outcome::AlreadyApplied]);
    assert_eq!(outcomes(run(&base, &[rename("a", "a")])), [Outcome::NoChange]);
    assert_eq!(made(&base, &[rename("a", "a/b")])[0].0, "a/b", "the file makes room for the directory");
}

#[test]
fn a_file_may_take_the_place_of_a_directory_that_is_emptied() {
    let base = tree(&[("d/x", "1\n"), ("d/y", "2\n")]);
    assert_eq!(codes(run(&base, &[delete("d/x"), create("d", "n\n")])), [(2, Code::AlreadyExists)]);
    assert_eq!(made(&base, &[delete("d/x"), delete("d/y"), create("d", "n\n")]), files(&[("d", "n\n")]));
    assert_eq!(made(&base, &[delete_all("d"), create("d", "n\n")]), files(&[("d", "n\n")]));
    assert_eq!(
        made(&base, &[delete_all("d"), create("d", "n\n"), delete("d"), create("d/z", "m\n")]),
        files(&[("d/z", "m\n")])
    );
}

#[test]
fn a_directory_is_deleted_only_recursively_and_with_new_files() {
    let base = tree(&[("d/x", "1\n"), ("d/e/y", "2\n"), ("k", "3\n")]);
    assert_eq!(codes(run(&base, &[delete("d")])), [(1, Code::NotEditable)]);
    assert_eq!(made(&base, &[create("d/n", "n\n"), delete_all("d")]), files(&[("k", "3\n")]));
    let no_y = Rules {
        permit: Box::new(|p| if p.file_name() == "y" { Err("no".into()) } else { Ok(()) }),
        ..rules()
    };
    assert_eq!(codes(run_with(&base, &[delete_all("d")], &no_y)), [(1, Code::Policy)]);
    let kept = Rules { allow_delete: false, ..rules() };
    assert_eq!(codes(run_with(&base, &[delete("k")], &kept)), [(1, Code::Policy)]);
}

#[test]
fn links_submodules_and_binaries_are_not_edited_or_followed() {
    let base =
        MemoryTree::new().with("l", Node::Symlink, "t").unwrap().with("s", Node::Submodule, "").unwrap();
    let base = base.with_file("b", b"a\0b\n").unwrap().with_file("f", "1\n").unwrap();
    for path in ["l", "s", "b"] {
        assert_eq!(codes(run(&base, &[patch(path, "a\n", "b\n")])), [(1, Code::NotEditable)], "{path}");
        assert_eq!(codes(run(&base, &[overwrite(path, "a\n")])), [(1, Code::NotEditable)], "{path}");
        assert_eq!(outcomes(run(&base, &[delete(path)])), [Outcome::Changes]);
    }
    for path in ["l/x", "s/x", "f/x"] {
        assert_eq!(codes(run(&base, &[create(path, "a\n")])), [(1, Code::PathBlocked)], "{path}");
    }
    assert_eq!(codes(run(&base, &[patch("l/x", "a\n", "b\n")])), [(1, Code::PathBlocked)]);
    assert_eq!(codes(run(&base, &[rename("f", "l/f")])), [(1, Code::PathBlocked)]);
}

#[test]
fn both_ends_of_a_move_have_to_be_permitted() {
    let base = tree(&[("a/x", "1\n"), ("b/x", "1\n")]);
    let only_a = Rules {
        permit: Box::new(
            |path| if path.as_str().starts_with("a/") { Ok(()) } else { Err("not in a/".into()) },
        ),
        ..rules()
    };
    assert_eq!(codes(run_with(&base, &[rename("a/x", "b/y")], &only_a)), [(1, Code::Policy)]);
    assert_eq!(codes(run_with(&base, &[rename("b/x", "a/y")], &only_a)), [(1, Code::Policy)]);
    assert!(run_with(&base, &[rename("a/x", "a/y")], &only_a).is_ok());
}

#[test]
fn files_that_run_by_themselves_need_permission() {
    let base = tree(&[(".husky/pre-commit", "x\n"), ("ci/run", "x\n")]);
    let edits = [patch(".husky/pre-commit", "x\n", "y\n"), patch("ci/run", "x\n", "y\n")];
    let ci = || -> Box<dyn Fn(&RepoPath) -> bool> { Box::new(|path| path.as_str().starts_with("ci/")) };
    let strict = Rules { also_sensitive: ci(), ..rules() };
    assert_eq!(codes(run_with(&base, &edits, &strict)), [(1, Code::PathSensitive), (2, Code::PathSensitive)]);
    let lenient = Rules { also_sensitive: ci(), allow_sensitive: true, ..rules() };
    assert!(run_with(&base, &edits, &lenient).is_ok());
}

#[test]
fn a_path_that_differs_only_in_case_is_not_created() {
    let base = tree(&[("src/Main.rs", "1\n"), ("Docs/a", "1\n")]);
    assert_eq!(codes(run(&base, &[create("src/main.rs", "x\n")])), [(1, Code::PathCase)]);
    assert_eq!(codes(run(&base, &[create("docs/b", "x\n")])), [(1, Code::PathCase)], "a directory differs");
    assert_eq!(codes(run(&base, &[create("x/A", "1\n"), create("x/a", "2\n")])), [(2, Code::PathCase)]);
    assert_eq!(codes(run(&base, &[copy("Docs/a", "SRC/b")])), [(1, Code::PathCase)]);
    // For macOS, an accented letter is the same name as one character and as two.
    let accented = tree(&[("e\u{301}t\u{e9}", "1\n")]);
    for path in ["\u{e9}t\u{e9}", "\u{c9}te\u{301}/a"] {
        assert_eq!(codes(run(&accented, &[create(path, "x\n")])), [(1, Code::PathCase)], "{path}");
    }
    assert_eq!(
        made(&base, &[rename("src/Main.rs", "src/main.rs")])[1].0,
        "src/main.rs",
        "the move's own source"
    );
    assert_eq!(
        made(&base, &[rename("Docs/a", "docs/a")])[0].0,
        "docs/a",
        "with the directory that it leaves empty"
    );
    assert_eq!(made(&base, &[delete("src/Main.rs"), create("src/main.rs", "x\n")])[1].0, "src/main.rs");
}

#[test]
fn a_missing_path_gives_a_hint_and_is_never_guessed() {
    let base = tree(&[("src/a.rs", "1\n"), ("lib/b.rs", "1\n")]);
    let help = |path: &str| run(&base, &[patch(path, "1\n", "2\n")]).unwrap_err().diagnostics[0].help.clone();
    assert_eq!(help("src/b.rs").as_deref(), Some("did you mean `lib/b.rs`?"));
    assert_eq!(help("src/A.rs").as_deref(), Some("did you mean `src/a.rs`?"));
    assert_eq!(help("q"), None);
    let rules = Rules { worktree: Some("/here/repo".to_owned()), ..rules() };
    let elsewhere = [patch("/home/me/repo/lib/b.rs", "1\n", "2\n")];
    let refused = run_with(&base, &elsewhere, &rules).unwrap_err();
    assert_eq!(refused.diagnostics[0].help.as_deref(), Some("did you mean `lib/b.rs`?"));
}

#[test]
fn paths_are_read_as_models_write_them_or_refused() {
    let base = tree(&[("src/a", "1\n")]);
    assert_eq!(made(&base, &[patch("./src\\a", "1\n", "2\n")])[0].1, "2\n");
    for path in ["../a", ".git/config", "/etc/passwd"] {
        assert_eq!(codes(run(&base, &[create(path, "x\n")])), [(1, Code::PathInvalid)], "{path}");
        assert_eq!(codes(run(&base, &[rename("src/a", path)])), [(1, Code::PathInvalid)], "{path}");
    }
    let rooted = |root: &str| {
        let mut edit = patch("a", "1\n", "2\n");
        edit.path.root = Some(root.into());
        edit
    };
    assert_eq!(made(&base, &[rooted("src")])[0].1, "2\n");
    assert_eq!(codes(run(&base, &[rooted("lib")])), [(1, Code::PathInvalid)]);
}

#[test]
fn deleting_a_missing_file_is_applied_only_if_all_else_provably_is() {
    let base = tree(&[("a", "x\n2\ny\n"), ("n", "1\n")]);
    let applied = patch("a", "x\n1\ny\n", "x\n2\ny\n");
    let done = [Outcome::AlreadyApplied, Outcome::AlreadyApplied];
    assert_eq!(outcomes(run(&base, &[delete("gone"), applied.clone()])), done);
    assert_eq!(outcomes(run(&base, &[applied.clone(), rename("old", "n")])), done);
    assert_eq!(codes(run(&base, &[delete("gone")])), [(1, Code::NotFound)]);
    assert_eq!(codes(run(&base, &[rename("old", "n")])), [(1, Code::NotFound)]);
    assert_eq!(codes(run(&base, &[applied.clone(), rename("old", "nowhere")])), [(2, Code::NotFound)]);
    assert_eq!(
        codes(run(&base, &[delete("gone"), applied, patch("a", "2\n", "3\n")])),
        [(1, Code::NotFound)],
        "another edit changes something, so the response was not applied before"
    );
    let op = Op::Rename { to: Box::new(target("a")), hunks: vec![hunk("x\n1\ny\n", "x\n2\ny\n")] };
    assert_eq!(outcomes(run(&base, &[edit("old", op)])), [Outcome::AlreadyApplied], "proven by its text");
}

#[test]
fn a_draft_and_the_final_response_are_applied_once() {
    let base = tree(&[("a", "1\n"), ("b", "x\n"), ("c", "c\n")]);
    let draft =
        [patch("a", "1\n", "1\n2\n"), append("b", "y\n"), delete("c"), rename("b", "d"), create("n", "n\n")];
    let last = draft.iter().cloned().map(|edit| in_region(1, edit));
    let edits: Vec<Edit> = draft.iter().cloned().chain(last).collect();
    let plan = run(&base, &edits).unwrap();
    assert!(
        plan.steps()[5..].iter().all(|step| step.outcome == Outcome::AlreadyApplied),
        "{:?}",
        plan.steps()
    );
    assert_eq!(after(&base, plan.steps()), files(&[("a", "1\n2\n"), ("d", "x\ny\n"), ("n", "n\n")]));
    let lines = [append("b", "y\n"), append("b", "z\n")];
    let last = lines.iter().cloned().map(|edit| in_region(1, edit));
    let edits: Vec<Edit> = lines.iter().cloned().chain(last).collect();
    let plan = run(&base, &edits).unwrap();
    assert_eq!(
        after(&base, plan.steps()),
        files(&[("a", "1\n"), ("b", "x\ny\nz\n"), ("c", "c\n")]),
        "each behind the other"
    );
    // The repeated edit must not take the second place.
    let twice = tree(&[("a", "x\n-\n"), ("b", "x\n")]);
    let edits = [patch("a", "x\n", "y\n"), append("a", "x\n"), in_region(1, patch("a", "x\n", "y\n"))];
    assert_eq!(codes(run(&twice, &edits)), [(3, Code::Duplicate)]);
}

#[test]
fn identical_edits_of_a_region_take_as_many_places_in_order() {
    let base = tree(&[("a", "x\n-\nx\n")]);
    let edit = || patch("a", "x\n", "y\n");
    assert_eq!(made(&base, &[edit(), edit()])[0].1, "y\n-\ny\n");
    assert_eq!(codes(run(&base, &[edit(), edit(), edit()]))[0], (1, Code::SearchAmbiguous));
    assert_eq!(codes(run(&base, &[edit(), in_region(1, edit())]))[0], (1, Code::SearchAmbiguous));
    let mut both = edit();
    both.op = Op::Modify { hunks: vec![hunk("x\n", "y\n"), hunk("x\n", "y\n")], missing: Missing::Refuse };
    assert_eq!(made(&base, &[both])[0].1, "y\n-\ny\n", "within one edit too");
    // The final response repeats both edits.
    let edits = [edit(), edit(), in_region(1, edit()), in_region(1, edit())];
    assert_eq!(made(&base, &edits)[0].1, "y\n-\ny\n");
}

#[test]
fn edits_that_change_nothing_are_reported() {
    let base = tree(&[("a", "1\n2\n3\n")]);
    let applied = patch("a", "1\n0\n3\n", "1\n2\n3\n");
    let plan = run(&base, &[patch("a", "1\n", "1\n"), applied]).unwrap();
    let codes: Vec<_> = plan.warnings().iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [Code::NoChange, Code::AlreadyApplied]);
}

#[test]
fn edits_that_leave_a_file_as_it_was_are_already_applied() {
    let before = tree(&[("a", "old\n")]);
    let edits = [delete("a"), create("a", "new\n")];
    assert_eq!(made(&before, &edits), files(&[("a", "new\n")]));
    let after = tree(&[("a", "new\n")]);
    assert_eq!(outcomes(run(&after, &edits)), [Outcome::AlreadyApplied; 2]);
}
