//! The list of APIs, and any request or answer of them as one value.

use std::fmt;

use thiserror::Error;

use super::error::{DecodeError, EncodeError};
use super::message::{Message, decode_start};
use super::schema::{Schema, VersionRange};
use super::{
    ApiVersionsRequest, ApiVersionsResponse, ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse,
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, DescribeClusterRequest,
    DescribeClusterResponse, DescribeConfigsRequest, DescribeConfigsResponse, DescribeGroupsRequest,
    DescribeGroupsResponse, DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse,
    FetchRequest, FetchResponse, FindCoordinatorRequest, FindCoordinatorResponse, HeartbeatRequest,
    HeartbeatResponse, InitProducerIdRequest, InitProducerIdResponse, JoinGroupRequest, JoinGroupResponse,
    LeaveGroupRequest, LeaveGroupResponse, ListGroupsRequest, ListGroupsResponse, ListOffsetsRequest,
    ListOffsetsResponse, MetadataRequest, MetadataResponse, OffsetCommitRequest, OffsetCommitResponse,
    OffsetFetchRequest, OffsetFetchResponse, ProduceRequest, ProduceResponse, SaslAuthenticateRequest,
    SaslAuthenticateResponse, SaslHandshakeRequest, SaslHandshakeResponse, ShareGroupDescribeRequest,
    ShareGroupDescribeResponse, StreamsGroupDescribeRequest, StreamsGroupDescribeResponse, SyncGroupRequest,
    SyncGroupResponse,
};

/// The code by which a broker says that it does not know the version asked for.
const UNSUPPORTED_VERSION: i16 = 35;

/// A request, which knows its answer.
pub trait Request: Message + Into<AnyRequest> {
    /// The answer to it.
    type Response: Message + Into<AnyResponse> + TryFrom<AnyResponse, Error = AnyResponse>;
    /// Its number on the wire.
    const KEY: ApiKey;
    /// The versions that Kafka 3.9 and 4.x accept.
    const VERSIONS: VersionRange = Self::SCHEMA.versions;
}

/// A number in a request's header that is none of [`ApiKey`]'s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("API key {0} (known: {known})", known = ApiKey::LIST)]
pub struct UnknownApiKey(pub i16);

