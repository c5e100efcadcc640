//! The mapping from the indentation of a search text to that of the file. One mapping has to fit all lines.

use std::collections::HashSet;

/// An indentation of the search text, and that of the same line in the file.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// How the indentation of the file differs from that of the search text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum Shift {
    /// Not at all.
    #[default]
    None,
    /// Every line of the file has this additional prefix.
    Add(Vec<u8>),
    /// Every line of the search text has this additional prefix.
    Strip(Vec<u8>),
    /// The steps have another width, such as tabs for 4 spaces: the pairs of the matched lines, the deepest last.
    Steps(Vec<Pair>),
}

impl Shift {
    /// Returns the mapping that fits all pairs. It maps equal indentations to equal ones, and deeper ones to deeper
    /// ones. `None` if no mapping fits, or if it is unknown which of two indentations is deeper.
    pub(super) fn between(pairs: &[Pair]) -> Option<Self> {
        let Some((written, real)) = pairs.first() else { return Some(Shift::None) };
        let prefixes = [
            Some(Shift::None),
            real.strip_suffix(&**written).map(|prefix| Shift::Add(prefix.to_vec())),
            written.strip_suffix(&**real).map(|prefix| Shift::Strip(prefix.to_vec())),
        ];
        let fits =
            |shift: &Shift| pairs.iter().all(|(written, real)| shift.of(written).as_ref() == Some(real));
        prefixes.into_iter().flatten().find(fits).or_else(|| {
            let mut steps = pairs.to_vec();
            // A tab is deeper than a space.
            steps.sort_by_cached_key(|(written, _)| {
                written.iter().map(|b| (*b != b' ', *b)).collect::<Vec<_>>()
            });
            steps.dedup();
            let ascends =
                |pair: &[Pair]| is_deeper(&pair[1].0, &pair[0].0) && is_deeper(&pair[1].1, &pair[0].1);
            steps.windows(2).all(ascends).then_some(Shift::Steps(steps))
        })
    }

    /// Whether the steps of the file are all longer than those of the search text, all shorter, or all of the same
    /// width. Otherwise a line is in another block in the file:
    /// ```text
    /// search text:  `if a`      file:  `if a`
    ///               `  if b`           `  if b`        a step of 2 for 2
    ///               `    c`            `      c`       a step of 4 for 2
    /// ```
    /// Only steps in spaces are compared.
    pub(super) fn is_uniform(&self) -> bool {
        let Shift::Steps(steps) = self else { return true };
        let is_of_spaces = |(written, real): &Pair| [written, real].into_iter().flatten().all(|b| *b == b' ');
        let comparison = |pair: &[Pair]| {
            let [written, real] = [pair[1].0.len() - pair[0].0.len(), pair[1].1.len() - pair[0].1.len()];
            real.cmp(&written)
        };
        let comparisons: HashSet<_> = steps.windows(2).map(comparison).collect();
        comparisons.len() < 2 || !steps.iter().all(is_of_spaces)
    }

    /// Returns the indentation in the file for an indentation of the response; `None` if it is unknown.
    pub(super) fn of(&self, indent: &[u8]) -> Option<Vec<u8>> {
        match self {
            Shift::None => Some(indent.to_vec()),
            Shift::Add(prefix) => Some([prefix, indent].concat()),
            Shift::Strip(prefix) => indent.strip_prefix(&**prefix).map(<[u8]>::to_vec),
            Shift::Steps(steps) => {
                let mut steps = [step_of_one_pair(steps), steps.clone()].concat();
                steps.dedup();
                if !steps.iter().any(|(written, _)| written.first() == indent.first()) {
                    // If this line has tabs and the search text has spaces, or the reverse, it is already as in the
                    // file.
                    steps.iter_mut().for_each(|(written, real)| written.clone_from(real));
                }
                stepped(&steps, indent)
            }
        }
    }
}

