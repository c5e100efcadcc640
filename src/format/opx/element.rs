//! One `<edit>` element: its attributes, its parts, and the edit they come to.

use super::operation::{Operation, Part};
use super::payload::{self, Payload};
use super::{is_child, starts_edit};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Anchor, Change, Edit, Existing, Git, Hunk, Missing, Occurrence, Op, Script, Target, Unit};
use crate::format::FormatId;
use crate::format::fence::Fence;
use crate::format::scan::{Cursor, Line, Lines, is_text, starts_with_ignore_case, trim, trim_start};
use crate::format::tag::{self, Kind, Tag};
use crate::format::why;
use crate::span::Span;

/// How many faults of one edit are reported, openings inside one that has no end included.
const MAX_FAULTS: usize = 50;
/// The longest `marker`, in bytes.
const MAX_MARKER: usize = 64;

/// An element as far as it was read.
struct Element {
    tag: Span,
    path: Option<Target>,
    operation: Option<Operation>,
    why: Option<(Option<String>, Span)>,
    find: Option<(Payload, Anchor)>,
    put: Option<Payload>,
    to: Option<Target>,
    /// Where each part's tag is, for those that stand there, whole or not.
    seen: [Option<Span>; 3],
    faults: Vec<Diagnostic>,
}

/// Reads the element at whose tag the cursor stands and adds its edit, or what is wrong with it.
pub(super) fn read(cursor: &mut Cursor<'_>, script: &mut Script, fault: Option<Diagnostic>) {
    let tag = tag::read(cursor);
    let mut element = Element {
        tag: cursor.span(tag.start, tag.end),
        path: None,
        operation: None,
        why: None,
        find: None,
        put: None,
        to: None,
        seen: [None; 3],
        faults: fault.into_iter().collect(),
    };
    element.read_attributes(cursor, &tag);
    let mut end = tag.end;
    if has_no_end(&tag) {
        if !opens_edit(cursor) {
            element.give_up(cursor);
        }
    } else if tag.kind == Kind::Opening
        && let Some(after) = element.read_parts(cursor)
    {
        end = after;
    }
    let path = element.path.as_ref().map(|path| path.raw.clone());
    let lost = element.tag;
    match element.lower(cursor, tag.start, end) {
        Ok(edit) => script.edits.push(edit),
        Err(faults) => script.diagnostics.extend(faults.into_iter().map(|mut fault| {
            if fault.lost.is_none() {
                fault.path = fault.path.or_else(|| path.clone());
            }
            fault.with_lost(lost)
        })),
    }
}

/// Reads a part of an element, or an end of one, whose opening tag is missing; `before` is the first part before it of
/// what may be the same. Gives that for the next.
pub(super) fn read_stray(cursor: &mut Cursor<'_>, script: &mut Script, before: Option<Span>) -> Option<Span> {
    let tag = tag::read(cursor);
    let span = cursor.span(tag.start, tag.end);
    let first = before.filter(|_| !tag.is("find") || tag.kind == Kind::Closing).unwrap_or(span);
    let slash = if tag.kind == Kind::Closing { "/" } else { "" };
    let message = format!("<{slash}{}> stands outside any edit", tag.name);
    let fault = Diagnostic::error(Code::Malformed, span, message)
        .with_lost(first)
        .with_help("the line <edit file=\"…\" op=\"…\"> before it is missing or misspelt");
    script.diagnostics.push(fault);
    let mut faults = Vec::new();
    skip_payload(cursor, &tag, &mut faults);
    script.diagnostics.append(&mut faults);
    (!tag.is("edit")).then_some(first)
}

/// Whether a tag breaks off.
fn has_no_end(tag: &Tag<'_>) -> bool {
    tag.faults.iter().any(|fault| fault.code == Code::Truncated)
}

impl Element {
    fn fault(&mut self, code: Code, span: Span, message: String) {
        self.faults.push(Diagnostic::error(code, span, message));
    }

