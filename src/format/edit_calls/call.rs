//! One call of a tool: which edit it is, if it is one.

use super::origin::Origin;
use super::texts::{Said, change};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Git, Hunk, Missing, Occurrence, Op, Script, Target, Unit};
use crate::format::json::key::{self, ALL, NEW, OLD, PATH, TEXT};
use crate::format::json::{Places, Shape, Text, Tree, text_of};
use crate::format::scan::Cursor;
use crate::format::shell::Writing;
use crate::format::{FormatId, apply_patch, read, search_replace, within};
use crate::response::{Passage, Response};
use crate::span::Span;

const INSERTED: &[&str] = &["insert_text", "new_str", "new_string", "newString"];
/// Where something is to be put: what is given is not the whole file then.
const WHERE: &[&str] = &["line", "line_number", "start_line", "end_line", "position", "mode"];
const WHY: &[&str] = &["why", "explanation", "instruction"];
const COMMAND: &[&str] = &["command", "cmd"];
const PATCH: &[&str] = &["patchText", "patch", "input", "diff", "content"];

/// Tools that edit files, without their case and what is no letter.
const EDITORS: &[&str] = &[
    "appendfile",
    "appendtofile",
    "applydiff",
    "copyfile",
    "create",
    "createfile",
    "createnewfile",
    "deletefile",
    "edit",
    "editfile",
    "insertcontent",
    "inserteditintofile",
    "inserttext",
    "modifyfile",
    "movefile",
    "multiedit",
    "notebookedit",
    "removefile",
    "renamefile",
    "replace",
    "replaceinfile",
    "rewritefile",
    "searchandreplace",
    "searchreplace",
    "strreplace",
    "strreplacebasededittool",
    "strreplaceeditor",
    "updatefile",
    "write",
    "writefile",
    "writetofile",
];

/// A name without its case and what is no letter, and without what stands before a dot.
fn plain(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a tool of that name edits files, whatever it is called with.
pub(in crate::format) fn is_editor(name: &str) -> bool {
    EDITORS.contains(&plain(name).as_str())
}

/// Whether a tool of that name takes a patch.
pub(super) fn is_patcher(name: &str) -> bool {
    matches!(plain(name).as_str(), "applypatch" | "patch")
}

/// Whether a tool of that name writes whole files.
fn is_writer(name: &str) -> bool {
    let name = plain(name);
    let has = |verbs: &[&str]| verbs.iter().any(|verb| name.contains(verb));
    let adds = has(&["append", "insert", "prepend", "delete", "remove", "move", "rename", "copy"]);
    !adds && (is_editor(&name) || has(&["write", "create", "save"]))
}

/// What is wrong with a call.
type Fault = Box<Diagnostic>;

/// Reads calls in some JSON.
pub(super) struct Call<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) origin: &'a Origin<'a>,
    pub(super) region: u32,
    /// The tool's name; none for an object that stands alone.
    pub(super) name: Option<&'a str>,
}

impl Call<'_, '_> {
    /// Takes the call that an object is, which is declared by what stands at `span`; says whether it is one. `asked`:
    /// `path` and `content` are enough.
    pub(super) fn read(&self, at: usize, span: Span, asked: bool, script: &mut Script) -> bool {
        if self.tree.shape(at) != Some(Shape::Object) {
            return false;
        }
        if let Some((text, places)) = self.patch(at) {
            self.read_patch(text, places, span, script);
            return true;
        }
        let before = (script.edits.len(), script.diagnostics.len());
        let path = self.tree.member(at, PATH);
        let lowered = match path.filter(|_| self.tree.member(at, &["diff"]).is_some() && self.is_editor()) {
            Some(path) => self.read_blocks(at, path, span, script),
            None => self.lower(at, asked).and_then(|op| match op {
                None => Ok(()),
                Some(op) => {
                    let path = self.path(at, path)?;
                    let why = self.why(at);
                    let format = FormatId::EditCalls;
                    script.edits.push(Edit {
                        span,
                        format,
                        region: self.region,
                        path,
                        op,
                        why,
                        git: Git::default(),
                    });
                    Ok(())
                }
            }),
        };
        if let Err(mut fault) = lowered {
            let path = path.and_then(|path| self.text(path, "path").ok());
            fault.path = fault.path.or(path.map(|path| path.text));
            script.diagnostics.push(*fault);
        }
        before != (script.edits.len(), script.diagnostics.len())
    }

