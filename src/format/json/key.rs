//! The names that members of calls go by.

/// The file.
pub(in crate::format) const PATH: &[&str] = &[
    "file_path",
    "filePath",
    "path",
    "file",
    "filename",
    "file_name",
    "fileName",
    "filepath",
    "target_file",
    "targetFile",
    "relative_path",
    "uri",
];
/// The text to find. One of these alone shows that an object is a call.
pub(in crate::format) const OLD: &[&str] =
    &["old_string", "oldString", "old_str", "old_text", "oldText", "search", "find"];
/// The text to put there. Likewise.
pub(in crate::format) const NEW: &[&str] = &[
    "new_string",
    "newString",
    "new_str",
    "new_text",
    "newText",
    "replace",
    "replace_with",
    "replaceWith",
    "replacement",
];
/// Of the texts, those that other objects have, too: they count as a pair.
const COMMON: &[&str] = &["search", "find", "replace", "replace_with", "replaceWith", "replacement"];
/// Whether all places are meant.
pub(in crate::format) const ALL: &[&str] = &["replace_all", "replaceAll"];
/// All of a file's text.
pub(in crate::format) const TEXT: &[&str] = &["content", "file_text"];
/// What a file's text is called by tools that are not read.
const CONTENTS: &[&str] = &["contents", "new_content", "newContent", "code_edit", "text", "code"];
/// What is to be done.
pub(in crate::format) const COMMAND: &[&str] =
    &["command", "action", "operation", "op", "type", "change_type", "tool"];
/// What else says that something is to be changed.
const CHANGES: &[&str] = &[
    "after",
    "before",
    "changes",
    "diff",
    "edits",
    "hunks",
    "insert_line",
    "insert_text",
    "modified",
    "new_code",
    "newCode",
    "new",
    "new_lines",
    "newLines",
    "old",
    "old_code",
    "oldCode",
    "old_lines",
    "oldLines",
    "original",
    "patch",
    "replacements",
    "updated",
    "updated_code",
];
/// What changes files.
const VERBS: &[&str] = &[
    "add",
    "append",
    "copy",
    "create",
    "delete",
    "edit",
    "insert",
    "modify",
    "move",
    "overwrite",
    "patch",
    "prepend",
    "remove",
    "rename",
    "replace",
    "rewrite",
    "str_replace",
    "update",
    "write",
];

/// Of these, what is more than one text for another.
const OTHER_VERBS: &[&str] =
    &["add", "append", "copy", "delete", "insert", "move", "prepend", "remove", "rename"];
/// Words in the name of a member that is a path.
const FILES: &[&str] = &["file", "filename", "name", "path"];
/// Words in the name of a member that tells of several places.
const PLACES: &[&str] = &["nth", "occurrence", "overwrite", "position", "replace"];

/// Whether one text alone shows that an object is a call.
pub(in crate::format) fn is_sure(key: &str) -> bool {
    (OLD.contains(&key) || NEW.contains(&key)) && !COMMON.contains(&key)
}

/// Whether a member of that name says that something is to be changed.
pub(in crate::format) fn is_of_change(key: &str) -> bool {
    [OLD, NEW, TEXT, CONTENTS, CHANGES].iter().any(|keys| keys.contains(&key))
}

/// Whether a member that is not known says by its name or value that more is to be done than one text put for another: an
/// operation, one of several places, another path. What tells about the edit (`id`, `description`) does not, nor does a value
/// that says no. `value`: as it is written.
pub(in crate::format) fn says_more(key: &str, value: &str) -> bool {
    does_more(key, value) || !is_no(value) && has(&words(key), PLACES)
}

/// Likewise, but no place.
pub(in crate::format) fn does_more(key: &str, value: &str) -> bool {
    if COMMAND.contains(&key) || key == "mode" {
        return begins_with_verb(value.trim_matches('"'), OTHER_VERBS);
    }
    let words = words(key);
    let is_path = || {
        let is_new = has(&words, &["new", "target", "to"]) && has(&words, FILES);
        value.starts_with('"') && (words == ["to"] || has(&words, &["dest", "destination"]) || is_new)
    };
    !is_no(value) && (has(&words, OTHER_VERBS) || is_path())
}

/// Whether a value says no. It is as it is written.
fn is_no(value: &str) -> bool {
    matches!(value, "null" | "false" | "\"\"" | "\"false\"" | "[]" | "{}")
}

/// Whether a name says that something is done with a file other than a change of its text.
pub(in crate::format) fn names_deed(name: &str) -> bool {
    has(&words(name), OTHER_VERBS)
}

/// Whether a member of that name has the file that something is done with: by its name, by its old one, or by the deed.
pub(in crate::format) fn names_file(key: &str) -> bool {
    let words = words(key);
    let is_old = words.len() == 1 || has(&words, FILES);
    PATH.contains(&key)
        || has(&words, OTHER_VERBS)
        || has(&words, &["from", "old", "source", "src"]) && is_old
}

fn has(words: &[String], known: &[&str]) -> bool {
    words.iter().any(|word| known.contains(&word.as_str()))
}

/// The words of a name such as `rename_to` or `renameTo`.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in key.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        words
            .last_mut()
            .into_iter()
            .for_each(|word| word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric())));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word such as `delete_file` says that a file is changed.
pub(in crate::format) fn is_verb(word: &str) -> bool {
    begins_with_verb(word, VERBS)
}

fn begins_with_verb(word: &str, verbs: &[&str]) -> bool {
    verbs.iter().any(|verb| {
        let rest = word.get(..verb.len()).filter(|start| start.eq_ignore_ascii_case(verb));
        rest.is_some() && !word[verb.len()..].starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_more_of_an_edit_is_told_from_what_tells_about_it() {
        for (key, value) in [
            ("rename_to", "\"b\""),
            ("moveTo", "\"b\""),
            ("new_path", "\"b\""),
            ("to", "\"b\""),
            ("delete", "true"),
            ("occurrence", "2"),
            ("insert_after", "\"x\""),
            ("action", "\"delete_lines\""),
            ("type", "\"insert\""),
            ("mode", "\"append\""),
            ("replace_all", "true"),
        ] {
            assert!(says_more(key, value), "{key}: {value}");
        }
        for (key, value) in [
            ("replace_all", "false"),
            ("delete", "null"),
            ("rename_to", "\"\""),
            ("id", "7"),
            ("edit_id", "7"),
            ("description", "\"delete it\""),
            ("type", "\"edit\""),
            ("action", "\"replace_lines\""),
            ("mode", "\"overwrite\""),
            ("lines", "\"1-1\""),
            ("start_line", "1"),
            ("new_file", "true"),
            ("lines_added", "3"),
            ("expected_replacements", "1"),
        ] {
            assert!(!says_more(key, value), "{key}: {value}");
        }
    }
}
