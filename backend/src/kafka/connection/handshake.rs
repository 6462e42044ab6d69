//! The first question on every connection: which requests does this broker understand, in which versions?

use shared::error_code::{NONE, UNSUPPORTED_VERSION};
use shared::protocol::{ApiKey, ApiVersionsRequest, ApiVersionsResponse, BrokerVersions};
use shared::time::{Millis, Timestamp};

use super::Connection;
use crate::kafka::link_end::LinkEnd;

/// Asks in our highest version, and once more where the broker answers that it does not know it (KIP-511): then in the
/// highest that both know, or in 0 where it does not say.
pub(super) async fn versions(
    connection: &mut Connection,
    timeout: Millis,
) -> Result<BrokerVersions, LinkEnd> {
    let deadline = connection.clock.now() + timeout;
    let ours = ApiKey::ApiVersions.versions();
    let mut answer = ask(connection, ours.max, deadline).await?;
    if answer.error_code == UNSUPPORTED_VERSION {
        let common = BrokerVersions::new(&answer).highest_common(ApiKey::ApiVersions);
        answer = ask(connection, common.unwrap_or(ours.min), deadline).await?;
    }
    match answer.error_code {
        NONE => Ok(BrokerVersions::new(&answer)),
        code => Err(LinkEnd::Handshake { code }),
    }
}

async fn ask(
    connection: &mut Connection,
    version: i16,
    deadline: Timestamp,
) -> Result<ApiVersionsResponse, LinkEnd> {
    let left = Millis(deadline.micros_since(connection.clock.now()) / 1000);
    connection.ask(version, question(), left).await
}

/// The question: who asks, as brokers count it (KIP-511).
pub(crate) fn question() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "heartline".to_owned(),
        client_software_version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Default::default()
    }
}
