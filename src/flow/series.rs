//! The commits that a plan becomes, with their messages.

use super::run::Run;
use crate::edit::Op;
use crate::message::{self, Group, Message, Operation, Provenance};
use crate::plan::{self, Grouping, Plan};
use crate::response::Response;
use crate::transaction::Planned;

impl Run<'_> {
    /// The commits that the plan's steps make, in order.
    pub(super) fn series(&self, plan: &Plan) -> Vec<Planned> {
        let response = self.names();
        let mut all = Vec::new();
        let groups = plan.groups(self.options.commit);
        // A message of the response's own is that of the commit, where there is one only.
        let alone = groups.len() == 1;
        let own = self.script.message.as_deref().and_then(Message::from_why);
        for group in groups {
            let steps: Vec<_> = group.steps.iter().map(|&at| &plan.steps()[at]).collect();
            let edits: Vec<_> =
                steps.iter().filter_map(|step| self.script.edits.get(step.edit - 1)).collect();
            let operation = |at: usize| Operation::of(&edits[at].op, steps[at]);
            let whys: Vec<_> = edits.iter().map(|edit| edit.why.as_deref()).collect();
            let message = match (&self.options.message, self.options.commit) {
                (Some(message), _) => terminated(message),
                (None, _) if alone && own.is_some() => {
                    own.clone().map(|own| own.with_whys(&whys).to_string()).unwrap_or_default()
                }
                (None, _) if edits.len() == 1 => self.with_note(Message::for_edit(whys[0], &operation(0))),
                (None, Grouping::Response) => {
                    Message::for_group(&Group::Response(&response), &whys).to_string()
                }
                (None, _) => {
                    let last = Operation::of(&edits[0].op, steps[0]);
                    self.with_note(Message::for_group(
                        &Group::File(self.of_file(&group.changes, last)),
                        &whys,
                    ))
                }
            };
            let message = terminated(&message);
            let message =
                if self.options.trailers { self.with_provenance(&message, &steps) } else { message };
            all.push(Planned {
                edits: steps.iter().map(|step| step.edit).collect(),
                message,
                changes: group.changes,
                copied: steps
                    .iter()
                    .zip(&edits)
                    .filter(|(_, edit)| matches!(edit.op, Op::Copy { .. }))
                    .map(|(step, _)| step.path.clone())
                    .collect(),
                origins: steps
                    .iter()
                    .filter_map(|step| Some((step.path.clone(), step.to.clone()?)))
                    .collect(),
            });
        }
        all.retain(|planned| !planned.changes.is_empty());
        all
    }

    /// The message with what `--trailers` adds.
    fn with_provenance(&self, message: &str, steps: &[&plan::Step]) -> String {
        let edits = steps.iter().copied().filter_map(|step| {
            let edit = self.script.edits.get(step.edit.checked_sub(1)?)?;
            Some(Provenance {
                edit: step.edit,
                of: self.script.edits.len(),
                format: edit.format,
                response: self.responses.get(edit.span.response as usize).map_or("", Response::file_name),
                matched: &step.matched,
            })
        });
        message::with_provenance(message, &edits.collect::<Vec<_>>())
    }

    /// What several edits of a file come to.
    fn of_file(&self, changes: &[plan::FileChange], otherwise: Operation) -> Operation {
        match changes {
            [only] => match (&only.before, &only.after) {
                (None, _) => Operation::Create(only.path.clone()),
                (Some(_), None) => Operation::Remove(only.path.clone()),
                (Some(_), Some(_)) => Operation::Update(only.path.clone()),
            },
            _ => otherwise,
        }
    }

    fn with_note(&self, message: Message) -> String {
        match &self.script.message {
            Some(note) => message.with_note(note).to_string(),
            None => message.to_string(),
        }
    }
}

/// A user's own message as git keeps one: no blanks at line ends, no blank lines around, a line break at the end.
fn terminated(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim_end).collect();
    let mut text = lines.join("\n");
    text = text.trim_matches('\n').to_owned();
    text.push('\n');
    text
}
