//! Changes written as blocks.

use super::marker::Marker;
use crate::format::fence::guarded;
use crate::format::file;
use crate::format::render::hunks::Fit;
use crate::format::render::{Action, Reason, Rendered, Texts, Unrepresentable, ended, write};
use crate::format::scan::trim;

/// A heading for each file and under it a block for each place that changes.
pub(super) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, action| match action {
        Action::Create(text) => {
            let ends = |line: &&str| matches!(Marker::of(line), Some(Marker::NewFile | Marker::NewFileEnd));
            if let Some(line) = change.ended_text(text)?.lines().find(ends) {
                return Err(change.cannot(Reason::Marker(line.to_owned())));
            }
            let [text] = guarded([text.to_owned()], change.path);
            Ok(format!("{}<<<<<<< NEW_FILE\n{text}>>>>>>> NEW_FILE\n\n", heading(change)?))
        }
        Action::Modify(texts) => Ok(heading(change)? + &blocks(change, &texts)?),
        Action::Delete => Err(change.cannot(Reason::Operation("remove"))),
        Action::Rename(..) => Err(change.cannot(Reason::Operation("move"))),
    })
}

fn heading(change: &Rendered<'_>) -> Result<String, Unrepresentable> {
    let headings = [format!("### File: {}", change.path), format!("### File: `{}`", change.path)];
    let said = |heading: &&String| {
        !change.path.contains(char::is_control)
            && file::path_line(heading).is_some_and(|found| found.path == change.path)
    };
    let heading = headings.iter().find(said).ok_or_else(|| change.cannot(Reason::Path))?;
    Ok(match change.why_line() {
        Some(why) => format!("{heading}\n**Reason**: {why}\n\n"),
        None => format!("{heading}\n\n"),
    })
}

fn blocks(change: &Rendered<'_>, texts: &Texts<'_>) -> Result<String, Unrepresentable> {
    let hunks = texts.hunks(&fit).map_err(|reason| change.cannot(why_not(reason, texts)))?;
    let block = |hunk| {
        let [before, after] = guarded(texts.of(hunk).map(ended), change.path);
        format!("<<<<<<< SEARCH\n{before}=======\n{after}>>>>>>> REPLACE\n\n")
    };
    Ok(hunks.iter().map(block).collect())
}

fn fit(before: &[&str], after: &[&str]) -> Fit {
    let is_blank = |lines: &[&str]| lines.iter().all(|line| line.trim().is_empty());
    if before.iter().chain(after).any(|line| collides(line))
        || before.first().is_some_and(|line| is_hint(line))
    {
        Fit::Collides
    } else if is_blank(before) && !before.is_empty() {
        Fit::TooShort
    } else {
        Fit::Fits
    }
}

/// Whether a line may not stand in a block.
fn collides(line: &str) -> bool {
    Marker::of(line)
        .is_some_and(|marker| marker.opens() || matches!(marker, Marker::Divider | Marker::Replace))
}

fn is_hint(line: &str) -> bool {
    trim(line).starts_with(":start_line:") || trim(line).starts_with(":end_line:")
}

/// Why there are no hunks.
fn why_not(reason: Reason, texts: &Texts<'_>) -> Reason {
    let line = texts.before.iter().chain(&texts.after).find(|line| collides(line) || is_hint(line));
    let line = line.filter(|_| reason == Reason::NoPlace);
    line.map_or(reason, |line| Reason::Marker((*line).to_owned()))
}
