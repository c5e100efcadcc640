//! The chunks of a Codex patch: located on one text, each after the one before and after its `@@` lines.

use super::alone::{Search, Solution, matched};
use super::elision::block_end;
use super::found::{Fit, Found, on_rung};
use super::indent::Shift;
use super::joint::{Mode, Part};
use super::pattern::{Pattern, Step};
use super::place::Place;
use super::rung::{Rung, Scope, ladder};
use super::similar::{similarly, stands_nearly};
use super::{Refusal, Tier, guard, nearest, refusal, search, splice};
use crate::diag::Code;
use crate::edit::{Anchor, Hunk, Unit};
use crate::text::{Content, Form};

/// Where a chunk's lines may be: from its `@@` line to the next line that is the same.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// The `@@` line, or the first line to look at if there is none.
    start: usize,
    end: usize,
}

/// How far the chunks so far have come.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    /// Behind the last line that the last chunk changed.
    changed: usize,
    /// Behind the last line that it named.
    named: usize,
}

/// Finds for every chunk what it comes to, or says of each that has no place why.
pub(super) fn arrange(
    search: &Search<'_>,
    content: &Content,
    hunks: &[Hunk],
    mode: Mode,
) -> Result<Vec<Part>, Vec<Refusal>> {
    let mut parts = Vec::with_capacity(hunks.len());
    let mut refusals = Vec::new();
    let mut cursor = Cursor::default();
    for (index, hunk) in hunks.iter().enumerate() {
        let Some(pattern) = Pattern::readings(&hunk.change).pop() else {
            return Err(vec![refusal::too_many_dividers().of_hunk(index)]);
        };
        let no_context = Vec::new();
        let (context, at_end) = match &hunk.anchor {
            Anchor::Seek { context, end_of_file } => (context, *end_of_file),
            _ => (&no_context, false),
        };
        let context: Vec<&str> =
            context.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
        let chunk = Chunk { search, content, pattern: &pattern, context: &context, at_end, mode };
        match chunk.locate(&mut cursor) {
            Ok(part) => parts.push(part),
            Err(refusal) => refusals.push(refusal.of_hunk(index)),
        }
    }
    if refusals.is_empty() { Ok(parts) } else { Err(refusals) }
}

/// One chunk and where it is looked for.
struct Chunk<'a> {
    search: &'a Search<'a>,
    content: &'a Content,
    pattern: &'a Pattern<'a>,
    /// The texts of its `@@` lines.
    context: &'a [&'a str],
    /// `*** End of File` ties it to the end.
    at_end: bool,
    mode: Mode,
}

