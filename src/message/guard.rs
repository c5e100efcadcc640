//! Changes lines of a commit message that git would not read as plain text, so that a response cannot forge trailers,
//! authors or patches.
//!
//! The lines that git acts on, and what this module does about them (git 2.47's `trailer.c`, `mailinfo.c`,
//! `mailsplit.c`, `sequencer.c`, `wt-status.c`):
//!
//! - Trailers: `interpret-trailers`, `%(trailers)` and forges read a paragraph of `Token: value` lines. git reads only
//!   the last paragraph, but which one is the last depends on the user's comment character, on `---`, on scissors, and
//!   on later squashing. So every paragraph is guarded. Attributions (a token with a hyphen, and `(cherry picked from
//!   commit`) are indented by four spaces in any paragraph; other trailers are indented in a paragraph that git would
//!   read as a block.
//! - Mail: `git am` ends a message at `---`, `diff -` and `Index: `, takes author and subject from `From:` and the
//!   like, and starts another mail at `From <id> <date>`. `git rebase --apply` uses mails, too. Such lines are
//!   indented.
//! - Scissors (`-- >8 --`) end a message, wherever they are in a line. A space is put between the two characters.
//! - Subjects: `rebase --autosquash` melds `fixup!`, `squash!` and `amend!` commits into others, and an editor session
//!   drops lines that begin with `#`. The word is quoted: `'fixup!' Make it so`. `git am` drops `Re:` and `[…]` before
//!   a subject, so the word after these is checked, too.

use std::borrow::Cow;

/// The indentation that makes a line plain text for git, and code in Markdown.
const INDENT: &str = "    ";

/// Quotes the first word of a subject if it has a meaning to git.
pub(super) fn subject(line: &str) -> String {
    let shown = without_mail_marks(line);
    for start in [line, shown] {
        if is_special_subject(start) {
            let at = line.len() - start.len();
            let word = start.find(' ').unwrap_or(start.len());
            return format!("{}'{}'{}", &line[..at], &start[..word], &start[word..]);
        }
    }
    line.to_owned()
}

fn is_special_subject(line: &str) -> bool {
    line.starts_with('#')
        || ["fixup!", "squash!", "amend!"].iter().any(|mark| line.starts_with(mark))
        || is_attribution(line, ":")
        || is_mail_syntax(line)
}

/// The subject without the prefixes that `git am` drops.
fn without_mail_marks(subject: &str) -> &str {
    let mut rest = subject;
    loop {
        rest = rest.trim_start_matches([' ', ':']);
        if let Some(reply) = strip_prefix_ignore_case(rest, "re:") {
            rest = reply;
        } else if let Some((_, after)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            rest = after;
        } else {
            return rest;
        }
    }
}

/// Indents the lines of a body that have a meaning to git.
pub(super) fn body(text: &str, separators: &str) -> String {
    let paragraphs = text.split("\n\n").map(|text| paragraph(text, separators));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn paragraph(text: &str, separators: &str) -> String {
    let is_block = is_trailer_block(text, separators);
    let guarded = |line: &str| {
        let line = without_scissors(line);
        let text = line.trim_start();
        if is_attribution(text, separators) && !line.starts_with(INDENT) {
            format!("{INDENT}{text}")
        } else if is_mail_syntax(&line) || (is_block && is_trailer(&line, separators)) {
            format!("{INDENT}{line}")
        } else {
            line.into_owned()
        }
    };
    text.split('\n').map(guarded).collect::<Vec<_>>().join("\n")
}

/// Whether git would read a paragraph as trailers if it were the last: at least a quarter of its lines are trailers.
/// Lines that may be continuations or comments do not count. Git also requires a trailer that it knows; that is not
/// checked, because users can configure which it knows (`trailer.<name>.key`).
fn is_trailer_block(paragraph: &str, separators: &str) -> bool {
    let mut trailers = 0_usize;
    let mut others = 0_usize;
    for line in paragraph.split('\n') {
        if is_trailer(line, separators) {
            trailers += 1;
        } else if !line.starts_with(|c: char| c.is_whitespace() || c.is_ascii_punctuation()) {
            others += 1;
        }
    }
    trailers > 0 && trailers * 3 >= others
}

/// Whether git reads the line as a trailer (`find_separator` in `trailer.c`).
pub(super) fn is_trailer(line: &str, separators: &str) -> bool {
    token_and_value(line, separators).is_some()
}

/// Splits a trailer into its token (letters, digits and hyphens, never empty) and its value. A colon is always a
/// separator, even if it is not configured, because other clones may have another configuration.
fn token_and_value<'l>(line: &'l str, separators: &str) -> Option<(&'l str, &'l str)> {
    let after = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let token = &line[..line.len() - after.len()];
    let is_separator = |c: char| c == ':' || separators.contains(c);
    let value = after.trim_start_matches([' ', '\t']).strip_prefix(is_separator)?;
    (!token.is_empty()).then_some((token, value))
}

/// The value of the trailer with this token, if the line is one.
pub(super) fn trailer<'l>(line: &'l str, name: &str, separators: &str) -> Option<&'l str> {
    let (token, value) = token_and_value(line, separators)?;
    (token == name).then(|| value.trim())
}

