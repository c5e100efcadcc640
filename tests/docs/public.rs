//! The public interface of the crate in one listing, tests/public.txt, so that a review shows names that become public
//! or go. `UPDATE=1` writes it anew.

use std::fs;
use std::path::Path;

/// Returns what the lines of a source file declare as public.
fn public(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut all = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.trim_start().strip_prefix("pub ") else { continue };
        let mut item = rest.to_owned();
        while !item.ends_with([';', '{', '}', ',']) {
            let Some(more) = lines.next() else { break };
            item = format!("{item} {}", more.trim());
        }
        all.push(item.trim_end_matches([' ', '{', ',', ';']).to_owned());
    }
    all
}

#[test]
fn the_front_door_is_as_listed() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lib = fs::read_to_string(top.join("src/lib.rs")).unwrap();
    let shown: Vec<_> = lib.lines().collect();
    for (line, before) in shown.iter().skip(1).zip(&shown) {
        let is_inside = line.starts_with("pub mod ");
        assert!(!is_inside || *before == "#[doc(hidden)]", "{line} is neither hidden nor of the front door");
    }
    let mut files: Vec<_> =
        fs::read_dir(top.join("src/door")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut listing = String::new();
    for file in files {
        listing += &format!("{}\n", file.file_name().unwrap().to_str().unwrap());
        for item in public(&fs::read_to_string(&file).unwrap()) {
            listing += &format!("    {item}\n");
        }
    }
    let known = top.join("tests/public.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&known, &listing).unwrap();
    }
    assert_eq!(
        listing,
        fs::read_to_string(known).unwrap_or_default(),
        "UPDATE=1 writes it anew; then read it"
    );
}
