//! Members of groups of the newer types, by the Java client: `tests/peers/java/Newcomer.java`.

use std::fmt;

use super::client::installed;
use crate::kafka::java;
use crate::process::Process;

/// A group's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// KIP-848.
    Consumer,
    /// KIP-932.
    Share,
    /// KIP-1071.
    Streams,
}

impl Kind {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Consumer, Self::Share, Self::Streams];
}

/// The word that brokers and Heartline use.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Consumer => "consumer",
            Self::Share => "share",
            Self::Streams => "streams",
        })
    }
}

/// `max.poll.interval.ms` of a client that is not told one: Kafka's default.
const PATIENT: u32 = 300_000;

/// A running member; killed when dropped.
#[derive(Debug)]
pub struct Newcomer {
    process: Process,
}

impl Newcomer {
    /// Starts one that consumes `topic`.
    #[must_use]
    pub fn start(kind: Kind, bootstrap: &str, group: &str, topic: &str, client_id: &str) -> Self {
        Self::start_with(kind, bootstrap, group, topic, client_id, PATIENT)
    }

    /// The same with its `max.poll.interval.ms`.
    #[must_use]
    pub fn start_with(
        kind: Kind,
        bootstrap: &str,
        group: &str,
        topic: &str,
        client_id: &str,
        max_poll_interval_ms: u32,
    ) -> Self {
        let (kind, interval) = (kind.to_string(), max_poll_interval_ms.to_string());
        let mut command = java::small(Some(&installed("java")), "Newcomer");
        command.args([&*kind, bootstrap, group, topic, client_id, &interval]);
        let name = format!("{kind} {client_id} of {group}");
        Self {
            process: Process::spawn_listening(&name, &mut command),
        }
    }

    /// Has its application busy for so long, in milliseconds, that its client is not polled.
    ///
    /// # Panics
    ///
    /// When it has ended.
    pub fn stall(&mut self, ms: u32) {
        self.process.tell(&format!("stall {ms}")).expect("it listens");
    }

    /// Has it subscribe to another topic instead; a streams member cannot.
    ///
    /// # Panics
    ///
    /// When it has ended.
    pub fn subscribe(&mut self, topic: &str) {
        let told = self.process.tell(&format!("subscribe {topic}"));
        told.expect("it listens");
    }

    /// Has it leave, and waits for its end.
    ///
    /// # Panics
    ///
    /// When it does not end, or not well.
    pub async fn leave(mut self) {
        self.process.tell("leave").expect("it listens");
        let status = self.process.ended().await;
        assert!(status.success(), "it left and ended with {status}");
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}
