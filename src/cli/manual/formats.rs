//! What the page says of each format, with an example that a test reads and applies.

use super::Piece::{self, Item, Text};
use crate::edit::FormatId;

/// What the page says of a format.
#[derive(Debug, Clone, Copy)]
pub struct Chapter {
    /// What it is called.
    pub title: &'static str,
    /// How it is written.
    pub pieces: &'static [Piece],
    /// A whole response.
    pub example: &'static str,
}

/// The chapter of a format. The page has those of the formats in the table.
pub fn chapter(format: FormatId) -> Chapter {
    match format {
        FormatId::Opx => OPX,
        FormatId::ApplyPatch => APPLY_PATCH,
        FormatId::SearchReplace => SEARCH_REPLACE,
        FormatId::FileChanges => FILE_CHANGES,
        FormatId::Applydir => APPLYDIR,
        FormatId::Diff => DIFF,
        FormatId::EditCalls => EDIT_CALLS,
        FormatId::WholeFile => WHOLE_FILE,
        FormatId::Snippet => SNIPPET,
    }
}

const OPX: Chapter = Chapter {
    title: "OPX",
    pieces: &[
        Text(
            "Elements `<edit file=\"…\" op=\"…\">` … `</edit>`, each at the start of a line, optionally all within `<opx>` … \
             `</opx>`, whose attributes are ignored. Upper or lower case, the order of attributes and the kind of quotes do not matter; entities such as \
             `&lt;` are not decoded. Every edit may have a `<why>`, its reason in plain words. The operations:",
        ),
        Item("`op=\"new\"`", "Makes a file of the text in `<put>`."),
        Item(
            "`op=\"patch\"`",
            "Replaces the text in `<find>`, whole lines or a part of a line, by the text in `<put>`.",
        ),
        Item(
            "`op=\"replace\"`",
            "Gives a file that exists the text in `<put>`. Its line ends and mode stay.",
        ),
        Item("`op=\"remove\"`", "Removes a file."),
        Item("`op=\"move\"`", "Moves a file to where `<to file=\"…\" />` says."),
        Text(
            "The text of `<find>` and `<put>` are the lines between a line `<<<` and a line `>>>`, with nothing trimmed, so \
             that indentation counts, and with nothing to be escaped. No lines between them is an empty text; an empty \
             `<put>` removes what was found. An edit has each of its parts once.",
        ),
        Text(
            "`<find occurrence=\"first\">` (`last`, or a number from 1) says which of several places is meant. \
             `<put marker=\"@@@\">` makes lines `@@@` the markers at both ends, for a text that holds OPX itself. \
             `root=\"…\"` in `<edit>` is the repository's name, or a folder at its top to which paths are then relative.",
        ),
    ],
    example: "\
<edit file=\"src/shelf.py\" op=\"patch\">
<why>Sort the shelf by title. Readers look there first.</why>
<find>
<<<
    return books
>>>
</find>
<put>
<<<
    return sorted(books)
>>>
</put>
</edit>
<edit file=\"docs/shelf.md\" op=\"new\">
<put>
<<<
The shelf is sorted by title.
>>>
</put>
</edit>
<edit file=\"TODO\" op=\"remove\" />
<edit file=\"notes.txt\" op=\"move\"><to file=\"docs/notes.txt\" /></edit>
",
};

const APPLY_PATCH: Chapter = Chapter {
    title: "OpenCode and Codex patches",
    pieces: &[
        Text("From a line `*** Begin Patch` to a line `*** End Patch`, in sections that begin with:"),
        Item("`*** Add File: <path>`", "Makes a file of the lines below, each of which starts with `+`."),
        Item("`*** Delete File: <path>`", "Removes a file."),
        Item(
            "`*** Update File: <path>`",
            "Changes a file by the chunks below. `*** Move to: <path>` as the next line also moves it.",
        ),
        Text(
            "A chunk is lines that start with a blank (kept), `-` (removed) or `+` (added), after a line `@@`, or `@@ <text>` \
             (also `@@ <text> @@`) with a line of the file after which the chunk stands; several such lines narrow it down. \
             Chunks stand in the order of the file; one that matches nowhere behind the chunk before it, and once in the \
             file, is taken there. A chunk of kept lines only says where the search goes on. `*** End of File` ties a \
             chunk to the end. All chunks of a section apply, or none.",
        ),
    ],
    example: "\
*** Begin Patch
*** Update File: src/shelf.py
@@ def shelf(books):
-    return books
+    return sorted(books)
*** Add File: docs/shelf.md
+The shelf is sorted by title.
*** Delete File: TODO
*** End Patch
",
};

