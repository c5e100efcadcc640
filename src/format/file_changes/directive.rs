//! One directive: its tag, what stands between it and its closing tag, and the edit they come to.

use super::content::{self, Content, Unended};
use super::{begins_directive, begins_envelope, ends_envelope, is_like_directive, is_root};
use crate::diag::{Code, Diagnostic};
use crate::edit::{Edit, Existing, Git, Missing, Op, Script, Target};
use crate::format::scan::Cursor;
use crate::format::tag::{self, Brackets, Kind, Tag};
use crate::format::{FormatId, hunk, why};

/// How many directives that stand in one without an end are reported one by one.
const MAX_SWALLOWED: usize = 50;

/// The directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    New,
    Patch,
    Append,
    Rename,
    Copy,
    Delete,
}

impl Directive {
    const ALL: [Directive; 6] = [
        Directive::New,
        Directive::Patch,
        Directive::Append,
        Directive::Rename,
        Directive::Copy,
        Directive::Delete,
    ];

    /// The directive whose tag has that name, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|directive| directive.name().eq_ignore_ascii_case(name))
    }

    /// The name of its tag.
    pub(super) fn name(self) -> &'static str {
        match self {
            Directive::New => "FILE_NEW",
            Directive::Patch => "FILE_PATCH",
            Directive::Append => "FILE_APPEND",
            Directive::Rename => "FILE_RENAME",
            Directive::Copy => "FILE_COPY",
            Directive::Delete => "FILE_DELETE",
        }
    }

    /// The attributes that it needs, the edit's path first.
    fn paths(self) -> &'static [&'static str] {
        match self {
            Directive::Rename | Directive::Copy => &["from_path", "to_path"],
            Directive::New | Directive::Patch | Directive::Append | Directive::Delete => &["file_path"],
        }
    }

    /// Whether it has content.
    fn has_content(self) -> bool {
        matches!(self, Directive::New | Directive::Patch | Directive::Append)
    }
}

/// Reads the directive at whose tag the line begins and adds its edit, or what is wrong with it. `enclosed`: it stands
/// in an envelope.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    script: &mut Script,
    brackets: Brackets,
    directive: Directive,
    enclosed: bool,
) {
    let line = cursor.line().filter(|line| line.is_whole());
    cursor.skip_blanks();
    let indent = line.map_or(0, |line| cursor.at() - line.start);
    let tag = tag::read_in(cursor, brackets);
    let span = cursor.span(tag.start, tag.end);
    let mut faults = tag.faults.clone();
    check_attributes(cursor, &tag, directive, &mut faults);
    let mut targets = directive.paths().iter().map(|name| target(cursor, &tag, name, &mut faults));
    let (path, to) = (targets.next().flatten(), targets.next().flatten());
    drop(targets);

    let content = match (tag.kind, directive.has_content()) {
        (Kind::SelfClosed, false) => Content::default(),
        (Kind::SelfClosed, true) => {
            let message = format!("{} has no content", tag.shown());
            let help = format!("put it before {}", brackets.around(&format!("/{}", directive.name())));
            faults.push(Diagnostic::error(Code::Missing, span, message).with_help(help));
            Content::default()
        }
        (_, true) => content::read(cursor, &tag, directive, indent, &mut faults),
        (_, false) => content::read_none(cursor, &tag, directive, &mut faults),
    };
    let end = content.end.unwrap_or(tag.end);
    if let Some(unended) = content.unended {
        give_up(cursor, brackets, unended, &mut faults);
    }
    let why = reason(cursor, &tag, &content, &mut faults);
    if !enclosed {
        let message = format!("{} stands outside any {}", tag.shown(), brackets.around("FILE_CHANGES"));
        faults.push(
            Diagnostic::error(Code::Malformed, span, message)
                .with_help("put all directives between a line <FILE_CHANGES> and a line </FILE_CHANGES>"),
        );
    }
    let op = match (&path, to) {
        (Some(path), to) => lower(cursor, directive, span, path, to, content, &mut faults),
        (None, _) => None,
    };
    let raw = path.as_ref().map(|path| path.raw.clone());
    if let (Some(path), Some(op), true) = (path, op, faults.is_empty()) {
        let span = cursor.span(tag.start, end);
        let region = cursor.region();
        script.edits.push(Edit {
            span,
            format: FormatId::FileChanges,
            region,
            path,
            op,
            why,
            git: Git::default(),
        });
    } else {
        script.diagnostics.extend(faults.into_iter().map(|mut fault| {
            if fault.lost.is_none() {
                fault.path = fault.path.or_else(|| raw.clone());
            }
            fault.with_lost(span)
        }));
    }
}

/// Reads the tag of a directive in square brackets that does not begin its line.
pub(super) fn read_indented(cursor: &mut Cursor<'_>, script: &mut Script) {
    cursor.skip_blanks();
    let tag = tag::read_in(cursor, Brackets::Square);
    let message = format!("{} does not begin its line", tag.shown());
    let fault = Diagnostic::error(Code::Malformed, cursor.span(tag.start, tag.end), message);
    script.diagnostics.push(fault.with_help("put tags in square brackets at the start of a line"));
}

