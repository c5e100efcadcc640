//! Writes the pages in man/ anew: `cargo run --example man`.

fn main() -> std::io::Result<()> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    for (name, page) in git_llm_apply::cli::manual::pages() {
        std::fs::write(directory.join(name), page)?;
    }
    Ok(())
}
