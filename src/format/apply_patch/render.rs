//! Changes written as a patch.

use crate::format::render::hunks::{Fit, hunks};
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable};

/// One patch with a section for each file; nothing for no changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    let mut out = String::new();
    for change in changes {
        let path = path(change, change.path)?;
        match change.action()? {
            Action::Nothing => {}
            Action::Create(text) => {
                let lines = change.ended_text(text)?.lines();
                line(&mut out, "*** Add File: ", path);
                lines.for_each(|text| line(&mut out, "+", text));
            }
            Action::Delete => line(&mut out, "*** Delete File: ", path),
            Action::Modify(texts) => {
                line(&mut out, "*** Update File: ", path);
                chunks(&mut out, change, &texts)?;
            }
            Action::Rename(from, texts) => {
                line(&mut out, "*** Update File: ", self::path(change, from)?);
                line(&mut out, "*** Move to: ", path);
                chunks(&mut out, change, &texts)?;
            }
        }
    }
    Ok(if out.is_empty() { out } else { format!("*** Begin Patch\n{out}*** End Patch\n") })
}

fn chunks(out: &mut String, change: &Rendered<'_>, texts: &Texts<'_>) -> Result<(), Unrepresentable> {
    if !texts.ends_as_lines_do() {
        return Err(change.cannot(Reason::FinalNewline));
    }
    let hunks = hunks(&texts.before, &texts.after, &|_, _| Fit::Fits)
        .ok_or_else(|| change.cannot(Reason::NoPlace))?;
    for hunk in hunks {
        let mut last = ' ';
        out.push_str("@@\n");
        for side in hunk.sides(&texts.before, &texts.after) {
            let (mark, text) = side.marked();
            line(out, mark.encode_utf8(&mut [0; 4]), text);
            last = mark;
        }
        let at_end = hunk.before.end == texts.before.len();
        if texts.after_unterminated && at_end && last != ' ' {
            return Err(change.cannot(Reason::FinalNewline));
        }
    }
    Ok(())
}

/// A path as it is written behind a colon.
fn path<'a>(change: &Rendered<'_>, path: &'a str) -> Result<&'a str, Unrepresentable> {
    let plain = !path.is_empty() && path.trim() == path && !path.contains(char::is_control);
    plain.then_some(path).ok_or_else(|| change.cannot(Reason::Path))
}

fn line(out: &mut String, mark: &str, text: &str) {
    out.push_str(mark);
    out.push_str(text);
    out.push('\n');
}
