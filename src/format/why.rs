//! Why an edit is made: what its own field says, or the prose right before it.
//!
//! Models wrap and indent what they write, and markup does too. A why is its paragraphs, each one line; items of a list
//! stay lines of their own.

use super::code;
use super::fence::Fence;
use super::scan::{is_blank, trim, trim_start};
use std::collections::HashSet;
use std::sync::LazyLock;

/// How many lines of a paragraph are read, and how many paragraphs are passed over that say nothing.
const LONGEST: usize = 100;
const PASSED: usize = 3;

/// A text with the lines of each paragraph joined; `None` if it says nothing.
pub fn joined(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut fence: Option<Fence<'_>> = None;
    let mut apart = true;
    for line in text.lines() {
        let found = Fence::of(line);
        if fence.is_some() || found.is_some() {
            // Code keeps its lines.
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(line.trim_end());
            out.push('\n');
            fence = match (fence, found) {
                (None, found) => found,
                (Some(open), Some(found)) if found.closes(open) => None,
                (open, _) => open,
            };
            apart = true;
            continue;
        }
        let text = line.trim();
        if text.is_empty() {
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
            }
            apart = true;
        } else {
            if !apart {
                out.push(if begins_block(text) { '\n' } else { ' ' });
            }
            out.push_str(text);
            apart = text.starts_with('#');
            if apart {
                out.push('\n');
            }
        }
    }
    let text = out.trim();
    text.contains(char::is_alphanumeric).then(|| text.to_owned())
}

/// What the prose says that ends right above an edit: its last paragraph or heading that says something. The lines come
/// nearest first; `fenced`: the edit stands in a fence, which opens among them.
pub(super) fn above<'t>(lines: impl Iterator<Item = &'t str>, fenced: bool) -> Option<String> {
    let mut fences = usize::from(fenced);
    let mut lines = lines.peekable();
    for _ in 0..=PASSED {
        let mut paragraph: Vec<&str> = Vec::new();
        while let Some(&line) = lines.peek() {
            let text = trim(line);
            // A fence may open behind a list's mark.
            if Fence::of(line).or_else(|| Fence::of(without_mark(text))).is_some() {
                if fences == 0 || !paragraph.is_empty() {
                    break;
                }
                fences -= 1;
            } else if is_rule(text) || is_markup(text) || takes_lines(text) {
                if !paragraph.is_empty() {
                    break;
                }
            } else if text.starts_with('#') && !paragraph.is_empty() {
                break;
            } else {
                paragraph.push(text);
                if begins_block(text) || paragraph.len() >= LONGEST {
                    lines.next();
                    break;
                }
            }
            lines.next();
        }
        if paragraph.is_empty() {
            return None;
        }
        paragraph.reverse();
        if let Some(first) = paragraph.first_mut() {
            // A heading may be numbered.
            *first = without_mark(without_mark(first));
        }
        let text = paragraph.join(" ");
        // What ends like that goes on below and is no prose.
        if text.ends_with(['[', '{', '(', ',']) {
            return None;
        }
        let text = plain(&text);
        if says_something(&text) {
            return joined(&text);
        }
    }
    None
}

/// Whether a line is blank, or a rule between parts.
fn is_rule(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'-' | b'*' | b'_' | b'=') || is_blank(byte))
}

/// Whether a line is a shell's command that takes what is below it, as in `git apply <<'EOF'`.
fn takes_lines(text: &str) -> bool {
    let word =
        text.split_once("<<").map_or("", |(_, rest)| trim_start(rest.strip_prefix('-').unwrap_or(rest)));
    let word = word.trim_start_matches(['\'', '"', '\\']);
    word.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count() > 1
}

/// Whether a line is nothing but a tag or a comment, or the row of a table; or of a mail that is answered.
fn is_markup(text: &str) -> bool {
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    let is_tag = |inner: &str| {
        inner.starts_with("!--")
            || !inner.contains('>')
                && inner.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?|".contains(c))
    };
    let is_word_of_model = text.starts_with("<|") || text.starts_with("<｜");
    inner.is_some_and(is_tag) || is_word_of_model || text.starts_with(['|', '>']) || text.ends_with(" wrote:")
}

/// Whether a line begins a heading or an item of a list.
fn begins_block(text: &str) -> bool {
    without_mark(text).len() < text.len()
}

