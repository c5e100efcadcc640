use super::*;
use crate::format::scan::Cursor;

fn response(text: &str) -> Response {
    Response::new(0, "r", text.as_bytes().to_vec(), 1 << 26).unwrap()
}

fn json(response: &Response) -> Json<'_> {
    LastValue::default().read(&Cursor::new(response)).unwrap()
}

#[test]
fn values_have_their_places_and_their_keys() {
    let text = "{ \"a\" /* k */ : [1, {\"b\\\"\": \"x\"}, ], // c\n \"d\": null, \"e\": true, } rest";
    let response = response(text);
    let json = json(&response);
    let root = json.root().unwrap();
    assert!(json.broken().is_none() && root.is_whole());
    assert_eq!((root.written(), json.range()), (&text[..text.len() - 5], 0..text.len() - 5));
    let all: Vec<_> = root.children().map(|child| (child.key(), child.written())).collect();
    assert_eq!(all, [("a", "[1, {\"b\\\"\": \"x\"}, ]"), ("d", "null"), ("e", "true")]);
    let list = root.member(&["z", "a"]).unwrap();
    let within: Vec<_> = list.children().map(|child| (child.kind(), child.children().count())).collect();
    assert_eq!(within, [(Kind::Word, 0), (Kind::Object, 1)]);
    assert_eq!(list.children().nth(1).unwrap().children().next().unwrap().key(), "b\\\"");
    assert!(root.member(&["d"]).is_none() && list.member(&["b"]).is_none());
    let mut seen = Vec::new();
    root.walk(|value| {
        seen.push(value.kind());
        value.key() != "a"
    });
    assert_eq!(seen, [Kind::Object, Kind::List, Kind::Word, Kind::Word]);
}

#[test]
fn strings_of_a_list_are_not_kept_one_by_one() {
    for (text, kind) in [
        ("[\"a\", /* \" */ \"b\\\\\", // \"\n\"\\\"c\"]", Kind::Strings),
        ("[\"a\", 1]", Kind::Mixed),
        ("[]", Kind::List),
        ("[1]", Kind::List),
    ] {
        let response = response(text);
        let json = json(&response);
        assert_eq!(json.root().unwrap().kind(), kind, "{text}");
        if kind == Kind::Strings {
            assert_eq!(json.root().unwrap().passage(0, lines), "a\nb\\\n\"c\n");
            assert_eq!(strings(text).collect::<Vec<_>>(), ["\"a\"", "\"b\\\\\"", "\"\\\"c\""]);
        }
    }
}

#[test]
fn invalid_json_differs_from_json_that_is_cut_off() {
    for (text, at) in [
        ("{a: 1}", 1),
        ("[1 2]", 3),
        ("{\"a\" 1}", 5),
        ("[‘x’]", 1),
        ("[nil]", 1),
        ("[1,,]", 3),
        ("{1: 2}", 1),
        ("[\"x\n\"]", 3),
        ("[\"\\d\"]", 2),
        ("[\"\\ud800\"]", 2),
        ("[1 < 2]", 3),
    ] {
        let response = response(text);
        let json = json(&response);
        let broken = json.broken().unwrap();
        assert_eq!((broken.at, broken.is_cut_off), (at, false), "{text}: {broken:?}");
        assert!(!json.root().unwrap().is_whole());
    }
    for text in
        ["[", "[1", "{\"a\"", "{\"a\": [", "[\"x", "[1, /* ", "[\"x\n", "[1,\n```\n", "{\"a\": [\"x\"]\n~~~"]
    {
        let response = response(text);
        assert!(json(&response).is_cut_off(), "{text}");
    }
}

#[test]
fn nesting_and_the_number_of_values_are_bounded() {
    let why = |text: &str| json(&response(text)).broken().map(|broken| broken.why.clone());
    assert_eq!(why(&format!("{}{}", "[".repeat(64), "]".repeat(64))), None);
    assert_eq!(why(&"[".repeat(1 << 20)).as_deref(), Some("JSON is nested too deeply (limit: 64)"));
    assert_eq!(why(&format!("[{}1]", "1,".repeat(1 << 21))).as_deref(), Some("too many values"));
}

#[test]
fn keys_are_found_where_json_breaks_off_and_in_strings_with_json() {
    let has = |text: &str| json(&response(text)).keys().any(|key| key == "old");
    for text in [
        "{\"old\" : \"x\n",
        "{\"a\": \"{\\\"old\\\": 1",
        "{“old”: “x”}",
        "[{\"\"old\": 1",
        "{'a': 1,\n 'old': 2}",
    ] {
        assert!(has(text), "{text}");
    }
    for text in [
        "{\"a\": \"old",
        "{\"a\": \"the old: x\n",
        "{\"a\": \"old\", x",
        "{\"a\": x,\n\"old\": 1}",
        "{\"old\", \"a\": 'x' : ",
        "{\"a\": 'x', \"b old\": 1",
        "[{\"\"b old\": 1",
    ] {
        assert!(!has(text), "{text}");
    }
}

#[test]
fn each_value_is_read_once() {
    let response = response("{\"a\": [\n[1],\n[2]\n]}\n[3]\n");
    let (mut cursor, mut last) = (Cursor::new(&response), LastValue::default());
    let mut seen = Vec::new();
    while !cursor.is_end() {
        seen.push(last.read(&cursor).map(|json| json.range()));
        cursor.advance();
    }
    assert_eq!(seen, [Some(0..19), None, None, None, Some(20..23)]);
}

#[test]
fn escapes_are_decoded_and_every_byte_has_its_place() {
    let written = r#""a\nb\"é\u00e9\ud83d\ude00/\/c""#;
    let decoded = Decoded::of(written, 10);
    let text = decoded.text.as_str();
    assert_eq!(text, "a\nb\"éé😀//c");
    let at = |part: &str| decoded.place(text.find(part).unwrap()) - 10;
    assert_eq!((at("a"), at("\n"), at("b")), (1, 2, 4));
    assert_eq!((at("é"), at("😀"), at("c")), (7, 15, written.len() - 2));
    assert_eq!(decoded.place(text.len()), 10 + written.len() - 1, "the closing quote");
}

#[test]
fn a_line_break_at_the_end_is_found_without_decoding() {
    for (written, ends) in [
        (r#""a\n""#, true),
        (r#""a\\\n""#, true),
        (r#""\r\n""#, true),
        (r#""a\u000A""#, true),
        (r#""a\\n""#, false),
        (r#""n""#, false),
        (r#""""#, false),
        (r#""a\n\"""#, false),
        (r#""a\n ""#, false),
    ] {
        assert_eq!(ends_with_break(written), ends, "{written}");
    }
    let of = |reading: crate::response::Conversion, written: &str| {
        let mut text = String::new();
        reading(written, &mut |piece| text.push_str(piece)).unwrap();
        text
    };
    assert_eq!(of(plain, r#""a\r\r\nb\r""#), "a\r\nb\r", "only a pair is a line break");
    assert_eq!(of(with_break, r#""a\r\n""#), "a\n\n");
    assert_eq!(of(lines, r#"["a\r\nb", "c\n", "", "d\r"]"#), "a\nb\nc\n\nd\n");
}
