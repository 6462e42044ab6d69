//! All our members: the cluster's id first, then a task for each, a new one for each that failed, the end of all.

mod farewell;
mod life;

pub use farewell::Farewell;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use shared::backoff::{Backoff, Jitter};
use shared::error_code;
use shared::ids::{ClusterId, InstanceId};
use shared::member::{Config, End, Fatal};
use shared::time::{Millis, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep_until, timeout};

use self::life::{Life, Replacement, identity_or_order, pauses};
use super::admission::{Admission, Barred, KeptOut};
use super::defects::Deed;
use super::driver::{Driver, Ended};
use super::guests::{Guest, Guests};
use super::identity::Identity;
use super::outlook::Lookout;
use super::refusals::Failure;
use super::roster::{Order, Place, Roster};
use super::{Command, ProbeConfig};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::cluster::Cluster;
use crate::limits;
use crate::survey::port::Coordinators;
use crate::world::{Chance, World};

pub(super) struct Supervisor {
    config: Config,
    cluster: Arc<Cluster>,
    roster: Roster,
    clock: Clock,
    chance: Chance,
    reporter: Reporter,
    /// The cluster's id, once it is known: members wait for it, since every event names it.
    identity: watch::Sender<Option<ClusterId>>,
    /// Where it is told that the group is not theirs to join; none where that is not asked.
    kept_out: Option<KeptOut>,
    /// Whether the group could not be looked at for want of a right.
    unseen: bool,
    /// Who sees the coordinators from outside.
    lookout: Option<watch::Receiver<Coordinators>>,
    running: JoinSet<Life>,
    /// Replacements by when they start; the number keeps those of the same moment apart.
    replacements: BTreeMap<(Timestamp, u64), Replacement>,
    replaced: u64,
    /// By which error a member ended that was told in the log last.
    logged: Option<Fatal>,
    /// The keys of those that run here.
    hired: BTreeSet<u64>,
    pub(super) guests: Guests,
}

impl Supervisor {
    pub(super) fn new(config: ProbeConfig, roster: Roster, world: World, reporter: Reporter) -> Self {
        let (clock, chance) = (world.clock, world.chance.clone());
        Self {
            cluster: Arc::new(config.cluster(world, &reporter)),
            config: config.member,
            roster,
            clock,
            chance,
            reporter,
            identity: watch::Sender::new(None),
            kept_out: None,
            unseen: false,
            lookout: None,
            running: JoinSet::new(),
            replacements: BTreeMap::new(),
            replaced: 0,
            logged: None,
            hired: BTreeSet::new(),
            guests: Guests::default(),
        }
    }

