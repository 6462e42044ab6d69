//! Other people's clients, each driven by a small program in its own language (`tests/peers`), all by one line protocol.
//!
//! A peer is one consumer. It is told what it is by a JSON object, its only argument ([`Role`]), reads commands as JSON lines
//! ([`Command`]) and tells what it sees as JSON lines ([`Said`]); its client's own log may stand between them. It ends at once,
//! as if killed, when its standard input does.
//!
//! - [`client`]: the six clients and how their programs are started
//! - [`newcomer`]: members of groups of the newer types
//! - [`said`]: what peers say
//! - [`stories`]: what is played with every client, whoever coordinates
//! - [`table`]: which client plays which story
//! - [`server`]: the coordinators they are played against
//! - [`tool`]: what Kafka's own tool prints of their groups

pub mod client;
pub mod newcomer;
pub mod said;
pub mod server;
pub mod stories;
pub mod table;
pub mod tool;

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;

use crate::process::Process;
use crate::wait::wait_until;
use client::Client;
use said::Said;

/// How a group shares its partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignor {
    /// Everybody gives up everything first: range, or what the client has instead.
    Eager,
    /// KIP-429.
    CooperativeSticky,
}

/// How a member and its coordinator talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// JoinGroup, SyncGroup, Heartbeat.
    Classic,
    /// KIP-848 (Java, librdkafka): assignor, session and heartbeat interval are the coordinator's.
    Consumer,
}

/// What a peer is told at its start. Times are in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Role {
    /// `host:port`.
    pub bootstrap: String,
    pub group: String,
    pub topic: String,
    pub client_id: String,
    /// KIP-345.
    pub instance_id: Option<String>,
    pub protocol: Protocol,
    pub assignor: Assignor,
    pub session_timeout_ms: u32,
    pub heartbeat_interval_ms: u32,
    pub rebalance_timeout_ms: u32,
    pub request_timeout_ms: u32,
    /// `earliest` or `latest`: where there is no committed offset.
    pub offset_reset: &'static str,
    /// Whether it commits what it has consumed whenever it is told that partitions are revoked or lost (Java, librdkafka).
    pub commit_on_revoke: bool,
    /// Whether its client's own log tells of each request (librdkafka, kafka-python).
    pub verbose: bool,
}

impl Role {
    /// A dynamic member with an eager assignor, whose session is short enough to wait for its end, and long enough for a client
    /// that a busy machine lets wait for some seconds.
    #[must_use]
    pub fn new(bootstrap: &str, group: &str, client_id: &str) -> Self {
        Self {
            bootstrap: bootstrap.to_owned(),
            group: group.to_owned(),
            topic: group.to_owned(),
            client_id: client_id.to_owned(),
            instance_id: None,
            protocol: Protocol::Classic,
            assignor: Assignor::Eager,
            session_timeout_ms: 10_000,
            heartbeat_interval_ms: 300,
            rebalance_timeout_ms: 20_000,
            request_timeout_ms: 10_000,
            offset_reset: "earliest",
            commit_on_revoke: false,
            verbose: false,
        }
    }
}

