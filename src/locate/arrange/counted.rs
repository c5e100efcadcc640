//! Hunks whose anchor is a count: the n-th match of their search text, or a line number to insert after.

use super::addition;
use super::member::Member;
use crate::diag::{Code, Refusal, counted};
use crate::edit::Occurrence;
use crate::locate::Context;
use crate::locate::already_applied::result_between;
use crate::locate::evidence;
use crate::locate::matches::{Matches, find};
use crate::locate::part;
use crate::locate::query::Query;
use crate::locate::solution::Placement;
use crate::text::search::{Haystack, Place, Point};

impl Member<'_> {
    /// Returns the placement of lines that are inserted after a line number. The number has to mean the same place in
    /// the base and in the current text.
    pub(super) fn after_line(&self, line: u32) -> Result<Placement, Box<Refusal>> {
        let Query { context, hay, .. } = self.query;
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let count = hay.line_count();
        if line > count {
            let message =
                format!("the edit inserts after line {line}, but the file has {}", counted(count, "line"));
            let refusal = Refusal::new(Code::OccurrenceRange, message);
            return Err(refusal.with_help(format!("give a line from 0 to {count}")));
        }
        let current = |line: usize| context.lineage().and_then(|lineage| lineage.of(line));
        // The lines of the base above and below the insertion show where it goes in the current text.
        let counted = [line.checked_sub(1).and_then(current).map(|above| above + 1), current(line)];
        if let Some(other) = counted.into_iter().flatten().find(|&other| other != line) {
            // The message names the lines after which the edit would insert.
            return Err(two_readings(hay, line.saturating_sub(1), other.saturating_sub(1)));
        }
        addition::behind(&self.query, line)
    }

    /// Returns the placement at the n-th match. Matches where the hunk is already applied count, too, because otherwise
    /// a second run would take another match. If the result of the hunk matches before the n-th match, an earlier run
    /// may have applied it there.
    pub(super) fn nth_match(
        &self,
        matches: &Matches,
        occurrence: Occurrence,
    ) -> Result<Placement, Box<Refusal>> {
        let Query { hay, pattern, .. } = self.query;
        let places = matches.all();
        let Some(index) = nth(occurrence, places.len()) else {
            let Occurrence::Nth(asked) = occurrence else {
                return Err(evidence::ambiguous(hay, places));
            };
            return Err(evidence::out_of_range(hay, asked.get(), &places));
        };
        let (aligned, is_applied) = &matches.places[index];
        // The model may also have counted looser matches, or all parts of lines that have this text.
        let all = match pattern.before.as_slice() {
            [text] if part::may_be(pattern) => hay.parts(text),
            _ => self.query.loose_matches(),
        };
        if let Some(other) = nth(occurrence, all.len()).and_then(|index| all.get(index))
            && !other.overlaps(&aligned.place)
        {
            return Err(evidence::two_places(hay, other.first(), aligned.place.first()));
        }
        if *is_applied {
            return Ok(Placement::applied(hay, aligned.place, matches.match_mode));
        }
        let (start, end) = (aligned.place.start, Point { line: hay.line_count(), column: 0 });
        let counted = match occurrence {
            Occurrence::Last => [start, end],
            _ => [Point { line: 0, column: 0 }, start],
        };
        if let Some(result) = result_between(&self.query, counted, &matches.open()) {
            let refusal = evidence::applied_elsewhere(hay, &aligned.place, &result);
            return Err(Box::new(Refusal { is_last: true, ..*refusal }));
        }
        if let Some(line) = self.other_in_base(&aligned.place, occurrence) {
            return Err(two_readings(hay, aligned.place.first(), line));
        }
        self.query.solve(aligned).map(Placement::Change)
    }

    /// Returns the line of the n-th match in the base, if that is another match. A model may count in the text that it
    /// was shown, or in the text that its earlier edits leave.
    fn other_in_base(&self, place: &Place, occurrence: Occurrence) -> Option<usize> {
        let (base, lineage) = self.query.context.base.filter(|_| self.repeat.total == 1)?;
        let base = Haystack::new(base, self.query.hay.budget());
        let context = Context { base: None, ..*self.query.context };
        let matches = find(&Query { context: &context, hay: base, ..self.query }).ok()?;
        let other = matches.places.get(nth(occurrence, matches.places.len())?)?.0.place;
        match lineage.of(other.first()) {
            Some(line) if (line, other.start.column) == (place.first(), place.start.column) => None,
            // If an earlier edit has changed the line, its number in the base is returned.
            line => Some(line.unwrap_or(other.first())),
        }
    }
}

fn nth(occurrence: Occurrence, count: usize) -> Option<usize> {
    match occurrence {
        Occurrence::First => (count > 0).then_some(0),
        Occurrence::Last => count.checked_sub(1),
        Occurrence::All => None,
        Occurrence::Nth(n) => usize::try_from(n.get()).ok().map(|n| n - 1).filter(|&index| index < count),
    }
}

/// Refuses a count that means one line in the current text and another one in the base.
fn two_readings(hay: Haystack<'_>, one: usize, other: usize) -> Box<Refusal> {
    Box::new(Refusal { is_last: true, ..*evidence::two_places(hay, one, other) })
}
