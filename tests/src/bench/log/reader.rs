//! A reader of the offsets log in a process of its own: it says what it read and how long that took, then waits to be let go,
//! so that what it used can be looked up.

use std::io;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use backend::clock::Clock;
use backend::hub::Reporter;
use backend::kafka::cluster::Cluster;
use backend::kafka::connection::Dialer;
use backend::survey::{LogRead, read_log};
use serde::{Deserialize, Serialize};
use shared::time::Millis;

use crate::bench::process::usage;
use crate::peers::client::installed;
use crate::process::Process;

/// The argument with which this program becomes our reader.
pub const OURS: &str = "log-reader-process";

/// For a connection, and for an answer.
const TIMEOUT: Millis = Millis(10_000);

/// What a reader read, and what it took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Read {
    /// Records.
    pub records: u64,
    /// Groups of which it knows the newest record.
    pub groups: usize,
    /// Partitions of groups of which it knows the newest commit.
    pub commits: usize,
    /// From its start to the last record.
    pub seconds: f64,
    /// Seconds of CPU time, of all its threads: what the kernel says.
    #[serde(default)]
    pub cpu: f64,
}

impl Read {
    /// Records a second.
    pub(super) fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let records = self.records as f64;
        records / self.seconds
    }
}

/// Whose reader.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    Ours,
    /// `tests/peers/franz-go/log`.
    FranzGo,
}

impl Reader {
    /// Reads the log of the cluster behind `address` once.
    ///
    /// # Errors
    ///
    /// Its process cannot be looked at.
    pub(super) async fn read(self, address: &str) -> Result<Read, String> {
        let mut command = match self {
            Self::Ours => {
                let this = std::env::current_exe().map_err(|error| error.to_string())?;
                let mut command = Command::new(this);
                command.arg(OURS);
                command
            }
            Self::FranzGo => Command::new(installed("franz-go/log")),
        };
        let mut process = Process::spawn_listening(&format!("{self:?}"), command.arg(address));
        let read: Read = process
            .line("what it read", |line| serde_json::from_str(line).ok())
            .await;
        let cpu = usage(process.pid())?.cpu.as_secs_f64();
        Ok(Read { cpu, ..read })
    }
}

/// Reads the log of the cluster behind `address` once, by our reader and in this process.
///
/// # Errors
///
/// The log cannot be read, or not all of it.
pub async fn read(address: &str) -> Result<LogRead, String> {
    let address: SocketAddr = address
        .parse()
        .map_err(|error| format!("{address} is not host:port: {error}"))?;
    let clock = Clock::start();
    let (reporter, _nobody_listens) = Reporter::channel(1);
    let dialer = Dialer::new(clock, reporter, TIMEOUT, TIMEOUT);
    let cluster = Arc::new(Cluster::new(vec![address.into()], dialer, TIMEOUT));
    let read = read_log(cluster, "heartline-bench", clock).await;
    let read = read.map_err(|error| error.to_string())?;
    if read.counts.malformed + read.counts.unknown + read.counts.left_out > 0 {
        return Err(format!("not all was read and kept: {:?}", read.counts));
    }
    Ok(read)
}

/// What our reader's process does: it reads, says so on standard output, and ends with its standard input.
///
/// # Errors
///
/// As [`read`].
pub async fn ours(address: &str) -> Result<(), String> {
    let start = Instant::now();
    let read = read(address).await?;
    let told = serde_json::to_string(&Read {
        records: read.counts.records,
        groups: read.groups,
        commits: read.commits,
        seconds: start.elapsed().as_secs_f64(),
        cpu: 0.0,
    });
    println!("{}", told.map_err(|error| error.to_string())?);
    let until_let_go = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    until_let_go
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())?;
    Ok(())
}
