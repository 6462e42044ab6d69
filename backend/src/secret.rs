//! Passwords, tokens and keys: text that prints nothing of itself and is wiped when dropped.
//!
//! What is made of one on its way is wiped too, and is written into memory that does not move: a buffer that grows leaves its
//! beginning behind. Out of reach are the buffers of libraries while they work: ring's keys and tags, rustls' records, hyper's
//! head of the one request to a token endpoint and its body's answer. Against those stands [`crate::core_dumps`].

use std::fmt;

use zeroize::Zeroizing;

/// A secret. It has no `Display` and its `Debug` tells nothing; only [`Secret::expose`] gives it away, so that a search for
/// that word finds every place where one is used.
#[derive(Clone, Default)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a secret over; where `text` was moved from elsewhere, that place is its owner's to wipe.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The secret itself. What is made of it must be a [`Secret`] or [`Zeroizing`] again.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_prints_nothing_of_itself_not_even_its_length() {
        let secret = Secret::new("open sesame".to_owned());
        for printed in [
            format!("{secret:?}"),
            format!("{secret:#?}"),
            format!("{:?}", Some(&secret)),
        ] {
            assert!(printed.contains("[hidden]"), "{printed}");
            assert!(
                !printed.contains("sesame") && !printed.contains("11"),
                "{printed}"
            );
        }
        assert_eq!(secret.expose(), "open sesame");
    }
}
