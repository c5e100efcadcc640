//! What git itself does to files: filters, encodings, `$Id$`. Edits are made on the text of the checkout; blobs and
//! files are those that git would make.
use crate::sandbox;

use sandbox::fault::{signal, wait_for, with_fault};
use std::process::Stdio;

use sandbox::{Run, Sandbox, create, five, patch, remove, rename, replace, same};

const ROT13: &str = "tr A-Za-z N-ZA-Mn-za-m";

/// Creates a repository with files that a filter changes, a file that is UTF-16 in the checkout, one with an id, and
/// one with both a filter and CRLF.
fn disguised() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["config", "filter.rot.clean", ROT13]);
    sandbox.git(["config", "filter.rot.smudge", ROT13]);
    sandbox.git(["config", "filter.rot.required", "true"]);
    let attributes =
        "*.rot filter=rot\n*.u16 working-tree-encoding=UTF-16LE text\n*.id ident\n*.dos.rot eol=crlf\n";
    sandbox.file(".gitattributes", attributes);
    sandbox.file("one.rot", "alpha\nbeta\ngamma\n");
    sandbox.file("two.dos.rot", "alpha\r\nbeta\r\n");
    sandbox.file("wide.u16", utf16("alpha\nbeta\n"));
    sandbox.file("marked.id", "$Id$\nalpha\n");
    sandbox.file("gone.rot", "gone\n");
    sandbox.file("kept.rot", "kept\n");
    sandbox.commit("disguised");
    fresh(&sandbox, &["one.rot", "two.dos.rot", "wide.u16", "marked.id"]);
    assert_eq!(sandbox.git(["show", "HEAD:one.rot"]), "nycun\norgn\ntnzzn");
    assert_eq!(sandbox.status(), "");
    sandbox
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Lets git check the files out again.
fn fresh(sandbox: &Sandbox, paths: &[&str]) {
    for path in paths {
        std::fs::remove_file(sandbox.repo.join(path)).unwrap();
    }
    sandbox.git(["checkout", "-q", "--", "."]);
}

fn edits() -> String {
    [
        patch("one.rot", "w", "beta\n", "Beta\n"),
        patch("two.dos.rot", "w", "beta\n", "Beta\n"),
        patch("wide.u16", "w", "beta\n", "Beta \u{e4}\n"),
        patch("marked.id", "w", "alpha\n", "Alpha\n"),
        create("deep/new.rot", "w", "new\n"),
        create("deep/new.u16", "w", "new\n"),
        remove("gone.rot", "w"),
        rename("kept.rot", "moved/kept.rot", "w"),
        replace("README", "w", "hello world\n"),
    ]
    .concat()
}

const CHANGED: &[&str] = &[
    "one.rot",
    "two.dos.rot",
    "wide.u16",
    "marked.id",
    "deep/new.rot",
    "deep/new.u16",
    "moved/kept.rot",
    "README",
];

fn is_edited(sandbox: &Sandbox, tip: &str) {
    let show = |path: &str| sandbox.git(["show", &format!("{tip}:{path}")]);
    assert_eq!(show("one.rot"), "nycun\nOrgn\ntnzzn");
    assert_eq!(show("two.dos.rot"), "nycun\nOrgn");
    assert_eq!(show("wide.u16"), "alpha\nBeta \u{e4}");
    assert_eq!(show("marked.id"), "$Id$\nAlpha");
    assert_eq!(show("deep/new.rot"), "arj");
    assert_eq!(show("deep/new.u16"), "new");
    assert_eq!(show("moved/kept.rot"), "xrcg");
}

#[test]
fn files_are_edited_as_the_checkout_has_them() {
    let sandbox = disguised();
    let run = sandbox.apply(["-v"], &edits()).exits(0);
    let run = run.says("filter=rot").says("working-tree-encoding=UTF-16LE");
    assert!(!run.stderr.contains("git wrote the index"), "{}", run.stderr);
    is_edited(&sandbox, "HEAD");
    assert_eq!(sandbox.git(["diff-files", "--name-only"]), "");
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.text("one.rot"), "alpha\nBeta\ngamma\n");
    assert_eq!(sandbox.text("two.dos.rot"), "alpha\r\nBeta\r\n");
    assert_eq!(sandbox.read("wide.u16"), utf16("alpha\nBeta \u{e4}\n"));
    // The files are what git checks out, byte for byte.
    let ours: Vec<_> = CHANGED.iter().map(|path| sandbox.read(path)).collect();
    fresh(&sandbox, CHANGED);
    let gits: Vec<_> = CHANGED.iter().map(|path| sandbox.read(path)).collect();
    assert_eq!(ours, gits);
    sandbox.is_sound();
    // All edits are now applied.
    sandbox.apply([""; 0], &edits()).exits(0).says("nothing to do");
}

