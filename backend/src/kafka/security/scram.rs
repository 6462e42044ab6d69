//! SCRAM (RFC 5802, RFC 7677), the client's side, without channel binding, as Kafka speaks it.
//!
//! Kafka takes names and passwords as they are, without SASLprep (its `ScramFormatter`), and so does this.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::{digest, hmac, pbkdf2};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::limits;
use crate::secret::Secret;

/// The hash that a mechanism is named after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SCRAM-SHA-256
    Sha256,
    /// SCRAM-SHA-512
    Sha512,
}

/// Fewer iterations than this Kafka's own client refuses too: a false broker would ask for few, to guess the password from
/// the answer.
const LEAST_ITERATIONS: u32 = 4096;

/// Why the exchange cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScramFault {
    /// Not as RFC 5802 has it.
    #[error("the broker's {0} message is not SCRAM's")]
    Unreadable(&'static str),
    /// The nonce does not begin with ours.
    #[error("the broker's answer belongs to another exchange: its nonce does not begin with ours")]
    ForeignNonce,
    /// Too few or too many.
    #[error(
        "the broker asks for {0} iterations; from {LEAST_ITERATIONS} to {most} are taken",
        most = limits::SCRAM_ITERATIONS
    )]
    Iterations(u32),
    /// The broker says no.
    #[error("the broker says {0}")]
    Refused(String),
    /// The signature is wrong.
    #[error("the broker could not prove that it knows the password: it may not be the one it should be")]
    FalseServer,
    /// A message behind the last one.
    #[error("the broker says more than SCRAM has to say")]
    Over,
}

/// Who is to be proved, and what was worked out for it.
#[derive(Clone, Debug)]
pub struct ScramUser {
    hash: Hash,
    name: String,
    password: Secret,
    /// Whether name and password are a delegation token's (KIP-48).
    is_token: bool,
    /// The salted password of the last salt and count: thousands of hashes, the same for each connection.
    salted: Arc<Mutex<Option<Arc<Salted>>>>,
}

struct Salted {
    salt: Vec<u8>,
    iterations: u32,
    key: Zeroizing<Vec<u8>>,
}

impl std::fmt::Debug for Salted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[hidden]")
    }
}

impl ScramUser {
    /// A user, or a delegation token where `is_token`.
    #[must_use]
    pub fn new(hash: Hash, name: String, password: Secret, is_token: bool) -> Self {
        Self {
            hash,
            name,
            password,
            is_token,
            salted: Arc::default(),
        }
    }

    /// The mechanism's hash.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    fn salted(&self, salt: &[u8], iterations: u32) -> Result<Arc<Salted>, ScramFault> {
        let refused = ScramFault::Iterations(iterations);
        if !(LEAST_ITERATIONS..=limits::SCRAM_ITERATIONS).contains(&iterations) {
            return Err(refused);
        }
        let mut kept = self.salted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(salted) = kept
            .as_ref()
            .filter(|kept| kept.salt == salt && kept.iterations == iterations)
        {
            return Ok(Arc::clone(salted));
        }
        let (algorithm, length) = match self.hash {
            Hash::Sha256 => (pbkdf2::PBKDF2_HMAC_SHA256, 32),
            Hash::Sha512 => (pbkdf2::PBKDF2_HMAC_SHA512, 64),
        };
        let mut key = Zeroizing::new(vec![0; length]);
        let count = NonZeroU32::new(iterations).ok_or(refused)?;
        pbkdf2::derive(
            algorithm,
            count,
            salt,
            self.password.expose().as_bytes(),
            &mut key,
        );
        let salted = Arc::new(Salted {
            salt: salt.to_vec(),
            iterations,
            key,
        });
        *kept = Some(Arc::clone(&salted));
        Ok(salted)
    }

    fn hmac(&self, key: &[u8], text: &[u8]) -> hmac::Tag {
        hmac::sign(&self.hmac_key(key), text)
    }

    fn hmac_key(&self, key: &[u8]) -> hmac::Key {
        let algorithm = match self.hash {
            Hash::Sha256 => hmac::HMAC_SHA256,
            Hash::Sha512 => hmac::HMAC_SHA512,
        };
        hmac::Key::new(algorithm, key)
    }

    fn digest(&self, text: &[u8]) -> digest::Digest {
        let algorithm = match self.hash {
            Hash::Sha256 => &digest::SHA256,
            Hash::Sha512 => &digest::SHA512,
        };
        digest::digest(algorithm, text)
    }
}

