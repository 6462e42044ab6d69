//! Kafka's own Connect workers, which form a group of another protocol than consumers'.

use std::fs;

use serde_json::{Value, json};

use super::Broker;
use super::java::{self, Release};
use crate::folder::TempFolder;
use crate::port;
use crate::process::Process;
use crate::wait::wait_until;

/// A connector that copies the lines of a file into a topic, by one task.
const CONNECTOR: &str = "org.apache.kafka.connect.file.FileStreamSourceConnector";

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    port: u16,
    process: Process,
    folder: TempFolder,
}

impl Worker {
    /// Starts one in a group of workers and waits until it serves.
    ///
    /// # Panics
    ///
    /// When it does not come up.
    pub async fn start(broker: &Broker, group: &str) -> Self {
        let (folder, port) = (TempFolder::new("connect"), port::free());
        let file = folder.path().join("worker.properties");
        let converter = "org.apache.kafka.connect.json.JsonConverter";
        let mut settings = format!(
            "bootstrap.servers={}\ngroup.id={group}\nlisteners=http://127.0.0.1:{port}\n\
             key.converter={converter}\nvalue.converter={converter}\nplugin.discovery=service_load\n",
            broker.address()
        );
        for kind in ["config", "offset", "status"] {
            settings +=
                &format!("{kind}.storage.topic={group}-{kind}\n{kind}.storage.replication.factor=1\n");
        }
        fs::write(&file, settings).expect("the folder is ours");
        let mut command = java::of_its_size(
            Release::Current,
            "org.apache.kafka.connect.cli.ConnectDistributed",
        );
        let process = Process::spawn("a Connect worker", command.arg(&file));
        let worker = Self {
            port,
            process,
            folder,
        };
        wait_until("a Connect worker that serves", async || {
            let answer = reqwest::get(worker.path("connectors")).await;
            match answer {
                Ok(answer) if answer.status().is_success() => Ok(()),
                other => Err((
                    other.map(|answer| answer.status()),
                    worker.process.output().last(3),
                )),
            }
        })
        .await;
        worker
    }

    /// Its REST address, as it tells the others.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn path(&self, path: &str) -> String {
        format!("{}{path}", self.url())
    }

    /// Has the workers run a connector and its one task.
    ///
    /// # Panics
    ///
    /// When it is refused.
    pub async fn run_connector(&self, name: &str) {
        // Any file will do.
        let file = self.folder.path().join("worker.properties").display().to_string();
        let config = json!({
            "connector.class": CONNECTOR, "tasks.max": "1", "name": name, "file": file, "topic": format!("{name}-lines"),
        });
        let body = json!({"name": name, "config": config});
        // While the workers rebalance they ask for patience.
        wait_until("a connector taken on", async || {
            let answer = reqwest::Client::new()
                .post(self.path("connectors"))
                .json(&body)
                .send()
                .await;
            match answer {
                Ok(answer) if answer.status().is_success() => Ok(()),
                Ok(answer) => Err(answer.text().await),
                Err(error) => Err(Err(error)),
            }
        })
        .await;
    }

    /// What it says of a connector and its tasks: for each task the worker that runs it.
    pub async fn status(&self, name: &str) -> Value {
        match reqwest::get(self.path(&format!("connectors/{name}/status"))).await {
            Ok(answer) => answer.json().await.unwrap_or(Value::Null),
            Err(_) => Value::Null,
        }
    }

    /// Ends it in an orderly way.
    pub async fn stop(mut self) {
        self.process.signal("TERM");
        self.process.ended().await;
    }
}
