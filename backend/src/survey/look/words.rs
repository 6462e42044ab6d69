//! What a description says of a member beside its partitions: kept as it came, and read only where it is news.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use shared::event::{RawBytes, Subscription, TaskRoom, Tasks, TopicPartitions, Work};
use shared::protocol::assignment::{MemberAssignment, MemberMetadata, Opaque};
use shared::protocol::connect::{ConnectAssignment, ConnectWorkerState, ConnectorTasks};
use shared::protocol::streams_group_describe::{Assignment, TaskIds};

/// As it came.
#[derive(Clone, Debug, PartialEq)]
pub enum Words {
    /// Of a classic group: bytes that only its protocol type says how to read.
    Classic {
        /// That.
        protocol_type: Arc<str>,
        /// What the member told on joining; empty where that is not told now.
        metadata: Vec<u8>,
        /// What its leader gave it; empty where that is not told now.
        assignment: Vec<u8>,
    },
    /// Of a consumer group (KIP-848) or a share group.
    Topics {
        /// What it subscribes to.
        topics: Vec<String>,
        /// The same as a regular expression.
        regex: Option<String>,
    },
    /// Of a streams group.
    Streams {
        /// Its process.
        process: String,
        /// The topology it computes.
        topology_epoch: i32,
        /// Its tasks.
        assignment: Assignment,
    },
}

/// What of it was told last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// A print of the words; 0 before the first.
    print: u64,
    /// Whether they said anything.
    said: bool,
}

/// What the words say once they are read.
#[derive(Debug, Default)]
pub(in crate::survey) struct Read {
    pub(in crate::survey) described: shared::event::Described,
    /// Where the member stands, as a classic consumer tells it.
    pub(in crate::survey) rack: Option<String>,
}

impl Words {
    /// Whether anything is told at all: outside Stable a coordinator leaves it out.
    pub(super) const fn is_told(&self) -> bool {
        match self {
            Self::Classic {
                metadata, assignment, ..
            } => !metadata.is_empty() || !assignment.is_empty(),
            Self::Topics { .. } | Self::Streams { .. } => true,
        }
    }

    /// What they say, where that is not what was `told` last of a member that has `owned`.
    pub(in crate::survey) fn news(
        &self,
        told: &mut Described,
        owned: Option<&[TopicPartitions]>,
    ) -> Option<Read> {
        let print = self.print(owned);
        if std::mem::replace(&mut told.print, print) == print {
            return None;
        }
        Some(self.read(owned))
    }

    fn print(&self, owned: Option<&[TopicPartitions]>) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::Classic {
                metadata, assignment, ..
            } => (metadata, assignment).hash(&mut hasher),
            Self::Topics { topics, regex } => {
                (topics, regex).hash(&mut hasher);
                for topic in owned.unwrap_or_default() {
                    topic.topic.hash(&mut hasher);
                }
            }
            Self::Streams {
                process,
                topology_epoch,
                assignment,
            } => {
                (process, topology_epoch).hash(&mut hasher);
                for tasks in [
                    &assignment.active_tasks,
                    &assignment.standby_tasks,
                    &assignment.warmup_tasks,
                ] {
                    tasks.len().hash(&mut hasher);
                    for of_one in tasks {
                        (&of_one.subtopology_id, &of_one.partitions).hash(&mut hasher);
                    }
                }
            }
        }
        // 0 is that nothing was told.
        hasher.finish().max(1)
    }

    fn read(&self, owned: Option<&[TopicPartitions]>) -> Read {
        match self {
            Self::Classic {
                protocol_type,
                metadata,
                assignment,
            } => classic(
                protocol_type,
                MemberMetadata::read(protocol_type, metadata),
                MemberAssignment::read(protocol_type, assignment),
                owned,
            ),
            Self::Topics { topics, regex } => {
                let subscription = subscription(topics.clone(), owned, regex.clone(), None);
                Read::of(subscription, None)
            }
            Self::Streams {
                process,
                topology_epoch,
                assignment,
            } => {
                let mut room = TaskRoom::default();
                let mut take = |all: &[TaskIds]| {
                    room.take(all.iter().map(|of_one| Tasks {
                        name: of_one.subtopology_id.clone(),
                        tasks: of_one.partitions.clone(),
                    }))
                };
                let active = take(&assignment.active_tasks);
                let standby = take(&assignment.standby_tasks);
                let warmup = take(&assignment.warmup_tasks);
                let work = Work::Streams {
                    process: process.clone(),
                    topology_epoch: *topology_epoch,
                    active,
                    standby,
                    warmup,
                    unnamed: room.unnamed,
                };
                Read::of(None, Some(work))
            }
        }
    }
}

