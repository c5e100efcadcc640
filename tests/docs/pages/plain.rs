//! The man pages as text in 80 columns, for `git-llm-apply --help` and `git llm-apply help <page>` if none are
//! installed.

const WIDTH: usize = 80;

/// The indentation of a text, and of an item below its term.
const INDENT: usize = 4;

/// Returns the text of a page that is written in the macros of `Page`.
pub(super) fn text(roff: &str) -> String {
    let mut out = String::new();
    let (mut is_term, mut is_item, mut is_filled) = (false, false, true);
    for line in roff.lines() {
        let (request, rest) = line.split_once(' ').unwrap_or((line, ""));
        match request {
            ".SH" | ".SS" => {
                is_item = false;
                let before = if out.is_empty() { "" } else { "\n" };
                let inset = if request == ".SS" { INDENT / 2 } else { 0 };
                out += &format!("{before}{:inset$}{}\n", "", plain(rest.trim_matches('"')));
            }
            ".PP" => {
                is_item = false;
                begin(&mut out);
            }
            ".TP" => {
                (is_term, is_item) = (true, true);
                begin(&mut out);
            }
            ".nf" => is_filled = false,
            ".fi" => is_filled = true,
            _ if request.starts_with('.') => {}
            _ => {
                let inset = if is_item && !is_term { 2 * INDENT } else { INDENT };
                is_term = false;
                let line = plain(line);
                if is_filled {
                    wrap(&mut out, &line, inset)
                } else {
                    out += &format!("{:inset$}{line}\n", "")
                }
            }
        }
    }
    // After wrapping, no-break spaces become blanks.
    out.replace(NO_BREAK, " ")
}

/// Adds a blank line, unless after a heading or another blank line.
fn begin(out: &mut String) {
    let last = out.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    let is_heading = !last.starts_with(' ') || (last.starts_with("  ") && !last.starts_with("   "));
    if !is_heading && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

const NO_BREAK: char = '\u{a0}';

/// Returns a line without roff's escapes.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, escape)) = rest.split_once('\\') {
        out += before;
        let mut chars = escape.chars();
        rest = match chars.next() {
            Some('e') => with(&mut out, "\\", chars.as_str()),
            Some('-') => with(&mut out, "-", chars.as_str()),
            Some(' ') => with(&mut out, "\u{a0}", chars.as_str()),
            // A change of font.
            Some('f') => chars.as_str().get(1..).unwrap_or_default(),
            Some('(') => {
                let (name, rest) = chars.as_str().split_at_checked(2).unwrap_or_default();
                let character = match name {
                    "aq" => "'",
                    "ga" => "`",
                    "ha" => "^",
                    "ti" => "~",
                    _ => "\"",
                };
                with(&mut out, character, rest)
            }
            Some('[') => {
                let (name, rest) = chars.as_str().split_once(']').unwrap_or_default();
                let code = u32::from_str_radix(name.trim_start_matches('u'), 16).ok();
                out.extend(code.and_then(char::from_u32));
                rest
            }
            // `\&`, which prints nothing.
            _ => chars.as_str(),
        };
    }
    out + rest
}

fn with<'r>(out: &mut String, character: &str, rest: &'r str) -> &'r str {
    out.push_str(character);
    rest
}

/// Adds a wrapped paragraph.
fn wrap(out: &mut String, paragraph: &str, inset: usize) {
    let mut length = 0;
    for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters <= WIDTH {
            out.push(' ');
            length += 1;
        } else {
            if length > 0 {
                out.push('\n');
            }
            out.extend(std::iter::repeat_n(' ', inset));
            length = inset;
        }
        out.push_str(word);
        length += letters;
    }
    out.push('\n');
}
