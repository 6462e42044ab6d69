//! A run of the property tests: it carries out the steps, keeps what was said and checks what must hold.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::event::Change;
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{AnyRequest, AnyResponse, DescribeGroupsRequest, ListGroupsRequest};

use super::requests::name;
use super::{Log, Step};
use crate::coordinator::offsets_log::partition_of;
use crate::coordinator::*;

/// The broker that the coordinator is.
const HERE: NodeId = NodeId(1);

/// A run: the coordinator, what it was asked and what it said.
pub(super) struct Run {
    pub(super) coordinator: Coordinator,
    pub(super) now: Timestamp,
    pub(super) asked: u64,
    pub(super) answers: BTreeMap<Ticket, AnyResponse>,
    pub(super) told: Vec<Observed>,
    pub(super) ids: Vec<String>,
    mood: Log,
    /// Appends that the log has not answered for.
    appends: VecDeque<(AppendId, i32, Vec<OffsetsRecord>)>,
    /// What it has, by partition.
    log: BTreeMap<i32, Vec<OffsetsRecord>>,
    generations: BTreeMap<GroupId, i32>,
}

impl Run {
    fn new() -> Self {
        let settings = [
            "group.min.session.timeout.ms=1",
            "group.max.size=4",
            "offsets.retention.minutes=10",
        ];
        let topics = Arc::new(Topics::parse("demo:2").unwrap());
        Self {
            coordinator: Coordinator::new(Config::from_settings(settings).unwrap(), topics, 7),
            now: Timestamp::from_millis(1),
            asked: 0,
            answers: BTreeMap::new(),
            told: Vec::new(),
            ids: vec!["a stranger".into()],
            mood: Log::Keeps,
            appends: VecDeque::new(),
            log: BTreeMap::new(),
            generations: BTreeMap::new(),
        }
    }

    pub(super) fn of(steps: &[Step]) -> Self {
        let mut run = Self::new();
        for step in steps {
            run.take(step);
            run.check();
        }
        run
    }

    pub(super) fn input(&mut self, now: Timestamp, input: Input<'_>) {
        self.now = now;
        self.coordinator.handle(now, input);
        self.listen();
        self.settle();
    }

    /// The log answers for what it was given, in order.
    fn settle(&mut self) {
        while self.mood != Log::Waits
            && let Some((append, partition, records)) = self.appends.pop_front()
        {
            let result = if self.mood == Log::Keeps {
                self.log.entry(partition).or_default().extend(records);
                Ok(())
            } else {
                Err(shared::error_code::NOT_ENOUGH_REPLICAS)
            };
            self.coordinator
                .handle(self.now, Input::Appended { append, result });
            self.listen();
        }
    }

    fn listen(&mut self) {
        while let Some(output) = self.coordinator.poll() {
            match output {
                Output::Reply { ticket, response } => {
                    if let AnyResponse::JoinGroup(answer) = &response
                        && !answer.member_id.is_empty()
                        && !self.ids.contains(&answer.member_id)
                    {
                        self.ids.push(answer.member_id.clone());
                    }
                    let before = self.answers.insert(ticket, response);
                    assert!(before.is_none(), "{ticket:?} was answered twice");
                }
                Output::Observed(observed) => self.told.push(observed),
                Output::Append {
                    append,
                    partition,
                    records,
                } => self.appends.push_back((append, partition, records)),
            }
        }
    }

    fn ask(&mut self, version: i16, request: impl Into<AnyRequest>) {
        self.asked += 1;
        let from = Origin {
            client_id: "client",
            host: "/127.0.0.1",
        };
        let call = Call {
            ticket: Ticket(self.asked),
            version,
            from,
        };
        self.input(self.now, Input::Request(call, request.into()));
    }

