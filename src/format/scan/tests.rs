use super::*;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 20).unwrap()
}

fn quotes(quotes: usize) -> Margin<'static> {
    Margin { quotes, blanks: "" }
}

fn texts<'r>(lines: impl Iterator<Item = Line<'r>>) -> Vec<&'r str> {
    lines.map(|line| line.text).collect()
}

#[test]
fn a_line_break_is_lf_or_crlf_and_a_lone_cr_is_text() {
    let r = response("a\r\nb\n\r\nc\rd");
    assert_eq!(texts(Cursor::new(&r).lines()), ["a", "b", "", "c\rd"]);
    assert_eq!(texts(Cursor::new(&response("")).lines()), [""; 0]);
    assert_eq!(texts(Cursor::new(&response("a\n")).lines()), ["a"]);
}

#[test]
fn a_payload_has_lf_only_whatever_the_response_has() {
    let r = response("<\r\n a\r\n\r\nb\r\n>");
    let cursor = Cursor::new(&r);
    let lines: Vec<_> = cursor.lines().collect();
    assert_eq!(cursor.payload(lines[1].start, lines[4].start), " a\n\nb\n");
    let r = response("<\na\nb");
    assert_eq!(Cursor::new(&r).payload(2, 5), "a\nb\n", "the last line gets its line break");
    assert_eq!(Cursor::new(&r).payload(2, 2), "");
}

#[test]
fn lines_of_a_quote_lose_its_marks_and_blank_lines_need_none() {
    let r = response("> > a\n> >   b\n\n>\n>>c\n> d\n");
    let mut cursor = Cursor::new(&r);
    cursor.set_margin(quotes(2));
    let lines: Vec<_> = cursor.lines().collect();
    assert_eq!(texts(lines.iter().copied()), ["a", "  b", "", "", "c"]);
    assert_eq!(cursor.payload(lines[1].start, lines[4].start), "  b\n\n\n");
    cursor.go_to_end();
    assert!(cursor.is_end());
    cursor.set_margin(Margin::default());
    assert_eq!(cursor.text(), "> d", "the line that ended the quote is read as it is");
}

#[test]
fn a_line_that_ends_the_quote_keeps_its_marks_for_the_search_after_it() {
    let r = response("> a\nb\n");
    let mut cursor = Cursor::new(&r);
    cursor.set_margin(quotes(1));
    cursor.advance();
    assert!(cursor.is_end());
    cursor.set_margin(Margin::default());
    assert_eq!(cursor.text(), "b");
}

#[test]
fn a_quote_that_ends_without_a_line_break_is_not_read_again() {
    let r = response("> a\n> b");
    let mut cursor = Cursor::new(&r);
    cursor.set_margin(quotes(1));
    cursor.go_to_end();
    cursor.set_margin(Margin::default());
    assert!(cursor.is_end());
}

#[test]
fn lines_lose_only_as_many_marks_as_the_quote_has() {
    let r = response("> a\n> >>>\n>>>>\n");
    let mut cursor = Cursor::new(&r);
    cursor.set_margin(quotes(1));
    assert_eq!(texts(cursor.lines()), ["a", ">>>", ">>>"]);
}

#[test]
fn steps_stay_in_the_line_and_blank_lines_are_skipped_to_the_text() {
    let r = response("ab\n \n\t\n  c d\n");
    let mut cursor = Cursor::new(&r);
    cursor.step(5);
    assert_eq!((cursor.text(), cursor.at()), ("", 2));
    cursor.skip_blank_lines();
    assert_eq!((cursor.text(), cursor.at()), ("c d", 9));
    let mark = cursor.mark();
    cursor.step(1);
    cursor.skip_blank_lines();
    assert_eq!(cursor.text(), "d");
    cursor.advance();
    assert!(cursor.is_end());
    cursor.reset(mark);
    assert_eq!(cursor.text(), "c d");
}