    fn read_attributes(&mut self, cursor: &Cursor<'_>, tag: &Tag<'_>) {
        self.check_attributes(cursor, tag, &["file", "op", "root"]);
        if has_no_end(tag) && tag.attribute("file").is_none() {
            return;
        }
        let root = tag.attribute("root");
        if let Some(root) = root.filter(|root| root.value.trim().is_empty()) {
            let message = "the attribute root of <edit> is empty".to_owned();
            self.fault(Code::Missing, cursor.span(root.start, root.end()), message);
        }
        self.path = self.read_target(cursor, tag, root.map(|root| root.value.to_owned()));
        let Some(op) = tag.attribute("op") else {
            if has_no_end(tag) {
                return;
            }
            return self.fault(Code::Missing, self.tag, "<edit> has no attribute op".to_owned());
        };
        let known = Operation::ALL.iter().find(|(name, _)| trim(op.value).eq_ignore_ascii_case(name));
        self.operation = known.map(|&(_, operation)| operation);
        if known.is_none() {
            let message = format!("the operation {:?} is unknown", op.value);
            let fault = Diagnostic::error(Code::Malformed, cursor.span(op.start, op.end()), message);
            self.faults.push(fault.with_help("it is one of new, patch, replace, remove, move"));
        }
    }

    /// The path in a tag's `file`.
    fn read_target(&mut self, cursor: &Cursor<'_>, tag: &Tag<'_>, root: Option<String>) -> Option<Target> {
        let Some(file) = tag.attribute("file") else {
            let span = cursor.span(tag.start, tag.end);
            self.fault(Code::Missing, span, format!("<{}> has no attribute file", tag.name));
            return None;
        };
        let span = cursor.span(file.start, file.end());
        if file.value.trim().is_empty() {
            self.fault(Code::Missing, span, format!("the attribute file of <{}> is empty", tag.name));
            return None;
        }
        Some(Target { raw: file.value.to_owned(), root, span })
    }

