//! A search text that ends inside a statement, and a line put after it: the statement must stay whole.

use crate::answer::{Line, Side};
use crate::language::{is_prose, may_be_comment};
use crate::random::Random;
use crate::subject::{Attempt, Subject, is_plain};
use crate::table::{Kind, Table};
use git_llm_apply::format::FormatId;

const ROW: &str = "a find that ends inside a statement";

/// How many statements are used in a file.
const MAX_FOUND: usize = 10;
/// How many random lines are tried to find them.
const MAX_TRIES: usize = 60;

pub(crate) fn measure(subject: &Subject, random: &mut Random, table: &mut Table) {
    if is_prose(&subject.path) {
        return;
    }
    let text = subject.lines().collect::<Vec<_>>().join("\n");
    let mut found = 0;
    for _ in 0..MAX_TRIES {
        let at = random.below(subject.file.lines.len());
        let line = subject.line(at);
        let body = line.trim_start();
        let indent = &line[..line.len() - body.len()];
        let Some(&end) = random.pick(&borders(body)) else { continue };
        let begins = &body[..end];
        if may_be_comment(line) || !is_plain([line]) || text.matches(begins).count() != 1 {
            continue;
        }
        let new = format!("new_line_{}();", random.below(1000));
        let deep = random.once_in(2);
        let indented = |text: &str, yes: bool| if yes { format!("{indent}{text}") } else { text.to_owned() };
        let lines = [
            Line::new(Side::Kept, &indented(begins, deep)),
            Line::new(Side::Added, &indented(&new, deep || random.once_in(2))),
        ];
        // If the edit lands, the new line must come after the whole line.
        let right = subject.with(at + 1, 0, &[indented(&new, true)]);
        let (row, bar, kind, format) = (ROW, None, Kind::Clear, FormatId::Opx);
        let (file, right) = (&subject.file, Some(&right));
        subject.run(&Attempt { row, bar, kind, format, head: "", lines: &lines, file, right }, table);
        found += 1;
        if found == MAX_FOUND {
            return;
        }
    }
}

/// Returns where a statement can be cut between two tokens so that the first part is clearly not a whole line: after a
/// word, and before an operator or another word.
fn borders(body: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let fits = |at: &usize| {
        let Some((left, right)) = body.split_at_checked(*at) else { return false };
        let joined = right.starts_with(is_word);
        let continues = right.trim_start().starts_with(|c| is_word(c) || "=+-*/.<>&|?(".contains(c));
        left.len() >= 4 && left.ends_with(is_word) && !joined && continues
    };
    (1..body.len()).filter(fits).collect()
}
