//! Applies a response in this process, through the library's whole pure pipeline.

use crate::case::Tree;
use git_llm_apply::diag::Diagnostic;
use git_llm_apply::format;
use git_llm_apply::plan::{self, MemoryTree, Rules, SyntaxCheck};
use git_llm_apply::response::Response;

/// Returns the resulting tree, or the errors of a refused response.
pub(crate) fn apply(text: String, tree: &Tree) -> Result<Tree, Vec<String>> {
    let response = expected(Response::new(0, "answer", text.into_bytes(), u64::MAX));
    let script = format::parse(&response, &git_llm_apply::format::Reading::default());
    let mut view = MemoryTree::new();
    for (path, text) in tree {
        view = expected(view.with_file(path, text));
    }
    // Commits change all kinds of files and texts. Only where hunks land is measured here, so policy checks are off.
    let rules = Rules {
        allow_overwrite: true,
        allow_sensitive: true,
        allow_placeholder: true,
        allow_markers: true,
        // The syntax check only warns, and takes as long as everything else.
        syntax: SyntaxCheck::Off,
        ..Rules::default()
    };
    match expected(plan::resolve(&script, &view, &rules)) {
        Err(rejected) => {
            let errors = rejected.diagnostics.iter().filter(|diagnostic| Diagnostic::is_error(diagnostic));
            let say = |diagnostic: &Diagnostic| {
                let path = diagnostic.path.as_deref().unwrap_or("");
                format!("{} {path}: {} {:?}", diagnostic.code.as_str(), diagnostic.message, diagnostic.labels)
            };
            Err(errors.map(say).collect())
        }
        // A response in which no edit was found counts as refused.
        Ok(plan) if plan.steps().is_empty() => Err(Vec::new()),
        Ok(plan) => {
            let mut tree = tree.clone();
            for change in plan.steps().iter().flat_map(|step| &step.changes) {
                match &change.after {
                    None => {
                        tree.remove(change.path.as_str());
                    }
                    Some(state) => {
                        let body = expected(state.body.read(&view));
                        tree.insert(change.path.as_str().to_owned(), body.to_vec());
                    }
                }
            }
            Ok(tree)
        }
    }
}

/// Returns the value of a result that cannot be an error here.
fn expected<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}
