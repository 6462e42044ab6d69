//! Our own group members: the machine of [`shared::member`], each in a task of its own with its own connection.
//!
//! ```text
//! Probes --orders--> Roster --> Driver (one a member) --> Links --> kafka::Connection
//!    |                            |  ^ outputs and inputs
//!    +--> Supervisor: starts,     |  v
//!         replaces, ends them     |  shared::member::Member
//!                                 +--> Reporter: every event of the machine as an observation
//! ```
//!
//! # Layout
//!
//! - `roster`: names, numbers, orders; `orders`: what members can be told to do
//! - `driver`: one member; `links`: its connections; `outlook`: what others see of its coordinator; `repeats`, `refusals`: what of its events says nothing new; `topic_search`: what it must know to lead
//! - `supervisor`: all of them; `identity`: the cluster they are in; `admission`: whether their group is one they may join
//! - `defects`, `guests`, `stranger`: what goes wrong with them when a fault says so, and who comes for a fault only

mod admission;
mod defects;
mod driver;
mod guests;
mod identity;
mod links;
mod orders;
mod outlook;
mod refusals;
mod repeats;
mod roster;
mod stranger;
mod supervisor;
mod topic_search;

pub use admission::KeptOut;
pub use orders::OrderError;
pub use roster::NoSuchMember;
pub use supervisor::Farewell;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::ids::GroupId;
use shared::member::{Config, ConfigError, Member};
use shared::time::Millis;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};

use crate::hub::Reporter;
use crate::kafka::address::Address;
use crate::kafka::cluster::Cluster;
use crate::kafka::connection::Dialer;
use crate::kafka::security::Security;
use crate::limits;
use crate::survey::port::Coordinators;
use crate::world::World;
use guests::Guest;
use roster::{Place, Roster};
use stranger::Stranger;
use supervisor::Supervisor;

/// Which members, where.
#[derive(Clone, Debug)]
pub struct ProbeConfig {
    /// Where the cluster is asked first; any may be down.
    pub bootstrap: Vec<Address>,
    /// What each member is told. Its client id is what all client ids begin with (`demo`: `demo-1`, `demo-2` ...), and
    /// so is its instance id, where the members are static.
    pub member: Config,
    /// How many to start with.
    pub members: u32,
    /// For a name and a TCP connection together.
    pub connect_timeout: Millis,
    /// Where their connections come from; none: wherever the system likes.
    pub host: Option<IpAddr>,
    /// How their connections are secured.
    pub security: Security,
}

impl ProbeConfig {
    /// Kafka's `socket.connection.setup.timeout.ms`.
    pub const CONNECT_TIMEOUT: Millis = Millis(10_000);

    /// The cluster behind all this, not asked anything yet.
    #[must_use]
    pub fn cluster(&self, world: impl Into<World>, reporter: &Reporter) -> Cluster {
        let timeout = self.member.request_timeout;
        let dialer = Dialer::new(world, reporter.clone(), self.connect_timeout, timeout)
            .from_host(self.host)
            .secured(self.security.clone());
        Cluster::new(self.bootstrap.clone(), dialer, timeout)
    }
}

/// Members that would be too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{asked} members beside {running} (allowed: {} in all)", limits::MEMBERS)]
pub struct TooManyMembers {
    /// How many were asked for.
    pub asked: u32,
    /// How many run.
    pub running: usize,
}

/// Why members were not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddError {
    /// Too many.
    #[error(transparent)]
    TooMany(#[from] TooManyMembers),
    /// They are told as those before them, and there are none.
    #[error("no member of ours has been started yet that others could be added to")]
    Nobody,
}

/// Why members were not started.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartError {
    /// What they are told makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Too many.
    #[error(transparent)]
    TooMany(#[from] TooManyMembers),
    /// [`Probes::shutdown`] was called.
    #[error("the members are leaving: nobody is started any more")]
    Leaving,
}

/// The members of ours, in sets that are told alike. Dropping it cuts all their sockets, as the end of the process would.
#[derive(Debug)]
pub struct Probes {
    roster: Roster,
    world: World,
    /// Who sees the coordinators from outside; none where nobody does.
    lookout: Option<watch::Receiver<Coordinators>>,
    /// None from the shutdown on: then nobody is hired any more, and nobody keeps the hub from ending.
    crew: Mutex<Option<Crew>>,
}

/// Who was hired, and to whom the next ones report.
#[derive(Debug)]
struct Crew {
    reporter: Reporter,
    /// The one hired last stands last.
    sets: Vec<Set>,
}

/// Members that are told the same, and their supervisor.
#[derive(Clone, Debug)]
struct Set {
    roster: Roster,
    prefix: String,
    /// What its members are told.
    config: Arc<Config>,
    stranger: Arc<Stranger>,
    commands: mpsc::Sender<Command>,
}

/// What the supervisor is told.
#[derive(Debug)]
enum Command {
    Start(Vec<Place>),
    /// Members that are there for a fault only, and for how long; without that until they are told to go.
    Host {
        guests: Vec<Guest>,
        stay: Option<Millis>,
    },
    /// Nobody is replaced any more, and who is there leaves: it ends with the last of them.
    Disband,
    /// All are good members, and guests go.
    Calm,
    Shutdown {
        within: Duration,
        farewell: oneshot::Sender<Farewell>,
    },
}

