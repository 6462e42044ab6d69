//! A scenario on its stage: the player's cues carried out over real connections, what happens told to the player.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};

use shared::time::{Millis, Timestamp};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep_until;

use super::client::Client;
use super::file::{Action, Asking, Scenario};
use super::frames::ClientRow;
use super::members::Members;
use super::player::{Cue, Input, PartId, Player};
use crate::faults::FaultDesk;
use crate::hub::{Hub, Reporter};
use crate::kafka::address::Address;
use crate::kafka::connection::Dialer;
use crate::network::Network;
use crate::probe::{ProbeConfig, Probes};
use crate::world::World;

/// How long a client's connection may take to come about, and a broker to tell its versions.
const CONNECT: Millis = ProbeConfig::CONNECT_TIMEOUT;

/// What a scenario is played on.
#[derive(Debug)]
pub struct Stage {
    pub scenario: Scenario,
    pub world: World,
    pub hub: Hub,
    /// Where the scenario's faults are played.
    pub desk: FaultDesk,
    /// Where its members of ours are hired.
    pub probes: Arc<Probes>,
    pub reporter: Reporter,
    /// The coordinator.
    pub coordinator: Address,
}

/// A scenario that is being played. Dropping it ends it: its clients' connections are cut.
#[derive(Debug)]
pub struct Staged {
    task: JoinHandle<()>,
    failures: Arc<Mutex<Vec<String>>>,
}

impl Staged {
    /// What could not be played, in order: a fault that was refused, a frame that was not answered where nobody ends a
    /// repetition by that.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.clone()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Stage {
    /// Begins to play.
    #[must_use]
    pub fn play(self) -> Staged {
        let failures = Arc::default();
        let task = tokio::spawn(run(self, Arc::clone(&failures)));
        Staged { task, failures }
    }

    /// A client's or a member's host as this network can have it. Over TCP on Linux every address of 127.0.0.0/8 is this
    /// machine's, so the coordinator sees the hosts apart; elsewhere all come from one.
    fn host(&self, told: Option<IpAddr>) -> Option<IpAddr> {
        match (&self.world.network, told) {
            (Network::Memory(_), host) => host,
            (Network::Tcp, Some(IpAddr::V4(host))) if cfg!(target_os = "linux") => {
                let [_, b, c, d] = host.octets();
                Some(IpAddr::V4(Ipv4Addr::new(127, b, c, d)))
            }
            (Network::Tcp, _) => None,
        }
    }

    fn client(&self, told: &Arc<ClientRow>, partitions: &Arc<BTreeMap<String, u32>>) -> Client {
        let dialer = Dialer::new(self.world.clone(), self.reporter.clone(), CONNECT, CONNECT);
        Client::new(
            Arc::clone(told),
            Arc::clone(partitions),
            dialer.from_host(self.host(told.host)),
            self.world.clock,
            self.coordinator.clone(),
        )
    }
}

/// A cue that was carried out.
struct Carried {
    part: PartId,
    /// Its client, back from its request.
    client: Option<Box<Client>>,
    error: Option<i16>,
    failed: Option<String>,
}

/// The clients that are not on an errand, by part.
type Clients = BTreeMap<PartId, Box<Client>>;

