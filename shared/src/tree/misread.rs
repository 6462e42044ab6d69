//! What is wrong with a tree, and where.

use std::fmt;

use serde::de;

/// Why a value could not be read. Boxed: results that hold it stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread(Box<Wrong>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Wrong {
    /// The names on the way to the value, outermost first: `change.errors.25`.
    place: String,
    /// What is wrong, in serde's words.
    what: String,
}

impl Misread {
    /// The same, seen from the object or the map that holds the value under this name.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        let place = &mut self.0.place;
        if !place.is_empty() {
            place.insert(0, '.');
        }
        place.insert_str(0, name);
        self
    }
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.place.is_empty() {
            f.write_str(&self.0.place)?;
            f.write_str(": ")?;
        }
        f.write_str(&self.0.what)
    }
}

impl std::error::Error for Misread {}

/// Serde's sentences for what can be wrong.
impl de::Error for Misread {
    fn custom<T: fmt::Display>(what: T) -> Self {
        let (place, what) = (String::new(), what.to_string());
        Self(Box::new(Wrong { place, what }))
    }
}
