//! What is counted, and how it is printed.

use git_llm_apply::format::FormatId;

/// What came of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    Wrong,
    Refused,
}

/// What has to come of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It says where its hunks belong: right, up to the bar.
    Clear,
    /// It does not: right or refused.
    Unclear,
    /// Refused.
    Bad,
    /// Anything.
    Unbarred,
    /// It landed before: nothing changes, or it is refused.
    Again,
}

/// How many of each.
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
            // That nothing lands twice is up to the record, which is none of this.
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
    /// How often a response came to name another place to the letter.
    left_out: usize,
    /// What came of the same diffs: of ours, and of what other programs made of them.
    rivals: Vec<(&'static str, Tally)>,
    show: Option<String>,
}

impl Table {
    /// `show` is a part of the names of rows whose failures are printed.
    pub(crate) fn new(show: Option<String>) -> Self {
        Self {
            rows: Vec::new(),
            skipped: vec![0; FormatId::ALL.len()],
            left_out: 0,
            rivals: Vec::new(),
            show,
        }
    }

    /// A format that cannot express a commit.
    pub(crate) fn skip(&mut self, format: FormatId) {
        let index = FormatId::ALL.iter().position(|other| *other == format).unwrap_or(0);
        self.skipped[index] += 1;
    }

    /// A response that a drift made into one for another place.
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

    /// Counts what came of a diff that others are given, too.
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

    /// Takes in what another has counted.
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

    /// How many landed wrong; what must be refused and landed is among them.
    pub(crate) fn wrong(&self) -> usize {
        let barred = self.rows.iter().filter(|row| !matches!(row.kind, Kind::Unbarred | Kind::Again));
        barred.map(|row| row.clear.wrong + row.unclear.wrong).sum()
    }

    /// Prints the rows and gives how many of them miss their bars.
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
                // Not rounded up to what it is not.
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
