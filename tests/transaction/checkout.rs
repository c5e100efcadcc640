//! States of the index and the checkout before a landing.
use crate::sandbox;

use git_llm_apply::vcs::fault::VARIABLE;
use sandbox::{Run, Sandbox, create, five, same};

#[test]
fn an_edit_whose_time_was_set_back_is_an_edit() {
    let sandbox = Sandbox::new();
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_back = || {
        let file = std::fs::File::options().append(true).open(sandbox.repo.join("README")).unwrap();
        file.set_modified(past).unwrap();
    };
    set_back();
    sandbox.git(["update-index", "--refresh"]);
    sandbox.file("README", "HELLO\n");
    set_back();
    // Its change time gives it away, also for git (core.trustctime).
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    assert_eq!(sandbox.text("README"), "HELLO\n");
}

#[test]
fn a_file_that_is_there_although_it_should_be_skipped_is_the_users() {
    let sandbox = Sandbox::new();
    sandbox.git(["update-index", "--skip-worktree", "README"]);
    let clean = sandbox.listing();
    sandbox.file("README", "my own\n");
    let before = sandbox.listing();
    sandbox.apply([""; 0], &five()).exits(4).says("README has local changes");
    same("edited", &before, &sandbox.listing());
    // An unchanged file is like any other, and keeps its mark.
    sandbox.file("README", "hello\n");
    same("as it was", &clean, &sandbox.listing());
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(sandbox.text("README"), "hello world\n");
    assert_eq!(sandbox.git(["ls-files", "-v", "README"]), "S README");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn unrelated_entries_of_the_index_stay_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("c", "base\n");
    sandbox.commit("c");
    sandbox.git(["checkout", "-q", "-b", "other"]);
    sandbox.file("c", "theirs\n");
    sandbox.commit("theirs");
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.file("c", "ours\n");
    sandbox.commit("ours");
    // A conflict without an operation in progress, as a stash may leave it.
    let merge = sandbox.git_command(["merge", "-q", "other"]).output().unwrap();
    assert_eq!(merge.status.code(), Some(1));
    for file in ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"] {
        std::fs::remove_file(sandbox.repo.join(".git").join(file)).unwrap();
    }
    sandbox.file("new", "new\n");
    sandbox.git(["add", "-N", "new"]);
    sandbox.git(["update-index", "--assume-unchanged", "run.sh"]);
    let state = |s: &Sandbox| s.git(["ls-files", "-v", "-s", "--", "c", "new", "run.sh"]);
    let before = state(&sandbox);
    sandbox.apply([""; 0], &five()).exits(0);
    assert_eq!(state(&sandbox), before);
    // The trees in the index are those of its files. Otherwise git would write wrong trees into the next commit.
    sandbox.git(["rm", "-q", "--cached", "c", "new"]);
    let written = sandbox.git(["write-tree"]);
    sandbox.git(["read-tree", "HEAD"]);
    sandbox.git(["rm", "-q", "--cached", "c"]);
    assert_eq!(sandbox.git(["write-tree"]), written);
}