impl Probes {
    /// Starts the members. They report what happens to `reporter`, from the moment the cluster has told its id.
    ///
    /// # Errors
    /// Names the value that makes no sense and what is allowed.
    pub fn start(
        config: ProbeConfig,
        world: impl Into<World>,
        reporter: Reporter,
    ) -> Result<Self, StartError> {
        let probes = Self::idle(world, reporter);
        probes.hire(config)?;
        Ok(probes)
    }

    /// No members yet.
    #[must_use]
    pub fn idle(world: impl Into<World>, reporter: Reporter) -> Self {
        Self {
            roster: Roster::default(),
            world: world.into(),
            lookout: None,
            crew: Mutex::new(Some(Crew {
                reporter,
                sets: Vec::new(),
            })),
        }
    }

    /// The same, whose members are told what a survey sees of their coordinators.
    #[must_use]
    pub fn told_by(self, survey: watch::Receiver<Coordinators>) -> Self {
        let lookout = Some(survey);
        Self { lookout, ..self }
    }

    /// Starts members that are told something else than those before, and gives their client ids.
    ///
    /// # Errors
    /// Names the value that makes no sense and what is allowed; [`StartError::Leaving`] after the shutdown.
    pub fn hire(&self, config: ProbeConfig) -> Result<Vec<String>, StartError> {
        self.take_in(config, None)
    }

    /// The same, of a group that may be one of others: they join once its coordinator has told that nobody else is in it. Where
    /// somebody is, they never do, and `kept_out` says why.
    ///
    /// # Errors
    /// As [`Self::hire`].
    pub fn hire_where_free(&self, config: ProbeConfig, kept_out: KeptOut) -> Result<Vec<String>, StartError> {
        self.take_in(config, Some(kept_out))
    }

    fn take_in(&self, config: ProbeConfig, kept_out: Option<KeptOut>) -> Result<Vec<String>, StartError> {
        // Every member is told the same but for its names, so one that can be made stands for all.
        Member::new(config.member.clone(), 0, self.world.clock.now())?;
        let mut crew = self.crew();
        let crew = crew.as_mut().ok_or(StartError::Leaving)?;
        let (commands, commanded) = mpsc::channel(limits::PROBE_COMMANDS);
        let prefix = client_id_prefix(&config.member.client_id);
        let roster = self.roster.another_set();
        let places = places(&roster, &prefix, config.members)?;
        let names = client_ids(&places);
        let (world, told) = (self.world.clone(), Arc::new(config.member.clone()));
        let supervisor = Supervisor::new(config, roster.clone(), world, crew.reporter.clone());
        let stranger = Arc::new(Stranger {
            cluster: supervisor.cluster(),
            client_id: Arc::from(prefix.as_str()),
            config: Arc::clone(&told),
        });
        let supervisor = supervisor.looking_first(kept_out).told_by(self.lookout.clone());
        tokio::spawn(supervisor.run(places, commanded));
        crew.sets.retain(|set| !set.commands.is_closed());
        crew.sets.push(Set {
            roster,
            prefix,
            config: told,
            stranger,
            commands,
        });
        Ok(names)
    }

    /// Has the members of a group, hired as a set of one, leave it; nobody replaces them.
    pub fn dismiss(&self, group: &GroupId) {
        let crew = self.crew();
        let sets = crew.as_ref().map(|crew| &crew.sets);
        for set in sets
            .into_iter()
            .flatten()
            .filter(|set| set.config.group == *group)
        {
            // The supervisor takes each at once: there is always room, or it has ended.
            let _ended = set.commands.try_send(Command::Disband);
        }
    }

    fn crew(&self) -> MutexGuard<'_, Option<Crew>> {
        // A push leaves the list whole.
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.roster.len()
    }

    /// Lets all members leave the group; those that have not by the end of `within` are cut off. After it nobody reports
    /// any more.
    pub async fn shutdown(&self, within: Duration) -> Farewell {
        let crew = self.crew().take();
        let sets = crew.map(|crew| crew.sets).unwrap_or_default();
        let farewells = sets.into_iter().map(|set| async move {
            let (farewell, told) = oneshot::channel();
            let _gone = set.commands.send(Command::Shutdown { within, farewell }).await;
            told.await.unwrap_or_default()
        });
        let all = futures_util::future::join_all(farewells).await;
        all.into_iter().fold(Farewell::default(), Farewell::and)
    }
}

/// Places for more members of a set, where not too many run.
fn places(roster: &Roster, prefix: &str, count: u32) -> Result<Vec<Place>, TooManyMembers> {
    let running = roster.len();
    let allowed = limits::MEMBERS as usize;
    if running.saturating_add(count as usize) > allowed {
        let asked = count;
        return Err(TooManyMembers { asked, running });
    }
    Ok((0..count).map(|_| roster.enter(prefix)).collect())
}

fn client_ids(places: &[Place]) -> Vec<String> {
    places.iter().map(|place| place.client_id.to_string()).collect()
}

/// What client ids begin with: a group's id may be longer than a client id should be.
fn client_id_prefix(name: &str) -> String {
    let end = name.floor_char_boundary(limits::CLIENT_ID_BYTES);
    name.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
