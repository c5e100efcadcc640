use super::*;
use crate::edit::Op;
use crate::format;
use crate::response::Response;

fn edit(path: &str, text: &str) -> String {
    format!("<edit file=\"{path}\" op=\"new\">\n<put>\n<<<\n{text}\n>>>\n</put>\n</edit>\n")
}

fn script(id: u32, edits: &[(&str, &str)]) -> Script {
    let text: String = edits.iter().map(|(path, text)| edit(path, text)).collect();
    parse(id, text)
}

fn parse(id: u32, text: String) -> Script {
    format::parse(
        &Response::new(id, "r", text.into_bytes(), 1 << 20).unwrap(),
        &crate::format::Reading::default(),
    )
}

fn texts(script: &Script) -> Vec<String> {
    let text = |edit: &Edit| match &edit.op {
        Op::Create { text, .. } => format!("{}:{}", edit.path.raw, text.trim()),
        other => format!("{other:?}"),
    };
    script.edits.iter().map(text).collect()
}

/// Joins an attempt and its corrections; `good` has the indexes of the good edits.
fn joined(attempt: &[(&str, &str)], good: &[usize], given: &[(&str, &str)]) -> Result<Vec<String>, Mismatch> {
    let attempt = script(0, attempt);
    let slots = slots(&attempt, |at| good.contains(&at));
    join(&attempt, &slots, &script(1, given)).map(|(script, order)| {
        assert_eq!(order.len(), script.edits.len());
        texts(&script)
    })
}

const ABC: &[(&str, &str)] = &[("a", "1"), ("b", "1"), ("c", "1")];

#[test]
fn corrections_replace_failed_edits() {
    assert_eq!(joined(ABC, &[0, 2], &[("b", "2")]).unwrap(), ["a:1", "b:2", "c:1"]);
    let all = joined(ABC, &[0, 2], &[("x", "2"), ("y", "2")]).unwrap();
    assert_eq!(all, ["a:1", "x:2", "y:2", "c:1"], "all of them for the only one that failed");
}

#[test]
fn several_corrections_are_assigned_by_path_and_then_by_order() {
    assert_eq!(joined(ABC, &[1], &[("c", "2"), ("a", "2")]).unwrap(), ["a:2", "b:1", "c:2"]);
    assert_eq!(joined(ABC, &[1], &[("x", "2"), ("a", "2")]).unwrap(), ["a:2", "b:1", "x:2"]);
    assert_eq!(joined(ABC, &[1], &[("x", "2"), ("y", "2")]).unwrap(), ["x:2", "b:1", "y:2"]);
    let apart: &[(&str, &str)] = &[("d/a", "1"), ("d/b", "1"), ("c", "1")];
    assert_eq!(joined(apart, &[2], &[("d\\b", "2"), ("./d/a", "2")]).unwrap(), ["./d/a:2", "d\\b:2", "c:1"]);
    let twice: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("b", "1")];
    assert_eq!(joined(twice, &[2], &[("a", "3"), ("a", "4")]).unwrap(), ["a:3", "a:4", "b:1"]);
}

#[test]
fn unclear_corrections_are_refused() {
    let twice: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("b", "1")];
    let refused = |script: &[(&str, &str)], good: &[usize], given: &[(&str, &str)]| {
        joined(script, good, given).unwrap_err()
    };
    let failed = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let both = Mismatch { given: 1, failed: failed(&["edit 1, a", "edit 2, a"]), again: None, partial: None };
    assert_eq!(refused(twice, &[2], &[("a", "3")]), both);
    let both = Mismatch { given: 3, failed: failed(&["edit 1, a", "edit 3, c"]), again: None, partial: None };
    assert_eq!(refused(ABC, &[1], &[("x", "2"), ("y", "2"), ("z", "2")]), both);
    assert_eq!(refused(ABC, &[1], &[("a", "2"), ("x", "2"), ("c", "2")]), both, "one too many");
}

