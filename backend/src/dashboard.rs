//! `heartline serve`, put together: coordinator, members, hub, page; started in this order and ended in the same.

mod kept;

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::config::{Config, CoordinatorConfig, MembersConfig, Target, is_loopback};
use crate::embedded::{DataDir, Embedded, EmbeddedConfig, EmbeddedHandle};
use crate::faults::{FaultDesk, Order};
use crate::hub::{self, Reporter};
use crate::journal::Writing;
use crate::kafka::address::Address;
use crate::kafka::cluster::Cluster;
use crate::kafka::properties::client::ClientConfig;
use crate::limits;
use crate::ping::Pinger;
use crate::placement::Placer;
use crate::probe::{KeptOut, ProbeConfig, Probes};
use crate::scenario::{Stage, Staged};
use crate::survey::port::Coordinators;
use crate::survey::{Before, Surveyor};
use crate::web::{self, EMBEDDED_PAGE, Readiness, Site};
use kept::{Kept, open_coordinator};

/// A running dashboard.
#[derive(Debug)]
pub struct Dashboard {
    page: SocketAddr,
    coordinator: Option<EmbeddedHandle>,
    members: Option<Arc<Probes>>,
    /// The scenario that is played.
    staged: Option<Staged>,
    /// Who looks at the groups of a real cluster.
    surveyor: Option<Surveyor>,
    /// Who places probe groups on its coordinators.
    placer: Option<Placer>,
    /// Who sends single heartbeats by nobody.
    pinger: Arc<Pinger>,
    orders: mpsc::Receiver<Order>,
    reporter: Reporter,
    /// Tells the page's port to close.
    close: oneshot::Sender<()>,
    served: JoinHandle<()>,
    /// Who writes the history, where it is kept.
    writing: Option<Writing>,
}

impl Dashboard {
    /// Starts everything; the page is served on `listener`.
    ///
    /// # Errors
    ///
    /// The embedded coordinator cannot listen where it should, or the members are told what makes no sense.
    pub async fn start(config: Config, listener: TcpListener) -> io::Result<Self> {
        let page = listener.local_addr()?;
        warn_off_loopback("the page", page);
        let clock = clock(&config);
        let kept = Kept::open(&config, clock).await?;
        let clock = clock.not_before(kept.history.seen());
        let before = kept.history.before();
        let (reporter, hub) = hub::start_on(clock, kept.history);
        let (coordinator, bootstrap) = reach(config.target, kept.coordinator, clock, &reporter).await?;
        let kept_out = KeptOut::default();
        let readiness = readiness(&config.members, coordinator.is_some(), kept_out.clone());
        let told = probes(bootstrap, config.members, config.client);
        let (surveyor, pinger) = onlookers(&told, coordinator.is_some(), before, clock, &reporter);
        let placed = told.clone();
        let (desk, orders) = FaultDesk::open();
        let playing = config
            .scenario
            .as_ref()
            .map(|scenario| Arc::from(scenario.name.as_str()));
        let (members, staged) = match (config.scenario, &coordinator) {
            (Some(scenario), Some(coordinator)) => {
                let members = Arc::new(Probes::idle(clock, reporter.clone()));
                let stage = Stage {
                    scenario,
                    world: clock.into(),
                    hub: hub.clone(),
                    desk: desk.clone(),
                    probes: Arc::clone(&members),
                    reporter: reporter.clone(),
                    coordinator: Address::from(coordinator.local_addr()),
                };
                (Some(members), Some(stage.play()))
            }
            (_, Some(_)) => (hire(told, None, None, clock, &reporter)?, None),
            (_, None) => {
                let seen = surveyor.as_ref().map(Surveyor::coordinators);
                (hire(told, Some(kept_out), seen, clock, &reporter)?, None)
            }
        };
        let placer = place(surveyor.as_ref(), members.as_ref(), placed, clock);
        let site = Site {
            pinger: Arc::downgrade(&pinger),
            survey: surveyor.as_ref().map(Surveyor::insight),
            hub,
            clock,
            allowed_hosts: config.page.allowed_hosts,
            page: EMBEDDED_PAGE,
            faults: coordinator.is_some().then_some(desk),
            readiness,
            scenario: playing,
        };
        let (close, closed) = oneshot::channel();
        let served = tokio::spawn(web::serve(listener, site, async {
            // The sender gone means the same.
            let _closed = closed.await;
        }));
        Ok(Self {
            page,
            coordinator,
            members,
            staged,
            surveyor,
            placer,
            pinger,
            orders,
            reporter,
            close,
            served,
            writing: kept.writing,
        })
    }

