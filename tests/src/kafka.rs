//! Apache Kafka on loopback: KRaft, one JVM of 512 MB a broker, its data in a temporary folder.

mod certificates;
pub mod connect;
pub(crate) mod java;
mod leaders;
mod offsets_log;
mod rights;
mod secured;
mod settings;
mod shared_broker;
pub mod stores;

use std::fs;
use std::sync::Arc;

use crate::folder::TempFolder;
use crate::peers::client::installed;
use crate::port;
use crate::process::Process;
use crate::wait::wait_until;
use settings::Settings;

pub use java::{Release, is_resolved};
pub use offsets_log::Written;
pub use rights::Resource;
pub use secured::{Listener, PLAIN_USER, SCRAM_USER, Secured, User};
pub use shared_broker::shared;

/// One broker; stopped when dropped.
#[derive(Debug)]
pub struct Broker {
    settings: Settings,
    folder: TempFolder,
    process: Process,
    /// What it wrote before it was started again.
    earlier: Vec<String>,
}

impl Broker {
    /// A cluster of one broker, which is its own controller: node 1.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same with further settings, `name=value`.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_with(settings: &[&str]) -> Self {
        Self::launch(Settings::alone(port::free(), port::free(), settings)).await
    }

    /// The same with sessions of the newer types that end while a test waits: by default nobody is out before 45 s.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_with_short_sessions() -> Self {
        let settings: Vec<String> = ["consumer", "share", "streams"]
            .into_iter()
            .flat_map(|kind| {
                let set = |name, ms: u32| format!("group.{kind}.{name}.ms={ms}");
                [
                    set("session.timeout", 6_000),
                    set("min.session.timeout", 6_000),
                    set("heartbeat.interval", 500),
                    set("min.heartbeat.interval", 500),
                ]
            })
            .collect();
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        Self::start_with(&settings).await
    }

    /// The same of another release.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_release(release: Release) -> Self {
        let mut told = Settings::alone(port::free(), port::free(), &[]);
        told.release = release;
        Self::launch(told).await
    }

    /// A controller that is no broker, and a broker of its cluster: node 1.
    ///
    /// # Panics
    ///
    /// When one does not come up.
    pub async fn start_with_controller_apart() -> [Self; 2] {
        let controller = Self::launch(Settings::controller(port::free())).await;
        let broker = controller.start_further(1).await;
        [controller, broker]
    }

    /// The same with a further listener for each kind of security, see [`Listener`].
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_secured(settings: &[&str]) -> Self {
        let mut told = Settings::alone(port::free(), port::free(), settings);
        told.secured = Some(Arc::new(Secured::new()));
        Self::launch(told).await
    }

    /// Its secured listeners, where it was started with them.
    ///
    /// # Panics
    ///
    /// When it has none.
    #[must_use]
    pub fn secured(&self) -> &Secured {
        self.settings
            .secured
            .as_deref()
            .expect("started with start_secured")
    }

    /// A further broker of this one's cluster: node 2.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_second(&self) -> Self {
        self.start_further(2).await
    }

    /// A cluster of three brokers: nodes 1, which is also the controller, 2 and 3. What Kafka keeps for itself, each has.
    ///
    /// # Panics
    ///
    /// When one does not come up.
    pub async fn start_three() -> [Self; 3] {
        let first = Self::start_with(&[
            "offsets.topic.replication.factor=3",
            "transaction.state.log.replication.factor=3",
            "share.coordinator.state.topic.replication.factor=3",
        ])
        .await;
        let (second, third) = tokio::join!(first.start_further(2), first.start_further(3));
        [first, second, third]
    }

    /// A further broker of this one's cluster, as node `node`.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_further(&self, node: i32) -> Self {
        Self::launch(self.settings.beside(node, port::free())).await
    }

    async fn launch(settings: Settings) -> Self {
        let folder = TempFolder::new(&format!("kafka-{}", settings.node));
        fs::write(
            folder.path().join("server.properties"),
            settings.properties(folder.path()),
        )
        .expect("the folder is ours");
        let file = folder.path().join("server.properties").display().to_string();
        let users = settings.secured.as_ref().map(|_| secured::scram_users());
        let users = users.iter().flatten().flat_map(|user| ["--add-scram", user]);
        let users: Vec<&str> = users.collect();
        let arguments = [&["-t", settings::CLUSTER_ID, "-c", &file][..], &users].concat();
        java::format(settings.release, &arguments).await;
        let process = java::start_broker(settings.release, &file).await;
        Self {
            settings,
            folder,
            process,
            earlier: Vec::new(),
        }
    }

    /// Its address for clients, `host:port`; the same after [`Self::start_again`].
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.settings.port)
    }

    /// Its node id.
    #[must_use]
    pub fn node(&self) -> i32 {
        self.settings.node
    }

    /// Its port for clients.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.settings.port
    }

    /// Its cluster's id.
    #[must_use]
    pub fn cluster(&self) -> &'static str {
        settings::CLUSTER_ID
    }

    /// Waits for a line in its log since it was last started.
    pub async fn log_line(&self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        wait_until(what, async || {
            let line = self
                .process
                .output()
                .find(|line| is_it(line).then(|| line.to_owned()));
            line.ok_or_else(|| self.process.output().last(5))
        })
        .await
    }

    /// What `pick` gives for each line of its log so far, each beginning with its time in Unix milliseconds.
    pub fn log_lines<T>(&self, pick: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let earlier = self.earlier.iter().filter_map(|line| pick(line));
        let mut lines: Vec<T> = earlier.collect();
        lines.extend(self.process.output().collect(pick));
        lines
    }

    /// Its process id, until it is stopped.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Stops it in an orderly way and waits for its end.
    pub async fn stop(&mut self) {
        self.process.signal("TERM");
        self.process.ended().await;
    }

    /// Starts it again after [`Self::stop`], on the same ports and with the same data.
    pub async fn start_again(&mut self) {
        let file = self.folder.path().join("server.properties").display().to_string();
        let written = self.process.output().collect(|line| Some(line.to_owned()));
        self.earlier.extend(written);
        self.process = java::start_broker(self.settings.release, &file).await;
    }

    /// SIGKILL: it ends at once, and its successor is found when its session is over.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// SIGSTOP: its connections stand, and nobody answers on them.
    ///
    /// # Panics
    ///
    /// When it has ended.
    pub fn freeze(&self) {
        self.process.signal("STOP");
    }

    /// SIGCONT.
    ///
    /// # Panics
    ///
    /// When it has ended.
    pub fn thaw(&self) {
        self.process.signal("CONT");
    }

    /// Makes a topic, by Kafka's own tool.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn create_topic(&self, name: &str, partitions: usize) {
        let (address, partitions) = (self.address(), partitions.to_string());
        let server = ["--bootstrap-server", &address, "--create", "--topic", name];
        let size = ["--partitions", &partitions, "--replication-factor", "1"];
        java::run(
            "org.apache.kafka.tools.TopicCommand",
            &[&server[..], &size[..]].concat(),
        )
        .await;
    }

    /// Gives a topic more partitions, so many in all, by Kafka's own tool.
    ///
    /// # Panics
    ///
    /// When the tool fails.
    pub async fn grow_topic(&self, name: &str, partitions: usize) {
        let (address, partitions) = (self.address(), partitions.to_string());
        let server = ["--bootstrap-server", &address, "--alter", "--topic", name];
        let size = ["--partitions", &partitions];
        java::run(
            "org.apache.kafka.tools.TopicCommand",
            &[&server[..], &size[..]].concat(),
        )
        .await;
    }

    /// Makes many topics at once, by a program of ours (`tests/peers/java/Topics.java`): each start of a JVM takes seconds.
    ///
    /// # Panics
    ///
    /// When it fails.
    pub async fn create_topics(&self, names: &[String], partitions: usize) {
        let partitions = partitions.to_string();
        let mut command = java::small(Some(&installed("java")), "Topics");
        java::run_to_its_end("Topics", command.args([&self.address(), &partitions]).args(names)).await;
    }
}