    /// Whether an object that is no call reads like one: it names a file and says that something is to be changed in it, or has
    /// a shell write one. Of the files that it gives, if it gives some, one has to be there.
    pub(super) fn reads_like_edit(&self, at: usize) -> Option<Vec<String>> {
        if self.names_change(at) {
            return Some(Vec::new());
        }
        let mut there = self.done_with(at);
        for (text, _) in self.command(at) {
            for writing in text.lines().filter_map(Writing::of).filter(|writing| !writing.perhaps) {
                if writing.there.is_empty() {
                    return Some(Vec::new());
                }
                there.extend(writing.there);
            }
        }
        (!there.is_empty()).then_some(there)
    }

    /// The files that an object names and says to move, to remove or the like.
    fn done_with(&self, at: usize) -> Vec<String> {
        let tree = self.tree;
        let says = |child: usize| {
            let value = tree.written(child);
            key::does_more(tree.key(child), value) && (value == "true" || value.starts_with(['"', '[']))
        };
        // What another tool does with its input is its own.
        if !self.name.map_or_else(|| tree.children(at).any(says), key::names_deed) {
            return Vec::new();
        }
        let named = tree.children(at).filter(|&child| key::names_file(tree.key(child)));
        let all = named.flat_map(|child| std::iter::once(child).chain(tree.children(child)));
        all.filter_map(|file| self.text(file, "").ok()).map(|file| file.text).collect()
    }

    fn names_change(&self, at: usize) -> bool {
        let tree = self.tree;
        let Some(path) = tree.member(at, PATH).filter(|&path| self.is_string(path)) else { return false };
        if let Some(command) = tree.member(at, &["command"]) {
            return key::is_verb(tree.written(command).trim_matches('"'));
        }
        let changes = |child: usize| {
            key::is_of_change(tree.key(child)) && !matches!(tree.shape(child), None | Some(Shape::Word))
        };
        // JSON's own patches have such paths, and interfaces of servers do.
        let is_rooted = tree.written(path).starts_with("\"/");
        let says = |child: usize| {
            let word = tree.written(child).trim_matches('"');
            key::COMMAND.contains(&tree.key(child)) && key::is_verb(word) && !is_rooted
        };
        let by_name = self.name.is_some_and(|name| key::is_verb(name) && !name.contains("dir"));
        by_name || tree.children(at).any(|child| changes(child) || says(child))
    }

    fn is_editor(&self) -> bool {
        self.name.is_some_and(is_editor)
    }

    fn span(&self, at: usize) -> Span {
        let range = self.tree.range(at);
        self.origin.span(range.start, range.end)
    }

    fn fault(&self, code: Code, at: usize, message: impl Into<String>) -> Fault {
        Diagnostic::error(code, self.span(at), message).into()
    }

    fn is_string(&self, at: usize) -> bool {
        self.tree.shape(at) == Some(Shape::String)
    }

    fn text(&self, at: usize, key: &str) -> Result<Text, Fault> {
        let text =
            self.is_string(at).then(|| text_of(self.tree.written(at), self.tree.range(at).start)).flatten();
        text.ok_or_else(|| self.no_text(at, key))
    }

