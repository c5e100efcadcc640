//! Applying a response in process, through the whole of the pure pipeline.

use crate::case::Tree;
use git_llm_apply::diag::Diagnostic;
use git_llm_apply::format;
use git_llm_apply::plan::{self, MemoryTree, Rules, SyntaxCheck};
use git_llm_apply::response::Response;

/// What the tree becomes, or why the response was refused.
pub(crate) fn apply(text: String, tree: &Tree) -> Result<Tree, Vec<String>> {
    let response = sound(Response::new(0, "answer", text.into_bytes(), u64::MAX));
    let script = format::parse(&response, &git_llm_apply::format::Reading::default());
    let mut view = MemoryTree::new();
    for (path, text) in tree {
        view = sound(view.with_file(path, text));
    }
    // Histories hold whatever files and texts; what may be touched and brought is no matter of places.
    let rules = Rules {
        allow_overwrite: true,
        allow_sensitive: true,
        allow_placeholder: true,
        allow_markers: true,
        // It only warns, and takes as long as all else.
        syntax: SyntaxCheck::Off,
        ..Rules::default()
    };
    match sound(plan::resolve(&script, &view, &rules)) {
        Err(rejected) => {
            let errors = rejected.diagnostics.iter().filter(|diagnostic| Diagnostic::is_error(diagnostic));
            let say = |diagnostic: &Diagnostic| {
                let path = diagnostic.path.as_deref().unwrap_or("");
                format!("{} {path}: {} {:?}", diagnostic.code.as_str(), diagnostic.message, diagnostic.labels)
            };
            Err(errors.map(say).collect())
        }
        // A response in which nothing was found lands nothing.
        Ok(plan) if plan.steps().is_empty() => Err(Vec::new()),
        Ok(plan) => {
            let mut tree = tree.clone();
            for change in plan.steps().iter().flat_map(|step| &step.changes) {
                match &change.after {
                    None => {
                        tree.remove(change.path.as_str());
                    }
                    Some(state) => {
                        let body = sound(state.body.read(&view));
                        tree.insert(change.path.as_str().to_owned(), body.to_vec());
                    }
                }
            }
            Ok(tree)
        }
    }
}

/// What cannot fail here.
fn sound<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}
