//! Counts the outcomes, and prints them.

use git_llm_apply::format::FormatId;

/// The outcome of applying a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    Wrong,
    Refused,
}

/// Which outcomes are allowed for a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It says where its hunks belong: it must be right, as often as the bar demands, and never wrong.
    Clear,
    /// It does not say where its hunks belong: right or refused.
    Unclear,
    /// It must be refused.
    Bad,
    /// Any outcome.
    Unbarred,
    /// It has landed before, and should change nothing or be refused. Other outcomes are only counted.
    Again,
}

/// The number of each outcome.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    refused: usize,
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Refused => self.refused += 1,
        }
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.refused += other.refused;
    }

    fn all(self) -> usize {
        self.right + self.wrong + self.refused
    }
}

/// A drift, or a kind of response that must be refused.
#[derive(Debug)]
struct Row {
    name: &'static str,
    kind: Kind,
    bar: Option<f64>,
    clear: Tally,
    unclear: Tally,
}

impl Row {
    fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 52 bits")]
        let share = self.clear.right as f64 * 100.0 / self.clear.all().max(1) as f64;
        share
    }

    fn misses(&self) -> bool {
        match self.kind {
            // The record keeps responses from landing twice, and there is none here.
            Kind::Unbarred | Kind::Again => false,
            Kind::Bad => self.clear.wrong > 0,
            Kind::Clear | Kind::Unclear => {
                let short = self.clear.all() > 0 && self.bar.is_some_and(|bar| self.share() < bar);
                short || self.clear.wrong + self.unclear.wrong > 0
            }
        }
    }
}

/// All rows.
pub(crate) struct Table {
    rows: Vec<Row>,
    /// How often each format could not express a commit.
    skipped: Vec<usize>,
    /// How many spoiled responses quote another place exactly.
    left_out: usize,
    /// The outcomes of the same diffs, for us and for each other program.
    rivals: Vec<(&'static str, Tally)>,
    show: Option<String>,
}

impl Table {
    /// Failures are printed in the rows whose names contain `show`.
    pub(crate) fn new(show: Option<String>) -> Self {
        Self {
            rows: Vec::new(),
            skipped: vec![0; FormatId::ALL.len()],
            left_out: 0,
            rivals: Vec::new(),
            show,
        }
    }

    /// Counts a commit that a format cannot express.
    pub(crate) fn skip(&mut self, format: FormatId) {
        let index = FormatId::ALL.iter().position(|other| *other == format).unwrap_or(0);
        self.skipped[index] += 1;
    }

    /// Counts a response that a drift has turned into one for another place.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    pub(crate) fn count(
        &mut self,
        name: &'static str,
        bar: Option<f64>,
        kind: Kind,
        outcome: Outcome,
        report: &dyn Fn() -> String,
    ) {
        let index = self.row(name, bar, if kind == Kind::Unclear { Kind::Clear } else { kind });
        let row = &mut self.rows[index];
        if kind == Kind::Unclear { &mut row.unclear } else { &mut row.clear }.count(outcome);
        let short = kind == Kind::Clear && bar.is_some() && outcome == Outcome::Refused;
        let fails = outcome == Outcome::Wrong || short;
        if fails && self.show.as_ref().is_some_and(|show| name.contains(show.as_str())) {
            println!("==== {name}: {outcome:?}: {}", report());
        }
    }

    /// Counts the outcome of a diff that other programs apply, too.
    pub(crate) fn compare(&mut self, name: &'static str, outcome: Outcome) {
        self.rival(name).count(outcome);
    }

