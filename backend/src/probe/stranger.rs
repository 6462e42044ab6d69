//! A client that is no member: it asks a coordinator for something and goes.

use std::sync::Arc;

use shared::error_code;
use shared::ids::GroupId;
use shared::member::Config;
use shared::protocol::{
    ApiKey, JoinGroupRequest, JoinGroupRequestProtocol, OffsetCommitRequest, OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
};
use shared::time::Millis;

use crate::kafka::cluster::Cluster;
use crate::kafka::connection::Opened;

/// From this version on a newcomer is given its id first (KIP-394).
const ID_FIRST: i16 = 4;
/// The last version of OffsetCommit that names its topics.
const NAMES_TOPICS: i16 = 9;

/// Whoever asks.
#[derive(Debug)]
pub(super) struct Stranger {
    pub(super) cluster: Arc<Cluster>,
    pub(super) client_id: Arc<str>,
    /// What members of ours are told; of a stranger, how long it waits.
    pub(super) config: Arc<Config>,
}

impl Stranger {
    /// Asks to join as a newcomer so many times, and uses none of the ids it is given.
    ///
    /// # Errors
    ///
    /// A sentence: who could not be reached, or what was answered.
    pub(super) async fn ask_for_ids(&self, group: &GroupId, count: u32) -> Result<(), String> {
        let mut coordinator = self.coordinator(group).await?;
        let version = common(&coordinator, ApiKey::JoinGroup)?;
        if version < ID_FIRST {
            return Err(format!(
                "the broker's JoinGroup goes up to version {version}: it hands out no ids (KIP-394)"
            ));
        }
        for _ in 0..count {
            let join = JoinGroupRequest {
                group_id: group.as_str().to_owned(),
                session_timeout_ms: int32(self.config.session_timeout),
                rebalance_timeout_ms: int32(self.config.rebalance_timeout),
                protocol_type: "consumer".to_owned(),
                protocols: vec![JoinGroupRequestProtocol {
                    name: "range".to_owned(),
                    metadata: Vec::new(),
                }],
                ..Default::default()
            };
            let asked = coordinator
                .connection
                .ask(version, join, self.config.request_timeout);
            let answer = asked.await.map_err(|end| end.to_string())?;
            if answer.error_code != error_code::MEMBER_ID_REQUIRED {
                let label = error_code::label(answer.error_code);
                return Err(format!("JoinGroup was answered {label} instead of a member id"));
            }
        }
        Ok(())
    }

    /// Commits an offset from outside, as a client does that assigns its partitions itself: the group needs no members.
    ///
    /// # Errors
    ///
    /// A sentence: who could not be reached, or what was answered.
    pub(super) async fn commit(&self, group: &GroupId, topic: &str) -> Result<(), String> {
        let mut coordinator = self.coordinator(group).await?;
        let version = common(&coordinator, ApiKey::OffsetCommit)?.min(NAMES_TOPICS);
        let commit = OffsetCommitRequest {
            group_id: group.as_str().to_owned(),
            topics: vec![OffsetCommitRequestTopic {
                name: topic.to_owned(),
                partitions: vec![OffsetCommitRequestPartition::default()],
                ..Default::default()
            }],
            ..Default::default()
        };
        let asked = coordinator
            .connection
            .ask(version, commit, self.config.request_timeout);
        let answer = asked.await.map_err(|end| end.to_string())?;
        let partitions = answer.topics.iter().flat_map(|topic| &topic.partitions);
        match partitions
            .map(|partition| partition.error_code)
            .find(|code| *code != 0)
        {
            Some(code) => Err(format!("OffsetCommit was answered {}", error_code::label(code))),
            None => Ok(()),
        }
    }

    async fn coordinator(&self, group: &GroupId) -> Result<Opened, String> {
        let opened = self.cluster.open_coordinator(&self.client_id, group).await;
        opened
            .map(|(_node, opened)| opened)
            .map_err(|none| none.to_string())
    }
}

fn common(opened: &Opened, key: ApiKey) -> Result<i16, String> {
    opened
        .versions
        .highest_common(key)
        .map_err(|none| none.to_string())
}

/// The configuration was checked: every time fits.
fn int32(time: Millis) -> i32 {
    i32::try_from(time.0).unwrap_or(i32::MAX)
}
