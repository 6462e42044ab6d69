//! Many classic groups without live clients: raw joins over a few hundred connections, long sessions.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use shared::protocol::{
    AnyResponse, ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription,
    FindCoordinatorRequest, JoinGroupRequest, JoinGroupRequestProtocol, OffsetCommitRequest,
    OffsetCommitRequestPartition, OffsetCommitRequestTopic, SyncGroupRequest, SyncGroupRequestAssignment,
    consumer,
};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::interval_at;

use crate::bench::load::ask;
use crate::wait::wait_until;

/// Members of each group, and partitions that each owns.
pub const MEMBERS: usize = 3;
const PARTITIONS: i32 = 4;
/// Partitions of the topic, which each group commits.
pub const COMMITTED: i32 = 3 * PARTITIONS;

/// Groups that join at the same time at one broker, each over as many connections as it has members.
const LANES: usize = 32;

/// Versions that every broker since 2.4 speaks. Below JoinGroup 4 an empty member id joins at once (KIP-394).
const FIND: i16 = 4;
const JOIN: i16 = 3;
const SYNC: i16 = 2;
const COMMIT: i16 = 7;

/// Groups whose coordinators are asked for in one request.
const BATCH: usize = 200;

/// An hour: nobody beats.
const SESSION_MS: i32 = 3_600_000;
/// What a broker must be told to allow that.
pub(in crate::bench) const SETTING: &str = "group.max.session.timeout.ms=3600000";

/// How long the brokers may take to make their offsets log, and how often they are asked.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);

/// Who coordinates which groups, by node.
pub type Coordinators = BTreeMap<i32, Coordinator>;

/// One of them.
#[derive(Clone, Debug, Default)]
pub struct Coordinator {
    /// `host:port`.
    pub address: String,
    /// Its groups.
    pub groups: Vec<String>,
}

/// A member's place in a group that is stable.
#[derive(Clone, Debug)]
pub struct Joined {
    pub member: String,
    pub generation: i32,
}

/// What is made.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// Groups of [`MEMBERS`] members each.
    pub groups: usize,
    /// What their names begin with; a dash and a number follow.
    pub prefix: String,
    /// Of all members, in milliseconds.
    pub session_ms: i32,
    /// The topic of [`COMMITTED`] partitions that all read, and commit.
    pub topic: String,
    /// How often each group commits all of them, one group after the other.
    pub commits: i64,
}

impl Crowd {
    /// So many for the benchmark, reading the topic `crowd`.
    #[must_use]
    pub fn of(groups: usize) -> Self {
        Self {
            groups,
            prefix: "crowd".to_owned(),
            session_ms: SESSION_MS,
            topic: "crowd".to_owned(),
            commits: 1,
        }
    }

    /// Makes them at the brokers that `bootstrap` knows.
    ///
    /// # Errors
    ///
    /// What a broker answered instead.
    pub async fn join(&self, bootstrap: &str) -> Result<Coordinators, String> {
        let coordinators = self.found(bootstrap).await?;
        let mut lanes = JoinSet::new();
        for Coordinator { address, groups } in coordinators.values() {
            for lane in groups.chunks(groups.len().div_ceil(LANES).max(1)) {
                let (crowd, address, lane) = (self.clone(), address.clone(), lane.to_vec());
                lanes.spawn(async move { crowd.join_one_by_one(&address, &lane).await });
            }
        }
        while let Some(joined) = lanes.join_next().await {
            joined.map_err(|error| error.to_string())??;
        }
        Ok(coordinators)
    }

    /// Where they are coordinated, as the brokers that `bootstrap` knows say.
    ///
    /// # Errors
    ///
    /// What a broker answered instead.
    pub(super) async fn found(&self, bootstrap: &str) -> Result<Coordinators, String> {
        let groups = (0..self.groups).map(|number| format!("{}-{number:05}", self.prefix));
        find(bootstrap, groups.collect()).await
    }