    /// The text of a member; none if it is absent.
    fn member(&self, at: usize, keys: &[&str]) -> Result<Option<Said<'_>>, Fault> {
        let Some(member) = self.tree.member(at, keys) else { return Ok(None) };
        let said = self.is_string(member).then(|| Said::of(self.tree, member)).flatten();
        said.map(Some).ok_or_else(|| self.no_text(member, self.tree.key(member)))
    }

    fn no_text(&self, at: usize, key: &str) -> Fault {
        let written = self.tree.written(at);
        // What else is wrong with a string in straight quotes is an escape.
        if written.starts_with('"') && written.contains('\\') && !written.contains(char::is_control) {
            let message = format!("{key:?} has an escape that JSON does not have");
            return self.fault(Code::Malformed, at, message).with_help("write a backslash as \\\\").into();
        }
        self.fault(Code::Malformed, at, format!("{key:?} is no text"))
    }

    fn path(&self, at: usize, path: Option<usize>) -> Result<Target, Fault> {
        let Some(path) = path else {
            let fault = self.fault(Code::Missing, at, "this edit names no file");
            return Err(fault.with_help("say which file it is for, as \"file_path\"").into());
        };
        let raw = self.text(path, self.tree.key(path))?.text;
        if raw.trim().is_empty() {
            return Err(self.fault(Code::Missing, path, format!("{:?} is empty", self.tree.key(path))));
        }
        let range = self.tree.range(path);
        Ok(Target { raw, root: None, span: self.origin.span(range.start + 1, range.end - 1) })
    }

    fn why(&self, at: usize) -> Option<String> {
        let why = self.text(self.tree.member(at, WHY)?, "").ok()?.text;
        Some(why.trim().to_owned()).filter(|why| !why.is_empty())
    }

    /// What the call does; none if it is no edit.
    fn lower(&self, at: usize, asked: bool) -> Result<Option<Op>, Fault> {
        let tree = self.tree;
        let has = |keys: &[&str]| tree.member(at, keys).is_some();
        let has_path = has(PATH);
        let command = tree.member(at, &["command"]).filter(|&command| self.is_string(command));
        let command = command.map_or("", |command| tree.written(command).trim_matches('"'));
        let is_text = |text: &usize| self.is_string(*text);
        let texts = [OLD, NEW].map(|keys| tree.member(at, keys).filter(is_text));
        let has_text = match texts {
            [Some(_), Some(_)] => {
                has_path || texts.into_iter().flatten().any(|text| key::is_sure(tree.key(text)))
            }
            [old, new] => old.or(new).is_some_and(|text| key::is_sure(tree.key(text))),
        };
        let edits = tree.member(at, &["edits"]).filter(|&edits| {
            let of_texts = |edit| tree.member(edit, OLD).or(tree.member(edit, NEW)).is_some();
            // Those that name a file each are calls of their own.
            let own = |edit| tree.member(edit, PATH).is_some();
            tree.shape(edits) == Some(Shape::Array)
                && tree.children(edits).any(of_texts)
                && (has_path || self.name.is_some() || !tree.children(edits).all(own))
        });
        let writes = match self.name {
            Some(name) => is_writer(name),
            None => asked || has(&["file_path", "filePath"]),
        };
        // Those that insert say where, and those that change say what.
        let other = |child| key::is_of_change(tree.key(child)) && !TEXT.contains(&tree.key(child));
        let writes = writes && !has(WHERE) && !tree.children(at).any(other);
        let is_dry = tree.member(at, &["dryRun", "dry_run"]).is_some_and(|dry| tree.written(dry) == "true");
        let op = match command {
            _ if is_dry => return Ok(None),
            "view" if has_path => return Ok(None),
            "str_replace" if has_path || self.is_editor() => self.replacement(at, true)?,
            "create" if has_path || self.is_editor() => self.creation(at)?,
            "insert" if has_path || self.is_editor() => self.insertion(at)?,
            "undo_edit" if has_path => {
                let fault =
                    self.fault(Code::Malformed, at, "an edit is taken back here, which cannot be done");
                return Err(fault.with_help("leave the edit out that it takes back").into());
            }
            _ if edits.is_some() => self.several(at, edits)?,
            _ if has_text => self.replacement(at, false)?,
            _ if has_path && has(TEXT) && writes => self.creation(at)?,
            _ if self.is_editor() && !has_path && (has(TEXT) || has(&["diff"])) => {
                self.path(at, None)?;
                return Ok(None);
            }
            _ if self.is_editor() => {
                let name = self.name.unwrap_or_default();
                let fault =
                    self.fault(Code::Malformed, at, format!("this call of {name} is none that is read"));
                let help = "give file_path with old_string and new_string, or with content for a whole file";
                return Err(fault.with_help(help).into());
            }
            _ => return Ok(None),
        };
        self.said_once(at)?;
        let whole =
            tree.member(at, TEXT).filter(|&whole| self.is_string(whole) && tree.written(whole) != "\"\"");
        let changes = texts[0].is_some() || edits.is_some();
        match whole.filter(|_| changes && !matches!(command, "create" | "insert")) {
            None => Ok(Some(op)),
            Some(whole) => {
                let message = format!("{:?} stands beside a change of parts", tree.key(whole));
                let fault = self.fault(Code::Malformed, whole, message);
                Err(fault.with_help("give the changes, or all of the file").into())
            }
        }
    }

    /// Nothing that counts may be said twice, and nothing more than can be done.
    fn said_once(&self, at: usize) -> Result<(), Fault> {
        let mut seen: Vec<&str> = Vec::new();
        for child in self.tree.children(at) {
            let key = self.tree.key(child);
            let counts = [PATH, OLD, NEW, ALL, TEXT, &["edits", "command", "insert_line", "insert_text"]];
            if !counts.iter().any(|keys| keys.contains(&key)) {
                if key::says_more(key, self.tree.written(child)) {
                    let fault =
                        self.fault(Code::Malformed, child, format!("the key {key:?} is unknown here"));
                    let help =
                        "give file_path with old_string and new_string, or with content for a whole file";
                    return Err(fault.with_help(help).into());
                }
                continue;
            }
            if seen.contains(&key) {
                return Err(self.fault(Code::Duplicate, child, format!("the call has {key:?} twice")));
            }
            seen.push(key);
        }
        Ok(())
    }

    /// One text for another. Where it is known that the call replaces, no new text is an empty one.
    fn replacement(&self, at: usize, known: bool) -> Result<Op, Fault> {
        let hunk = self.hunk(at, known)?;
        Ok(of_hunks(vec![hunk]))
    }

    fn several(&self, at: usize, edits: Option<usize>) -> Result<Op, Fault> {
        let mut hunks = Vec::new();
        for edit in edits.into_iter().flat_map(|edits| self.tree.children(edits)) {
            if self.tree.shape(edit) != Some(Shape::Object) {
                return Err(self.fault(Code::Malformed, edit, "this edit is not an object"));
            }
            if self.tree.member(edit, PATH).is_some() && self.tree.member(at, PATH).is_some() {
                return Err(self.fault(Code::Duplicate, edit, "this edit names a file of its own"));
            }
            self.said_once(edit)?;
            hunks.push(self.hunk(edit, false)?);
        }
        Ok(of_hunks(hunks))
    }

    fn hunk(&self, at: usize, known: bool) -> Result<Hunk, Fault> {
        let Some(old) = self.member(at, OLD)? else {
            let fault = self.fault(Code::Missing, at, "the call has no \"old_string\"");
            return Err(fault.with_help("give the text to find; an empty one makes a new file").into());
        };
        let new = self.member(at, NEW)?;
        if new.is_none() && !known {
            return Err(self.fault(Code::Missing, at, "the call has no \"new_string\""));
        }
        let all = self.flag(at)?;
        if all && old.is_empty() {
            return Err(self.fault(Code::Missing, at, "an empty text cannot be replaced everywhere"));
        }
        let change = change(old, new).map_err(|why| {
            let help = "end both with a line break, or neither; to join two lines, give both in the old text";
            Fault::from(self.fault(Code::Malformed, at, why).with_help(help))
        })?;
        let anchor = if all { Anchor::Occurrence(Occurrence::All) } else { Anchor::Unique };
        Ok(Hunk { span: self.span(at), change, anchor })
    }

    /// Whether all places are meant.
    fn flag(&self, at: usize) -> Result<bool, Fault> {
        let Some(flag) = self.tree.member(at, ALL) else { return Ok(false) };
        match self.tree.written(flag).trim_matches('"').to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.fault(Code::Malformed, flag, "\"replace_all\" is neither true nor false")),
        }
    }

    fn creation(&self, at: usize) -> Result<Op, Fault> {
        let text = self.member(at, &["file_text", "content"])?;
        let text =
            text.ok_or_else(|| self.fault(Code::Missing, at, "the file that is written has no \"content\""))?;
        Ok(Op::Create { text: text.lines(), existing: Existing::Overwrite })
    }

    fn insertion(&self, at: usize) -> Result<Op, Fault> {
        let line = self.tree.member(at, &["insert_line"]).map(|line| self.tree.written(line).parse::<u32>());
        let Some(Ok(line)) = line else {
            let fault = self.fault(Code::Missing, at, "\"insert_line\" names no line");
            return Err(fault
                .with_help("give the number of the line to insert after; 0 is before the first")
                .into());
        };
        let text = self.member(at, INSERTED)?.filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| self.fault(Code::Missing, at, "there is no text to insert"))?;
        let change = Change::Texts { before: Passage::default(), after: text.lines(), unit: Unit::Lines };
        let hunk = Hunk { span: self.span(at), change, anchor: Anchor::After(line) };
        Ok(Op::Modify { hunks: vec![hunk], missing: Missing::Refuse })
    }

    /// The patch that a call carries: as its own field, as a patcher's input, or as what a command is given.
    fn patch(&self, at: usize) -> Option<(String, Places)> {
        if self.tree.member(at, COMMAND).is_some() {
            let patches = self.command(at).any(|(text, _)| text.contains("apply_patch"));
            return self.command(at).filter(|_| patches).find(|(text, _)| has_patch(text));
        }
        let text = |at: usize| self.text(at, "").ok().map(|Text { text, places }| (text, places));
        let patcher = self.name.is_some_and(is_patcher);
        let keys = if patcher { PATCH } else { &PATCH[..1] };
        let found = self.tree.member(at, keys).filter(|&member| self.is_string(member)).and_then(text);
        // One that is none is an error, not another tool's call.
        found
    }

    /// The words of the command that a call has a shell run, or its one line.
    fn command(&self, at: usize) -> impl Iterator<Item = (String, Places)> + '_ {
        let command = self.tree.member(at, COMMAND);
        let words = command.filter(|&command| self.tree.shape(command) == Some(Shape::Array));
        let line = command.filter(|_| words.is_none());
        let all = words.into_iter().flat_map(|words| self.tree.children(words)).chain(line);
        all.filter_map(|word| self.text(word, "").ok()).map(|Text { text, places }| (text, places))
    }

    /// Takes the edits of a patch, which a string of the call says.
    pub(super) fn read_patch(&self, text: String, places: Places, span: Span, script: &mut Script) {
        let length = text.len();
        let Ok(inner) = Response::new(0, "", text.into_bytes(), u64::MAX) else { return };
        let origin = Origin::String(self.origin, places.from(length - inner.text().len()));
        let read = read(&inner, &[apply_patch::FORMAT]);
        if read.edits.is_empty() && read.diagnostics.is_empty() {
            let fault = Diagnostic::error(
                Code::Malformed,
                span,
                "the patch of this call changes nothing, or is none",
            );
            script.diagnostics.push(fault.with_help("give a patch from *** Begin Patch to *** End Patch"));
        }
        self.take_over(read, &origin, script);
    }

    /// Takes the SEARCH/REPLACE blocks of the `diff` that a call has.
    fn read_blocks(&self, at: usize, path: usize, span: Span, script: &mut Script) -> Result<(), Fault> {
        let path = self.path(at, Some(path))?;
        let diff = self.tree.member(at, &["diff"]).unwrap_or(at);
        let Text { text, places } = self.text(diff, "diff")?;
        let length = text.len();
        let Ok(inner) = Response::new(0, "", text.into_bytes(), u64::MAX) else { return Ok(()) };
        let origin = Origin::String(self.origin, places.from(length - inner.text().len()));
        let mut read = Script::default();
        search_replace::read_blocks(&mut Cursor::new(&inner), &mut read, &path, inner.text().len());
        if read.edits.is_empty() && read.diagnostics.is_empty() {
            return Err(
                Diagnostic::error(Code::Missing, span, "the diff of this call has no SEARCH block").into()
            );
        }
        for edit in &mut read.edits {
            edit.why = self.why(at);
        }
        let first = script.edits.len();
        self.take_over(read, &origin, script);
        for edit in script.edits.iter_mut().skip(first) {
            edit.path = path.clone();
        }
        Ok(())
    }

    /// Takes what a text within the response says over, with its places there.
    fn take_over(&self, read: Script, origin: &Origin<'_>, script: &mut Script) {
        let place = |span: Span| origin.span(span.start as usize, span.end as usize);
        within::take_over(read, &place, (FormatId::EditCalls, self.region), script);
    }
}

/// Whether a text has a line that begins a patch.
fn has_patch(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("*** Begin Patch"))
}

fn of_hunks(hunks: Vec<Hunk>) -> Op {
    let empty = |hunk: &Hunk| matches!(&hunk.change, Change::Texts { before, .. } if before.is_empty());
    let missing = if hunks.iter().any(empty) { Missing::CreateFromAdditions } else { Missing::Refuse };
    Op::Modify { hunks, missing }
}
