//! What all strategies ask of one hunk on one text.

use crate::locate::Repeat;
use crate::locate::admission::Objection;
use crate::locate::evidence::{self, Refusal};
use crate::locate::found::{Search, find};
use crate::locate::haystack::Haystack;
use crate::locate::loose;
use crate::locate::pattern::Pattern;
use crate::locate::place::Place;
use crate::locate::pointer::Pointers;
use crate::locate::scene::{Part, Scene, Solution};
use crate::locate::standing::{standing, stands_stricter};
use crate::locate::tier::Rung;

/// A hunk, and where it is sought.
#[derive(Clone, Copy)]
pub(super) struct Seek<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) hay: Haystack<'a>,
    pub(super) pattern: &'a Pattern<'a>,
    pub(super) pointers: &'a Pointers,
}

impl Seek<'_> {
    /// Its places at tiers 1 to 6.
    pub(super) fn places(&self) -> Result<Search, Box<Refusal>> {
        find(self.scene, self.hay, self.pattern, self.pointers)
    }

    /// Refuses places found on a rung where the result of the hunk stands on a stricter one, apart from them: it was made
    /// there perhaps.
    pub(super) fn is_strictest(&self, rung: Rung, places: &[Place]) -> Result<(), Box<Refusal>> {
        let admits = |place: &Place| {
            !places.iter().any(|other| other.overlaps(place)) && self.pointers.against(place).is_none()
        };
        let hay = self.pointers.narrow(self.hay, self.pattern.after().len());
        match (stands_stricter(self.scene, hay, self.pattern, rung, admits), places) {
            (Some(result), [first, ..]) => Err(evidence::stands_looser(self.hay, first, &result)),
            _ => Ok(()),
        }
    }

    /// The hunk as one whose result stands at a place; `places` is how many there were to choose from.
    pub(super) fn made(&self, place: Place, rung: Rung, places: usize) -> Part {
        Part::Made(Solution::at(self.hay, place, rung, places))
    }

    /// The hunk as one that was made, if its result stands where it says that it was.
    pub(super) fn standing(&self, repeat: Repeat) -> Option<Part> {
        let hay = self.pointers.narrow(self.hay, self.pattern.after().len());
        let admits = |place: &Place| self.pointers.against(place).is_none();
        let (place, rung) = standing(self.scene, hay, self.pattern, repeat, admits)?;
        Some(self.made(place, rung, 0))
    }

    /// What the hunk comes to that has no place at the strict tiers: it was made, where `repeat` says how often it may stand;
    /// or it has a place at the loose tiers, if these may be asked; else why it has none. A place that is refused for what it
    /// is, and not for where it is, is the one that is meant.
    pub(super) fn otherwise(
        &self,
        repeat: Option<Repeat>,
        loose: bool,
        refused: Option<(Place, Objection)>,
    ) -> Result<Part, Box<Refusal>> {
        let Self { scene, hay, pattern, pointers } = *self;
        if let Some(part) = repeat.and_then(|repeat| self.standing(repeat)) {
            return Ok(part);
        }
        if loose && refused.is_none_or(|(_, objection)| matches!(objection, Objection::Pointer(_))) {
            let hay = pointers.narrow(hay, pattern.before.len());
            if let Some(solution) = loose::locate(scene, hay, pattern, pointers)? {
                return Ok(Part::Change(solution));
            }
        }
        Err(match refused {
            Some((place, objection)) => evidence::objected(hay, pattern, &place, objection),
            None => evidence::missing(hay, pattern, pointers),
        })
    }
}