#[test]
fn a_submodule_may_give_way_to_a_file_and_move() {
    use sandbox::{remove, rename};
    let with_submodule = || {
        let sandbox = Sandbox::new();
        let url = sandbox.repo.to_str().unwrap().to_owned();
        sandbox.git(["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "sub"]);
        sandbox.commit("sub");
        sandbox.git(["submodule", "deinit", "-q", "-f", "sub"]);
        sandbox
    };
    let cases = [
        ("a file", remove("sub", "w") + &create("sub", "w", "file\n"), "file\n"),
        ("a directory", remove("sub", "w") + &create("sub/x", "w", "file\n"), ""),
        ("another place", rename("sub", "deep/down/sub", "w"), ""),
        ("a file's place", remove("README", "w") + &rename("sub", "README", "w"), ""),
    ];
    for (what, response, text) in cases {
        let sandbox = with_submodule();
        // Only of the checkout: two submodules differ in the times in their repositories.
        let names = |sandbox: &Sandbox| {
            let all = sandbox.listing().into_keys().filter(|path| !path.starts_with(".git/"));
            (sandbox.status(), all.collect::<Vec<_>>())
        };
        let before = names(&sandbox);
        sandbox.apply([""; 0], &response).exits(0);
        assert_eq!(sandbox.status(), "", "{what}");
        if !text.is_empty() {
            assert_eq!(sandbox.text("sub"), text, "{what}");
        }
        let after = names(&sandbox);
        for (fault, wanted) in [("index-prepared", &before), ("ref-moved", &after)] {
            let sandbox = with_submodule();
            let file = sandbox.response(&response);
            let run = sandbox.command([file]).env(VARIABLE, format!("{fault}:kill")).output().unwrap();
            assert_eq!(Run::of(run).signal, Some(9));
            sandbox.run(["recover"]).exits(0);
            assert_eq!(&names(&sandbox), wanted, "{what}: {fault}");
        }
    }
}

#[test]
fn an_attribute_file_that_goes_counts_no_more() {
    use sandbox::{remove, replace};
    let sandbox = Sandbox::new();
    sandbox.file(".gitattributes", "*.txt text eol=crlf\n");
    sandbox.commit("attributes");
    let response = remove(".gitattributes", "w") + &replace("gone.txt", "w", "new\n");
    sandbox.apply([""; 0], &response).exits(0);
    assert_eq!(sandbox.text("gone.txt"), "new\n");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn the_directory_that_one_stands_in_stays() {
    let sandbox = Sandbox::new();
    sandbox.file("a/b/c", "x\n");
    sandbox.commit("deep");
    sandbox.apply(["-C", "a/b"], &sandbox::remove("a/b/c", "w")).exits(0);
    assert!(sandbox.exists("a/b"));
    assert_eq!(sandbox.status(), "");
    // No process is in this directory.
    sandbox.file("d/e/f", "x\n");
    sandbox.commit("deep");
    sandbox.apply([""; 0], &sandbox::remove("d/e/f", "w")).exits(0);
    assert!(!sandbox.exists("d"));
}

#[test]
fn an_edit_in_the_second_of_the_last_git_add_is_still_seen() {
    // Size and seconds are those in the index. Git reads the content because the index is not younger.
    let sandbox = Sandbox::new();
    for round in 0..3 {
        let text = ["aaaa\n", "bbbb\n"];
        sandbox.file("odd/z", text[0]);
        sandbox.commit("odd");
        let second = || {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
            now.as_secs()
        };
        let begin = second();
        sandbox.file("odd/z", text[0]);
        sandbox.git(["update-index", "--force-write-index", "odd/z"]);
        sandbox.file("odd/z", text[1]);
        let in_time = second() == begin;
        // Wait until a new index would be younger.
        std::thread::sleep(std::time::Duration::from_millis(1100));
        sandbox.apply([""; 0], &create(&format!("new/{round}"), "Add", "x\n")).exits(0);
        assert_eq!(sandbox.status(), " M odd/z");
        if in_time {
            return;
        }
        sandbox.file("odd/z", "");
        sandbox.commit("once more");
    }
    panic!("it never came to it within a second");
}

#[test]
fn who_may_read_a_file_stays_as_it_is() {
    use sandbox::{patch, rename, replace};
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let all = [0o600, 0o640, 0o664, 0o444, 0o400, 0o700, 0o750, 0o744];
    for mode in all {
        sandbox.file(&format!("f{mode:o}"), "one\ntwo\n");
        sandbox.file(&format!("m{mode:o}"), format!("{mode}: one\ntwo\n"));
        sandbox.file(&format!("c{mode:o}"), "copied\n");
        for kind in ["f", "m", "c"] {
            let file = sandbox.repo.join(format!("{kind}{mode:o}"));
            std::fs::set_permissions(file, PermissionsExt::from_mode(mode)).unwrap();
        }
    }
    sandbox.commit("files");
    let mut response: String =
        all.iter().map(|mode| patch(&format!("f{mode:o}"), "w", "two\n", "2\n")).collect();
    for mode in all {
        response += &rename(&format!("m{mode:o}"), &format!("on/the/way{mode:o}"), "w");
        response += &replace(&format!("on/the/way{mode:o}"), "w", "wholly other\n");
        response += &rename(&format!("on/the/way{mode:o}"), &format!("moved/{mode:o}"), "w");
    }
    response += "<FILE_CHANGES>\n";
    for mode in all {
        response += &format!("<FILE_COPY from_path=\"c{mode:o}\" to_path=\"copy/{mode:o}\" />\n");
    }
    response += "</FILE_CHANGES>\n";
    sandbox.apply([""; 0], &response).exits(0);
    for mode in all {
        for path in [format!("f{mode:o}"), format!("moved/{mode:o}"), format!("copy/{mode:o}")] {
            let found = sandbox.repo.join(&path).metadata().unwrap().permissions().mode() & 0o7777;
            assert_eq!(format!("{found:o}"), format!("{mode:o}"), "{path}");
        }
    }
    assert_eq!(sandbox.status(), "");
    // A new file gets its mode from the umask.
    sandbox.apply([""; 0], &create("new", "w", "x\n")).exits(0);
    sandbox.file("other", "x\n");
    let mode = |path: &str| sandbox.repo.join(path).metadata().unwrap().permissions().mode();
    assert_eq!(mode("new"), mode("other"));
}

#[test]
fn so_it_is_in_other_kinds_of_repository() {
    sandbox::kinds::in_others(&[
        an_edit_whose_time_was_set_back_is_an_edit,
        a_file_that_is_there_although_it_should_be_skipped_is_the_users,
        unrelated_entries_of_the_index_stay_as_they_are,
        a_submodule_may_give_way_to_a_file_and_move,
        an_attribute_file_that_goes_counts_no_more,
        the_directory_that_one_stands_in_stays,
    ]);
}
