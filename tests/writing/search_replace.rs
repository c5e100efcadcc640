//! Changes written as blocks.

use super::fence::guarded;
use super::hunks::Fit;
use super::{Action, Reason, Rendered, Texts, Unrepresentable, ended, write};
use git_llm_apply::format::{Reading, parse};
use git_llm_apply::response::Response;

/// A heading for each file and under it a block for each place that changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, action| match action {
        Action::Create(text) => {
            let ends = |line: &&str| is_marker(line) && line.contains("NEW_FILE");
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
        let text = format!("{heading}\n<<<<<<< NEW_FILE\n>>>>>>> NEW_FILE\n").into_bytes();
        Response::new(0, "", text, u64::MAX).is_ok_and(|response| {
            let script = parse(&response, &Reading::default());
            script.edits.first().is_some_and(|edit| edit.path.raw == change.path)
        })
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
    is_marker(line) && !line.contains(">> NEW_FILE")
}

/// Whether a line is a marker of a block, or may be taken for one.
fn is_marker(line: &str) -> bool {
    let text = line.trim();
    let Some(mark) = text.chars().next().filter(|mark| "<>-+=".contains(*mark)) else { return false };
    let word = text.trim_start_matches(mark);
    let word = word.trim();
    let length = text.chars().take_while(|c| *c == mark).count();
    length >= 3
        && match mark {
            '=' => word.is_empty(),
            '<' | '>' => true,
            _ => ["SEARCH", "REPLACE"].iter().any(|known| word.starts_with(known)),
        }
}

fn is_hint(line: &str) -> bool {
    line.trim().starts_with(":start_line:") || line.trim().starts_with(":end_line:")
}

/// Why there are no hunks.
fn why_not(reason: Reason, texts: &Texts<'_>) -> Reason {
    let line = texts.before.iter().chain(&texts.after).find(|line| collides(line) || is_hint(line));
    let line = line.filter(|_| reason == Reason::NoPlace);
    line.map_or(reason, |line| Reason::Marker((*line).to_owned()))
}
