//! Many objects go in as one pack, which git checks.
use crate::sandbox;

use sandbox::{Sandbox, create, kinds, patch, rename};

/// Returns the names of the packs' files with this extension.
fn files(sandbox: &Sandbox, ending: &str) -> Vec<String> {
    let all = sandbox.listing().into_keys().filter(|path| path.contains("/pack/"));
    all.filter(|path| path.ends_with(ending)).collect()
}

/// Lands new files of many lengths, in one pack with their trees and commits.
fn land() -> Sandbox {
    let sandbox = Sandbox::new();
    let lengths = (0..60).map(|n| if n < 40 { n } else { n * n });
    let text = |length: usize| (0..length).map(|line| format!("line {line}\n")).collect::<String>() + "end\n";
    let all: String =
        lengths.enumerate().map(|(n, length)| create(&format!("new/{n}"), "Add", &text(length))).collect();
    sandbox.apply(["-q", "--no-record"], &all).exits(0);
    sandbox
}

#[test]
fn its_index_is_the_one_that_git_makes() {
    let judge = || {
        let sandbox = land();
        sandbox.is_sound();
        let [pack] = &files(&sandbox, ".pack")[..] else { panic!("{:?}", files(&sandbox, "")) };
        sandbox.git(["verify-pack", pack]);
        sandbox.git(["index-pack", "-o", "again.idx", pack]);
        assert_eq!(sandbox.read("again.idx"), sandbox.read(&pack.replace(".pack", ".idx")));
        assert!(sandbox.git(["count-objects", "-v"]).contains("in-pack: 240\npacks: 1\n"));
    };
    judge();
    kinds::in_others(&[judge]);
}

#[test]
fn how_much_it_is_compressed_can_be_chosen() {
    let size = |level: Option<&str>| {
        let sandbox = Sandbox::new();
        if let Some(level) = level {
            sandbox.git(["config", "pack.compression", level]);
        }
        let text: String = (0..2_000).map(|line| format!("{}\n", line * 7919 % 9973)).collect();
        let all: String =
            (0..40).map(|n| create(&format!("new/{n}"), "Add", &format!("{n}\n{text}"))).collect();
        sandbox.apply(["-q"], &all).exits(0);
        files(&sandbox, ".pack").iter().map(|path| sandbox.read(path).len()).sum::<usize>()
    };
    assert!(size(Some("9")) < size(None));
    assert!(size(None) < size(Some("0")));
}

#[test]
fn what_is_there_already_becomes_fresh() {
    let sandbox = Sandbox::new();
    let response = create("new/one", "Add one", "1\n");
    sandbox.apply(["-q", "--no-record"], &response).exits(0);
    let place = |name: &str| {
        let id = sandbox.git(["rev-parse", name]);
        sandbox.repo.join(".git/objects").join(&id[..2]).join(&id[2..])
    };
    let (blob, tree) = (place("HEAD:new/one"), place("HEAD:new"));
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    // A prune is running. It has removed the blob, and will come to the tree, which is as old.
    std::fs::remove_file(&blob).unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let mut permissions = tree.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
    std::fs::set_permissions(&tree, permissions).unwrap();
    std::fs::File::options().write(true).open(&tree).unwrap().set_modified(old).unwrap();
    sandbox.apply(["-q", "--no-record"], &response).exits(0);
    assert!(blob.exists());
    assert!(tree.metadata().unwrap().modified().unwrap() > old, "git would prune it");
    sandbox.is_sound();
}

/// Returns edits of more than 2 MB: several of one file, some of files that git converts, and some with the same text.
fn much() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    for (key, value) in [("clean", "tr a-z A-Z"), ("smudge", "tr A-Z a-z")] {
        sandbox.git(["config", &format!("filter.up.{key}"), value]);
    }
    sandbox.file(".gitattributes", "*.crlf text eol=crlf\n*.id ident\n*.up filter=up\n");
    let path = |n: usize| format!("src/{n}.{}", ["txt", "crlf", "id", "up"][n % 4]);
    for n in 0..8 {
        sandbox.file(&path(n), format!("# $id$\nfirst\nmiddle {n}\nlast\n"));
    }
    sandbox.commit("base");
    let long =
        |what: &str| (0..9_000).map(|line| format!("{what} {}\n", line * 7919 % 9973)).collect::<String>();
    let mut edits = Vec::new();
    for n in 0..8 {
        let middle = format!("middle {n}\n");
        edits.push(patch(&path(n), "Say more", &middle, &format!("{}{middle}", long(&format!("of {n},")))));
        edits.push(create(&format!("new/{n}"), "Add it", &long(&format!("of {},", n / 2))));
        edits.push(patch(&path(n), "Say the rest", "last\n", &format!("last\n{}", long("the rest,"))));
        edits.push(rename(&format!("new/{n}"), &format!("moved/{n}"), "Move it"));
    }
    (sandbox, edits)
}

#[test]
fn what_is_made_ready_while_edits_are_resolved_is_what_lands() {
    let judge = || {
        let (sandbox, edits) = much();
        let one_by_one = sandbox.copy();
        let all = edits.concat();
        assert!(all.len() > 2 << 20);
        sandbox.apply(["-q"], &all).exits(0);
        for edit in &edits {
            one_by_one.apply(["-q", "--no-record"], edit).exits(0);
        }
        let trees = |sandbox: &Sandbox| sandbox.git(["log", "--format=%T %s"]);
        assert_eq!(trees(&sandbox), trees(&one_by_one));
        assert_eq!(sandbox.git(["status", "--porcelain"]), "");
        assert!(sandbox.run(["show", "--response"]).exits(0).stdout == all);
        sandbox.is_sound();
    };
    judge();
    // There object names use the other algorithm.
    let kind = kinds::OTHERS[0];
    if kinds::can_make(kind) {
        kinds::within(kind, judge);
    }
}

#[test]
fn what_is_made_ready_goes_where_it_does_not_land() {
    let (sandbox, edits) = much();
    let refused = edits.concat() + &patch("src/0.txt", "Spoil it", "nowhere\n", "here\n");
    let before = sandbox.state();
    sandbox.apply(["-q", "--no-keep"], &refused).exits(1);
    sandbox.state().is(&before, "refused");
    sandbox.apply(["-q", "-n"], &edits.concat()).exits(0);
    sandbox.state().is(&before, "only looked at");
    // With `--keep-going` the good edits land without it.
    sandbox.apply(["-q", "--no-keep", "--keep-going"], &refused).exits(1);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), (edits.len() + 2).to_string());
    // The same with a commit that came since the model was shown the files.
    let (sandbox, edits) = much();
    sandbox.file("other", "mine\n");
    sandbox.commit("mine");
    sandbox.apply(["-q", "--base", "HEAD~1"], &edits.concat()).exits(0);
    assert_eq!(sandbox.git(["rev-list", "--count", "HEAD"]), (edits.len() + 3).to_string());
    assert_eq!(sandbox.text("other"), "mine\n");
    sandbox.is_sound();
}
