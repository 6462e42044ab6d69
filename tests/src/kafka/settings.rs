//! A broker's settings: what a test cluster needs beside Kafka's defaults.

use std::path::Path;
use std::sync::Arc;

use super::java::Release;
use super::secured::Secured;

/// Every cluster's id here; clusters are told apart by their ports.
pub(super) const CLUSTER_ID: &str = "aGVhcnRsaW5lLXRlc3RzQQ";

/// Partitions of the offsets topic; the default of 50 takes seconds to make.
pub(super) const OFFSETS_PARTITIONS: u32 = 4;

/// The node of a controller that is no broker.
const CONTROLLER: i32 = 1_000;

/// What tells brokers apart.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) release: Release,
    pub(super) node: i32,
    pub(super) port: u16,
    /// The cluster's one controller, by its node and port: node 1 unless it is one apart.
    controller: (i32, u16),
    /// What else is set, `name=value`.
    further: Vec<String>,
    /// Listeners beside the plain one.
    pub(super) secured: Option<Arc<Secured>>,
}

impl Settings {
    /// The only broker, and the controller, with these settings on top.
    pub(super) fn alone(port: u16, controller_port: u16, further: &[&str]) -> Self {
        Self {
            release: Release::Current,
            node: 1,
            port,
            controller: (1, controller_port),
            further: further.iter().map(|setting| (*setting).to_owned()).collect(),
            secured: None,
        }
    }

    /// A controller that is no broker.
    pub(super) fn controller(port: u16) -> Self {
        let node = CONTROLLER;
        Self {
            node,
            controller: (node, port),
            ..Self::alone(port, port, &[])
        }
    }

    /// A further broker of the same cluster.
    pub(super) fn beside(&self, node: i32, port: u16) -> Self {
        Self {
            release: self.release,
            node,
            port,
            controller: self.controller,
            further: self.further.clone(),
            secured: None,
        }
    }

    /// The file that `kafka.Kafka` takes.
    pub(super) fn properties(&self, folder: &Path) -> String {
        let Self {
            release,
            node,
            port,
            controller: (controller, controller_port),
            further,
            secured,
        } = self;
        let (more, secured) = secured.as_deref().map(Secured::properties).unwrap_or_default();
        let client = format!("PLAINTEXT://127.0.0.1:{port}{more}");
        let quorum = format!("CONTROLLER://127.0.0.1:{controller_port}");
        let (roles, listeners, advertised) = if *node == CONTROLLER {
            ("controller", quorum.clone(), quorum)
        } else if node == controller {
            ("broker,controller", format!("{client},{quorum}"), client)
        } else {
            ("broker", client.clone(), client)
        };
        // Kafka 3.9 knows the others by other switches, and by default none of them.
        let protocols = match release {
            Release::Current => "group.coordinator.rebalance.protocols=classic,consumer,share,streams",
            Release::Older => "",
        };
        // One thread reads and one handles: what was sent first on one connection and then on another keeps that order, which
        // the differential test needs. There are two cores for all, and groups are coordinated in one thread each anyway.
        format!(
            "process.roles={roles}\n\
             num.network.threads=1\n\
             num.io.threads=1\n\
             node.id={node}\n\
             controller.quorum.voters={controller}@127.0.0.1:{controller_port}\n\
             controller.listener.names=CONTROLLER\n\
             listeners={listeners}\n\
             advertised.listeners={advertised}\n\
             log.dirs={data}\n\
             offsets.topic.num.partitions={OFFSETS_PARTITIONS}\n\
             offsets.topic.replication.factor=1\n\
             transaction.state.log.replication.factor=1\n\
             transaction.state.log.min.isr=1\n\
             share.coordinator.state.topic.replication.factor=1\n\
             share.coordinator.state.topic.min.isr=1\n\
             group.initial.rebalance.delay.ms=0\n\
             {protocols}\n\
             group.min.session.timeout.ms=1000\n\
             authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n\
             allow.everyone.if.no.acl.found=true\n\
             {secured}\n\
             {further}\n",
            data = folder.join("data").display(),
            further = further.join("\n"),
        )
    }
}
