//! Changes written as OPX.

use crate::format::render::hunks::{Fit, Side, hunks};
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};

/// What a marker is made of where the payload has lines that look like OPX.
const MARK: &str = "@@@";

/// One `<edit>` for each place that changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let file = attribute(change, change.path)?;
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) => {
                if !text.is_empty() && !text.ends_with('\n') {
                    return Err(change.cannot(Reason::FinalNewline));
                }
                open(&mut out, change, &file, "new");
                let lines: Vec<&str> = text.lines().collect();
                put(&mut out, "put", &lines);
                out.push_str("</edit>\n");
            }
            Action::Delete => {
                open(&mut out, change, &file, "remove");
                out.push_str("</edit>\n");
            }
            Action::Modify(texts) => modify(&mut out, change, &file, &texts)?,
            Action::Rename(from, texts) => {
                let from = attribute(change, from)?;
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
    let fit = |before: &[&str], _: &[&str]| {
        if before.iter().all(|line| line.trim().is_empty()) { Fit::TooShort } else { Fit::Fits }
    };
    let hunks = hunks(&texts.before, &texts.after, &fit);
    let no_place = hunks.is_none();
    match hunks.filter(|hunks| texts.ends_as_texts_do(hunks)) {
        Some(hunks) => {
            for hunk in hunks {
                let sides: Vec<Side<'_>> = hunk.sides(&texts.before, &texts.after).collect();
                let lines = |other: fn(&Side<'_>) -> bool| {
                    sides.iter().filter(|side| !other(side)).map(|side| side.line()).collect::<Vec<_>>()
                };
                open(out, change, file, "patch");
                put(out, "find", &lines(|side| matches!(side, Side::Added(_))));
                put(out, "put", &lines(|side| matches!(side, Side::Removed(_))));
                out.push_str("</edit>\n");
            }
        }
        // A replacement ends every line, but for a last one that stays.
        None if texts.ends_as_lines_do() => {
            open(out, change, file, "replace");
            put(out, "put", &texts.after);
            out.push_str("</edit>\n");
        }
        None => return Err(change.cannot(if no_place { Reason::NoPlace } else { Reason::FinalNewline })),
    }
    Ok(())
}

/// A path as an attribute's value, with its quotes.
fn attribute(change: &Rendered<'_>, path: &str) -> Result<String, Unrepresentable> {
    let trimmed = path.trim() == path && !path.contains(char::is_control);
    let quote = ['"', '\''].into_iter().find(|quote| trimmed && !path.contains(*quote));
    let quote = quote.ok_or_else(|| change.cannot(Reason::Path))?;
    Ok(format!("{quote}{path}{quote}"))
}

fn open(out: &mut String, change: &Rendered<'_>, file: &str, op: &str) {
    out.push_str(&format!("<edit file={file} op=\"{op}\">\n"));
    if let Some(why) = change.why_line().filter(|why| !why.contains('<')) {
        out.push_str(&format!("<why>{why}</why>\n"));
    }
}

/// A payload, with markers that none of its lines looks like.
fn put(out: &mut String, tag: &str, lines: &[&str]) {
    let is_doubtful = |line: &&str| {
        line.contains("</") || line.contains("<edit") || line.trim().trim_matches(['<', '>']).is_empty()
    };
    let doubtful = lines.iter().any(|line| !line.trim().is_empty() && is_doubtful(line));
    let is_free = |marker: &String| !lines.iter().any(|line| line.trim_start().starts_with(marker));
    let numbered = (2..).map(|number| format!("{MARK}{number}"));
    let marker = std::iter::once(MARK.to_owned()).chain(numbered).find(is_free).unwrap_or_default();
    let (attribute, opening, closing) = if doubtful {
        (format!(" marker=\"{marker}\""), marker.as_str(), marker.as_str())
    } else {
        (String::new(), "<<<", ">>>")
    };
    out.push_str(&format!("<{tag}{attribute}>\n{opening}\n"));
    for line in lines {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&format!("{closing}\n</{tag}>\n"));
}