    fn check_attributes(&mut self, cursor: &Cursor<'_>, tag: &Tag<'_>, known: &[&str]) {
        self.faults.extend_from_slice(&tag.faults);
        for (index, attribute) in tag.attributes.iter().enumerate() {
            let span = cursor.span(attribute.start, attribute.end());
            let (name, tag_name) = (attribute.name, tag.name);
            if !known.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                let message = format!("the attribute {name} of <{tag_name}> is unknown");
                let fault = Diagnostic::error(Code::Malformed, span, message);
                let help = match known {
                    [] => format!("<{tag_name}> has no attributes"),
                    known => format!("<{tag_name}> may have {}", known.join(", ")),
                };
                self.faults.push(fault.with_help(help));
            } else if tag.attributes[..index].iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
                self.fault(Code::Duplicate, span, format!("<{tag_name}> has the attribute {name} twice"));
            } else if !attribute.quoted {
                let message = format!("the attribute {name} of <{tag_name}> has no quotes");
                self.fault(Code::Malformed, span, message);
            }
        }
    }

    /// Reads what stands between the tags; the offset after the closing one, if the element has its end.
    fn read_parts(&mut self, cursor: &mut Cursor<'_>) -> Option<usize> {
        loop {
            cursor.skip_blank_lines();
            if cursor.skip_reasoning() {
                continue;
            }
            let text = cursor.text();
            let (name, closing) = match tag::peek(text) {
                Some(tag) => tag,
                None if cursor.is_end() => {
                    self.unclosed("this edit is never closed");
                    return None;
                }
                None if Fence::of(text).is_some() => {
                    cursor.advance();
                    continue;
                }
                None => {
                    let span = cursor.span(cursor.at(), cursor.at() + text.len());
                    let message = "text that belongs to no part of the edit".to_owned();
                    self.fault(Code::Malformed, span, message);
                    self.give_up(cursor);
                    return None;
                }
            };
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            if closing && is("edit") {
                let tag = tag::read(cursor);
                self.check_attributes(cursor, &tag, &[]);
                return Some(tag.end);
            }
            if (is("edit") && opens_edit(cursor)) || is("opx") || cursor.reasoning_end().is_some() {
                self.unclosed("this edit is not closed before what follows it");
                return None;
            }
            let part = Part::ALL.into_iter().find(|part| is(part.name()));
            let whole = match part {
                _ if closing => self.unknown(cursor),
                None if is("why") => self.read_why(cursor),
                None => self.unknown(cursor),
                Some(Part::To) => self.read_to(cursor),
                Some(part) => self.read_payload(cursor, part),
            };
            if !whole || self.faults.len() >= MAX_FAULTS {
                self.give_up(cursor);
                return None;
            }
        }
    }

    fn unclosed(&mut self, message: &str) {
        let fault = Diagnostic::error(Code::Truncated, self.tag, message);
        self.faults.push(fault.with_help("close it with </edit>"));
    }

    fn unknown(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let tag = tag::read(cursor);
        let slash = if tag.kind == Kind::Closing { "/" } else { "" };
        let span = cursor.span(tag.start, tag.end);
        let fault = Diagnostic::error(
            Code::Malformed,
            span,
            format!("<{slash}{}> has no place in an edit", tag.name),
        );
        self.faults.push(fault.with_help("the parts of an edit are why, find, put and to"));
        false
    }

    /// Notes a part's tag and that it stands there; whether it is the first. A second one is an error.
    fn note(&mut self, cursor: &Cursor<'_>, part: Part, tag: &Tag<'_>) -> bool {
        let span = cursor.span(tag.start, tag.end);
        if let Some(first) = self.seen[part as usize] {
            let message = format!("a second <{}> in one edit", part.name());
            let fault = Diagnostic::error(Code::Duplicate, span, message).with_label(first, "the first");
            self.faults.push(fault.with_help("write one edit for each change"));
            return false;
        }
        self.seen[part as usize] = Some(span);
        true
    }

    fn read_to(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let tag = tag::read(cursor);
        self.check_attributes(cursor, &tag, &["file"]);
        self.note(cursor, Part::To, &tag);
        let root = self.path.as_ref().and_then(|path| path.root.clone());
        self.to = self.read_target(cursor, &tag, root);
        if tag.kind == Kind::Opening && !has_no_end(&tag) {
            cursor.skip_blank_lines();
            if !tag::closes(cursor.text(), "to") {
                let span = cursor.span(tag.start, tag.end);
                self.fault(Code::Truncated, span, "<to> is not closed".to_owned());
                return true;
            }
            tag::read(cursor);
        }
        !has_no_end(&tag)
    }

    fn read_why(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let tag = tag::read(cursor);
        self.check_attributes(cursor, &tag, &[]);
        let span = cursor.span(tag.start, tag.end);
        if let Some((_, first)) = self.why {
            let fault = Diagnostic::error(Code::Duplicate, span, "a second <why> in one edit");
            self.faults.push(fault.with_label(first, "the first"));
        }
        let text = match tag.kind {
            Kind::SelfClosed => Some(String::new()),
            _ if has_no_end(&tag) => return false,
            _ => tag::read_text(cursor, "why", |_, line| ends_reason(line)),
        };
        let Some(text) = text else {
            self.fault(Code::Truncated, span, "<why> is not closed".to_owned());
            return false;
        };
        self.why.get_or_insert((why::joined(&text), span));
        true
    }

    /// Reads a `<find>` or `<put>`; whether it was whole.
    fn read_payload(&mut self, cursor: &mut Cursor<'_>, part: Part) -> bool {
        let tag = tag::read(cursor);
        let known: &[&str] = if part == Part::Find { &["marker", "occurrence"] } else { &["marker"] };
        self.check_attributes(cursor, &tag, known);
        let first = self.note(cursor, part, &tag);
        if has_no_end(&tag) {
            return false;
        }
        if !first {
            skip_payload(cursor, &tag, &mut self.faults);
            return true;
        }
        let span = cursor.span(tag.start, tag.end);
        if tag.kind == Kind::SelfClosed {
            self.fault(Code::Missing, span, format!("<{}> has no text", part.name()));
            return true;
        }
        let anchor = match tag.attribute("occurrence").filter(|_| part == Part::Find) {
            None => Anchor::Unique,
            Some(value) => match occurrence(value.value) {
                Some(occurrence) => Anchor::Occurrence(occurrence),
                None => {
                    let message = format!("the occurrence {:?} is none", value.value);
                    let place = cursor.span(value.start, value.end());
                    let fault = Diagnostic::error(Code::Malformed, place, message);
                    self.faults.push(fault.with_help("it is first, last or a number from 1"));
                    Anchor::Unique
                }
            },
        };
        let marker = tag.attribute("marker");
        if let Some(marker) = marker.filter(|marker| !is_marker(marker.value)) {
            let message = format!("the marker {:?} cannot be one", marker.value);
            let place = cursor.span(marker.start, marker.end());
            let fault = Diagnostic::error(Code::Malformed, place, message);
            self.faults.push(fault.with_help("a marker is a short text without blanks, such as @@@"));
            return false;
        }
        let below = cursor.lines();
        match payload::read(cursor, part.name(), tag.start, marker.map(|marker| marker.value)) {
            Ok(payload) => {
                match part {
                    Part::Find => self.find = Some((payload, anchor)),
                    _ => self.put = Some(payload),
                }
                true
            }
            Err(fault) => {
                self.faults.push(*fault.diagnostic);
                if let Some(first) = fault.unended {
                    report_swallowed(cursor, below, first, &mut self.faults);
                }
                false
            }
        }
    }

    /// Goes to where an element that lost its form may end: after the next `</edit>` outside texts, before the end of
    /// an envelope or of reasoning, or to the end. Edits on the way may be text of this one.
    fn give_up(&mut self, cursor: &mut Cursor<'_>) {
        let mut seen = None;
        while let Some(line) = cursor.line() {
            if seen != Some(line.next) {
                seen = Some(line.next);
                if cursor.may_be_reasoning() && cursor.reasoning_end().is_some() {
                    return;
                }
                if is_text(line.text, payload::OPEN) {
                    payload::skip_bare(cursor);
                    continue;
                }
                cursor.skip_blanks();
                if opens_edit(cursor) {
                    report_edit(cursor, &mut self.faults);
                    continue;
                }
            }
            let text = cursor.text();
            let tag = memchr::memchr_iter(b'<', text.as_bytes()).find_map(|at| {
                let (name, closing) = tag::peek(&text[at..])?;
                let ends = name.eq_ignore_ascii_case("opx") || (closing && name.eq_ignore_ascii_case("edit"));
                (ends || (!closing && is_child(name))).then_some((at, name, ends))
            });
            let Some((at, name, ends)) = tag else {
                cursor.advance();
                continue;
            };
            cursor.step(at);
            if ends {
                if name.eq_ignore_ascii_case("edit") {
                    tag::read(cursor);
                }
                return;
            }
            let tag = tag::read(cursor);
            skip_payload(cursor, &tag, &mut self.faults);
        }
    }

    /// The edit that it is, or all that is wrong with it.
    fn lower(mut self, cursor: &Cursor<'_>, start: usize, end: usize) -> Result<Edit, Vec<Diagnostic>> {
        if self.faults.is_empty() {
            self.check_parts();
        }
        let (Some(path), Some(operation), true) = (self.path, self.operation, self.faults.is_empty()) else {
            return Err(self.faults);
        };
        let op = match (operation, self.put, self.find, self.to) {
            (Operation::New, Some(put), ..) => Op::Create { text: put.text, existing: Existing::Refuse },
            (Operation::Replace, Some(put), ..) => Op::Replace { text: put.text },
            (Operation::Remove, ..) => Op::Delete { recursive: false, hunks: Vec::new() },
            (Operation::Move, _, _, Some(to)) => Op::Rename { to: Box::new(to), hunks: Vec::new() },
            (Operation::Patch, Some(put), Some((find, anchor)), _) => {
                let span = find.span.join(put.span);
                let change = Change::Texts { before: find.text, after: put.text, unit: Unit::Text };
                Op::Modify { hunks: vec![Hunk { span, change, anchor }], missing: Missing::Refuse }
            }
            // The parts were checked; should one be missing all the same, it is an error and never an empty text.
            _ => {
                let message = format!("op=\"{}\" lacks a part", operation.name());
                return Err(vec![Diagnostic::error(Code::Missing, self.tag, message)]);
            }
        };
        let why = self.why.and_then(|(why, _)| why);
        let span = cursor.span(start, end);
        Ok(Edit { span, format: FormatId::Opx, region: cursor.region(), path, op, why, git: Git::default() })
    }

    /// Compares the parts with what the operation needs.
    fn check_parts(&mut self) {
        let Some(operation) = self.operation else { return };
        for part in Part::ALL {
            let needed = operation.parts().contains(&part);
            match self.seen[part as usize] {
                None if needed => {
                    let message = format!("op=\"{}\" needs <{}>", operation.name(), part.name());
                    self.fault(Code::Missing, self.tag, message);
                }
                Some(span) if !needed => {
                    let message = format!("op=\"{}\" takes no <{}>", operation.name(), part.name());
                    let fault = Diagnostic::error(Code::Malformed, span, message);
                    self.faults.push(match part {
                        Part::Find => fault.with_help("to change a part of the file use op=\"patch\""),
                        _ => fault,
                    });
                }
                _ => {}
            }
        }
        if self.find.as_ref().is_some_and(|(find, _)| find.text.trim().is_empty()) {
            let span = self.seen[Part::Find as usize].unwrap_or(self.tag);
            let fault = Diagnostic::error(Code::Missing, span, "the text of <find> is empty");
            self.faults
                .push(fault.with_help("quote the lines to change; for a whole file use op=\"replace\""));
        }
    }
}