/// Maps an indentation by the pairs of a mapping, which ascend. It has to equal one of them, or to be whole steps
/// deeper than one. A step is the difference between the two deepest pairs that are not deeper than the indentation,
/// or, if there is only one such pair, between the two deepest of all:
/// ```text
/// pairs:  `` -> ``, 2 spaces -> 4 spaces      So 6 spaces become 12, and 3 spaces are unknown.
/// ```
/// `None` if two pairs give different results, or if the result would change which of two lines is deeper.
fn stepped(steps: &[Pair], indent: &[u8]) -> Option<Vec<u8>> {
    if let Some((_, real)) = steps.iter().find(|(written, _)| written == indent) {
        return Some(real.clone());
    }
    let nearest = steps.iter().rposition(|(written, _)| indent.starts_with(written))?;
    let end = if nearest == 0 { steps.len() } else { nearest + 1 };
    let [.., (less, real_less), (deep, real_deep)] = &steps[..end] else { return None };
    let (step, real_step) = (deep.strip_prefix(&**less)?, real_deep.strip_prefix(&**real_less)?);
    let reading = |(written, real): &Pair| {
        let more = indent.strip_prefix(&**written)?;
        let times = more.len() / step.len();
        (step.repeat(times) == more).then(|| [real, &*real_step.repeat(times)].concat())
    };
    // One space is not a step: it aligns the star of a comment.
    let real_indent = reading(&steps[nearest]).filter(|_| step != b" ")?;
    let in_order = |(written, real): &Pair| {
        is_deeper(indent, written) == is_deeper(&real_indent, real)
            && is_deeper(written, indent) == is_deeper(real, &real_indent)
    };
    let is_only = steps.iter().filter_map(reading).all(|other| other == real_indent);
    (is_only && steps.iter().all(in_order)).then_some(real_indent)
}

/// Returns the step that a single pair of spaces and tabs shows, after the empty pair. Nothing is returned if the model
/// may have lost a level instead: for 4 spaces the file has 2 tabs, so a tab may be 2 spaces, or 4 and a level is lost.
fn step_of_one_pair(steps: &[Pair]) -> Vec<Pair> {
    let [(written, real)] = steps else { return Vec::new() };
    let all = |text: &[u8], kind: u8| !text.is_empty() && text.iter().all(|b| *b == kind);
    let widths = match () {
        () if all(written, b' ') && all(real, b'\t') => [4, 8],
        () if all(written, b'\t') && all(real, b' ') => [2, 4],
        () => return Vec::new(),
    };
    let tabs = written.len().min(real.len());
    let fits = widths.iter().any(|width| width * tabs == written.len().max(real.len()));
    let step = (written[..written.len() / tabs].to_vec(), real[..real.len() / tabs].to_vec());
    if fits { vec![Pair::default(), step] } else { Vec::new() }
}