#[test]
fn good_edits_that_are_sent_again_are_ignored() {
    assert_eq!(joined(ABC, &[0, 2], &[("a", "1"), ("b", "2"), ("c", "1")]).unwrap(), ["a:1", "b:2", "c:1"]);
    let nothing = joined(ABC, &[0, 2], &[("a", "1")]).unwrap_err();
    assert_eq!(
        nothing,
        Mismatch { given: 0, failed: vec!["edit 2, b".to_owned()], again: None, partial: None }
    );
}

#[test]
fn a_good_edit_in_other_words_is_refused_unless_it_is_sent_again_too() {
    let again = |script: &[(&str, &str)], good: &[usize], given: &[(&str, &str)]| {
        joined(script, good, given).unwrap_err().again
    };
    let first = Some("edit 1, a".to_owned());
    assert_eq!(again(ABC, &[0, 2], &[("a", "2"), ("b", "2")]), first);
    assert_eq!(again(ABC, &[0, 2], &[("a", "2")]), first, "and what failed is left out");
    let three: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("a", "3")];
    assert_eq!(again(three, &[0], &[("a", "4"), ("a", "5")]), first);
    let both = joined(&three[..2], &[0], &[("a", "1"), ("a", "4")]).unwrap();
    assert_eq!(both, ["a:1", "a:4"], "it is a correction");
}

#[test]
fn a_failed_edit_without_a_correction_stays() {
    assert_eq!(joined(ABC, &[1], &[("a", "2")]).unwrap(), ["a:2", "b:1", "c:1"]);
}

#[test]
fn an_edit_that_depends_on_a_failed_one_needs_no_correction() {
    let twice: &[(&str, &str)] = &[("a", "1"), ("a", "2"), ("b", "1")];
    let attempt = script(0, twice);
    let mut slots = slots(&attempt, |at| at == 2);
    slots[1].state = SlotState::Waiting;
    assert_eq!(script_of(&attempt, &slots, &[("a", "3")]), ["a:3", "a:2", "b:1"]);
    assert_eq!(script_of(&attempt, &slots, &[("a", "3"), ("a", "4")]), ["a:3", "a:4", "b:1"]);
    assert_eq!(script_of(&attempt, &slots, &[("a", "3"), ("a", "2")]), ["a:3", "a:2", "b:1"], "sent again");
    let apart = script(0, &[("x", "1"), ("a", "2"), ("b", "1")]);
    assert_eq!(script_of(&apart, &slots, &[("y", "3")]), ["y:3", "a:2", "b:1"], "of another path");
    let three = script(1, &[("a", "3"), ("a", "4"), ("a", "5")]);
    assert_eq!(join(&attempt, &slots, &three).unwrap_err().given, 3);
}

#[test]
fn without_corrections_everything_is_kept() {
    assert_eq!(joined(ABC, &[0, 2], &[]).unwrap(), ["a:1", "b:1", "c:1"]);
    assert_eq!(joined(ABC, &[], &[]).unwrap(), ["a:1", "b:1", "c:1"]);
}

#[test]
fn what_landed_is_left_out() {
    let attempt = script(0, ABC);
    let mut slots = slots(&attempt, |at| at != 1);
    slots[0].state = SlotState::Landed;
    slots[2].state = SlotState::Landed;
    let given = script(1, &[("a", "1"), ("b", "2")]);
    assert_eq!(texts(&join(&attempt, &slots, &given).unwrap().0), ["b:2"]);
}

#[test]
fn a_gap_is_filled_in_its_place() {
    let attempt = parse(
        0,
        edit("a", "1")
            + "<edit file=\"b\" op=\"explode\">\n<put>\n<<<\n1\n>>>\n</put>\n</edit>\n"
            + &edit("c", "1"),
    );
    assert!(attempt.has_errors());
    let slots = slots(&attempt, |_| true);
    assert_eq!(slots.iter().map(|slot| slot.edit).collect::<Vec<_>>(), [Some(0), None, Some(1)]);
    let (script, order) = join(&attempt, &slots, &script(1, &[("b", "2")])).unwrap();
    assert_eq!(texts(&script), ["a:1", "b:2", "c:1"]);
    assert!(!script.has_errors());
    assert_eq!(order.len(), 3);
}

