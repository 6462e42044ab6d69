//! Every fault as somebody asks for it, with members of ours that meet it: in memory, in paused time.

mod cluster;
mod coordinator;
mod members;
mod said;
mod together;
mod told;

use serde_json::{Value, json};
use shared::event::{Change, Observation};
use shared::ids::GroupId;
use shared::member::Config;
use shared::rules::Rules;
use shared::time::{Millis, UnixMs};
use tokio::sync::mpsc;
use tokio::time::{Duration, timeout};

use super::*;
use crate::clock::Clock;
use crate::coordinator::config;
use crate::coordinator::topics::Topics;
use crate::embedded::{Embedded, EmbeddedConfig};
use crate::hub::Reporter;
use crate::probe::ProbeConfig;
use crate::world::World;

/// In virtual time: longer than any fault of these tests and all that follows from it.
const PATIENCE: Duration = Duration::from_secs(900);

/// A coordinator, members of ours in the group `demo`, and what both report.
struct Stage {
    coordinator: EmbeddedHandle,
    members: Probes,
    reports: mpsc::Receiver<Observation>,
    /// What was reported since the start, or since [`Self::forget`].
    seen: Vec<Value>,
}

impl Stage {
    /// So many members in generation 1 or later, all of them beating.
    async fn with(members: u32) -> Self {
        let clock = Clock::starting_at(UnixMs(1_764_417_600_000));
        let world = World::in_memory(clock, 7);
        let (reporter, reports) = Reporter::channel(65_536);
        let config = EmbeddedConfig {
            listen: "127.0.0.1:9092".parse().unwrap(),
            topics: Topics::parse("demo:6").unwrap(),
            coordinator: config::Config::from_settings(["group.initial.rebalance.delay.ms=0"]).unwrap(),
        };
        let coordinator = Embedded::start(config, world.clone(), reporter.clone()).unwrap();
        let mut member = Config::new(GroupId::from("demo"), "demo", Rules::MODERN);
        member.topics = vec!["demo".to_owned()];
        member.heartbeat_interval = Millis(1_000);
        member.session_timeout = Millis(6_000);
        member.rebalance_timeout = Millis(10_000);
        let config = ProbeConfig {
            bootstrap: vec![coordinator.local_addr().into()],
            member,
            members,
            connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
            host: None,
            security: crate::kafka::security::Security::default(),
        };
        let mut stage = Self {
            coordinator,
            members: Probes::start(config, world, reporter).unwrap(),
            reports,
            seen: Vec::new(),
        };
        stage.all_beat(members).await;
        stage
    }

    /// Asks for a fault as POST /api/faults does.
    async fn try_to_play(&self, fault: Value) -> Result<String, Refused> {
        let fault = read(fault.to_string().as_bytes()).map_err(Refused::Value)?;
        play(fault, &self.coordinator, Some(&self.members)).await
    }

    /// Plays a fault, forgets what was before it, and sees it name itself.
    async fn play(&mut self, fault: Value) -> String {
        self.forget();
        let name = fault["fault"].clone();
        let played = self.try_to_play(fault).await.unwrap();
        self.until("it names itself", |event| {
            (event["kind"] == "fault_played" && event["fault"]["fault"] == name).then_some(())
        })
        .await;
        played
    }

    fn forget(&mut self) {
        while let Ok(report) = self.reports.try_recv() {
            drop(report);
        }
        self.seen.clear();
    }

    /// Takes reports until one is what is looked for; those before it are looked at too.
    async fn until<T>(&mut self, what: &str, found: impl Fn(&Value) -> Option<T>) -> T {
        if let Some(found) = self.seen.iter().find_map(&found) {
            return found;
        }
        let search = async {
            loop {
                let event = flat(&self.reports.recv().await.expect("all run"));
                let found = found(&event);
                self.seen.push(event);
                if let Some(found) = found {
                    return found;
                }
            }
        };
        let Ok(found) = timeout(PATIENCE, search).await else {
            let told = self.seen.iter().filter(|event| !is_good_beat(event));
            let told: Vec<String> = told.map(Value::to_string).collect();
            panic!("waited until {what}; seen:\n{}", told.join("\n"));
        };
        found
    }

    /// The next event of a kind with these fields, of those not looked at yet.
    async fn next(&mut self, wanted: Value) -> Value {
        let what = wanted.to_string();
        let event = self
            .until(&what, |event| has(event, &wanted).then(|| event.clone()))
            .await;
        let at = self.seen.iter().position(|seen| *seen == event);
        self.seen.drain(..=at.unwrap_or(0));
        event
    }

    /// How often such an event was seen.
    fn count(&self, wanted: &Value) -> usize {
        self.seen.iter().filter(|event| has(event, wanted)).count()
    }

    /// Waits until so many different members were answered 0 in one generation, and gives it.
    async fn all_beat(&mut self, members: u32) -> i64 {
        self.forget();
        let mut beats = std::collections::BTreeMap::<i64, std::collections::BTreeSet<String>>::new();
        loop {
            let beat = self
                .next(json!({"kind": "heartbeat_answered", "error": 0, "group": "demo"}))
                .await;
            let generation = beat["generation"].as_i64().unwrap();
            let who = beats.entry(generation).or_default();
            who.insert(beat["member"].as_str().unwrap().to_owned());
            if who.len() >= members as usize {
                return generation;
            }
        }
    }

    /// The member id behind a client id.
    async fn member_id(&mut self, client_id: &str) -> String {
        let beat = self.until("it beats", |event| {
            let member = event["member"].as_str()?;
            (is_good_beat(event) && member.starts_with(&format!("{client_id}-"))).then(|| member.to_owned())
        });
        beat.await
    }

    /// Takes reports for so long.
    async fn pass(&mut self, seconds: u64) {
        let _over = timeout(Duration::from_secs(seconds), async {
            while let Some(report) = self.reports.recv().await {
                self.seen.push(flat(&report));
            }
        })
        .await;
    }
}

/// An event as JSON, what it carries beside whom it is about.
fn flat(report: &Observation) -> Value {
    let mut event = serde_json::to_value(&report.change).unwrap();
    let outer = json!({
        "at": report.at.0,
        "source": report.source,
        "group": report.group,
        "member": report.member,
    });
    for (name, value) in outer.as_object().unwrap() {
        event[name] = value.clone();
    }
    if let Change::FaultPlayed { fault } = &report.change {
        event["fault"] = serde_json::to_value(fault).unwrap();
    }
    event
}

fn is_good_beat(event: &Value) -> bool {
    event["error"] == 0 && (event["kind"] == "heartbeat_answered" || event["kind"] == "heartbeat_received")
}

/// Whether an event has all these fields.
fn has(event: &Value, wanted: &Value) -> bool {
    wanted
        .as_object()
        .unwrap()
        .iter()
        .all(|(name, value)| event[name] == *value)
}
