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

/// A running member; killed when dropped.
#[derive(Debug)]
pub struct Newcomer {
    process: Process,
}

impl Newcomer {
    /// Starts one that consumes `topic`.
    #[must_use]
    pub fn start(kind: Kind, bootstrap: &str, group: &str, topic: &str, client_id: &str) -> Self {
        let kind = kind.to_string();
        let mut command = java::small(Some(&installed("java")), "Newcomer");
        command.args([&*kind, bootstrap, group, topic, client_id]);
        let name = format!("{kind} {client_id} of {group}");
        Self {
            process: Process::spawn_listening(&name, &mut command),
        }
    }

    /// Has it leave, and waits for its end.
    ///
    /// # Panics
    ///
    /// When it does not end.
    pub async fn leave(mut self) {
        self.process.tell("leave").expect("it listens");
        self.process.ended().await;
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.process.kill();
    }
}