macro_rules! apis {
    ($($(#[$doc:meta])* $name:ident = $key:literal: $request:ident => $response:ident,)*) => {
        /// Which request it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        pub enum ApiKey {
            $($(#[$doc])* $name = $key,)*
        }

        impl ApiKey {
            /// Each of them, by number.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            const LIST: &'static str = concat!($(stringify!($name), " ", $key, ", ",)* "no other");

            /// Kafka's name, `JoinGroup`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// The table of its request.
            #[must_use]
            pub const fn request_schema(self) -> &'static Schema {
                match self {
                    $(Self::$name => $request::SCHEMA,)*
                }
            }

            /// The table of its answer.
            #[must_use]
            pub const fn response_schema(self) -> &'static Schema {
                match self {
                    $(Self::$name => $response::SCHEMA,)*
                }
            }
        }

        impl TryFrom<i16> for ApiKey {
            type Error = UnknownApiKey;

            fn try_from(key: i16) -> Result<Self, UnknownApiKey> {
                match key {
                    $($key => Ok(Self::$name),)*
                    unknown => Err(UnknownApiKey(unknown)),
                }
            }
        }

        /// Any request.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(test, derive(serde::Serialize), serde(untagged))]
        pub enum AnyRequest {
            $($(#[$doc])* $name($request),)*
        }

        impl AnyRequest {
            /// Which it is.
            #[must_use]
            pub const fn key(&self) -> ApiKey {
                match self {
                    $(Self::$name(_) => ApiKey::$name,)*
                }
            }

            /// Appends its body, as `version` has it, to `out`.
            ///
            /// # Errors
            ///
            /// As [`Message::encode`].
            pub fn encode(&self, version: i16, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                match self {
                    $(Self::$name(request) => request.encode(version, out),)*
                }
            }

            fn decode_as_written(key: ApiKey, version: i16, body: &[u8]) -> Result<Self, DecodeError> {
                match key {
                    $(ApiKey::$name => {
                        let (request, _behind) = decode_start::<$request>(body, version)?;
                        Ok(Self::$name(request))
                    })*
                }
            }
        }

        /// Any answer.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(test, derive(serde::Serialize), serde(untagged))]
        pub enum AnyResponse {
            $($(#[$doc])* $name($response),)*
        }

        impl AnyResponse {
            /// Which request it answers.
            #[must_use]
            pub const fn key(&self) -> ApiKey {
                match self {
                    $(Self::$name(_) => ApiKey::$name,)*
                }
            }

            /// Appends its body, as `version` has it, to `out`.
            ///
            /// # Errors
            ///
            /// As [`Message::encode`].
            pub fn encode(&self, version: i16, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                match self {
                    $(Self::$name(response) => response.encode(version, out),)*
                }
            }

            fn decode_as_written(key: ApiKey, version: i16, body: &[u8]) -> Result<Self, DecodeError> {
                match key {
                    $(ApiKey::$name => $response::decode(body, version).map(Self::$name),)*
                }
            }
        }

        $(
            impl Request for $request {
                type Response = $response;
                const KEY: ApiKey = ApiKey::$name;
            }

            impl From<$request> for AnyRequest {
                fn from(request: $request) -> Self {
                    Self::$name(request)
                }
            }

            impl From<$response> for AnyResponse {
                fn from(response: $response) -> Self {
                    Self::$name(response)
                }
            }

            /// The answer as what it should be, or back as it is.
            impl TryFrom<AnyResponse> for $response {
                type Error = AnyResponse;

                fn try_from(response: AnyResponse) -> Result<Self, AnyResponse> {
                    match response {
                        AnyResponse::$name(response) => Ok(response),
                        other => Err(other),
                    }
                }
            }
        )*
    };
}

apis! {
    /// Records for the end of partitions.
    Produce = 0: ProduceRequest => ProduceResponse,
    /// Records from partitions.
    Fetch = 1: FetchRequest => FetchResponse,
    /// Where partitions begin and end, and what stands at a moment.
    ListOffsets = 2: ListOffsetsRequest => ListOffsetsResponse,
    /// The brokers of a cluster, its topics and their partitions.
    Metadata = 3: MetadataRequest => MetadataResponse,
    /// How far a group has read.
    OffsetCommit = 8: OffsetCommitRequest => OffsetCommitResponse,
    /// How far groups have read.
    OffsetFetch = 9: OffsetFetchRequest => OffsetFetchResponse,
    /// Which broker coordinates a group.
    FindCoordinator = 10: FindCoordinatorRequest => FindCoordinatorResponse,
    /// A member asks into a group.
    JoinGroup = 11: JoinGroupRequest => JoinGroupResponse,
    /// A member is alive.
    Heartbeat = 12: HeartbeatRequest => HeartbeatResponse,
    /// Members go.
    LeaveGroup = 13: LeaveGroupRequest => LeaveGroupResponse,
    /// The leader hands in the assignment, every member fetches its part.
    SyncGroup = 14: SyncGroupRequest => SyncGroupResponse,
    /// Classic groups with their members.
    DescribeGroups = 15: DescribeGroupsRequest => DescribeGroupsResponse,
    /// The groups a broker coordinates.
    ListGroups = 16: ListGroupsRequest => ListGroupsResponse,
    /// By which mechanism a client authenticates.
    SaslHandshake = 17: SaslHandshakeRequest => SaslHandshakeResponse,
    /// Which requests a broker understands.
    ApiVersions = 18: ApiVersionsRequest => ApiVersionsResponse,
    /// An id under which a producer numbers its batches.
    InitProducerId = 22: InitProducerIdRequest => InitProducerIdResponse,
    /// The settings of topics, brokers and groups.
    DescribeConfigs = 32: DescribeConfigsRequest => DescribeConfigsResponse,
    /// One step of an authentication.
    SaslAuthenticate = 36: SaslAuthenticateRequest => SaslAuthenticateResponse,
    /// The brokers of a cluster, for administrators.
    DescribeCluster = 60: DescribeClusterRequest => DescribeClusterResponse,
    /// The one request of the consumer protocol of KIP-848.
    ConsumerGroupHeartbeat = 68: ConsumerGroupHeartbeatRequest => ConsumerGroupHeartbeatResponse,
    /// Groups of the consumer protocol of KIP-848 with their members.
    ConsumerGroupDescribe = 69: ConsumerGroupDescribeRequest => ConsumerGroupDescribeResponse,
    /// Share groups with their members.
    ShareGroupDescribe = 77: ShareGroupDescribeRequest => ShareGroupDescribeResponse,
    /// Streams groups with their members.
    StreamsGroupDescribe = 89: StreamsGroupDescribeRequest => StreamsGroupDescribeResponse,
    /// How far share groups have come.
    DescribeShareGroupOffsets = 90: DescribeShareGroupOffsetsRequest => DescribeShareGroupOffsetsResponse,
}

impl AnyRequest {
    /// Reads the body of a request as a coordinator does: a JoinGroup in version 0 has no rebalance timeout,
    /// its session timeout stands for it (Kafka's `JoinGroupRequest`), and bytes behind the body are not looked
    /// at: librdkafka 2.16 leaves three in a Metadata of version 13, and brokers do not mind.
    ///
    /// # Errors
    ///
    /// As [`Message::decode`].
    pub fn decode(key: ApiKey, version: i16, body: &[u8]) -> Result<Self, DecodeError> {
        let mut request = Self::decode_as_written(key, version, body)?;
        if let (Self::JoinGroup(join), 0) = (&mut request, version) {
            join.rebalance_timeout_ms = join.session_timeout_ms;
        }
        Ok(request)
    }
}

impl AnyResponse {
    /// Reads the body of an answer as a client does: one to ApiVersions may be in version 0 whatever was
    /// asked, when it says that the version asked for is not understood (KIP-511).
    ///
    /// # Errors
    ///
    /// As [`Message::decode`].
    pub fn decode(key: ApiKey, version: i16, body: &[u8]) -> Result<Self, DecodeError> {
        let read = Self::decode_as_written(key, version, body);
        if read.is_err()
            && key == ApiKey::ApiVersions
            && let Ok(answer) = ApiVersionsResponse::decode(body, 0)
            && answer.error_code == UNSUPPORTED_VERSION
        {
            return Ok(answer.into());
        }
        read
    }
}

impl ApiKey {
    /// The versions that Kafka 3.9 and 4.x accept.
    #[must_use]
    pub const fn versions(self) -> VersionRange {
        self.request_schema().versions
    }

    /// The version of the header before a request: 2 where the request is flexible, else 1.
    ///
    /// Versions above the known ones are flexible too, so that a server can read the header of a request it
    /// must refuse.
    #[must_use]
    pub const fn request_header_version(self, version: i16) -> i16 {
        if self.request_schema().flexible.contains(version) {
            2
        } else {
            1
        }
    }

    /// The version of the header before an answer: 1 where the answer is flexible, else 0; of ApiVersions
    /// always 0, since a client reads that answer before it knows what the broker understands (KIP-511).
    #[must_use]
    pub const fn response_header_version(self, version: i16) -> i16 {
        if !matches!(self, Self::ApiVersions) && self.response_schema().flexible.contains(version) {
            1
        } else {
            0
        }
    }
}

impl From<ApiKey> for i16 {
    fn from(key: ApiKey) -> Self {
        key as Self
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
