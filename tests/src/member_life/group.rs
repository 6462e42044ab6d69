//! A group as its coordinator describes it: what the members' own reports are compared with.

use std::collections::BTreeSet;
use std::sync::Arc;

use backend::clock::Clock;
use backend::hub::Reporter;
use backend::kafka::address::Address;
use backend::kafka::cluster::Cluster;
use backend::kafka::connection::{Connection, Dialer, Opened};
use shared::ids::{MemberId, NodeId};
use shared::protocol::{
    ApiKey, ConsumerProtocol, ConsumerProtocolAssignment, DescribeGroupsRequest, DescribedGroup,
    FindCoordinatorRequest,
};
use shared::time::Millis;

use crate::cast::{PARTITIONS, TOPIC};
use crate::wait::wait_until;

const TIMEOUT: Millis = Millis(30_000);

/// A group, asked at its coordinator.
pub(super) struct Group {
    id: String,
    cluster: Cluster,
}

/// A stable group whose members have shared all partitions of the topic.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) members: BTreeSet<MemberId>,
    /// How many partitions each has, falling.
    pub(super) shares: Vec<usize>,
}

impl Group {
    pub(super) fn new(coordinator: &Address, id: &str) -> Self {
        let (reporter, _reports) = Reporter::channel(1);
        let dialer = Dialer::new(Clock::start(), reporter, TIMEOUT, TIMEOUT);
        Self {
            id: id.to_owned(),
            cluster: Cluster::new(vec![coordinator.clone()], dialer, TIMEOUT),
        }
    }

    /// Waits until `members` members share the partitions, each of them assigned once.
    pub(super) async fn shared_by(&self, members: usize) -> Shared {
        let what = format!("{members} members that share the partitions of {}", self.id);
        wait_until(&what, async || {
            let group = self.describe().await?;
            shared(&group, members).ok_or_else(|| format!("{group:?}"))
        })
        .await
    }

    /// Waits until the group has no member.
    pub(super) async fn empty(&self) {
        wait_until(&format!("the group {} to be empty", self.id), async || {
            let group = self.describe().await?;
            let gone = ["Empty", "Dead"].contains(&&*group.group_state) && group.members.is_empty();
            if gone { Ok(()) } else { Err(format!("{group:?}")) }
        })
        .await;
    }

    async fn describe(&self) -> Result<DescribedGroup, String> {
        let (mut connection, version) = self.coordinator().await?;
        let question = DescribeGroupsRequest {
            groups: vec![self.id.clone()],
            ..Default::default()
        };
        let answer = connection
            .ask(version, question, TIMEOUT)
            .await
            .map_err(|end| end.to_string())?;
        answer
            .groups
            .into_iter()
            .next()
            .ok_or_else(|| "no group in the answer".to_owned())
    }

    /// A connection to the group's coordinator and the version of DescribeGroups to use on it.
    async fn coordinator(&self) -> Result<(Connection, i16), String> {
        let name: Arc<str> = Arc::from("member-life");
        let opened = self.cluster.open_any(Arc::clone(&name)).await;
        let Opened {
            mut connection,
            versions,
            ..
        } = opened.map_err(|error| error.to_string())?;
        let version = versions
            .highest_common(ApiKey::FindCoordinator)
            .map_err(|error| error.to_string())?;
        let question = FindCoordinatorRequest {
            coordinator_keys: vec![self.id.clone()],
            ..Default::default()
        };
        let answer = connection
            .ask(version, question, TIMEOUT)
            .await
            .map_err(|end| end.to_string())?;
        let found = answer
            .coordinators
            .first()
            .ok_or("no coordinator in the answer")?;
        if found.error_code != 0 {
            return Err(format!("FindCoordinator was answered {}", found.error_code));
        }
        let port = u16::try_from(found.port).map_err(|error| error.to_string())?;
        let opened = self
            .cluster
            .open(NodeId(found.node_id), &found.host, port, name)
            .await;
        let Opened {
            connection, versions, ..
        } = opened.map_err(|end| end.to_string())?;
        let version = versions
            .highest_common(ApiKey::DescribeGroups)
            .map_err(|error| error.to_string())?;
        Ok((connection, version))
    }
}

fn shared(group: &DescribedGroup, members: usize) -> Option<Shared> {
    if group.group_state != "Stable" || group.members.len() != members {
        return None;
    }
    let mut shares = Vec::new();
    let mut partitions = BTreeSet::new();
    for member in &group.members {
        let (_version, assignment) = ConsumerProtocolAssignment::try_read(&member.member_assignment).ok()?;
        let own = assignment
            .assigned_partitions
            .iter()
            .filter(|topic| topic.topic == TOPIC);
        let own: Vec<i32> = own.flat_map(|topic| topic.partitions.iter().copied()).collect();
        shares.push(own.len());
        partitions.extend(own);
    }
    shares.sort_unstable_by(|a, b| b.cmp(a));
    let whole = partitions.len() == PARTITIONS && shares.iter().sum::<usize>() == PARTITIONS;
    whole.then(|| Shared {
        members: group
            .members
            .iter()
            .map(|member| MemberId::from(&*member.member_id))
            .collect(),
        shares,
    })
}
