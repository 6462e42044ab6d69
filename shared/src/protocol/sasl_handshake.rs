//! SaslHandshake (17): the mechanism by which a client will prove who it is.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "I will authenticate by this mechanism."
    ///
    /// After version 0 the mechanism's bytes follow as they are, after version 1 inside SaslAuthenticate (KIP-152).
    SaslHandshakeRequest [0-1, flexible none] {
        /// As in `sasl.mechanism`: `PLAIN`, `SCRAM-SHA-512`.
        mechanism: String [0+],
    }
}

message! {
    /// Whether the listener offers it.
    ///
    /// Version 1 is version 0 again.
    SaslHandshakeResponse [0-1, flexible none] {
        /// 0, 33 where it does not, 34 where there is nothing to authenticate.
        error_code: i16 [0+],
        /// What it offers.
        mechanisms: Vec<String> [0+],
    }
}
