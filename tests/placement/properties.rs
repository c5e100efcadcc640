//! Properties of every file and every edit: nothing outside of the place changes, nothing lands in a wrong place, and
//! nothing panics.
mod anything;
mod diffs;
mod parts;
mod refusals;
mod regions;

use git_llm_apply::edit::{Anchor, Change, Hunk, Unit};
use git_llm_apply::guard::Guard;
use git_llm_apply::locate::{self, Applied, Context, Limits, Refusal, Repeat, Tier};
use git_llm_apply::span::Span;
use git_llm_apply::text::search::Budget;
use git_llm_apply::text::{Content, Language};
use git_llm_apply::version::Version;
use proptest::prelude::ProptestConfig;

const LIMITS: Limits = Limits {
    max_fuzz: Tier::Similar,
    guard: Guard {
        allow_placeholder: false,
        allow_markers: false,
        allow_escaped: false,
        language: Language::UNKNOWN,
        format: None,
    },
};

/// Runs this many cases. A failure prints its case, which then becomes an example of its own.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Applies hunks to a file.
fn run(file: &[u8], hunks: &[Hunk]) -> Result<Applied, Vec<Refusal>> {
    let version = Version::of_base(Content::new(file));
    let (others, budget) = (hunks.iter().collect::<Vec<_>>(), Budget::default());
    let repeats = vec![Repeat::ONCE; hunks.len()];
    // In a prose file a kept line may have one more word.
    let limits = Limits { guard: Guard { language: Language::of("a.md"), ..LIMITS.guard }, ..LIMITS };
    let mut context = Context::new(&limits, &budget);
    (context.repeats, context.others) = (&repeats, &others);
    locate::apply(&version, hunks, &context)
}

/// Returns a hunk with a search text and a replacement.
fn texts(before: &str, after: &str, unit: Unit) -> Hunk {
    let change = Change::Texts { before: before.into(), after: after.into(), unit };
    Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Unique }
}

/// Returns a hunk of a diff.
fn diff(lines: &str, anchor: Anchor) -> Hunk {
    let change = Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
    Hunk { span: Span::new(0, 0, 0), change, anchor }
}
