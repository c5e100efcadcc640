//! Changes written as `git diff` writes them.

use crate::format::render::unified::unified;
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};

/// The parts of all files, one below the other, in a code fence; nothing for no changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let path = change.path;
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) => {
                head(&mut out, change, path)?;
                out.push_str("new file mode 100644\n");
                let texts = Texts::new_file(text);
                body(&mut out, change, ["/dev/null".to_owned(), name("b/", path)], &texts)?;
            }
            Action::Modify(texts) => {
                head(&mut out, change, path)?;
                body(&mut out, change, [name("a/", path), name("b/", path)], &texts)?;
            }
            Action::Rename(from, texts) => {
                head(&mut out, change, from)?;
                out.push_str(&format!("rename from {}\nrename to {}\n", quoted("", from), quoted("", path)));
                body(&mut out, change, [name("a/", from), name("b/", path)], &texts)?;
            }
            Action::Delete => {
                head(&mut out, change, path)?;
                out.push_str("deleted file mode 100644\n");
                let gone = Rendered { after: Some(b""), renamed_from: None, ..*change };
                // What is not text goes without being shown.
                if let Ok(Action::Modify(texts)) = gone.action() {
                    body(&mut out, change, [name("a/", path), "/dev/null".to_owned()], &texts)?;
                }
            }
        }
    }
    // Each of the lines has a mark before it, or is of a header: none ends the fence.
    Ok(if out.is_empty() { out } else { format!("```diff\n{out}```\n") })
}

/// The first line of a file's part, whose old path is `from`.
fn head(out: &mut String, change: &Rendered<'_>, from: &str) -> Result<(), Unrepresentable> {
    let fits = |path: &str| path.trim() == path && !path.is_empty() && !path.contains('\\');
    if !fits(from) || !fits(change.path) {
        return Err(change.cannot(Reason::Path));
    }
    out.push_str(&format!("diff --git {} {}\n", quoted("a/", from), quoted("b/", change.path)));
    Ok(())
}

/// The names and the hunks, if there are any.
fn body(
    out: &mut String,
    change: &Rendered<'_>,
    [old, new]: [String; 2],
    texts: &Texts<'_>,
) -> Result<(), Unrepresentable> {
    let hunks = unified(texts).ok_or_else(|| change.cannot(Reason::NoPlace))?;
    if !hunks.is_empty() {
        out.push_str(&format!("--- {old}\n+++ {new}\n{hunks}"));
    }
    Ok(())
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
