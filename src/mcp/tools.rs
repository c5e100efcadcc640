//! The tools, with their schemas.

use super::edits::{self, Given};
use super::listener::Listener;
use super::{arguments, read, report};
use crate::edit::FormatId;
use crate::flow::{self, Attempt, Done, Each, Numbers, Options, Order, Template, Undo};
use crate::outcome;
use crate::report::record::Asked;
use crate::response::Response;
use crate::vcs::repo::Repo;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;

/// The tool that continues a refused attempt.
pub(super) const CORRECT: &str = "correct";

/// The name of responses in reports and records, since there is no file name.
const RESPONSE_NAME: &str = "mcp";

pub(super) struct Tool {
    name: &'static str,
    about: &'static str,
    /// The required and the optional arguments.
    required: &'static [&'static str],
    optional: &'static [&'static str],
    reads_only: bool,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "read",
        about: "Read tracked files of a commit (HEAD unless `ref` names another). Give `base` back to `check` and `land`.",
        required: &["repo", "paths"],
        optional: &["ref", "numbers"],
        reads_only: true,
    },
    Tool {
        name: "check",
        about: "Show what edits would change, with a diff of each, and what would keep them from landing. Changes nothing.",
        required: &["repo"],
        optional: &["edits", "response", "base", "branch", "again"],
        reads_only: true,
    },
    Tool {
        name: "land",
        about: "Land edits of any number of files as one transaction: one commit per edit, or nothing changes. Hooks and \
                configured tests have to pass first. A refusal shows the real lines of the files, and an `attempt` to pass \
                to `correct`.",
        required: &["repo"],
        optional: &["edits", "response", "base", "branch", "request", "model", "key", "again"],
        reads_only: false,
    },
    Tool {
        name: CORRECT,
        about: "Continue a refused attempt: give corrected edits for those that failed. They land together with the good ones, \
                on the attempt's branch and under its `key`.",
        required: &["repo", "attempt"],
        optional: &["edits", "response"],
        reads_only: false,
    },
    Tool {
        name: "suggest",
        about: "Land each response on a branch of its own, to be compared. The checkout stays as it is.",
        required: &["repo", "responses", "name"],
        optional: &[],
        reads_only: false,
    },
    Tool {
        name: "landings",
        about: "List what has landed, the newest first, and refused attempts that are kept.",
        required: &["repo"],
        optional: &[],
        reads_only: true,
    },
    Tool {
        name: "show",
        about: "Show one landing: its edits, commits and responses.",
        required: &["repo"],
        optional: &["id"],
        reads_only: true,
    },
    Tool {
        name: "undo",
        about: "Undo a landing (the newest unless `id` names another), or some of its edits, as one transaction.",
        required: &["repo"],
        optional: &["id", "numbers_of_edits", "branch_of_landing"],
        reads_only: false,
    },
];

/// The name of an argument, and its schema.
fn argument(name: &str) -> (&str, Value) {
    let text = |about: &str| json!({"type": "string", "description": about});
    let texts = |about: &str| json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": about});
    let schema = match name {
        "repo" => {
            text("The absolute path of a directory in the repository: in a worktree, or a bare repository.")
        }
        "paths" => {
            texts("Files or directories, as pathspecs from the top of the repository; `.` is all of it.")
        }
        "ref" => text("A commit, branch or tag."),
        "numbers" => json!({"type": "boolean", "description": "Put its number and a tab before each line."}),
        "edits" => edits_schema(),
        "response" => text(
            "A whole response that has edits in any format that git-llm-apply reads, instead of `edits`.",
        ),
        "base" => text("The commit that the files were read from. What changed since is merged."),
        "branch" => {
            text("Commit to this branch and leave the checkout as it is. It is made if it does not exist.")
        }
        "branch_of_landing" => {
            let about =
                "The branch of the landing, if another one is checked out. The checkout stays as it is.";
            return ("branch", text(about));
        }
        "request" => text("What was asked for. It goes into the record."),
        "model" => text("The model that made the edits. It goes into the record."),
        "key" => text("Any text that identifies this landing: another call with the same key lands nothing."),
        "again" => {
            json!({"type": "boolean", "description": "Land edits again that have landed before, for instance after they were reverted."})
        }
        "attempt" => text("The `attempt` in the result of `land` or `correct`."),
        "responses" => texts("Whole responses."),
        "name" => text(
            "A template for the names of the branches, such as try/{n}; it may also contain {slug}, {id} and {stem}.",
        ),
        "id" => text("The id of the landing or its beginning, or one of its commits."),
        _ => {
            let about = "Only these edits of it, by their numbers.";
            let schema =
                json!({"type": "array", "items": {"type": "integer", "minimum": 1}, "description": about});
            return ("edits", schema);
        }
    };
    (name, schema)
}

