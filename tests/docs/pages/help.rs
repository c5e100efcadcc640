//! -h, and the pages from the binary.

use super::*;

#[test]
fn fits_a_screen_and_names_what_is_common() {
    let sandbox = Sandbox::unborn();
    let short = sandbox.run(["-h"]).exits(0).stdout;
    for (verb, _) in VERBS.iter().filter(|(verb, _)| *verb != "completion") {
        let short = if *verb == "apply" { short.clone() } else { sandbox.run([verb, "-h"]).exits(0).stdout };
        assert!(short.lines().count() <= 42, "{verb}: {} lines", short.lines().count());
        // What people look for.
        for long in ["dry-run", "diff", "interactive", "exec", "branch", "message", "only", "format"] {
            let has_it = OPTIONS.iter().any(|option| option.long == long && option.is_of(verb));
            assert_eq!(short.contains(&format!("--{long}")), has_it, "{verb} --{long}");
        }
    }
    let long = sandbox.run(["help", "options"]).exits(0).stdout;
    for line in short.lines().chain(long.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for option in OPTIONS.iter().filter(|option| option.is_of("apply")) {
        let optional = matches!(option.takes, git_llm_apply::cli::args::Takes::Optional(_));
        let line = format!("--{}{}", option.long, if optional { "[=" } else { " " });
        let named = short.replace('\n', " ").contains(&line);
        assert_eq!(named, option.common, "--{}", option.long);
        assert!(
            long.contains(&format!("--{}", option.long)) || long.contains(&format!("--[no-]{}", option.long))
        );
    }
    for (verb, about) in VERBS {
        assert!(short.contains(verb) && short.contains(about), "{verb}");
    }
    assert!(short.contains("git help llm-apply"));
}

#[test]
fn shows_the_pages_where_none_are_installed() {
    let sandbox = Sandbox::unborn();
    let main = sandbox.run(["--help"]).exits(0).stdout;
    assert!(main.contains("\nEXIT STATUS\n    0\n        Landed"), "{main}");
    assert!(main.contains("    git llm-apply -m 'Rename the parser' answer.md\n"), "{main}");
    for (name, roff) in manual::pages() {
        let name =
            name.split('.').next().unwrap().trim_start_matches("git-llm-apply").trim_start_matches('-');
        let page = if name.is_empty() { main.clone() } else { sandbox.run(["help", name]).exits(0).stdout };
        assert_eq!(page.matches("\nSEE ALSO\n").count(), 1, "{page}");
        for heading in roff.lines().filter_map(|line| line.strip_prefix(".SH \"")?.strip_suffix('"')) {
            let heading = heading.replace("\\-", "-");
            assert!(page.lines().any(|line| line == heading), "{heading} in {page}");
        }
        for left in ["\\fB", "\\fR", "\\-", "\\(aq", "\\(dq", "\\&", "\n.", "\u{a0}", "\n\n\n"] {
            assert!(!page.contains(left), "{left:?} in {page}");
        }
    }
}