impl Chunk<'_> {
    fn locate(&self, cursor: &mut Cursor) -> Result<Part, Box<Refusal>> {
        let (content, pattern) = (self.content, self.pattern);
        if pattern.changes_nothing() {
            return Ok(Part::Nothing);
        }
        if pattern.before.is_empty() && (self.context.is_empty() || self.at_end) {
            // It goes to the end of the file and says nothing of where the next one is.
            return self.insert(content.line_count());
        }
        let segments = self.segments(cursor)?;
        if pattern.before.is_empty() {
            return match segments.as_slice() {
                [one] => {
                    let part = self.insert(one.start + 1)?;
                    *cursor = Cursor { changed: one.start + 1, named: one.start + 1 };
                    Ok(part)
                }
                _ => Err(self.ambiguous_context(&segments)),
            };
        }
        let mut is_behind = false;
        for rung in ladder(Unit::Lines, self.search.limits) {
            let Some(found) = on_rung(content, pattern, rung, self.search.effort) else { continue };
            if let Some(place) = self.choose(&found, &segments, cursor)? {
                return self.finish(place, found.rung, cursor);
            }
            // Where forward order alone says where, the lines that the text is most like may be those that were meant.
            is_behind = self.context.is_empty() && !found.live().is_empty();
            if is_behind {
                break;
            }
        }
        if self.search.effort.is_spent() {
            return Err(self.nowhere(cursor));
        }
        if self.mode != Mode::Places
            && let Some(place) = self.standing(cursor)
        {
            let rung = Rung { tier: Tier::TrailingSpace, scope: Scope::Whole, form: Form::Trailing };
            *cursor = Cursor { changed: place.end.line, named: place.end.line };
            return Ok(Part::Made(matched(content, &place, rung)));
        }
        if self.mode == Mode::Loose
            && !is_behind
            && self.search.limits.max_fuzz >= Tier::Similar
            && let Some(found) = similarly(content, pattern, self.search.effort)
            && let Some(place) = self.choose(&found, &segments, cursor)?
        {
            return self.finish(place, found.rung, cursor);
        }
        Err(self.nowhere(cursor))
    }

    fn finish(&self, place: Place, rung: Rung, cursor: &mut Cursor) -> Result<Part, Box<Refusal>> {
        let solution = self.search.solve(self.content, self.pattern, &place, rung)?;
        let changed = solution.changes.iter().map(|change| change.end).max().unwrap_or(place.end.line);
        *cursor = Cursor { changed, named: place.end.line.max(changed) };
        Ok(Part::Change(solution))
    }

    /// Added lines in front of a line.
    fn insert(&self, line: usize) -> Result<Part, Box<Refusal>> {
        let (content, pattern) = (self.content, self.pattern);
        let after = pattern.after();
        // At the end of the file they stand before it, behind an `@@` line after it.
        let start = if line == content.line_count() { line.checked_sub(after.len()) } else { Some(line) };
        let there = start.filter(|&start| {
            let lines = content.lines(start..start + after.len()).map(|line| line.text);
            lines.eq(after.iter().copied()) && pattern.after_is_proof()
        });
        let rung = Rung { tier: Tier::Exact, scope: Scope::Whole, form: Form::Text };
        if let Some(start) = there {
            return Ok(Part::Made(matched(content, &Place::lines(start, start + after.len()), rung)));
        }
        guard::hunk(content, pattern, self.search.limits)?;
        // Behind a line that is kept, so that its line ending is taken.
        let kept: Vec<&[u8]> = line
            .checked_sub(1)
            .and_then(|line| content.line(line))
            .map(|line| line.text)
            .into_iter()
            .collect();
        let mut steps: Vec<Step<'_>> = (0..kept.len()).map(Step::Keep).collect();
        steps.extend(pattern.steps.iter().copied());
        let place = Place::lines(line - kept.len(), line);
        let fit = Fit { place, lines: kept.iter().map(|_| Some(line - 1)).collect(), shift: Shift::None };
        let pattern = Pattern { before: kept, steps, unit: Unit::Lines, end: pattern.end };
        let changes = splice::whole_lines(content, &pattern, &fit);
        Ok(Part::Change(Solution { changes, matched: matched(content, &place, rung) }))
    }

    /// Where the `@@` lines, one after the other, say that the chunk may be.
    fn segments(&self, cursor: &Cursor) -> Result<Vec<Segment>, Box<Refusal>> {
        let end = self.content.line_count();
        let Some((first, rest)) = self.context.split_first() else {
            return Ok(vec![Segment { start: cursor.changed, end }]);
        };
        let lines = LinesLike::new(self.content, first, self.search);
        let mut segments = lines.within(cursor.named, end);
        if segments.is_empty() && cursor.changed < cursor.named {
            // The last chunk's lower context may have named it.
            segments = lines.within(cursor.changed, end);
        }
        if segments.is_empty() {
            return Err(self.no_context(first, cursor.changed));
        }
        for text in rest {
            let lines = LinesLike::new(self.content, text, self.search);
            let mut narrower = Vec::new();
            for segment in &segments {
                let inner = lines.within(segment.start + 1, segment.end);
                let block = self.block(segment);
                let nested = inner.partition_point(|line| line.start < block);
                narrower.extend_from_slice(if nested == 0 { &inner } else { &inner[..nested] });
            }
            if narrower.is_empty() {
                return Err(self.no_context(text, segments[0].start + 1));
            }
            segments = narrower;
        }
        Ok(segments)
    }

    /// Behind the indented block that a segment's `@@` line opens.
    fn block(&self, segment: &Segment) -> usize {
        block_end(self.content, &Place::lines(segment.start, segment.start + 1))
    }

    /// The one of a rung's places that is meant; none if there is none in the segments.
    fn choose(
        &self,
        found: &Found,
        segments: &[Segment],
        cursor: &Cursor,
    ) -> Result<Option<Place>, Box<Refusal>> {
        let mut live = found.live();
        if self.at_end {
            let tail = self.tail();
            live.retain(|place| place.end.line >= tail);
        }
        // Places ascend.
        let from = |line: usize| live.partition_point(|place| place.start.line < line);
        if self.context.is_empty() {
            // Two chunks may share a line of context.
            let places = [cursor.named, cursor.changed].map(|line| &live[from(line)..]);
            return match places.into_iter().find(|places| !places.is_empty()) {
                None => Ok(None),
                Some([one]) => Ok(Some(*one)),
                Some(places) => Err(self.ambiguous(places)),
            };
        }
        let mut chosen = Vec::new();
        for segment in segments {
            let places = &live[from(segment.start)..from(segment.end)];
            if places.is_empty() {
                continue;
            }
            let block = self.block(segment);
            let nested = &places[..places.partition_point(|place| place.start.line < block)];
            match (nested, places) {
                ([one], _) | ([], [one]) => chosen.push(*one),
                // The `@@` line opens no block, and forward order decides.
                ([], [first, ..]) if block == segment.start + 1 => chosen.push(*first),
                ([], _) => return Err(self.ambiguous(places)),
                (_, _) => return Err(self.ambiguous(nested)),
            }
        }
        match chosen.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            _ => Err(self.ambiguous(&chosen)),
        }
    }

    /// Behind the last line that is not blank.
    fn tail(&self) -> usize {
        let count = self.content.line_count();
        let lines = (0..count).rev().filter_map(|line| Some((line, self.content.line(line)?)));
        lines.into_iter().find(|(_, line)| !line.is_blank()).map_or(0, |(line, _)| line + 1)
    }

    /// Where the chunk's result stands once from the last chunk on, if that proves that the chunk was made.
    fn standing(&self, cursor: &Cursor) -> Option<Place> {
        if !self.pattern.after_is_proof() {
            return None;
        }
        let places = search::whole_lines(self.content, &self.pattern.after(), Form::Trailing);
        let mut places = places.into_iter().filter(|place| place.start.line >= cursor.changed);
        let place = places.next().filter(|_| places.next().is_none())?;
        if !self.search.had(self.pattern) {
            return None;
        }
        let doubtful = !self.search.again && self.pattern.after_is_short();
        (!doubtful || !stands_nearly(self.content, self.pattern, &place, self.search.effort)).then_some(place)
    }

    fn nowhere(&self, cursor: &Cursor) -> Box<Refusal> {
        let mut refusal = nearest::nowhere(self.content, self.pattern, self.search.effort);
        let exact = Rung { tier: Tier::Exact, scope: Scope::Whole, form: Form::Trailing };
        let elsewhere = on_rung(self.content, self.pattern, exact, self.search.effort);
        if let Some(place) = elsewhere.and_then(|found| found.places.first().copied()) {
            let line = place.start.line + 1;
            if self.at_end {
                refusal.message =
                    format!("the lines to find are at line {line} and not at the end of the file");
                refusal.help = Some("leave `*** End of File` out".to_owned());
            } else if place.start.line < cursor.changed {
                refusal.message =
                    format!("the lines to find are at line {line}, before those of the chunk before");
                refusal.help = Some("put the chunks in the order of the file".to_owned());
            } else {
                refusal.message =
                    format!("the lines to find are at line {line}, which is not after the `@@` line");
                refusal.help = Some("name a line above them behind `@@`".to_owned());
            }
        }
        refusal
    }

    fn ambiguous(&self, places: &[Place]) -> Box<Refusal> {
        refusal::ambiguous(self.content, places, self.search.effort)
    }

    fn no_context(&self, text: &str, from: usize) -> Box<Refusal> {
        let place = if from == 0 { "in the file".to_owned() } else { format!("after line {from}") };
        let message =
            format!("the line behind `@@`, `{text}`, is no line {place}, and part of none or of several");
        Refusal::new(Code::SearchNotFound, message)
            .with_help("copy the line from the file as it is, and put the chunks in the order of the file")
    }

    fn ambiguous_context(&self, segments: &[Segment]) -> Box<Refusal> {
        let places: Vec<Place> =
            segments.iter().map(|segment| Place::lines(segment.start, segment.start + 1)).collect();
        let mut refusal = self.ambiguous(&places);
        refusal.message =
            format!("the line behind `@@` stands in {}", refusal::counted(places.len(), "place"));
        refusal
    }
}

