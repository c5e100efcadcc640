//! Any file and any hunks: nothing panics.

use super::{config, run};
use git_llm_apply::edit::{Anchor, Change, Hunk, Occurrence, Unit};
use git_llm_apply::locate::Outcome;
use git_llm_apply::span::Span;
use git_llm_apply::text::Content;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn odd_text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "\n",
        "\n",
        "\n",
        "a",
        "b",
        " ",
        "\t",
        "}",
        "x = 1",
        "“",
        "\"",
        "é",
        "e\u{301}",
        "\r",
        "\r\n",
        "// ...",
        "...",
        "=======",
        "<<<<<<< a",
        ">>>>>>> b",
        "\u{feff}",
        "\u{a0}",
        "token",
        "+",
        "-",
        "~",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn odd_hunk() -> impl Strategy<Value = Hunk> {
    let anchor = prop_oneof![
        Just(Anchor::Unique),
        Just(Anchor::Occurrence(Occurrence::Last)),
        (0..3_u32)
            .prop_map(|n| Anchor::Occurrence(Occurrence::Nth(std::num::NonZeroU32::MIN.saturating_add(n)))),
        prop::option::of(0..6_u32).prop_map(|old_start| Anchor::Line {
            old_start,
            new_start: None,
            section: None
        }),
        (prop::collection::vec(odd_text(), 0..3), any::<bool>())
            .prop_map(|(headings, end_of_file)| Anchor::Seek { headings, end_of_file }),
    ];
    let change = prop_oneof![
        (odd_text(), odd_text(), any::<bool>()).prop_map(|(before, after, part)| {
            let unit = if part { Unit::Text } else { Unit::Lines };
            Change::Texts { before: before.into(), after: after.into(), unit }
        }),
        (odd_text(), any::<bool>(), any::<bool>()).prop_map(
            |(lines, before_unterminated, after_unterminated)| {
                Change::Diff { lines: lines.into(), before_unterminated, after_unterminated }
            }
        ),
        (odd_text(), odd_text(), odd_text()).prop_map(|(one, two, three)| {
            let head = format!("{one}\n");
            let dividers = vec![head.len(), head.len() + 8 + two.len() + 1];
            Change::Splits { lines: format!("{head}=======\n{two}\n=======\n{three}\n").into(), dividers }
        }),
    ];
    (change, anchor).prop_map(|(change, anchor)| Hunk { span: Span::new(0, 0, 0), change, anchor })
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn nothing_panics(
        file in odd_text(),
        tail in prop::collection::vec(any::<u8>(), 0..4),
        hunks in prop::collection::vec(odd_hunk(), 1..4),
        same in any::<bool>(),
    ) {
        let file = [file.as_bytes(), &tail].concat();
        let mut hunks = hunks;
        if same {
            // All hunks have the same kind of anchor, so that they are located together.
            let anchor = hunks[0].anchor.clone();
            hunks.iter_mut().for_each(|hunk| hunk.anchor = anchor.clone());
        }
        let outcome = run(&file, &hunks);
        if let Ok(applied) = outcome
            && applied.outcome != Outcome::Changes
        {
            prop_assert_eq!(applied.version.content().to_bytes(), file);
        }
    }

    /// Versions that share chunks equal files that are read anew, whatever is removed and added.
    #[test]
    fn replacing_lines_is_replacing_bytes(
        file in odd_text(), with in odd_text(), start in any::<Index>(), end in any::<Index>()
    ) {
        let content = Content::new(file.as_bytes());
        let count = content.line_count();
        let (start, end) = (start.index(count + 1), end.index(count + 1));
        let (start, end) = (start.min(end), start.max(end));
        let bytes = |range: std::ops::Range<usize>| -> Vec<u8> {
            let lines = content.lines(range);
            lines.flat_map(|line| [line.text, line.eol.map_or(&b""[..], |eol| eol.as_bytes())].concat()).collect()
        };
        let bom = if content.has_bom() { "\u{feff}".as_bytes() } else { b"" };
        let expected = [bom, &bytes(0..start), with.as_bytes(), &bytes(end..count)].concat();
        prop_assert_eq!(content.replace(start..end, with.as_bytes()).to_bytes(), expected);
    }
}
