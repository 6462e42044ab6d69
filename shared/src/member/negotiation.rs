//! Which version of each request a connection speaks, and which brokers a member cannot work with.

use super::config::Config;
use crate::protocol::{ApiKey, BrokerVersions};
use crate::rules::{GroupRequest, Rules, VersionRule};

/// What a lookup sends.
pub(super) const LOOKUP: &[GroupRequest] = &[GroupRequest::FindCoordinator];

/// What a member sends to its coordinator.
pub(super) const MEMBERSHIP: &[GroupRequest] = &[
    GroupRequest::JoinGroup,
    GroupRequest::SyncGroup,
    GroupRequest::Heartbeat,
    GroupRequest::LeaveGroup,
];

/// The versions that carry a `group.instance.id` (KIP-345).
const STATIC: [(GroupRequest, i16); 4] = [
    (GroupRequest::JoinGroup, 5),
    (GroupRequest::SyncGroup, 3),
    (GroupRequest::Heartbeat, 3),
    (GroupRequest::LeaveGroup, 3),
];

/// The versions spoken on one connection; the broker's own list is not kept, there is one per member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spoken {
    versions: [i16; GroupRequest::ALL.len()],
}

impl Spoken {
    /// Chooses a version of each of `requests`.
    ///
    /// # Errors
    /// A sentence that says what the broker lacks for such a member.
    pub(super) fn negotiate(
        config: &Config,
        offered: &BrokerVersions,
        requests: &[GroupRequest],
    ) -> Result<Self, String> {
        let mut spoken = Self {
            versions: [0; GroupRequest::ALL.len()],
        };
        for &request in requests {
            let common = match config.rules.version {
                VersionRule::LowestCommon => offered.lowest_common(request.key()),
                VersionRule::HighestCommon => offered.highest_common(request.key()),
            };
            spoken.versions[request as usize] = common.map_err(|none| none.to_string())?;
        }
        if requests.contains(&GroupRequest::JoinGroup) {
            refuse_high_floor(&config.rules, offered)?;
            if config.instance.is_some() {
                spoken.refuse_without_instance()?;
            }
        }
        Ok(spoken)
    }

    pub(super) const fn version(self, request: GroupRequest) -> i16 {
        self.versions[request as usize]
    }

    fn refuse_without_instance(self) -> Result<(), String> {
        for (request, since) in STATIC {
            let version = self.version(request);
            if version < since {
                return Err(format!(
                    "the broker's {request} goes up to version {version}, which cannot carry a group.instance.id (version \
                     {since}, Kafka 2.3): unset it, or use newer brokers"
                ));
            }
        }
        Ok(())
    }
}

fn refuse_high_floor(rules: &Rules, offered: &BrokerVersions) -> Result<(), String> {
    let floor = offered.range(ApiKey::JoinGroup).map_or(0, |range| range.min);
    if floor <= rules.join_floor_max {
        return Ok(());
    }
    Err(format!(
        "the broker's JoinGroup starts at version {floor}: the rules {} end at version {}, the last in which a new member is \
         taken in without asking twice (KIP-394); use the modern rules",
        rules.name, rules.join_floor_max
    ))
}
