//! Just enough roff: the man macros that groff and mandoc share, and texts that neither misreads.

/// A page that is being written.
pub(super) struct Page(String);

impl Page {
    /// Begins a page of a section of the manual.
    pub(super) fn new(name: &str, section: char, version: &str) -> Self {
        let title = escape(&name.to_uppercase());
        let mut page = Self(String::from(
            ".\\\" Written by `UPDATE=1 cargo test --test docs`; change man/*.md instead.\n",
        ));
        page.line(&format!(
            ".TH \"{title}\" \"{section}\" \"\" \"{} {version}\" \"Git Manual\"",
            escape("git-llm-apply")
        ));
        // Do not hyphenate or stretch, so that options and paths stay whole.
        page.line(".nh");
        page.line(".ad l");
        page
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Adds a line of text, which is never read as a macro.
    fn text(&mut self, line: &str) {
        if line.starts_with(['.', '\'']) {
            self.0.push_str("\\&");
        }
        self.line(line);
    }

    pub(super) fn section(&mut self, title: &str) {
        self.line(&format!(".SH \"{}\"", escape(title)));
    }

    pub(super) fn heading(&mut self, title: &str) {
        self.line(&format!(".SS \"{}\"", escape(title)));
    }

    /// Adds the line that apropos(1) and whatis(1) read.
    pub(super) fn name(&mut self, name: &str, about: &str) {
        self.line(&format!("{} \\- {}", escape(name), prose(about)));
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.line(".PP");
        self.text(&marked(text));
    }

    pub(super) fn item(&mut self, term: &str, text: &str) {
        self.line(".TP");
        self.text(&marked(term));
        self.text(&marked(text));
    }

    /// Adds lines as they are, indented.
    pub(super) fn lines(&mut self, text: &str) {
        self.line(".PP");
        self.line(".RS 4");
        self.line(".nf");
        for line in text.lines() {
            self.text(&escape(line));
        }
        self.line(".fi");
        self.line(".RE");
    }

    /// Adds the usages, one a line.
    pub(super) fn synopsis(&mut self, usages: &[&str]) {
        self.line(".nf");
        for usage in usages {
            self.text(&marked(usage));
        }
        self.line(".fi");
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Sets text in backticks in bold, and placeholders in it in italics.
fn marked(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 0 {
            out.push_str(&prose(part));
            continue;
        }
        out.push_str("\\fB");
        let mut rest = part;
        while let Some((before, name, after)) = placeholder(rest) {
            out.push_str(&format!("{}\\fI{}\\fB", literal(before), escape(name)));
            rest = after;
        }
        out.push_str(&format!("{}\\fR", literal(rest)));
    }
    out
}

/// Splits a text at the first `<name>` that is a placeholder, not a tag of a format. The placeholder keeps its
/// brackets.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(start) = text[from..].find('<').map(|at| from + at) {
        let inner = &text[start + 1..];
        let length =
            inner.find(|c: char| !c.is_ascii_lowercase() && c != ' ' && c != '-').unwrap_or(inner.len());
        let is_tag = TAGS.iter().any(|tag| inner.starts_with(tag));
        if length > 0 && inner[length..].starts_with('>') && !is_tag {
            let end = start + length + 2;
            return Some((&text[..start], &text[start..end], &text[end..]));
        }
        from = start + 1;
    }
    None
}

/// Beginnings of the formats' tags, which are literal.
const TAGS: [&str; 7] = ["edit", "opx", "find", "put", "to>", "why", "think"];

/// A text that is typed exactly like this, and stays on one line.
fn literal(text: &str) -> String {
    escape(text).replace(' ', "\\ ")
}

/// Escapes prose, in which a hyphen may be a hyphen.
fn prose(text: &str) -> String {
    escape(text).replace("\\-", "-").replace("\\(aq", "'")
}

/// Escapes a text so that roff prints it as it is, in any locale.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            '"' => out.push_str("\\(dq"),
            // Not every device has this character.
            '…' => out.push_str("..."),
            c if c.is_ascii() => out.push(c),
            c => out.push_str(&format!("\\[u{:04X}]", u32::from(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_macro_or_an_escape() {
        let mut page = Page(String::new());
        page.lines(".SH x\n'y\na\\fB-~é…");
        assert_eq!(
            page.finish(),
            ".PP\n.RS 4\n.nf\n\\&.SH x\n\\(aqy\na\\efB\\-\\(ti\\[u00E9]...\n.fi\n.RE\n"
        );
    }

    #[test]
    fn backticks_are_bold_and_placeholders_in_them_italic() {
        assert_eq!(marked("it's `--base=<rev>` or-so"), "it's \\fB\\-\\-base=\\fI<rev>\\fB\\fR or-so");
        assert_eq!(
            marked("`<edit file=\"a\">` and `<why>`"),
            "\\fB<edit\\ file=\\(dqa\\(dq>\\fR and \\fB<why>\\fR"
        );
    }
}