async fn run(stage: Stage, failures: Arc<Mutex<Vec<String>>>) {
    let clock = stage.world.clock;
    let Some(mut subscription) = stage.hub.subscribe(None).await else {
        return;
    };
    say_begin(&stage);
    let fail = |what: String| {
        tracing::error!("scenario {}: {what}", stage.scenario.name);
        failures.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    };
    let mut clients = clients(&stage);
    let mut player = Player::new(&stage.scenario.parts, clock.now());
    let mut errands = JoinSet::new();
    let mut is_over = false;
    loop {
        while let Some(cue) = player.poll() {
            let client = clients.remove(&cue.part);
            let desk = stage.desk.clone();
            match start(&stage, &cue) {
                Ok(()) => drop(errands.spawn(carry_out(cue, client, desk))),
                Err(what) => fail(format!("{}: {what}", place(&stage, cue.part))),
            }
        }
        if player.is_over() && !is_over {
            is_over = true;
            tracing::info!("scenario {}: played to its end", stage.scenario.name);
        }
        let due = player.deadline();
        tokio::select! {
            range = subscription.ranges.recv() => match range {
                Ok(range) => for event in &range.events {
                    player.handle(clock.now(), Input::Event(&event.event));
                },
                Err(RecvError::Lagged(missed)) => fail(format!("{missed} ranges of events were missed")),
                Err(RecvError::Closed) => return,
            },
            Some(carried) = errands.join_next() => match carried {
                Ok(Carried { part, client, error, failed }) => {
                    clients.extend(client.map(|client| (part, client)));
                    if let Some(what) = failed {
                        fail(format!("{}: {what}", place(&stage, part)));
                    }
                    player.handle(clock.now(), Input::Done { part, error });
                }
                Err(error) => fail(format!("a cue broke: {error}")),
            },
            () = until(&stage, due) => player.handle(clock.now(), Input::Tick),
        }
    }
}

fn clients(stage: &Stage) -> Clients {
    let partitions = stage.scenario.topics.iter().filter_map(|(name, topic)| {
        let count = u32::try_from(topic.partitions).ok()?;
        Some((name.to_owned(), count))
    });
    let partitions = Arc::new(partitions.collect());
    let parts = stage.scenario.parts.iter().enumerate();
    let clients = parts.filter_map(|(at, part)| {
        let told = part.client.as_ref()?;
        Some((PartId(at), Box::new(stage.client(told, &partitions))))
    });
    clients.collect()
}

fn place(stage: &Stage, part: PartId) -> &str {
    stage.scenario.parts.get(part.0).map_or("", |part| &part.place)
}

/// What of a cue is done here and now: members are hired.
fn start(stage: &Stage, cue: &Cue) -> Result<(), String> {
    let Action::Start(members) = &cue.action else {
        return Ok(());
    };
    let mut config = Members::config(members);
    config.bootstrap = vec![stage.coordinator.clone()];
    config.host = stage.host(config.host);
    stage
        .probes
        .hire(config)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// What of a cue takes its time.
async fn carry_out(cue: Cue, client: Option<Box<Client>>, desk: FaultDesk) -> Carried {
    let Cue { part, action } = cue;
    let mut carried = Carried {
        part,
        client,
        error: None,
        failed: None,
    };
    match action {
        Action::Pass | Action::Start(_) => {}
        Action::Fault(fault) => {
            let name = fault.name();
            carried.failed = desk.play(fault).await.err().map(|why| format!("{name}: {why}"));
        }
        Action::Disconnect => {
            if let Some(client) = &mut carried.client {
                client.disconnect();
            }
        }
        Action::Ask(asking) => ask(&mut carried, &asking).await,
    }
    carried
}

async fn ask(carried: &mut Carried, asking: &Asking) {
    // A part that asks has a client, or its file had been refused.
    let Some(client) = &mut carried.client else {
        return;
    };
    match client.ask(asking).await {
        Ok(code) => carried.error = code,
        // Being left without an answer is what many incidents are about.
        Err(why) => tracing::debug!("scenario: {} came to nothing: {why}", asking.frame.key().name()),
    }
}

fn say_begin(stage: &Stage) {
    let Scenario {
        name, title, speed, ..
    } = &stage.scenario;
    tracing::info!("scenario {name}, {speed} times faster than life: {title}");
    if matches!(stage.world.network, Network::Tcp) && !cfg!(target_os = "linux") {
        tracing::warn!(
            "scenario {name}: all clients come from one host, since this system has one loopback address"
        );
    }
}

async fn until(stage: &Stage, due: Option<Timestamp>) {
    match due {
        Some(due) => sleep_until(stage.world.clock.instant(due).into()).await,
        None => std::future::pending().await,
    }
}
