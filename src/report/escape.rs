//! Making untrusted text safe to show on a terminal.

/// Whether a character could do more on a terminal than be seen: control, bidirectional and invisible ones.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// The text on one line, with every such character as `\n`, `\t`, `\r` or `\u{…}`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Likewise, but with tabs as blanks: for lines of code that are shown in a frame.
pub fn escape_code(text: &str) -> String {
    escape(&text.replace('\t', "    "))
}

/// Likewise, and as one word for a shell: in quotes where it holds what a shell would act on. For commands to copy.
pub fn shell_word(text: &str) -> String {
    let plain = |(at, c): (usize, char)| {
        c.is_alphanumeric() || "/._-+@%:=,".contains(c) || (at > 0 && "~^".contains(c))
    };
    let text = escape(text);
    if !text.is_empty() && text.char_indices().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_spelled_out() {
        assert_eq!(
            escape("a\x1b[31mb\u{202e}c\u{200b}\n\u{9b}é"),
            "a\\u{1b}[31mb\\u{202e}c\\u{200b}\\n\\u{9b}é"
        );
    }

    #[test]
    fn what_a_shell_would_act_on_is_quoted() {
        for plain in ["refs/heads/try/a-1_b.c", "HEAD~2^", "v1.0", "ümlaut"] {
            assert_eq!(shell_word(plain), plain);
        }
        assert_eq!(shell_word("a;b"), "'a;b'");
        assert_eq!(shell_word("a$(id)'b"), r"'a$(id)'\''b'");
        assert_eq!(shell_word("~a"), "'~a'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\x1b"), r"'a\u{1b}'");
    }
}
