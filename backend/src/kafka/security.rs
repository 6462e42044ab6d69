//! How connections to brokers are secured: encrypted by TLS, and authenticated by SASL or a client certificate.
//!
//! # Layout
//!
//! - [`tls`]: sessions, trust, identity, what faults mean
//! - [`stores`], [`jks`], [`files`], `der`: where certificates and keys come from
//! - [`sasl`]: one exchange of a mechanism, without IO; [`scram`] and [`oauth`] behind it

mod der;
pub mod files;
pub mod jks;
pub mod oauth;
pub mod sasl;
pub mod scram;
pub mod stores;
pub mod tls;

use sasl::Credentials;
use tls::Tls;

/// What every connection of a cluster begins with; nothing of it: `PLAINTEXT`. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Security {
    /// Of `SSL` and `SASL_SSL`.
    pub tls: Option<Tls>,
    /// Of `SASL_PLAINTEXT` and `SASL_SSL`.
    pub sasl: Option<Credentials>,
}
