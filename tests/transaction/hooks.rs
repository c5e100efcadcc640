//! The user's hooks, compared with what `git commit` does with them.

use crate::sandbox;

mod killed;

use sandbox::kinds;
use sandbox::{Run, Sandbox, create, five, patch};
use std::path::{Path, PathBuf};

/// Creates a repository, and `$OUT`, a place outside of it where hooks can leave what they have seen.
fn new() -> Sandbox {
    with_out(Sandbox::new())
}

fn with_out(mut sandbox: Sandbox) -> Sandbox {
    let out = sandbox.root().join("out");
    std::fs::create_dir_all(&out).unwrap();
    sandbox.set("OUT", out.to_str().unwrap());
    let repo = sandbox.repo.clone();
    sandbox.set("REPO", repo.to_str().unwrap());
    sandbox
}

fn out(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.root().join("out").join(name)).unwrap_or_default().trim_end().to_owned()
}

fn hook(sandbox: &Sandbox, name: &str, script: &str) -> PathBuf {
    let path =
        PathBuf::from(sandbox.git(["rev-parse", "--path-format=absolute", "--git-path", "hooks"])).join(name);
    sandbox.script(&path, &format!("#!/bin/sh\n{script}\n"));
    path
}

fn one() -> String {
    patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}\n")
}

/// Installs all four hooks of a commit. Each writes down what it sees.
fn watchers(sandbox: &Sandbox) {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"] {
        let look = "{ echo \"== $(basename $0) args: $*\"; pwd; git rev-parse -q --verify HEAD; git write-tree; \
                    git status --porcelain; env | grep -E '^(GIT_|PATH=)' | sort; cat; \
                    for f; do test -f $f && cat $f; done; ls -a; } >>$OUT/log";
        hook(sandbox, name, look);
    }
}

#[test]
fn hooks_see_what_they_see_when_git_commits_in_a_linked_worktree() {
    // From the top, and from a directory.
    for directory in ["", "src"] {
        as_in_a_linked_worktree(directory);
    }
}

fn as_in_a_linked_worktree(directory: &str) {
    let mut sandbox = new();
    watchers(&sandbox);
    let mut command = sandbox.command([sandbox.response(&one())]);
    let ours = Run::of(command.current_dir(sandbox.repo.join(directory)).output().unwrap()).exits(0);
    assert!(!ours.stderr.contains("warning"), "{}", ours.stderr);
    let seen = out(&sandbox, "log");
    assert_eq!(seen.matches("== ").count(), 4, "{seen}");
    sandbox.is_sound();
    // The same with git, in a worktree at the same base.
    std::fs::remove_file(sandbox.root().join("out/log")).unwrap();
    sandbox.git(["worktree", "add", "-q", "--detach", "../linked", "HEAD~1"]);
    let main = sandbox.repo.clone();
    sandbox.repo = sandbox.root().join("linked");
    sandbox.file("src/a.rs", "fn a() {}\nfn beta() {}\nfn c() {}\n");
    sandbox.git(["add", "-A"]);
    let mut command = sandbox.git_command(["commit", "-q", "-m", "Rename b"]);
    Run::of(command.current_dir(sandbox.repo.join(directory)).output().unwrap()).exits(0);
    let gits = out(&sandbox, "log");
    let normal = |text: &str| -> Vec<String> {
        let top = text.lines().nth(1).unwrap();
        let git_dir = text.lines().find_map(|line| line.strip_prefix("GIT_DIR=")).unwrap();
        text.replace(top, "TOP").replace(git_dir, "GIT_DIR").lines().map(str::to_owned).collect()
    };
    assert_eq!(normal(&seen), normal(&gits));
    assert_eq!(sandbox.git(["cat-file", "-p", "HEAD"]), sandbox.git(["cat-file", "-p", "main"]));
    sandbox.repo = main;
}

