//! Tokens for OAUTHBEARER: out of a file, from a token endpoint by client credentials (KIP-768), or Kafka's unsecured ones,
//! which are for trying things out.

mod endpoint;
mod unsecured;

pub use endpoint::{ClientCredentials, Endpoint};
pub use unsecured::UnsecuredClaims;

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use shared::time::Timestamp;
use thiserror::Error;
use tokio::sync::Mutex;
use zeroize::Zeroizing;

use super::files;
use crate::clock::Clock;
use crate::secret::Secret;

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TokenFault {
    /// Its file.
    #[error("no token: {0}")]
    File(String),
    /// What was given as a token cannot be one.
    #[error("what {source_name} gives is no token: letters, digits and -._~+/= are allowed")]
    NoToken {
        /// Where it came from.
        source_name: String,
    },
    /// The endpoint.
    #[error("no token from {endpoint}: {reason}")]
    Endpoint {
        /// Host, port and path.
        endpoint: String,
        /// What went wrong.
        reason: String,
    },
}

/// Where tokens come from. One that still lives is used by all connections; while one is fetched the others wait for it.
#[derive(Debug)]
pub struct TokenSource {
    kind: TokenKind,
    extensions: Vec<(String, String)>,
    /// Of an endpoint only: a file is read anew each time, since whoever renews the token writes it there.
    kept: Mutex<Option<Kept>>,
}

/// The kinds of sources.
#[derive(Debug)]
pub enum TokenKind {
    /// The file holds the token and nothing else.
    File(PathBuf),
    /// Client credentials.
    Endpoint(Box<Endpoint>),
    /// Made here, signed by nobody.
    Unsecured(UnsecuredClaims),
}

#[derive(Debug)]
struct Kept {
    token: Secret,
    renew: Timestamp,
}

/// What of a JWT matters here.
#[derive(Deserialize)]
struct Claims {
    /// Unix seconds.
    exp: Option<f64>,
}

impl TokenSource {
    /// A source, and the SASL extensions that go with its tokens (KIP-342).
    #[must_use]
    pub fn new(kind: TokenKind, extensions: Vec<(String, String)>) -> Self {
        Self {
            kind,
            extensions,
            kept: Mutex::new(None),
        }
    }

    /// The SASL extensions.
    #[must_use]
    pub fn extensions(&self) -> &[(String, String)] {
        &self.extensions
    }

    /// A token that is good for a while.
    ///
    /// # Errors
    /// There is none to be had.
    pub async fn token(&self, clock: Clock) -> Result<Secret, TokenFault> {
        match &self.kind {
            TokenKind::File(path) => {
                let bytes = files::read(path).map_err(TokenFault::File)?;
                let text = std::str::from_utf8(&bytes).unwrap_or_default();
                checked(text.trim().to_owned(), || path.display().to_string())
            }
            TokenKind::Unsecured(claims) => Ok(claims.token(clock.unix(clock.now()))),
            TokenKind::Endpoint(endpoint) => {
                let mut kept = self.kept.lock().await;
                if let Some(kept) = kept.as_ref().filter(|kept| clock.now() < kept.renew) {
                    return Ok(kept.token.clone());
                }
                let asked = clock.now();
                let (token, lives) = endpoint.fetch().await?;
                let token = checked(token, || endpoint.to_string())?;
                let left = expires(token.expose()).map(|at| at - seconds(clock, asked));
                // The shorter of what the token and the endpoint say; none: used once.
                let left = [left, lives].into_iter().flatten().fold(f64::INFINITY, f64::min);
                *kept = left.is_finite().then(|| Kept {
                    token: token.clone(),
                    renew: renewal(asked, left),
                });
                Ok(token)
            }
        }
    }
}

/// When a token that lives so many seconds is fetched anew: after four fifths, Kafka's `sasl.login.refresh.window.factor`.
fn renewal(asked: Timestamp, seconds: f64) -> Timestamp {
    const FACTOR: f64 = 0.8;
    /// Longer than any token lives.
    const MOST: f64 = 1e9;
    let micros = (seconds.clamp(0.0, MOST) * FACTOR * 1e6).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 8e14"
    )]
    let micros = micros as u64;
    Timestamp(asked.0.saturating_add(micros))
}

/// Unix seconds.
fn seconds(clock: Clock, at: Timestamp) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "milliseconds since 1970 are exact up to 2^53"
    )]
    let millis = clock.unix(at).0 as f64;
    millis / 1000.0
}

/// RFC 6750's characters of a token.
fn checked(token: String, source: impl Fn() -> String) -> Result<Secret, TokenFault> {
    let token = Secret::new(token);
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    if token.expose().is_empty() || !token.expose().chars().all(allowed) {
        return Err(TokenFault::NoToken {
            source_name: source(),
        });
    }
    Ok(token)
}

/// When a JWT expires, in Unix seconds; none where it does not say, or is none.
fn expires(token: &str) -> Option<f64> {
    let claims = token.split('.').nth(1)?;
    let claims = Zeroizing::new(URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?);
    serde_json::from_slice::<Claims>(&claims).ok()?.exp
}

#[cfg(test)]
mod tests;
