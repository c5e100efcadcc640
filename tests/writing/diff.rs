//! Changes written as `git diff` writes them.

use super::unified::unified;
use super::{Action, Reason, Rendered, Texts, Unrepresentable, write};

/// The parts of all files, one below the other, in a code fence; nothing for no changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    // Each of the lines has a mark before it, or is of a header: none ends the fence.
    write(changes, ["```diff\n", "```\n"], |change, action| {
        let path = change.path;
        let mut old = path;
        let (header, texts) = match action {
            Action::Create(text) => ("new file mode 100644\n".to_owned(), Texts::new_file(text)),
            Action::Modify(texts) => (String::new(), texts),
            Action::Rename(from, texts) => {
                old = from;
                (format!("rename from {}\nrename to {}\n", quoted("", from), quoted("", path)), texts)
            }
            Action::Delete => {
                let gone = Rendered { after: Some(b""), renamed_from: None, ..*change };
                // What is not text goes without being shown.
                let texts = match gone.action() {
                    Ok(Some(Action::Modify(texts))) => texts,
                    _ => Texts::default(),
                };
                ("deleted file mode 100644\n".to_owned(), texts)
            }
        };
        let fits = |path: &str| path.trim() == path && !path.is_empty() && !path.contains('\\');
        if !fits(old) || !fits(path) {
            return Err(change.cannot(Reason::Path));
        }
        let head = format!("diff --git {} {}\n{header}", quoted("a/", old), quoted("b/", path));
        let hunks = unified(&texts).map_err(|reason| change.cannot(reason))?;
        if hunks.is_empty() {
            return Ok(head);
        }
        let side = |text: Option<&[u8]>, prefix: &str, path: &str| match text {
            Some(_) => name(prefix, path),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (side(change.before, "a/", old), side(change.after, "b/", path));
        Ok(format!("{head}--- {old}\n+++ {new}\n{hunks}"))
    })
}

/// A name for a `---` or `+++` line: git puts a tab behind one with blanks, so that it is seen to end there.
fn name(prefix: &str, path: &str) -> String {
    let name = quoted(prefix, path);
    if name.contains(' ') && !name.starts_with('"') { format!("{name}\t") } else { name }
}

/// A name, in quotes if it would not be read as it is.
fn quoted(prefix: &str, path: &str) -> String {
    if !path.contains(|c: char| c.is_control() || c == '"') {
        return format!("{prefix}{path}");
    }
    let mut out = format!("\"{prefix}");
    for c in path.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
