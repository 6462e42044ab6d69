//! The embedded coordinator as a process of its own, `heartline coordinator`, and what it holds.

use std::fs;
use std::net::SocketAddr;
use std::process::{Command, ExitStatus};

use crate::bench::process::{Usage, usage};
use crate::folder::TempFolder;
use crate::heartline::binary;
use crate::port;
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
        Self::start_on(SocketAddr::from(([127, 0, 0, 1], port::free())), arguments).await
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

/// One that keeps its groups in a folder of its own and can be restarted, with nobody waiting for others to join.
#[derive(Debug)]
pub struct Lasting {
    address: SocketAddr,
    arguments: Vec<String>,
    running: Option<Coordinator>,
    _folder: TempFolder,
}

impl Lasting {
    /// Starts one on a free port with these topics (`NAME:PARTITIONS,...`) and further settings by Kafka's names; none where the
    /// program is not built.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start(topics: &str, settings: &[&str]) -> Option<Self> {
        let folder = TempFolder::new("coordinator");
        let data = folder.path().display().to_string();
        let mut arguments = vec![
            "--topics".to_owned(),
            topics.to_owned(),
            "--data-dir".to_owned(),
            data,
        ];
        for setting in ["group.initial.rebalance.delay.ms=0"].iter().chain(settings) {
            arguments.extend(["--coordinator-config".to_owned(), (*setting).to_owned()]);
        }
        let running = Coordinator::start(&borrowed(&arguments)).await?;
        Some(Self {
            address: running.address(),
            arguments,
            running: Some(running),
            _folder: folder,
        })
    }

    /// Where it listens; the same after a restart.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops it in an orderly way and starts it again.
    ///
    /// # Panics
    ///
    /// When it does not end well, or does not come up.
    pub async fn restart(&mut self) {
        let running = self.running.take().expect("it runs");
        let status = running.ended_by("TERM").await;
        assert!(status.success(), "the coordinator ended with {status}");
        let again = Coordinator::start_on(self.address, &borrowed(&self.arguments)).await;
        self.running = Some(again.expect("it is built"));
    }
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}
