//! A scenario played in a test: the same coordinator, members, hub and board as live, in memory and in virtual time.

use std::sync::Arc;

use shared::board::{Board, Group};
use shared::event::{Change, Event};
use shared::health::{self, Finding, Verdict};
use shared::ids::GroupId;
use shared::time::{Millis, UnixMs};

use crate::clock::Clock;
use crate::embedded::{Embedded, EmbeddedConfig};
use crate::faults::FaultDesk;
use crate::hub::{self, Hub};
use crate::kafka::address::Address;
use crate::probe::Probes;
use crate::scenario::{Scenario, Stage, Staged};
use crate::world::World;

/// The time of day at which every play starts.
const START: UnixMs = UnixMs(1_764_417_600_000);
/// How often a play looks whether what is awaited is there.
const LOOK: Millis = Millis(100);
/// How long what is awaited may take: longer than any session, rebalance or retention.
const PATIENCE: Millis = Millis(24 * 3_600_000);
/// Where the coordinator listens.
const COORDINATOR: &str = "10.0.0.1:9092";

/// A scenario to be played. `#[tokio::test(start_paused = true)]` is needed: nothing here waits for real.
pub(in crate::scenario) struct Play {
    name: &'static str,
    given: Vec<(String, String)>,
    seed: u64,
}

impl Play {
    /// The scenario of that name.
    pub(in crate::scenario) const fn of(name: &'static str) -> Self {
        Self {
            name,
            given: Vec::new(),
            seed: 1,
        }
    }

    /// Another value for a parameter.
    #[expect(clippy::needless_pass_by_value, reason = "callers give numbers and literals")]
    pub(in crate::scenario) fn set(mut self, parameter: &str, value: impl ToString) -> Self {
        self.given.push((parameter.to_owned(), value.to_string()));
        self
    }

    /// Begins.
    pub(in crate::scenario) async fn start(self) -> Playing {
        let scenario = Scenario::named(self.name, &self.given).unwrap();
        let world = World::in_memory(Clock::starting_at(START), self.seed);
        let clock = world.clock;
        let (reporter, hub) = hub::start(clock);
        let config = EmbeddedConfig {
            listen: COORDINATOR.parse().unwrap(),
            topics: scenario.topics.clone(),
            coordinator: scenario.settings.clone(),
        };
        let coordinator = Embedded::start(config, world.clone(), reporter.clone()).unwrap();
        let address = Address::from(coordinator.local_addr());
        let probes = Arc::new(Probes::idle(world.clone(), reporter.clone()));
        let (desk, mut orders) = FaultDesk::open();
        let stage = Stage {
            scenario,
            world,
            hub: hub.clone(),
            desk,
            probes: Arc::clone(&probes),
            reporter,
            coordinator: address,
        };
        let staged = stage.play();
        tokio::spawn(async move {
            while let Some(order) = orders.recv().await {
                order.play(&coordinator, Some(&probes)).await;
            }
        });
        Playing {
            clock,
            hub,
            staged,
            events: Vec::new(),
            seen: 0,
        }
    }
}

/// A scenario that is played.
pub(in crate::scenario) struct Playing {
    clock: Clock,
    hub: Hub,
    staged: Staged,
    events: Vec<Arc<Event>>,
    seen: u64,
}

/// What there is to see at a moment.
pub(in crate::scenario) struct Scene {
    pub(in crate::scenario) board: Board,
    pub(in crate::scenario) now: UnixMs,
    /// All that happened so far, but for single heartbeats of long ago.
    pub(in crate::scenario) events: Vec<Arc<Event>>,
}

impl Playing {
    /// The scene this long after the start.
    pub(in crate::scenario) async fn at(&mut self, since: Millis) -> Scene {
        let due = UnixMs(START.0 + since.0);
        let now = self.clock.now_unix();
        assert!(now <= due, "{} is past: it is {}", since.0, now.since(START).0);
        self.pass(due.since(now)).await
    }

    /// The scene after this long.
    pub(in crate::scenario) async fn pass(&mut self, wait: Millis) -> Scene {
        let due = UnixMs(self.clock.now_unix().0 + wait.0);
        // In steps, so that no event is forgotten before it is looked at.
        while self.clock.now_unix() < due {
            let left = due.since(self.clock.now_unix());
            self.clock.wait(left.min(Millis(60_000))).await;
            self.look().await;
        }
        self.scene().await
    }

