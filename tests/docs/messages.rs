//! Commit messages that are made from hostile reasons. Git itself must find no trailer, no mail and no `fixup!` in
//! them.

use crate::oracle;

use git_llm_apply::message::{Group, Message, Operation, SUBJECT_WIDTH};
use git_llm_apply::path::RepoPath;
use git_llm_apply::plan::Verb;
use oracle::Oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use unicode_width::UnicodeWidthStr;

/// Reasons in which git would find trailers, if they were the body as they are.
const FORGED_TRAILERS: &[&str] = &[
    "Signed-off-by: Mallory <m@m.example>",
    "Fix it\n\nSigned-off-by: Mallory <m@m.example>",
    "Fix it\n\nCo-authored-by: Mallory <m@m.example>",
    "Fix it\n\nChange-Id: I0123456789012345678901234567890123456789",
    "Fix it\n\n(cherry picked from commit 0123456789012345678901234567890123456789)",
    "Fix it\n\nReviewed-by: A\nTested-by: B\nAcked-by: C",
    "Fix it\n\nFixes: #12",
    "Fix it\n\none\ntwo\nthree\nFixes: #12",
    "Fix it\n\nFixes:#12",
    "Fix it\n\nFixes : #12",
    "Fix it\n\nNote: this is prose.",
    "Fix it\n\nSee: a\n  and b\n  and c",
    "Fix it\n\nsome prose\nSigned-off-by: Mallory <m@m.example>",
    "Fix it\n\nprose\nmore prose\nthird\nSigned-off-by: Mallory <m@m.example>\n",
    "Fix it\n\nSigned-off-by: Mallory <m@m.example>\n\n\n\n",
    "Fix it\n\nSigned-off-by: Mallory <m@m.example>\n---\nmore",
    "Fix it\n\nFixes: #1\n---\n\nmore",
    "Fix it\n\nFixes: #1\n--- \nmore",
    "Fix it\n\nFixes: #1\n\n--- a/file\n+++ b/file",
    "Fix it\n\nSigned-off-by: Mallory <m@m.example>\n\n# a comment",
    "Fix it\n\nFixes: #1\n\n# a comment\n# another",
    "Fix it\n\nFixes: #1\n# ------------------------ >8 ------------------------\nmore",
    "Fix it\n\nFixes: #1\n\nConflicts:\n\tsrc/a.rs\n\tsrc/b.rs",
    "Fix it\n\n; one\n; two\n; three\n; four\nFixes: #1",
    "Fix it\n\n# only\nFixes: #1\n# comments",
    "Fix it\n\n-x: y",
    "Fix it\n\n-: y",
    "Fix it\n\n- : y",
    "Fix it\n\n1: y",
    "Fix it\nbody\n\nHelped-by: M\n and others",
];

/// Reasons that mean something to another part of git, or that show their meaning only when they are cleaned up.
const OTHERWISE_SPECIAL: &[&str] = &[
    "fixup! Update",
    "squash! Update",
    "amend! Update\n\nEvil",
    "fixup!",
    "f\u{200b}ixup! Update",
    "\u{1b}fixup! Update",
    "# not a comment",
    "#12 is mended",
    "#",
    "---",
    "---\nFixes: #1",
    "--- a/file",
    "diff --git a/file b/file",
    "Index: file",
    "From: Mallory <m@m.example>",
    "Subject: other",
    "Co-authored-by: Mallory <m@m.example>\nCo-authored-by: Mallory <m@m.example>",
    "Fix it\n\nFrom: Mallory <m@m.example>\nDate: 1 Jan 2000 00:00:00 +0000\nSubject: other\n\nbody",
    "Fix it\n\nFrom: Mallory <m@m.example>",
    "Fix it\n\nFrom: Mallory <m@m.example>\none\ntwo\nthree\nfour",
    "Fix it\n\n>From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
    "Fix it\n\nFrom 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: M <m@m.example>\n\nx",
    "Fix it\n\n[PATCH] other",
    "Fix it\n\ndiff --git a/evil b/evil\nnew file mode 100644\n--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+evil",
    "Fix it\n\none\ntwo\nthree\nfour\nIndex: evil",
    "Fix it\n\nIndex: evil\n--- /dev/null\n+++ evil\n@@ -0,0 +1 @@\n+evil",
    "Fix it\n\n---\ndiff --git a/evil b/evil\nnew file mode 100644\n--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+evil",
    "Fix it\n\nlost\n-- >8 -- >8 --\nkept",
    "Fix it\n\nlost\n- - - 8< - - cut - - >8 - -\nkept",
    "Fix it\n\nSigned-off\u{200b}-by: Mallory <m@m.example>",
    "Fix it\n\nSigned-\u{7}off-by: Mallory <m@m.example>",
    "Fix it\n\n\u{feff}Signed-off-by: Mallory <m@m.example>",
    "Fix it\r\rSigned-off-by: Mallory <m@m.example>",
    "Fix it\u{2029}\u{2029}Signed-off-by: Mallory <m@m.example>",
    "Fix it\n\nSigned-off-by:\u{a0}Mallory",
    "Fix it\n\n Signed-off-by: Mallory <m@m.example>",
    "Fix it\0\n\nFixes: #1",
    "Fix it\r\n\r\nCo-authored-by: Mallory <m@m.example>\r\n",
    "Fix it\n\nFixes: #1\n\u{200b}\n---\nmore",
    "Fix it. Fixes: #12",
    "Fix it\n\nFixes: #1\n\n\u{2028}\n\t\n",
    "Ünï ço\n\n日本語: 修正",
    "",
];

