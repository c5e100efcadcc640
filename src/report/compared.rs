//! Compares the search text with the closest match in the file, line by line.

use super::{Difference, Finding, Wanted};
use crate::diag::{self, Nearest, RowKind};
use serde::Serialize;

/// The closest match, with the rows of the comparison.
#[derive(Serialize)]
pub(super) struct Compared<'a> {
    #[serde(flatten)]
    pub(super) nearest: &'a Nearest,
    pub(super) rows: Vec<Row<'a>>,
    first_difference: Option<FirstDifference>,
}

/// A line of the search text, the file's line beside it, or both.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    pub(super) kind: RowKind,
    pub(super) wanted: Option<&'a Wanted>,
    pub(super) real: Option<Real<'a>>,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Real<'a> {
    pub(super) line: usize,
    pub(super) text: &'a str,
}

#[derive(Serialize)]
struct FirstDifference {
    row: usize,
    column: usize,
    remark: String,
}

impl<'a> Compared<'a> {
    /// The comparison of a finding, if it has one.
    pub(super) fn of(finding: &'a Finding) -> Option<Self> {
        let nearest = finding.evidence.as_ref()?.nearest.as_ref()?;
        let row = |row: &diag::Row| Row {
            kind: row.kind,
            wanted: row.wanted.and_then(|at| finding.wanted.get(at)),
            real: row
                .real
                .and_then(|at| Some(Real { line: nearest.line + at, text: nearest.lines.get(at)? })),
        };
        let rows: Vec<_> = nearest.rows.iter().map(row).collect();
        let first_difference = nearest.first_differing_row().map(|row| {
            let difference = rows.get(row).and_then(Row::difference);
            let (column, remark) = difference.map_or((0, String::new()), |one| (one.column, one.remark));
            FirstDifference { row, column, remark }
        });
        Some(Self { nearest, rows, first_difference })
    }

    /// The index of the first row that differs.
    pub(super) fn first(&self) -> Option<usize> {
        self.first_difference.as_ref().map(|first| first.row)
    }

    /// Whether the two differ only in whitespace and look-alikes.
    pub(super) fn is_alike(&self) -> bool {
        self.first().and_then(|at| self.rows.get(at)).is_some_and(|row| row.kind == RowKind::Alike)
    }

    /// The indexes of the rows to show, at most `most`. If there are more rows, only those that differ are shown, with
    /// `around` rows above and below each. `None` marks rows that are left out.
    pub(super) fn shown(&self, around: usize, most: usize) -> Vec<Option<usize>> {
        let differing: Vec<_> = (0..self.rows.len()).filter(|at| self.differs(&self.rows[*at])).collect();
        let is_whole = self.rows.len() <= most || differing.is_empty();
        let is_near = |at: usize| {
            let next = differing.partition_point(|other| other + around < at);
            differing.get(next).is_some_and(|other| *other <= at + around)
        };
        let (mut shown, mut next) = (Vec::new(), 0);
        for at in (0..self.rows.len()).filter(|at| is_whole || is_near(*at)).take(most) {
            if at > next {
                shown.push(None);
            }
            shown.push(Some(at));
            next = at + 1;
        }
        if next < self.rows.len() {
            shown.push(None);
        }
        shown
    }

    /// Whether a row is shown as different. A row that differs only in whitespace or look-alikes is, unless other rows
    /// differ in more.
    pub(super) fn differs(&self, row: &Row<'_>) -> bool {
        match row.kind {
            RowKind::Same => false,
            RowKind::Alike => self.is_alike(),
            _ => true,
        }
    }
}

impl Row<'_> {
    /// The difference between the two lines, if there are two.
    fn difference(&self) -> Option<Difference> {
        Some(Difference::of(&self.wanted?.text, self.real?.text))
    }

    /// How the two lines differ, in words; empty if people can see the difference.
    pub(super) fn remark(&self) -> String {
        match (self.difference(), self.wanted) {
            (Some(difference), _) => difference.remark,
            (None, Some(_)) => "the file does not have this line here".to_owned(),
            (None, None) => "the response leaves this line out".to_owned(),
        }
    }
}