/// Prose without the marks of what is bold in it.
fn without_emphasis(text: &str) -> String {
    let mut code = code::InCode::of(text);
    let marks: Vec<usize> =
        text.match_indices("**").map(|(at, _)| at).filter(|&at| !code.holds(at)).collect();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut open: Option<usize> = None;
    for at in marks {
        let before = text[..at].chars().next_back();
        let behind = text[at + 2..].chars().next();
        let is_text = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
        match open {
            Some(opening) if is_text(before) && !behind.is_some_and(char::is_alphanumeric) => {
                out.push_str(&text[from..opening]);
                out.push_str(&text[opening + 2..at]);
                (from, open) = (at + 2, None);
            }
            _ if is_text(behind) && !before.is_some_and(char::is_alphanumeric) => open = Some(at),
            _ => {}
        }
    }
    out.push_str(&text[from..]);
    out
}

/// A line without the mark of a heading or of a list's item.
fn without_mark(text: &str) -> &str {
    let rest = text.trim_start_matches('#');
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match text.as_bytes() {
        _ if rest.len() < text.len() => rest,
        [b'-' | b'*' | b'+', ..] => &text[1..],
        _ if (1..=9).contains(&digits) => match text[digits..].strip_prefix(['.', ')']) {
            Some(rest) => rest,
            None => return text,
        },
        _ => return text,
    };
    if rest.starts_with([' ', '\t']) { trim_start(rest) } else { text }
}

/// Prose without sentences before it that say nothing or only exclaim, without the marks of what is bold in it and without a
/// colon behind it.
pub(super) fn plain(text: &str) -> String {
    let text = without_emphasis(text);
    let mut text = text.as_str();
    while let Some((sentence, rest)) =
        text.split_once(['!', '.', ':']).filter(|(_, rest)| rest.starts_with(' '))
        && (!says_something(sentence) || text[sentence.len()..].starts_with('!'))
    {
        text = rest.trim_start();
    }
    text.trim_end_matches([':', ' ']).to_owned()
}

/// Words that say nothing by themselves: those that hold sentences together.
static FUNCTION: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about above absolutely after again all also an and any apologies are as at be been before \
    below both but by can certainly could course do does done each else first for four from good got had has \
    have here how i if in into is it its just last let may must my next no not now of ok okay on one only or \
    other our out over per second should so some sorry sure than thanks that the their them then there these \
    they thing third this those three to two us was we were what when where which will with would yes"
        .split(' ')
        .collect()
});

/// Words for editing, and for being asked to.
static EDITING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "accordingly ahead apply ask block change code command copy diff edit feature file finally fix follow give \
    given go great implement issue line made make necessary need new patch point problem readme request review \
    run section snippet step suggest summary trick understand understood update version"
        .split(' ')
        .collect()
});

/// What verbs and names end with in their other forms.
const ENDINGS: &[&str] = &["", "s", "es", "d", "ed", "ing"];

/// Who reads the answer: a sentence that has one of these is about it.
const READER: &[&str] = &["me", "you", "your", "yourself"];

/// What may follow behind what a sentence presents, and says more of it.
const CLAUSES: &[&str] = &[
    "after", "as", "because", "but", "by", "for", "if", "instead", "since", "so", "that", "using", "when",
    "where", "which", "while", "with", "without",
];

/// What a place begins with, as in "the changes to the page".
const PLACES: &[&str] =
    &["a", "all", "an", "both", "each", "its", "my", "our", "that", "the", "these", "this", "your"];

/// Whether prose says more than that edits follow, and which file they are of: by a sentence that is not about the answer and
/// has another word than for that. What a sentence presents ("Here is the new page") stands below; only a clause behind it
/// says something.
pub(super) fn says_something(text: &str) -> bool {
    let mut words = String::new();
    let mut at = 0;
    for span in code::spans(text) {
        words.push_str(&text[at..span.start]);
        // As good as a path.
        words.push_str(" / ");
        at = span.end;
    }
    words.push_str(&text[at..]);
    let words = words.to_lowercase().replace('’', "'");
    let around = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '_' | '$');
    let mut words =
        words.split_whitespace().map(|written| (written, written.trim_matches(around))).peekable();
    let (mut presents, mut says, mut is_about_answer) = (false, false, false);
    while let Some((written, word)) = words.next() {
        let next = words.peek().map_or("", |(_, word)| word);
        let to = word == "to" && !PLACES.contains(&next) && !is_path(next);
        presents &= !(to || word.is_empty() || written.starts_with('(') || CLAUSES.contains(&word));
        says = says || !presents && !is_path(word) && word.split('-').any(|part| !is_empty(part));
        is_about_answer |= READER.contains(&stem(word));
        let is = matches!(word, "here" | "below") && matches!(next, "is" | "are");
        presents |= is || word == "here's";
        presents &= !written.ends_with(['.', ',', ';', ':', '!', '?']);
        if words.peek().is_none() || written.ends_with(['.', ':', '!', '?']) {
            if says && !is_about_answer {
                return true;
            }
            (says, is_about_answer) = (false, false);
        }
    }
    false
}