#[test]
fn the_attributes_of_another_branch_are_its_own() {
    for bare in [false, true] {
        let mut sandbox = disguised();
        sandbox.git(["branch", "side"]);
        // The branch that is checked out has no filters.
        sandbox.git(["rm", "-q", ".gitattributes"]);
        sandbox.commit("no attributes");
        if bare {
            sandbox.git(["clone", "-q", "--bare", ".", "../bare.git"]);
            sandbox.repo = sandbox.root().join("bare.git");
            sandbox.git(["config", "filter.rot.clean", ROT13]);
            sandbox.git(["config", "filter.rot.smudge", ROT13]);
        }
        let base = sandbox.git(["rev-parse", "side"]);
        sandbox.apply(["-n", "--stat", "-b", "side"], &edits()).exits(0);
        sandbox.apply(["-b", "side"], &edits()).exits(0);
        is_edited(&sandbox, "side");
        assert_eq!(sandbox.git(["diff", "--numstat", &base, "side", "--", "one.rot"]), "1\t1\tone.rot");
        sandbox.git(["fsck", "--strict"]);
    }
}

#[test]
fn a_later_branch_gets_what_was_meant_for_an_earlier_one() {
    let sandbox = disguised();
    let shown = sandbox.head();
    sandbox.file("one.rot", "zero\nalpha\nbeta\ngamma\n");
    sandbox.file("wide.u16", utf16("zero\nalpha\nbeta\n"));
    sandbox.commit("meanwhile");
    let response =
        [patch("one.rot", "w", "gamma\n", "Gamma\n"), patch("wide.u16", "w", "beta\n", "Beta\n")].concat();
    sandbox.apply(["--base", &shown], &response).exits(0);
    assert_eq!(sandbox.text("one.rot"), "zero\nalpha\nbeta\nGamma\n");
    assert_eq!(sandbox.git(["show", "HEAD:one.rot"]), "mreb\nnycun\norgn\nTnzzn");
    assert_eq!(sandbox.read("wide.u16"), utf16("zero\nalpha\nBeta\n"));
    assert_eq!(sandbox.status(), "");
    sandbox.is_sound();
}

#[test]
fn local_changes_are_told_from_what_a_filter_does() {
    let sandbox = disguised();
    // Only the time has changed.
    for path in ["one.rot", "wide.u16", "marked.id"] {
        let bytes = sandbox.read(path);
        sandbox.file(path, bytes);
    }
    sandbox.apply(["-n"], &edits()).exits(0);
    for (path, bytes) in
        [("one.rot", b"alpha\n".to_vec()), ("wide.u16", utf16("x")), ("marked.id", b"x".to_vec())]
    {
        let sandbox = disguised();
        sandbox.file(path, bytes);
        let before = sandbox.listing();
        sandbox.apply([""; 0], &edits()).exits(4).says(&format!("{path} has local changes"));
        same(path, &before, &sandbox.listing());
    }
}

#[test]
fn the_prompt_shows_what_the_checkout_has() {
    let sandbox = disguised();
    let run = sandbox.run(["prompt", "one.rot", "wide.u16"]).exits(0);
    assert_eq!(run.stdout.matches("alpha").count(), 2, "{}", run.stdout);
}

#[test]
fn a_filter_that_has_to_succeed_and_does_not_stops_it() {
    for (key, response) in [
        ("smudge", patch("one.rot", "w", "beta\n", "Beta\n")),
        ("smudge", rename("kept.rot", "moved.rot", "w")),
        ("clean", create("new.rot", "w", "new\n")),
    ] {
        let sandbox = disguised();
        sandbox.git(["config", &format!("filter.rot.{key}"), "false"]);
        let before = sandbox.listing();
        sandbox.apply([""; 0], &response).exits(128).says("rot").says("hint:");
        same(key, &before, &sandbox.listing());
    }
}

