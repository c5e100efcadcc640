//! Compares a search text with its closest match, line by line.

use crate::diag::{Row, RowKind};
use crate::locate::thresholds::{MAX_COMPARED_LINES, MAX_SIMILAR_PAIRS, MIN_PAIR_SIMILARITY};
use crate::locate::tier::LOOSEST;
use crate::text::alike::{ratio, ratio_steps};
use crate::text::difference_of;
use crate::text::search::Budget;
use similar::DiffOp;

/// Returns all lines of both sides, in order. Lines that match each other are in one row.
pub(super) fn compare(before: &[&[u8]], lines: &[&[u8]], budget: &Budget) -> Vec<Row> {
    let hashes = |lines: &[&[u8]]| -> Vec<u64> { lines.iter().map(|line| LOOSEST.hash(line)).collect() };
    let (old, new) = (hashes(before), hashes(lines));
    let mut table = Table { before, lines, budget, rows: Vec::with_capacity(before.len()) };
    let all = DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() };
    let is_long = old.len().saturating_mul(new.len()) > MAX_COMPARED_LINES;
    for op in if is_long { vec![all] } else { difference_of(&old, &new) } {
        match op {
            DiffOp::Equal { old_index, new_index, len } => table.paired(old_index, new_index, len),
            _ => table.by_similarity(op.old_range(), op.new_range()),
        }
    }
    table.rows
}

struct Table<'a> {
    before: &'a [&'a [u8]],
    lines: &'a [&'a [u8]],
    budget: &'a Budget,
    rows: Vec<Row>,
}

type Range = std::ops::Range<usize>;

