//! The man pages as text, for `git-llm-apply --help` and `git llm-apply help <page>` if no pages are installed.
//!
//! The test `tests/docs` generates the texts and the man pages from man/*.md.

/// The pages by the part of their names after `git-llm-apply-`.
const PAGES: &[(&str, &str)] = &[
    ("", include_str!("../../man/git-llm-apply.txt")),
    ("options", include_str!("../../man/git-llm-apply-options.txt")),
    ("config", include_str!("../../man/git-llm-apply-config.txt")),
    ("formats", include_str!("../../man/git-llm-apply-formats.txt")),
    ("output", include_str!("../../man/git-llm-apply-output.txt")),
    ("workflow", include_str!("../../man/git-llm-apply-workflow.txt")),
];

/// The page of this name, if there is one.
pub(super) fn page(name: &str) -> Option<&'static str> {
    PAGES.iter().find(|(of, _)| *of == name).map(|(_, text)| *text)
}
