//! The `git-llm-apply` binary: arguments in, exit status out.

fn main() {}
