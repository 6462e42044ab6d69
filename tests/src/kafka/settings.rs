//! A broker's settings: what a test cluster needs beside Kafka's defaults.

use std::path::Path;
use std::sync::Arc;

use super::secured::Secured;

/// Every cluster's id here; clusters are told apart by their ports.
pub(super) const CLUSTER_ID: &str = "aGVhcnRsaW5lLXRlc3RzQQ";

/// Partitions of the offsets topic; the default of 50 takes seconds to make.
pub(super) const OFFSETS_PARTITIONS: u32 = 4;

/// What tells brokers apart.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) node: i32,
    pub(super) port: u16,
    /// Of the cluster's one controller, node 1.
    controller_port: u16,
    /// What else is set, `name=value`.
    further: Vec<String>,
    /// Listeners beside the plain one.
    pub(super) secured: Option<Arc<Secured>>,
}

impl Settings {
    /// The only broker, and the controller, with these settings on top.
    pub(super) fn alone(port: u16, controller_port: u16, further: &[&str]) -> Self {
        Self {
            node: 1,
            port,
            controller_port,
            further: further.iter().map(|setting| (*setting).to_owned()).collect(),
            secured: None,
        }
    }

    /// A further broker of the same cluster.
    pub(super) fn beside(&self, node: i32, port: u16) -> Self {
        Self {
            node,
            port,
            controller_port: self.controller_port,
            further: self.further.clone(),
            secured: None,
        }
    }

    /// The file that `kafka.Kafka` takes.
    pub(super) fn properties(&self, folder: &Path) -> String {
        let Self {
            node,
            port,
            controller_port,
            further,
            secured,
        } = self;
        let (more, secured) = secured.as_deref().map(Secured::properties).unwrap_or_default();
        let client = format!("PLAINTEXT://127.0.0.1:{port}{more}");
        let (roles, listeners) = if *node == 1 {
            (
                "broker,controller",
                format!("{client},CONTROLLER://127.0.0.1:{controller_port}"),
            )
        } else {
            ("broker", client.clone())
        };
        // One thread reads and one handles: what was sent first on one connection and then on another keeps that order, which
        // the differential test needs. There are two cores for all, and groups are coordinated in one thread each anyway.
        format!(
            "process.roles={roles}\n\
             num.network.threads=1\n\
             num.io.threads=1\n\
             node.id={node}\n\
             controller.quorum.voters=1@127.0.0.1:{controller_port}\n\
             controller.listener.names=CONTROLLER\n\
             listeners={listeners}\n\
             advertised.listeners={client}\n\
             log.dirs={data}\n\
             offsets.topic.num.partitions={OFFSETS_PARTITIONS}\n\
             offsets.topic.replication.factor=1\n\
             transaction.state.log.replication.factor=1\n\
             transaction.state.log.min.isr=1\n\
             share.coordinator.state.topic.replication.factor=1\n\
             share.coordinator.state.topic.min.isr=1\n\
             group.initial.rebalance.delay.ms=0\n\
             group.coordinator.rebalance.protocols=classic,consumer,share,streams\n\
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
