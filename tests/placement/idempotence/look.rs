//! Added lines follow the kept lines: in indentation, tabs or blanks, line ending, and quotes.

use super::config;
use super::hunk::{Hunk, allow, landed, plain};
use proptest::prelude::*;
use proptest::sample::select;

/// One step of indentation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Two,
    Four,
    Tab,
}

impl Step {
    fn times(self, depth: usize) -> String {
        match self {
            Step::Two => "  ",
            Step::Four => "    ",
            Step::Tab => "\t",
        }
        .repeat(depth)
    }
}

/// How the indentation of the answer differs from that of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Written {
    Same,
    /// This many steps less.
    Dedented(usize),
    /// This many steps more.
    Deeper(usize),
    /// Tabs for blanks, or blanks of some width for tabs.
    Other(Step),
}

/// A line of the region: its depth, whether it is added, and whether it has a string in quotes.
#[derive(Debug, Clone)]
struct Line {
    depth: usize,
    added: bool,
    quoted_string: bool,
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = (0..3_usize, prop::bool::weighted(0.4), any::<bool>());
    let more = prop::collection::vec(line, 1..6);
    more.prop_map(|more| {
        // Kept lines of two depths around it show the width of a step.
        let kept = |depth: usize| Line { depth, added: false, quoted_string: true };
        let within = more.into_iter().map(|(depth, added, quoted_string)| Line {
            depth: depth + 1,
            added,
            quoted_string,
        });
        [kept(1), kept(2)].into_iter().chain(within).chain([kept(1)]).collect()
    })
}

fn code(at: usize, line: &Line, quotes: (&str, &str)) -> String {
    if line.quoted_string {
        format!("line{at} = call({}text{})", quotes.0, quotes.1)
    } else {
        format!("line{at} = call({at})")
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn added_lines_look_as_those_around_them(
        lines in lines(),
        step in select(vec![Step::Two, Step::Four, Step::Tab]),
        written in select(vec![
            Written::Same, Written::Dedented(1), Written::Deeper(1), Written::Deeper(2),
            Written::Other(Step::Tab), Written::Other(Step::Two), Written::Other(Step::Four),
        ]),
        eol in select(vec!["\n", "\r\n"]),
        quotes in select(vec![("\"", "\""), ("“", "”"), ("‘", "’")]),
    ) {
        if !lines.iter().any(|line| line.added) {
            return Ok(());
        }
        // Blanks of another width are not what is tested here.
        let written = match written {
            Written::Other(other) if (other == Step::Tab) == (step == Step::Tab) => Written::Same,
            other => other,
        };
        let straight = if quotes.0 == "‘" { ("'", "'") } else { ("\"", "\"") };
        let mut hunk = Hunk::default();
        let (mut file, mut expected) = (format!("top = 0{eol}"), format!("top = 0{eol}"));
        for (at, line) in lines.iter().enumerate() {
            let real = format!("{}{}{eol}", step.times(line.depth), code(at, line, straight));
            expected += &real;
            if !line.added {
                file += &real;
            }
            let indent = match written {
                Written::Same => step.times(line.depth),
                Written::Dedented(by) => step.times(line.depth - by),
                Written::Deeper(by) => step.times(line.depth + by),
                Written::Other(other) => other.times(line.depth),
            };
            hunk.push(if line.added { '+' } else { ' ' }, format!("{indent}{}", code(at, line, quotes)));
        }
        let end = format!("end = 0{eol}");
        let (file, expected) = (file + &end, expected + &end);
        // In the file's language indentation is not syntax.
        let answers = plain("a.js", &[hunk]);
        allow("a.js", &file, &answers, |after| after == expected)?;
        let made = landed("a.js", &file, &answers);
        prop_assert_eq!(made.len(), answers.0.len(), "of\n{}it lands in {:?} only", file, made);
    }

    /// A hunk that quotes no indented line follows the indentation that another hunk of the answer shows.
    #[test]
    fn a_hunk_that_shows_nothing_takes_what_the_others_show(
        step in select(vec![Step::Two, Step::Four, Step::Tab]),
        other in select(vec![Step::Two, Step::Four, Step::Tab]),
        depths in prop::collection::vec(1..4_usize, 1..4),
        shows_first in any::<bool>(),
    ) {
        if (other == Step::Tab) == (step == Step::Tab) {
            return Ok(());
        }
        let showing = |step: Step, more: bool| {
            let (one, two) = (step.times(1), step.times(2));
            let more = if more { format!("{two}more();\n") } else { String::new() };
            format!("{one}if one {{\n{two}a();\n{more}{one}}}\n")
        };
        let bare = |step: Step, more: bool| {
            let lines = depths.iter().enumerate().map(|(at, depth)| format!("{}b({at});\n", step.times(*depth)));
            format!("void last() {{\n{}}}\n", if more { lines.collect() } else { String::new() })
        };
        let file = |step: Step, more: bool| {
            if shows_first {
                format!("void first() {{\n{}}}\n\n{}", showing(step, more), bare(step, more))
            } else {
                format!("{}\nvoid first() {{\n{}}}\n", bare(step, more), showing(step, more))
            }
        };
        let marked = |before: &str, after: &str| {
            let lines = crate::answer::marked(before, after);
            Hunk(lines.lines().map(|line| (line.chars().next().unwrap(), line[1..].to_owned())).collect())
        };
        let mut hunks = vec![
            marked(&showing(other, false), &showing(other, true)),
            marked(&bare(other, false), &bare(other, true)),
        ];
        if !shows_first {
            hunks.reverse();
        }
        let (file, expected) = (file(step, false), file(step, true));
        let answers = plain("a.c", &hunks);
        allow("a.c", &file, &answers, |after| after == expected)?;
        let made = landed("a.c", &file, &answers);
        prop_assert_eq!(made.len(), answers.0.len(), "of\n{}it lands in {:?} only", file, made);
    }
}