/// A word without what is contracted with it: "you" of "you're".
fn stem(word: &str) -> &str {
    word.split('\'').next().unwrap_or(word)
}

/// Whether a word says nothing by itself, or no more than that something is edited.
fn is_empty(word: &str) -> bool {
    let word = stem(word);
    let is_form = |ending: &&str| word.strip_suffix(ending).is_some_and(|of| EDITING.contains(of));
    !word.contains(char::is_alphabetic) || FUNCTION.contains(word) || ENDINGS.iter().any(is_form)
}

/// Whether a word is a path.
fn is_path(word: &str) -> bool {
    let is_name = |(stem, extension): (&str, &str)| !stem.is_empty() && !extension.is_empty();
    word.contains(['/', '\\']) || word.rsplit_once('.').is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_paragraph_are_one() {
        for (text, why) in [
            ("Remove the helper, since\n  nothing calls it.", "Remove the helper, since nothing calls it."),
            ("\n   One.\n\n\n   Two\n   three.\n", "One.\n\nTwo three."),
            ("So:\n- a\n  b\n- c\n\nEnd", "So:\n- a b\n- c\n\nEnd"),
            ("1. a\n2. b", "1. a\n2. b"),
            ("# Head\ntext", "# Head\ntext"),
            ("See\n```\n  x\n\ny\n```\nend", "See\n```\n  x\n\ny\n```\nend"),
            ("-1 is no item\n2 neither", "-1 is no item 2 neither"),
        ] {
            assert_eq!(joined(text).as_deref(), Some(why), "{text:?}");
        }
        assert_eq!(joined(" \n--\n"), None);
    }

    fn of(prose: &str, fenced: bool) -> Option<String> {
        above(prose.lines().rev(), fenced)
    }

    #[test]
    fn the_last_paragraph_or_heading_is_why() {
        for (prose, why) in [
            ("Sure!\n\nThe sum was off by\none.\n", "The sum was off by one."),
            ("## Greet by name\n\n", "Greet by name"),
            ("## Greet by name\nIt is polite.\n", "It is polite."),
            ("## 2. Greet by name\n", "Greet by name"),
            ("Cache it.\n\n### 2. `src/a.rs`\n", "Cache it."),
            ("It was slow, so cache it:\n\nHere is the change:\n\n", "It was slow, so cache it"),
            ("Cache it.\n\n`src/a.rs`:\n", "Cache it."),
            ("Cache it.\n\n### File: src/a.rs\n", "Cache it."),
            ("- **Cache it**:\n", "Cache it"),
            ("Great question! Sure: it was slow.\n", "it was slow."),
            (
                "Great catch! The sign was wrong, so I've swapped it.\n",
                "The sign was wrong, so I've swapped it.",
            ),
            ("Now it works!\n\nDon't crash on empty input!\n", "Don't crash on empty input!"),
            ("The issue: it subtracts.\n", "it subtracts."),
            ("I swapped the operator. Let me know!\n", "I swapped the operator. Let me know!"),
            ("Document the flag\n", "Document the flag"),
            ("Support Python 3.8 again:\n", "Support Python 3.8 again"),
            ("1. First\n2. Then cache\n   it.\n", "Then cache it."),
            ("- **Loop**: cache **it** in `a**b**`.\n", "Loop: cache it in `a**b**`."),
            ("- **First**: cache it.\n", "cache it."),
            ("**1. Cache it.** It was slow.\n", "Cache it. It was slow."),
            ("First, here's the reducer. Then cache it.\n", "Then cache it."),
            ("Pass **kwargs and **args on.\n", "Pass **kwargs and **args on."),
            ("Cache it.\n\n<tool_call>\n", "Cache it."),
            ("Cache it.\n\napply_patch <<'EOF'\n", "Cache it."),
            ("Cache it.\n\ncat > a.patch <<-\"END_OF_PATCH\" | tee b\n", "Cache it."),
            ("Shift by 1 << 3, or a << B.\n", "Shift by 1 << 3, or a << B."),
            ("Cache it.\n<!-- not this -->\n", "Cache it."),
            ("Cache it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "Cache it."),
            ("Cache it.\n\n---\n", "Cache it."),
            (
                "Here is the change to `a.rs` that makes it fast:\n",
                "Here is the change to `a.rs` that makes it fast",
            ),
            ("Here's the code to handle empty input:\n", "Here's the code to handle empty input"),
            ("Here's the fix for the crash at the end:\n", "Here's the fix for the crash at the end"),
            ("Here is a parser, faster by half:\n", "Here is a parser, faster by half"),
            ("Here's the list (sorted by age):\n", "Here's the list (sorted by age)"),
            ("Here's the patch — it was off by one:\n", "Here's the patch — it was off by one"),
            ("Here's the new README section. It names the flag.\n", "It names the flag."),
            ("It was slow, so here is another loop:\n", "It was slow, so here is another loop"),
            ("I've added a null check:\n", "I've added a null check"),
            ("First, update the imports:\n", "First, update the imports"),
            ("Now let's add the helper to the model:\n", "Now let's add the helper to the model"),
            ("The following patch adds retries:\n", "The following patch adds retries"),
            ("Handle what lies below zero:\n", "Handle what lies below zero"),
            ("The cursor stops here.\n", "The cursor stops here."),
            ("Replace `a` with a faster `b`:\n", "Replace `a` with a faster `b`"),
        ] {
            assert_eq!(of(prose, false).as_deref(), Some(why), "{prose:?}");
        }
        assert_eq!(of("Cache it.\n```\n", true).as_deref(), Some("Cache it."));
    }

    #[test]
    fn what_only_announces_is_none() {
        for prose in [
            "Here is the change:\n",
            "Sure! Here's the updated code for `src/a.rs`:\n",
            "Below are the edits.\n",
            "**File:** src/a.rs\n",
            "src/a.rs\n",
            "Now the changes to src/a.rs:\n",
            "OK\n",
            "Cache it.\n```\nx\n```\n",
            "Here you go:\n",
            "Below is the diff you asked for. Let me know if it works.\n",
            "Below is the diff you asked for.\n",
            "<function_calls>\n",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>edit_file\n",
            "On Tuesday, Ann wrote:\n> It is wrong.\n> > Is it?\n",
            "2. ```python\n",
            "\n",
            "Here's the updated README section:\n",
            "Here’s the revised configuration:\n",
            "Below is the full implementation of the parser:\n",
            "Here are the changes to the login page:\n",
            "And here's the test suite:\n",
            "Finally, here is the new migration.\n",
            "As requested, here is the whole component:\n",
            "Sure thing! Here's a cleaner take:\n",
            "Here is the diff for the README section:\n",
            "Here's what the header looks like now:\n",
            "OK, here are all of the endpoints in `src/api.ts`:\n",
            "Below are the three `package.json` scripts:\n",
            "Here's the fix:\n",
            "Great, here's the corrected stylesheet, as asked:\n",
            "Here is the final state of the reducer:\n",
            "Let me show you the updated section:\n",
            "**`src/util/f.ts`** (lines 2-4)\n",
            "### `docs/new.md` (new file)\n",
            "Third:\n",
            "I've made the following changes:\n",
            "Sure! Below are the edits.\n",
            "Certainly! I'll update the file accordingly.\n",
            "I've updated the code to address your request.\n",
            "To implement this feature, we need to make the following changes:\n",
            "I have reviewed the code and made the necessary changes.\n",
            "Let's go ahead and apply the changes:\n",
            "Here you go! Let me know if you need anything else.\n",
            "I understand. Let me update that for you:\n",
            "Thanks for the details! Here are the SEARCH/REPLACE blocks:\n",
            "What an interesting codebase! Here's the patch:\n",
            "Based on the files you shared, I've prepared the following edits:\n",
            "This should do the trick:\n",
            "I think this is what you want:\n",
            "It's a one-line fix:\n",
            "Only one file needs to change:\n",
            "Understood, here's the revised implementation with your feedback incorporated:\n",
            "Looking at your code, I can see the issue. Here's the fix:\n",
            "You're right, I apologize for the confusion. Here is the corrected edit:\n",
            "Given the above, the edits are:\n",
            "Applying the fix:\n",
            "## Summary of changes\n",
            "### Step 1: Update `a.py`\n",
            "Edit 1 of 3: `a.py`\n",
            "That is all you asked me for, I believe.\n",
            "Feel free to adapt it to your taste!\n",
            "Run the following command:\n",
            "Of course.\n",
            "Certainly, here it is:\n",
            "Sorry about that.\n",
            "Good point. Thanks.\n",
            "Got it.\n",
            "diff\nCopy code\n",
        ] {
            assert_eq!(of(prose, false), None, "{prose:?}");
        }
    }
}
