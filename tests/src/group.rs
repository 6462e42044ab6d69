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
    DescribedGroupMember, FindCoordinatorRequest,
};
use shared::time::Millis;

use crate::wait::wait_until;

const TIMEOUT: Millis = Millis(30_000);

/// A group, asked at its coordinator.
pub struct Group {
    id: String,
    topic: String,
    cluster: Cluster,
}

/// A group at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// Kafka's word: `Stable`, `Empty` ...
    pub state: String,
    /// The assignor that was chosen.
    pub protocol: String,
    pub seats: Vec<Seat>,
}

/// A member at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    pub member: MemberId,
    /// Of whoever first had the seat: a static member that comes back keeps it, whatever it calls itself by then.
    pub client: String,
    pub instance: Option<String>,
    /// Its partitions of the topic.
    pub partitions: BTreeSet<i32>,
}

impl Roster {
    /// Its members' ids.
    #[must_use]
    pub fn members(&self) -> BTreeSet<MemberId> {
        self.seats.iter().map(|seat| seat.member.clone()).collect()
    }

    /// How many partitions each member has, falling.
    #[must_use]
    pub fn shares(&self) -> Vec<usize> {
        let mut shares: Vec<usize> = self.seats.iter().map(|seat| seat.partitions.len()).collect();
        shares.sort_unstable_by(|a, b| b.cmp(a));
        shares
    }

    /// The seat of a member.
    #[must_use]
    pub fn seat(&self, member: &str) -> Option<&Seat> {
        self.seats.iter().find(|seat| seat.member.as_str() == member)
    }

    /// Whether it is stable and each of `partitions` partitions belongs to one member.
    #[must_use]
    pub fn shares_all(&self, partitions: usize) -> bool {
        let all: BTreeSet<i32> = self
            .seats
            .iter()
            .flat_map(|seat| seat.partitions.iter().copied())
            .collect();
        self.state == "Stable" && all.len() == partitions && self.shares().iter().sum::<usize>() == partitions
    }
}

impl Group {
    /// The group `id`, whose members subscribe to `topic`.
    #[must_use]
    pub fn new(coordinator: &Address, id: &str, topic: &str) -> Self {
        let (reporter, _reports) = Reporter::channel(1);
        let dialer = Dialer::new(Clock::start(), reporter, TIMEOUT, TIMEOUT);
        Self {
            id: id.to_owned(),
            topic: topic.to_owned(),
            cluster: Cluster::new(vec![coordinator.clone()], dialer, TIMEOUT),
        }
    }

    /// Waits until `members` members share that many partitions, each of them assigned once.
    pub async fn shared_by(&self, members: usize, partitions: usize) -> Roster {
        let what = format!("{members} members that share the partitions of {}", self.id);
        wait_until(&what, async || {
            let roster = self.roster().await?;
            if roster.seats.len() == members && roster.shares_all(partitions) {
                Ok(roster)
            } else {
                Err(format!("{roster:?}"))
            }
        })
        .await
    }

    /// Waits until the group has no member.
    pub async fn empty(&self) {
        wait_until(&format!("the group {} to be empty", self.id), async || {
            let roster = self.roster().await?;
            let gone = ["Empty", "Dead"].contains(&&*roster.state) && roster.seats.is_empty();
            if gone { Ok(()) } else { Err(format!("{roster:?}")) }
        })
        .await;
    }

    /// The node that coordinates it.
    ///
    /// # Errors
    ///
    /// What kept the cluster from telling.
    pub async fn node(&self) -> Result<NodeId, String> {
        let (_connection, _version, node) = self.coordinator().await?;
        Ok(node)
    }

    /// The group now.
    ///
    /// # Errors
    ///
    /// What kept its coordinator from answering.
    pub async fn roster(&self) -> Result<Roster, String> {
        let group = self.describe().await?;
        let seats = group.members.iter().map(|member| self.seat(member));
        Ok(Roster {
            seats: seats.collect(),
            state: group.group_state,
            protocol: group.protocol_data,
        })
    }

    fn seat(&self, member: &DescribedGroupMember) -> Seat {
        let assignment = ConsumerProtocolAssignment::try_read(&member.member_assignment);
        // Empty until its SyncGroup was answered.
        let topics = assignment.map_or_else(|_| Vec::new(), |(_version, read)| read.assigned_partitions);
        Seat {
            member: MemberId::from(&*member.member_id),
            client: member.client_id.clone(),
            instance: member.group_instance_id.clone(),
            partitions: topics
                .iter()
                .filter(|topic| topic.topic == self.topic)
                .flat_map(|topic| topic.partitions.iter().copied())
                .collect(),
        }
    }

    async fn describe(&self) -> Result<DescribedGroup, String> {
        let (mut connection, version, _node) = self.coordinator().await?;
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

    /// A connection to the group's coordinator, the version of DescribeGroups to use on it, and which node it is.
    async fn coordinator(&self) -> Result<(Connection, i16, NodeId), String> {
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
        let node = NodeId(found.node_id);
        let port = u16::try_from(found.port).map_err(|error| error.to_string())?;
        let opened = self.cluster.open(node, &found.host, port, name).await;
        let Opened {
            connection, versions, ..
        } = opened.map_err(|end| end.to_string())?;
        let version = versions
            .highest_common(ApiKey::DescribeGroups)
            .map_err(|error| error.to_string())?;
        Ok((connection, version, node))
    }
}
