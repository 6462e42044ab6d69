//! Bounds of what secured connections take: files, tokens, what a broker may ask for.

use shared::time::Millis;

/// Bytes of the file of `--command-config`: a long one with its certificates in it has a few thousand.
pub const PROPERTIES_FILE: usize = 1024 * 1024;

/// Bytes of a file that it names: a trust store with all certificates of a platform has half a million.
pub const SECURITY_FILE: usize = 16 * 1024 * 1024;

/// Iterations that a broker may ask a SCRAM client for. Kafka's own brokers ask for at most 16384; a hostile peer could ask for
/// minutes of hashing.
pub const SCRAM_ITERATIONS: u32 = 100_000;

/// Bytes of a token endpoint's answer: the longest tokens have some ten thousand.
pub const TOKEN_ANSWER: usize = 256 * 1024;

/// Messages of one SASL exchange: SCRAM has two.
pub const SASL_STEPS: usize = 8;

/// How long a broker that refused our credentials is left alone: asked again and again it might lock the account.
pub const AUTHENTICATION_PAUSE: Millis = Millis(10_000);
