//! Tier 8: finds regions where a few context lines differ from the search text. They may differ in the spaces between
//! tokens, a comment or line of prose may be shortened, mistyped or reworded, and the last line may be cut.

use crate::locate::admission::objection;
use crate::locate::alignment::Alignment;
use crate::locate::query::Query;
use crate::locate::results::Results;
use crate::locate::thresholds::{LINES_PER_DIFFERENCE, MIN_CUT_BYTES, MIN_LINES, MIN_REWORDED_SIMILARITY};
use crate::locate::tier::{LOOSEST, MatchMode, Tier};
use crate::pattern::Step;
use crate::text::alike::{in_tokens, is_mistyped, percent, ratio, ratio_steps};
use crate::text::search::{Haystack, Place, Solid};
use crate::text::{Language, difference_of, is_blank};
use similar::DiffOp;

const MODE: MatchMode = MatchMode { tier: Tier::Similar, ..MatchMode::LOOSEST };

/// Returns the regions that have every removed line and all but a few context lines, each with whether the hunk is
/// already applied there.
pub(super) fn places(query: &Query<'_>) -> Vec<(Alignment, bool)> {
    let Query { context, hay, pattern, .. } = *query;
    let old = pattern.steps.iter().filter(|step| matches!(step, Step::Keep(_) | Step::Remove(_)));
    let search =
        SearchLines::of(old.map(|step| (pattern.text_of(step), matches!(step, Step::Keep(_)))), None);
    if search.lines.len() < MIN_LINES {
        return Vec::new();
    }
    let file = hay.solid(LOOSEST);
    let mut places = Vec::new();
    for start in search.starts(&file) {
        if !hay.budget().spend(search.lines.len() / 8 + 1) {
            return Vec::new();
        }
        let Some(similarity) = search.similarity(context.limits.language(), hay, &file, start) else {
            continue;
        };
        let (Some(first), Some(last)) = (file.line(start), file.line(start + search.lines.len() - 1)) else {
            continue;
        };
        let place = Place::lines(first, last + 1);
        let Some(mut aligned) = Alignment::at(hay, pattern, place, MODE) else { continue };
        aligned.similarity = Some(similarity);
        if objection(query, &aligned, None).is_none() {
            places.push(aligned);
        }
    }
    let results = Results::of(query, MODE);
    let with_applied = |aligned: Alignment| {
        let is_applied = results.contain(&aligned) || search.has_result(query, &file, &aligned);
        (aligned, is_applied)
    };
    places.into_iter().map(with_applied).collect()
}

/// The lines of a search text that are not blank.
struct SearchLines<'a> {
    lines: Vec<&'a [u8]>,
    hashes: Vec<u64>,
    /// For each line, whether it is a context line.
    kept: Vec<bool>,
    /// How many context lines may differ.
    max_different: usize,
}

