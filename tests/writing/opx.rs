//! Changes written as OPX.

use super::{Action, Rendered, Texts, Unrepresentable, ended, write};
use git_llm_apply::format::opx::{edit, payloads};

/// One `<edit>` for each place that changes.
pub(crate) fn render(changes: &[Rendered<'_>]) -> Result<String, Unrepresentable> {
    write(changes, ["", ""], |change, action| {
        let file = change.quoted(change.path)?;
        Ok(match action {
            Action::Create(text) => {
                let parts = payloads(change.path, ["put"], [change.ended_text(text)?.to_owned()]);
                edit(&file, "new", &(why(change) + &parts))
            }
            Action::Delete => edit(&file, "remove", &why(change)),
            Action::Modify(texts) => modify(change, &file, &texts)?,
            Action::Rename(from, texts) => {
                let to = format!("{}<to file={file}/>\n", why(change));
                edit(&change.quoted(from)?, "move", &to) + &modify(change, &file, &texts)?
            }
        })
    })
}

fn modify(change: &Rendered<'_>, file: &str, texts: &Texts<'_>) -> Result<String, Unrepresentable> {
    let whole = |op: &str, parts: String| edit(file, op, &(why(change) + &parts));
    Ok(match change.hunks_unless_whole(texts)? {
        Some(hunks) => {
            let parts = |hunk| payloads(change.path, ["find", "put"], texts.of(hunk).map(ended));
            hunks.iter().map(|hunk| whole("patch", parts(hunk))).collect()
        }
        None => whole("replace", payloads(change.path, ["put"], [ended(&texts.after)])),
    })
}

/// The reason as an element; nothing if there is none, or none that can be written.
fn why(change: &Rendered<'_>) -> String {
    let why = change.why_line().filter(|why| !why.contains('<'));
    why.map_or_else(String::new, |why| format!("<why>{why}</why>\n"))
}
