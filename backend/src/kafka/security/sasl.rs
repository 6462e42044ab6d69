//! SASL as Kafka's clients speak it: one exchange of a mechanism, without IO.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};
use thiserror::Error;
use zeroize::Zeroizing;

use super::oauth::{TokenFault, TokenSource};
use super::scram::{Hash, ScramExchange, ScramFault, ScramUser};
use crate::clock::Clock;
use crate::secret::Secret;

/// Who we are, and how it is proved. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Credentials {
    /// Name and password as they are.
    Plain {
        /// `username`
        username: String,
        /// `password`
        password: Secret,
    },
    /// That the password is known, without telling it.
    Scram(ScramUser),
    /// A token that somebody else has given.
    Bearer(Arc<TokenSource>),
}

/// Why an authentication came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SaslFault {
    /// SCRAM's.
    #[error(transparent)]
    Scram(#[from] ScramFault),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenFault),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    NoChance,
    /// More bytes where the exchange was over.
    #[error("the broker says more than {0} has to say")]
    Unexpected(&'static str),
}

impl Credentials {
    /// Kafka's name of the mechanism.
    #[must_use]
    pub const fn mechanism(&self) -> &'static str {
        match self {
            Self::Plain { .. } => "PLAIN",
            Self::Scram(user) => match user.hash() {
                Hash::Sha256 => "SCRAM-SHA-256",
                Hash::Sha512 => "SCRAM-SHA-512",
            },
            Self::Bearer(_) => "OAUTHBEARER",
        }
    }

    /// Begins an exchange; fetches a token where one is needed.
    ///
    /// # Errors
    /// There is no token to be had.
    pub async fn begin(&self, clock: Clock) -> Result<Exchange, SaslFault> {
        Ok(match self {
            Self::Plain { username, password } => Exchange::Plain {
                username: username.clone(),
                password: password.clone(),
            },
            Self::Scram(user) => Exchange::Scram(Box::new(ScramExchange::new(user.clone(), nonce()?))),
            Self::Bearer(source) => Exchange::Bearer {
                token: source.token(clock).await?,
                extensions: source.extensions().to_vec(),
                refused: false,
            },
        })
    }
}

/// 24 random bytes, printable.
fn nonce() -> Result<String, SaslFault> {
    let mut bytes = [0; 24];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| SaslFault::NoChance)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// One exchange.
#[derive(Debug)]
pub enum Exchange {
    /// One message (RFC 4616).
    Plain {
        /// As above.
        username: String,
        /// As above.
        password: Secret,
    },
    /// Two messages.
    Scram(Box<ScramExchange>),
    /// One message (RFC 7628), and one that ends the exchange where the broker says no.
    Bearer {
        /// The token.
        token: Secret,
        /// SASL extensions (KIP-342).
        extensions: Vec<(String, String)>,
        /// Whether the broker has said why not.
        refused: bool,
    },
}

impl Exchange {
    /// The client's first message.
    #[must_use]
    pub fn first(&self) -> Zeroizing<Vec<u8>> {
        match self {
            Self::Plain { username, password } => {
                let (name, password) = (username.as_bytes(), password.expose().as_bytes());
                joined(&[b"\0", name, b"\0", password])
            }
            Self::Scram(exchange) => Zeroizing::new(exchange.first().into_bytes()),
            Self::Bearer {
                token, extensions, ..
            } => {
                let extensions: String = extensions
                    .iter()
                    .map(|(key, value)| format!("{key}={value}\u{1}"))
                    .collect();
                let token = token.expose().as_bytes();
                joined(&[
                    b"n,,\x01auth=Bearer ",
                    token,
                    b"\x01",
                    extensions.as_bytes(),
                    b"\x01",
                ])
            }
        }
    }

    /// Takes what the broker says to the last message and gives the next; none where the exchange is over and the broker
    /// has proved what it must.
    ///
    /// # Errors
    /// It is over otherwise.
    pub fn next(&mut self, said: &[u8]) -> Result<Option<Zeroizing<Vec<u8>>>, SaslFault> {
        match self {
            Self::Scram(exchange) => {
                let next = exchange.next(said)?;
                Ok(next.map(|message| Zeroizing::new(message.into_bytes())))
            }
            Self::Plain { .. } | Self::Bearer { .. } if said.is_empty() => Ok(None),
            Self::Plain { .. } => Err(SaslFault::Unexpected("PLAIN")),
            Self::Bearer { refused: true, .. } => Err(SaslFault::Unexpected("OAUTHBEARER")),
            // Why not, as JSON; Kafka's broker tells it in its own error once the client has acknowledged it.
            Self::Bearer { refused, .. } => {
                *refused = true;
                Ok(Some(Zeroizing::new(vec![1])))
            }
        }
    }
}

/// Parts as one, in memory that never moved.
fn joined(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut whole = Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum()));
    for part in parts {
        whole.extend_from_slice(part);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::{Exchange, SaslFault};
    use crate::secret::Secret;

    #[test]
    fn plain_is_one_message_of_rfc_4616() {
        let mut exchange = Exchange::Plain {
            username: "alice".to_owned(),
            password: Secret::new("sesame".to_owned()),
        };
        assert_eq!(&*exchange.first(), b"\0alice\0sesame");
        assert_eq!(exchange.next(b""), Ok(None));
        assert_eq!(exchange.next(b"more"), Err(SaslFault::Unexpected("PLAIN")));
        assert!(!format!("{exchange:?}").contains("sesame"));
    }

    #[test]
    fn a_token_travels_as_rfc_7628_and_a_refusal_is_acknowledged_once() {
        let mut exchange = Exchange::Bearer {
            token: Secret::new("e30.e30.x".to_owned()),
            extensions: vec![("logicalCluster".to_owned(), "lkc-1".to_owned())],
            refused: false,
        };
        assert_eq!(
            &*exchange.first(),
            b"n,,\x01auth=Bearer e30.e30.x\x01logicalCluster=lkc-1\x01\x01"
        );
        let acknowledged = exchange.next(br#"{"status":"invalid_token"}"#).unwrap().unwrap();
        assert_eq!(&*acknowledged, b"\x01");
        assert_eq!(exchange.next(b"again"), Err(SaslFault::Unexpected("OAUTHBEARER")));
        assert!(!format!("{exchange:?}").contains("e30"));
    }
}
