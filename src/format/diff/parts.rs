//! A mail's headers that say how its body is written, and a body of several parts (RFC 2046).
//!
//! As git-mailinfo(1) has it: the parts are one text, whatever they are called. But what is no plain text is left out.

use super::encoded::{Body, Damage, Encoding};
use crate::format::scan::{Below, Line, starts_with_ignore_case};

/// How deep parts may have parts, as in git.
const DEEPEST: usize = 5;

/// How a body is written, where it is not as it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Encoded(Encoding),
    /// In parts, with this line before each.
    InParts(String),
}

/// The headers that are read.
const NAMES: [&str; 3] = ["subject", "content-type", "content-transfer-encoding"];

/// What they say.
#[derive(Debug, Default)]
pub(super) struct Head {
    values: [String; 3],
    /// Which was the last header, which may go on.
    last: Option<usize>,
}

/// The value of a header, if a line is the one of that name.
pub(super) fn header<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    if !starts_with_ignore_case(line, name) {
        return None;
    }
    line.get(name.len()..)?.strip_prefix(':').map(str::trim)
}

impl Head {
    /// Takes in a line.
    pub(super) fn take(&mut self, text: &str) {
        if text.starts_with([' ', '\t']) {
            if let Some(value) = self.last.and_then(|last| self.values.get_mut(last)) {
                value.push(' ');
                value.push_str(text.trim());
            }
            return;
        }
        let value = |name: &&str| header(text, name);
        self.last = NAMES.iter().position(|name| value(name).is_some());
        for (known, name) in self.values.iter_mut().zip(&NAMES) {
            if let Some(value) = value(name) {
                value.clone_into(known);
            }
        }
    }

    /// The subject, as it is written.
    pub(super) fn subject(&self) -> &str {
        &self.values[0]
    }

    /// How the body below is written.
    pub(super) fn written(&self) -> Option<Written> {
        let boundary = self.boundary().map(|boundary| Written::InParts(format!("--{boundary}")));
        boundary.or(Encoding::named(&self.values[2]).map(Written::Encoded))
    }

    /// What parts are told apart by, if there are some.
    fn boundary(&self) -> Option<&str> {
        const NAME: &str = "boundary=";
        if !starts_with_ignore_case(&self.values[1], "multipart/") {
            return None;
        }
        let fields = self.values[1].split(';').map(str::trim);
        let value = fields
            .filter(|field| starts_with_ignore_case(field, NAME))
            .find_map(|field| field.get(NAME.len()..))?;
        let value = value.strip_prefix('"').map_or(value, |rest| rest.split('"').next().unwrap_or(rest));
        Some(value).filter(|value| !value.is_empty())
    }

    /// Whether what is below is no plain text.
    fn is_other(&self) -> bool {
        ["text/html", "image/", "audio/", "video/"]
            .iter()
            .any(|kind| starts_with_ignore_case(&self.values[1], kind))
    }
}

/// Reads a body whose parts have that line before them, up to the line that ends them.
pub(super) fn read<'r>(boundary: &str, mut lines: impl Below<'r>) -> Result<Body, Damage> {
    let mut open = vec![boundary.to_owned()];
    let mut body = Body::default();
    while let Some(boundary) = open.last() {
        let Some(line) = lines.next() else { return Err(Damage::End) };
        body.lines += 1;
        body.end = line.end();
        match line.text.trim_end().strip_prefix(boundary.as_str()) {
            Some("") => {}
            Some("--") => {
                open.pop();
                continue;
            }
            _ => continue,
        }
        let mut head = Head::default();
        for line in lines.by_ref() {
            body.lines += 1;
            if line.is_blank() {
                break;
            }
            head.take(line.text);
        }
        let is_end =
            |line: &Line<'_>| matches!(line.text.trim_end().strip_prefix(boundary.as_str()), Some("" | "--"));
        let inside = lines.clone().take_while(|line| !is_end(line));
        match head.written() {
            _ if head.is_other() => {}
            Some(Written::InParts(_)) if open.len() >= DEEPEST => {
                return Err(Damage::Not("its depth of parts", Some((line.start, line.end()))));
            }
            Some(Written::InParts(inner)) => open.push(inner),
            Some(Written::Encoded(encoding)) => body.append(encoding.read(inside)?)?,
            None => inside.for_each(|line| body.push(line)),
        }
    }
    Ok(body)
}
