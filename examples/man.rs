//! Writes man/git-llm-apply.1 anew: `cargo run --example man`.

fn main() -> std::io::Result<()> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/man/git-llm-apply.1");
    std::fs::write(file, git_llm_apply::cli::manual::page())
}