const SEARCH_REPLACE: Chapter = Chapter {
    title: "SEARCH/REPLACE blocks",
    pieces: &[
        Text(
            "A heading `### File: <path>` and below it blocks of a line `<<<<<<< SEARCH`, the search text, `=======`, the text \
             to put, and `>>>>>>> REPLACE`. Which file a block belongs to is told above. The prose between heading and block is \
             the reason.",
        ),
        Text(
            "An empty REPLACE removes the lines. A new file is between `<<<<<<< NEW_FILE` and `>>>>>>> NEW_FILE`, or a block \
             with an empty SEARCH. Five to nine characters of a marker will do; where `=======` and the end are as long as the \
             beginning, lines of another length between are text, so that a block can hold blocks. `------- SEARCH` and \
             `+++++++ REPLACE`, and `<<<<<<< ORIGINAL` and `>>>>>>> UPDATED`, are taken too. A second `=======` right before \
             the end, or in its place before the fence's end, divides nothing.",
        ),
    ],
    example: "\
### File: src/shelf.py

Sort the shelf by title.

<<<<<<< SEARCH
    return books
=======
    return sorted(books)
>>>>>>> REPLACE

### File: docs/shelf.md

<<<<<<< NEW_FILE
The shelf is sorted by title.
>>>>>>> NEW_FILE
",
};

const FILE_CHANGES: Chapter = Chapter {
    title: "udiffx",
    pieces: &[
        Text("`<FILE_CHANGES>` … `</FILE_CHANGES>` with any number of:"),
        Item(
            "`FILE_NEW`, `FILE_PATCH`, `FILE_APPEND`",
            "With `file_path=\"…\"`: make a file or overwrite one, patch one by the hunks of a unified diff, add lines at the \
             end of one. Contents need no escaping. A code fence around them is none of the file; around a Markdown file \
             it has to say `markdown` or `md`.",
        ),
        Item(
            "`FILE_RENAME`, `FILE_COPY`",
            "With `from_path=\"…\"` and `to_path=\"…\"`. A directory is moved with all that is in it.",
        ),
        Item(
            "`FILE_DELETE`",
            "With `file_path=\"…\"`: remove a file, or a directory with all that is in it.",
        ),
        Text(
            "The numbers of hunks may be wrong or missing. All hunks of a patch apply, or none. A `why=\"…\"` attribute or \
             a `<why>` child is the reason. The newer directives in brackets, such as `[[[FILE_PATCH file_path=\"…\"]]]`, each \
             alone on its line, are taken too.",
        ),
    ],
    example: "\
<FILE_CHANGES>
<FILE_PATCH file_path=\"src/shelf.py\" why=\"Sort the shelf by title.\">
@@
 def shelf(books):
-    return books
+    return sorted(books)
</FILE_PATCH>
<FILE_NEW file_path=\"docs/shelf.md\">
The shelf is sorted by title.
</FILE_NEW>
<FILE_DELETE file_path=\"TODO\" />
</FILE_CHANGES>
",
};

const APPLYDIR: Chapter = Chapter {
    title: "applydir",
    pieces: &[
        Text(
            "A JSON array of objects, or an object whose `file_entries` is one and whose `message` goes into the commit messages. \
             Comments and trailing commas are tolerated. Each object has a `file`, an `action` and, but for `delete_file`, \
             `changes` with `original_lines` and `changed_lines`; a `why` is the reason. Other keys that \
             say what is done, or where, are refused. The actions:",
        ),
        Item("`replace_lines`", "Replaces the original lines by the changed ones; the default."),
        Item(
            "`create_file`",
            "Makes a file of the changed lines of its one change, whose original lines are empty.",
        ),
        Item("`delete_file`", "Removes a file."),
    ],
    example: "\
[
  {
    \"file\": \"src/shelf.py\",
    \"action\": \"replace_lines\",
    \"changes\": [
      {
        \"original_lines\": [\"    return books\"],
        \"changed_lines\": [\"    return sorted(books)\"]
      }
    ]
  },
  { \"file\": \"TODO\", \"action\": \"delete_file\" }
]
",
};