/// Returns the messages of a reason in all ways in which it gets into a message.
fn messages(why: &str) -> Vec<Message> {
    let file = RepoPath::parse("src/a.rs").expect("an ordinary path");
    let operation = Operation::new(Verb::Modify, file);
    let file = Group::File(operation);
    let for_edit = |why: &str| Message::for_group(&file, &[Some(why)]);
    vec![
        for_edit(why),
        for_edit(&format!("Fix it\n\n{why}")),
        for_edit(&format!("{} {why}", ["word"; 14].join(" "))),
        for_edit(why).with_options("[ai]", "", false),
        Message::for_group(&file, &[None]).with_note(why),
        for_edit("Fix it").with_note(why).with_whys(&[Some("x"), Some(why)]),
        Message::for_group(&file, &[Some(why), Some("x"), None]),
        Message::for_group(&Group::Response(why), &[Some("x"), Some(why)]),
    ]
}

#[test]
fn trailers_of_the_user_s_own_are_all_that_git_reads() {
    let oracle = Oracle::new();
    let own = "Assisted-by: model\n";
    let texts: Vec<_> = hostile_messages().iter().map(|message| format!("{message}\n{own}")).collect();
    for (text, found) in texts.iter().zip(trailers(&oracle, &texts)) {
        assert_eq!(found, own.repeat(1 + TRAILER_CONFIGURATIONS.len()), "{text:?}");
    }
}

/// Creates a branch of commits with these texts as messages, which all change the same file. Returns its base and its
/// tip.
fn chain<T: ToString>(oracle: &Oracle, texts: &[T]) -> (String, String) {
    let mut stream = String::new();
    let base = "Base\n".to_owned();
    for (number, text) in std::iter::once(base).chain(texts.iter().map(T::to_string)).enumerate() {
        let author = "A <a@a.example> 1700000000 +0000";
        let (length, content) = (text.len(), number.to_string());
        stream +=
            &format!("commit refs/heads/chain\nauthor {author}\ncommitter {author}\ndata {length}\n{text}\n");
        stream += &format!("M 100644 inline file\ndata {}\n{content}\n", content.len());
    }
    oracle.ask(&["fast-import", "--quiet", "--force"], &stream);
    let commits = oracle.ask(&["rev-list", "--reverse", "chain"], "");
    let commits: Vec<&str> = commits.lines().collect();
    assert_eq!(commits.len(), texts.len() + 1);
    (commits[0].to_owned(), commits[texts.len()].to_owned())
}

/// Returns what `git log` prints for each of the commits, with some configuration.
fn log(oracle: &Oracle, configuration: &[&str], format: &str, (base, tip): (&str, &str)) -> Vec<String> {
    let (format, range) = (format!("--format={format}%x00"), format!("{base}..{tip}"));
    let shown = oracle.ask(&[configuration, &["log", "--reverse", &format, &range]].concat(), "");
    let mut commits: Vec<_> = shown.split("\0\n").map(str::to_owned).collect();
    assert_eq!(commits.pop().as_deref(), Some(""), "each ends with a NUL");
    commits
}

