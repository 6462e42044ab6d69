//! The bytes of a SASL exchange, which may hold a password.

use std::fmt;

use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use super::schema::Kind;
use super::value::Value;
use super::writer::Writer;

/// Kafka's type `bytes`, which prints nothing of itself and is wiped when dropped.
#[derive(Clone, Default, PartialEq, Eq)]
#[cfg_attr(test, derive(serde::Serialize))]
pub struct AuthBytes(pub Vec<u8>);

impl fmt::Debug for AuthBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

impl Drop for AuthBytes {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}

impl Value for AuthBytes {
    const KIND: Kind = Kind::Bytes;
    const LEAST_BYTES: usize = 1;

    fn zero() -> Self {
        Self::default()
    }

    fn read(reader: &mut Reader<'_>, nullable: bool) -> Result<Self, DecodeError> {
        Vec::<u8>::read(reader, nullable).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>, nullable: bool) -> Result<(), EncodeError> {
        self.0.write(writer, nullable)
    }
}

#[cfg(test)]
mod tests {
    use super::AuthBytes;
    use crate::protocol::{AnyRequest, SaslAuthenticateRequest};

    #[test]
    fn a_password_on_its_way_is_not_printed() {
        let request: AnyRequest = SaslAuthenticateRequest {
            auth_bytes: AuthBytes(b"\0alice\0open sesame".to_vec()),
        }
        .into();
        let printed = format!("{request:?} {request:#?}");
        assert!(printed.contains("[hidden]"), "{printed}");
        assert!(
            !printed.contains("115") && !printed.contains("sesame"),
            "{printed}"
        );
    }
}