/// The lines of a file that an `@@` line may mean.
struct LinesLike {
    /// Those that equal it at tiers 1 to 5, by rung.
    equal: Vec<Vec<usize>>,
    /// Those that contain it.
    containing: Vec<usize>,
}

impl LinesLike {
    fn new(content: &Content, text: &str, search: &Search<'_>) -> Self {
        let rungs = ladder(Unit::Lines, search.limits).into_iter().filter(|rung| rung.scope == Scope::Whole);
        let lines = |rung: Rung| -> Vec<usize> {
            let places = search::whole_lines(content, &[text.as_bytes()], rung.form);
            places.into_iter().map(|place| place.start.line).collect()
        };
        let equal = rungs.map(lines).collect();
        let part = memchr::memmem::Finder::new(text.trim());
        let holds = content.lines(0..content.line_count()).map(|line| part.find(line.text).is_some());
        let containing = holds.enumerate().filter(|(_, holds)| *holds).map(|(line, _)| line).collect();
        Self { equal, containing }
    }

    /// The lines of a range that equal the text, on the strictest rung that has any there, else the only one that contains
    /// it; each with the lines up to the next.
    fn within(&self, start: usize, end: usize) -> Vec<Segment> {
        let of = |lines: &[usize]| -> Vec<usize> {
            let from = lines.partition_point(|&line| line < start);
            let to = lines.partition_point(|&line| line < end).max(from);
            lines[from..to].to_vec()
        };
        let only = || Some(of(&self.containing)).filter(|lines| lines.len() == 1);
        let equal = self.equal.iter().map(|lines| of(lines)).find(|lines| !lines.is_empty());
        let lines = equal.or_else(only).unwrap_or_default();
        let ends: Vec<usize> = lines.iter().copied().skip(1).chain([end]).collect();
        lines.into_iter().zip(ends).map(|(start, end)| Segment { start, end }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Effect;
    use super::super::tests::{made, run};
    use super::*;
    use crate::edit::Change;
    use crate::span::Span;

    fn chunk(context: &[&str], lines: &str) -> Hunk {
        let change =
            Change::Diff { lines: lines.into(), before_unterminated: false, after_unterminated: false };
        let context = context.iter().map(ToString::to_string).collect();
        Hunk { span: Span::new(0, 0, 0), change, anchor: Anchor::Seek { context, end_of_file: false } }
    }

    fn at_end(lines: &str) -> Hunk {
        Hunk { anchor: Anchor::Seek { context: Vec::new(), end_of_file: true }, ..chunk(&[], lines) }
    }

    fn ok(text: &str) -> Result<String, Code> {
        Ok(text.to_owned())
    }

    #[test]
    fn chunks_follow_each_other() {
        let file = "a\nb\nc\nd\ne\nf\n";
        let chunks = [chunk(&[], " a\n-b\n+B\n"), chunk(&[], " c\n d\n-e\n+E\n"), at_end(" f\n+g\n")];
        assert_eq!(made(file, &chunks), ok("a\nB\nc\nd\nE\nf\ng\n"));
        let back = [chunk(&[], "-d\n+D\n"), chunk(&[], "-b\n+B\n")];
        let refusal = run(file, &back).unwrap_err().remove(0);
        assert_eq!((refusal.hunk, refusal.code), (1, Code::SearchNotFound));
        assert!(refusal.message.contains("line 2"), "{}", refusal.message);
        let shared = [chunk(&[], "-a\n+A\n b\n"), chunk(&[], " b\n-c\n+C\n")];
        assert_eq!(made(file, &shared), ok("A\nb\nC\nd\ne\nf\n"), "a line of context may be shared");
    }

    #[test]
    fn a_looser_place_after_the_last_chunk_does_not_stand_in_for_one_before_it() {
        let file = "def f():\n    x = 1\n\nend\n\nclass C:\n    def g():\n        x = 1\n";
        let chunks = [chunk(&[], "-end\n+END\n"), chunk(&[], "-    x = 1\n+    x = 2\n")];
        let refusal = run(file, &chunks).unwrap_err().remove(0);
        assert_eq!((refusal.hunk, refusal.code), (1, Code::SearchNotFound));
        assert!(refusal.message.contains("line 2"), "{}", refusal.message);
        let named = [chunk(&[], "-end\n+END\n"), chunk(&["class C:"], "-    x = 1\n+    x = 2\n")];
        let expected = file.replace("end", "END").replace("        x = 1", "        x = 2");
        assert_eq!(made(file, &named), ok(&expected), "the `@@` line says where");
    }

    #[test]
    fn several_places_after_the_last_chunk_are_refused_without_an_anchor() {
        assert_eq!(made("x\nx\n", &[chunk(&[], "-x\n+y\n")]), Err(Code::SearchAmbiguous));
        assert_eq!(made("x\na\nx\n", &[chunk(&[], "-a\n+b\n"), chunk(&[], "-x\n+y\n")]), ok("x\nb\ny\n"));
    }

    #[test]
    fn an_anchor_says_after_which_line() {
        let file = "fn a\nx=10\ny=2\nfn b\nx=10\ny=20\n";
        assert_eq!(
            made(file, &[chunk(&["fn b"], "-x=10\n+x=11\n")]),
            ok(&file.replace("b\nx=10", "b\nx=11"))
        );
        assert_eq!(made(file, &[chunk(&["fn a"], "-x=10\n+x=11\n")]), ok(&file.replacen("x=10", "x=11", 1)));
        assert_eq!(made(file, &[chunk(&["fn c"], "-x=10\n+x=11\n")]), Err(Code::SearchNotFound));
        assert_eq!(
            made("  fn a\n  x\n", &[chunk(&["fn a"], "-  x\n+  y\n")]),
            ok("  fn a\n  y\n"),
            "tiers 1 to 5"
        );
    }

    #[test]
    fn an_anchor_may_be_part_of_one_line_and_that_line_the_first_old_one() {
        let file = "import { OLD } from './old'\nmain()\n";
        let change =
            "-import { OLD } from './old'\n+import { OLD } from './old'\n+import { NEW } from './new'\n";
        assert_eq!(
            made(file, &[chunk(&["import { OLD }"], change)]),
            ok("import { OLD } from './old'\nimport { NEW } from './new'\nmain()\n")
        );
        assert_eq!(made("alpha\nbeta\n", &[chunk(&["alpha"], "-alpha\n+ALPHA\n")]), ok("ALPHA\nbeta\n"));
        let two = "def one():\n    a\ndef one_more():\n    b\n";
        assert_eq!(
            made(two, &[chunk(&["def one"], "-    b\n+    c\n")]),
            Err(Code::SearchNotFound),
            "part of two lines"
        );
    }

    #[test]
    fn an_anchor_that_stands_twice_needs_old_lines_after_one_of_them_only() {
        let file = "def f():\n    a\ndef f():\n    b\n";
        assert_eq!(
            made(file, &[chunk(&["def f():"], "-    b\n+    c\n")]),
            ok(&file.replace("    b", "    c"))
        );
        let both = "def f():\n    a\ndef f():\n    a\n";
        assert_eq!(made(both, &[chunk(&["def f():"], "-    a\n+    c\n")]), Err(Code::SearchAmbiguous));
    }

    #[test]
    fn several_anchors_narrow_step_by_step() {
        let class = |name: &str| format!("class {name}:\n    def f():\n        a\n    def g():\n        a\n");
        let file = class("A") + &class("B");
        let at = |context: &[&str]| made(&file, &[chunk(context, "-        a\n+        c\n")]);
        assert_eq!(
            at(&["class B:", "def g():"]),
            ok(&format!("{}{}", class("A"), class("B").replace("g():\n        a", "g():\n        c")))
        );
        assert_eq!(
            at(&["class A:", "def f():"]),
            ok(&format!("{}{}", class("A").replacen("        a", "        c", 1), class("B")))
        );
        assert_eq!(at(&["class A:"]), Err(Code::SearchAmbiguous), "both in the class");
        assert_eq!(at(&["def f():"]), Err(Code::SearchAmbiguous));
    }

    #[test]
    fn added_lines_alone_follow_the_anchor_or_end_the_file() {
        let file = "fn a\n  x\nfn b\n  y\n";
        assert_eq!(made(file, &[chunk(&["fn a"], "+  i\n")]), ok("fn a\n  i\n  x\nfn b\n  y\n"));
        assert_eq!(made(file, &[chunk(&[], "+z\n")]), ok("fn a\n  x\nfn b\n  y\nz\n"));
        assert_eq!(
            made("l1\nl2\nl3\n", &[chunk(&[], "+e\n"), chunk(&[], " l1\n-l2\n-l3\n+n\n")]),
            ok("l1\nn\ne\n")
        );
        assert_eq!(made("", &[chunk(&[], "+z\n")]), ok("z\n"));
        assert_eq!(made("a", &[chunk(&[], "+z\n")]), ok("a\nz\n"));
        assert_eq!(made("q\nq\n", &[chunk(&["q"], "+z\n")]), Err(Code::SearchAmbiguous));
        for edit in [chunk(&["fn a"], "+  i\n"), chunk(&[], "+z\n")] {
            let once = made(file, std::slice::from_ref(&edit)).unwrap();
            assert_eq!(run(&once, &[edit]).unwrap().effect, Effect::AlreadyApplied);
        }
    }

    #[test]
    fn the_end_of_file_ties_a_chunk() {
        assert_eq!(made("mark\nx\nmark\n", &[at_end("-mark\n+MARK\n")]), ok("mark\nx\nMARK\n"));
        assert_eq!(made("mark\nx\nmark\n\n", &[at_end("-mark\n+MARK\n")]), ok("mark\nx\nMARK\n\n"));
        assert_eq!(made("mark\ntail\n", &[at_end("-mark\n+MARK\n")]), Err(Code::SearchNotFound));
    }

    #[test]
    fn kept_lines_keep_their_bytes_and_the_last_line_gets_a_newline_if_it_is_touched() {
        assert_eq!(made("same\r\nsame\n", &[chunk(&[], "-same\n same\n")]), ok("same\n"));
        assert_eq!(made("one\r\ntwo", &[chunk(&[], "-one\n+ONE\n")]), ok("ONE\r\ntwo"));
        assert_eq!(made("a\nb\n", &[chunk(&[], "-a\n-b\n+b\n+b\n+a\n")]), ok("b\nb\na\n"));
    }

    #[test]
    fn a_slip_in_a_kept_line_is_allowed_last() {
        let file = "fn f() {\n    let x = 1;\n    return x;\n}\n";
        let chunk = chunk(&[], " fn f() {\n-    let x = 1;\n+    let x = 2;\n     retrun x;\n }\n");
        assert_eq!(made(file, std::slice::from_ref(&chunk)), ok(&file.replace("= 1", "= 2")));
        assert_eq!(run(file, &[chunk]).unwrap().matched[0].tier, Tier::Similar);
    }
}