    /// Where the page is.
    #[must_use]
    pub const fn page(&self) -> SocketAddr {
        self.page
    }

    /// Where the embedded coordinator listens; none on a real cluster.
    #[must_use]
    pub fn coordinator(&self) -> Option<SocketAddr> {
        self.coordinator.as_ref().map(EmbeddedHandle::local_addr)
    }

    /// Serves until `shutdown`; then the members leave the group first, and viewers see them go.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        loop {
            let order = tokio::select! {
                () = shutdown.as_mut() => break,
                // On a real cluster nobody has a desk: there is never an order.
                Some(order) = self.orders.recv() => order,
            };
            if let Some(coordinator) = &self.coordinator {
                order.play(coordinator, self.members.as_deref()).await;
            }
        }
        self.end().await;
    }

    async fn end(self) {
        drop((self.staged, self.surveyor, self.placer, self.pinger));
        if let Some(members) = self.members {
            let farewell = members.shutdown(limits::SHUTDOWN).await;
            match farewell.warning() {
                Some(warning) => tracing::warn!("{warning}"),
                None => tracing::info!("{}", farewell.notice()),
            }
        }
        if let Some(coordinator) = &self.coordinator {
            coordinator.shutdown().await;
        }
        // With its last source the hub ends, and with it the viewers' streams.
        drop((self.coordinator, self.reporter));
        let _closing = self.close.send(());
        if let Err(error) = self.served.await {
            tracing::error!(%error, "the page's port did not end well");
        }
        if let Some(writing) = self.writing {
            let _it_tells = tokio::task::spawn_blocking(|| writing.wait()).await;
        }
    }
}

/// The embedded coordinator, started, or none on a real cluster; and where to ask first.
async fn reach(
    target: Target,
    kept: Option<DataDir>,
    clock: Clock,
    reporter: &Reporter,
) -> io::Result<(Option<EmbeddedHandle>, Vec<Address>)> {
    match target {
        Target::Embedded(told) => {
            let coordinator = start_kept_coordinator(told, kept, clock, reporter.clone()).await?;
            let address = Address::from(coordinator.local_addr());
            Ok((Some(coordinator), vec![address]))
        }
        Target::Cluster(bootstrap) => Ok((None, bootstrap)),
    }
}

/// Who looks at the groups of a real cluster, and who asks a coordinator on demand.
fn onlookers(
    told: &ProbeConfig,
    embedded: bool,
    before: Option<Before>,
    clock: Clock,
    reporter: &Reporter,
) -> (Option<Surveyor>, Arc<Pinger>) {
    let cluster = cluster(told, clock, reporter);
    let surveyor = (!embedded).then(|| survey(told, Arc::clone(&cluster), before, clock, reporter));
    let timeout = told.member.request_timeout;
    (
        surveyor,
        Arc::new(Pinger::new(cluster, &told.member.client_id, clock, timeout)),
    )
}

/// Who sees to it that each coordinator has a member of ours. Without members of ours nothing is ever written to the cluster.
fn place(
    surveyor: Option<&Surveyor>,
    members: Option<&Arc<Probes>>,
    told: ProbeConfig,
    clock: Clock,
) -> Option<Placer> {
    let (surveyor, members) = surveyor.zip(members)?;
    let coordinators = surveyor.coordinators();
    Some(Placer::start(Arc::clone(members), told, clock, coordinators))
}

/// Life's, or a scenario's faster one.
fn clock(config: &Config) -> Clock {
    let clock = Clock::start();
    match &config.scenario {
        Some(scenario) => clock.with_rate(scenario.speed),
        None => clock,
    }
}

/// What the members of ours are told.
fn probes(bootstrap: Vec<Address>, members: MembersConfig, client: ClientConfig) -> ProbeConfig {
    if !client.idle.is_empty() {
        // Whoever set them should know.
        tracing::info!(
            "--command-config: without meaning here: {}",
            client.idle.join(", ")
        );
    }
    if let Some(unused) = client
        .bootstrap_servers
        .as_deref()
        .filter(|file| !is_same(file, &bootstrap))
    {
        tracing::warn!(
            "--bootstrap-servers {} is used; bootstrap.servers={unused} of --command-config is not",
            listed(&bootstrap)
        );
    }
    ProbeConfig {
        bootstrap,
        member: members.member,
        members: members.count,
        connect_timeout: client.connect_timeout.unwrap_or(ProbeConfig::CONNECT_TIMEOUT),
        host: None,
        security: client.security,
    }
}

