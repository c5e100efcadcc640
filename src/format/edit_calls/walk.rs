//! The calls in JSON: which of its objects are some, and which say that one failed.

use super::call::{Call, is_editor, is_patcher};
use super::origin::Origin;
use super::past::Past;
use crate::diag::{Code, Diagnostic};
use crate::edit::Script;
use crate::format::is_full;
use crate::format::json::{Places, Shape, Text, Tokens, Tree, text_of};
use crate::format::scan::Cursor;
use crate::format::unread::{Noted, When};
use crate::response::Response;
use crate::span::Span;

const ID: &[&str] = &["id", "call_id", "callID", "tool_call_id"];
const OF: &[&str] = &["tool_use_id", "tool_call_id", "call_id"];
const NAME: &[&str] = &["name", "tool", "tool_name"];
const INPUT: &[&str] = &["input", "arguments", "args", "parameters"];

/// Goes over JSON and takes the calls in it.
pub(super) struct Walk<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) origin: &'a Origin<'a>,
    pub(super) region: u32,
    pub(super) past: &'a mut Past,
    pub(super) script: &'a mut Script,
}

/// What a value was found to be.
enum Taken {
    /// A call, or the result of one.
    Yes,
    No,
    /// None that is known, but it names a file and a change. Of the files, if there are some, one has to be there.
    ReadsLikeEdit(Vec<String>),
}

/// A call of a tool, as it stands in a conversation.
struct Item<'t> {
    name: &'t str,
    /// The object, or the string, that it is called with.
    input: usize,
    id: Option<usize>,
}

