//! Writes edits that are given as arguments as a response in the format `edit-calls`, so that they are read, refused,
//! corrected and recorded like any response.

use serde::Deserialize;
use serde_json::json;

/// An edit as the client gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    path: String,
    op: Op,
    old: Option<String>,
    new: Option<String>,
    #[serde(default)]
    all: bool,
    to: Option<String>,
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    Create,
    Edit,
    Delete,
    Move,
}

/// Writes the edits as one response.
pub(super) fn response(edits: &[Given]) -> Result<String, String> {
    let mut all = String::new();
    for (at, edit) in edits.iter().enumerate() {
        all += &edit.write().map_err(|e| format!("`edits[{at}]`: {e}"))?;
    }
    Ok(all)
}

impl Given {
    fn write(&self) -> Result<String, String> {
        // The format could read such a path as another path.
        for path in std::iter::once(&self.path).chain(&self.to) {
            if path.trim() != path || path.contains(|c: char| c == '\\' || c.is_control()) {
                return Err(format!(
                    "the path `{path}` begins or ends with a blank, or has a backslash or a control character"
                ));
            }
        }
        if self.op == Op::Edit && self.old.is_none() {
            return Err("`old` is missing; to add lines, give a line beside them in both texts".to_owned());
        }
        // For op `edit` an empty `old` means an empty file; for others it is the same as none.
        let old = self.old.as_ref().filter(|old| self.op == Op::Edit || !old.is_empty());
        let has = [old.is_some(), self.new.is_some(), self.to.is_some(), self.all];
        let (wanted, names) = match self.op {
            Op::Create => ([false, true, false, false], "path, new and why"),
            Op::Edit => ([true, true, false, self.all], "path, old, new, all and why"),
            Op::Delete => ([false; 4], "path and why"),
            Op::Move => ([false, false, true, false], "path, to and why"),
        };
        if has != wanted {
            let op = format!("{:?}", self.op).to_lowercase();
            return Err(format!("an edit with op `{op}` has {names}"));
        }
        let new = self.new.as_deref().unwrap_or_default();
        let call = match (self.op, &self.to) {
            (Op::Edit, _) => json!({
                "file_path": self.path,
                "old_string": self.old,
                "new_string": new,
                "replace_all": self.all,
                "why": self.why,
            }),
            (_, Some(to)) if *to == self.path => return Err("it changes nothing".to_owned()),
            (_, Some(to)) => self.patch("Update", &format!("*** Move to: {to}\n")),
            (Op::Delete, None) => self.patch("Delete", ""),
            (Op::Create | Op::Move, None) => {
                // As in every format, a new file gets the line endings that are usual at its path, not those of `new`.
                let new = new.replace("\r\n", "\n");
                if new.contains(['\0', '\r']) {
                    return Err("`new` is not text".to_owned());
                }
                let lines: String = new.split_terminator('\n').map(|line| format!("+{line}\n")).collect();
                self.patch("Add", &lines)
            }
        };
        // `<` is escaped, so that a tag in a text is not read as a tag of the response.
        Ok(format!("{call}\n").replace('<', "\\u003c"))
    }