impl<'a> SearchLines<'a> {
    /// From all lines, each with whether it is a context line. Blank ones are left out.
    fn of(lines: impl Iterator<Item = (&'a [u8], bool)>, max_different: Option<usize>) -> Self {
        let (lines, kept): (Vec<&[u8]>, Vec<bool>) = lines.filter(|(text, _)| !is_blank(text)).unzip();
        let max_different = max_different.unwrap_or((lines.len() / LINES_PER_DIFFERENCE).max(1));
        Self { hashes: lines.iter().map(|line| LOOSEST.hash(line)).collect(), lines, kept, max_different }
    }

    /// Returns where a region may begin. A region has every removed line, so the removed line that is rarest in the
    /// file is looked up. Without a removed line, a region has at least one of any `max_different + 1` lines, so that
    /// number of the rarest lines is looked up.
    fn starts(&self, file: &Solid<'_>) -> Vec<usize> {
        let spots = file.spots(&self.hashes, usize::MAX);
        let often = |line: &usize| spots.get(&self.hashes[*line]).map_or(0, Vec::len);
        let mut rare: Vec<usize> = (0..self.lines.len()).filter(|&line| !self.kept[line]).collect();
        let mut needed = 1;
        if rare.is_empty() {
            rare = (0..self.lines.len()).collect();
            needed = self.max_different + 1;
        }
        rare.sort_by_key(often);
        rare.truncate(needed);
        let spots_of = |line: usize| spots.get(&self.hashes[line]).into_iter().flatten();
        let mut starts: Vec<usize> = rare
            .iter()
            .flat_map(|&line| spots_of(line).filter_map(move |spot| spot.checked_sub(line)))
            .filter(|start| start + self.lines.len() <= file.len())
            .collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Returns the similarity of the region that begins there, in percent; `None` if too much differs, or nothing.
    fn similarity(
        &self,
        language: Language,
        hay: Haystack<'_>,
        file: &Solid<'_>,
        start: usize,
    ) -> Option<u8> {
        let hashes = file.hashes_of(start..start + self.lines.len());
        let differ: Vec<usize> = (0..hashes.len()).filter(|&at| hashes[at] != self.hashes[at]).collect();
        if differ.is_empty() || differ.len() > self.max_different || differ.iter().any(|&at| !self.kept[at]) {
            return None;
        }
        let mut sum = 0.0;
        for (at, line) in self.lines.iter().enumerate() {
            let (written, real) = (LOOSEST.of(line), LOOSEST.of(file.text(start + at)));
            if written == real {
                sum += 1.0;
                continue;
            }
            let is_cut = || {
                at + 1 == self.lines.len()
                    && written.len() >= MIN_CUT_BYTES
                    && real.starts_with(&written)
                    // The lines above have to be unique: a cut line does not choose between places.
                    && hay.skipping_blanks(&self.lines[..at], LOOSEST).len() == 1
            };
            // If the file has the line elsewhere, it is not a misquoted one.
            if !(is_same(language, &written, &real) || is_cut())
                || hay.has_line(line, LOOSEST)
                || !hay.budget().spend(ratio_steps(&written, &real))
            {
                return None;
            }
            sum += ratio(&written, &real);
        }
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
        let share = sum / self.lines.len() as f64;
        Some(percent(share).min(99))
    }

    /// Whether a place is inside a region that has the result of the hunk, if as many context lines may differ.
    fn has_result(&self, query: &Query<'_>, file: &Solid<'_>, aligned: &Alignment) -> bool {
        let Query { context, hay, pattern, .. } = *query;
        let result = SearchLines::of(
            pattern.after_and_new().map(|(text, new)| (text, !new)),
            Some(self.max_different),
        );
        if result.lines.is_empty() || result.lines.len() > file.len() {
            return false;
        }
        let holds = |start: &usize| {
            let first = file.line(*start).is_some_and(|line| line <= aligned.place.first());
            first
                && file
                    .line(start + result.lines.len() - 1)
                    .is_some_and(|line| line + 1 >= aligned.place.behind())
        };
        let mut starts = result.starts(file).into_iter().filter(holds);
        starts.any(|start| result.similarity(context.limits.language(), hay, file, start).is_some())
    }
}

/// Whether two lines without indentation differ only in spaces between tokens, in their comment, or as prose.
fn is_same(language: Language, written: &[u8], real: &[u8]) -> bool {
    if language.is_no_code(written) && language.is_no_code(real) && is_same_comment(written, real) {
        return true;
    }
    let ((code, comment), (real_code, real_comment)) = (language.split(written), language.split(real));
    let is_same_code =
        comment.trim_ascii() == real_comment.trim_ascii() && in_tokens(code) == in_tokens(real_code);
    is_same_code
        || !code.is_empty()
            && code == real_code
            && !real_comment.is_empty()
            && (comment.is_empty() || is_same_comment(comment.trim_ascii(), real_comment.trim_ascii()))
}

/// Whether a comment or a line of prose is the other one, shortened, mistyped or reworded.
fn is_same_comment(written: &[u8], real: &[u8]) -> bool {
    let dotted = written.strip_suffix(b"...").or_else(|| written.strip_suffix("…".as_bytes()));
    let head = dotted.unwrap_or(written).trim_ascii_end();
    // Without an ellipsis, the rest has to be long enough and to end with a whole word. A number is never cut.
    let may_be_cut_off = |rest: &[u8]| match (rest, head.last()) {
        ([b'0'..=b'9', ..] | [b'.' | b',', b'0'..=b'9', ..], Some(b'0'..=b'9')) => false,
        ([], _) => dotted.is_none(),
        ([next, ..], _) => dotted.is_some() || next.is_ascii_whitespace() || b".,;:!?)".contains(next),
    };
    let shortened = (dotted.is_some() || head.len() >= MIN_CUT_BYTES)
        && real.strip_prefix(head).is_some_and(may_be_cut_off);
    shortened
        || is_mistyped(written, real)
        || ratio(written, real) >= MIN_REWORDED_SIMILARITY && has_its_words(written, real)
}

/// Words that may be exchanged or left out without changing what a comment is about.
const SMALL_WORDS: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "its", "his", "their", "our", "your", "it", "they",
    "we", "you", "is", "are", "be", "was", "were", "will", "can", "to", "of", "in", "on", "at", "for",
    "from", "by", "with", "as", "and", "so", "also", "just", "then", "which",
];

/// Whether two comments have the same words. Small words may differ, and one comment may have words more. But if a word
/// is replaced by another one, the comment may be about something else.
fn has_its_words(written: &[u8], real: &[u8]) -> bool {
    let words = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (words(written), words(real));
    let says = |words: &[String]| words.iter().any(|word| !SMALL_WORDS.contains(&word.as_str()));
    let differs = |words: &[String]| {
        words.iter().any(|word| {
            word.contains(|c: char| c.is_ascii_digit()) || matches!(word.as_str(), "not" | "no" | "never")
        })
    };
    // A single letter is a name, unless it is what is left of a mistyped small word.
    let is_letter = |words: &[String]| words.iter().any(|word| word != "a" && word.chars().count() == 1);
    let is_small = |words: &[String]| words.iter().any(|word| word.len() > 1) && !says(words);
    signs(written) == signs(real)
        && difference_of(&old, &new).iter().all(|op| match op {
            DiffOp::Equal { .. } => true,
            _ => {
                let (old, new) = (&old[op.old_range()], &new[op.new_range()]);
                let reworded = says(old) && says(new);
                let renamed = is_letter(old) && !is_small(new) || is_letter(new) && !is_small(old);
                !reworded && !renamed && !differs(old) && !differs(new)
            }
        })
}

/// What changes the meaning of words besides their letters: signs, as in `C#` and `--all`, and the number of `n't`, as
/// in `isn't`.
fn signs(text: &[u8]) -> (Vec<u8>, usize) {
    let signs = text.iter().copied().filter(|b| b"#+-*/=<>&|%@$^~\\".contains(b)).collect();
    (signs, memchr::memmem::find_iter(text, b"n't").count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(path: &str, written: &str, real: &str) -> bool {
        is_same(Language::of(path), written.as_bytes(), real.as_bytes())
    }

    #[test]
    fn a_comment_is_shortened_mistyped_or_reworded() {
        assert!(same("a.rs", "// Walks the ...", "// Walks the tree and finds all."));
        assert!(same("a.py", "# ...", "# Walks the tree"));
        assert!(
            same("a.rs", "// Walks teh tree.", "// Walks the tree.") || !same("a.rs", "// the", "// teh")
        );
        assert!(same("a.rs", "// Retruns the tree.", "// Returns the tree."));
        assert!(same("a.rs", "// Walks the tree and finds all.", "// Walks the tree, and finds all of it."));
        assert!(same("README.md", "Walks the whole ...", "Walks the whole tree"));
    }

    #[test]
    fn a_comment_about_something_else_is_another_one() {
        assert!(!same("a.rs", "// The first of them.", "// The last of them."));
        assert!(!same("a.rs", "// Walks ...", "# Walks the tree"));
        assert!(!same("a.rs", "// case 1", "// case 2"));
    }

    #[test]
    fn spaces_between_equal_tokens_may_differ() {
        for (written, real) in [
            ("f(a,b)", "f( a, b )"),
            ("if(x)", "if (x)"),
            ("a=b+c", "a = b  +\tc"),
            ("x = [1,2]; // two", "x = [ 1, 2 ];  // two"),
            ("call(\"a  b\",c)", "call(\"a  b\", c)"),
            ("fn  f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
        ] {
            assert!(same("a.rs", written, real) && same("a.rs", real, written), "{written}");
        }
    }

    #[test]
    fn spaces_that_make_other_tokens_may_not_differ() {
        for (written, real) in [
            ("f(\"a b\")", "f(\"a  b\")"),
            ("f('a b', c)", "f('ab', c)"),
            ("s = 'it is", "s = 'it  is"),
            ("ab = 1", "a b = 1"),
            ("a = 1 .5", "a = 1.5"),
            ("a - -b", "a--b"),
            ("a > > b", "a >> b"),
            ("x = = y", "x == y"),
            (".a .b {", ".a.b {"),
            ("rm -rf x", "rm-rf x"),
            ("f(a, b)", "f(a, c)"),
            ("a = !b", "a = b"),
            ("a: b", "a :b"),
        ] {
            assert!(!same("a.rs", written, real) && !same("a.rs", real, written), "{written}");
        }
    }

    #[test]
    fn code_is_never_guessed() {
        assert!(same("a.rs", "walk(); // walks all", "walk(); // walks all of it"));
        assert!(same("a.rs", "walk();", "walk(); // all of it"));
        assert!(!same("a.rs", "wlak(); // all", "walk(); // all"));
        assert!(!same("a.unknown", "# Walks the ...", "# Walks the tree"), "no comments are known");
        assert!(!same("a.rs", "let a = ...", "let a = 5 + 4"));
        assert!(!same("a.rs", "retrun x;", "return x;") && !same("a.rs", "Sets(", "Gets("));
        assert!(!same("a.rs", "is_ready,", "!is_ready,"));
    }
}
