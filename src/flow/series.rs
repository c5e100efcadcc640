//! Makes the commits of a plan, with their messages.

use super::Error;
use super::run::{Run, Try};
use crate::message::{self, Group, Message, Operation, Provenance};
use crate::plan::{self, Grouping, Plan, Verb};
use crate::response::Response;
use crate::transaction::{Making, Planned};

impl Try<'_> {
    /// Returns the commits of the plan, in order. `id` is the landing's id.
    pub(super) fn series(&self, plan: &Plan, id: &str) -> Result<Vec<Planned>, Error> {
        let options = &self.options;
        let response = self.names();
        let mut all = Vec::new();
        let groups = plan.groups(options.commit);
        // A message that the response gives for all edits is used for a single commit, or for the merge commit.
        let own = self.response_message().filter(|_| groups.len() == 1 && options.ff);
        let note = self.script.message.as_deref().filter(|_| options.ff);
        let with_note = |message: Message| note.map_or(message.clone(), |note| message.with_note(note));
        for group in groups {
            let steps: Vec<_> = group.steps.iter().map(|&at| &plan.steps()[at]).collect();
            let edits: Vec<_> =
                steps.iter().filter_map(|step| self.script.edits.get(step.edit - 1)).collect();
            let whys: Vec<_> = edits.iter().map(|edit| edit.why.as_deref()).collect();
            let generated = || match (&own, options.commit) {
                (Some(own), _) => own.clone().with_whys(&whys),
                (None, Grouping::Response) if edits.len() > 1 => {
                    Message::for_group(&Group::Response(&response), &whys)
                }
                (None, _) => {
                    let first = Operation::of(&edits[0].op, steps[0]);
                    let operation =
                        if edits.len() > 1 { combined_operation(&group.changes, first) } else { first };
                    with_note(Message::for_group(&Group::File(operation), &whys))
                }
            };
            let typed = match steps.as_slice() {
                [step] => self.messages.by_edit.get(&step.edit).filter(|text| !text.is_empty()),
                _ => None,
            };
            let message = match options.message.as_ref().filter(|_| options.ff).or(typed) {
                Some(own) => self.messages.user_message(own, options)?,
                None => self.text_of(generated()),
            };
            let message = self.messages.with_trailers(self.repo, message)?;
            let message = if options.trailers { self.with_provenance(&message, id, &steps) } else { message };
            all.push(Planned {
                edits: steps.iter().map(|step| step.edit).collect(),
                message,
                changes: group.changes,
                origins: steps
                    .iter()
                    .filter_map(|step| Some((step.path.clone(), step.to.clone()?)))
                    .collect(),
                making: Making::New,
            });
        }
        all.retain(|planned| !planned.changes.is_empty());
        Ok(all)
    }

    /// Returns the message of the merge commit, if one is wanted.
    pub(super) fn merge_message(&self, series: &[Planned]) -> Result<Option<String>, Error> {
        let options = &self.options;
        if options.ff {
            return Ok(None);
        }
        let edits = series.iter().flat_map(|planned| &planned.edits);
        let whys: Vec<_> =
            edits.filter_map(|edit| Some(self.script.edits.get(edit - 1)?.why.as_deref())).collect();
        let message = match (&options.message, self.response_message()) {
            (Some(own), _) => self.messages.user_message(own, options)?,
            (None, Some(own)) => self.text_of(own.with_whys(&whys)),
            (None, None) => self.text_of(Message::for_group(&Group::Response(&self.names()), &whys)),
        };
        self.messages.with_trailers(self.repo, message).map(Some)
    }
}

impl Run<'_> {
    /// Returns the message that the response gives for all of its edits, if it has one.
    fn response_message(&self) -> Option<Message> {
        self.script.message.as_deref().and_then(Message::from_why)
    }

    /// Returns the text of a message from the response, with the options for messages applied.
    fn text_of(&self, message: Message) -> String {
        let prefix = self.options.subject_prefix.as_deref().unwrap_or_default();
        let separators = &self.messages.marks.separators;
        let message = message.with_options(prefix, separators, self.options.allow_skip_ci);
        self.messages.response_text(message.to_string(), &self.options)
    }

    /// Returns a message with the trailers of `--trailers`, which name the response and the edits.
    fn with_provenance(&self, message: &str, id: &str, steps: &[&plan::Step]) -> String {
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
        message::with_provenance(message, id, &edits.collect::<Vec<_>>(), &self.messages.marks)
    }
}

/// Returns the operation that several edits amount to if they change a single file; else `otherwise`.
fn combined_operation(changes: &[plan::FileChange], otherwise: Operation) -> Operation {
    let [only] = changes else { return otherwise };
    let verb = match (&only.before, &only.after) {
        (None, _) => Verb::Create,
        (Some(_), None) => Verb::Delete,
        (Some(_), Some(_)) => Verb::Modify,
    };
    Operation::new(verb, only.path.clone())
}