    fn rival(&mut self, name: &'static str) -> &mut Tally {
        let index = self.rivals.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            self.rivals.push((name, Tally::default()));
            self.rivals.len() - 1
        });
        &mut self.rivals[index].1
    }

    fn row(&mut self, name: &'static str, bar: Option<f64>, kind: Kind) -> usize {
        self.rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            let (clear, unclear) = (Tally::default(), Tally::default());
            self.rows.push(Row { name, kind, bar, clear, unclear });
            self.rows.len() - 1
        })
    }

    /// Adds the counts of another table.
    pub(crate) fn add(&mut self, other: Table) {
        for row in other.rows {
            let index = self.row(row.name, row.bar, row.kind);
            let own = &mut self.rows[index];
            own.clear.add(row.clear);
            own.unclear.add(row.unclear);
        }
        for (name, tally) in other.rivals {
            self.rival(name).add(tally);
        }
        self.left_out += other.left_out;
        self.skipped.iter_mut().zip(other.skipped).for_each(|(own, other)| *own += other);
    }

    pub(crate) fn applications(&self) -> usize {
        self.rows.iter().map(|row| row.clear.all() + row.unclear.all()).sum()
    }

    /// How many responses landed wrong, including those that must be refused.
    pub(crate) fn wrong(&self) -> usize {
        let barred = self.rows.iter().filter(|row| !matches!(row.kind, Kind::Unbarred | Kind::Again));
        barred.map(|row| row.clear.wrong + row.unclear.wrong).sum()
    }

    /// Prints the rows, and returns how many of them miss their bars.
    pub(crate) fn print(&self) -> usize {
        for (format, skipped) in FormatId::ALL.iter().zip(&self.skipped).filter(|(_, skipped)| **skipped > 0)
        {
            println!("{} cannot express {skipped} of them", format.as_str());
        }
        if self.left_out > 0 {
            println!("{} left out: spoiled, they quote another place to the letter", self.left_out);
        }
        println!(
            "\n{:<40} {:>6} {:>6} {:>8} {:>8} {:>6}   {:>20}",
            "drift", "right", "wrong", "refused", "right %", "bar", "unclear: r / w / ref"
        );
        for row in self.rows.iter().filter(|row| !matches!(row.kind, Kind::Bad | Kind::Again)) {
            let Tally { right, wrong, refused } = row.clear;
            let unclear = format!("{} / {} / {}", row.unclear.right, row.unclear.wrong, row.unclear.refused);
            let bar = row.bar.map_or_else(|| "-".to_owned(), |bar| format!("{bar:.0}"));
            let verdict = if row.misses() { "  MISSED" } else { "" };
            println!(
                "{:<40} {right:>6} {wrong:>6} {refused:>8} {:>7.1} {bar:>6}   {unclear:>20}{verdict}",
                row.name,
                // Rounded down, so that 99.96 is not shown as 100.
                (row.share() * 10.0).floor() / 10.0
            );
        }
        println!("\n{:<50} {:>8} {:>8}", "must be refused", "refused", "landed");
        for row in self.rows.iter().filter(|row| row.kind == Kind::Bad) {
            let verdict = if row.misses() { "  MISSED" } else { "" };
            println!("{:<50} {:>8} {:>8}{verdict}", row.name, row.clear.refused, row.clear.wrong);
        }
        println!(
            "\n{:<35} {:>14} {:>8} {:>8}",
            "once more, without a record", "there already", "refused", "changed"
        );
        for row in self.rows.iter().filter(|row| row.kind == Kind::Again) {
            let Tally { right, wrong, refused } = row.clear;
            let verdict = if row.misses() { "  MISSED" } else { "" };
            println!("{:<35} {right:>14} {refused:>8} {wrong:>8}{verdict}", row.name);
        }
        if !self.rivals.is_empty() {
            println!(
                "\n{:<50} {:>8} {:>8} {:>8}",
                "the same diffs, spoilt and not", "right", "refused", "wrong"
            );
        }
        for (name, tally) in &self.rivals {
            let share = |count: usize| format!("{} %", (count * 100 + tally.all() / 2) / tally.all().max(1));
            let (right, refused, wrong) = (share(tally.right), share(tally.refused), share(tally.wrong));
            println!("{name:<50} {right:>8} {refused:>8} {wrong:>8}   of {}", tally.all());
        }
        self.rows.iter().filter(|row| row.misses()).count()
    }
}