const DIFF: Chapter = Chapter {
    title: "unified diffs",
    pieces: &[
        Text(
            "What `git diff`, `git format-patch` and `diff -u` write, and what models write like it, in a code fence (`diff` or \
             `patch`) or bare. Which file a fence without names belongs to is told above. Each file's part is an edit; a mail of `git format-patch` is one commit, with its subject and text as the reason. Its body may be encoded as \
             base64 or quoted-printable, or have parts, as with an attached patch. Of a header is obeyed:",
        ),
        Item(
            "`---`, `+++`",
            "The file; `a/` and `b/` before it go. `/dev/null` on one side makes the file or removes it. A file is removed \
             only if the diff has all of its lines, or none.",
        ),
        Item(
            "`rename from`, `rename to`, `copy from`, `copy to`",
            "Moves or copies a file, then changes it.",
        ),
        Item(
            "`new file mode`, `old mode`, `new mode`",
            "Makes a file executable (`100755`) or not (`100644`). Links and submodules are refused.",
        ),
        Item(
            "`index`",
            "Names the blob that the diff was made on. If the file has other lines by now, and the repository has that blob, \
             the change is merged.",
        ),
        Text(
            "The numbers of hunks may be wrong or missing (`@@ ... @@`): they tell equal places apart. All hunks of a file \
             apply, or none. Binary patches and combined diffs are refused, and so is a hunk at the end of the response that is \
             shorter than its numbers say.",
        ),
    ],
    example: "\
```diff
--- a/src/shelf.py
+++ b/src/shelf.py
@@ -1,2 +1,2 @@
 def shelf(books):
-    return books
+    return sorted(books)
--- /dev/null
+++ b/docs/shelf.md
@@ -0,0 +1 @@
+The shelf is sorted by title.
```
",
};

const EDIT_CALLS: Chapter = Chapter {
    title: "tool calls",
    pieces: &[
        Text(
            "Edits as agents' tools take them: JSON objects alone, in an array, one a line, or as the calls of a recorded \
             conversation, whose `input` is an object and whose `arguments` may be a string. The file is `file_path` or \
             `path`; a `why` is the reason.",
        ),
        Item(
            "`old_string`, `new_string`",
            "Replaces the one text by the other; `old_str` and `new_str`, `oldText` and `newText`, or `search` and \
             `replace` are the same. An empty old text makes a file that is not there. With `replace_all` the text is \
             replaced wherever it stands. Several pairs stand in `edits`.",
        ),
        Item("`content`", "Writes the file, over another content too."),
        Item(
            "`command`",
            "`str_replace`; `create`, with `file_text`; `insert`, which puts `insert_text` behind the line `insert_line`. \
             `view` is no edit.",
        ),
        Text(
            "A call that carries a patch (of the tool `apply_patch`, or as `patchText`) is read as that. Calls of other tools \
             are no edits, and calls whose result is an error are left out, which is said. `path` and `content` alone \
             count only in a call of a tool that writes, or with `--format=edit-calls`. An object that names a file and a \
             change and is none of these is an error beside edits. An old text may begin and end inside lines if it stands in one place. One that ends with a line \
             break, and a new one that does not, are refused: they would join two lines.",
        ),
        Text(
            "Some agents write such calls as elements, with a tag for each field: `<write_to_file>` with `<path>` and \
             `<content>`, `<replace_in_file>` or `<apply_diff>` with `<path>` and SEARCH/REPLACE blocks in `<diff>`, \
             `<str_replace>` with `<path>`, `<old_str>` and `<new_str>`, or `<invoke name=\"Edit\">` with \
             `<parameter name=\"file_path\">` and its like.",
        ),
    ],
    example: "\
[
  {
    \"file_path\": \"src/shelf.py\",
    \"old_string\": \"    return books\",
    \"new_string\": \"    return sorted(books)\",
    \"why\": \"Sort the shelf by title.\"
  },
  { \"file_path\": \"CHANGES\", \"content\": \"The shelf is sorted.\\n\" }
]
",
};

const WHOLE_FILE: Chapter = Chapter {
    title: "whole files",
    pieces: &[Text(
        "A code block with a file of its own, as told above, and all of the file in it. Any snippet looks like that, so files that \
         are there are written over only with `--format=whole-file` or `llmapply.format`; other formats are read beside it. A \
         file that would lose more than half of its lines, or a definition that it has where the language is known as told below, is \
         refused (`--allow-shrink`). One with fences of its own needs a \
         longer one around it.",
    )],
    example: "\
src/shelf.py

```python
def shelf(books):
    return sorted(books)
```

`notes.txt`:

```
Sorted by title.
```
",
};

const SNIPPET: Chapter = Chapter {
    title: "snippets",
    pieces: &[
        Text(
            "A code block with a file of its own, as told above, and in it definitions of that file: functions, methods in their \
             class, classes, types, constants, imports. Each becomes the one of the same kind and name, which the file must have \
             once; what is not shown stays. Any code block looks like that, so it is read only with `--format=snippet` or \
             `llmapply.format`; other formats are read beside it. A file that is not there is made, as told above.",
        ),
        Text(
            "Python, Rust, JavaScript, TypeScript and TSX, Go, Java, C and JSON are known, if the command is built with the feature \
             `syntax`. File, code block and result have to parse without error.",
        ),
        Text(
            "A comment by itself that says that code is left out, such as `# ... existing code ...`, stands for members of a class, \
             definitions of the file, or statements of a function. The statements next to it have to be in the function once, \
             unchanged. A class without such a comment has to show all of its members.",
        ),
        Text(
            "A new definition goes behind the one that stands before it in the code block, else before the one behind it, else to the \
             end if such a comment stands before it. Imports are added beside their like.",
        ),
        Text(
            "What is not clear is refused (`snippet-unclear`): a name that the file has twice, a statement that it does not have, a \
             decorator, `export`, docstring or comment above a definition that the code block lacks, a definition that may be one of \
             the file under another name. So is what would lose a member, a comment or lines (`snippet-loses`; `--allow-shrink` lets \
             it go).",
        ),
        Text(
            "Of two code blocks for one file in a row, where the file has the lines of the first once and those of the second not, the \
             second takes the place of the first.",
        ),
    ],
    example: "\
src/shelf.py

```python
def shelf(books):
    return sorted(books, key=title)
```

And in `src/shelf.py`, behind it:

```python
# ... existing code ...

def title(book):
    return book.title
```
",
};
