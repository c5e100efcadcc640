//! One hunk: its places, the one that is meant, and the file with the hunk made there.

use super::pattern::Pattern;
use super::place::{Place, inside};
use super::{Effect, Limits, Match, Refusal, Repeat, Tier, search, splice};
use crate::diag::{Code, Evidence};
use crate::edit::{Anchor, Hunk, Occurrence, Unit};
use crate::text::{Content, Eol, Form};

/// What came of a hunk.
pub(super) struct Made {
    pub(super) content: Content,
    pub(super) matched: Option<Match>,
    /// How many places there were to choose from.
    pub(super) places: Option<usize>,
    pub(super) effect: Effect,
}

/// One way to look for a before-text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rung {
    tier: Tier,
    scope: Scope,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    WholeLines,
    WithinLines,
}

/// The ways to look, the strictest first. Exact and line ends are one: a payload has lost the file's line endings, so a
/// place that has `\n` is no likelier than one that has `\r\n` or the file's end.
fn ladder(unit: Unit, limits: &Limits) -> Vec<Rung> {
    let whole = |tier, form| Rung { tier, scope: Scope::WholeLines, form };
    let mut rungs = vec![whole(Tier::Exact, Form::Text)];
    if unit == Unit::Text {
        rungs.push(Rung { tier: Tier::Exact, scope: Scope::WithinLines, form: Form::Text });
    }
    rungs.retain(|rung| rung.tier <= limits.max_fuzz);
    rungs
}

/// The places of the first rung that has any.
struct Found {
    rung: Rung,
    places: Vec<Place>,
    /// Whether each lies inside a place of the after-text, where the hunk was made already.
    made: Vec<bool>,
}

impl Found {
    fn live(&self) -> Vec<Place> {
        self.places.iter().zip(&self.made).filter(|(_, made)| !**made).map(|(place, _)| *place).collect()
    }
}

/// Makes a hunk at its one place.
pub(super) fn locate(
    content: &Content,
    hunk: &Hunk,
    repeat: Repeat,
    limits: &Limits,
) -> Result<Made, Box<Refusal>> {
    let readings = Pattern::readings(&hunk.change);
    // A reading that the file has goes before one whose result it has.
    let known = readings.iter().find(|pattern| find(content, pattern, limits).is_some());
    let mut refusal = None;
    for pattern in known.map_or(readings.as_slice(), std::slice::from_ref) {
        match reading(content, pattern, &hunk.anchor, repeat, limits) {
            Err(nowhere) if nowhere.code == Code::SearchNotFound => refusal = refusal.or(Some(nowhere)),
            outcome => return outcome,
        }
    }
    Err(refusal.unwrap_or_else(|| Refusal::new(Code::Missing, "the hunk has no text to look for")))
}

fn reading(
    content: &Content,
    pattern: &Pattern<'_>,
    anchor: &Anchor,
    repeat: Repeat,
    limits: &Limits,
) -> Result<Made, Box<Refusal>> {
    if pattern.changes_nothing() {
        return Ok(Made { content: content.clone(), matched: None, places: None, effect: Effect::NoChange });
    }
    if pattern.before.is_empty() {
        return into_empty(content, pattern);
    }
    let found = find(content, pattern, limits);
    let live = found.as_ref().map(Found::live).unwrap_or_default();
    let count = live.len();
    let place = match anchor {
        Anchor::Occurrence(occurrence) => match &found {
            None => None,
            Some(found) => {
                let index =
                    nth(*occurrence, found.places.len()).ok_or_else(|| out_of_range(*occurrence, found))?;
                if found.made[index] {
                    return Ok(already(content, found.places[index], found.rung, count));
                }
                Some(found.places[index])
            }
        },
        _ => match live.as_slice() {
            [] => None,
            _ if repeat.elsewhere > 0 => return Err(once_more(&live)),
            [one] => Some(*one),
            [first, ..] if in_order(&live, repeat) => Some(*first),
            _ => return Err(ambiguous(&live)),
        },
    };
    match (place, found) {
        (Some(place), Some(found)) => {
            let made = make(content, pattern, &place, found.rung);
            let effect = if made == *content { Effect::AlreadyApplied } else { Effect::Changed };
            let matched = Some(evidence(content, &place, found.rung));
            Ok(Made { content: made, matched, places: Some(count), effect })
        }
        _ => match standing_after(content, pattern, repeat) {
            Some(place) => Ok(already(content, place, whole_lines_at(Form::Trailing), count)),
            None => Err(nowhere(content)),
        },
    }
}

/// A hunk without a before-text: it fits an empty file only.
fn into_empty(content: &Content, pattern: &Pattern<'_>) -> Result<Made, Box<Refusal>> {
    let after = pattern.after();
    let matched = Some(Match { tier: Tier::Exact, similarity: None, line: 1 });
    if content.is_empty() {
        let made = splice::whole_lines(content, pattern, &Place::lines(0, 0), |_| None);
        return Ok(Made { content: made, matched, places: Some(1), effect: Effect::Changed });
    }
    if content.lines(0..content.line_count()).map(|line| line.text).eq(after.iter().copied()) {
        return Ok(Made {
            content: content.clone(),
            matched,
            places: Some(0),
            effect: Effect::AlreadyApplied,
        });
    }
    let message =
        format!("the text to find is empty, but the file has {}", counted(content.line_count(), "line"));
    Err(Refusal::new(Code::AlreadyExists, message)
        .with_help("give the lines beside which the new ones belong"))
}

