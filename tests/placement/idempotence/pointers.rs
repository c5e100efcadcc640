//! An edit never lands at a place that contradicts its heading, number, count or order.

use super::config;
use super::hunk::{Hunk, allow};
use crate::answer;
use proptest::prelude::*;
use proptest::sample::{Index, select};

const LINES: &[&str] = &["    a = read(cfg)", "    b = check(a)", "    log(b)", "    return b"];

const NAMES: &[&str] = &["alpha", "bravo", "charlie", "delta"];

/// Generates functions of few different lines, each with its head and a blank line below.
fn functions() -> impl Strategy<Value = Vec<Vec<String>>> {
    let body = prop::collection::vec(select(LINES.to_vec()), 1..6);
    prop::collection::vec(body, 2..5).prop_map(|bodies| {
        let function = |(at, body): (usize, Vec<&str>)| {
            let head = format!("def {}(cfg):", NAMES[at]);
            let lines = std::iter::once(head).chain(body.into_iter().map(str::to_owned));
            lines.chain([String::new()]).collect()
        };
        bodies.into_iter().enumerate().map(function).collect()
    })
}

/// Lines of a function's body, and whether the hunk replaces one of them or adds a line below it.
#[derive(Debug, Clone)]
struct Wish {
    function: Index,
    start: Index,
    count: usize,
    at: Index,
    adds: bool,
}

fn wish() -> impl Strategy<Value = Wish> {
    (any::<Index>(), any::<Index>(), 1..4_usize, any::<Index>(), any::<bool>())
        .prop_map(|(function, start, count, at, adds)| Wish { function, start, count, at, adds })
}