fn listed(servers: &[Address]) -> String {
    let servers: Vec<String> = servers.iter().map(Address::to_string).collect();
    servers.join(",")
}

/// Whether a properties file lists these servers, in whatever order.
fn is_same(file: &str, servers: &[Address]) -> bool {
    let file: BTreeSet<String> = file.split(',').map(|server| server.trim().to_owned()).collect();
    let file = file.into_iter().filter(|server| !server.is_empty());
    let servers: BTreeSet<String> = servers.iter().map(Address::to_string).collect();
    file.eq(servers)
}

/// Starts the members of ours. On the embedded coordinator some can be added later; on a real cluster, which may have that group
/// already, none means none.
fn hire(
    told: ProbeConfig,
    kept_out: Option<KeptOut>,
    seen: Option<watch::Receiver<Coordinators>>,
    clock: Clock,
    reporter: &Reporter,
) -> io::Result<Option<Arc<Probes>>> {
    if kept_out.is_some() && told.members == 0 {
        return Ok(None);
    }
    let members = Probes::idle(clock, reporter.clone());
    let members = match seen {
        Some(seen) => members.told_by(seen),
        None => members,
    };
    let hired = match kept_out {
        Some(kept_out) => members.hire_where_free(told, kept_out),
        None => members.hire(told),
    };
    hired.map_err(io::Error::other)?;
    Ok(Some(Arc::new(members)))
}

/// The cluster, for whoever asks it without being a member.
fn cluster(told: &ProbeConfig, clock: Clock, reporter: &Reporter) -> Arc<Cluster> {
    Arc::new(told.cluster(clock, reporter))
}

/// Starts to look at the groups of a real cluster.
fn survey(
    told: &ProbeConfig,
    cluster: Arc<Cluster>,
    before: Option<Before>,
    clock: Clock,
    reporter: &Reporter,
) -> Surveyor {
    let member = &told.member;
    let (client_id, probes) = (&member.client_id, &member.group);
    Surveyor::start(cluster, client_id, probes, before, clock, reporter.clone())
}

/// Starts the embedded coordinator as it was configured.
///
/// # Errors
///
/// It cannot listen there, or cannot use its data directory.
pub async fn start_coordinator(
    told: CoordinatorConfig,
    clock: Clock,
    reporter: Reporter,
) -> io::Result<EmbeddedHandle> {
    let kept = open_coordinator(&told).await?;
    start_kept_coordinator(told, kept, clock, reporter).await
}

async fn start_kept_coordinator(
    told: CoordinatorConfig,
    kept: Option<DataDir>,
    clock: Clock,
    reporter: Reporter,
) -> io::Result<EmbeddedHandle> {
    let wanted = told.listen;
    let named = |error: io::Error| {
        io::Error::new(
            error.kind(),
            format!("the coordinator cannot listen on {wanted}: {error}"),
        )
    };
    let mut found = tokio::net::lookup_host((wanted.host.as_str(), wanted.port))
        .await
        .map_err(named)?;
    let listen = found
        .next()
        .ok_or_else(|| named(io::Error::other("the name has no address")))?;
    let config = EmbeddedConfig {
        listen,
        topics: told.topics,
        coordinator: told.settings,
    };
    let coordinator = Embedded::start_with(config, kept, clock, reporter).map_err(named)?;
    warn_off_loopback("the coordinator", coordinator.local_addr());
    Ok(coordinator)
}

/// An answer to a member of ours is recent while it is younger than its session; a join may be parked for longer.
fn readiness(members: &MembersConfig, embedded: bool, kept_out: KeptOut) -> Readiness {
    match (members.count, embedded) {
        (0, true) => Readiness::Embedded,
        (0, false) => Readiness::Survey,
        _ => Readiness::Members {
            group: members.member.group.clone(),
            kept_out,
            patience: members
                .member
                .session_timeout
                .max(members.member.rebalance_timeout),
        },
    }
}

fn warn_off_loopback(what: &str, address: SocketAddr) {
    if !is_loopback(address.ip()) {
        tracing::warn!(
            "{what} listens on {address}, off loopback: whoever reaches it reads everything and, on the embedded \
             coordinator, plays faults"
        );
    }
}

#[cfg(test)]
mod tests;