/// Whether git or forges would read the line as a statement about an author, a reviewer or an origin.
fn is_attribution(line: &str, separators: &str) -> bool {
    strip_prefix_ignore_case(line, "(cherry picked from commit").is_some()
        || token_and_value(line, separators).is_some_and(|(token, _)| token.trim_matches('-').contains('-'))
}

/// Whether `git am` or `git mailsplit` gives the line a meaning.
fn is_mail_syntax(line: &str) -> bool {
    let is_divider = line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let is_header =
        ["From:", "Subject:", "Date:"].iter().any(|h| strip_prefix_ignore_case(line, h).is_some());
    let has_time = || {
        let times = line.as_bytes().windows(4);
        times.into_iter().any(|w| w[1] == b':' && [w[0], w[2], w[3]].iter().all(u8::is_ascii_digit))
    };
    let begins_mail = line.strip_prefix('>').unwrap_or(line).starts_with("From ") && has_time();
    is_divider
        || is_header
        || begins_mail
        || ["diff -", "Index: ", "[PATCH]"].iter().any(|p| line.starts_with(p))
}

/// Puts a space between the characters of scissors, in a line with at least three dashes: `>8` becomes `> 8`.
fn without_scissors(line: &str) -> Cow<'_, str> {
    let mut opened = Cow::Borrowed(line);
    if line.bytes().filter(|&byte| byte == b'-').count() >= 3 {
        for (scissors, open) in [(">8", "> 8"), ("8<", "8 <"), (">%", "> %"), ("%<", "% <")] {
            if opened.contains(scissors) {
                opened = Cow::Owned(opened.replace(scissors, open));
            }
        }
    }
    opened
}

fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_words_before_a_subject_are_quoted() {
        for (line, guarded) in [
            ("fixup! Make it so", "'fixup!' Make it so"),
            ("squash! fixup! x", "'squash!' fixup! x"),
            ("amend!", "'amend!'"),
            ("[a] Re: [b]: fixup! x", "[a] Re: [b]: 'fixup!' x"),
            ("#12 crashes", "'#12' crashes"),
            ("---", "'---'"),
            ("--- a/x", "'---' a/x"),
            ("diff --git a/x b/x", "'diff' --git a/x b/x"),
            ("Subject: x", "'Subject:' x"),
            ("Signed-off-by: A <a@a.example>", "'Signed-off-by:' A <a@a.example>"),
            ("(cherry picked from commit 1)", "'(cherry' picked from commit 1)"),
        ] {
            assert_eq!(subject(line), guarded);
            assert_eq!(subject(guarded), guarded, "twice is once");
        }
        for line in
            ["Fix it", "fixup the parser", "parser: fix it", "[x]", "[x", "Re:", "From now on: x", "é#"]
        {
            assert_eq!(subject(line), line);
        }
    }

    #[test]
    fn paragraphs_of_trailers_are_indented_in_any_place() {
        assert_eq!(body("Fixes: 1\nCc: a\n\ntext", ":"), "    Fixes: 1\n    Cc: a\n\ntext");
        assert_eq!(body("one\ntwo\nNote: three", ":"), "one\ntwo\n    Note: three");
        assert_eq!(body("one\ntwo\nthree\nfour\nNote: x", ":"), "one\ntwo\nthree\nfour\nNote: x");
        assert_eq!(body("# c\n# c\n# c\n# c\nNote: x", ":"), "# c\n# c\n# c\n# c\n    Note: x");
        assert_eq!(body("- a: b\n- c: d", ":"), "- a: b\n- c: d");
    }

    #[test]
    fn attributions_are_indented_in_any_text() {
        let text = "one\ntwo\nthree\nfour\n  co-authored-BY : x\nfive\n(Cherry picked from commit 1)";
        let guarded =
            "one\ntwo\nthree\nfour\n    co-authored-BY : x\nfive\n    (Cherry picked from commit 1)";
        assert_eq!(body(text, ":"), guarded);
        assert_eq!(body(guarded, ":"), guarded, "twice is once");
    }

    #[test]
    fn what_ends_or_begins_a_mail_is_indented() {
        for line in ["---", "--- a/x", "diff --git a b", "Index: x", "from: x", "Date: 1", "[PATCH] x"] {
            assert_eq!(body(&format!("a\nb\nc\n{line}"), ":"), format!("a\nb\nc\n    {line}"));
        }
        assert_eq!(body("From 1 Mon Sep 17 00:00:00 2001", ":"), "    From 1 Mon Sep 17 00:00:00 2001");
        for line in ["----", "---x", "different", "From now on, 3:1"] {
            assert_eq!(body(line, ":"), line);
        }
    }

    #[test]
    fn scissors_get_a_space() {
        assert_eq!(body("# ---- >8 ----", ":"), "# ---- > 8 ----");
        assert_eq!(body("- - 8< - - >8< -", ":"), "- - 8 < - - > 8 < -");
        assert_eq!(body("if a >8 then b--", ":"), "if a >8 then b--");
    }
}
