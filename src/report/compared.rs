//! The search text beside the region of the file that is most like it, line by line.

use super::{Difference, Finding, Wanted};
use crate::diag::{self, Nearest, RowKind};
use serde::Serialize;

/// The two.
#[derive(Serialize)]
pub(super) struct Compared<'a> {
    #[serde(flatten)]
    pub(super) nearest: &'a Nearest,
    pub(super) rows: Vec<Row<'a>>,
    first_difference: Option<FirstDifference>,
}

/// A line of the search text, the line of the file beside it, or both.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    pub(super) kind: RowKind,
    pub(super) wanted: Option<&'a Wanted>,
    pub(super) real: Option<Real<'a>>,
}

/// A line of the file.
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
    /// Those of a finding, if it has any.
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

    /// The row of the first difference.
    pub(super) fn first(&self) -> Option<usize> {
        self.first_difference.as_ref().map(|first| first.row)
    }

    /// Whether the two differ in blanks and look-alikes only.
    pub(super) fn is_alike(&self) -> bool {
        self.first().and_then(|at| self.rows.get(at)).is_some_and(|row| row.kind == RowKind::Alike)
    }

    /// Whether a row differs. Where nothing differs to the eye, this is all that is not the same.
    pub(super) fn differs(&self, row: &Row<'_>) -> bool {
        match row.kind {
            RowKind::Same => false,
            RowKind::Alike => self.is_alike(),
            _ => true,
        }
    }
}

impl Row<'_> {
    /// How its two lines differ.
    pub(super) fn difference(&self) -> Option<Difference> {
        Some(Difference::of(&self.wanted?.text, self.real?.text))
    }
}
