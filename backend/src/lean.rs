//! JSON without nulls: a field that is null is left out.
//!
//! Of a board of ten thousand groups that nobody has trouble with they are a quarter. Who reads it takes an option that is not
//! there for none (`shared::tree::FromNode::absent`). Empty lists stay: that a member owns nothing is another thing
//! than that it is not known what it owns. So do nulls in lists, which have a place there.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

/// Writes a value so.
///
/// # Errors
///
/// What keeps the value from being JSON, and what the writer answers.
pub(crate) fn write(value: &impl Serialize, writer: impl Write) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(writer, Lean::default()))
}

/// The same into memory.
///
/// # Errors
///
/// What keeps the value from being JSON.
pub(crate) fn to_vec(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(value, &mut bytes)?;
    Ok(bytes)
}

/// Holds back the name of each field until its value begins.
#[derive(Debug, Default)]
struct Lean {
    /// The name, with what stands before and after it.
    held: Vec<u8>,
    /// Whether it is a name that is written.
    names: bool,
    /// Of each list and object that is begun, the outermost first, whether anything in it was written.
    filled: Vec<bool>,
}

impl Lean {
    /// A value begins: the name that is held back is its.
    fn value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if !self.held.is_empty() {
            writer.write_all(&self.held)?;
            self.held.clear();
        }
        if let Some(filled) = self.filled.last_mut() {
            *filled = true;
        }
        Ok(())
    }

    fn scalar<W: ?Sized + Write>(&mut self, writer: &mut W, text: impl Display) -> io::Result<()> {
        self.value(writer)?;
        write!(writer, "{text}")
    }

    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.value(writer)?;
        self.filled.push(false);
        writer.write_all(&[bracket])
    }

    fn end<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.filled.pop();
        writer.write_all(&[bracket])
    }
}

macro_rules! numbers {
    ($($write:ident: $number:ty),+) => {$(
        fn $write<W: ?Sized + Write>(&mut self, writer: &mut W, value: $number) -> io::Result<()> {
            self.scalar(writer, value)
        }
    )+};
}

impl Formatter for Lean {
    numbers!(
        write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128, write_u8: u8,
        write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128, write_f32: f32, write_f64: f64, write_number_str: &str
    );

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.held.is_empty() {
            return self.scalar(writer, "null");
        }
        self.held.clear();
        Ok(())
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        if self.names {
            self.held.push(b'"');
            return Ok(());
        }
        self.scalar(writer, '"')
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.write_string_fragment(writer, "\"")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if self.names {
            self.held.extend_from_slice(fragment.as_bytes());
            return Ok(());
        }
        writer.write_all(fragment.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        if self.names {
            return CompactFormatter.write_char_escape(&mut self.held, escape);
        }
        CompactFormatter.write_char_escape(writer, escape)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b'[')
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b']')
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b",") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b'{')
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b'}')
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _writer: &mut W, _first: bool) -> io::Result<()> {
        self.names = true;
        if self.filled.last() == Some(&true) {
            self.held.push(b',');
        }
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.names = false;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.held.push(b':');
        Ok(())
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        self.scalar(writer, fragment)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn lean(value: &Value) -> String {
        String::from_utf8(to_vec(value).unwrap()).unwrap()
    }

    #[test]
    fn a_field_that_is_null_is_left_out_and_nothing_else() {
        let value = json!({"a": null, "b": [], "c": {"d": {"e": null}, "f": null, "g": 0}, "h": null, "i": "", "j": [{"k": null}, {"k": 1, "l": null}], "m": null});
        assert_eq!(
            lean(&value),
            r#"{"b":[],"c":{"d":{},"g":0},"i":"","j":[{},{"k":1}]}"#
        );
    }

    #[test]
    fn what_is_no_field_keeps_its_place() {
        for text in [
            "null",
            "[]",
            "{}",
            "[null,[],{},null]",
            r#"{"a":[null]}"#,
            r#"{"a":[[null,1],{}],"b":2}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(lean(&value), text);
        }
    }

    #[test]
    fn names_and_texts_are_escaped_as_ever_and_numbers_are_exact() {
        let value =
            json!({"a\"b\n": "c\"\u{1}", "n": [u64::MAX, i64::MIN, 0.1, 1e300, -0.0], "t": [true, false]});
        let read: Value = serde_json::from_str(&lean(&value)).unwrap();
        assert_eq!(read, value);
    }
}