/// Whether a line begins with a tag of the format, so that no reason goes on there.
fn ends_reason(line: Line<'_>) -> bool {
    let tags = ["edit", "opx", "find", "put", "to"];
    let tag = tag::peek(trim_start(line.text));
    tag.is_some_and(|(name, _)| tags.iter().any(|tag| name.eq_ignore_ascii_case(tag)))
}

/// Whether the tag of an edit begins here.
fn opens_edit(cursor: &Cursor<'_>) -> bool {
    starts_with_ignore_case(cursor.text(), "<edit")
        && starts_edit(cursor.text(), cursor.lines().nth(1).map(|line| line.text))
}

/// What an `occurrence` means.
fn occurrence(value: &str) -> Option<Occurrence> {
    let value = trim(value);
    if value.eq_ignore_ascii_case("first") {
        Some(Occurrence::First)
    } else if value.eq_ignore_ascii_case("last") {
        Some(Occurrence::Last)
    } else if value.bytes().all(|byte| byte.is_ascii_digit()) {
        value.parse().ok().map(Occurrence::Nth)
    } else {
        None
    }
}

/// Whether lines may be marked with that text.
fn is_marker(value: &str) -> bool {
    !value.is_empty() && value.len() <= MAX_MARKER && !value.contains(char::is_whitespace)
}

