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
/// The keys of results that name their call by its tool, or not at all.
const RESULTS: &[&str] = &["functionResponse", "function_response", "toolUseResult"];
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
        let is_result = RESULTS.contains(&value.key());
        if let Some(item) = item(value).filter(|_| !is_result) {
            self.take_item(value, item);
            return true;
        }
        let id = value.member(if is_result { ID } else { RESULT_OF });
        if is_result || id.is_some() {
            let text = |value: Value<'_>| value.text().map(|text| text.text);
            let tool = value.member(NAME).filter(|_| id.is_none()).and_then(text);
            let id = id.and_then(text).or_else(|| self.out.calls.answered(&tool?));
            self.out.calls.failed.extend(id.filter(|_| is_failed(value)));
            return true;
        }
        Call::new(None, self.span(value), value, self.place).take(self.out)
    }

    fn take_item(&mut self, value: Value<'_>, item: Item<'_>) {
        let span = self.span(value);
        let before = self.out.lengths();
        let id = item.id.unwrap_or_else(|| self.out.calls.asked(item.name));
        match item.input.text() {
            None => {
                Call::new(Some(item.name), span, item.input, self.place).take(self.out);
            }
            Some(text) => self.take_string(item.name, text, span),
        }
        if before == self.out.lengths() {
            self.out.leftover(span);
        } else {
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
        || result.member(&["response", "output", "content"]).is_some_and(|output| {
            let parts = output.children().filter_map(|part| part.member(&["text"]));
            let mut texts = parts.chain([output]).filter_map(Value::text);
            has_error(output) || texts.any(|text| says_error(text.text))
        })
}

fn has_error(output: Value<'_>) -> bool {
    output.member(&["error"]).is_some_and(|error| !["\"\"", "false"].contains(&error.written()))
}

/// Whether the output of a tool says that it failed: `{"error": "…"}`, a text that begins with `Error:` or a tag for an
/// error, `{"output": "…", "metadata": {"exit_code": 1}}`, or a text that begins with `Exit code: 1`.
fn says_error(output: String) -> bool {
    let is_json = output.starts_with('{');
    let code = match is_json {
        true => output.rsplit_once("\"exit_code\":").map(|(_, code)| code),
        false => output.strip_prefix("Exit code:"),
    };
    let code = code.map_or("", str::trim_start);
    code.starts_with(|c: char| c.is_ascii_digit() || c == '-') && !code.starts_with('0')
        || ["Error:", "<tool_use_error>"].iter().any(|opening| output.starts_with(opening))
        || is_json
            && Response::new(0, "", output.into_bytes(), u64::MAX)
                .is_ok_and(|inner| Json::of_text(&inner).root().is_some_and(has_error))
}