impl Described {
    /// Whether an event is to tell this: not that there is nothing to say, where nothing was said.
    pub(in crate::survey) fn tells(&mut self, now: &shared::event::Described) -> bool {
        let says = !now.is_empty();
        std::mem::replace(&mut self.said, says) || says
    }
}

impl Read {
    fn of(subscription: Option<Subscription>, work: Option<Work>) -> Self {
        Self {
            described: shared::event::Described { subscription, work },
            rack: None,
        }
    }
}

fn classic(
    protocol_type: &str,
    metadata: Option<MemberMetadata>,
    assignment: Option<MemberAssignment>,
    owned: Option<&[TopicPartitions]>,
) -> Read {
    let (mut worker, mut rack) = (None, None);
    let subscription = match metadata {
        None => None,
        Some(MemberMetadata::Consumer(told)) => {
            rack = told.rack_id;
            let user_data = told.user_data.filter(|bytes| !bytes.is_empty());
            let user_data = user_data.map(|bytes| RawBytes::of(&bytes, bytes.len()));
            subscription(told.topics, owned, None, user_data)
        }
        Some(MemberMetadata::Connect(told)) => {
            worker = Some(told);
            None
        }
        Some(MemberMetadata::Opaque(bytes)) => subscription(Vec::new(), owned, None, Some(raw(&bytes))),
    };
    let work = match assignment {
        None | Some(MemberAssignment::Consumer(_)) => None,
        Some(MemberAssignment::Connect(assignment)) => Some(connect(worker, assignment)),
        Some(MemberAssignment::Opaque(bytes)) => Some(Work::Opaque {
            protocol_type: protocol_type.to_owned(),
            assignment: raw(&bytes),
        }),
    };
    Read {
        rack,
        ..Read::of(subscription, work)
    }
}

/// What a member subscribes to, where that says more than what it owns.
fn subscription(
    mut topics: Vec<String>,
    owned: Option<&[TopicPartitions]>,
    regex: Option<String>,
    user_data: Option<RawBytes>,
) -> Option<Subscription> {
    topics.sort_unstable();
    topics.dedup();
    let has: BTreeSet<&str> = owned.into_iter().flatten().map(|topic| &*topic.topic).collect();
    let plain = topics.iter().all(|topic| has.contains(topic.as_str()));
    if plain && regex.is_none() && user_data.is_none() {
        return None;
    }
    let over = topics.len().saturating_sub(Subscription::NAMED);
    topics.truncate(Subscription::NAMED);
    Some(Subscription {
        topics,
        unnamed: u32::try_from(over).unwrap_or(u32::MAX),
        regex,
        user_data,
    })
}

fn raw(bytes: &Opaque) -> RawBytes {
    RawBytes::of(&bytes.start, bytes.length)
}

/// From Connect's protocol 1 on an assignment tells only what is new (`IncrementalCooperativeAssignor`): what the worker runs is that
/// beside what it ran when it joined, as it told then, without what it must stop.
fn connect(worker: Option<ConnectWorkerState>, assignment: ConnectAssignment) -> Work {
    let ran = worker.as_ref().and_then(|worker| {
        let (_version, ran) = ConnectAssignment::try_read(worker.allocation.as_deref()?).ok()?;
        ran.assignment
    });
    let stopped = assignment.revoked.as_deref().unwrap_or_default();
    let stops = |connector: &str, task: i32| {
        let mut stopped = stopped.iter();
        stopped.any(|of_one| of_one.connector == connector && of_one.tasks.contains(&task))
    };
    let mut runs: BTreeMap<String, BTreeSet<i32>> = BTreeMap::new();
    for of_one in ran.into_iter().flatten() {
        let ConnectorTasks { connector, mut tasks } = of_one;
        tasks.retain(|task| !stops(&connector, *task));
        runs.entry(connector).or_default().extend(tasks);
    }
    for of_one in assignment.assignment.into_iter().flatten() {
        runs.entry(of_one.connector).or_default().extend(of_one.tasks);
    }
    let mut room = TaskRoom::default();
    let runs = room.take(runs.into_iter().map(|(name, tasks)| Tasks {
        name,
        tasks: tasks.into_iter().collect(),
    }));
    let stops = room.take(assignment.revoked.into_iter().flatten().map(|of_one| Tasks {
        name: of_one.connector,
        tasks: of_one.tasks,
    }));
    Work::Connect {
        url: worker.map(|worker| worker.url),
        leader_url: assignment.leader_url,
        runs,
        stops,
        unnamed: room.unnamed,
        delay_ms: u64::try_from(assignment.delay).unwrap_or(0),
    }
}