/// Configurations that change how git looks for trailers.
const TRAILER_CONFIGURATIONS: &[&[&str]] = &[
    &[],
    &["-c", "core.commentChar=;"],
    &["-c", "trailer.a.key=Fixes", "-c", "trailer.b.key=Note", "-c", "trailer.c.key=Cc"],
];

/// Returns, for each text, everything that any way to ask git takes for a trailer.
fn trailers<T: ToString>(oracle: &Oracle, texts: &[T]) -> Vec<String> {
    let (base, tip) = chain(oracle, texts);
    let mut trailers: Vec<_> =
        texts.iter().map(|text| oracle.ask(&["interpret-trailers", "--parse"], &text.to_string())).collect();
    for configuration in TRAILER_CONFIGURATIONS {
        for (found, more) in trailers.iter_mut().zip(log(oracle, configuration, "%(trailers)", (&base, &tip)))
        {
            found.push_str(&more);
        }
    }
    trailers
}

/// Returns what git finds wrong in commits with these messages.
fn differences(oracle: &Oracle, messages: &[Message]) -> Vec<String> {
    let found = trailers(oracle, messages);
    let (base, tip) = chain(oracle, messages);
    let shown = log(oracle, &[], "%s%x01%b%x01%B", (&base, &tip));
    let mut wrong = Vec::new();
    for ((message, trailers), shown) in messages.iter().zip(found).zip(shown) {
        let fields: Vec<_> = shown.split('\x01').map(|field| field.trim_end_matches('\n')).collect();
        let text = message.to_string();
        let expected = [&*message.subject(), &*message.body(), text.trim_end_matches('\n')];
        if fields != expected || !trailers.is_empty() {
            wrong.push(format!("{text:?}: git shows {fields:?} and the trailers {trailers:?}"));
        }
    }
    wrong
}

