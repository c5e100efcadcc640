//! The calls in JSON: which of its objects are some, and which say that one failed.

use super::call::{Call, PATCHERS, REMOVERS, is_tool, take_patch};
use super::field::Name;
use crate::format::json::{Decoded, Json, Kind, Value};
use crate::format::{Output, fault};
use crate::response::Response;
use crate::span::Span;

const ID: &[&str] = &["id", "call_id", "callID", "tool_call_id"];
const OF: &[&str] = &["tool_use_id", "tool_call_id", "call_id"];
const NAME: &[&str] = &["name", "tool", "tool_name"];
pub(super) const INPUT: &[&str] = &["input", "arguments", "args", "parameters"];

/// Of which fields one shows that arguments are an edit's.
const NAMES: &[Option<Name>] = &[Some(Name::Path), Some(Name::Old), Some(Name::Patch)];

/// Goes over JSON and takes the calls in it.
pub(super) struct Walk<'a> {
    /// The index of the response.
    pub(super) response: u32,
    /// Where in the response a byte of the JSON is.
    pub(super) place: &'a dyn Fn(usize) -> usize,
    pub(super) out: &'a mut Output,
}

/// A call of a tool, as it stands in a conversation.
struct Item<'t> {
    name: &'t str,
    /// The object, or the string, that it is called with.
    input: Value<'t>,
    id: Option<String>,
}

impl Walk<'_> {
    /// Takes all of them.
    pub(super) fn all(&mut self, root: Value<'_>) {
        root.walk(|value| !self.out.is_full() && !self.take(value));
    }

    fn span(&self, value: Value<'_>) -> Span {
        Span::new(self.response, (self.place)(value.range().start), (self.place)(value.range().end))
    }

    /// Takes the call or the result that a value is; says whether it is one.
    fn take(&mut self, value: Value<'_>) -> bool {
        if value.kind() != Kind::Object || !value.is_whole() {
            return false;
        }
        if let Some(item) = item(value) {
            self.take_item(value, item);
            return true;
        }
        if let Some(id) = value.member(OF) {
            let output = value.member(&["output"]).and_then(Value::text);
            if is_failed(value) || output.is_some_and(|text| exits_with_error(&text.text)) {
                self.out.calls.failed.extend(id.text().map(|id| id.text));
            }
            return true;
        }
        Call::new(None, self.span(value), value, self.place).take(self.out)
    }

    fn take_item(&mut self, value: Value<'_>, item: Item<'_>) {
        let span = self.span(value);
        let before = self.out.lengths();
        match item.input.text() {
            None => {
                Call::new(Some(item.name), span, item.input, self.place).take(self.out);
            }
            Some(text) => self.take_string(item.name, text, span),
        }
        if before != self.out.lengths() {
            let id = item.id.unwrap_or_else(|| span.start.to_string());
            if value.member(&["state"]).is_some_and(is_failed) {
                self.out.calls.failed.insert(id.clone());
            }
            self.out.calls.made.push((id, span));
        }
    }

    /// A call whose input is written as a string: JSON, or a patch as it is.
    fn take_string(&mut self, name: &str, mut input: Decoded, span: Span) {
        let text = std::mem::take(&mut input.text);
        let place = |at: usize| (self.place)(input.place(at));
        if !text.trim_start().starts_with('{') {
            if is_tool(name, PATCHERS) {
                take_patch((text, Box::new(place)), span, self.out);
            }
            return;
        }
        let Ok(inner) = Response::new(0, "", text.into_bytes(), u64::MAX) else { return };
        let json = Json::of_text(&inner);
        match json.root().filter(|root| root.is_whole()) {
            Some(root) => {
                Call::new(Some(name), span, root, &place).take(self.out);
            }
            None if is_tool(name, PATCHERS) || json.keys().any(|key| NAMES.contains(&Name::of(key))) => {
                self.out.fault(fault::invalid_json(span, "the arguments break off or are malformed"));
            }
            None => {}
        }
    }
}

/// The call that an object is: it has a name and an input.
fn item(value: Value<'_>) -> Option<Item<'_>> {
    // OpenAI's calls have a function in them that has both.
    let function = value.member(&["function", "functionCall", "function_call"]);
    let inner = function.filter(|inner| inner.kind() == Kind::Object).unwrap_or(value);
    let name = inner.member(NAME).filter(|name| name.is_string())?.written().trim_matches('"');
    let state = inner.member(&["state"]).unwrap_or(inner);
    let input = inner.member(INPUT).or_else(|| state.member(&["input"]));
    let input = input.or_else(|| is_tool(name, REMOVERS).then_some(inner))?;
    // A tool's definition has a schema there.
    let is_schema = input.member(&["properties"]).is_some();
    let id = value.member(ID).or_else(|| inner.member(ID)).and_then(Value::text);
    let is_input = matches!(input.kind(), Kind::Object | Kind::String) && !is_schema;
    is_input.then(|| Item { name, input, id: id.map(|id| id.text) })
}

/// Whether a result says that its call failed.
fn is_failed(result: Value<'_>) -> bool {
    let is = |keys: &[&str], words: &[&str]| {
        result.member(keys).is_some_and(|member| words.contains(&member.written()))
    };
    is(&["is_error", "isError"], &["true"]) || is(&["status"], &["\"error\"", "\"failed\""])
}

/// Whether what a command has put out says that it failed: `{"output": "…", "metadata": {"exit_code": 1}}`.
fn exits_with_error(output: &str) -> bool {
    let code = output.rsplit_once("\"exit_code\":").map_or("", |(_, code)| code.trim_start());
    code.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !code.starts_with('0')
}