impl Wish {
    fn hunk(&self, functions: &[Vec<String>]) -> Hunk {
        let function = &functions[self.function.index(functions.len())];
        let body = &function[1..function.len() - 1];
        let start = self.start.index(body.len());
        let quoted = &body[start..(start + self.count).min(body.len())];
        let changed = self.at.index(quoted.len());
        let mut hunk = Hunk::default();
        for (at, line) in quoted.iter().enumerate() {
            hunk.push(if at == changed && !self.adds { '-' } else { ' ' }, line.clone());
            if at == changed {
                hunk.push('+', "    brand_new(cfg)");
            }
        }
        hunk
    }
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns the indices at which the lines that a hunk quotes occur.
fn places(lines: &[String], hunk: &Hunk) -> Vec<usize> {
    let find: Vec<String> = hunk.find().lines().map(str::to_owned).collect();
    (0..lines.len()).filter(|&at| lines[at..].starts_with(&find)).collect()
}

/// Returns the file after the hunk is applied at this index.
fn made(lines: &[String], hunk: &Hunk, at: usize) -> String {
    let (old, _) = hunk.counts();
    format!("{}{}{}", text(&lines[..at]), hunk.put(), text(&lines[at + old..]))
}

/// Returns whether places overlap, so that counting them is not clear.
fn overlap(places: &[usize], hunk: &Hunk) -> bool {
    places.windows(2).any(|pair| pair[1] - pair[0] < hunk.counts().0)
}

proptest! {
    #![proptest_config(config(400))]

    /// The heading names the function that is meant, or another one. The edit lands only below the heading.
    #[test]
    fn a_heading_names_where(functions in functions(), wish in wish(), heading in any::<Index>()) {
        let lines = functions.concat();
        let hunk = wish.hunk(&functions);
        let named = heading.index(functions.len());
        let start: usize = functions[..named].iter().map(Vec::len).sum();
        let within = start..start + functions[named].len();
        let allowed: Vec<String> = places(&lines, &hunk)
            .into_iter()
            .filter(|at| within.contains(at))
            .map(|at| made(&lines, &hunk, at))
            .collect();
        let body = format!("@@ {}\n{}", functions[named][0], hunk.body());
        let answers = answer::diffs("a.py", &body);
        allow("a.py", &text(&lines), &answers, |after| allowed.iter().any(|one| one == after))?;
        // If there is exactly one such place, it lands.
        if let [only] = &allowed[..] {
            let landed = super::hunk::landed("a.py", &text(&lines), &answers);
            prop_assert!(landed.len() == 2, "{only}is made in {landed:?} only, of\n{}", text(&lines));
        }
    }

    /// Numbers never lead to a place outside of the heading's block, whether they agree with the heading or not.
    #[test]
    fn a_heading_binds_behind_numbers_too(
        functions in functions(),
        wish in wish(),
        heading in any::<Index>(),
        number in any::<Index>(),
    ) {
        let lines = functions.concat();
        let hunk = wish.hunk(&functions);
        let named = heading.index(functions.len());
        let start: usize = functions[..named].iter().map(Vec::len).sum();
        let within = start..start + functions[named].len();
        let all = places(&lines, &hunk);
        let number = number.index(lines.len());
        let (old, new) = hunk.counts();
        let body =
            format!("@@ -{},{old} +{},{new} @@ {}\n{}", number + 1, number + 1, functions[named][0], hunk.body());
        let inside: Vec<usize> = all.iter().copied().filter(|at| within.contains(at)).collect();
        // If the text matches at the number, the number chooses that place.
        let allowed: Vec<String> = inside
            .iter()
            .filter(|at| !inside.contains(&number) || **at == number)
            .map(|at| made(&lines, &hunk, *at))
            .collect();
        allow("a.py", &text(&lines), &answer::udiffx("a.py", &body), |after| {
            allowed.iter().any(|one| one == after)
        })?;
    }

    /// A number at which the text matches is meant. Any other number does not choose between places.
    #[test]
    fn a_number_chooses_among_equal_places(functions in functions(), wish in wish(), number in any::<Index>()) {
        let lines = functions.concat();
        let hunk = wish.hunk(&functions);
        let all = places(&lines, &hunk);
        let number = number.index(lines.len());
        let (old, new) = hunk.counts();
        let body = format!("@@ -{},{old} +{},{new} @@\n{}", number + 1, number + 1, hunk.body());
        let answers =
            answer::udiffx("a.py", &body).and(answer::start_line(number + 1, "a.py", &hunk.find(), &hunk.put()));
        let meant = if all.contains(&number) { vec![number] } else { all };
        allow("a.py", &text(&lines), &answers, |after| match &meant[..] {
            [at] => after == made(&lines, &hunk, *at),
            _ => false,
        })?;
    }

    /// An occurrence means that match and no other.
    #[test]
    fn an_occurrence_counts(functions in functions(), wish in wish(), which in select(vec!["first", "last", "1", "2", "3"])) {
        let lines = functions.concat();
        let hunk = wish.hunk(&functions);
        let all = places(&lines, &hunk);
        if overlap(&all, &hunk) {
            return Ok(());
        }
        let at = match which {
            "first" => all.first(),
            "last" => all.last(),
            number => all.get(number.parse::<usize>().unwrap() - 1),
        };
        let answers = answer::occurrence(which, "a.py", &hunk.find(), &hunk.put());
        allow("a.py", &text(&lines), &answers, |after| {
            at.is_some_and(|&at| after == made(&lines, &hunk, at))
        })?;
    }

    /// A chunk of a patch may be above the chunk before it only if its lines match nowhere else. It may begin with the
    /// last lines of that chunk.
    #[test]
    fn chunks_go_forward(functions in functions(), first in wish(), second in wish()) {
        let lines = functions.concat();
        let (first, second) = (first.hunk(&functions), second.hunk(&functions));
        let (ones, twos) = (places(&lines, &first), places(&lines, &second));
        let mut core = first.clone();
        while core.0.last().is_some_and(|line| line.0 == ' ') {
            core.0.pop();
        }
        let old = core.counts().0;
        // Equal chunks may be for one place, and two chunks may add lines at one place.
        let touch = |one: &usize| twos.iter().any(|two| (*one..one + old).contains(two));
        if first == second || ones.iter().any(touch) {
            return Ok(());
        }
        let back = ones.iter().filter(|&&one| twos.len() == 1 && twos[0] + second.counts().0 <= one).map(|&one| {
            let after = made(&lines, &core, one);
            let after: Vec<String> = after.lines().map(str::to_owned).collect();
            made(&after, &second, twos[0])
        });
        let allowed: Vec<String> = ones
            .iter()
            .flat_map(|&one| twos.iter().filter(move |&&two| two >= one + old).map(move |&two| (one, two)))
            .map(|(one, two)| {
                let after = made(&lines, &second, two);
                let after: Vec<String> = after.lines().map(str::to_owned).collect();
                made(&after, &core, one)
            })
            .chain(back)
            .collect();
        let body = format!("@@\n{}@@\n{}", first.body(), second.body());
        allow("a.py", &text(&lines), &answer::patch("a.py", &body), |after| {
            allowed.iter().any(|one| one == after)
        })?;
    }

    /// A chunk that is marked as the end of the file is applied there or not at all.
    #[test]
    fn the_end_of_the_file_is_the_end(functions in functions(), wish in wish()) {
        let mut lines = functions.concat();
        lines.pop();
        let hunk = wish.hunk(&functions);
        let at = lines.len().checked_sub(hunk.counts().0).filter(|at| places(&lines, &hunk).contains(at));
        let answers = answer::patch("a.py", &format!("@@\n{}*** End of File\n", hunk.body()));
        allow("a.py", &text(&lines), &answers, |after| {
            at.is_some_and(|at| after == made(&lines, &hunk, at))
        })?;
    }
}
