//! What an answer can be made to say: an error code, by number or by Kafka's name, or nothing at all.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::error_code;

/// An error code, by number or by Kafka's name of it; written as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Code(pub i16);

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match AnswerWith::deserialize(deserializer)? {
            AnswerWith::Code(code) => Ok(Self(code)),
            AnswerWith::Word(_) => Err(de::Error::custom(
                "\"disconnect\" is no error code: a code or Kafka's name of one is allowed",
            )),
        }
    }
}

/// What an answer is replaced by: a code, or the word "disconnect".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnswerWith {
    /// An error code.
    Code(i16),
    /// The connection is closed instead.
    Word(AnswerWord),
}

/// The one word [`AnswerWith`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWord {
    /// Close the connection instead of answering.
    Disconnect,
}

impl<'de> Deserialize<'de> for AnswerWith {
    /// By hand, so that the error names the value and what is allowed.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnswerVisitor)
    }
}

struct AnswerVisitor;

impl de::Visitor<'_> for AnswerVisitor {
    type Value = AnswerWith;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error code (-32768 to 32767), Kafka's name of one or \"disconnect\"")
    }

    fn visit_i64<E: de::Error>(self, code: i64) -> Result<AnswerWith, E> {
        i16::try_from(code)
            .map(AnswerWith::Code)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(code), &self))
    }

    fn visit_u64<E: de::Error>(self, code: u64) -> Result<AnswerWith, E> {
        i16::try_from(code)
            .map(AnswerWith::Code)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(code), &self))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<AnswerWith, E> {
        if word == "disconnect" {
            return Ok(AnswerWith::Word(AnswerWord::Disconnect));
        }
        let code = error_code::named(word).map(|row| AnswerWith::Code(row.number));
        code.ok_or_else(|| E::invalid_value(de::Unexpected::Str(word), &self))
    }
}
