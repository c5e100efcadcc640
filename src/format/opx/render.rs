//! Changes written as OPX.

use crate::format::fence::guarded;
use crate::format::render::hunks::fit_unless_blank;
use crate::format::render::{Action, Rendered, Texts, Unrepresentable, ended};

/// What a marker is made of where the payload has lines that look like OPX.
const MARK: &str = "@@@";

/// One `<edit>` for each place that changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let file = change.quoted(change.path)?;
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) => {
                let text = change.ended_text(text)?.to_owned();
                open(&mut out, change, &file, "new");
                payloads(&mut out, change, ["put"], [text]);
            }
            Action::Delete => {
                open(&mut out, change, &file, "remove");
                out.push_str("</edit>\n");
            }
            Action::Modify(texts) => modify(&mut out, change, &file, &texts)?,
            Action::Rename(from, texts) => {
                let from = change.quoted(from)?;
                open(&mut out, change, &from, "move");
                out.push_str(&format!("<to file={file}/>\n</edit>\n"));
                modify(&mut out, change, &file, &texts)?;
            }
        }
    }
    Ok(out)
}

fn modify(
    out: &mut String,
    change: &Rendered<'_>,
    file: &str,
    texts: &Texts<'_>,
) -> Result<(), Unrepresentable> {
    match texts.hunks(&fit_unless_blank) {
        Ok(hunks) => {
            for hunk in &hunks {
                let (before, after) = texts.of(hunk);
                open(out, change, file, "patch");
                payloads(out, change, ["find", "put"], [before, after].map(ended));
            }
        }
        // A replacement ends every line, but for a last one that stays.
        Err(_) if texts.ends_as_lines_do() => {
            open(out, change, file, "replace");
            payloads(out, change, ["put"], [ended(&texts.after)]);
        }
        Err(reason) => return Err(change.cannot(reason)),
    }
    Ok(())
}

fn open(out: &mut String, change: &Rendered<'_>, file: &str, op: &str) {
    out.push_str(&format!("<edit file={file} op=\"{op}\">\n"));
    if let Some(why) = change.why_line().filter(|why| !why.contains('<')) {
        out.push_str(&format!("<why>{why}</why>\n"));
    }
}

/// The payloads of an edit, and its end.
fn payloads<const N: usize>(out: &mut String, change: &Rendered<'_>, tags: [&str; N], texts: [String; N]) {
    for (tag, text) in tags.iter().zip(&guarded(texts, change.path)) {
        payload(out, tag, text);
    }
    out.push_str("</edit>\n");
}

/// A payload, with markers that none of its lines looks like.
fn payload(out: &mut String, tag: &str, text: &str) {
    let is_doubtful = |line: &str| {
        line.contains("</") || line.contains("<edit") || line.trim().trim_matches(['<', '>']).is_empty()
    };
    let doubtful = text.lines().any(|line| !line.trim().is_empty() && is_doubtful(line));
    let is_free = |marker: &String| !text.lines().any(|line| line.trim_start().starts_with(marker));
    let numbered = (2..).map(|number| format!("{MARK}{number}"));
    let marker = std::iter::once(MARK.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
    let (attribute, opening, closing) = if doubtful {
        (format!(" marker=\"{marker}\""), marker.as_str(), marker.as_str())
    } else {
        (String::new(), "<<<", ">>>")
    };
    out.push_str(&format!("<{tag}{attribute}>\n{opening}\n{text}{closing}\n</{tag}>\n"));
}