#[test]
fn every_commit_is_judged_with_its_own_files_and_parent() {
    let sandbox = new();
    hook(
        &sandbox,
        "pre-commit",
        "git rev-parse HEAD >>$OUT/parents; git write-tree >>$OUT/trees; git status --porcelain >>$OUT/status",
    );
    hook(
        &sandbox,
        "post-commit",
        "git rev-parse HEAD >>$OUT/told; git -C $REPO rev-parse main >>$OUT/branch; git diff HEAD >>$OUT/diff",
    );
    sandbox.apply([""; 0], &five()).exits(0);
    let list = |format: &str| sandbox.git(["log", "--reverse", &format!("--format={format}"), "HEAD~5.."]);
    assert_eq!(out(&sandbox, "parents"), list("%P"));
    assert_eq!(out(&sandbox, "trees"), list("%T"));
    assert_eq!(out(&sandbox, "told"), list("%H"));
    assert!(out(&sandbox, "branch").lines().all(|line| line == sandbox.head()), "told when it has landed");
    assert_eq!((out(&sandbox, "diff").as_str(), out(&sandbox, "status").lines().count()), ("", 5));
    sandbox.is_sound();
}

#[test]
fn a_hook_that_refuses_leaves_everything_as_it_was() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg", "pre-llm-apply"] {
        let sandbox = new();
        hook(&sandbox, name, "echo not this >&2; exit 4");
        let before = sandbox.state();
        let run = sandbox.apply(["--no-keep"], &five()).exits(3);
        let about = if name == "pre-llm-apply" { "" } else { " at edit 1" };
        let said = format!(
            "not this\nerror: the {name} hook refused{about} (exit status 4)\nhint: nothing was changed"
        );
        assert!(run.stderr.starts_with(&said) && run.stdout.is_empty(), "{}", run.stderr);
        sandbox.state().is(&before, name);
        sandbox.is_sound();
        let skipped = name != "prepare-commit-msg";
        sandbox.apply(["--no-keep", "--no-verify"], &five()).exits(if skipped { 0 } else { 3 });
        sandbox.is_sound();
    }
    // If both would refuse, the hook comes first.
    let sandbox = new();
    hook(&sandbox, "pre-llm-apply", "exit 1");
    sandbox.apply(["-x", "touch $OUT/ran; false"], &five()).exits(3);
    assert!(!sandbox.root().join("out/ran").exists());
}

#[test]
fn one_that_is_not_executable_does_not_run() {
    let sandbox = new();
    let path = hook(&sandbox, "pre-commit", "exit 1");
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    sandbox.apply([""; 0], &one()).exits(0);
}

const FORMAT: &str =
    "for f in $(git diff --cached --name-only --diff-filter=d); do sed -i 's/  *$//' $f; done";

