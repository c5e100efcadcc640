//! Finds calls and results in JSON.

use super::call::{Call, PATCHERS, REMOVERS, is_tool, take_patch};
use super::field::Name;
use crate::format::json::{Decoded, Json, Kind, Value};
use crate::format::{Output, Reading, fault, parse};
use crate::response::Response;
use crate::span::Span;

/// The keys of a call's id.
const ID: &[&str] = &["id", "call_id", "callID", "tool_call_id", "tool_id"];
/// The keys with which a result names its call.
const RESULT_OF: &[&str] = &["tool_use_id", "tool_call_id", "call_id", "tool_id"];
/// The keys of results that name no call.
const RESULTS: &[&str] = &["toolUseResult"];
/// The keys of a tool's name.
pub(super) const NAME: &[&str] = &["name", "tool", "tool_name"];
/// The keys of a call's arguments.
pub(super) const INPUT: &[&str] = &["input", "arguments", "args", "parameters"];

/// The fields that show that incomplete arguments are meant for an edit.
const EDIT_FIELDS: &[Option<Name>] = &[Some(Name::Path), Some(Name::Old), Some(Name::Patch)];

/// Walks over JSON and adds the calls in it.
pub(super) struct Walk<'a> {
    /// The index of the response.
    pub(super) response: u32,
    /// Maps an offset in the JSON to the response.
    pub(super) place: &'a dyn Fn(usize) -> usize,
    pub(super) out: &'a mut Output,
    /// Whether the values here are of a turn of the model, according to the last `role`.
    pub(super) is_model_turn: bool,
}

/// A call in a conversation.
struct Item<'t> {
    name: &'t str,
    /// The arguments: an object or a string.
    input: Value<'t>,
    id: Option<String>,
}

impl Walk<'_> {
    /// Adds all calls.
    pub(super) fn add_all(&mut self, root: Value<'_>) {
        root.walk(|value| !self.out.is_full() && !self.take(value));
    }

    fn span(&self, value: Value<'_>) -> Span {
        Span::new(self.response, (self.place)(value.range().start), (self.place)(value.range().end))
    }

    /// Adds a value if it is a call or a result; returns whether it is either.
    fn take(&mut self, value: Value<'_>) -> bool {
        if let Some(role) = value.member(&["role"]) {
            self.is_model_turn = ["\"assistant\"", "\"model\""].contains(&role.written());
        }
        if self.is_model_turn && has_edits(value) {
            self.out.leftover(self.span(value));
        }
        if value.kind() != Kind::Object || !value.is_whole() {
            return false;
        }
        if RESULTS.contains(&value.key()) {
            return true;
        }
        if let Some(item) = item(value) {
            self.take_item(value, item);
            return true;
        }
        if let Some(id) = value.member(RESULT_OF) {
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
        if before == self.out.lengths() {
            self.out.leftover(span);
        } else {
            let id = item.id.unwrap_or_else(|| span.start.to_string());
            if is_failed(value) || value.member(&["state"]).is_some_and(is_failed) {
                self.out.calls.failed.insert(id.clone());
            }
            self.out.calls.with_edits.push((id, span));
        }
    }

    /// Adds a call whose arguments are a string: JSON, or a patch.
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
            None if is_tool(name, PATCHERS)
                || json.keys().any(|key| EDIT_FIELDS.contains(&Name::of(key))) =>
            {
                self.out.fault(fault::invalid_json(span, "the arguments break off or are malformed"));
            }
            None => {}
        }
    }
}

/// Returns the call in an object with a name and arguments.
fn item(value: Value<'_>) -> Option<Item<'_>> {
    // In OpenAI's format, the name and the arguments are in an inner object.
    let function = value.member(&["function", "functionCall", "function_call"]);
    let inner = function.filter(|inner| inner.kind() == Kind::Object).unwrap_or(value);
    let name = inner.member(NAME).filter(|name| name.is_string())?.written().trim_matches('"');
    let state = inner.member(&["state"]).unwrap_or(inner);
    let input = inner.member(INPUT).or_else(|| state.member(&["input"]));
    let input = input.or_else(|| is_tool(name, REMOVERS).then_some(inner))?;
    // The definition of a tool has a schema instead of arguments.
    let is_schema = input.member(&["properties"]).is_some();
    let id = value.member(ID).or_else(|| inner.member(ID)).and_then(Value::text);
    let is_input = matches!(input.kind(), Kind::Object | Kind::String) && !is_schema;
    is_input.then(|| Item { name, input, id: id.map(|id| id.text) })
}

/// Whether a value is a string with edits in it, such as what the model said between its calls.
fn has_edits(value: Value<'_>) -> bool {
    let text = value.text().filter(|_| value.written().contains("\\n"));
    text.and_then(|text| Response::new(0, "", text.text.into_bytes(), u64::MAX).ok())
        .is_some_and(|inner| !parse(&inner, &Reading::default()).regions.is_empty())
}

/// Whether a result says that its call failed.
fn is_failed(result: Value<'_>) -> bool {
    let says = |keys: &[&str], words: &[&str]| {
        result.member(keys).is_some_and(|member| words.contains(&member.written()))
    };
    says(&["is_error", "isError"], &["true"])
        || says(&["status"], &["\"error\"", "\"failed\"", "\"cancelled\""])
        || result.member(&["response"]).is_some_and(|response| response.member(&["error"]).is_some())
}

/// Whether the output of a command says that it failed: `{"output": "…", "metadata": {"exit_code": 1}}`, or a text that
/// begins with `Exit code: 1`.
fn exits_with_error(output: &str) -> bool {
    let in_json = || Some(output.rsplit_once("\"exit_code\":")?.1);
    let code = output.strip_prefix("Exit code:").or_else(in_json).map_or("", str::trim_start);
    code.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !code.starts_with('0')
}
