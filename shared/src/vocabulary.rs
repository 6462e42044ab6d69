//! Closed vocabularies: enums whose every word stands in docs/contract.md, listed once, spelled once.

use std::fmt;

/// Declares an enum of words: serde, `as_str`, `Display`, `FromStr` and the list [`ALL`](Vocabulary::ALL) from one table.
macro_rules! vocabulary {
    (
        $(#[$doc:meta])*
        pub enum $name:ident : $what:literal {
            $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, $crate::tree::FromNode,
        )]
        pub enum $name {
            $( $(#[$variant_doc])* #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// The word as it crosses every wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )+
                }
            }
        }

        impl $crate::vocabulary::Vocabulary for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$( Self::$variant, )+];

            fn word(self) -> &'static str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::vocabulary::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $crate::vocabulary::parse(word)
            }
        }
    };
}

pub(crate) use vocabulary;

/// An enum declared as a closed vocabulary.
pub trait Vocabulary: Copy + 'static {
    /// What a word of it names: "event kind", "member state".
    const WHAT: &'static str;
    /// Every word, in the order of docs/contract.md.
    const ALL: &'static [Self];

    /// The word as it crosses every wire.
    fn word(self) -> &'static str;
}

/// The words of a vocabulary, in the order of docs/contract.md.
pub fn words<V: Vocabulary>() -> impl Iterator<Item = &'static str> {
    V::ALL.iter().map(|value| value.word())
}

/// A word that is not in the vocabulary it was looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// What was looked for: "event kind".
    pub what: &'static str,
    /// What was given.
    pub word: String,
    /// What is allowed.
    pub allowed: Vec<&'static str>,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} \"{}\"; allowed: {}",
            self.what,
            self.word.escape_debug(),
            self.allowed.join(", ")
        )
    }
}

impl std::error::Error for UnknownWord {}

/// Finds the value a word stands for.
///
/// # Errors
///
/// [`UnknownWord`], which names the word and every allowed one.
pub fn parse<V: Vocabulary>(word: &str) -> Result<V, UnknownWord> {
    V::ALL
        .iter()
        .copied()
        .find(|value| value.word() == word)
        .ok_or_else(|| UnknownWord {
            what: V::WHAT,
            word: word.to_owned(),
            allowed: words::<V>().collect(),
        })
}

#[cfg(test)]
mod tests {
    use crate::board::MemberState;
    use crate::vocabulary::{Vocabulary, parse, words};

    #[test]
    fn a_word_goes_through_json_and_text_both_ways() {
        for state in MemberState::ALL {
            let json = serde_json::to_value(state).unwrap();
            assert_eq!(json, state.as_str());
            assert_eq!(serde_json::from_value::<MemberState>(json).unwrap(), *state);
            assert_eq!(parse::<MemberState>(state.word()), Ok(*state));
            assert_eq!(state.to_string().parse::<MemberState>(), Ok(*state));
        }
    }

    #[test]
    fn an_unknown_word_is_refused_by_name_with_every_allowed_one() {
        let error = parse::<MemberState>("on\ntime").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown member state \"on\\ntime\"; allowed: joining, on-time"),
            "{error}"
        );
        for word in words::<MemberState>() {
            assert!(error.contains(word), "{error}");
        }
    }
}