#[test]
fn what_a_hook_changes_is_taken_in_once() {
    let untidy =
        patch("src/a.rs", "Rename b", "fn b() {}\n", "fn beta() {}   \n") + &create("n", "New", "n  \n");
    let tidy = "fn a() {}\nfn beta() {}\nfn c() {}\n";
    // With `git add`; without it, but with a failure, like the formatters of many hook managers; and without either.
    for end in ["; git add -u", "; git diff --quiet", ""] {
        let sandbox = new();
        hook(&sandbox, "pre-commit", &format!("echo run >>$OUT/runs; {FORMAT}{end}"));
        let run = sandbox.apply([""; 0], &untidy).exits(0);
        assert!(
            run.stderr.contains("changed src/a.rs in the commit of edit 1; the changes are in the commit"),
            "{}",
            run.stderr
        );
        assert_eq!(out(&sandbox, "runs").lines().count(), 4, "twice for each commit");
        assert_eq!((sandbox.text("src/a.rs").as_str(), sandbox.text("n").as_str()), (tidy, "n\n"));
        assert_eq!(sandbox.git(["show", "HEAD~1:src/a.rs"]), tidy.trim_end());
        assert_eq!(sandbox.status(), "");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
    type Case = (&'static str, &'static str, &'static str);
    let cases: &[Case] = &[
        (
            "again and again",
            "echo x >>src/a.rs; git add src/a.rs",
            "changes files at edit 1 every time that it runs",
        ),
        ("took all back", "git checkout -q HEAD -- src/a.rs", "undid all changes at edit 1"),
        ("took it away", "rm -f $GIT_INDEX_FILE", "left no index at edit 1 to make a commit from"),
        ("no index", "rm -f $GIT_INDEX_FILE; echo x >$GIT_INDEX_FILE", "git"),
    ];
    for (what, script, said) in cases {
        let sandbox = new();
        hook(&sandbox, "pre-commit", script);
        let head = sandbox.head();
        let run = sandbox.apply(["--no-keep"], &one());
        assert!([Some(3), Some(128)].contains(&run.code), "{what}");
        assert!(run.stderr.contains(said), "{what}: {}", run.stderr);
        assert_eq!((sandbox.head(), sandbox.status().as_str()), (head, ""), "{what}");
        sandbox.has_sound_objects();
        sandbox.leaves_no_file();
    }
}

#[test]
fn a_file_that_a_hook_adds_lands_too() {
    let sandbox = new();
    hook(
        &sandbox,
        "pre-commit",
        "git ls-files src >LIST; git add LIST; echo made >made-only; echo more >>README",
    );
    sandbox.apply([""; 0], &(one() + &create("src/z.rs", "New", "z\n"))).exits(0);
    assert_eq!(sandbox.git(["show", "HEAD:LIST"]), "src/a.rs\nsrc/z.rs");
    assert_eq!(sandbox.git(["show", "HEAD~1:LIST"]), "src/a.rs");
    assert_eq!(
        (sandbox.text("LIST").as_str(), sandbox.text("README").as_str()),
        ("src/a.rs\nsrc/z.rs\n", "hello\n")
    );
    assert!(!sandbox.exists("made-only"), "what was not added is not committed");
    assert_eq!(sandbox.status(), "");
    // If the user has a file there, it is in the way.
    let sandbox = new();
    hook(&sandbox, "pre-commit", "git ls-files src >LIST; git add LIST");
    sandbox.file("LIST", "mine\n");
    let head = sandbox.head();
    sandbox.apply(["--no-keep"], &one()).exits(4).says("LIST exists and is untracked");
    assert_eq!((sandbox.text("LIST").as_str(), sandbox.head()), ("mine\n", head));
    sandbox.leaves_no_file();
}

#[test]
fn messages_go_through_their_hooks() {
    let sandbox = new();
    hook(&sandbox, "prepare-commit-msg", "printf '\\n\\n\\nTicket: %s  \\n\\n' \"$2\" >>\"$1\"");
    hook(&sandbox, "commit-msg", "grep -q 'Ticket: message' \"$1\" && echo 'Seen: yes' >>\"$1\"");
    sandbox.apply([""; 0], &one()).exits(0);
    let raw = sandbox.git(["cat-file", "commit", "HEAD"]);
    assert_eq!(raw.split_once("\n\n").unwrap().1, "Rename b\n\nTicket: message\n\nSeen: yes");
    hook(&sandbox, "commit-msg", "echo ' ' >\"$1\"");
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(3).says("left an empty commit message at edit 1");
    hook(&sandbox, "commit-msg", "printf '\\377' >\"$1\"");
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(3).says("not UTF-8");
    hook(&sandbox, "commit-msg", "printf 'a\\000b' >\"$1\"");
    sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(3).says("NUL");
    sandbox.apply(["--no-verify"], &create("x", "w", "x\n")).exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%B"]), "w\n\nTicket: message");
    sandbox.has_sound_objects();
}

#[test]
fn messages_have_the_encoding_of_commits() {
    let see = "cat $1 >>$OUT/$(basename $0)";
    for more in ["", "; printf '\\374\\n' >>$1", "; printf '\\303\\274\\n' >>$1"] {
        let (ours, gits) = (new(), new());
        for sandbox in [&ours, &gits] {
            sandbox.git(["config", "i18n.commitEncoding", "ISO-8859-1"]);
            // This setting is for files, not for messages.
            sandbox.git(["config", "--global", "core.autocrlf", "true"]);
            hook(sandbox, "prepare-commit-msg", see);
            hook(sandbox, "commit-msg", &format!("{see}{more}"));
            std::fs::write(sandbox.root().join("message"), b"Gr\xfc\xdfe\n").unwrap();
        }
        ours.apply(["-q", "-F", "../message"], &create("x", "A reason", "x\n")).exits(0);
        gits.file("x", "x\n");
        gits.git(["add", "x"]);
        gits.git(["commit", "-q", "-F", "../message"]);
        let bytes =
            |sandbox: &Sandbox, name: &str| std::fs::read(sandbox.root().join("out").join(name)).unwrap();
        for name in ["prepare-commit-msg", "commit-msg"] {
            assert_eq!(bytes(&ours, name), b"Gr\xfc\xdfe\n", "{name}{more}");
            assert_eq!(bytes(&gits, name), bytes(&ours, name), "{name}{more}");
        }
        assert_eq!(ours.head(), gits.head(), "the same commit: {more}");
    }
    let sandbox = new();
    sandbox.git(["config", "i18n.commitEncoding", "EUC-JP"]);
    hook(&sandbox, "commit-msg", "printf '\\377\\n' >>$1");
    sandbox.apply(["--no-keep"], &one()).exits(3).says("what i18n.commitEncoding names");
    sandbox.is_sound();
}

#[test]
fn a_message_that_is_taken_away_is_refused() {
    for script in [
        "rm \"$1\"",
        "rm \"$1\"; mkdir \"$1\"",
        "rm \"$1\"; ln -s /nowhere \"$1\"",
        "rm \"$1\"; mkfifo \"$1\"",
    ] {
        let sandbox = new();
        hook(&sandbox, "commit-msg", script);
        let before = sandbox.state();
        sandbox.apply(["--no-keep"], &five()).exits(3).says("left no readable commit message at edit 1");
        sandbox.state().is(&before, script);
        sandbox.is_sound();
    }
}

#[test]
fn a_merge_is_judged_as_git_merge_has_it() {
    let look = "{ echo \"== $(basename $0) $(test $# = 0 || { shift; echo $*; })\"; git rev-parse HEAD; git write-tree; \
                cat $(git rev-parse --git-path MERGE_HEAD) 2>/dev/null || echo none; } >>$OUT/log; test -z \"$1\" || echo \"$(cat $1)\" >>$OUT/log";
    let names = ["pre-merge-commit", "prepare-commit-msg", "commit-msg"];
    let sandbox = new();
    let base = sandbox.head();
    sandbox.apply(["--no-verify"], &five()).exits(0);
    sandbox.git(["branch", "side"]);
    for name in names {
        hook(&sandbox, name, look);
    }
    // With git.
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.git(["merge", "-q", "--no-ff", "-m", "Apply response.txt", "side"]);
    let gits = out(&sandbox, "log");
    let tree = sandbox.git(["rev-parse", "HEAD^{tree}"]);
    // With a landing: after the hooks of the five commits.
    std::fs::remove_file(sandbox.root().join("out/log")).unwrap();
    sandbox.git(["reset", "-q", "--hard", &base]);
    sandbox.apply(["--no-ff", "-m", "Apply response.txt"], &five()).exits(0);
    let log = out(&sandbox, "log");
    let ours = &log[log.find("== pre-merge-commit").unwrap()..];
    assert_eq!(ours, gits);
    assert_eq!(sandbox.git(["rev-parse", "HEAD^{tree}"]), tree);
    assert!(!sandbox.exists(".git/MERGE_HEAD"));
    sandbox.is_sound();
    // They can change the message, and if they refuse, nothing lands.
    sandbox.git(["reset", "-q", "--hard", &base]);
    hook(&sandbox, "commit-msg", "grep -q Apply \"$1\" && printf '\\nSeen: yes\\n' >>\"$1\"; true");
    sandbox
        .apply(
            ["--no-ff", "-m", "Apply response.txt", "-x", "! git rev-parse -q --verify MERGE_HEAD"],
            &five(),
        )
        .exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%b"]), "Seen: yes");
    // A hook that ends the merge itself.
    sandbox.git(["reset", "-q", "--hard", &base]);
    hook(&sandbox, "commit-msg", "rm -f $GIT_DIR/MERGE_HEAD");
    sandbox.apply(["--no-ff"], &five()).exits(0);
    for name in names {
        let sandbox = new();
        let condition = if name == "pre-merge-commit" { "true" } else { "grep -q Apply $1" };
        hook(&sandbox, name, &format!("{condition} && exit 1 || true"));
        let before = sandbox.state();
        let options = ["--no-keep", "--no-ff", "-m", "Apply response.txt"];
        sandbox.apply(options, &five()).exits(3).says(&format!("the {name} hook refused"));
        sandbox.state().is(&before, name);
        sandbox.is_sound();
        let skipped = name != "prepare-commit-msg";
        sandbox.apply(options.iter().chain(&["--no-verify"]), &five()).exits(if skipped { 0 } else { 3 });
    }
}

#[test]
fn who_is_only_told_costs_nothing_before_it_has_landed() {
    let sandbox = new();
    hook(
        &sandbox,
        "post-commit",
        "git -C $REPO rev-parse main >>$OUT/branch; git rev-parse HEAD >>$OUT/head; ls >>$OUT/files",
    );
    // If the checkout for the hook fails, the landing does not.
    sandbox.git(["config", "llmapply.scratchDir", ".git/here"]);
    let run = sandbox.apply([""; 0], &create("n", "New", "n\n")).exits(0);
    assert!(run.stderr.contains("the post-commit hook failed"), "{}", run.stderr);
    sandbox.git(["config", "--unset", "llmapply.scratchDir"]);
    sandbox.apply([""; 0], &five()).exits(0);
    let tip = sandbox.head();
    assert_eq!(out(&sandbox, "branch"), [tip.as_str(); 5].join("\n"));
    assert_eq!(out(&sandbox, "head"), sandbox.git(["log", "--reverse", "--format=%H", "HEAD~5.."]));
    assert!(out(&sandbox, "files").contains("run.sh"));
    sandbox.is_sound();
}

#[test]
fn this_tools_own_hooks_read_the_plan() {
    let sandbox = new();
    let look = "read -r line || exit 1; printf %s \"$line\" >$OUT/$(basename $0).json; pwd >$OUT/$(basename $0).pwd; git rev-parse HEAD main >$OUT/$(basename $0).heads; \
                echo $LLM_APPLY_REF $LLM_APPLY_OLD $LLM_APPLY_NEW $LLM_APPLY_COMMITS >$OUT/$(basename $0).facts";
    for name in ["pre-llm-apply", "post-llm-apply"] {
        hook(&sandbox, name, look);
    }
    let old = sandbox.head();
    sandbox.apply([""; 0], &five()).exits(0);
    let new = sandbox.head();
    let commits = sandbox.git(["log", "--reverse", "--format=%H", "HEAD~5.."]).replace('\n', " ");
    for (name, status, heads) in [
        ("pre-llm-apply", "checked", format!("{new}\n{old}")),
        ("post-llm-apply", "landed", format!("{new}\n{new}")),
    ] {
        let json: serde_json::Value = serde_json::from_str(&out(&sandbox, &format!("{name}.json"))).unwrap();
        assert_eq!(json["status"], status);
        assert_eq!(
            (json["branch"]["old"].as_str(), json["branch"]["new"].as_str()),
            (Some(&*old), Some(&*new))
        );
        let ids: Vec<_> =
            json["edits"].as_array().unwrap().iter().map(|edit| edit["commit"].as_str().unwrap()).collect();
        assert_eq!(ids.join(" "), commits);
        assert_eq!(json["edits"][1]["why"], "Add a module");
        assert_eq!(out(&sandbox, &format!("{name}.heads")), heads);
        assert_eq!(out(&sandbox, &format!("{name}.facts")), format!("refs/heads/main {old} {new} {commits}"));
    }
    let top = sandbox.repo.canonicalize().unwrap();
    assert_eq!(Path::new(&out(&sandbox, "post-llm-apply.pwd")), top);
    assert_ne!(Path::new(&out(&sandbox, "pre-llm-apply.pwd")), top);
    // A hook that runs afterwards cannot undo the landing.
    hook(&sandbox, "post-llm-apply", "echo said so; exit 9");
    hook(&sandbox, "post-commit", "exit 8");
    let run = sandbox.apply([""; 0], &create("x", "w", "x\n")).exits(0);
    let run = run.says("warning: the post-llm-apply hook ended with status 9: said so");
    run.says("warning: the post-commit hook ended with status 8");
    sandbox.is_sound();
}

#[test]
fn a_merge_above_the_commits_is_what_this_tools_hooks_and_exec_see() {
    let sandbox = new();
    for name in ["pre-llm-apply", "post-llm-apply"] {
        hook(&sandbox, name, "cat >$OUT/$(basename $0).json; echo $LLM_APPLY_NEW >$OUT/$(basename $0).new");
    }
    hook(&sandbox, "pre-commit", "echo judged >>$OUT/log");
    let exec = "git rev-parse HEAD >$OUT/exec.head; echo $LLM_APPLY_NEW >$OUT/exec.new";
    sandbox.apply(["--no-ff", "-x", exec], &five()).exits(0);
    let merge = sandbox.head();
    assert_eq!(sandbox.git(["rev-list", "--count", "--first-parent", "HEAD"]), "2");
    for name in ["pre-llm-apply", "post-llm-apply"] {
        let json: serde_json::Value = serde_json::from_str(&out(&sandbox, &format!("{name}.json"))).unwrap();
        assert_eq!((&json["branch"]["new"], &json["branch"]["merge"]), (&merge.clone().into(), &true.into()));
        assert_eq!(out(&sandbox, &format!("{name}.new")), merge);
    }
    assert_eq!((out(&sandbox, "exec.head"), out(&sandbox, "exec.new")), (merge.clone(), merge));
    // Once for each commit that has an edit.
    assert_eq!(out(&sandbox, "log").lines().count(), 5);
    sandbox.is_sound();
}

#[test]
fn hooks_are_those_of_the_users_worktree() {
    let strict = "#!/bin/sh\necho judged by $0 >>$OUT/log; grep -q beta src/a.rs && exit 1; exit 0\n";
    // Tracked hooks, and ignored ones as hook managers install them; both by a relative path.
    for ignored in [false, true] {
        let sandbox = new();
        let path = sandbox.repo.join("my/hooks/pre-commit");
        sandbox.script(&path, strict);
        if ignored {
            sandbox.file(".gitignore", "/my/\n");
        }
        sandbox.commit("hooks");
        sandbox.git(["config", "core.hooksPath", "my/hooks"]);
        sandbox.apply(["--no-keep"], &one()).exits(3);
        assert_eq!(out(&sandbox, "log"), format!("judged by {}", path.canonicalize().unwrap().display()));
        if ignored {
            continue;
        }
        // The response cannot be judged by a weaker hook of its own, by no hook, or by one at another place.
        let all = [
            create("my/hooks/pre-commit", "Let it", "#!/bin/sh\nexit 0\n"),
            "<edit file=\"my/hooks/pre-commit\" op=\"remove\"><why>Away</why></edit>\n".to_owned(),
            "<edit file=\"my/hooks/pre-commit\" op=\"move\"><why>Away</why><to file=\"my/pre-commit\" /></edit>\n".to_owned(),
        ];
        for edit in all {
            let options = ["--no-keep", "--allow-sensitive", "--allow-overwrite"];
            sandbox.apply(options, &(edit + &one())).exits(3).says("pre-commit");
        }
        // If the old hook allows the response, none of the new hooks runs.
        sandbox.script(&sandbox.repo.join("my/hooks/post-commit"), "#!/bin/sh\ntouch $OUT/old-told\n");
        sandbox.commit("told");
        std::fs::remove_file(sandbox.root().join("out/old-told")).unwrap();
        let new_one = "#!/bin/sh\ntouch $OUT/new-told\n";
        let edit = create("my/hooks/post-commit", "Mine", new_one);
        let run = sandbox.apply(["--allow-sensitive", "--allow-overwrite"], &edit).exits(0);
        assert!(run.stderr.contains("post-commit did not run"), "{}", run.stderr);
        assert!(
            !sandbox.root().join("out/new-told").exists() && !sandbox.root().join("out/old-told").exists()
        );
        sandbox.is_sound();
    }
    // By an absolute path, and by one below the home directory.
    for home in [false, true] {
        let sandbox = new();
        let path = sandbox.root().join("home/hooks/pre-commit");
        sandbox.script(&path, "#!/bin/sh\nexit 1\n");
        let directory =
            if home { "~/hooks".to_owned() } else { path.parent().unwrap().display().to_string() };
        sandbox.git(["config", "core.hooksPath", &directory]);
        sandbox.apply(["--no-keep"], &one()).exits(3);
    }
}

#[test]
fn hooks_run_in_every_kind_of_repository() {
    let check = |sandbox: &Sandbox, options: &[&str], branch: &str| {
        watchers(sandbox);
        let response = create("new", "New", "new\n");
        let options: Vec<_> = [&["--no-keep"], options].concat();
        hook(sandbox, "pre-llm-apply", "exit 1");
        let before = sandbox.listing();
        sandbox.apply(&options, &response).exits(3);
        sandbox::same(branch, &before, &sandbox.listing());
        hook(sandbox, "pre-llm-apply", "exit 0");
        std::fs::remove_file(sandbox.root().join("out/log")).unwrap();
        sandbox.apply(&options, &response).exits(0);
        let seen = out(sandbox, "log");
        for name in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"] {
            assert!(seen.contains(&format!("== {name} ")), "{branch}: {seen}");
        }
        assert!(seen.contains(&sandbox.git(["rev-parse", branch])), "{branch}: {seen}");
        sandbox.is_sound();
    };
    let sandbox = new();
    check(&sandbox, &["-b", "side"], "side");
    sandbox.git(["checkout", "-q", "--detach"]);
    check(&sandbox, &[], "HEAD");
    let mut sandbox = new();
    sandbox.git(["worktree", "add", "-q", "../linked", "-b", "side"]);
    sandbox.repo = sandbox.root().join("linked");
    check(&sandbox, &[], "side");
    let mut sandbox = new();
    sandbox.git(["clone", "-q", "--bare", ".", "../bare.git"]);
    sandbox.repo = sandbox.root().join("bare.git");
    let sandbox = with_out(sandbox);
    check(&sandbox, &["-b", "main"], "main");
    // There the path is relative to the git directory.
    hook(&sandbox, "pre-commit", "exit 0");
    sandbox.script(&sandbox.repo.join("more/pre-commit"), "#!/bin/sh\nexit 1\n");
    sandbox.git(["config", "core.hooksPath", "more"]);
    sandbox.apply(["--no-keep", "-b", "main"], &create("other", "w", "x\n")).exits(3);
    let sandbox = with_out(Sandbox::unborn());
    check(&sandbox, &[], "main");
}

#[test]
fn a_stash_that_a_hook_leaves_is_told_and_stays_whole() {
    // The hook puts changes aside, and is killed before it takes them out again. Some hook managers do so.
    let sandbox = new();
    hook(
        &sandbox,
        "pre-commit",
        "echo other >>README; git stash store -q -m backup $(git stash create); exit 1",
    );
    let run = sandbox.apply(["--no-keep"], &one()).exits(3);
    assert!(run.stderr.contains("the pre-commit hook left a stash entry"), "{}", run.stderr);
    assert!(sandbox.git(["stash", "list"]).contains("backup"));
    // All of its objects are there.
    assert!(sandbox.git(["stash", "show", "-p"]).contains("+other"));
    sandbox.git(["fsck", "--strict"]);
    sandbox.leaves_no_file();
    // The same if the run is killed.
    let sandbox = new();
    hook(&sandbox, "pre-commit", "git commit -q --no-verify -m tmp; git branch left; exit 0");
    let file = sandbox.response(&five());
    let mut command = sandbox.command([file]);
    command.env(git_llm_apply::vcs::fault::VARIABLE, "hook-run:kill");
    assert_eq!(Run::of(command.output().unwrap()).signal, Some(9));
    sandbox.run(["recover"]).exits(0);
    assert_eq!(sandbox.git(["log", "-1", "--format=%s", "left"]), "tmp");
    sandbox.git(["fsck", "--strict"]);
    sandbox.leaves_no_file();
}

#[test]
fn a_command_that_is_missing_is_told_to_be_included() {
    let sandbox = new();
    sandbox.file(".gitignore", "node_modules\n");
    sandbox.commit("ignore");
    sandbox.script(&sandbox.repo.join("node_modules/.bin/check"), "#!/bin/sh\ntouch $OUT/checked\n");
    hook(&sandbox, "pre-commit", "PATH=node_modules/.bin:$PATH; check");
    let run = sandbox.apply(["--no-keep"], &one()).exits(3);
    assert!(run.stderr.contains(".worktreeinclude names them"), "{}", run.stderr);
    sandbox.file(".worktreeinclude", "node_modules\n");
    sandbox.git(["add", ".worktreeinclude"]);
    sandbox.git(["commit", "-q", "--no-verify", "-m", "include"]);
    sandbox.apply(["--no-keep"], &one()).exits(0);
    assert!(sandbox.root().join("out/checked").exists());
    sandbox.is_sound();
}

#[test]
fn in_other_kinds_of_repository_they_run_likewise() {
    kinds::in_others(&[
        every_commit_is_judged_with_its_own_files_and_parent,
        what_a_hook_changes_is_taken_in_once,
        messages_go_through_their_hooks,
        a_stash_that_a_hook_leaves_is_told_and_stays_whole,
    ]);
}
