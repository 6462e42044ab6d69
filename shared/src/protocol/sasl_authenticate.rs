//! SaslAuthenticate (36): one step of a SASL exchange, in Kafka's frames (KIP-152).

use super::auth_bytes::AuthBytes;
use super::table::{default_of, field, message, structure, versions};

message! {
    /// The client's next bytes.
    ///
    /// Version 1 is version 0 again.
    SaslAuthenticateRequest [0-2, flexible 2+] {
        /// As the mechanism wants them.
        auth_bytes: AuthBytes [0+],
    }
}

message! {
    /// The server's next bytes, or why there are none.
    SaslAuthenticateResponse [0-2, flexible 2+] {
        /// 0, or 58 where it does not believe the client.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+],
        /// As the mechanism wants them.
        auth_bytes: AuthBytes [0+],
        /// Milliseconds after which the client must have authenticated again; 0: never. Added in version 1 (KIP-368).
        session_lifetime_ms: i64 [1+, ignorable],
    }
}
