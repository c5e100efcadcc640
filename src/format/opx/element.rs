//! An `<edit>` element: its attributes, its parts, and the edit that it becomes.

use super::opening;
use super::payload;
use crate::edit::{Anchor, Change, Edit, Existing, Hunk, Missing, Occurrence, Op, Target, Unit};
use crate::format::fault::Fault;
use crate::format::fence::{Fence, unfence, unfence_all};
use crate::format::scan::{Cursor, Payload, trim};
use crate::format::tag::{self, Attribute, Kind, Tag};
use crate::format::{FormatId, Output, fault, why};
use crate::span::Span;

/// The length of the longest `marker`, in bytes.
const MAX_MARKER: usize = 64;
/// The parts of an edit.
const PARTS: [&str; 4] = ["find", "put", "to", "why"];
/// The operations. For each: whether it needs the parts `<find>`, `<put>` and `<to>`. A part that it does not need is
/// an error.
const OPERATIONS: [(&str, [bool; 3]); 5] = [
    ("new", [false, true, false]),
    ("patch", [true, true, false]),
    ("replace", [false, true, false]),
    ("remove", [false, false, false]),
    ("move", [false, false, true]),
];

/// The parts that were read.
#[derive(Default)]
struct Parts<'r> {
    find: Option<Payload<'r>>,
    put: Option<Payload<'r>>,
    to: Option<Target>,
    anchor: Anchor,
    why: Option<String>,
    /// The span of the tag of each of [`PARTS`].
    seen: [Option<Span>; 4],
    /// The first error.
    fault: Option<Fault>,
}

/// Reads the element at the cursor, and adds its edit or error.
pub(super) fn read(cursor: &mut Cursor<'_>, out: &mut Output) {
    let tag = tag::read(cursor);
    let mut parts = Parts::default();
    let head = head(&tag);
    if tag.opens() {
        parts.read(cursor, &tag);
    }
    let start = tag.span.start as usize;
    let span = cursor.span(start, cursor.at().max(tag.span.end as usize));
    let path = tag.attribute("file").map(|file| file.value.to_owned());
    let edit = head.and_then(|(path, operation)| {
        let op = parts.make_op(&tag, &path, operation)?;
        Ok(Edit { why: parts.why, ..Edit::new(FormatId::Opx, span, path, op) })
    });
    out.take(edit.map_err(|fault| fault.with_lost(span).into()), path);
}

/// Returns the path of an element, and its operation as an index in [`OPERATIONS`].
fn head(tag: &Tag<'_>) -> Result<(Target, usize), Fault> {
    tag.check(&["file", "op", "root"])?;
    let root = tag.attribute("root");
    if let Some(root) = root.filter(|root| root.value.trim().is_empty()) {
        return Err(fault::missing_field(root.span, "root", &tag.shown()).into());
    }
    let path = Target { root: root.map(|root| root.value.into()), ..tag.target("file")? };
    let op = tag.attribute("op").ok_or_else(|| fault::missing_field(tag.span, "op", &tag.shown()))?;
    let known = OPERATIONS.iter().position(|(name, _)| trim(op.value).eq_ignore_ascii_case(name));
    let names = || OPERATIONS.map(|(name, _)| name).join(", ");
    Ok((path, known.ok_or_else(|| fault::unknown_operation(op.span, op.value, &names()))?))
}

impl<'r> Parts<'r> {
    /// Keeps the first error.
    fn fail(&mut self, fault: impl Into<Fault>) {
        self.fault.get_or_insert(fault.into());
    }

    /// Returns the value, or keeps the error if it is the first.
    fn ok_or_fail<T>(&mut self, read: Result<T, impl Into<Fault>>) -> Option<T> {
        read.map_err(|fault| self.fail(fault)).ok()
    }

    /// Reads the content up to the closing tag.
    fn read(&mut self, cursor: &mut Cursor<'r>, edit: &Tag<'r>) {
        let unterminated = || fault::unterminated(edit.span, &edit.shown());
        loop {
            cursor.skip_blank_lines();
            let text = cursor.text();
            let (name, closing) = tag::peek(text).unwrap_or_default();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            if closing && is("edit") {
                let end = tag::read(cursor);
                self.ok_or_fail(end.check(&[]));
                return;
            }
            // The next edit begins, so this one has no closing tag.
            if cursor.is_end() || is("opx") || is("edit") && opening(cursor) == Some(super::Opening::Edit) {
                return self.fail(unterminated());
            }
            match PARTS.iter().position(|part| is(part)).filter(|_| !closing) {
                Some(part) => self.read_part(cursor, part),
                None if Fence::of(text).is_some() => cursor.advance(),
                None => {
                    self.fail(fault::unexpected(cursor.line_span(), "text", &edit.shown()));
                    match tag::find_closing(text, "edit") {
                        Some(at) => cursor.step(at),
                        None => cursor.advance(),
                    }
                }
            }
        }
    }