/// What a peer can be told to do.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "command", rename_all = "snake_case")]
enum Command<'a> {
    /// Sends records one after the other; answered by [`Said::Produced`] for each.
    Produce { partition: i32, values: &'a [String] },
    /// Commits the positions behind all it has consumed of what it owns; answered by [`Said::Committed`] or [`Said::Refused`].
    Commit,
    /// Does nothing for so long, in milliseconds: its client is not polled meanwhile (Java, librdkafka).
    Stall { ms: u32 },
    /// Changes its subscription to this topic alone (Java, librdkafka).
    Subscribe { topic: &'a str },
    /// Closes the consumer as an application does that ends; answered by [`Said::Left`], then the process ends.
    Leave,
}

/// A running peer.
#[derive(Debug)]
pub struct Peer {
    client: Client,
    role: Role,
    process: Process,
}

impl Peer {
    /// Starts it; it joins its group by itself.
    ///
    /// # Panics
    ///
    /// When it cannot be started.
    #[must_use]
    pub fn start(client: Client, role: Role) -> Self {
        let argument = serde_json::to_string(&role).expect("a role is JSON");
        let name = format!("{client} {} of {}", role.client_id, role.group);
        let process = Process::spawn_listening(&name, client.program().arg(argument));
        Self {
            client,
            role,
            process,
        }
    }

    /// What it was told at its start.
    #[must_use]
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// All it has said.
    #[must_use]
    pub fn said(&self) -> Vec<Said> {
        self.process.output().collect(Said::read)
    }

    /// How much it has said: what [`Self::said_since`] counts from.
    #[must_use]
    pub fn mark(&self) -> usize {
        self.said().len()
    }

    /// What it has said after a mark.
    #[must_use]
    pub fn said_since(&self, mark: usize) -> Vec<Said> {
        self.said().split_off(mark)
    }

    /// The partitions it has by its own account.
    #[must_use]
    pub fn owned(&self) -> BTreeSet<i32> {
        said::owned(&self.said())
    }

    /// Its member id, as of its last assignment.
    ///
    /// # Panics
    ///
    /// Where it was assigned nothing yet.
    #[must_use]
    pub fn member(&self) -> String {
        self.membership().expect("it was assigned partitions").0
    }

    /// Its member id and, where its client tells, its generation, as of its last assignment.
    #[must_use]
    pub fn membership(&self) -> Option<(String, Option<i32>)> {
        self.said().into_iter().rev().find_map(|said| match said {
            Said::Assigned {
                member, generation, ..
            } => Some((member, generation)),
            _ => None,
        })
    }

    /// Waits until `pick` takes what it has said after a mark.
    ///
    /// # Panics
    ///
    /// When it ends first, or does not say it in time.
    pub async fn until<T>(&mut self, mark: usize, what: &str, pick: impl Fn(&[Said]) -> Option<T>) -> T {
        let what = format!("{what} by {} {}", self.client, self.role.client_id);
        let picked = wait_until(&what, async || {
            // Asked first: what it said before its end is then there.
            let ended = self.process.has_said_all();
            let said = self.said_since(mark);
            match (pick(&said), ended) {
                (Some(picked), _) => Ok(Ok(picked)),
                (None, Some(status)) => Ok(Err((status, said))),
                (None, None) => Err(said),
            }
        })
        .await;
        picked.unwrap_or_else(|(status, said)| panic!("ended ({status}) before {what}: {said:?}"))
    }

    /// The lines of its client's own log that `pick` takes, in order.
    pub fn log<T>(&self, pick: impl Fn(&str) -> Option<T>) -> Vec<T> {
        self.process.output().collect(pick)
    }

    /// Has it produce records; returns once they are acknowledged.
    pub async fn produce(&mut self, partition: i32, values: &[String]) {
        let mark = self.mark();
        self.tell(&Command::Produce { partition, values });
        let count = values.len();
        self.until(mark, "records produced", |said| {
            let produced = said.iter().filter(|said| matches!(said, Said::Produced { .. }));
            (produced.count() == count).then_some(())
        })
        .await;
    }

    /// Has it commit; what it committed.
    pub async fn commit(&mut self) -> Vec<(i32, i64)> {
        let mark = self.mark();
        self.tell(&Command::Commit);
        self.until(mark, "a commit", |said| {
            said.iter().find_map(|said| match said {
                Said::Committed { offsets } => Some(offsets.clone()),
                _ => None,
            })
        })
        .await
    }

    /// Has it commit where it still can, whatever comes of it.
    pub fn try_to_commit(&mut self) {
        let _it_may_have_ended = self.try_to_tell(&Command::Commit);
    }

    /// Has its application busy for so long, in milliseconds, that its client is not polled.
    pub fn stall(&mut self, ms: u32) {
        self.tell(&Command::Stall { ms });
    }

    /// Has it subscribe to another topic instead.
    pub fn subscribe(&mut self, topic: &str) {
        self.tell(&Command::Subscribe { topic });
    }

    /// How it has ended, if it has: what it was and what it said last.
    pub(crate) fn ending(&mut self) -> Option<String> {
        let status = self.process.has_said_all()?;
        let Role { client_id, .. } = &self.role;
        Some(format!(
            "{client_id} ended ({status}) after {:?}",
            self.said().last()
        ))
    }

    /// Has it leave; returns once its process has ended.
    pub async fn leave(mut self) {
        let mark = self.mark();
        self.tell(&Command::Leave);
        self.until(mark, "leaving", |said| said.contains(&Said::Left).then_some(()))
            .await;
        let status = self.process.ended().await;
        assert!(status.success(), "{} left and ended with {status}", self.client);
    }

    /// SIGKILL.
    pub fn kill(mut self) {
        self.process.kill();
    }

    fn tell(&mut self, command: &Command<'_>) {
        if let Err(error) = self.try_to_tell(command) {
            let ending = self.ending();
            panic!("{command:?}: {error}; {ending:?}");
        }
    }

    fn try_to_tell(&mut self, command: &Command<'_>) -> io::Result<()> {
        let line = serde_json::to_string(command).expect("a command is JSON");
        self.process.tell(&line)
    }
}
