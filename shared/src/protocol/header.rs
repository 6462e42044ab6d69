//! What stands before each body: which request it is, and the number that ties the answer to it.

use super::api::{AnyRequest, AnyResponse, ApiKey};
use super::error::{DecodeError, EncodeError};
use super::reader::Reader;
use super::schema::VersionRange;
use super::value::{Nullable, Value};
use super::writer::Writer;

const REQUEST_HEADER: &str = "RequestHeader";
const RESPONSE_HEADER: &str = "ResponseHeader";

/// Before a request: versions 1 and 2 of Kafka's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHeader {
    /// Which request; a number of its own because a server also reads headers of requests it does not know.
    pub key: i16,
    /// The version of the request.
    pub version: i16,
    /// Comes back with the answer.
    pub correlation_id: i32,
    /// What the client calls itself.
    pub client_id: Option<String>,
}

impl RequestHeader {
    /// The header of a request that is known.
    #[must_use]
    pub fn new(key: ApiKey, version: i16, correlation_id: i32, client_id: &str) -> Self {
        Self {
            key: key.into(),
            version,
            correlation_id,
            client_id: Some(client_id.to_owned()),
        }
    }

    /// What the client calls itself; null is "", as Kafka reads it.
    #[must_use]
    pub fn client_id(&self) -> &str {
        self.client_id.as_deref().unwrap_or_default()
    }

    /// Appends the header to `out`, in the header version that its request asks for.
    ///
    /// # Errors
    ///
    /// The client id is longer than 32767 bytes.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let version = header_version(self.key, self.version);
        // The client id keeps its two-byte length in every header version, so the header is written as if
        // inflexible.
        let mut writer = Writer::new(out, REQUEST_HEADER, version, VersionRange::NONE);
        writer.bytes(&self.key.to_be_bytes());
        writer.bytes(&self.version.to_be_bytes());
        writer.bytes(&self.correlation_id.to_be_bytes());
        String::write_nullable(self.client_id.as_ref(), &mut writer)?;
        if version >= 2 {
            writer.tags(Vec::new())
        } else {
            Ok(())
        }
    }

    /// Reads the header at the start of `frame` and gives the body behind it.
    ///
    /// A request that is not known is read as if it were not flexible: enough to tell which it is and to whom
    /// to say so.
    ///
    /// # Errors
    ///
    /// The bytes are not a header.
    pub fn decode(frame: &[u8]) -> Result<(Self, &[u8]), DecodeError> {
        let mut reader = Reader::new(frame, REQUEST_HEADER, 1, VersionRange::NONE);
        reader.at("request_api_key");
        let key = i16::from_be_bytes(reader.array()?);
        reader.at("request_api_version");
        let version = i16::from_be_bytes(reader.array()?);
        reader.at("correlation_id");
        let correlation_id = i32::from_be_bytes(reader.array()?);
        reader.at("client_id");
        let client_id = Option::<String>::read(&mut reader, true)?;
        if header_version(key, version) >= 2 {
            reader.skip_tags()?;
        }
        Ok((
            Self {
                key,
                version,
                correlation_id,
                client_id,
            },
            reader.rest(),
        ))
    }
}

fn header_version(key: i16, version: i16) -> i16 {
    ApiKey::try_from(key).map_or(1, |key| key.request_header_version(version))
}

/// The correlation id at the start of an answer to `key` in `version`, and the body behind its header.
///
/// # Errors
///
/// The bytes are not a header.
pub fn decode_response_header(key: ApiKey, version: i16, frame: &[u8]) -> Result<(i32, &[u8]), DecodeError> {
    let header = key.response_header_version(version);
    let mut reader = Reader::new(frame, RESPONSE_HEADER, header, VersionRange::NONE);
    reader.at("correlation_id");
    let correlation_id = i32::from_be_bytes(reader.array()?);
    if header >= 1 {
        reader.skip_tags()?;
    }
    Ok((correlation_id, reader.rest()))
}

/// A whole request as it goes out: length, header, body. The header's key is the request's own, whatever
/// `header` says.
///
/// # Errors
///
/// As [`super::Message::encode`], or the request is longer than a frame can be.
pub fn encode_request(header: &RequestHeader, request: &AnyRequest) -> Result<Vec<u8>, EncodeError> {
    let key = request.key();
    framed(
        key.request_schema().name,
        header.version,
        room(header, request),
        |out| {
            RequestHeader {
                key: key.into(),
                ..header.clone()
            }
            .encode(out)?;
            request.encode(header.version, out)
        },
    )
}

/// A whole answer as it goes out: length, header, body.
///
/// # Errors
///
/// As [`super::Message::encode`], or the answer is longer than a frame can be.
pub fn encode_response(
    key: ApiKey,
    version: i16,
    correlation_id: i32,
    response: &AnyResponse,
) -> Result<Vec<u8>, EncodeError> {
    framed(key.response_schema().name, version, 0, |out| {
        out.extend_from_slice(&correlation_id.to_be_bytes());
        if key.response_header_version(version) >= 1 {
            out.push(0); // no tagged fields
        }
        response.encode(version, out)
    })
}

/// What `fill` appends, behind its length.
/// How much room a request must have from the start. What may hold a password must not move while it is written: a buffer that
/// grows leaves its beginning behind, where nobody wipes it.
pub(super) fn room(header: &RequestHeader, request: &AnyRequest) -> usize {
    /// All else that stands in a frame: lengths, key, version, correlation id, tags.
    const BESIDE: usize = 32;
    let AnyRequest::SaslAuthenticate(request) = request else {
        return 0;
    };
    let client_id = header.client_id.as_ref().map_or(0, String::len);
    BESIDE + client_id + request.auth_bytes.0.len()
}

fn framed(
    message: &'static str,
    version: i16,
    room: usize,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), EncodeError>,
) -> Result<Vec<u8>, EncodeError> {
    let mut frame = Vec::with_capacity(room);
    frame.extend_from_slice(&[0; 4]);
    fill(&mut frame)?;
    let length = frame.len() - 4;
    let Ok(announced) = i32::try_from(length) else {
        let max = i32::MAX as usize;
        return Err(EncodeError::TooLong {
            message,
            version,
            field: "frame",
            length,
            max,
        });
    };
    frame[..4].copy_from_slice(&announced.to_be_bytes());
    Ok(frame)
}
