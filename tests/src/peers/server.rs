//! The coordinators that stories are played against.

use std::process::Command;

use crate::folder::TempFolder;
use crate::heartline::binary;
use crate::kafka::Broker;
use crate::process::Process;

/// A coordinator that can be restarted.
#[derive(Debug)]
pub enum Server {
    Kafka(Box<Broker>),
    Heartline(Coordinator),
}

impl Server {
    /// `host:port`; the same after a restart.
    #[must_use]
    pub fn address(&self) -> String {
        match self {
            Self::Kafka(broker) => broker.address(),
            Self::Heartline(coordinator) => coordinator.address.clone(),
        }
    }

    /// Stops it in an orderly way and starts it again, with what it has kept.
    pub async fn restart(&mut self) {
        match self {
            Self::Kafka(broker) => {
                broker.stop().await;
                broker.start_again().await;
            }
            Self::Heartline(coordinator) => coordinator.restart().await,
        }
    }
}

/// `heartline coordinator` in a process of its own, which keeps its groups in a folder.
#[derive(Debug)]
pub struct Coordinator {
    address: String,
    topics: String,
    folder: TempFolder,
    process: Process,
}

impl Coordinator {
    /// Starts one on a free port with these topics (`NAME:PARTITIONS,...`) and without an initial rebalance delay.
    ///
    /// # Panics
    ///
    /// When it is not built or does not come up.
    pub async fn start(topics: &str) -> Self {
        let folder = TempFolder::new("coordinator");
        let (process, address) = launch("127.0.0.1:0", topics, &folder).await;
        Self {
            address,
            topics: topics.to_owned(),
            folder,
            process,
        }
    }

    async fn restart(&mut self) {
        self.process.signal("TERM");
        let status = self.process.ended().await;
        assert!(status.success(), "the coordinator ended with {status}");
        let (process, address) = launch(&self.address, &self.topics, &self.folder).await;
        assert_eq!(address, self.address);
        self.process = process;
    }
}

async fn launch(listen: &str, topics: &str, folder: &TempFolder) -> (Process, String) {
    let mut command = Command::new(binary().expect("the program is built"));
    command.args(["coordinator", "--listen", listen, "--topics", topics]);
    command.args(["--coordinator-config", "group.initial.rebalance.delay.ms=0"]);
    command.arg("--data-dir").arg(folder.path());
    let mut process = Process::spawn("heartline coordinator", &mut command);
    let address = process
        .line("its address", |line| {
            let address = line.strip_prefix("heartline: coordinator on ")?;
            Some(address.split(' ').next()?.to_owned())
        })
        .await;
    (process, address)
}
