//! The way to a group's coordinator: who it is, by whichever broker answers, and a connection to it.

use std::sync::Arc;

use shared::error_code;
use shared::ids::{GroupId, NodeId};
use shared::protocol::{ApiKey, FindCoordinatorRequest, FindCoordinatorResponse};
use thiserror::Error;

use super::Cluster;
use crate::kafka::connection::Opened;

/// From this version on FindCoordinator asks for many keys at once (KIP-699).
const FINDS_MANY: i16 = 4;

/// Why there is no way to a coordinator: as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoCoordinator {
    /// Who could not be reached, or did not answer.
    #[error("{0}")]
    Unreached(String),
    /// What FindCoordinator was answered.
    #[error("{right}FindCoordinator was answered {}", error_code::label(*code))]
    Refused {
        /// The code.
        code: i16,
        /// Which right is missing, where one is.
        right: String,
    },
}

impl Cluster {
    /// A connection to the coordinator of `group`, and which broker it is.
    ///
    /// # Errors
    /// As [`NoCoordinator`].
    pub async fn open_coordinator(
        &self,
        client_id: &Arc<str>,
        group: &GroupId,
    ) -> Result<(NodeId, Opened), NoCoordinator> {
        let opened = self.open_any(Arc::clone(client_id)).await;
        let mut any = opened.map_err(|none| NoCoordinator::Unreached(none.to_string()))?;
        let version = any.versions.highest_common(ApiKey::FindCoordinator);
        let version = version.map_err(|none| NoCoordinator::Unreached(none.to_string()))?;
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
        let (node, host, port) = found(
            asked
                .await
                .map_err(|end| NoCoordinator::Unreached(end.to_string()))?,
            group,
        )?;
        let opened = self.open(node, &host, port, Arc::clone(client_id)).await;
        let opened = opened.map_err(|end| NoCoordinator::Unreached(format!("{host}:{port}: {end}")))?;
        Ok((node, opened))
    }
}

fn found(answer: FindCoordinatorResponse, group: &GroupId) -> Result<(NodeId, String, u16), NoCoordinator> {
    let (error, node, host, port) = match answer.coordinators.into_iter().next() {
        Some(found) => (found.error_code, found.node_id, found.host, found.port),
        None => (answer.error_code, answer.node_id, answer.host, answer.port),
    };
    match (error, u16::try_from(port)) {
        (error_code::NONE, Ok(port)) => Ok((NodeId(node), host, port)),
        (error_code::NONE, Err(_)) => Err(NoCoordinator::Unreached(format!(
            "FindCoordinator named the port {port}"
        ))),
        (code, _) => {
            // To find it DESCRIBE would do, which READ includes; whoever asks for it wants to beat in the group.
            let right = if code == error_code::GROUP_AUTHORIZATION_FAILED {
                format!("READ on group {group} is missing: ")
            } else {
                String::new()
            };
            Err(NoCoordinator::Refused { code, right })
        }
    }
}
