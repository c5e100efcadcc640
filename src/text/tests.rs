use super::*;

fn texts(content: &Content) -> Vec<(&str, Option<Eol>)> {
    let lines = content.lines(0..content.line_count());
    lines.map(|line| (std::str::from_utf8(line.text).unwrap(), line.eol)).collect()
}

#[test]
fn lines_know_their_ending_and_a_byte_order_mark_is_in_none() {
    let content = Content::new(b"\xef\xbb\xbfa\nb\r\n\nc");
    assert!(content.has_bom());
    assert_eq!(
        texts(&content),
        [("a", Some(Eol::Lf)), ("b", Some(Eol::CrLf)), ("", Some(Eol::Lf)), ("c", None)]
    );
    assert!(!content.ends_with_newline());
    assert_eq!(content.to_bytes(), b"\xef\xbb\xbfa\nb\r\n\nc");
}

#[test]
fn a_lone_cr_ends_lines_only_without_any_lf() {
    assert_eq!(texts(&Content::new(b"a\rb\r")), [("a", Some(Eol::Cr)), ("b", Some(Eol::Cr))]);
    assert_eq!(texts(&Content::new(b"50%\r100%\n")), [("50%\r100%", Some(Eol::Lf))]);
}

#[test]
fn the_dominant_ending_is_the_most_frequent() {
    assert_eq!(Content::new(b"a\r\nb\r\nc\n").dominant_eol(), Eol::CrLf);
    assert_eq!(Content::new(b"a\r\nb\n").dominant_eol(), Eol::CrLf, "the first on a tie");
    assert_eq!(Content::new(b"a\nb\r\n").dominant_eol(), Eol::Lf, "the first on a tie");
    assert_eq!(Content::new(b"a").dominant_eol(), Eol::Lf);
    assert_eq!(Content::new(b"a\rb\r").dominant_eol(), Eol::Cr);
}

#[test]
fn binary_is_a_nul_among_the_first_8000_bytes() {
    let mut bytes = vec![b'a'; 9000];
    bytes[8000] = 0;
    assert!(!Content::new(&bytes).is_binary());
    bytes[7999] = 0;
    assert!(Content::new(&bytes).is_binary());
}

#[test]
fn an_empty_file_has_no_line_and_a_mark_alone_is_no_line() {
    for bytes in [&b""[..], b"\xef\xbb\xbf"] {
        let content = Content::new(bytes);
        assert!(content.is_empty() && content.ends_with_newline());
        assert_eq!(content.line_count(), 0);
        assert_eq!(content.to_bytes(), bytes);
        assert_eq!(content.replace(0..0, b"x\n").to_bytes(), [bytes, b"x\n"].concat());
    }
}

#[test]
fn replacing_lines_equals_replacing_bytes_at_every_chunk_boundary() {
    // Three chunks of lines of 100 bytes.
    let line = [vec![b'x'; 99], vec![b'\n']].concat();
    let file = line.repeat(600);
    let content = Content::new(&file);
    assert!(content.chunks(0..content.line_count()).count() > 2);
    for start in [0, 1, 163, 164, 165, 599, 600] {
        for end in [start, start + 1, 164, 165, 330, 600] {
            if end < start || end > 600 {
                continue;
            }
            for with in [&b""[..], b"n\n", b"n\r\nm\n", b"n"] {
                let expected = [&file[..start * 100], with, &file[end * 100..]].concat();
                let made = content.replace(start..end, with);
                assert_eq!(made.to_bytes(), expected, "{start}..{end}");
                assert!(made == Content::new(&expected));
                assert_eq!(texts(&made), texts(&Content::new(&expected)));
            }
        }
    }
}

#[test]
fn lines_added_after_a_missing_newline_continue_the_last_line() {
    let content = Content::new(b"a\nb");
    assert_eq!(texts(&content.replace(2..2, b"c\n")), [("a", Some(Eol::Lf)), ("bc", Some(Eol::Lf))]);
}

#[test]
fn hashes_are_equal_for_lines_that_are_equal_in_a_normalization() {
    let content = Content::new(b"  a \n  a\na\n");
    let of = |normalization| {
        content
            .chunks(0..content.line_count())
            .flat_map(|placed| placed.chunk.hashes(normalization).lines.to_vec())
            .collect::<Vec<u64>>()
    };
    let [text, trailing, trimmed] =
        [Normalization::Text, Normalization::Trailing, Normalization::Trimmed].map(of);
    assert!(text[0] != text[1] && text[1] != text[2]);
    assert!(trailing[0] == trailing[1] && trailing[1] != trailing[2]);
    assert!(trimmed[0] == trimmed[1] && trimmed[1] == trimmed[2]);
    assert_eq!(trimmed[0], Normalization::Trimmed.hash(b"\ta"));
}

#[test]
fn versions_know_what_they_share() {
    let lines: String = (0..50_000).map(|n| format!("line {n}\n")).collect();
    let content = Content::new(lines.as_bytes());
    assert_eq!(content.shared_lines(&content), (50_000, 0));
    assert_eq!(content.shared_lines(&Content::new(lines.as_bytes())), (0, 0), "nobody has looked");
    let changed = content.replace(25_000..25_001, b"other\nlines\n");
    let (head, tail) = content.shared_lines(&changed);
    assert_eq!((head, tail), changed.shared_lines(&content));
    assert!((1..=25_000).contains(&head) && (1..25_000).contains(&tail), "{head}, {tail}");
    assert!(content.lines(0..head).eq(changed.lines(0..head)));
    assert!(content.lines(50_000 - tail..50_000).eq(changed.lines(50_001 - tail..50_001)));
}