/// Whether an indentation is certainly deeper than another one. It is unknown how many spaces a tab is, but it is more
/// than one.
pub(super) fn is_deeper(indent: &[u8], than: &[u8]) -> bool {
    let shared = indent.iter().zip(than).take_while(|(a, b)| a == b).count();
    matches!((&indent[shared..], &than[shared..]), ([_, ..], []) | ([b'\t', ..], b" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(pairs: &[(&str, &str)]) -> Option<Shift> {
        let pairs =
            pairs.iter().map(|(written, real)| (written.as_bytes().to_vec(), real.as_bytes().to_vec()));
        Shift::between(&pairs.collect::<Vec<_>>())
    }

    /// What a mapping makes of an indentation.
    fn of(pairs: &[(&str, &str)], indent: &str) -> Option<String> {
        between(pairs)?.of(indent.as_bytes()).map(|indent| String::from_utf8(indent).unwrap())
    }

    #[test]
    fn one_prefix_is_added_to_all_lines_or_stripped_from_all() {
        assert_eq!(between(&[("", "  "), ("  ", "    ")]), Some(Shift::Add(b"  ".into())));
        assert_eq!(between(&[("    ", "  "), ("  ", "")]), Some(Shift::Strip(b"  ".into())));
        assert_eq!(between(&[("", "\t"), ("\t", "\t\t")]), Some(Shift::Add(b"\t".into())));
        assert_eq!(between(&[(" ", " "), ("\t", "\t"), ("  ", "  ")]), Some(Shift::None));
        assert_eq!(between(&[]), Some(Shift::None));
    }

    #[test]
    fn every_added_line_gets_the_same_prefix_whatever_its_depth() {
        assert_eq!(of(&[("", "  "), ("  ", "    ")], "       ").as_deref(), Some("         "));
        assert_eq!(of(&[("    ", "  "), ("  ", "")], "          ").as_deref(), Some("        "));
        assert_eq!(of(&[("    ", "  "), ("  ", "")], " "), None, "it lacks what is taken off");
    }

    #[test]
    fn equal_indentations_stay_equal_and_deeper_ones_stay_deeper() {
        assert!(between(&[("", ""), ("    ", "\t"), ("        ", "\t\t")]).is_some(), "tabs for blanks");
        assert!(between(&[("", ""), ("\t", "  ")]).is_some(), "blanks for tabs");
        assert!(between(&[("", ""), ("  ", "    "), ("    ", "        ")]).is_some(), "two for four");
        assert!(between(&[("", "\t\t"), ("    ", "\t\t\t")]).is_some(), "dedented, with blanks for tabs");
        assert!(
            between(&[("    ", "\t"), ("     ", "\t "), ("        ", "\t\t")]).is_some(),
            "stars of a comment"
        );
        for pairs in [
            [("", "  "), ("  ", "  ")],
            [("", "  "), ("", "    ")],
            [("", "    "), ("  ", "  ")],
            [("    ", "\t"), ("  ", "\t")],
        ] {
            assert_eq!(between(&pairs), None, "{pairs:?}: another block");
        }
    }

    #[test]
    fn it_is_unknown_whether_tabs_or_spaces_are_deeper() {
        assert_eq!(between(&[("    ", "\t"), ("\t", "        ")]), None);
        assert_eq!(between(&[("  ", "\t"), ("    ", "        ")]), None);
    }

    #[test]
    fn an_added_line_has_a_mapped_indentation_or_is_whole_steps_deeper() {
        let tabs = [("    ", "\t"), ("        ", "\t\t")];
        assert_eq!(of(&tabs, "        ").as_deref(), Some("\t\t"));
        assert_eq!(of(&tabs, "                ").as_deref(), Some("\t\t\t\t"));
        assert_eq!(of(&tabs, "          "), None, "half a step");
        assert_eq!(of(&tabs, ""), None, "shallower than all");
        assert_eq!(
            of(&[("", ""), ("        ", "\t\t"), ("            ", "\t\t\t")], "    ").as_deref(),
            Some("\t")
        );
        let dedented = [("", "\t\t"), ("    ", "\t\t\t")];
        assert_eq!(of(&dedented, "        ").as_deref(), Some("\t\t\t\t"));
        assert_eq!(of(&[("  ", "\t\t")], "    "), None, "one entry shows no step");
        assert_eq!(of(&[("    ", "\t"), ("     ", "\t ")], "       "), None, "a blank is no step");
        let aligned = [("", ""), ("  ", "    "), ("    ", "        "), ("          ", "                  ")];
        let twelve = " ".repeat(12);
        assert_eq!(of(&aligned, "      "), Some(twelve), "a continued line shows another step");
    }

    #[test]
    fn one_pair_shows_a_step_if_no_level_can_be_missing() {
        assert_eq!(of(&[("    ", "\t")], "        ").as_deref(), Some("\t\t"));
        assert_eq!(of(&[("        ", "\t\t")], "            ").as_deref(), Some("\t\t\t"));
        assert_eq!(of(&[("\t\t", "    ")], "\t").as_deref(), Some("  "));
        assert_eq!(of(&[("    ", "\t")], "").as_deref(), Some(""));
        assert_eq!(of(&[("    ", "\t\t")], "        "), None, "two blanks for a tab, or a level less?");
        assert_eq!(of(&[("\t", "        ")], "\t\t"), None, "eight blanks, or a level less?");
    }

    #[test]
    fn uneven_steps_map_nothing_deeper() {
        let uneven = [("", ""), ("  ", "    "), ("    ", "      ")];
        assert_eq!(of(&uneven, "      "), None);
    }

    #[test]
    fn an_indentation_in_the_style_of_the_file_stays() {
        let tabs = [("    ", "\t"), ("        ", "\t\t")];
        assert_eq!(of(&tabs, "\t\t\t").as_deref(), Some("\t\t\t"));
        assert_eq!(of(&[("\t", "  ")], "  ").as_deref(), Some("  "));
        assert_eq!(of(&[("\t", "  ")], "   "), None);
    }
}
