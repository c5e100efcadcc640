//! Templates for the names of suggestions' branches.

use crate::edit::Script;
use crate::message::Message;
use crate::plan::Verb;
use crate::response::Response;

/// The longest slug or stem, in characters.
const MAX_LENGTH: usize = 40;

/// A branch name with fields in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(String);

/// The error for an unknown field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown field '{0}' in a branch name; use {{n}}, {{slug}}, {{id}} or {{stem}}")]
pub struct UnknownField(pub String);

impl Template {
    /// Whether a name is a template: it has braces.
    pub fn is_one(name: &str) -> bool {
        name.contains(['{', '}'])
    }

    /// Parses a template.
    ///
    /// # Errors
    /// [`UnknownField`] if a field is unknown.
    pub fn parse(text: &str) -> Result<Self, UnknownField> {
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let field = &rest[at..];
            let end = field.find('}').filter(|_| field.starts_with('{')).map_or(field.len(), |end| end + 1);
            let (field, after) = field.split_at(end);
            if !["{n}", "{slug}", "{id}", "{stem}"].contains(&field) {
                return Err(UnknownField(field.to_owned()));
            }
            rest = after;
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the name of a suggestion's branch. `number` counts from 1, `slug` is the change in a few words, `id`
    /// the abbreviated blob id of the response, and `stem` the response's file name without its extension. The values
    /// must have no braces.
    pub fn name(&self, number: usize, slug: &str, id: &str, stem: &str) -> String {
        let name = self.0.replace("{n}", &number.to_string()).replace("{slug}", slug);
        name.replace("{id}", id).replace("{stem}", stem)
    }
}

/// Returns the slug of a script, or of one of its edits. It is made from the subject of the response's message or of
/// the first edit's reason or, if there is neither, from the first operation and path. It has only letters, digits,
/// underscores and hyphens, even for a hostile response.
pub(super) fn slug(script: &Script, response: &Response, only: Option<usize>) -> String {
    let numbers = only.map_or(0..script.edits.len(), |at| at..at + 1);
    let mut edits = numbers.filter(|at| !script.is_left_out(*at)).filter_map(|at| script.edits.get(at));
    let reasons = edits.clone().filter_map(|edit| edit.why.as_deref());
    let mut reasons = script.message.as_deref().into_iter().filter(|_| only.is_none()).chain(reasons);
    let subject = reasons.find_map(|why| Some(Message::from_why(why)?.subject()));
    let first =
        || edits.next().map(|edit| format!("{} {}", Verb::of(&edit.op, None).as_str(), edit.path.shown()));
    let words = words(&subject.or_else(first).unwrap_or_default());
    if words.is_empty() { stem(response) } else { words }
}

/// Returns the file name of a response without its extension.
pub(super) fn stem(response: &Response) -> String {
    let name = response.file_name();
    let words = words(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    if words.is_empty() { "response".to_owned() } else { words }
}

/// Joins as many words of a text by hyphens as fit.
fn words(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()) {
        let begun = out.chars().count() + usize::from(!out.is_empty());
        if begun >= MAX_LENGTH || begun > 0 && begun + word.chars().count() > MAX_LENGTH {
            break;
        }
        let hyphen = if out.is_empty() { "" } else { "-" };
        out.push_str(hyphen);
        out.extend(word.chars().take(MAX_LENGTH - begun).flat_map(char::to_lowercase));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_and_others_refused() {
        let name =
            |text: &str| Template::parse(text).map(|template| template.name(3, "do-it", "0123abcd", "a"));
        assert_eq!(name("try/{n}-{slug}"), Ok("try/3-do-it".to_owned()));
        assert_eq!(name("{stem}{id}x"), Ok("a0123abcdx".to_owned()));
        assert_eq!(name("plain"), Ok("plain".to_owned()));
        for (text, bad) in [("a{m}", "{m}"), ("a{n", "{n"), ("a}b", "}b"), ("{}", "{}"), ("{{n}}", "{{n}")] {
            assert_eq!(name(text), Err(UnknownField(bad.to_owned())), "{text}");
        }
    }

    #[test]
    fn words_are_plain_and_short() {
        assert_eq!(words("Fix the loop, once & for all"), "fix-the-loop-once-for-all");
        assert_eq!(words("../../heads/main.lock\u{202e}@{-1}"), "heads-main-lock-1");
        assert_eq!(words("Größe ändern, 日本語"), "größe-ändern-日本語");
        let long = words(&"word ".repeat(100));
        assert!(long.chars().count() <= MAX_LENGTH && !long.ends_with('-'), "{long}");
        assert_eq!(words(&"w".repeat(100)).len(), MAX_LENGTH);
    }
}