/// The paths of the slots' edits, `-` for a gap.
fn shape(text: &str) -> Vec<String> {
    let script = parse(0, text.to_owned());
    let name = |slot: &Slot| slot.edit.map_or("-".to_owned(), |at| script.edits[at].path.raw.clone());
    slots(&script, |_| true).iter().map(name).collect()
}

fn explode(path: &str) -> String {
    format!("<edit file=\"{path}\" op=\"explode\" foo=\"1\">\n<put>\n<<<\n1\n>>>\n</put>\n</edit>\n")
}

#[test]
fn each_gap_has_one_slot_at_its_place() {
    let good = edit("a", "1");
    assert_eq!(shape(&format!("{good}{}{}{good}", explode("b"), explode("c"))), ["a", "-", "-", "a"]);
    let stray = explode("b").split_once('\n').unwrap().1.to_owned();
    assert_eq!(shape(&format!("{good}{stray}{stray}{good}")), ["a", "-", "-", "a"]);
    let swallowed = format!("<edit file=\"b\" op=\"new\">\n<put>\n<<<\n1\n{good}");
    assert_eq!(shape(&format!("{good}{swallowed}")), ["a", "-", "a"], "what begins a line is read on");
    let directive = "<FILE_NEW file_path=\"a\">\n1\n</FILE_NEW>\n";
    let cut = "<FILE_NEW file_path=\"b\">\n1\n";
    assert_eq!(shape(&format!("<FILE_CHANGES>\n{directive}{cut}")), ["a", "-"]);
    assert_eq!(shape(&format!("<FILE_CHANGES>\n{directive}")), ["a", "-"]);
    assert_eq!(shape("*** Begin Patch\n*** Add File: a\n+1\n*** Add File: b\n+1\n"), ["a", "-"]);
    assert_eq!(
        shape(
            "{\"file_entries\":[{\"file\":\"a\",\"action\":\"create_file\",\"changes\":[{\"original_lines\":[],\"changed_lines\":[\"1\"]}]},{\"file\":\"b\""
        ),
        ["a", "-"]
    );
    let block = "### File: a\n<<<<<<< NEW_FILE\n1\n>>>>>>> NEW_FILE\n";
    assert_eq!(shape(&format!("{block}{}", block.replace("< NEW_FILE", "< NEW_FIEL"))), ["a", "-"]);
}

#[test]
fn a_gap_is_filled_only_by_a_correction_with_its_path() {
    let attempt = parse(0, edit("a", "1") + &explode("b") + &explode("c"));
    let slots = slots(&attempt, |_| true);
    let (script, order) = join(&attempt, &slots, &script(1, &[("c", "2")])).unwrap();
    assert_eq!(texts(&script), ["a:1", "c:2"]);
    assert!(script.has_errors(), "b is not whole yet");
    assert!(script.diagnostics.iter().all(|d| !d.is_error() || d.path.as_deref() == Some("b")));
    assert_eq!(order.iter().map(|slot| slot.edit).collect::<Vec<_>>(), [Some(0), None, Some(1)]);
    let both = script_of(&attempt, &slots, &[("c", "2"), ("b", "2")]);
    assert_eq!(both, ["a:1", "b:2", "c:2"]);
}

fn script_of(attempt: &Script, slots: &[Slot], given: &[(&str, &str)]) -> Vec<String> {
    texts(&join(attempt, slots, &script(1, given)).unwrap().0)
}

#[test]
fn corrections_get_regions_of_their_own() {
    let attempt = script(0, ABC);
    let slots = slots(&attempt, |at| at != 1);
    let (script, _) = join(&attempt, &slots, &script(1, &[("b", "2")])).unwrap();
    assert_eq!(script.edits[0].region, script.edits[2].region);
    assert_ne!(script.edits[0].region, script.edits[1].region);
}
