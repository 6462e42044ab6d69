//! The format, as `java.util.Properties` reads it.

use super::{Property, parse};

fn read(text: &str) -> Vec<(String, String)> {
    pairs(&parse(text.as_bytes()).unwrap())
}

fn pairs(properties: &[Property]) -> Vec<(String, String)> {
    properties
        .iter()
        .map(|property| (property.key.clone(), property.value.expose().to_owned()))
        .collect()
}

fn fault(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_key_ends_at_the_first_separator_that_is_not_escaped() {
    for line in [
        "a=b c",
        "a = b c",
        "a:b c",
        "a : b c",
        "a b c",
        "  a\t=\tb c",
        "a\u{c}b c",
        "a=b c  ",
    ] {
        assert_eq!(read(line), [("a".to_owned(), "b c".to_owned())], "{line:?}");
    }
    assert_eq!(read(r"a\=b\:c\ d=e"), [("a=b:c d".to_owned(), "e".to_owned())]);
    assert_eq!(read("a==b"), [("a".to_owned(), "=b".to_owned())]);
    assert_eq!(read("a= :b"), [("a".to_owned(), ":b".to_owned())]);
    assert_eq!(read("alone"), [("alone".to_owned(), String::new())]);
    assert_eq!(read(r"a\\=b"), [("a\\".to_owned(), "b".to_owned())]);
}

#[test]
fn comments_and_blank_lines_say_nothing_and_every_line_end_is_one() {
    let text = "# a=1\r\n  ! b=2\r\r\n \t\nc=3\rd=4\r\ne=5 # no comment";
    let values = [("c", "3"), ("d", "4"), ("e", "5 # no comment")];
    assert_eq!(
        read(text),
        values.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    let lines: Vec<usize> = parse(text.as_bytes())
        .unwrap()
        .iter()
        .map(|found| found.line)
        .collect();
    assert_eq!(lines, [5, 6, 7]);
}

#[test]
fn a_line_goes_on_behind_a_backslash_that_is_not_escaped_itself() {
    assert_eq!(
        read("a=one \\\n   two \\\r\n\t# three\nb=x\\\\\nc=y"),
        [("a", "one two # three"), ("b", "x\\"), ("c", "y")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    assert_eq!(read("a=b\\"), [("a".to_owned(), "b".to_owned())]);
    assert_eq!(read("\\\n\na=b"), [("a".to_owned(), "b".to_owned())]);
}

#[test]
fn escapes_are_javas() {
    assert_eq!(read(r"a=1\t2\n3\r4\f5\q6\\7")[0].1, "1\t2\n3\r4\u{c}5q6\\7");
    assert_eq!(read(r"a=\u00e4\u20AC\uD83D\uDE00")[0].1, "ä€😀");
}

#[test]
fn what_is_not_utf_8_is_iso_8859_1() {
    assert_eq!(pairs(&parse(b"a=p\xe4ss").unwrap())[0].1, "päss");
    assert_eq!(pairs(&parse("a=päss".as_bytes()).unwrap())[0].1, "päss");
    assert_eq!(pairs(&parse(b"\xef\xbb\xbfa=b").unwrap())[0].0, "a");
}

#[test]
fn every_fault_names_its_line_and_never_the_value() {
    for (text, says) in [
        (
            "x=1\nsecret=hun\\u12g4ter",
            "line 2: a \\u escape needs four hexadecimal digits",
        ),
        ("secret=hunter\\u12", "line 1: a \\u escape needs"),
        ("secret=hunter\\ud83d", "line 1: a \\u escape is half of a pair"),
        (
            "secret=hunter\\ude00\\u0041",
            "line 1: a \\u escape is half of a pair",
        ),
        ("\n\n=hunter", "line 3: it begins with = or :"),
        (
            "secret=hunter\nx=1\nsecret=other",
            "line 3: secret has another value in line 1",
        ),
    ] {
        let said = fault(text);
        assert!(said.starts_with(says), "{said}");
        assert!(!said.contains("hun"), "{said}");
    }
    assert_eq!(read("a=1\na = 1"), [("a".to_owned(), "1".to_owned())]);
}

#[test]
fn a_value_is_never_printed() {
    let printed = format!("{:?}", parse(b"secret=hunter").unwrap());
    assert!(
        printed.contains("secret") && !printed.contains("hunter"),
        "{printed}"
    );
}

#[test]
fn any_bytes_are_properties_or_a_fault() {
    proptest::proptest!(|(bytes: Vec<u8>)| {
        let _either = parse(&bytes);
    });
}
