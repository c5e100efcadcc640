//! Responses as models write them, and extreme ones, in every format.

use crate::writing as render;
use git_llm_apply::format::FormatId;
use std::fmt::Write;

/// A kind of response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Two changes with context and a new file of fifty lines, then a paragraph, again and again.
    Ordinary,
    /// New files of lines of a few bytes, such as closing brackets.
    ShortLines,
    /// Changes of one line each with a line of context on both sides: some 200 bytes each.
    SmallEdits,
    /// Changes all over one large file: hundreds of hunks in one edit, if the format allows that.
    ManyPlaces,
    /// New files of about ten thousand bytes each: five thousand edits in 50 MB.
    Large,
    /// One new file that is all of the response.
    OneFile,
    /// Explanation, and an edit now and then.
    Prose,
    /// As ordinary, with CRLF line ends.
    Crlf,
}

impl Kind {
    pub(crate) const ALL: [(Kind, &'static str); 8] = [
        (Kind::Ordinary, "ordinary"),
        (Kind::ShortLines, "short-lines"),
        (Kind::SmallEdits, "small-edits"),
        (Kind::ManyPlaces, "many-places"),
        (Kind::Large, "large"),
        (Kind::OneFile, "one-file"),
        (Kind::Prose, "prose"),
        (Kind::Crlf, "crlf"),
    ];

    /// How many megabytes to make. There are fewer of small edits, because the number of edits in a response is
    /// limited.
    pub(crate) fn megabytes(self, asked: usize) -> usize {
        if self == Kind::SmallEdits { asked.min(12) } else { asked }
    }
}

/// A response of that kind, of about `wanted` bytes.
pub(crate) fn response(format: FormatId, kind: Kind, wanted: usize) -> String {
    match kind {
        Kind::Ordinary => repeated(format, &ordinary(), PARAGRAPH, wanted),
        Kind::Crlf => repeated(format, &ordinary(), PARAGRAPH, wanted).replace('\n', "\r\n"),
        Kind::Prose => repeated(format, &ordinary()[..1], &PARAGRAPH.repeat(200), wanted),
        Kind::ShortLines => {
            let text = "fn f(\n  a: B,\n) {\n  if c {\n    d();\n  }\n}\n\n".repeat(50);
            repeated(
                format,
                &[File { path: "src/a.rs".into(), before: None, after: text }],
                "Next:\n\n",
                wanted,
            )
        }
        Kind::SmallEdits => {
            let line = |n: usize| format!("    let value_{n} = other({n});\n");
            let before: String = (0..3).map(line).collect();
            let after = before.replace("value_1 = other", "value_1 = another");
            let files: Vec<_> = (0..50)
                .map(|n| File {
                    path: format!("src/file_{n}.rs"),
                    before: Some(before.clone()),
                    after: after.clone(),
                })
                .collect();
            repeated(format, &files, "\n", wanted)
        }
        Kind::ManyPlaces => {
            let line = |n: usize| format!("    let value_{n} = compute({n}, &context)?;\n");
            let before: String = (0..4000).map(line).collect();
            let after: String = (0..4000)
                .map(|n| if n % 10 == 5 { line(n).replace("compute", "find") } else { line(n) })
                .collect();
            repeated(
                format,
                &[File { path: "src/a.rs".into(), before: Some(before), after }],
                PARAGRAPH,
                wanted,
            )
        }
        Kind::Large => {
            let files: Vec<_> = (0..100)
                .map(|n| File {
                    path: format!("src/file_{n}.rs"),
                    before: None,
                    after: format!("    let value = compute(\"{n}\", &context)?; // what it comes to\n")
                        .repeat(160),
                })
                .collect();
            repeated(format, &files, PARAGRAPH, wanted)
        }
        Kind::OneFile => {
            let line = "    let value = compute(\"text\", &context)?; // what it comes to\n";
            let after = line.repeat(wanted / line.len());
            repeated(format, &[File { path: "src/a.rs".into(), before: None, after }], "", 1)
        }
    }
}

const PARAGRAPH: &str = "Next I would change this, for the reasons that you gave: it is computed twice, and the \
second time\nwith other arguments. Nothing else uses it.\n\n";

/// A file before and after.
struct File {
    path: String,
    before: Option<String>,
    after: String,
}

/// A file of ordinary code that changes in two places, and a new one.
fn ordinary() -> [File; 2] {
    let mut before = String::new();
    for n in 0..400 {
        let _ = writeln!(before, "    let value_{n} = compute(\"{n}\", &context)?; // what it comes to");
        if n % 9 == 0 {
            before.push('\n');
        }
    }
    let after =
        before.replace("value_100 = compute", "value_100 = recompute").replace("value_300", "total_300");
    let new = before[..before.len() / 8].to_owned() + "\n";
    let modified = File { path: "src/deep/inside/module.rs".into(), before: Some(before), after };
    [modified, File { path: "src/deep/inside/new.rs".into(), before: None, after: new }]
}

/// Repeats the prose and the rendered changes until the text has `wanted` bytes.
fn repeated(format: FormatId, files: &[File], prose: &str, wanted: usize) -> String {
    let changes: Vec<_> = files
        .iter()
        .map(|file| render::Rendered {
            path: &file.path,
            before: file.before.as_deref().map(str::as_bytes),
            after: Some(file.after.as_bytes()),
            renamed_from: None,
            why: Some("Compute it anew"),
        })
        .collect();
    let one = render::render(format, &changes).unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2)
    });
    let mut text = String::with_capacity(wanted + one.len() + prose.len());
    if format == FormatId::Applydir && prose.len() < 1000 {
        // All entries are in one array, because a model writes the object only once.
        let entries = entries(&one);
        text.push_str("Here it is.\n\n{\"message\": \"m\", \"file_entries\": [\n");
        let mut lead = "";
        loop {
            for entry in &entries {
                text.push_str(lead);
                text.push_str(entry);
                lead = ",\n";
            }
            if text.len() >= wanted {
                break;
            }
        }
        text.push_str("]}\n");
        return text;
    }
    while text.len() < wanted {
        text.push_str(prose);
        text.push_str(&one);
        text.push('\n');
    }
    text
}

/// The entries of a rendered applydir object, as JSON.
fn entries(text: &str) -> Vec<String> {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let entry = |entry: &serde_json::Value| serde_json::to_string_pretty(entry).unwrap_or_default();
    value["file_entries"].as_array().into_iter().flatten().map(entry).collect()
}
