//! Disarming what git reads in a commit message as more than text, so that a response can put nothing but text there.
//!
//! What there is, and what becomes of it (git 2.47's `trailer.c`, `mailinfo.c`, `mailsplit.c`, `sequencer.c`,
//! `wt-status.c`):
//!
//! - Trailers: `interpret-trailers`, `%(trailers)` and forges read a paragraph of `Token: value` lines. git reads only
//!   the last one, but which that is depends on the user's comment character, on `---`, on scissors, and on what is
//!   squashed into one message later; so every paragraph is guarded. Trailers of attribution (a token with a hyphen, and
//!   `(cherry picked from commit`) are so in any paragraph, others in one that git would take for a block. Such lines are
//!   indented by four blanks.
//! - Mail: `git am` ends a message at `---`, `diff -` and `Index: `, takes author and subject from `From:` and its like,
//!   and begins another mail at `From <id> <date>`. `git rebase --apply` goes through mails too. Such lines are indented as well.
//! - Scissors (`-- >8 --`) end a message wherever they stand in the line: a blank goes between the two characters.
//! - Subjects: `rebase --autosquash` melts `fixup!`, `squash!` and `amend!` commits into others, and an editor session
//!   drops lines that begin with `#`. The word is put in quotes: `'fixup!' Make it so`. `git am` drops `Re:` and
//!   `[…]` before a subject, so they are looked through.

use std::borrow::Cow;

/// How far a line is moved to the right, so that it is text to git, and code to Markdown.
const INDENT: &str = "    ";

/// The subject with its first word in quotes, if that has a meaning to git.
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

/// What `git am` makes of a subject.
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

/// The body, its lines indented where they have a meaning to git.
pub(super) fn body(text: &str, separators: &str) -> String {
    let mut guarded = String::with_capacity(text.len());
    for (number, paragraph) in text.split("\n\n").enumerate() {
        if number > 0 {
            guarded.push_str("\n\n");
        }
        let is_block = is_trailer_block(paragraph, separators);
        for (number, line) in paragraph.split('\n').enumerate() {
            if number > 0 {
                guarded.push('\n');
            }
            let line = without_scissors(line);
            let text = line.trim_start();
            if is_attribution(text, separators) && !line.starts_with(INDENT) {
                guarded.push_str(INDENT);
                guarded.push_str(text);
            } else {
                if is_mail_syntax(&line) || (is_block && is_trailer(&line, separators)) {
                    guarded.push_str(INDENT);
                }
                guarded.push_str(&line);
            }
        }
    }
    guarded
}

/// Whether git would take a paragraph for trailers if it stood last: at least a quarter of its lines are. Lines that
/// may be continuations or comments are not counted against it; that git also wants one of them to be known to it is
/// left out, since users name such themselves (`trailer.<name>.key`).
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

/// Whether git takes the line for a trailer: `trailer.c`'s `find_separator`.
pub(super) fn is_trailer(line: &str, separators: &str) -> bool {
    token_and_value(line, separators).is_some()
}

/// What stands before the separator, letters, digits and hyphens, then blanks, never empty; and what stands behind it. A colon
/// always is one: other clones are configured otherwise.
fn token_and_value<'l>(line: &'l str, separators: &str) -> Option<(&'l str, &'l str)> {
    let after = line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let token = &line[..line.len() - after.len()];
    let is_separator = |c: char| c == ':' || separators.contains(c);
    let value = after.trim_start_matches([' ', '\t']).strip_prefix(is_separator)?;
    (!token.is_empty()).then_some((token, value))
}

/// The value of the trailer of that name, if the line is it.
pub(super) fn trailer<'l>(line: &'l str, name: &str, separators: &str) -> Option<&'l str> {
    let (token, value) = token_and_value(line, separators)?;
    (token == name).then(|| value.trim())
}

/// Whether the line says who made or saw something, or where it is from, in the way that git and forges read.
fn is_attribution(line: &str, separators: &str) -> bool {
    strip_prefix_ignore_case(line, "(cherry picked from commit").is_some()
        || token_and_value(line, separators).is_some_and(|(token, _)| token.trim_matches('-').contains('-'))
}

/// Whether `git am` or what splits mailboxes takes the line for more than text.
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

/// The line with each scissors opened, if it looks like a cut: scissors and at least three dashes.
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
    fn words_that_git_acts_on_are_quoted_at_the_front_of_a_subject() {
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
    fn paragraphs_of_trailers_are_indented_wherever_they_stand() {
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
    fn scissors_are_opened() {
        assert_eq!(body("# ---- >8 ----", ":"), "# ---- > 8 ----");
        assert_eq!(body("- - 8< - - >8< -", ":"), "- - 8 < - - > 8 < -");
        assert_eq!(body("if a >8 then b--", ":"), "if a >8 then b--");
    }
}