    /// The same, once each of so many brokers coordinates some: one that was away leads nothing until the controller gives it
    /// back what it is to lead.
    ///
    /// # Panics
    ///
    /// When that does not come to be.
    pub(super) async fn spread(&self, bootstrap: &str, brokers: usize) -> Coordinators {
        wait_until("each broker to coordinate groups", async || {
            let found = self.found(bootstrap).await?;
            let leading = found.len();
            (leading == brokers)
                .then_some(found)
                .ok_or_else(|| format!("{leading} of {brokers} do"))
        })
        .await
    }

    async fn join_one_by_one(&self, address: &str, groups: &[String]) -> Result<(), String> {
        let [mut one, mut two, mut three] = [
            connect(address).await?,
            connect(address).await?,
            connect(address).await?,
        ];
        let mut firsts = Vec::with_capacity(groups.len());
        for group in groups {
            let (joined, ..) = tokio::try_join!(
                self.enter(&mut one, group, "", MEMBERS),
                self.enter(&mut two, group, "", MEMBERS),
                self.enter(&mut three, group, "", MEMBERS),
            )?;
            firsts.push(joined);
        }
        for offset in 1..=self.commits {
            for (group, joined) in groups.iter().zip(&firsts) {
                commit(&mut one, group, joined, &self.topic, offset).await?;
            }
        }
        Ok(())
    }

    /// Joins and syncs until the group is stable with so many members, under the id `member` (empty for a newcomer).
    ///
    /// # Errors
    ///
    /// What the broker answered instead.
    pub(super) async fn enter(
        &self,
        socket: &mut TcpStream,
        group: &str,
        member: &str,
        members: usize,
    ) -> Result<Joined, String> {
        let mut member = member.to_owned();
        loop {
            let joining = self.joining(group, &member)?;
            let AnyResponse::JoinGroup(joined) = ask(socket, JOIN, joining.into()).await? else {
                return Err(format!("{group}: another answer than JoinGroup's"));
            };
            match joined.error_code {
                0 => {}
                // The coordinator still loads, or is another one in a moment.
                14..=16 => {
                    pause().await;
                    continue;
                }
                // The group is on its way to the next generation.
                27 => continue,
                code => return Err(format!("{group}: JoinGroup answered {code}")),
            }
            member = joined.member_id;
            let leads = member == joined.leader;
            if leads && joined.members.len() < members {
                // The others are on their way: their joins hold back the answer to the leader's next one.
                continue;
            }
            let mut assignments = Vec::new();
            for (number, other) in (0..).zip(&joined.members) {
                assignments.push(SyncGroupRequestAssignment {
                    member_id: other.member_id.clone(),
                    assignment: self.assignment(number)?,
                });
            }
            let sync = SyncGroupRequest {
                group_id: group.to_owned(),
                generation_id: joined.generation_id,
                member_id: member.clone(),
                assignments,
                ..SyncGroupRequest::default()
            };
            match ask(socket, SYNC, sync.into()).await? {
                AnyResponse::SyncGroup(synced) if synced.error_code == 0 => {
                    let generation = joined.generation_id;
                    return Ok(Joined { member, generation });
                }
                // Another member came: a generation later, or about to be.
                AnyResponse::SyncGroup(synced) if [22, 27].contains(&synced.error_code) => {}
                other => return Err(format!("{group}: SyncGroup answered {other:?}")),
            }
        }
    }

    fn joining(&self, group: &str, member: &str) -> Result<JoinGroupRequest, String> {
        let subscription = ConsumerProtocolSubscription {
            topics: vec![self.topic.clone()],
            ..ConsumerProtocolSubscription::default()
        };
        Ok(JoinGroupRequest {
            group_id: group.to_owned(),
            session_timeout_ms: self.session_ms,
            rebalance_timeout_ms: 60_000,
            member_id: member.to_owned(),
            protocol_type: "consumer".to_owned(),
            protocols: vec![JoinGroupRequestProtocol {
                name: "range".to_owned(),
                metadata: subscription.to_bytes(0).map_err(|error| error.to_string())?,
            }],
            ..JoinGroupRequest::default()
        })
    }