fn find(content: &Content, pattern: &Pattern<'_>, limits: &Limits) -> Option<Found> {
    ladder(pattern.unit, limits).into_iter().find_map(|rung| {
        let places = match rung.scope {
            Scope::WholeLines => search::whole_lines(content, &pattern.before, rung.form),
            Scope::WithinLines => search::within_lines(content, &pattern.before),
        };
        if places.is_empty() {
            return None;
        }
        let after = pattern.after();
        // Where the result stands it stands at tiers 1 to 3.
        let mut made = inside(&places, &search::whole_lines(content, &after, rung.form.max(Form::Trailing)));
        if pattern.unit == Unit::Text {
            let within = inside(&places, &search::within_lines(content, &after));
            made.iter_mut().zip(within).for_each(|(made, within)| *made |= within);
        }
        Some(Found { rung, places, made })
    })
}

/// Where the after-text stands, if that proves that the hunk was made.
fn standing_after(content: &Content, pattern: &Pattern<'_>, repeat: Repeat) -> Option<Place> {
    if !pattern.after_is_proof() {
        return None;
    }
    let after = pattern.after();
    let mut places = search::whole_lines(content, &after, Form::Trailing);
    if places.is_empty() && pattern.unit == Unit::Text {
        places = search::within_lines(content, &after);
    }
    // Hunks of an earlier region left as many.
    let expected = repeat.elsewhere.max(1);
    places.first().copied().filter(|_| places.len() == 1 || places.len() == expected)
}

fn whole_lines_at(form: Form) -> Rung {
    Rung { tier: Tier::TrailingSpace, scope: Scope::WholeLines, form }
}

/// Identical hunks for exactly as many places, none of which shares a line with another, are those places in order.
fn in_order(live: &[Place], repeat: Repeat) -> bool {
    let places = match repeat.index {
        0 => Some(live.len()),
        _ => repeat.counted,
    };
    places == Some(repeat.total)
        && live.len() == repeat.total - repeat.index.min(repeat.total)
        && live.windows(2).all(|pair| !pair[0].overlaps(&pair[1]))
}

fn nth(occurrence: Occurrence, count: usize) -> Option<usize> {
    match occurrence {
        Occurrence::First => (count > 0).then_some(0),
        Occurrence::Last => count.checked_sub(1),
        Occurrence::Nth(n) => usize::try_from(n.get()).ok().map(|n| n - 1).filter(|&index| index < count),
    }
}

fn make(content: &Content, pattern: &Pattern<'_>, place: &Place, rung: Rung) -> Content {
    match rung.scope {
        Scope::WholeLines => {
            splice::whole_lines(content, pattern, place, |before| Some(place.start.line + before))
        }
        Scope::WithinLines => splice::within_lines(content, pattern, place),
    }
}

fn already(content: &Content, place: Place, rung: Rung, places: usize) -> Made {
    let matched = Some(evidence(content, &place, rung));
    Made { content: content.clone(), matched, places: Some(places), effect: Effect::AlreadyApplied }
}

/// The tier to report: what was looked for byte for byte is exact only with `\n` at the end of every line, as the
/// payload has it.
fn evidence(content: &Content, place: &Place, rung: Rung) -> Match {
    let ended = match rung.scope {
        Scope::WholeLines => place.end.line,
        Scope::WithinLines => place.end.line.max(place.start.line),
    };
    let bom = content.has_bom() && place.start.line == 0 && rung.scope == Scope::WholeLines;
    let same = !bom && content.lines(place.start.line..ended).all(|line| line.eol == Some(Eol::Lf));
    let tier = if rung.tier == Tier::Exact && !same { Tier::Eol } else { rung.tier };
    Match { tier, similarity: None, line: place.start.line + 1 }
}

fn ambiguous(live: &[Place]) -> Box<Refusal> {
    let candidates: Vec<usize> = live.iter().map(|place| place.start.line + 1).collect();
    let message = format!("the text to find stands in {}", counted(candidates.len(), "place"));
    Refusal::new(Code::SearchAmbiguous, message)
        .with_help("give more lines around it, so that it is the only place")
        .with_evidence(Evidence { candidates, ..Evidence::default() })
}

fn once_more(live: &[Place]) -> Box<Refusal> {
    let candidates: Vec<usize> = live.iter().map(|place| place.start.line + 1).collect();
    Refusal::new(
        Code::Duplicate,
        "the same edit stands in an earlier part of the response and would be made twice",
    )
    .with_help("leave one of them out, or give more lines if another place is meant")
    .with_evidence(Evidence { candidates, ..Evidence::default() })
}

fn out_of_range(occurrence: Occurrence, found: &Found) -> Box<Refusal> {
    let asked = match occurrence {
        Occurrence::First => "the first".to_owned(),
        Occurrence::Last => "the last".to_owned(),
        Occurrence::Nth(n) => format!("occurrence {n}"),
    };
    let candidates: Vec<usize> = found.places.iter().map(|place| place.start.line + 1).collect();
    let message = format!(
        "{asked} is asked for, but the text to find stands in {}",
        counted(candidates.len(), "place")
    );
    Refusal::new(Code::OccurrenceRange, message).with_evidence(Evidence { candidates, ..Evidence::default() })
}

fn nowhere(content: &Content) -> Box<Refusal> {
    let message =
        if content.is_empty() { "the file is empty" } else { "the text to find is nowhere in the file" };
    Refusal::new(Code::SearchNotFound, message).with_help("copy the lines to find from the file as it is")
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
