//! The servers that are compared, each pinned to one core.

use std::path::Path;
use std::process::Command;

use crate::heartline::binary;
use crate::kafka::Broker;
use crate::peers::client::python;
use crate::process::Process;

/// The core of every server; the load runs on another.
pub(super) const SERVER_CORE: u32 = 0;

/// A running coordinator that takes Heartbeats.
#[derive(Debug)]
pub struct Peer {
    pub name: &'static str,
    /// `host:port`.
    pub address: String,
    pub pid: u32,
    _holder: Holder,
}

/// What ends the peer when it is dropped.
#[derive(Debug)]
enum Holder {
    Process { _ends: Process },
    Broker { _ends: Box<Broker> },
}

impl Peer {
    /// Our own coordinator, in a process of its own, without an initial rebalance delay.
    ///
    /// # Errors
    ///
    /// The program is not built, or cannot be pinned.
    pub async fn embedded() -> Result<Self, String> {
        let binary = binary().ok_or("heartline is not built")?;
        let mut command = with_open_files(&binary);
        command.args(["coordinator", "--listen", "127.0.0.1:0"]);
        command.args(["--coordinator-config", "group.initial.rebalance.delay.ms=0"]);
        let mut process = Process::spawn("heartline coordinator", &mut command);
        let of_line = |line: &str| {
            Some(
                line.strip_prefix("heartline: coordinator on ")?
                    .split(' ')
                    .next()?
                    .to_owned(),
            )
        };
        let address = process.line("its address", of_line).await;
        let pid = process.pid();
        pin(pid, SERVER_CORE)?;
        Ok(Self {
            name: "embedded coordinator",
            address,
            pid,
            _holder: Holder::Process { _ends: process },
        })
    }

    /// Apache Kafka, one broker.
    ///
    /// # Errors
    ///
    /// It cannot be pinned.
    pub async fn kafka() -> Result<Self, String> {
        let broker = Broker::start().await;
        let (address, pid) = (broker.address(), broker.pid());
        pin(pid, SERVER_CORE)?;
        Ok(Self {
            name: "Apache Kafka",
            address,
            pid,
            _holder: Holder::Broker {
                _ends: Box::new(broker),
            },
        })
    }

    /// The mock cluster of librdkafka, from PyPI's confluent-kafka.
    ///
    /// # Errors
    ///
    /// It cannot be pinned.
    pub async fn librdkafka_mock() -> Result<Self, String> {
        let mut process = Process::spawn("librdkafka's mock", &mut python("librdkafka_mock.py"));
        let address = process
            .line("its address", |line| {
                line.strip_prefix("mock on ").map(str::to_owned)
            })
            .await;
        let pid = process.pid();
        pin(pid, SERVER_CORE)?;
        Ok(Self {
            name: "librdkafka's mock",
            address,
            pid,
            _holder: Holder::Process { _ends: process },
        })
    }
}

/// A program that may hold as many sockets as the machine allows: the limit is a shell's to raise, and `exec` keeps the
/// pid.
pub(super) fn with_open_files(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n $(ulimit -H -n) && exec \"$0\" \"$@\""])
        .arg(program);
    command
}

/// Pins every thread of a process, and those it starts later, to one core.
///
/// # Errors
///
/// What `taskset` (util-linux) says.
pub fn pin(pid: u32, core: u32) -> Result<(), String> {
    succeed(Command::new("taskset").args(["-a", "-c", "-p", &core.to_string(), &pid.to_string()]))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let done = command
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if done.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}: {}",
        command.get_program().display(),
        String::from_utf8_lossy(&done.stderr).trim_end()
    ))
}