    /// The part of a group's member `number`.
    fn assignment(&self, number: i32) -> Result<Vec<u8>, String> {
        let first = number * PARTITIONS;
        let assignment = ConsumerProtocolAssignment {
            assigned_partitions: vec![consumer::TopicPartition {
                topic: self.topic.clone(),
                partitions: (first..first + PARTITIONS).collect(),
            }],
            user_data: None,
        };
        assignment.to_bytes(0).map_err(|error| error.to_string())
    }
}

/// Commits all partitions of the topic, as soon as the broker is the group's coordinator and has read its log.
///
/// # Errors
///
/// What the broker answered instead.
async fn commit(
    socket: &mut TcpStream,
    group: &str,
    by: &Joined,
    topic: &str,
    offset: i64,
) -> Result<(), String> {
    let partitions = (0..COMMITTED).map(|partition| OffsetCommitRequestPartition {
        partition_index: partition,
        committed_offset: offset,
        ..OffsetCommitRequestPartition::default()
    });
    let request = OffsetCommitRequest {
        group_id: group.to_owned(),
        generation_id_or_member_epoch: by.generation,
        member_id: by.member.clone(),
        topics: vec![OffsetCommitRequestTopic {
            name: topic.to_owned(),
            partitions: partitions.collect(),
            ..OffsetCommitRequestTopic::default()
        }],
        ..OffsetCommitRequest::default()
    };
    let patience = Instant::now() + PATIENCE;
    loop {
        let AnyResponse::OffsetCommit(done) = ask(socket, COMMIT, request.clone().into()).await? else {
            return Err(format!("{group}: another answer than OffsetCommit's"));
        };
        let partitions = done.topics.iter().flat_map(|topic| &topic.partitions);
        let codes = partitions.map(|partition| partition.error_code);
        match codes.filter(|code| *code != 0).min() {
            None => return Ok(()),
            // The coordinator loads, is not there yet, or is about to be this broker.
            Some(14..=16) if Instant::now() < patience => pause().await,
            Some(code) => return Err(format!("{group}: OffsetCommit answered {code}")),
        }
    }
}

/// A connection to a broker.
///
/// # Errors
///
/// It cannot be made.
pub(in crate::bench) async fn connect(address: &str) -> Result<TcpStream, String> {
    let socket = TcpStream::connect(address)
        .await
        .map_err(|error| format!("{address}: {error}"))?;
    socket.set_nodelay(true).map_err(|error| error.to_string())?;
    Ok(socket)
}

async fn pause() {
    interval_at((Instant::now() + PAUSE).into(), PAUSE).tick().await;
}

/// Who coordinates one group, `host:port`.
///
/// # Errors
///
/// What the broker answered instead.
pub(super) async fn coordinator(bootstrap: &str, group: &str) -> Result<String, String> {
    let found = find(bootstrap, vec![group.to_owned()]).await?;
    let first = found.into_values().next();
    first
        .map(|coordinator| coordinator.address)
        .ok_or_else(|| format!("{group}: no coordinator"))
}

/// Who coordinates each group. The first question makes fresh brokers create their offsets log.
async fn find(bootstrap: &str, groups: Vec<String>) -> Result<Coordinators, String> {
    let mut socket = connect(bootstrap).await?;
    let mut coordinators = Coordinators::new();
    let patience = Instant::now() + PATIENCE;
    for batch in groups.chunks(BATCH) {
        loop {
            let request = FindCoordinatorRequest {
                coordinator_keys: batch.to_vec(),
                ..FindCoordinatorRequest::default()
            };
            let AnyResponse::FindCoordinator(found) = ask(&mut socket, FIND, request.into()).await? else {
                return Err("another answer than FindCoordinator's".to_owned());
            };
            if let Some(missing) = found.coordinators.iter().find(|found| found.error_code != 0) {
                if Instant::now() > patience {
                    return Err(format!("FindCoordinator answered {}", missing.error_code));
                }
                pause().await;
                continue;
            }
            for found in found.coordinators {
                let known = coordinators.entry(found.node_id).or_default();
                known.address = format!("{}:{}", found.host, found.port);
                known.groups.push(found.key);
            }
            break;
        }
    }
    Ok(coordinators)
}