#[test]
fn a_filter_that_does_not_take_a_file_back_to_what_is_stored_stops_it() {
    // The filter loses content, or fails where git allows that: the blob would not be what the edit says.
    for (clean, required) in [("cat >/dev/null", "true"), ("head -c 3", "true"), ("exit 3", "false")] {
        let sandbox = disguised();
        sandbox.git(["config", "filter.rot.clean", clean]);
        sandbox.git(["config", "filter.rot.required", required]);
        let before = sandbox.listing();
        for options in [&["--no-keep"][..], &["--no-keep", "-b", "side"]] {
            let run = sandbox.apply(options, &patch("one.rot", "w", "beta\n", "Beta\n")).exits(128);
            run.says("git cannot convert one.rot: filter=rot does not restore the stored content");
            same(clean, &before, &sandbox.listing());
        }
        // Other files are not affected.
        sandbox.apply([""; 0], &replace("README", "w", "hello world\n")).exits(0);
    }
}

#[test]
fn what_a_filter_says_last_is_passed_on() {
    let sandbox = disguised();
    let clean = "seq 100000 >&2; echo no key today >&2; exit 1";
    sandbox.git(["config", "filter.rot.clean", clean]);
    let run = sandbox.apply([""; 0], &patch("one.rot", "w", "beta\n", "Beta\n")).exits(128);
    let run = run.says("no key today");
    assert!(run.stderr.len() < 2000, "{}", run.stderr);
    sandbox.is_sound();
}

/// A long-running filter (gitattributes(5), "Long Running Filter Process") that prints without end once it gets a file.
const ENDLESS_PROCESS: &str = r#"
printf '0016git-filter-server\n000eversion=2\n00000015capability=clean\n0016capability=smudge\n00000013status=success\n0000'
yes "$(printf '1000%04091d' 0)""#;

#[test]
fn a_filter_that_prints_without_end_is_ended() {
    for (key, filter) in [("smudge", "yes"), ("clean", "yes"), ("process", ENDLESS_PROCESS)] {
        let sandbox = disguised();
        sandbox.git(["config", &format!("filter.rot.{key}"), filter]);
        let before = sandbox.listing();
        let file = sandbox.response(&patch("one.rot", "w", "beta\n", "Beta\n"));
        // Much less memory than a machine has.
        let limited = "ulimit -v 8000000; exec \"$0\" \"$@\"";
        let binary = env!("CARGO_BIN_EXE_git-llm-apply");
        let mut command = sandbox.program("sh", ["-c", limited, binary, "--no-keep"]);
        let run = Run::of(command.arg(file).output().unwrap()).exits(128);
        assert!(run.stderr.contains("one.rot is larger than 67108864 bytes"), "{key}: {}", run.stderr);
        same(key, &before, &sandbox.listing());
    }
}