    pub(super) fn wait(&mut self, ms: u64) {
        let until = self.now + Millis(ms);
        while let Some(due) = self.coordinator.deadline().filter(|due| *due <= until) {
            self.input(due, Input::Tick);
        }
        self.input(until, Input::Tick);
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Join(who, terms) => self.ask(terms.version, self.joining(who, terms)),
            Step::Sync(who, off) => self.ask(4, self.syncing(who, off)),
            Step::Beat(who, off) => self.ask(4, self.beating(who, off)),
            Step::Leave(who) => self.ask(5, self.leaving(who)),
            Step::Commit(who, off, note) => self.ask(9, self.committing(who, off, note)),
            Step::RejoinAll { group, but } => {
                for request in self.rejoining(group, but) {
                    self.ask(9, request);
                }
            }
            Step::SyncAll { group, but } => {
                for request in self.all_syncing(group, but) {
                    self.ask(4, request);
                }
            }
            Step::Look { group } => {
                self.ask(
                    6,
                    DescribeGroupsRequest {
                        groups: vec![name(group)],
                        ..Default::default()
                    },
                );
                self.ask(5, ListGroupsRequest::default());
            }
            Step::Wait { ms, at_once: true } => self.input(self.now + Millis(ms), Input::Tick),
            Step::Wait { ms, at_once: false } => self.wait(ms),
            Step::Freeze => self.input(self.now, Input::Freeze),
            Step::Thaw => self.input(self.now, Input::Thaw),
            Step::Log(mood) => {
                self.mood = mood;
                self.settle();
            }
            Step::Unload { group } => {
                let partition = partition_of(&name(group));
                self.moves(Input::Unload {
                    node: HERE,
                    partition,
                });
            }
            Step::LoadBegins { group } => {
                let partition = partition_of(&name(group));
                self.moves(Input::LoadBegins {
                    node: HERE,
                    partition,
                });
            }
            Step::Load { group } => self.load(group),
        }
    }

    /// A group that goes and comes back begins anew, where the log left it.
    fn moves(&mut self, input: Input<'_>) {
        self.generations.clear();
        self.input(self.now, input);
    }

    fn load(&mut self, group: u8) {
        let partition = partition_of(&name(group));
        let records = self.log.get(&partition).cloned().unwrap_or_default();
        self.moves(Input::Loaded {
            node: HERE,
            partition,
            records,
        });
    }

    fn check(&mut self) {
        let waiting: Vec<Ticket> = (1..=self.asked)
            .map(Ticket)
            .filter(|ticket| !self.answers.contains_key(ticket))
            .collect();
        let parked = self.coordinator.check_invariants();
        assert_eq!(waiting, parked, "what is not answered is parked");
        for (id, generation) in self.coordinator.generations() {
            let before = self.generations.insert(id.clone(), generation).unwrap_or(0);
            assert!(
                generation >= before,
                "{id}: from generation {before} to {generation}"
            );
        }
        let groups = &self.coordinator.groups;
        self.generations.retain(|id, _| groups.contains_key(id));
    }

    /// No timeout is longer than `i32::MAX` milliseconds; after all of them nobody is left and nothing waits.
    pub(super) fn end(&mut self) {
        self.mood = Log::Keeps;
        self.settle();
        self.load(0);
        self.load(1);
        self.input(self.now, Input::Thaw);
        for _ in 0..8 {
            self.wait(i32::MAX as u64);
            self.check();
        }
        assert_eq!(self.answers.len() as u64, self.asked);
        assert!(self.coordinator.groups.is_empty());
        assert_eq!(self.coordinator.deadline(), None);
        self.check_story();
    }

    /// Started and finished alternate in each group, and what finishes is above what it came from.
    fn check_story(&self) {
        let mut open: BTreeMap<&GroupId, i32> = BTreeMap::new();
        for Observed { group, change, .. } in &self.told {
            match change {
                Change::RebalanceStarted { from_generation, .. } => {
                    assert_eq!(open.insert(group, from_generation.unwrap().0), None);
                }
                Change::GroupUnloaded { .. } => drop(open.remove(group)),
                Change::RebalanceFinished(told) => {
                    let from = open.remove(group).expect("what finishes was started");
                    assert_eq!(told.from_generation.unwrap().0, from);
                    let formed = i32::try_from(told.abandoned).unwrap() + 1;
                    assert_eq!(told.generation.0, from + formed, "{told:?}");
                    let phases = told.join_ms.unwrap() + told.sync_ms.unwrap_or(0);
                    assert!(told.took_ms.unwrap() - phases <= 1, "{told:?}");
                }
                _ => {}
            }
        }
    }
}
