//! The way to a group's coordinator: who it is, by whichever broker answers, and a connection to it.

use std::sync::Arc;

use shared::error_code;
use shared::ids::{GroupId, NodeId};
use shared::protocol::{ApiKey, FindCoordinatorRequest, FindCoordinatorResponse};

use super::Cluster;
use crate::kafka::connection::Opened;

/// From this version on FindCoordinator asks for many keys at once (KIP-699).
const FINDS_MANY: i16 = 4;

impl Cluster {
    /// A connection to the coordinator of `group`, and which broker it is.
    ///
    /// # Errors
    /// A sentence: who could not be reached, or what FindCoordinator was answered.
    pub async fn open_coordinator(
        &self,
        client_id: &Arc<str>,
        group: &GroupId,
    ) -> Result<(NodeId, Opened), String> {
        let opened = self.open_any(Arc::clone(client_id)).await;
        let mut any = opened.map_err(|none| none.to_string())?;
        let version = any.versions.highest_common(ApiKey::FindCoordinator);
        let version = version.map_err(|none| none.to_string())?;
        let key = group.as_str().to_owned();
        let question = if version < FINDS_MANY {
            FindCoordinatorRequest {
                key,
                ..Default::default()
            }
        } else {
            FindCoordinatorRequest {
                coordinator_keys: vec![key],
                ..Default::default()
            }
        };
        let asked = any.connection.ask(version, question, self.request_timeout);
        let (node, host, port) = found(asked.await.map_err(|end| end.to_string())?, group)?;
        let opened = self.open(node, &host, port, Arc::clone(client_id)).await;
        let opened = opened.map_err(|end| format!("{host}:{port}: {end}"))?;
        Ok((node, opened))
    }
}

fn found(answer: FindCoordinatorResponse, group: &GroupId) -> Result<(NodeId, String, u16), String> {
    let (error, node, host, port) = match answer.coordinators.into_iter().next() {
        Some(found) => (found.error_code, found.node_id, found.host, found.port),
        None => (answer.error_code, answer.node_id, answer.host, answer.port),
    };
    match (error, u16::try_from(port)) {
        (error_code::NONE, Ok(port)) => Ok((NodeId(node), host, port)),
        (error_code::NONE, Err(_)) => Err(format!("FindCoordinator named the port {port}")),
        (error, _) => {
            let right = if error == error_code::GROUP_AUTHORIZATION_FAILED {
                format!("DESCRIBE on group {group} is missing: ")
            } else {
                String::new()
            };
            let label = error_code::label(error);
            Err(format!("{right}FindCoordinator was answered {label}"))
        }
    }
}
