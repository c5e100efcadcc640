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
    &["command", "action", "operation", "op", "type", "change_type"];
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

/// Whether one text alone shows that an object is a call.
pub(in crate::format) fn is_sure(key: &str) -> bool {
    (OLD.contains(&key) || NEW.contains(&key)) && !COMMON.contains(&key)
}

/// Whether a member of that name says that something is to be changed.
pub(in crate::format) fn is_of_change(key: &str) -> bool {
    [OLD, NEW, TEXT, CONTENTS, CHANGES].iter().any(|keys| keys.contains(&key))
}

/// Whether a word such as `delete_file` says that a file is changed.
pub(in crate::format) fn is_verb(word: &str) -> bool {
    VERBS.iter().any(|verb| {
        let rest = word.get(..verb.len()).filter(|start| start.eq_ignore_ascii_case(verb));
        rest.is_some() && !word[verb.len()..].starts_with(|c: char| c.is_ascii_lowercase())
    })
}