    pub(super) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&self.cluster)
    }

    /// Looks at the group before anybody joins it.
    pub(super) fn looking_first(self, kept_out: Option<KeptOut>) -> Self {
        Self { kept_out, ..self }
    }

    /// Members are told what is seen of their coordinators from outside.
    pub(super) fn told_by(self, lookout: Option<watch::Receiver<Coordinators>>) -> Self {
        Self { lookout, ..self }
    }

    /// The cluster's id, once it is known, and whether the group is free.
    fn identify(&self) -> impl Future<Output = (ClusterId, Result<(), Barred>)> + use<> {
        let (cluster, reporter) = (self.cluster(), self.reporter.clone());
        let identity = Identity::new(Arc::clone(&cluster), &self.config, self.clock, reporter.clone());
        let admission = Admission::new(cluster, &self.config, self.clock, reporter);
        let looks = self.kept_out.is_some();
        async move {
            let id = identity.learn().await;
            let free = if looks { admission.learn(&id).await } else { Ok(()) };
            (id, free)
        }
    }

    /// The members go on, unless the group is one of others.
    fn identified(&mut self, id: ClusterId, free: Result<(), Barred>) {
        match free {
            Ok(()) => {}
            Err(Barred::Unseen) => self.unseen = true,
            Err(Barred::Taken(why)) => {
                let kept_out = self.kept_out.get_or_insert_default();
                return kept_out.because(why);
            }
        }
        self.identity.send_replace(Some(id));
    }

    pub(super) async fn run(mut self, places: Vec<Place>, mut commands: mpsc::Receiver<Command>) {
        self.start(places, None);
        let identify = self.identify();
        tokio::pin!(identify);
        let (mut identified, mut disbanded) = (false, false);
        loop {
            if disbanded {
                self.replacements.clear();
                if self.running.is_empty() {
                    return;
                }
            }
            let next = self.replacements.keys().next().map(|(at, _)| *at);
            let next = next.into_iter().chain(self.guests.next_departure()).min();
            let clock = self.clock;
            let next_due = async {
                match next {
                    Some(at) => sleep_until(clock.instant(at).into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                command = commands.recv() => match command {
                    Some(Command::Start(places)) => self.start(places, None),
                    Some(Command::Host { guests, stay }) => self.host(guests, stay),
                    Some(Command::Disband) => {
                        disbanded = true;
                        let all: Vec<u64> = self.hired.iter().copied().collect();
                        self.roster.order_each(&all, Order::Leave);
                    }
                    Some(Command::Calm) => {
                        self.roster.tell_all(Deed::Behave);
                        self.roster.order_each(&self.guests.all_depart(), Order::Leave);
                    }
                    Some(Command::Shutdown { within, farewell }) => {
                        let _impatient = farewell.send(self.shutdown(within).await);
                        return;
                    }
                    None => return,
                },
                Some(life) = self.running.join_next() => self.life_over(life),
                (id, free) = &mut identify, if !identified => {
                    identified = true;
                    self.identified(id, free);
                }
                () = next_due => {
                    if std::mem::take(&mut self.unseen) {
                        // Who comes now waits for another look: the right may be there, and the group one of others.
                        self.identity.send_replace(None);
                        identify.set(self.identify());
                        identified = false;
                    }
                    self.replace();
                    let departing = self.guests.departing(self.clock.now());
                    self.roster.order_each(&departing, Order::Leave);
                }
            }
        }
    }

    /// Starts members, after one that an error ended where they take its place.
    fn start(&mut self, places: Vec<Place>, after: Option<&(Backoff, Option<Failure>)>) {
        for place in places {
            self.hired.insert(place.key);
            let mut config = self.config.clone();
            config.instance = config
                .instance
                .map(|prefix| InstanceId::from(format!("{}-{}", prefix.as_str(), place.number)));
            let fresh = || (pauses(Jitter::Seeded(place.key)), None);
            let (pauses, before) = after.cloned().unwrap_or_else(fresh);
            let life = self.life(place, config, pauses, before);
            self.running.spawn(life);
        }
    }

    /// Takes in members that are there for a fault only: whatever ends one, nobody replaces it.
    fn host(&mut self, guests: Vec<Guest>, stay: Option<Millis>) {
        let departure = stay.map(|stay| self.clock.now() + stay);
        for Guest {
            place,
            group,
            instance,
            after,
        } in guests
        {
            self.guests.came(place.key, departure);
            let mut config = self.config.clone();
            config.group = group;
            config.instance = instance;
            let life = self.life(place, config, pauses(Jitter::Fixed(0.5)), None);
            let (roster, clock) = (self.roster.clone(), self.clock);
            self.running.spawn(async move {
                if let Some(other) = after {
                    super::guests::until_joined(&roster, &other, clock).await;
                }
                life.await.of_guest()
            });
        }
    }

    /// A whole life of a member, as a future.
    fn life(
        &self,
        mut place: Place,
        mut config: Config,
        pauses: Backoff,
        before: Option<Failure>,
    ) -> impl Future<Output = Life> + use<> {
        config.client_id = place.client_id.to_string();
        place.sit(|seat| {
            seat.group = config.group.clone();
            seat.instance = config.instance.clone();
        });
        let cluster = Arc::clone(&self.cluster);
        let (clock, reporter) = (self.clock, self.reporter.clone());
        let mut identity = self.identity.subscribe();
        let (key, number) = (place.key, place.number);
        let lookout = Lookout::new(self.lookout.clone());
        // Any number will do: it only keeps members from retrying in step.
        let seed = self.chance.number();
        async move {
            let started = clock.now();
            let (ended, failure) = match identity_or_order(&mut identity, &mut place).await {
                Err(order) => (order, None),
                Ok(id) => match Driver::of(config, seed, place, id, cluster, clock, reporter) {
                    Ok(driver) => driver.after(before).told_by(lookout).run().await,
                    Err(ended) => (ended, None),
                },
            };
            Life {
                key,
                number,
                ended,
                failure,
                started,
                pauses,
            }
        }
    }

    /// Plans a replacement for a member that failed: never after 82, since it would fence the other for ever.
    fn life_over(&mut self, life: Result<Life, JoinError>) {
        let now = self.clock.now();
        if let Ok(life) = &life {
            self.hired.remove(&life.key);
        }
        let (number, failure, mut pauses) = match life {
            Ok(Life {
                number,
                ended: Ended::Itself(End::Fatal(fatal)),
                failure,
                started,
                mut pauses,
                ..
            }) => {
                if now.micros_since(started) > limits::REPLACEMENT_MAX.as_micros() {
                    pauses.reset();
                    self.logged = None;
                }
                self.log(&fatal);
                if fatal.code == Some(error_code::FENCED_INSTANCE_ID) {
                    return;
                }
                (Some(number), failure, pauses)
            }
            Ok(Life {
                ended: Ended::Itself(End::Remains { why }),
                ..
            }) => {
                tracing::warn!("a member ended without leaving: {why}");
                return;
            }
            Ok(Life {
                ended: Ended::Itself(End::Left | End::Outside) | Ended::Killed,
                ..
            }) => return,
            Err(error) => {
                tracing::error!("a member's task broke: {error}");
                (None, None, pauses(Jitter::Seeded(self.replaced)))
            }
        };
        let at = now + pauses.delay();
        self.replaced += 1;
        self.replacements.insert(
            (at, self.replaced),
            Replacement {
                number,
                failure,
                pauses,
            },
        );
    }

    /// That an error ended a member: once, however many members it ends and however often, until it is another one.
    fn log(&mut self, fatal: &Fatal) {
        if self.logged.as_ref() != Some(fatal) {
            tracing::warn!(code = fatal.code, "a member failed: {}", fatal.sentence);
            self.logged = Some(fatal.clone());
        }
    }

    fn replace(&mut self) {
        let now = self.clock.now();
        while let Some(entry) = self.replacements.first_entry()
            && entry.key().0 <= now
        {
            let Replacement {
                number,
                failure,
                pauses,
            } = entry.remove();
            let prefix = super::client_id_prefix(&self.config.client_id);
            let place = match number {
                Some(number) => self.roster.enter_again(&prefix, number),
                None => self.roster.enter(&prefix),
            };
            self.start(vec![place], Some(&(pauses, failure)));
        }
    }

    async fn shutdown(&mut self, within: Duration) -> Farewell {
        self.roster.order_all(Order::Leave);
        let mut farewell = Farewell::default();
        let all = async {
            while let Some(life) = self.running.join_next().await {
                match life {
                    Ok(Life {
                        ended: Ended::Itself(End::Left),
                        ..
                    }) => farewell.left += 1,
                    Ok(Life {
                        ended: Ended::Itself(End::Outside),
                        ..
                    }) => {}
                    Ok(_) | Err(_) => farewell.remaining += 1,
                }
            }
        };
        let _cut_short = timeout(within, all).await;
        farewell.remaining += self.running.len();
        farewell
    }
}

#[cfg(test)]
mod tests;