    /// A tool call of `apply_patch` with one section.
    fn patch(&self, section: &str, lines: &str) -> serde_json::Value {
        let patch = format!("*** Begin Patch\n*** {section} File: {}\n{lines}*** End Patch\n", self.path);
        json!({"name": "apply_patch", "input": {"patchText": patch, "why": self.why}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{FormatId, Op};
    use crate::format::{self, Reading};
    use crate::response::Response;
    use proptest::prelude::*;

    fn script(edits: &str) -> crate::edit::Script {
        let edits: Vec<Given> = serde_json::from_str(edits).unwrap();
        let text = response(&edits).unwrap();
        let reading = Reading::only(FormatId::EditCalls);
        format::parse(&Response::new(0, "a", text.into(), 1 << 20).unwrap(), &reading)
    }

    #[test]
    fn each_written_edit_can_be_read_with_its_reason() {
        let script = script(
            r#"[{"path": "a b.txt", "op": "create", "new": "<edit>\n>>>\n{\"file_path\": 1}\n", "why": "Use Vec<T>\n\n<to> it\n</why> ends"},
            {"path": "empty", "op": "create", "new": ""},
            {"path": "b", "op": "edit", "old": "x\n</why>\"", "new": "y", "all": true, "why": "So\n\nand </so>"},
            {"path": "c", "op": "delete", "why": "Gone"},
            {"path": "d", "op": "edit", "old": "e", "new": ""},
            {"path": "d", "op": "move", "to": "e/f", "why": "Move"}]"#,
        );
        assert!(script.diagnostics.is_empty(), "{:?}", script.diagnostics);
        assert_eq!(script.paths(), ["a b.txt", "empty", "b", "c", "d", "e/f"]);
        let whys: Vec<_> = script.edits.iter().map(|edit| edit.why.as_deref()).collect();
        assert_eq!(whys[0], Some("Use Vec<T>\n\n<to> it\n</why> ends"));
        assert_eq!(&whys[1..], [None, Some("So\n\nand </so>"), Some("Gone"), None, Some("Move")]);
    }

    /// Texts that have a meaning in one of the formats.
    const ODD: &[&str] = &[
        "x",
        " ",
        "\n",
        "\n\n",
        "<",
        ">",
        "</why>",
        "<why>",
        "</put>",
        "<put>",
        "<<<",
        ">>>",
        "@@@",
        "<edit file=\"a\" op=\"new\">",
        "</edit>",
        "<to file=\"b\"/>",
        "[/why]",
        "&lt;/why&gt;",
        "[edit]",
        "</think>",
        "<think>",
        "```",
        "~~~~",
        "    ",
        "- ",
        "{\"file_path\": \"a\", \"old_string\": \"b\", \"new_string\": \"c\"}",
        "\"",
        "\\",
        "*** Begin Patch",
        "<<<<<<< SEARCH",
        "--- a/x",
        "\r\n",
        "\t",
        "\u{feff}",
        "]]>",
        "<![CDATA[",
        "é",
        "&lt;",
        "&amp;",
        "</opx>",
        "diff --git a/x b/x",
    ];

    fn odd() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(ODD), 0..8).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn edits_with_any_text_can_be_read(new in odd(), why in odd(), old in odd(), removal in odd()) {
            let old = old + "old";
            let all = serde_json::json!([
                {"path": "a", "op": "create", "new": new, "why": why},
                {"path": "b", "op": "delete", "why": removal},
                {"path": "c", "op": "edit", "old": old, "new": new, "why": why},
                {"path": "d", "op": "move", "to": "e", "why": why},
            ]);
            let script = script(&all.to_string());
            prop_assert!(script.diagnostics.is_empty(), "{:?}", script.diagnostics);
            prop_assert_eq!(script.edits.len(), 4);
            let Op::Create { text, .. } = &script.edits[0].op else { panic!("{script:?}") };
            let new = new.replace("\r\n", "\n");
            let new = if new.is_empty() || new.ends_with('\n') { new } else { new + "\n" };
            prop_assert_eq!(&**text, &*new);
            let Op::Modify { hunks, .. } = &script.edits[2].op else { panic!("{script:?}") };
            prop_assert!(hunks.len() == 1);
        }
    }

    #[test]
    fn missing_and_surplus_arguments_are_named() {
        for (edit, said) in [
            (r#"{"path": "a", "op": "create"}"#, "path, new and why"),
            (r#"{"path": "a", "op": "edit", "new": "x"}"#, "`old` is missing"),
            (r#"{"path": "a", "op": "delete", "new": "x"}"#, "path and why"),
            (r#"{"path": "a", "op": "move"}"#, "path, to and why"),
        ] {
            let edit: Given = serde_json::from_str(edit).unwrap();
            assert!(response(&[edit]).unwrap_err().contains(said), "{said}");
        }
    }
}
