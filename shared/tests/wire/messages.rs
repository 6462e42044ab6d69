//! Every message as one type, so that a test is written once.

use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, ConsumerProtocolAssignment, ConsumerProtocolSubscription, DecodeError,
    EncodeError, Message, Schema,
};

use crate::logged::{Logged, SCHEMAS};

/// A kind of message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Request(ApiKey),
    Response(ApiKey),
    Subscription,
    Assignment,
    /// A key or a value of a record of the offsets log.
    Logged(&'static Schema),
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Any {
    Request(AnyRequest),
    Response(AnyResponse),
    Subscription(ConsumerProtocolSubscription),
    Assignment(ConsumerProtocolAssignment),
    Logged(Logged),
}

/// Every kind in every version.
pub(crate) fn all() -> impl Iterator<Item = (Kind, i16)> {
    let apis = ApiKey::ALL
        .iter()
        .flat_map(|key| [Kind::Request(*key), Kind::Response(*key)]);
    let logged = SCHEMAS.iter().map(|schema| Kind::Logged(schema));
    let kinds = apis.chain([Kind::Subscription, Kind::Assignment]).chain(logged);
    kinds.flat_map(|kind| kind.schema().versions.iter().map(move |version| (kind, version)))
}

impl Kind {
    pub(crate) fn schema(self) -> &'static Schema {
        match self {
            Self::Request(key) => key.request_schema(),
            Self::Response(key) => key.response_schema(),
            Self::Subscription => ConsumerProtocolSubscription::SCHEMA,
            Self::Assignment => ConsumerProtocolAssignment::SCHEMA,
            Self::Logged(schema) => schema,
        }
    }

    pub(crate) fn decode(self, version: i16, body: &[u8]) -> Result<Any, DecodeError> {
        match self {
            Self::Request(key) => AnyRequest::decode(key, version, body).map(Any::Request),
            Self::Response(key) => AnyResponse::decode(key, version, body).map(Any::Response),
            Self::Subscription => ConsumerProtocolSubscription::decode(body, version).map(Any::Subscription),
            Self::Assignment => ConsumerProtocolAssignment::decode(body, version).map(Any::Assignment),
            Self::Logged(schema) => Logged::decode(schema, version, body).map(Any::Logged),
        }
    }
}

impl Any {
    pub(crate) fn encode(&self, version: i16) -> Result<Vec<u8>, EncodeError> {
        let mut body = Vec::new();
        match self {
            Self::Request(request) => request.encode(version, &mut body),
            Self::Response(response) => response.encode(version, &mut body),
            Self::Subscription(subscription) => subscription.encode(version, &mut body),
            Self::Assignment(assignment) => assignment.encode(version, &mut body),
            Self::Logged(logged) => logged.encode(version, &mut body),
        }?;
        Ok(body)
    }
}
