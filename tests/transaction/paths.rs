//! Which names a path may have, compared with git itself. What git refuses with `core.protectHFS` and
//! `core.protectNTFS` is refused here too. If more is refused, the table says why.

#[path = "../faults/names.rs"]
mod names;
use crate::oracle;

use git_llm_apply::path::{PathContext, RepoPath, interpret};
use names::{Fine, NAMES, Refused, Stricter, TOO_DEEP, TOO_LONG, Unaskable, Verdict};
use oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Asks git whether it accepts names in an index.
struct NameOracle {
    git: Oracle,
    blob: String,
}

impl NameOracle {
    fn new() -> Self {
        let git = Oracle::new();
        let blob = git.ask(&["hash-object", "-w", "--stdin"], "").trim().to_owned();
        Self { git, blob }
    }

    /// Each name has an index of its own, because a file and a directory of one name exclude each other.
    fn accepts(&self, name: &str) -> bool {
        let index = tempfile::tempdir_in(self.git.directory()).expect("a temporary directory can be made");
        let mut update = self.git.git();
        update.env("GIT_INDEX_FILE", index.path().join("index"));
        update.args(["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]);
        update.args(["update-index", "--add", "--cacheinfo", &format!("100644,{},{name}", self.blob)]);
        let output = oracle::run(&mut update, "");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() || complaint.contains("Invalid path"),
            "git fails for another reason than the name {name:?}: {complaint}"
        );
        output.status.success()
    }
}

/// Compares what the implementation and git say about a name with the table.
fn check(oracle: &NameOracle, name: &str, verdict: Verdict) -> Result<(), String> {
    let ours = RepoPath::parse(name);
    if ours.is_ok() != (verdict == Fine) {
        return Err(format!("{name:?}: we say {ours:?}, the table {verdict:?}"));
    }
    let git_accepts = match verdict {
        Fine | Stricter(_) => true,
        Refused => false,
        Unaskable(_) => return Ok(()),
    };
    if oracle.accepts(name) != git_accepts {
        return Err(format!("{name:?}: git does not agree with the table's {verdict:?}"));
    }
    Ok(())
}

#[test]
#[cfg(not(windows))]
fn the_table_is_what_we_do_and_what_git_does() {
    assert!(NAMES.len() >= 120);
    let oracle = NameOracle::new();
    let wrong: Vec<_> =
        NAMES.iter().filter_map(|(name, verdict)| check(&oracle, name, *verdict).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_components_are_refused_wherever_they_stand() {
    let single = NAMES.iter().filter(|(name, _)| !name.contains('/'));
    for (name, _) in single.filter(|(name, verdict)| !name.is_empty() && *verdict != Fine) {
        for path in [(*name).to_owned(), format!("a/{name}"), format!("{name}/b"), format!("a/{name}/b")] {
            assert!(RepoPath::parse(&path).is_err(), "{path:?}");
        }
    }
}

#[test]
#[cfg(not(windows))]
fn lengths() {
    let oracle = NameOracle::new();
    let component = |length| "x".repeat(length);
    let path = |length: usize| {
        let mut path = "0123456789abcde/".repeat(length / 16 + 1);
        path.truncate(length - 1);
        path + "x"
    };
    for (name, verdict) in [
        (component(255), Fine),
        (component(256), Stricter(TOO_LONG)),
        (format!("a/{}/b", component(256)), Stricter(TOO_LONG)),
        ("ü".repeat(127), Fine),
        ("ü".repeat(128), Stricter(TOO_LONG)),
        (path(4095), Fine),
        (path(4096), Stricter(TOO_LONG)),
        (["a"; 256].join("/"), Fine),
        (["a"; 257].join("/"), Stricter(TOO_DEEP)),
        (["a"; 2047].join("/"), Stricter(TOO_DEEP)),
        (path(100_000), Stricter(TOO_LONG)),
    ] {
        assert_eq!(check(&oracle, &name, verdict), Ok(()));
    }
}

/// Generates paths with hostile parts in many combinations.
fn written_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            ".", "..", "g", "i", "t", "git", ".git", "GiT", "~1", "~", ":", ":x", " ", "\\", "//", "./", "../", "a",
            "\u{200c}", "\u{200b}", "\u{feff}", "\u{ad}", "C:", "ı", "file://", "%2e", "%5c", "\n", "/w/r/", "aux",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
        6 => Just("/".to_owned()),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

/// Generates names that are similar to `.git`. About half of them are not look-alikes.
fn near_dot_git() -> impl Strategy<Value = String> {
    let hidden =
        || prop_oneof![5 => Just(""), 1 => Just("\u{200d}"), 1 => Just("\u{206f}"), 1 => Just("\u{2060}")];
    let letter = |lower, upper| prop_oneof![Just(lower), Just(upper)];
    let tail =
        prop::sample::select(vec!["", "", " ", ".", "...", ":", ":s", " x", "~1", "~1.", "x", "é", ". :"]);
    let start = prop_oneof![4 => Just("."), 1 => Just("")];
    (start, hidden(), letter("g", "G"), hidden(), letter("i", "I"), letter("t", "T"), hidden(), tail)
        .prop_map(|(a, b, c, d, e, f, g, h)| [a, b, c, d, e, f, g, h].concat())
}

#[test]
fn what_is_accepted_git_accepts() {
    let oracle = NameOracle::new();
    let near =
        (near_dot_git(), prop::sample::select(vec!["", "a/", "a/b/"]), prop::sample::select(vec!["", "/c"]))
            .prop_map(|(name, before, after)| format!("{before}{name}{after}"));
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&prop_oneof![written_path(), near], |name| {
            if RepoPath::parse(&name).is_ok() {
                prop_assert!(oracle.accepts(&name), "git refuses {name:?}");
            }
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_is_its_own_text_and_so_is_each_part(name in written_path()) {
        if let Ok(path) = RepoPath::parse(&name) {
            prop_assert_eq!(path.as_str(), &name);
            for component in path.components() {
                prop_assert!(RepoPath::parse(component).is_ok(), "{:?}", component);
            }
            if let Some(parent) = path.parent() {
                prop_assert!(path.starts_with(&parent));
                prop_assert_eq!(parent.join(path.file_name()), Ok(path.clone()));
                prop_assert_eq!(path.strip_prefix(&parent).map(|p| p.to_string()), Some(path.file_name().to_owned()));
                prop_assert_eq!(RepoPath::parse(parent.as_str()), Ok(parent));
            }
        }
    }

    #[test]
    fn whatever_is_written_comes_to_a_checked_path_or_an_error(
        raw in written_path(),
        root in prop::option::of(prop_oneof![Just("r".to_owned()), Just("a".to_owned()), written_path()]),
        worktree in prop::option::of(prop::sample::select(vec!["/w/r", "/", "C:/w", "//w/r", "", "r"])),
    ) {
        let context = PathContext {
            worktree: worktree.map(str::to_owned),
            repository_names: &["r".to_owned()],
            directory: None,
            root_is_directory: true,
        };
        match interpret(&raw, root.as_deref(), &context) {
            Ok(path) => prop_assert_eq!(RepoPath::parse(path.as_str()), Ok(path)),
            Err(error) => {
                prop_assert!(!error.to_string().is_empty() && !error.help().is_empty());
            }
        }
    }

    #[test]
    fn a_plain_path_means_the_same_however_it_is_written(
        name in "[a-z]{1,3}(/[a-z.]{0,3}[a-z]){0,3}"
    ) {
        let context = PathContext {
            worktree: Some("/w/r".to_owned()),
            repository_names: &[],
            directory: None,
            root_is_directory: false,
        };
        let expected = RepoPath::parse(&name);
        for raw in [
            name.clone(),
            format!("./{name}"),
            name.replace('/', "\\"),
            format!("/w/r/{name}"),
            format!("file:///w/r/{name}"),
        ] {
            prop_assert_eq!(interpret(&raw, None, &context), expected.clone(), "{}", raw);
        }
    }
}