/// Goes after the text of a `<find>` or `<put>` of an element that is at fault already, if it has one.
fn skip_payload(cursor: &mut Cursor<'_>, tag: &Tag<'_>, faults: &mut Vec<Diagnostic>) {
    let marker = tag.attribute("marker").map(|marker| marker.value).filter(|marker| is_marker(marker));
    let name = if tag.is("find") { "find" } else { "put" };
    if tag.kind != Kind::Opening || has_no_end(tag) {
        return;
    }
    let below = cursor.lines();
    if let Some(first) = payload::skip(cursor, name, marker) {
        report_swallowed(cursor, below, first, faults);
    }
}

/// Makes every opening of an edit from `first` to where the cursor is an error.
fn report_swallowed<'r>(
    cursor: &mut Cursor<'r>,
    below: Lines<'r>,
    first: usize,
    faults: &mut Vec<Diagnostic>,
) {
    let end = cursor.mark();
    let until = cursor.at();
    let within = below.skip_while(|line| line.start < first).take_while(|line| line.start < until);
    for line in within {
        cursor.go_to(line.trim_start());
        if opens_edit(cursor) {
            report_edit(cursor, faults);
        }
    }
    cursor.reset(end);
}

/// Reads the tag of an edit that stands inside another and makes it an error.
fn report_edit(cursor: &mut Cursor<'_>, faults: &mut Vec<Diagnostic>) {
    let tag = tag::read(cursor);
    let span = cursor.span(tag.start, tag.end);
    if faults.len() < MAX_FAULTS {
        let message = "this edit stands inside one that does not end before it";
        let mut fault = Diagnostic::error(Code::Truncated, span, message).with_lost(span);
        fault.path = tag.attribute("file").map(|file| file.value.to_owned());
        faults.push(fault.with_help("give it once more, after the one before it is closed"));
    } else if faults.len() == MAX_FAULTS {
        let message = "this edit and others stand inside one that has no end";
        faults.push(Diagnostic::error(Code::Limit, span, message).with_lost(span));
    }
}