/// Reads a tag that reads like a directive's and is none, and what belongs to it if it has an end.
pub(super) fn read_unknown(cursor: &mut Cursor<'_>, script: &mut Script, brackets: Brackets) {
    cursor.skip_blanks();
    let tag = tag::read_in(cursor, brackets);
    let message = format!("there is no directive {}", tag.shown());
    let names: Vec<_> = Directive::ALL.iter().map(|directive| directive.name()).collect();
    let fault = Diagnostic::error(Code::Malformed, cursor.span(tag.start, tag.end), message);
    script.diagnostics.push(fault.with_help(format!("it is one of {}", names.join(", "))));
    if tag.kind != Kind::Opening || !is_like_directive(tag.name) {
        return;
    }
    // Its content, if it has any, is no place to look for edits.
    for line in cursor.lines().skip(1) {
        let text = line.text.trim_start_matches([' ', '\t']);
        match tag::peek_in(text, brackets) {
            Some((name, true)) if name.eq_ignore_ascii_case(tag.name) => {
                cursor.go_to(line);
                cursor.skip_blanks();
                tag::read_in(cursor, brackets);
                return;
            }
            Some((name, _)) if is_root(name) || is_like_directive(name) => return,
            _ => {}
        }
    }
}

fn check_attributes(cursor: &Cursor<'_>, tag: &Tag<'_>, directive: Directive, faults: &mut Vec<Diagnostic>) {
    for (index, attribute) in tag.attributes.iter().enumerate() {
        let span = cursor.span(attribute.start, attribute.end());
        let name = attribute.name;
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if !is("why") && !directive.paths().iter().any(|known| is(known)) {
            let message = format!("the attribute {name} of {} is unknown", tag.shown());
            let help = format!("{} has {} and may have why", tag.shown(), directive.paths().join(" and "));
            faults.push(Diagnostic::error(Code::Malformed, span, message).with_help(help));
        } else if tag.attributes[..index].iter().any(|other| is(other.name)) {
            let message = format!("{} has the attribute {name} twice", tag.shown());
            faults.push(Diagnostic::error(Code::Duplicate, span, message));
        }
    }
}

/// The path in an attribute that must be there.
fn target(cursor: &Cursor<'_>, tag: &Tag<'_>, name: &str, faults: &mut Vec<Diagnostic>) -> Option<Target> {
    let attribute = tag.attribute(name);
    let Some(found) = attribute.filter(|attribute| !attribute.value.trim().is_empty()) else {
        let state = if attribute.is_some() { "is empty in" } else { "is missing in" };
        let span = cursor.span(tag.start, tag.end);
        let message = format!("the attribute {name} {state} {}", tag.shown());
        faults.push(Diagnostic::error(Code::Missing, span, message));
        return None;
    };
    Some(Target { raw: found.value.to_owned(), root: None, span: cursor.span(found.start, found.end()) })
}

/// The reason, from the attribute or the child.
fn reason(
    cursor: &Cursor<'_>,
    tag: &Tag<'_>,
    content: &Content<'_>,
    faults: &mut Vec<Diagnostic>,
) -> Option<String> {
    let attribute = tag.attribute("why");
    if let (Some(attribute), Some(_)) = (attribute, &content.why) {
        let message = format!("{} has a reason both in its tag and below it", tag.shown());
        let span = cursor.span(attribute.start, attribute.end());
        faults.push(Diagnostic::error(Code::Duplicate, span, message));
    }
    why::joined(content.why.as_deref().or(attribute.map(|attribute| attribute.value))?)
}

fn lower(
    cursor: &Cursor<'_>,
    directive: Directive,
    tag: crate::span::Span,
    path: &Target,
    to: Option<Target>,
    content: Content<'_>,
    faults: &mut Vec<Diagnostic>,
) -> Option<Op> {
    Some(match directive {
        Directive::New => Op::Create { text: content.text(), existing: Existing::Overwrite },
        Directive::Append => Op::Append { text: content.text() },
        Directive::Patch => {
            let body = hunk::read(content.lines(), cursor.response(), &path.raw);
            if body.hunks.is_empty() && body.faults.is_empty() && faults.is_empty() {
                let fault = Diagnostic::error(Code::Missing, tag, "this patch has no hunks");
                faults.push(fault.with_help("begin each hunk with a line @@"));
            }
            faults.extend(body.faults);
            Op::Modify { hunks: body.hunks, missing: Missing::CreateFromAdditions }
        }
        Directive::Delete => Op::Delete { recursive: true, hunks: Vec::new() },
        Directive::Rename => Op::Rename { to: Box::new(to?), hunks: Vec::new() },
        Directive::Copy => Op::Copy { to: Box::new(to?), hunks: Vec::new() },
    })
}

/// From within a directive that has no end: goes to the end of the envelope, or to the end if no other directive begins
/// before that; or to the end of reasoning. Directives on the way may be its text.
fn give_up(cursor: &mut Cursor<'_>, brackets: Brackets, unended: Unended, faults: &mut Vec<Diagnostic>) {
    let mut swallowed = 0;
    while let Some(line) = cursor.line() {
        if cursor.may_be_reasoning() && cursor.reasoning_end().is_some() {
            return;
        }
        let text = line.text.trim_start_matches([' ', '\t']);
        let ends = ends_envelope(text);
        if ends || begins_envelope(text, Brackets::Angle) || begins_envelope(text, Brackets::Square) {
            if unended == Unended::Swallows {
                return;
            } else if ends {
                cursor.close_envelope();
            }
        }
        if begins_directive(text, brackets) {
            let start = line.start + line.text.len() - text.len();
            let span = cursor.span(start, line.end());
            if swallowed < MAX_SWALLOWED {
                let message = "this directive stands in one that does not end before it";
                let fault = Diagnostic::error(Code::Truncated, span, message).with_lost(span);
                faults.push(fault.with_help("give it once more, after the one before it is closed"));
            } else if swallowed == MAX_SWALLOWED {
                let message = "this directive and others stand in one that has no end";
                faults.push(Diagnostic::error(Code::Limit, span, message).with_lost(span));
            }
            swallowed += 1;
        }
        cursor.advance();
    }
}