    /// Reads a part, by its index in [`PARTS`].
    fn read_part(&mut self, cursor: &mut Cursor<'r>, part: usize) {
        let tag = tag::read(cursor);
        let known: &[&str] = [&["occurrence", "marker"][..], &["marker"], &["file"], &[]][part];
        self.ok_or_fail(tag.check(known));
        if self.seen[part].replace(tag.span).is_some() {
            self.fail(fault::duplicate_field(tag.span, &format!("<{}>", tag.name), "`<edit>`"));
        }
        if !tag.is_whole {
            return;
        }
        match part {
            0 | 1 => self.read_payload(cursor, &tag, part == 0),
            2 => {
                let to = tag.target("file");
                self.to = self.ok_or_fail(to);
                cursor.skip_blank_lines();
                if tag.opens() {
                    match tag::closing_length(cursor.text(), "to", tag.brackets) {
                        Some(length) => cursor.step(length),
                        None => self.fail(fault::unterminated(tag.span, &tag.shown())),
                    }
                }
            }
            _ if tag.kind == Kind::SelfClosed => {}
            _ => {
                let is_own = |name: &str| {
                    ["edit", "opx", "find", "put", "to"].iter().any(|own| name.eq_ignore_ascii_case(own))
                };
                let text = tag::read_text(cursor, "why", is_own);
                let text = text.ok_or_else(|| fault::unterminated(tag.span, &tag.shown()));
                self.why = self.ok_or_fail(text).and_then(|text| why::join_paragraphs(&text));
            }
        }
    }

    /// Reads the payload of a `<find>` or `<put>`.
    fn read_payload(&mut self, cursor: &mut Cursor<'r>, tag: &Tag<'r>, is_find: bool) {
        let bad = |Attribute { name, span, .. }: Attribute<'_>, expected: &str| {
            fault::bad_value(span, name, &tag.shown(), expected)
        };
        if let Some(value) = tag.attribute("occurrence") {
            let anchor = occurrence(value.value).map(Anchor::Occurrence);
            let anchor = self.ok_or_fail(anchor.ok_or_else(|| bad(value, "first, last or a number from 1")));
            self.anchor = anchor.unwrap_or_default();
        }
        if tag.kind == Kind::SelfClosed {
            return self.fail(fault::missing_field(tag.span, tag.name, "`<edit>`"));
        }
        let marker = tag.attribute("marker").and_then(|marker| {
            let is_one = !marker.value.is_empty()
                && marker.value.len() <= MAX_MARKER
                && !marker.value.contains(char::is_whitespace);
            let expected = "a short text without blanks, such as @@@";
            self.ok_or_fail(is_one.then_some(marker.value).ok_or_else(|| bad(marker, expected)))
        });
        let payload = payload::read(cursor, tag, marker);
        let payload = self.ok_or_fail(payload);
        if is_find {
            self.find = payload;
        } else {
            self.put = payload;
        }
    }

    /// Returns the operation with its parts.
    fn make_op(&mut self, edit: &Tag<'_>, path: &Target, operation: usize) -> Result<Op, Fault> {
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        let (name, needed) = OPERATIONS[operation];
        let owner = || format!("`<edit op=\"{name}\">`");
        for (part, (seen, needed)) in PARTS.iter().zip(self.seen.iter().zip(needed)) {
            match seen {
                None if needed => Err(fault::missing_field(edit.span, &format!("<{part}>"), &owner()))?,
                Some(span) if !needed => Err(fault::unexpected(*span, &format!("`<{part}>`"), &owner()))?,
                _ => {}
            }
        }
        let text = |payload: &Payload<'_>| unfence(payload, &path.raw).unwrap_or_else(|| payload.text());
        Ok(match (name, &self.find, &self.put, self.to.take()) {
            ("new", _, Some(put), _) => Op::Create { text: text(put), existing: Existing::Refuse },
            ("replace", _, Some(put), _) => Op::Replace { text: text(put) },
            ("move", _, _, Some(to)) => {
                Op::Rename { to: Box::new(Target { root: path.root.clone(), ..to }), hunks: Vec::new() }
            }
            ("patch", Some(find), Some(put), _) => {
                let inner = unfence_all([find, put], &path.raw);
                let [before, after] = inner.unwrap_or_else(|| [find.text(), put.text()]);
                if before.is_blank() {
                    return Err(fault::missing_field(find.span(), "<find>", &owner()).into());
                }
                let change = Change::Texts { before, after, unit: Unit::Text };
                let anchor = std::mem::take(&mut self.anchor);
                let hunk = Hunk { span: find.span().join(put.span()), change, anchor };
                Op::Modify { hunks: vec![hunk], missing: Missing::Refuse }
            }
            ("remove", ..) => Op::Delete { recursive: false, hunks: Vec::new() },
            _ => return Err(fault::missing_field(edit.span, "part", &owner()).into()),
        })
    }
}

/// Returns the meaning of the value of `occurrence`.
fn occurrence(value: &str) -> Option<Occurrence> {
    match trim(value) {
        first if first.eq_ignore_ascii_case("first") => Some(Occurrence::First),
        last if last.eq_ignore_ascii_case("last") => Some(Occurrence::Last),
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            number.parse().ok().map(Occurrence::Nth)
        }
        _ => None,
    }
}
