//! The embedded coordinator as a process of its own, `heartline coordinator`, and what it holds.

use std::fs;
use std::net::SocketAddr;
use std::process::{Command, ExitStatus};

use crate::bench::process::{Usage, usage};
use crate::heartline::binary;
use crate::process::Process;
use crate::wait::wait_until;

/// A running `heartline coordinator`.
#[derive(Debug)]
pub struct Coordinator {
    process: Process,
    address: SocketAddr,
}

impl Coordinator {
    /// Starts it on a free port; none where the program is not built.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start(arguments: &[&str]) -> Option<Self> {
        Self::start_on(SocketAddr::from(([127, 0, 0, 1], 0)), arguments).await
    }

    /// As [`Self::start`], on this address.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start_on(address: SocketAddr, arguments: &[&str]) -> Option<Self> {
        let mut command = Command::new(binary()?);
        command
            .args(["coordinator", "--listen", &address.to_string()])
            .args(arguments);
        let mut process = Process::spawn("heartline coordinator", &mut command);
        let of_line = |line: &str| {
            let address = line.strip_prefix("heartline: coordinator on ")?;
            address.split(' ').next()?.parse().ok()
        };
        let address = process.line("its address", of_line).await;
        Some(Self { process, address })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a signal by its name, `TERM` or `KILL`, and waits for the end.
    pub async fn ended_by(mut self, signal: &str) -> ExitStatus {
        self.process.signal(signal);
        self.process.ended().await
    }

    /// What the kernel says it uses.
    ///
    /// # Panics
    ///
    /// When it has ended.
    #[must_use]
    pub fn usage(&self) -> Usage {
        usage(self.process.pid()).expect("it runs")
    }

    /// How many files and sockets it has open.
    ///
    /// # Panics
    ///
    /// When it has ended.
    #[must_use]
    pub fn open_files(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.process.pid());
        fs::read_dir(folder).expect("it runs").count()
    }

    /// Waits until it has taken connections, or let go of them.
    pub async fn until_open_files(&self, what: &str, enough: impl Fn(usize) -> bool) {
        wait_until(what, async || {
            let open = self.open_files();
            if enough(open) { Ok(()) } else { Err(open) }
        })
        .await;
    }
}