impl Table<'_> {
    /// Adds lines that have a counterpart.
    fn paired(&mut self, old: usize, new: usize, count: usize) {
        for (wanted, real) in (old..old + count).zip(new..) {
            let kind = match (self.before.get(wanted), self.lines.get(real)) {
                (Some(wanted), Some(real)) if wanted == real => RowKind::Same,
                (Some(wanted), Some(real)) if LOOSEST.eq(wanted, real) => RowKind::Alike,
                _ => RowKind::Differs,
            };
            self.rows.push(Row { wanted: Some(wanted), real: Some(real), kind });
        }
    }

    /// Adds lines of one side that have no counterpart. A missing blank line is not a visible difference.
    fn unpaired(&mut self, wanted: Range, real: Range) {
        let kind = |text: Option<&&[u8]>, kind| match text {
            Some(text) if LOOSEST.of(text).is_empty() => RowKind::Alike,
            _ => kind,
        };
        for at in wanted {
            let kind = kind(self.before.get(at), RowKind::Missing);
            self.rows.push(Row { wanted: Some(at), real: None, kind });
        }
        for at in real {
            let kind = kind(self.lines.get(at), RowKind::Extra);
            self.rows.push(Row { wanted: None, real: Some(at), kind });
        }
    }

    /// Pairs the lines by their position.
    fn by_position(&mut self, old: Range, new: Range) {
        let common = old.len().min(new.len());
        self.paired(old.start, new.start, common);
        self.unpaired(old.start + common..old.end, new.start + common..new.end);
    }

    /// Pairs each line with the next similar one.
    fn by_similarity(&mut self, old: Range, new: Range) {
        if old.is_empty() || new.is_empty() || (old.len() == 1 && new.len() == 1) {
            return self.by_position(old, new);
        }
        let steps = || {
            let pairs = old.clone().flat_map(|old| new.clone().map(move |new| (old, new)));
            pairs.map(|(old, new)| ratio_steps(self.before[old], self.lines[new])).sum()
        };
        if old.len().saturating_mul(new.len()) > MAX_SIMILAR_PAIRS || !self.budget.spend_on_evidence(steps())
        {
            return self.by_position(old, new);
        }
        // The first lines after the last pair.
        let (mut next_old, mut next_new) = (old.start, new.start);
        for wanted in old.clone() {
            let text = LOOSEST.of(self.before[wanted]);
            let is_like = |real: &usize| ratio(&text, &LOOSEST.of(self.lines[*real])) >= MIN_PAIR_SIMILARITY;
            let Some(real) = (next_new..new.end).find(is_like) else { continue };
            self.unpaired(next_old..wanted, next_new..real);
            self.paired(wanted, real, 1);
            (next_old, next_new) = (wanted + 1, real + 1);
        }
        self.unpaired(next_old..old.end, next_new..new.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::lines;

    /// The rows as `3=1`: which line beside which, and how they compare.
    fn rows(before: &str, file: &str) -> String {
        let side = |index: Option<usize>| index.map_or("-".to_owned(), |index| index.to_string());
        let mark = |kind| match kind {
            RowKind::Same => '=',
            RowKind::Alike => '~',
            RowKind::Differs => '!',
            RowKind::Missing => '<',
            RowKind::Extra => '>',
        };
        let row = |row: &Row| format!("{}{}{}", side(row.wanted), mark(row.kind), side(row.real));
        let rows = compare(&lines(before), &lines(file), &Budget::default());
        rows.iter().map(row).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn equal_lines_are_side_by_side() {
        assert_eq!(rows("a\n  b\nc\n", "a\nb\nc\n"), "0=0 1~1 2=2");
        assert_eq!(rows("a\nc\n", "a\nb\nc\n"), "0=0 ->1 1=2");
        assert_eq!(rows("a\nb\nc\n", "a\nc\n"), "0=0 1<- 2=1");
        assert_eq!(rows("a\nfoo(1)\nc\n", "a\nfoo(2)\nc\n"), "0=0 1!1 2=2");
        assert_eq!(rows("a\n\n", "\na\n"), "-~0 0=1 1~-", "blank lines are no difference to the eye");
        assert_eq!(rows("", "a\n"), "->0");
        assert_eq!(rows("a\n", ""), "0<-");
    }

    #[test]
    fn similar_lines_are_paired() {
        assert_eq!(
            rows("let total = sum(items);\nend\n", "// a remark\nlet total = sum(item);\nend\n"),
            "->0 0!1 1=2"
        );
        assert_eq!(rows("alpha beta\nx\n", "omega\nalpha beta gamma\n"), "->0 0!1 1<-");
    }

    #[test]
    fn every_line_is_in_one_row_in_order() {
        let mut seed = 11_u64;
        let mut next = |max: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % max
        };
        let words = [
            "",
            "  ",
            "a",
            " a",
            "alpha beta",
            "alpha beta gamma",
            "\u{2019}x\u{2019}",
            "'x'",
            "}",
            "\tb = 1;",
            "b = 2;",
        ];
        for _ in 0..3000 {
            let mut text = |max: u64| -> String {
                (0..next(max)).map(|_| format!("{}\n", words[next(words.len() as u64) as usize])).collect()
            };
            let (before, file) = (text(14), text(14));
            let (before, file) = (lines(&before), lines(&file));
            let rows = compare(&before, &file, &Budget::default());
            let wanted: Vec<usize> = rows.iter().filter_map(|row| row.wanted).collect();
            let real: Vec<usize> = rows.iter().filter_map(|row| row.real).collect();
            assert_eq!((wanted, real), ((0..before.len()).collect(), (0..file.len()).collect()));
            for row in rows {
                let pair = row.wanted.zip(row.real).map(|(wanted, real)| (before[wanted], file[real]));
                let kind = match pair {
                    Some((wanted, real)) if wanted == real => RowKind::Same,
                    Some((wanted, real)) if LOOSEST.eq(wanted, real) => RowKind::Alike,
                    Some(_) => RowKind::Differs,
                    None => continue,
                };
                assert_eq!(row.kind, kind);
            }
        }
    }

    #[test]
    fn many_lines_are_compared_by_position() {
        let text = |word: &str| (0..600).map(|n| format!("{word}{n}\n")).collect::<String>();
        let rows = compare(&lines(&text("a")), &lines(&text("b")), &Budget::default());
        assert_eq!(rows.len(), 600);
        assert!(rows.iter().all(|row| row.kind == RowKind::Differs));
    }
}
