//! The hunks of a unified diff: located together, in order, each helped by its neighbours and by line numbers.

use super::alone::{Search, Solution, matched};
use super::found::{fit, strictly};
use super::joint::{Mode, Part};
use super::pattern::{Pattern, Step};
use super::pieces::{Spot, cut};
use super::place::Place;
use super::rung::{Rung, Scope};
use super::similar::similarly;
use super::splice::LineChange;
use super::thresholds::{CANDIDATES, COMBINATIONS, GAP_ANCHORS};
use super::{Refusal, Repeat, Tier, elision, guard, nearest, refusal};
use crate::diag::Code;
use crate::edit::{Anchor, Change, Hunk};
use crate::text::{Content, Form};

/// Where a hunk may be.
struct Candidate {
    /// The places of its pieces; of one, unless it has a `~` line.
    spots: Vec<Spot>,
    /// The lines that it changes, without the context around them, which neighbours may share.
    core: (usize, usize),
}

impl Candidate {
    fn line(&self) -> usize {
        self.extent().start.line
    }

    fn extent(&self) -> Place {
        match (self.spots.first(), self.spots.last()) {
            (Some(first), Some(last)) => Place { start: first.place.start, end: last.place.end },
            _ => Place::lines(self.core.0, self.core.1),
        }
    }
}

/// A hunk and what is known of its place.
enum State {
    Done(Part),
    Open(Vec<Candidate>),
}