fn edits_schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    json!({
        "type": "array",
        "minItems": 1,
        "description": "The edits, in order. Each sees the result of those before it.",
        "items": {
            "type": "object",
            "properties": {
                "path": text("The file, from the top of the repository."),
                "op": {"type": "string", "enum": ["create", "edit", "delete", "move"]},
                "old": {
                    "type": "string",
                    "minLength": 0,
                    "description": "edit: the text to replace, word for word. It must be in one place only, unless `all` is given. \
                                    An empty text fills an empty file.",
                },
                "new": {
                    "type": "string",
                    "minLength": 0,
                    "description": "edit: the text in its place. create: the whole text of the new file.",
                },
                "all": {"type": "boolean", "description": "edit: replace each place."},
                "to": text("move: the new path."),
                "why": text("The reason; it becomes the commit's message."),
            },
            "required": ["path", "op"],
            "additionalProperties": false,
        },
    })
}

fn input_schema(tool: &Tool) -> Value {
    let all = tool.required.iter().chain(tool.optional).map(|name| argument(name));
    let properties: serde_json::Map<_, _> = all.map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({"type": "object", "properties": properties, "required": tool.required, "additionalProperties": false})
}

/// The schema of a tool's results. A result may have more members.
fn output_schema(tool: &Tool) -> Value {
    let objects = json!({"type": "array", "items": {"type": "object"}});
    let text = json!({"type": "string"});
    let error = json!({"code": text, "message": text, "retryable": {"type": "boolean"}});
    let mut properties = match tool.name {
        "read" => json!({"base": text, "files": objects, "left_out": objects}),
        _ => json!({
            "landing": text,
            "commits": objects,
            "edits": objects,
            "attempt": text,
            "feedback": text,
        }),
    };
    properties["status"] = text;
    properties["error"] = json!({"type": "object", "properties": error});
    // A failed call may have no other member.
    json!({"type": "object", "properties": properties, "required": ["status"]})
}

/// All tools, for `tools/list`.
pub(super) fn list() -> Vec<Value> {
    let one = |tool: &Tool| {
        json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": input_schema(tool),
            "outputSchema": output_schema(tool),
            "annotations": {"readOnlyHint": tool.reads_only, "destructiveHint": false, "openWorldHint": false},
        })
    };
    TOOLS.iter().map(one).collect()
}

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The result if too many calls run.
pub(super) fn too_many(calls: usize) -> Value {
    report::busy(format!("{calls} calls are running"))
}

pub(super) enum Failed {
    /// The arguments are invalid.
    Usage(String),
    Flow(flow::Error),
}

impl<E: Into<flow::Error>> From<E> for Failed {
    fn from(error: E) -> Self {
        Self::Flow(error.into())
    }
}

pub(super) fn call(tool: &Tool, arguments: Value, listener: &Listener) -> Value {
    try_call(tool, arguments, listener).unwrap_or_else(report::failed)
}

fn try_call(tool: &Tool, mut arguments: Value, listener: &Listener) -> Result<Value, Failed> {
    arguments::members("", &input_schema(tool), &mut arguments).map_err(Failed::Usage)?;
    let place: String = read_as(arguments["repo"].take())?;
    let place = Path::new(&place);
    if !place.is_absolute() {
        let message = format!("`repo` is not an absolute path: {}", place.display());
        return Err(flow::Error::Impossible(message).into());
    }
    let repo = Repo::find(place)?;
    match tool.name {
        "read" => read::read(&repo, read_as(arguments)?),
        "suggest" => suggest(&repo, read_as(arguments)?, listener),
        "landings" => Ok(report::listed(flow::list(&repo, listener)?)),
        "show" => {
            let Landing { id, .. } = read_as(arguments)?;
            let shown = flow::show(&repo, id.as_deref(), listener)?;
            Ok(report::shown(shown, &repo))
        }
        "undo" => {
            let Landing { id, edits, branch } = read_as(arguments)?;
            let edits: Vec<_> = edits.iter().map(usize::to_string).collect();
            let numbers =
                || edits.join(",").parse().map_err(|e: flow::NotNumbers| Failed::Usage(e.to_string()));
            let edits = if edits.is_empty() { Numbers::default() } else { numbers()? };
            let what = Undo { name: id, edits, redo: false };
            let mut options = options_of(&repo)?;
            options.branch = branch.or(options.branch);
            Ok(finish(flow::undo(&repo, &what, &options, listener), &repo, false))
        }
        name => land(&repo, read_as(arguments)?, name == "check", listener),
    }
}