impl<'t> Walk<'_, 't> {
    /// Takes all of them.
    pub(super) fn all(&mut self) {
        let mut at = 0;
        // What reads like an edit and is none, and how much was read up to there.
        let mut unread: Option<(usize, Vec<String>, (usize, usize))> = None;
        while at < self.tree.len() && !is_full(self.script) {
            if let Some((outer, there, read)) = unread.take_if(|(outer, ..)| at >= self.tree.behind(*outer)) {
                self.note(outer, there, read);
            }
            match self.take(at) {
                Taken::Yes => at = self.tree.behind(at),
                Taken::No => at += 1,
                Taken::ReadsLikeEdit(there) => {
                    unread = unread.or(Some((at, there, self.read())));
                    at += 1;
                }
            }
        }
        if let Some((outer, there, read)) = unread {
            self.note(outer, there, read);
        }
    }

    /// How much was read so far.
    fn read(&self) -> (usize, usize) {
        (self.script.edits.len(), self.script.diagnostics.len())
    }

    /// Notes a value that reads like an edit and is none, unless it holds some.
    fn note(&mut self, at: usize, there: Vec<String>, before: (usize, usize)) {
        if self.read() == before {
            self.past.unread.push(Noted { span: self.span(at), when: When::of(there) });
        }
    }

    /// Takes the call or the result that a value is; says whether it is one.
    fn take(&mut self, at: usize) -> Taken {
        if self.tree.shape(at) != Some(Shape::Object) {
            return Taken::No;
        }
        if let Some(item) = self.item(at) {
            self.take_item(at, &item);
            return Taken::Yes;
        }
        if self.tree.member(at, OF).is_some() {
            self.past.failed.extend(self.failed_result(at));
            return Taken::Yes;
        }
        // What stands alone must say more than a call of a tool that is known.
        let call = Call { tree: self.tree, origin: self.origin, region: self.region, name: None };
        let span = self.span(at);
        if !self.is_whole(at) {
            return Taken::No;
        }
        match call.read(at, span, self.past.asked, self.script) {
            true => Taken::Yes,
            false => call.reads_like_edit(at).map_or(Taken::No, Taken::ReadsLikeEdit),
        }
    }

    fn is_whole(&self, at: usize) -> bool {
        self.tree.node(at).is_some_and(|node| node.is_whole)
    }

    fn span(&self, at: usize) -> Span {
        let range = self.tree.range(at);
        self.origin.span(range.start, range.end)
    }

    fn string(&self, at: usize) -> Option<Text> {
        let range = self.tree.range(at);
        (self.tree.shape(at) == Some(Shape::String))
            .then(|| text_of(self.tree.written(at), range.start))
            .flatten()
    }

    /// The call that an object is: it has a name and an input.
    fn item(&self, at: usize) -> Option<Item<'t>> {
        // OpenAI's calls have a function in them that has both.
        let function = self.tree.member(at, &["function", "functionCall", "function_call"]);
        let inner = function.filter(|&inner| self.tree.shape(inner) == Some(Shape::Object)).unwrap_or(at);
        let name =
            self.tree.member(inner, NAME).filter(|&name| self.tree.shape(name) == Some(Shape::String))?;
        let state = self.tree.member(inner, &["state"]).unwrap_or(inner);
        let input = self.tree.member(inner, INPUT).or_else(|| self.tree.member(state, &["input"]))?;
        // A tool's definition has a schema there.
        let is_schema = self.tree.member(input, &["properties"]).is_some();
        let can_be = matches!(self.tree.shape(input), Some(Shape::Object | Shape::String));
        (can_be && !is_schema).then(|| Item {
            name: self.tree.written(name).trim_matches('"'),
            input,
            id: self.tree.member(at, ID).or_else(|| self.tree.member(inner, ID)),
        })
    }

    fn take_item(&mut self, at: usize, item: &Item<'t>) {
        if !self.is_whole(at) {
            return;
        }
        let span = self.span(at);
        let id = item.id.and_then(|id| self.string(id)).map(|id| id.text);
        let failed = self.tree.member(at, &["state"]).is_some_and(|state| self.says_error(state));
        let before = (self.script.edits.len(), self.script.diagnostics.len());
        match self.tree.shape(item.input) {
            Some(Shape::Object) => {
                let call =
                    Call { tree: self.tree, origin: self.origin, region: self.region, name: Some(item.name) };
                if !call.read(item.input, span, true, self.script) {
                    let there = call.reads_like_edit(item.input);
                    self.past.unread.extend(there.map(|there| Noted { span, when: When::of(there) }));
                }
            }
            _ => self.take_string(item, span),
        }
        if before != (self.script.edits.len(), self.script.diagnostics.len()) {
            let id = id.unwrap_or_else(|| format!("{}", span.start));
            if failed {
                self.past.fail(id.clone());
            }
            self.past.make(id, span);
        }
    }

    /// A call whose input is written as a string: JSON, or a patch as it is.
    fn take_string(&mut self, item: &Item<'_>, span: Span) {
        let range = self.tree.range(item.input);
        let of_editor = is_editor(item.name) || is_patcher(item.name);
        let Some(Text { text, places }) = text_of(self.tree.written(item.input), range.start) else {
            if of_editor {
                self.fault(Code::Malformed, span, &format!("the input of {} is no text", item.name));
            }
            return;
        };
        if is_patcher(item.name) && !text.trim_start().starts_with('{') {
            let call =
                Call { tree: self.tree, origin: self.origin, region: self.region, name: Some(item.name) };
            return call.read_patch(text, places, span, self.script);
        }
        if !text.trim_start().starts_with('{') {
            if of_editor {
                self.fault(Code::Malformed, span, &format!("the input of {} is no JSON object", item.name));
            }
            return;
        }
        self.take_json(text, places, item.name, span);
    }

    fn take_json(&mut self, text: String, places: Places, name: &str, span: Span) {
        let Ok(inner) = Response::new(0, "", text.into_bytes(), u64::MAX) else { return };
        let tree = Tree::read(&inner, Tokens::new(Cursor::new(&inner).lines()));
        let origin = Origin::String(self.origin, places);
        if tree.is_whole {
            let call = Call { tree: &tree, origin: &origin, region: self.region, name: Some(name) };
            if !call.read(0, span, true, self.script) {
                let there = call.reads_like_edit(0);
                self.past.unread.extend(there.map(|there| Noted { span, when: When::of(there) }));
            }
        } else if is_editor(name) || is_patcher(name) {
            let why = tree.error.map_or("it is cut off", |(_, why)| why);
            self.fault(Code::Malformed, span, &format!("the arguments of {name} are not valid JSON: {why}"));
        }
    }

    fn fault(&mut self, code: Code, span: Span, message: &str) {
        self.script.diagnostics.push(Diagnostic::error(code, span, message));
    }

    /// The id of the call that failed, if an object says that one did.
    fn failed_result(&self, at: usize) -> Option<String> {
        let id = self.string(self.tree.member(at, OF)?)?;
        let output = self.tree.member(at, &["output"]).and_then(|output| self.string(output));
        let exit = output.is_some_and(|output| is_failure(&output.text));
        (self.says_error(at) || exit).then_some(id.text)
    }

    fn says_error(&self, at: usize) -> bool {
        let flag = self.tree.member(at, &["is_error", "isError"]);
        let status = self.tree.member(at, &["status"]);
        flag.is_some_and(|flag| self.tree.written(flag) == "true")
            || status.is_some_and(|status| matches!(self.tree.written(status), "\"error\"" | "\"failed\""))
    }
}

/// The longest output of a call that is looked into.
const MAX_OUTPUT: usize = 1 << 16;

/// Whether what a command has put out says that it failed: `{"output": "…", "metadata": {"exit_code": 1}}`.
fn is_failure(output: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Output {
        metadata: Metadata,
    }
    #[derive(serde::Deserialize)]
    struct Metadata {
        exit_code: i64,
    }
    let read = (output.len() <= MAX_OUTPUT).then(|| serde_json::from_str::<Output>(output).ok()).flatten();
    read.is_some_and(|output| output.metadata.exit_code != 0)
}