/// Finds for every hunk what it comes to, or says of each that has no place why.
pub(super) fn arrange(
    search: &Search<'_>,
    content: &Content,
    hunks: &[Hunk],
    mode: Mode,
) -> Result<Vec<Part>, Vec<Refusal>> {
    let mut patterns = Vec::with_capacity(hunks.len());
    let mut states = Vec::with_capacity(hunks.len());
    let mut refusals = Vec::new();
    for (index, hunk) in hunks.iter().enumerate() {
        let mut readings = Pattern::readings(&hunk.change);
        if readings.len() > 1 {
            let has =
                |pattern: &Pattern<'_>| strictly(content, pattern, search.limits, search.effort).is_some();
            let known = readings.iter().position(has).unwrap_or(readings.len() - 1);
            readings = readings.into_iter().skip(known).take(1).collect();
        }
        let Some(pattern) = readings.pop() else {
            return Err(vec![refusal::too_many_dividers().of_hunk(index)]);
        };
        match state(search, content, hunk, &pattern, mode) {
            Ok(state) => states.push(state),
            Err(refusal) => {
                refusals.push(refusal.of_hunk(index));
                states.push(State::Done(Part::Nothing));
            }
        }
        patterns.push(pattern);
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let chosen = choose(search, content, hunks, &states)?;
    let mut parts = Vec::with_capacity(hunks.len());
    for (index, (state, pattern)) in states.into_iter().zip(&patterns).enumerate() {
        parts.push(match state {
            State::Done(part) => part,
            State::Open(mut candidates) => {
                let candidate = candidates.swap_remove(chosen[index]);
                match solve(search, content, pattern, &candidate) {
                    Ok(solution) => Part::Change(solution),
                    Err(refusal) => {
                        refusals.push(refusal.of_hunk(index));
                        continue;
                    }
                }
            }
        });
    }
    if refusals.is_empty() { Ok(parts) } else { Err(refusals) }
}

fn state(
    search: &Search<'_>,
    content: &Content,
    hunk: &Hunk,
    pattern: &Pattern<'_>,
    mode: Mode,
) -> Result<State, Box<Refusal>> {
    if pattern.changes_nothing() {
        return Ok(State::Done(Part::Nothing));
    }
    if pattern.before.is_empty() {
        return at_end(content, hunk, pattern);
    }
    if let Some(pieces) = cut(pattern, |step| matches!(step, Step::Gap)) {
        let candidates = around_gaps(search, content, &pieces)?;
        if !candidates.is_empty() {
            return Ok(State::Open(candidates));
        }
        return made_or_nowhere(search, content, pattern, mode);
    }
    let mut found = strictly(content, pattern, search.limits, search.effort);
    if found.is_none() && mode == Mode::Loose {
        if search.limits.max_fuzz >= Tier::Elision
            && let Some(solution) = elision::locate(search, content, pattern)?
        {
            return Ok(State::Done(Part::Change(solution)));
        }
        if search.limits.max_fuzz >= Tier::Similar {
            found = similarly(content, pattern, search.effort);
        }
    }
    if found.is_none() && search.effort.is_spent() {
        return Err(nearest::nowhere(content, pattern, search.effort));
    }
    let mut live = found.as_ref().map(super::found::Found::live).unwrap_or_default();
    if live.len() > CANDIDATES || found.as_ref().is_some_and(|found| !found.sure) {
        // Too many to ask the neighbours about: the line number decides, or nothing does.
        let all = std::mem::take(&mut live);
        live.extend(all.iter().filter(|place| search.numbers && is_numbered(hunk, place.start.line)));
        if live.len() != 1 {
            return Err(refusal::ambiguous(content, &all, search.effort));
        }
    }
    let Some(found) = found.filter(|_| !live.is_empty()) else {
        return made_or_nowhere(search, content, pattern, mode);
    };
    let candidate = |place: &Place| Candidate {
        spots: vec![Spot { place: *place, rung: found.rung }],
        core: core(search, content, pattern, place, found.rung),
    };
    Ok(State::Open(live.iter().map(candidate).collect()))
}

fn made_or_nowhere(
    search: &Search<'_>,
    content: &Content,
    pattern: &Pattern<'_>,
    mode: Mode,
) -> Result<State, Box<Refusal>> {
    match search.standing(content, pattern, Repeat::ONCE, false).filter(|_| mode != Mode::Places) {
        Some(place) => {
            let rung = Rung { tier: Tier::TrailingSpace, scope: Scope::Whole, form: Form::Trailing };
            Ok(State::Done(Part::Made(matched(content, &place, rung))))
        }
        None if mode == Mode::Places => Err(Refusal::new(Code::SearchNotFound, "no place")),
        None => Err(nearest::nowhere(content, pattern, search.effort)),
    }
}

/// A hunk of added lines only. It goes to the end of the file, unless its line number says otherwise: a number alone is
/// not enough to put lines elsewhere.
fn at_end(content: &Content, hunk: &Hunk, pattern: &Pattern<'_>) -> Result<State, Box<Refusal>> {
    let end = content.line_count();
    let said = match hunk.anchor {
        Anchor::Line { old_start, .. } => old_start.and_then(|line| usize::try_from(line).ok()),
        _ => None,
    };
    let is_diff = matches!(hunk.change, Change::Diff { .. });
    if end > 0 && (!is_diff || said.is_some_and(|line| line != end)) {
        return Err(Refusal::new(
            Code::SearchNotFound,
            "the hunk has no line that says where its lines belong",
        )
        .with_help("give the lines before and after them"));
    }
    let place = Place::lines(end, end);
    let after = pattern.after();
    let there = end
        .checked_sub(after.len())
        .is_some_and(|start| content.lines(start..end).map(|line| line.text).eq(after.iter().copied()));
    let rung = Rung { tier: Tier::Exact, scope: Scope::Whole, form: Form::Text };
    if there && pattern.after_is_proof() {
        let place = Place::lines(end - after.len(), end);
        return Ok(State::Done(Part::Made(matched(content, &place, rung))));
    }
    Ok(State::Open(vec![Candidate { spots: vec![Spot { place, rung }], core: (end, end) }]))
}

/// The lines that a hunk changes at a place, from the first to the last.
fn core(
    search: &Search<'_>,
    content: &Content,
    pattern: &Pattern<'_>,
    place: &Place,
    rung: Rung,
) -> (usize, usize) {
    let kept = |step: &&Step<'_>| matches!(step, Step::Keep(_));
    let lead = pattern.steps.iter().take_while(kept).count();
    let trail = pattern.steps.iter().rev().take_while(kept).count();
    let count = pattern.before.len();
    if rung.scope == Scope::Whole {
        return (place.start.line + lead, (place.start.line + count).saturating_sub(trail));
    }
    let lines =
        fit(content, pattern, place, rung).filter(|_| search.effort.spend(count)).map(|fit| fit.lines);
    let line = |range: std::ops::Range<usize>| -> Vec<usize> {
        lines
            .iter()
            .flat_map(|lines| lines.get(range.clone()).unwrap_or(&[]))
            .filter_map(|line| *line)
            .collect()
    };
    let start = line(0..lead).last().map_or(place.start.line, |line| line + 1);
    let end = line(count - trail.min(count)..count).first().copied().unwrap_or(place.end.line);
    (start, end.max(start))
}

/// The ways in which the pieces beside `~` lines stand in the file in order.
fn around_gaps(
    search: &Search<'_>,
    content: &Content,
    pieces: &[Pattern<'_>],
) -> Result<Vec<Candidate>, Box<Refusal>> {
    let removes = |steps: &mut dyn Iterator<Item = &Step<'_>>| {
        let named = steps.filter(|step| !matches!(step, Step::Add(_)));
        named.take_while(|step| matches!(step, Step::Remove(_))).count() >= GAP_ANCHORS
    };
    let last = pieces.len() - 1;
    for (index, piece) in pieces.iter().enumerate() {
        let above = index == last || removes(&mut piece.steps.iter().rev());
        let below = index == 0 || removes(&mut piece.steps.iter());
        if !above || !below {
            let message = format!("a `~` line needs {GAP_ANCHORS} removed lines before and after it");
            return Err(Refusal::new(Code::Malformed, message));
        }
    }
    let mut ways: Vec<Vec<Spot>> = vec![Vec::new()];
    for piece in pieces {
        let Some(found) = strictly(content, piece, search.limits, search.effort) else {
            return Ok(Vec::new());
        };
        let mut longer = Vec::new();
        for way in &ways {
            let from = way.last().map_or(0, |spot| spot.place.end.line);
            for place in found.places.iter().filter(|place| place.start.line >= from).take(COMBINATIONS) {
                let mut way = way.clone();
                way.push(Spot { place: *place, rung: found.rung });
                longer.push(way);
            }
        }
        longer.truncate(COMBINATIONS);
        ways = longer;
    }
    let candidate = |spots: Vec<Spot>| {
        let edge = |index: usize| {
            let (piece, spot) = pieces.get(index).zip(spots.get(index))?;
            Some(core(search, content, piece, &spot.place, spot.rung))
        };
        let core = (edge(0)?.0, edge(last)?.1);
        Some(Candidate { core, spots })
    };
    Ok(ways.into_iter().filter_map(candidate).collect())
}

/// For each hunk that has candidates the one that is meant.
fn choose(
    search: &Search<'_>,
    content: &Content,
    hunks: &[Hunk],
    states: &[State],
) -> Result<Vec<usize>, Vec<Refusal>> {
    let mut chosen = vec![0; states.len()];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let candidates = |hunk: usize| match &states[hunk] {
        State::Open(candidates) => candidates.as_slice(),
        State::Done(_) => &[],
    };
    for (hunk, state) in states.iter().enumerate() {
        if let State::Open(candidates) = state {
            open.push((hunk, (0..candidates.len()).collect()));
        }
    }
    let cores = |open: &[(usize, Vec<usize>)]| -> Vec<Vec<(usize, usize)>> {
        open.iter()
            .map(|(hunk, of)| of.iter().map(|&index| candidates(*hunk)[index].core).collect())
            .collect()
    };
    let mut order = in_order(&cores(&open));
    if let Order::Several(vary) = &order
        && search.numbers
    {
        // The number decides between equals, where it is exactly right.
        for ((hunk, of), _) in open.iter_mut().zip(vary).filter(|(_, vary)| **vary) {
            keep_numbered(content, &hunks[*hunk], candidates(*hunk), of);
        }
        order = in_order(&cores(&open));
    }
    if let Order::None = order {
        for (hunk, of) in open.iter_mut().filter(|(_, of)| search.numbers && of.len() > 1) {
            keep_numbered(content, &hunks[*hunk], candidates(*hunk), of);
        }
        // Hunks that have one place each are sorted; that their lines are different ones is looked at last.
        if open.iter().all(|(_, of)| of.len() == 1) {
            order = Order::One(vec![0; open.len()]);
        }
    }
    match order {
        Order::One(picks) => {
            for ((hunk, of), pick) in open.iter().zip(picks) {
                chosen[*hunk] = of[pick];
            }
            Ok(chosen)
        }
        Order::None | Order::Several(_) => {
            let vary = match order {
                Order::Several(vary) => vary,
                _ => open.iter().map(|(_, of)| of.len() > 1).collect(),
            };
            let unclear = open.iter().zip(vary).filter(|(_, vary)| *vary).map(|((hunk, of), _)| {
                let places: Vec<Place> = of.iter().map(|&index| candidates(*hunk)[index].extent()).collect();
                refusal::ambiguous(content, &places, search.effort).of_hunk(*hunk)
            });
            Err(unclear.collect())
        }
    }
}

/// Keeps the candidate that stands exactly at the hunk's line number, if there is one. Where the text behind the numbers
/// names the block that another one is in, the two do not agree, and none is kept.
fn keep_numbered(content: &Content, hunk: &Hunk, candidates: &[Candidate], of: &mut Vec<usize>) {
    let is_there = |index: &usize| is_numbered(hunk, candidates[*index].line());
    let Some(&numbered) = of.iter().find(|index| is_there(index)) else { return };
    if let Anchor::Line { section: Some(section), .. } = &hunk.anchor {
        let part = memchr::memmem::Finder::new(section.as_str());
        let lines = content.lines(0..content.line_count()).enumerate();
        let named: Vec<(usize, usize)> = lines
            .filter(|(_, line)| part.find(line.text).is_some())
            .take(COMBINATIONS)
            .map(|(line, _)| (line, elision::block_end(content, &Place::lines(line, line + 1))))
            .collect();
        let is_named =
            |index: usize| named.iter().any(|(start, end)| (start..end).contains(&&candidates[index].line()));
        if !is_named(numbered) && of.iter().any(|&index| is_named(index)) {
            return;
        }
    }
    of.retain(is_there);
}

/// Whether a hunk's line number names that line, counted from 0.
fn is_numbered(hunk: &Hunk, line: usize) -> bool {
    match hunk.anchor {
        Anchor::Line { old_start: Some(said), .. } => u32::try_from(line + 1) == Ok(said),
        _ => false,
    }
}

/// In how many ways hunks can stand one after the other.
enum Order {
    None,
    One(Vec<usize>),
    /// Which hunks stand at different places in them.
    Several(Vec<bool>),
}

/// Takes one of each list so that every range ends before the next begins. Each list ascends.
fn in_order(cores: &[Vec<(usize, usize)>]) -> Order {
    // How many ways (two standing for more) lead from a candidate to the end, and from the beginning to it.
    let mut onward: Vec<Vec<u8>> = vec![Vec::new(); cores.len()];
    let mut backward: Vec<Vec<u8>> = vec![Vec::new(); cores.len()];
    for at in (0..cores.len()).rev() {
        onward[at] = match cores.get(at + 1) {
            None => vec![1; cores[at].len()],
            Some(next) => {
                let mut sums = vec![0_u8; next.len() + 1];
                for index in (0..next.len()).rev() {
                    sums[index] = (sums[index + 1] + onward[at + 1][index]).min(2);
                }
                let ways = |core: &(usize, usize)| sums[next.partition_point(|next| next.0 < core.1)];
                cores[at].iter().map(ways).collect()
            }
        };
    }
    for at in 0..cores.len() {
        backward[at] = match at.checked_sub(1) {
            None => vec![1; cores[at].len()],
            Some(before) => {
                let mut sums = vec![0_u8];
                for &ways in &backward[before] {
                    sums.push((sums[sums.len() - 1] + ways).min(2));
                }
                let ways =
                    |core: &(usize, usize)| sums[cores[before].partition_point(|before| before.1 <= core.0)];
                cores[at].iter().map(ways).collect()
            }
        };
    }
    let usable = |at: usize| -> Vec<usize> {
        (0..cores[at].len()).filter(|&index| onward[at][index] > 0 && backward[at][index] > 0).collect()
    };
    let usable: Vec<Vec<usize>> = (0..cores.len()).map(usable).collect();
    match () {
        () if usable.iter().any(Vec::is_empty) => Order::None,
        () if usable.iter().all(|of| of.len() == 1) => Order::One(usable.iter().map(|of| of[0]).collect()),
        () => Order::Several(usable.iter().map(|of| of.len() > 1).collect()),
    }
}

fn solve(
    search: &Search<'_>,
    content: &Content,
    pattern: &Pattern<'_>,
    candidate: &Candidate,
) -> Result<Solution, Box<Refusal>> {
    if let [spot] = candidate.spots.as_slice() {
        return search.solve(content, pattern, &spot.place, spot.rung);
    }
    guard::hunk(content, pattern, search.limits)?;
    let pieces = cut(pattern, |step| matches!(step, Step::Gap)).unwrap_or_default();
    let mut solution: Option<Solution> = None;
    let mut end = 0;
    for (piece, spot) in pieces.iter().zip(&candidate.spots) {
        let part = search.solve(content, piece, &spot.place, spot.rung)?;
        match &mut solution {
            None => solution = Some(part),
            Some(solution) => {
                // All that stands between the two goes.
                solution.changes.push(LineChange {
                    start: end,
                    end: spot.place.start.line,
                    bytes: Vec::new(),
                });
                solution.changes.extend(part.changes);
                solution.matched.tier = solution.matched.tier.max(part.matched.tier);
            }
        }
        end = spot.place.end.line;
    }
    solution.ok_or_else(|| nearest::nowhere(content, pattern, search.effort))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{made, run};
    use super::super::{Effect, Match};
    use super::*;
    use crate::span::Span;

    fn diff(line: Option<u32>, lines: &str) -> Hunk {
        let change =
            Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
        Hunk {
            span: Span::new(0, 0, 0),
            change,
            anchor: Anchor::Line { old_start: line, new_start: None, section: None },
        }
    }

    fn ok(text: &str) -> Result<String, Code> {
        Ok(text.to_owned())
    }

    #[test]
    fn numbers_are_asked_only_between_equals() {
        let file = "x\nx\nx\n";
        assert_eq!(made(file, &[diff(Some(3), "-x\n+y\n")]), ok("x\nx\ny\n"));
        assert_eq!(made(file, &[diff(Some(9), "-x\n+y\n")]), Err(Code::SearchAmbiguous));
        assert_eq!(made(file, &[diff(None, "-x\n+y\n")]), Err(Code::SearchAmbiguous));
        assert_eq!(made("a\nb\nc\n", &[diff(Some(1), " b\n-c\n+d\n")]), ok("a\nb\nd\n"), "a wrong number");
    }

    #[test]
    fn a_number_does_not_decide_against_the_block_that_is_named() {
        let file = "def f():\n    a()\n\ndef g():\n    a()\n";
        let at = |line: u32, text: &str| {
            let section = Some(text.to_owned());
            let anchor = Anchor::Line { old_start: Some(line), new_start: None, section };
            made(file, &[Hunk { anchor, ..diff(None, "-    a()\n+    b()\n") }])
        };
        assert_eq!(at(2, "def g():"), Err(Code::SearchAmbiguous));
        assert_eq!(at(5, "def g():"), ok(&file.replace("g():\n    a", "g():\n    b")));
        assert_eq!(at(2, "def f():"), ok(&file.replacen("    a", "    b", 1)));
        assert_eq!(at(2, "class A:"), ok(&file.replacen("    a", "    b", 1)), "it is nowhere");
    }

    #[test]
    fn neighbours_say_which_place_is_meant() {
        let block = "fn f() {\n    old();\n}\n";
        let file = format!("head\n{block}foot\nhead two\n{block}");
        let second = [
            diff(None, " foot\n-head two\n+head 2\n fn f() {\n"),
            diff(None, " fn f() {\n-    old();\n+    new();\n }\n"),
        ];
        let expected = format!("head\n{block}foot\nhead 2\n{}", block.replace("old", "new"));
        assert_eq!(made(&file, &second), ok(&expected), "the hunks share a line of context");
        let first = [
            diff(None, " fn f() {\n-    old();\n+    new();\n }\n"),
            diff(None, " foot\n-head two\n+head 2\n"),
        ];
        assert_eq!(
            made(&file, &first),
            ok(&format!("head\n{}foot\nhead 2\n{block}", block.replace("old", "new")))
        );
        let lonely = [diff(None, "-    old();\n+    new();\n")];
        assert_eq!(made(&file, &lonely), Err(Code::SearchAmbiguous));
    }

    #[test]
    fn identical_hunks_for_as_many_places_stand_in_order() {
        let hunk = diff(None, "-x\n+y\n");
        assert_eq!(made("x\n-\nx\n", &[hunk.clone(), hunk.clone()]), ok("y\n-\ny\n"));
        assert_eq!(made("x\n-\nx\nx\n", &[hunk.clone(), hunk]), Err(Code::SearchAmbiguous));
    }

    #[test]
    fn hunks_out_of_order_are_sorted_if_each_has_one_place() {
        let hunks = [diff(None, "-c\n+C\n"), diff(None, "-a\n+A\n")];
        assert_eq!(made("a\nb\nc\n", &hunks), ok("A\nb\nC\n"));
        assert_eq!(made("a\nb\nc\na\nb\n", &hunks), ok("a\nb\nC\nA\nb\n"), "in order there is one way");
        assert_eq!(made("a\na\nc\n", &hunks), Err(Code::SearchAmbiguous));
        let overlapping = [diff(None, "-a\n-b\n+x\n"), diff(None, "-b\n+y\n")];
        assert_eq!(made("a\nb\n", &overlapping), Err(Code::Conflict));
    }

    #[test]
    fn all_hunks_are_located_on_one_text() {
        // The second does not see what the first made.
        let hunks = [diff(None, "-a\n+b\n"), diff(None, "-b\n+c\n")];
        assert_eq!(made("a\nb\n", &hunks), ok("b\nc\n"));
        let refusals =
            run("a\nb\n", &[diff(None, "-q\n+z\n"), diff(None, "-b\n+c\n"), diff(None, "-r\n+s\n")]);
        assert_eq!(refusals.unwrap_err().iter().map(|r| r.hunk).collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn a_tilde_stands_for_all_lines_between_removed_ones() {
        let file = "h\n1\n2\n3\n4\n5\nf\n";
        assert_eq!(made(file, &[diff(None, " h\n-1\n-2\n~\n-4\n-5\n+n\n f\n")]), ok("h\nn\nf\n"));
        assert_eq!(made(file, &[diff(None, "-1\n-2\n~\n-3\n-4\n")]), ok("h\n5\nf\n"), "none, too");
        assert_eq!(made(file, &[diff(None, " h\n-1\n~\n-4\n-5\n")]), Err(Code::Malformed));
        assert_eq!(made(file, &[diff(None, " h\n 1\n~\n 4\n 5\n")]), Err(Code::Malformed));
        let twice = "1\n2\n3\n4\n5\n-\n4\n5\n";
        assert_eq!(
            made(twice, &[diff(None, "-1\n-2\n~\n-4\n-5\n")]),
            Err(Code::SearchAmbiguous),
            "up to where?"
        );
        let done = run("h\nn\nf\n", &[diff(None, " h\n-1\n-2\n~\n-4\n-5\n+n\n f\n")]).unwrap();
        assert_eq!(done.effect, Effect::AlreadyApplied);
    }

    #[test]
    fn added_lines_alone_go_to_the_end() {
        assert_eq!(made("a\n", &[diff(None, "+b\n")]), ok("a\nb\n"));
        assert_eq!(made("a", &[diff(Some(1), "+b\n")]), ok("a\nb\n"), "the number of the last line");
        assert_eq!(made("a\nc\n", &[diff(Some(1), "+b\n")]), Err(Code::SearchNotFound));
        assert_eq!(made("", &[diff(Some(0), "+b\n")]), ok("b\n"));
        assert_eq!(made("a", &[diff(None, "-a\n+b\n"), diff(None, "+c\n")]), ok("b\nc\n"));
        assert_eq!(made("a", &[diff(None, " a\n+b\n"), diff(None, "+c\n")]), ok("a\nb\nc\n"));
        assert_eq!(made("q\na", &[diff(None, "-a\n"), diff(None, "+c\n")]), ok("q\nc\n"));
        assert_eq!(run("a\nb\n", &[diff(None, "+b\n")]).unwrap().effect, Effect::AlreadyApplied);
    }

    #[test]
    fn a_missing_newline_is_what_the_diff_says() {
        let flagged = |lines: &str, before_unterminated, after_unterminated| Hunk {
            change: Change::Diff { lines: lines.into(), before_unterminated, after_unterminated },
            ..diff(None, "")
        };
        assert_eq!(made("a\nb\n", &[flagged("-b\n+c\n", false, true)]), ok("a\nc"));
        assert_eq!(made("a\nb", &[flagged("-b\n+b\n", true, false)]), ok("a\nb\n"));
        assert_eq!(made("a\nb\n", &[flagged("-b\n+b\n", false, true)]), ok("a\nb"));
        assert_eq!(made("a\nb", &[flagged("-a\n+c\n b\n", true, true)]), ok("c\nb"));
    }

    #[test]
    fn a_series_is_brought_over_from_the_base_as_a_whole() {
        let base = Content::new(b"a\nx\nb\nx\n");
        let version = super::super::Version::of_base(base);
        let first = [super::super::tests::hunk("a\n", "q\nq\n")];
        let limits = super::super::tests::LIMITS;
        let effort = super::super::Effort::default();
        let now = super::super::apply(&version, &first, &[Repeat::ONCE], &limits, &effort).unwrap().version;
        // The number is right in the base.
        let applied =
            super::super::apply(&now, &[diff(Some(2), "-x\n+y\n")], &[Repeat::ONCE], &limits, &effort)
                .unwrap();
        assert_eq!(applied.version.content().to_bytes(), b"q\nq\ny\nb\nx\n");
        assert_eq!(applied.matched, [Match { tier: Tier::Exact, similarity: None, line: 3 }]);
    }
}