fn read_as<T: DeserializeOwned>(arguments: Value) -> Result<T, Failed> {
    serde_json::from_value(arguments).map_err(|e| Failed::Usage(e.to_string()))
}

#[derive(Deserialize)]
struct Landing {
    id: Option<String>,
    #[serde(default)]
    edits: Vec<usize>,
    branch: Option<String>,
}

#[derive(Deserialize)]
struct Edits {
    edits: Option<Vec<Given>>,
    response: Option<String>,
    base: Option<String>,
    branch: Option<String>,
    request: Option<String>,
    model: Option<String>,
    key: Option<String>,
    #[serde(default)]
    again: bool,
    attempt: Option<String>,
}

#[derive(Deserialize)]
struct Suggest {
    responses: Vec<String>,
    name: String,
}

/// The configured options for a call: no editor is opened, and files that no model may see are withheld.
fn options_of(repo: &Repo) -> Result<Options, Failed> {
    Ok(unattended(Options::from_config(repo)?))
}

fn unattended(mut options: Options) -> Options {
    options.edit = false;
    options.diffs = false;
    options.withhold = true;
    options
}

fn land(repo: &Repo, input: Edits, check: bool, listener: &Listener) -> Result<Value, Failed> {
    let mut options = options_of(repo)?;
    let attempt = input.attempt.as_deref().map(|id| flow::attempt(repo, Some(id), None)).transpose()?;
    if let Some(attempt) = &attempt {
        let mut kept = unattended(Options::going_on(repo, attempt)?);
        // A person may have made the attempt with options that allow more than this server does.
        kept.restrict(&options);
        options = kept;
    }
    if input.branch.is_some() {
        options.branch = input.branch;
    }
    if input.base.is_some() {
        options.base = input.base;
    }
    if let Some(template) = options.branch.as_deref().filter(|name| Template::is_one(name)) {
        return Err(Failed::Usage(format!("{template} names several branches: use `suggest`")));
    }
    options.key = input.key.or(options.key);
    options.again |= input.again;
    if options.key.is_some() && !options.record {
        return Err(Failed::Usage(
            "a key needs the record of landings, which llmapply.record turns off".to_owned(),
        ));
    }
    if input.request.is_some() || input.model.is_some() {
        let command = input.model.unwrap_or_else(|| RESPONSE_NAME.to_owned());
        options.asked = Some(Asked { request: input.request, command });
    }
    options.diffs = check;
    let as_arguments = input.edits.is_some();
    let text = match (input.edits, input.response) {
        (None, Some(response)) => response,
        (Some(given), None) => {
            options.reading.formats = vec![FormatId::EditCalls];
            edits::response(&given).map_err(Failed::Usage)?
        }
        _ => return Err(Failed::Usage("give either `edits` or `response`".to_owned())),
    };
    let number = attempt.as_ref().map_or(0, Attempt::next_response);
    let response = Response::new(number, RESPONSE_NAME, text.into_bytes(), options.max_size)?;
    let mut order = Order::of(vec![response]);
    (order.attempt, order.more) = (attempt, true);
    options.dry_run |= check;
    let mut done = flow::land(repo, order, &options, listener);
    done.report.instructions.as_arguments = as_arguments;
    Ok(finish(done, repo, check))
}

fn finish(done: Done, repo: &Repo, whole: bool) -> Value {
    let Done { mut report, failure, .. } = done;
    outcome::settle(&mut report, failure.as_ref());
    report::result(&report, Some(repo), whole)
}

fn suggest(repo: &Repo, input: Suggest, listener: &Listener) -> Result<Value, Failed> {
    let mut options = options_of(repo)?;
    options.branch = None;
    let name = if Template::is_one(&input.name) { input.name } else { format!("{}/{{n}}", input.name) };
    let template = Template::parse(&name).map_err(|e| Failed::Usage(e.to_string()))?;
    let one = |(number, text): (usize, String)| {
        Response::new(0, format!("{RESPONSE_NAME}-{number}"), text.into_bytes(), options.max_size)
    };
    let responses = (1..).zip(input.responses).map(one).collect::<Result<_, _>>()?;
    let suggested = flow::suggest(repo, Order::of(responses), Each::Response, &template, &options, listener)?;
    if let Some(mut report) = suggested.report {
        outcome::settle(&mut report, None);
        return Ok(report::result(&report, None, false));
    }
    Ok(report::result(&outcome::settle_all(suggested).1, None, false))
}
