//! Who leads the partitions of the offsets log, and so coordinates groups: moved by Kafka's own tools.

use std::fs;

use super::{Broker, java, settings};

impl Broker {
    /// Moves every group's coordinator to another node, by Kafka's own tool: nobody else keeps the offsets log then.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn move_coordinators_to(&self, node: i32) {
        let partitions: Vec<String> = (0..settings::OFFSETS_PARTITIONS)
            .map(|partition| {
                format!(r#"{{"topic":"__consumer_offsets","partition":{partition},"replicas":[{node}]}}"#)
            })
            .collect();
        let plan = format!(r#"{{"version":1,"partitions":[{}]}}"#, partitions.join(","));
        let file = self.folder.path().join("reassignment.json");
        fs::write(&file, plan).expect("the folder is ours");
        let (address, file) = (self.address(), file.display().to_string());
        let arguments = [
            "--bootstrap-server",
            &address,
            "--reassignment-json-file",
            &file,
            "--execute",
        ];
        java::run(
            "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
            &arguments,
        )
        .await;
    }

    /// Has each partition of every topic led by whoever stands first among its replicas, by Kafka's own tool.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn elect_preferred_leaders(&self) {
        let address = self.address();
        let arguments = ["--bootstrap-server", &address, "--election-type", "preferred"];
        let arguments = [&arguments[..], &["--all-topic-partitions"]].concat();
        java::run("org.apache.kafka.tools.LeaderElectionCommand", &arguments).await;
    }
}
