//! Applies edits to files that the program itself holds, without git: `cargo run --no-default-features --example
//! own_tree`.

#![expect(clippy::print_stdout, reason = "it is for people to look at")]

use git_llm_apply::{Response, Tree};
use std::collections::BTreeMap;

fn main() {
    let mut files = BTreeMap::from([("todo.txt".to_owned(), b"- milk\n- bread\n".to_vec())]);
    let answer = "Here you are:\n\n```diff\n--- a/todo.txt\n+++ b/todo.txt\n@@ -1,2 +1,2 @@\n - milk\n-- bread\n+- rye bread\n```\n";
    let resolved = Tree::from_fn(|path| files.get(path).cloned()).resolve(&Response::parse(answer));
    match resolved {
        Ok(changes) => {
            for change in changes {
                match change.after {
                    Some(text) => files.insert(change.path, text),
                    None => files.remove(&change.path),
                };
            }
        }
        Err(reasons) => reasons.iter().for_each(|reason| println!("{}: {}", reason.code, reason.message)),
    }
    for (path, text) in &files {
        println!("{path}:\n{}", String::from_utf8_lossy(text));
    }
    assert_eq!(files["todo.txt"], b"- milk\n- rye bread\n");
}