    /// The first scene of which this is true.
    pub(in crate::scenario) async fn until(&mut self, is_there: impl Fn(&Scene) -> bool) -> Scene {
        let give_up = UnixMs(self.clock.now_unix().0 + PATIENCE.0);
        loop {
            let scene = self.scene().await;
            if is_there(&scene) {
                return scene;
            }
            assert!(scene.now < give_up, "never came: {scene}");
            self.clock.wait(LOOK).await;
        }
    }

    async fn look(&mut self) {
        loop {
            let page = self.hub.events(self.seen, usize::MAX).await.unwrap();
            let Some(last) = page.events.last() else {
                return;
            };
            self.seen = last.event.seq;
            let new = page
                .events
                .iter()
                .map(|numbered| Arc::new(numbered.event.clone()));
            self.events.extend(new);
        }
    }

    async fn scene(&mut self) -> Scene {
        // What happens at this very moment may still be on its way: the events and the board are of one state.
        let board = loop {
            self.look().await;
            let board = self.hub.board().await.unwrap().board;
            if board.seq == self.seen {
                break board;
            }
        };
        let failures = self.staged.failures();
        assert!(failures.is_empty(), "{failures:#?}");
        Scene {
            board,
            now: self.clock.now_unix(),
            events: self.events.clone(),
        }
    }
}

impl Scene {
    /// How long after the start it is.
    pub(in crate::scenario) fn since(&self) -> Millis {
        self.now.since(START)
    }

    /// How long after the start something happened.
    pub(in crate::scenario) fn since_start(&self, at: UnixMs) -> Millis {
        at.since(START)
    }

    /// The group, where the board has it.
    pub(in crate::scenario) fn group(&self, id: &str) -> Option<&Arc<Group>> {
        self.board.groups().find(|group| group.key.group.as_str() == id)
    }

    /// What is said of a group, the worst first; nothing of one that is not there.
    pub(in crate::scenario) fn findings(&self, group: &str) -> Vec<Finding> {
        self.group(group)
            .map_or_else(Vec::new, |group| health::verdicts(&self.board, group, self.now))
    }

    /// Whether a verdict is said of a group.
    pub(in crate::scenario) fn has(&self, group: &str, verdict: Verdict) -> bool {
        self.findings(group)
            .iter()
            .any(|finding| finding.verdict == verdict)
    }

    /// What a verdict says of a group.
    pub(in crate::scenario) fn finding(&self, group: &str, verdict: Verdict) -> Finding {
        let found = self
            .findings(group)
            .into_iter()
            .find(|finding| finding.verdict == verdict);
        found.unwrap_or_else(|| panic!("no {verdict}: {self}"))
    }

    /// The events of a kind in a group, in order.
    pub(in crate::scenario) fn events<'a>(
        &'a self,
        group: &'a str,
        kind: &'a str,
    ) -> impl DoubleEndedIterator<Item = &'a Event> {
        assert!(Change::KINDS.contains(&kind), "no event is of the kind {kind}");
        let is_of_group = move |of: &GroupId| of.as_str() == group;
        self.events
            .iter()
            .map(|event| &**event)
            .filter(move |event| event.what.group.as_ref().is_some_and(is_of_group))
            .filter(move |event| event.what.change.kind() == kind)
    }
}

/// For whoever reads why a test failed: what is said now, and the last that happened.
impl std::fmt::Display for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} ms after the start", self.since().0)?;
        for group in self.board.groups() {
            let group = group.key.group.as_str();
            for finding in self.findings(group) {
                writeln!(
                    f,
                    "  {group:?}: {}: {} ({})",
                    finding.verdict, finding.sentence, finding.evidence
                )?;
            }
        }
        let told = self.events.iter().filter(|event| {
            let change = &event.what.change;
            !change.is_single_beat() && !matches!(change, Change::HeartbeatsSummarised(_))
        });
        for event in told.rev().take(40).collect::<Vec<_>>().into_iter().rev() {
            let at = event.what.at.since(START).0;
            let member = event.what.member.as_ref().map_or("", |member| member.as_str());
            writeln!(f, "  {at:>9} {member} {:?}", event.what.change)?;
        }
        Ok(())
    }
}
