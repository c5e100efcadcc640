//! The layout of src/locate and of what it is built on. Files are short enough to read in one go, no two need each
//! other, and a whole file is searched only through the handle that spends budget.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folders that are checked.
const FOLDERS: &[&str] = &["locate", "guard", "version", "pattern", "text"];

/// The folders whose files must not import each other in a circle.
const WITHOUT_CIRCLES: &[&str] =
    &["locate", "guard", "version", "pattern", "text", "transaction", "flow", "plan"];

/// A file in these folders with more lines is about more than one thing.
const LONGEST: usize = 400;

/// Calls that go through the lines of a text without spending budget. What a text is searched by is private to
/// src/text, so the compiler checks the rest.
const SCANS: &[&str] = &["content.lines(", "content().lines("];

/// The files of src/locate that may use these calls. They look at the end of a text, or show lines of it in a refusal,
/// which has a budget of its own.
const MAY_SCAN: &[&str] = &["", "evidence/surrounding", "evidence/nearest", "evidence/context"];

/// Returns the files of a folder by module, without tests.
fn sources(folder: &str) -> BTreeMap<String, String> {
    fn read(folder: &Path, prefix: &str, all: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                if name != "tests" {
                    read(&path, &format!("{prefix}{name}/"), all);
                }
            } else if let Some(name) = name.strip_suffix(".rs") {
                let module = if name == "mod" {
                    prefix.trim_end_matches('/').to_owned()
                } else {
                    format!("{prefix}{name}")
                };
                all.insert(module, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), "", &mut all);
    all
}

/// Returns a source without comments, and without what follows `#[cfg(test)]`.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or("");
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Returns the known modules that a module names, without the root, which has the types of all.
fn named(folder: &str, module: &str, text: &str, all: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let own: Vec<&str> = module.split('/').collect();
    let mut add = |base: &[&str], rest: &str| {
        let items: Vec<&str> = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or("").split(',').map(str::trim).collect(),
            None => vec![rest],
        };
        for item in items {
            let word = |c: char| c.is_ascii_lowercase() || c == '_';
            let parts: Vec<&str> = item.split("::").take_while(|part| part.starts_with(word)).collect();
            let parts = parts.iter().map(|part| part.split(|c| !word(c)).next().unwrap_or(""));
            let path: Vec<&str> = base.iter().copied().chain(parts).collect();
            let known = (1..=path.len())
                .rev()
                .map(|length| path[..length].join("/"))
                .find(|path| all.contains(path.as_str()));
            // A folder's own module may name what is in the folder.
            found.extend(known.filter(|known| known != module && !module.starts_with(&format!("{known}/"))));
        }
    };
    let own_folder = format!("crate::{folder}::");
    for (at, _) in text.match_indices(&own_folder) {
        add(&[], &text[at + own_folder.len()..]);
    }
    let mut at = 0;
    while let Some(start) = text[at..].find("super::").map(|start| at + start) {
        let mut rest = &text[start..];
        let mut up = 0;
        while let Some(inner) = rest.strip_prefix("super::") {
            (rest, up) = (inner, up + 1);
        }
        add(&own[..own.len().saturating_sub(up)], rest);
        at = text.len() - rest.len();
    }
    found
}

/// Returns modules that need each other in a circle.
fn circle(needs: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        needs: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|other| other == module) {
            return Some(path[at..].to_vec());
        }
        if !done.contains(module) {
            path.push(module.to_owned());
            for other in needs.get(module).into_iter().flatten() {
                if let Some(circle) = visit(other, needs, path, done) {
                    return Some(circle);
                }
            }
            path.pop();
            done.insert(module.to_owned());
        }
        None
    }
    let mut done = BTreeSet::new();
    needs.keys().find_map(|module| visit(module, needs, &mut Vec::new(), &mut done))
}

#[test]
fn files_are_short() {
    for folder in FOLDERS {
        let sources = sources(folder);
        assert!(sources.len() > 1, "src/{folder} was found");
        let is_long = |(_, text): &(&String, &String)| text.lines().count() > LONGEST;
        let long: Vec<_> = sources.iter().filter(is_long).map(|(name, _)| name).collect();
        assert!(long.is_empty(), "of src/{folder}, longer than {LONGEST} lines: {long:?}");
    }
}

#[test]
fn no_two_files_need_each_other() {
    for folder in WITHOUT_CIRCLES {
        let sources = sources(folder);
        let all: BTreeSet<&str> =
            sources.keys().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let needs: BTreeMap<String, BTreeSet<String>> = sources
            .iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, text)| (name.clone(), named(folder, name, &code(text), &all)))
            .collect();
        let found = |module: &str, other: &str| needs.get(module).is_none_or(|needs| needs.contains(other));
        assert!(found("cascade", "evidence") && found("merge", "lineage"), "{needs:?}");
        assert_eq!(circle(&needs), None, "src/{folder}");
    }
}

#[test]
fn all_lines_are_gone_through_by_the_handle_that_spends_effort() {
    for (name, text) in sources("locate") {
        let scans = SCANS.iter().any(|scan| code(&text).contains(scan));
        assert!(!scans || MAY_SCAN.contains(&name.as_str()), "src/locate/{name}.rs goes through a text");
    }
}

#[test]
fn circles_are_found_however_modules_are_named() {
    let all = BTreeSet::from(["a", "b", "c", "d/e"]);
    let of = |module: &str, text: &str| named("locate", module, text, &all).into_iter().collect::<Vec<_>>();
    assert_eq!(of("a", "use super::b::B;\nfn f() -> super::c::C {}"), ["b", "c"]);
    assert_eq!(of("a", "use crate::locate::{b, c::{C, D}, Limits};"), ["b", "c"]);
    assert_eq!(of("d/e", "use super::super::a::A;\nuse crate::locate::d::e::X;"), ["a"]);
    let needs = |pairs: &[(&str, &str)]| {
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            needs.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        needs
    };
    assert_eq!(circle(&needs(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    assert_eq!(
        circle(&needs(&[("a", "b"), ("b", "c"), ("c", "b")])),
        Some(vec!["b".to_owned(), "c".to_owned()])
    );
}
