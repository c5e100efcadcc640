//! A directive: its tag, its content, and the edit that it becomes.

use super::content::{self, Content};
use crate::edit::{Edit, Existing, Missing, Op, Target};
use crate::format::fault::Fault;
use crate::format::scan::Cursor;
use crate::format::tag::{self, Brackets, Kind, Tag};
use crate::format::{FormatId, Output, fault, hunk, why};

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
    const ALL: [Self; 6] = [Self::New, Self::Patch, Self::Append, Self::Rename, Self::Copy, Self::Delete];
    /// The names of the tags.
    pub(super) const NAMES: [&str; 6] =
        ["FILE_NEW", "FILE_PATCH", "FILE_APPEND", "FILE_RENAME", "FILE_COPY", "FILE_DELETE"];

    /// Returns the directive with the name of a tag, ignoring case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| name.eq_ignore_ascii_case(known))?;
        Self::ALL.get(at).copied()
    }

    /// Whether its tag has content.
    fn has_content(self) -> bool {
        matches!(self, Self::New | Self::Patch | Self::Append)
    }
}

/// Reads the directive at the cursor, and adds its edit or error. `enclosed`: it is in an envelope.
pub(super) fn read(cursor: &mut Cursor<'_>, out: &mut Output, directive: Directive, enclosed: bool) {
    let begins_line = cursor.begins_line();
    let line = cursor.at();
    cursor.skip_blanks();
    let indent = if begins_line { cursor.at() - line } else { 0 };
    let tag = tag::read(cursor);
    let content = content::read(cursor, &tag, directive, indent);
    let start = tag.span.start as usize;
    let span = cursor.span(start, cursor.at().max(tag.span.end as usize));
    let is_indented = tag.brackets == Brackets::SQUARE && (indent > 0 || !begins_line);
    let edit = match content {
        _ if !enclosed => Err(fault::outside(tag.span, &tag.shown(), "`<FILE_CHANGES>`").into()),
        _ if is_indented => Err(fault::unexpected(tag.span, "indentation", &tag.shown()).into()),
        content => content.and_then(|content| lower(cursor, directive, &tag, &content)),
    };
    let edit = edit.map(|(path, op, why)| Edit { why, ..Edit::new(FormatId::FileChanges, span, path, op) });
    let path = tag.attribute("file_path").or_else(|| tag.attribute("from_path"));
    out.take(edit.map_err(|fault| fault.with_lost(span).into()), path.map(|path| path.value.to_owned()));
}

/// Returns the path, the operation and the reason of a directive.
fn lower(
    cursor: &Cursor<'_>,
    directive: Directive,
    tag: &Tag<'_>,
    content: &Content<'_>,
) -> Result<(Target, Op, Option<String>), Fault> {
    let moves = matches!(directive, Directive::Rename | Directive::Copy);
    let known: &[&str] = if moves { &["from_path", "to_path", "why"] } else { &["file_path", "why"] };
    if directive.has_content() && tag.kind == Kind::SelfClosed {
        return Err(fault::missing_field(tag.span, "content", &tag.shown()).into());
    } else if let Some(line) = content.payload.first().filter(|_| !directive.has_content()) {
        return Err(fault::unexpected(cursor.span_of(line), "text", &tag.shown()).into());
    }
    tag.check(known)?;
    let path = tag.target(known[0])?;
    let attribute = tag.attribute("why");
    if let (Some(attribute), Some(_)) = (attribute, &content.why) {
        return Err(fault::duplicate_field(attribute.span, "why", &tag.shown()).into());
    }
    let why =
        content.why.as_deref().or(attribute.map(|attribute| attribute.value)).and_then(why::join_paragraphs);
    let op = match directive {
        Directive::New => {
            Op::Create { text: content.text(cursor, &path.raw)?, existing: Existing::Overwrite }
        }
        Directive::Append => Op::Append { text: content.text(cursor, &path.raw)? },
        Directive::Patch => {
            let body = hunk::read(content.payload.lines(), cursor.response(), &path.raw);
            if let Some(fault) = body.faults.into_iter().next() {
                return Err(fault.into());
            } else if body.hunks.is_empty() {
                return Err(fault::missing_field(tag.span, "@@", &tag.shown()).into());
            }
            Op::Modify { hunks: body.hunks, missing: Missing::CreateFromAdditions }
        }
        Directive::Delete => Op::Delete { recursive: true, hunks: Vec::new() },
        Directive::Rename => Op::Rename { to: Box::new(tag.target("to_path")?), hunks: Vec::new() },
        Directive::Copy => Op::Copy { to: Box::new(tag.target("to_path")?), hunks: Vec::new() },
    };
    Ok((path, op, why))
}