#[test]
fn a_filter_that_hangs_ends_with_the_landing() {
    let split = |sandbox: &Sandbox| drop(sandbox.git(["update-index", "--split-index"]));
    type Case = (&'static str, &'static [&'static str], fn(&Sandbox), u32);
    // The filter hangs when the text is read, when it is stored, when files are put where a command runs, or when git
    // writes the index.
    let cases: &[Case] = &[
        ("smudge", &[], |_| {}, 1),
        ("clean", &[], |_| {}, 1),
        ("smudge", &["-x", "true"], |_| {}, 3),
        ("clean", &[], split, 3),
    ];
    for ((key, options, prepare, time), strike) in
        cases.iter().flat_map(|case| ["KILL", "TERM"].map(|strike| (case, strike)))
    {
        let sandbox = disguised();
        prepare(&sandbox);
        let directory = sandbox.root().join("hanging");
        std::fs::create_dir(&directory).unwrap();
        // It works a few times, and then hangs.
        let script = format!(
            "#!/bin/sh\ncd '{}'\necho x >>count\n[ $(wc -l <count) -ge {time} ] || exec {ROT13}\n\
             echo $$ >pid.new; mv pid.new pid\nsleep 1000; sleep 1000\n",
            directory.display()
        );
        sandbox.script(&directory.join("run"), &script);
        let filter = format!("'{}'", directory.join("run").display());
        sandbox.git(["config", &format!("filter.rot.{key}"), &filter]);
        let before = sandbox.listing();
        let file = sandbox.response(&patch("one.rot", "w", "beta\n", "Beta\n"));
        let mut command = sandbox.command(["--no-keep"]);
        let temporary = sandbox.root().join("temporary");
        std::fs::create_dir(&temporary).unwrap();
        command.env("TMPDIR", &temporary).args(*options).arg(file);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let what = format!("{key} {options:?} {strike}");
        assert!(wait_for(|| directory.join("pid").exists()), "{what}: it does not hang");
        signal(strike, child.id());
        let run = Run::of(child.wait_with_output().unwrap());
        let number = std::fs::read_to_string(directory.join("pid")).unwrap();
        assert!(wait_for(|| !is_there(number.trim())), "{what}: the filter is there");
        match strike {
            "KILL" => assert_eq!(run.signal, Some(9), "{what}"),
            _ => {
                assert_eq!(run.code, Some(130), "{what}: {}", run.stderr);
                assert!(
                    run.stderr.contains("interrupted; everything here is as it was"),
                    "{what}: {}",
                    run.stderr
                );
                assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "{what}");
            }
        }
        sandbox.git(["config", &format!("filter.rot.{key}"), ROT13]);
        sandbox.run(["recover"]).exits(0);
        sandbox.git(["config", &format!("filter.rot.{key}"), &filter]);
        same(&what, &before, &sandbox.listing());
    }
}

fn is_there(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn what_nobody_can_tell_is_refused() {
    let both = "*.both filter=rot working-tree-encoding=UTF-16LE\n";
    type Case = (&'static str, fn(&Sandbox), String, &'static str);
    let cases: &[Case] = &[
        (
            "a filter over an encoding",
            |s| {
                s.file(".git/info/attributes", "*.both filter=rot working-tree-encoding=UTF-16LE\n");
                s.file("x.both", utf16("alpha\n"));
                s.commit("both");
            },
            patch("x.both", "w", "alpha\n", "Alpha\n"),
            "git converts x.both",
        ),
        (
            "attributes that change with a file that is converted",
            |_| {},
            create("sub/.gitattributes", "w", "* text\n") + &create("sub/x.rot", "w", "x\n"),
            "sub/x.rot changes together with the attributes",
        ),
        (
            "attributes that come with files",
            |_| {},
            create("sub/.gitattributes", "w", both) + &create("sub/x", "w", "x\n"),
            "sub/x changes together with the attributes",
        ),
    ];
    for (name, prepare, response, word) in cases {
        let sandbox = disguised();
        prepare(&sandbox);
        let before = sandbox.listing();
        for options in [&["--no-keep"][..], &["-n"], &["-b", "side"]] {
            // On another branch the attributes in .git/info count too.
            sandbox.apply(options, response).exits(128).says(word).says("hint:");
            same(name, &before, &sandbox.listing());
        }
    }
    // In two responses it is clear.
    let sandbox = disguised();
    sandbox.apply([""; 0], &create("sub/.gitattributes", "w", "*.txt filter=rot\n")).exits(0);
    sandbox.apply([""; 0], &create("sub/x.txt", "w", "x\n")).exits(0);
    assert_eq!(sandbox.git(["show", "HEAD:sub/x.txt"]), "k");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_filter_that_is_not_configured_is_none() {
    let sandbox = Sandbox::new();
    sandbox.file(".gitattributes", "* filter=nowhere\n");
    sandbox.commit("attributes");
    let run = sandbox.apply(["-v"], &five()).exits(0);
    assert!(!run.stderr.contains("git made"), "{}", run.stderr);
    assert_eq!(sandbox.status(), "");
}

#[test]
fn filters_work_with_an_index_that_only_git_reads() {
    for make in [
        &["update-index", "--split-index"][..],
        &["sparse-checkout", "set", "--sparse-index", "deep", "moved"],
    ] {
        let sandbox = disguised();
        sandbox.git(["config", "advice.sparseIndexExpanded", "false"]);
        sandbox.file("far/away/x.rot", "alpha\n");
        sandbox.commit("far");
        sandbox.git(make);
        let response = edits() + &patch("far/away/x.rot", "w", "alpha\n", "Alpha\n");
        sandbox.apply(["-v"], &response).exits(0).says("git wrote the index").says("filter=rot");
        is_edited(&sandbox, "HEAD");
        assert_eq!(sandbox.git(["show", "HEAD:far/away/x.rot"]), "Nycun");
        assert_eq!(sandbox.git(["diff-files", "--name-only"]), "");
        assert_eq!(sandbox.status(), "");
        sandbox.is_sound();
    }
}

#[test]
fn killed_in_between_it_is_before_or_after() {
    let files = |sandbox: &Sandbox| {
        let mut files = sandbox.listing();
        files.retain(|path, _| !path.starts_with(".git/"));
        files
    };
    let sandbox = disguised();
    let before = files(&sandbox);
    let response = [five(), edits().replace("README", "run.sh")].concat();
    let land = |sandbox: &Sandbox, fault: &str| {
        let file = sandbox.response(&response);
        let mut command = sandbox.command([file]);
        Run::of(command.env(git_llm_apply::vcs::fault::VARIABLE, fault).output().unwrap())
    };
    land(&sandbox, "").exits(0);
    let after = files(&sandbox);
    for (fault, wanted) in [
        ("committed", &before),
        ("file-staged", &before),
        ("file-placed", &before),
        ("index-prepared", &before),
        ("ref-moved", &after),
    ] {
        let sandbox = disguised();
        assert_eq!(land(&sandbox, &format!("{fault}:kill")).signal, Some(9), "{fault}");
        sandbox.run(["recover"]).exits(0);
        same(fault, wanted, &files(&sandbox));
        assert_eq!(sandbox.status(), "", "{fault}");
        sandbox.is_sound();
    }
    assert_eq!(with_fault(&disguised(), [""; 0], "index-prepared:fail").code, Some(128));
}

#[test]
fn large_files_of_git_lfs_are_edited_by_their_text() {
    let sandbox = Sandbox::new();
    if sandbox.git_command(["lfs", "version"]).output().is_ok_and(|run| !run.status.success()) {
        println!("git-lfs is not installed: nothing is tested");
        return;
    }
    sandbox.git(["lfs", "install", "--local", "--skip-repo"]);
    sandbox.file(".gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    sandbox.file("data.big", "one\ntwo\nthree\n");
    sandbox.file("old.big", "old\n");
    sandbox.commit("large files");
    let response = [
        patch("data.big", "w", "two\n", "2\n"),
        create("new.big", "w", "new\n"),
        rename("old.big", "deep/old.big", "w"),
    ]
    .concat();
    // git-lfs has installed hooks of its own, which do not matter here.
    sandbox.apply(["--no-verify"], &response).exits(0);
    assert_eq!(sandbox.text("data.big"), "one\n2\nthree\n");
    assert_eq!(sandbox.text("deep/old.big"), "old\n");
    for path in ["data.big", "new.big", "deep/old.big"] {
        let blob = sandbox.git(["show", &format!("HEAD:{path}")]);
        assert!(blob.starts_with("version https://git-lfs.github.com/spec/v1\noid sha256:"), "{blob}");
    }
    assert_eq!(sandbox.git(["lfs", "fsck"]), "Git LFS fsck OK");
    assert_eq!(sandbox.git(["diff-files", "--name-only"]), "");
    assert_eq!(sandbox.status(), "");
    sandbox.git(["fsck", "--strict"]);
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    sandbox::kinds::in_others(&[
        files_are_edited_as_the_checkout_has_them,
        the_attributes_of_another_branch_are_its_own,
        a_later_branch_gets_what_was_meant_for_an_earlier_one,
        local_changes_are_told_from_what_a_filter_does,
    ]);
}

#[test]
fn what_is_too_long_to_be_edited_is_refused_by_its_name() {
    // Without a filter.
    let sandbox = Sandbox::new();
    let line = "x".repeat(63) + "\n";
    sandbox.file("long", line.repeat((64 << 20) / 64 + 1));
    sandbox.commit("a long file");
    let edit = patch("long", "w", "no such line\n", "y\n");
    let before = sandbox.state();
    let run = sandbox.apply(["--no-keep"], &edit).exits(128);
    assert!(run.stderr.contains("long is larger than 67108864 bytes"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: change that file by hand"), "{}", run.stderr);
    sandbox.state().is(&before, "too long");
    // It can be moved and removed, and other files can be edited.
    sandbox.apply([""; 0], &(rename("long", "longer", "w") + &remove("longer", "w"))).exits(0);
    // With a filter.
    let sandbox = Sandbox::new();
    let lines = format!("yes {} | head -n {}", "x".repeat(63), (64 << 20) / 64 + 1);
    sandbox.git(["config", "filter.long.smudge", &lines]);
    sandbox.git(["config", "filter.long.clean", "cat"]);
    sandbox.git(["config", "filter.long.required", "true"]);
    sandbox.file(".gitattributes", "README filter=long\n");
    sandbox.git(["add", ".gitattributes"]);
    sandbox.git(["commit", "-q", "-m", "attributes"]);
    let run = sandbox.apply(["--no-keep"], &patch("README", "w", "hello\n", "y\n")).exits(128);
    assert!(run.stderr.contains("README is larger than 67108864 bytes"), "{}", run.stderr);
}
