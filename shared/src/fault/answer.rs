//! What an answer can be made to say: an error code, by number or by Kafka's name, or nothing at all.

use serde::Serialize;
use serde::de::Error;

use crate::error_code;
use crate::tree::{FromNode, Misread, Node, deserialize_from_node};

/// An error code, by number or by Kafka's name of it; written as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Code(pub i16);

impl FromNode for Code {
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        match AnswerWith::from_node(node)? {
            AnswerWith::Code(code) => Ok(Self(code)),
            AnswerWith::Word(_) => Err(Misread::custom(
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerWord {
    /// Close the connection instead of answering.
    Disconnect,
}

impl FromNode for AnswerWith {
    /// By hand, so that the error names the value and what is allowed.
    fn from_node(node: &Node<'_>) -> Result<Self, Misread> {
        const ALLOWED: &str = "an error code (-32768 to 32767), Kafka's name of one or \"disconnect\"";
        match node {
            Node::Text(word) if word == "disconnect" => Ok(Self::Word(AnswerWord::Disconnect)),
            Node::Text(word) => {
                let code = error_code::named(word).map(|row| Self::Code(row.number));
                code.ok_or_else(|| node.is_no(ALLOWED))
            }
            Node::Unsigned(_) | Node::Negative(_) => {
                let code = i16::from_node(node).map(Self::Code);
                code.map_err(|_out_of_range| node.is_no(ALLOWED))
            }
            _ => Err(node.is_not(ALLOWED)),
        }
    }
}

deserialize_from_node!(Code, AnswerWith);