/// One exchange: what was sent, and what may come.
#[derive(Debug)]
pub struct ScramExchange {
    user: ScramUser,
    nonce: String,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    First,
    /// With the key that the server's signature is made by, and what is signed.
    Final {
        key: hmac::Key,
        signed: String,
    },
    Over,
}

impl ScramExchange {
    /// An exchange; `nonce`: printable, without commas, never used before.
    #[must_use]
    pub const fn new(user: ScramUser, nonce: String) -> Self {
        Self {
            user,
            nonce,
            stage: Stage::First,
        }
    }

    /// The client's first message.
    #[must_use]
    pub fn first(&self) -> String {
        format!("n,,{}", self.first_bare())
    }

    fn first_bare(&self) -> String {
        let name = self.user.name.replace('=', "=3D").replace(',', "=2C");
        let extension = if self.user.is_token { ",tokenauth=true" } else { "" };
        format!("n={name},r={}{extension}", self.nonce)
    }

    /// Takes the server's next message and gives the client's; none where that was the server's last, and it is the one
    /// it should be.
    ///
    /// # Errors
    /// The exchange is over: nobody is proved to be anybody.
    pub fn next(&mut self, message: &[u8]) -> Result<Option<String>, ScramFault> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::First => self.answer(message).map(Some),
            Stage::Final { key, signed } => verify(message, &key, &signed).map(|()| None),
            Stage::Over => Err(ScramFault::Over),
        }
    }

    fn answer(&mut self, message: &[u8]) -> Result<String, ScramFault> {
        const UNREADABLE: ScramFault = ScramFault::Unreadable("first");
        let message = std::str::from_utf8(message).map_err(|_| UNREADABLE)?;
        if let Some(error) = message.strip_prefix("e=") {
            return Err(refusal(error));
        }
        // What comes behind these three is for extensions, of which Kafka has none that must be understood.
        let mut parts = message.splitn(4, ',');
        let mut part = |name: &str| parts.next()?.strip_prefix(name);
        let nonce = part("r=").ok_or(UNREADABLE)?;
        let salt = part("s=")
            .and_then(|salt| BASE64.decode(salt).ok())
            .ok_or(UNREADABLE)?;
        let iterations = part("i=")
            .and_then(|count| count.parse().ok())
            .ok_or(UNREADABLE)?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(ScramFault::ForeignNonce);
        }
        let salted = self.user.salted(&salt, iterations)?;
        let user = &self.user;
        // c: that there is no channel binding, "n,,".
        let without_proof = format!("c=biws,r={nonce}");
        let signed = format!("{},{message},{without_proof}", self.first_bare());
        let client_key = user.hmac(&salted.key, b"Client Key");
        let stored_key = user.digest(client_key.as_ref());
        let signature = user.hmac(stored_key.as_ref(), signed.as_bytes());
        let proof: Zeroizing<Vec<u8>> = Zeroizing::new(
            client_key
                .as_ref()
                .iter()
                .zip(signature.as_ref())
                .map(|(key, signature)| key ^ signature)
                .collect(),
        );
        let server_key = user.hmac(&salted.key, b"Server Key");
        let key = user.hmac_key(server_key.as_ref());
        self.stage = Stage::Final { key, signed };
        Ok(format!("{without_proof},p={}", BASE64.encode(&*proof)))
    }
}

fn verify(message: &[u8], key: &hmac::Key, signed: &str) -> Result<(), ScramFault> {
    const UNREADABLE: ScramFault = ScramFault::Unreadable("last");
    let message = std::str::from_utf8(message).map_err(|_| UNREADABLE)?;
    if let Some(error) = message.strip_prefix("e=") {
        return Err(refusal(error));
    }
    let signature = message.strip_prefix("v=").ok_or(UNREADABLE)?;
    let signature = signature.split(',').next().unwrap_or_default();
    let signature = BASE64.decode(signature).map_err(|_| UNREADABLE)?;
    hmac::verify(key, signed.as_bytes(), &signature).map_err(|_| ScramFault::FalseServer)
}

fn refusal(error: &str) -> ScramFault {
    /// A code of RFC 5802 is shorter.
    const SHOWN: usize = 80;
    let shown: String = error.chars().take(SHOWN).collect();
    ScramFault::Refused(shown.escape_debug().to_string())
}

#[cfg(test)]
mod tests;