#[test]
fn git_finds_neither_trailers_nor_another_subject() {
    let oracle = Oracle::new();
    assert!(FORGED_TRAILERS.len() >= 25);
    let raw: Vec<_> = FORGED_TRAILERS.iter().map(|why| format!("Subject\n\n{why}\n")).collect();
    for (why, found) in FORGED_TRAILERS.iter().zip(trailers(&oracle, &raw)) {
        assert_ne!(found, "", "git reads no trailer in {why:?} itself: it tests nothing");
    }
    let whys = FORGED_TRAILERS.iter().chain(OTHERWISE_SPECIAL);
    let messages: Vec<_> = whys.flat_map(|why| messages(why)).collect();
    let wrong = differences(&oracle, &messages);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns everything about the commits of a branch that must stay as it is.
fn history(oracle: &Oracle, base: &str, tip: &str) -> Vec<String> {
    log(oracle, &[], "%an <%ae> %ad %T%n%B", (base, tip))
}

fn hostile_messages() -> Vec<Message> {
    let whys = FORGED_TRAILERS.iter().chain(OTHERWISE_SPECIAL);
    whys.flat_map(|why| {
        let operation = Operation::new(Verb::Modify, RepoPath::parse("a.rs").expect("an ordinary path"));
        let file = Group::File(operation);
        [Some(*why), None].map(|own| Message::for_group(&file, &[own]).with_note(why))
    })
    .collect()
}

#[test]
fn commits_survive_a_journey_by_mail() {
    let oracle = Oracle::new();
    let messages = hostile_messages();
    let (base, tip) = chain(&oracle, &messages);
    let before = history(&oracle, &base, &tip);
    assert_eq!(before.len(), messages.len());

    oracle.ask(&["checkout", "--quiet", "--detach", &base], "");
    let mails = oracle.ask(&["format-patch", "--stdout", &format!("{base}..{tip}")], "");
    oracle.ask(&["am", "--quiet", "--scissors"], &mails);
    assert_eq!(history(&oracle, &base, "HEAD"), before);
}

#[test]
fn commits_survive_a_rebase() {
    let oracle = Oracle::new();
    let (base, tip) = chain(&oracle, &hostile_messages());
    let before = history(&oracle, &base, &tip);

    for how in [&["--apply", "--force-rebase"][..], &["--interactive", "--autosquash", "--force-rebase"]] {
        oracle.ask(&["checkout", "--quiet", "--detach", &tip], "");
        let arguments =
            [&["-c", "sequence.editor=true", "rebase", "--quiet"][..], how, &[&base[..]]].concat();
        oracle.ask(&arguments, "");
        assert_eq!(history(&oracle, &base, "HEAD"), before, "{how:?}");
    }
}

/// `git am` might shorten a subject to one that `--autosquash` acts on.
#[test]
fn what_am_takes_off_a_subject_uncovers_nothing() {
    let oracle = Oracle::new();
    let whys = ["[a] fixup! Base", "Re: fixup! Base", "[a] re: [b] squash! Base", ": amend! Base", "[a]: #1"];
    let messages: Vec<_> = whys.iter().filter_map(|why| Message::from_why(why)).collect();
    let (base, tip) = chain(&oracle, &messages);
    oracle.ask(&["checkout", "--quiet", "--detach", &base], "");
    let mails = oracle.ask(&["format-patch", "--stdout", &format!("{base}..{tip}")], "");
    oracle.ask(&["am", "--quiet"], &mails);
    let subjects = oracle.ask(&["log", "--reverse", "--format=%s", &format!("{base}..HEAD")], "");
    let expected = ["'fixup!' Base", "'fixup!' Base", "'squash!' Base", "'amend!' Base", "'#1'"];
    assert_eq!(subjects.lines().collect::<Vec<_>>(), expected);
}

/// Combines hostile texts to reasons in many ways.
fn hostile_why() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        10 => prop::sample::select(vec![
            "Signed-off-by: ", "signed-off-by:", "Co-authored-by", "Fixes", "Note", "x", "-", ":", ": ", "---", "# ",
            "(cherry picked from commit ", "Conflicts:", ">8", " ", "    ", "\t", "\u{200b}", "\u{a0}", "\r", "fixup! ",
            "From ", "12:34", "diff -", "[PATCH] ", "Some prose. And more", "é", "修", "👩\u{200d}💻", "\u{301}", "ﷺ",
            "averyverylongwordthatdoesnotfitintoanysubjectwhateverthecircumstancesmaybe", "\u{1f1e9}\u{1f1ea}", "لا",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
        5 => Just("\n".to_owned()),
        2 => Just("\n\n".to_owned()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[test]
fn whatever_the_why_git_finds_neither_trailers_nor_another_subject() {
    let oracle = Oracle::new();
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&hostile_why(), |why| {
            let wrong = differences(&oracle, &messages(&why));
            prop_assert!(wrong.is_empty(), "{:?}: {}", why, wrong.join("\n"));
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_message_is_clean_and_its_subject_fits(why in hostile_why(), note in hostile_why()) {
        for message in messages(&why).into_iter().map(|message| message.with_note(&note)) {
            let (subject, body) = (message.subject(), message.body());
            prop_assert!(!subject.trim().is_empty());
            prop_assert!(subject.width() <= SUBJECT_WIDTH, "{:?} has {} columns", subject, subject.width());
            let text = message.to_string();
            let hidden = |c: char| c.is_control() && c != '\n' || "\u{200b}\u{200d}\u{202e}\u{feff}".contains(c);
            prop_assert!(!text.contains(hidden), "{:?}", text);
            prop_assert!(!text.contains("\n\n\n"), "{:?}", text);
            prop_assert!(text.lines().all(|line| line.trim_end() == line), "{:?}", text);
            let expected = if body.is_empty() { format!("{subject}\n") } else { format!("{subject}\n\n{body}\n") };
            prop_assert_eq!(text, expected);
        }
    }

    #[test]
    fn no_word_of_a_why_is_lost(words in prop::collection::vec("[A-Za-z]{1,20}[.,]?[ \n]{1,3}", 1..60)) {
        let why = words.concat();
        let message = Message::from_why(&why).expect("there are letters");
        let text = message.to_string();
        // If the subject is cut, the body repeats it in full. If not, it lacks at most its full stop.
        let body = message.body();
        let stopped = format!("{}. {body}", message.subject());
        let whole = [&text, &body, &stopped].iter().any(|text| text.split_whitespace().eq(why.split_whitespace()));
        prop_assert!(whole, "{:?}: {:?}", why, text);
    }
}
