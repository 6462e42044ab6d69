//! The survey's IO: a task that gives the machine its inputs and does what it wants.

use std::collections::BTreeMap;
use std::sync::Arc;

use shared::event::{Change, Observation, Source};
use shared::ids::{ClusterId, GroupId, NodeId};
use shared::time::{Timestamp, UnixMs};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::before::{BEFORE, Before};
use super::gate::Load;
use super::ledger::Counts;
use super::link::{Happened, Links};
use super::machine::Survey;
use super::port::{Coordinators, Input, Report, When};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::kafka::cluster::Cluster;
use crate::limits;

/// A running survey; dropping it ends it.
#[derive(Debug)]
pub struct Surveyor {
    task: JoinHandle<()>,
    coordinators: watch::Receiver<Coordinators>,
    insight: Insight,
}

/// What the survey costs and what it could not read, for /metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// What each broker is asked.
    pub loads: BTreeMap<NodeId, Load>,
    /// What was read of the offsets log.
    pub log: Counts,
}

/// Whoever may ask for [`Figures`]; it does not keep the survey running.
#[derive(Clone, Debug)]
pub struct Insight {
    questions: mpsc::Sender<oneshot::Sender<Figures>>,
}

impl Insight {
    /// The figures now; none once the survey has ended.
    pub async fn figures(&self) -> Option<Figures> {
        let (answer, answered) = oneshot::channel();
        self.questions.send(answer).await.ok()?;
        answered.await.ok()
    }
}

impl Surveyor {
    /// Starts to look at the groups of `cluster`, under the client id `client_id`. The group `probes` is ours, and so are
    /// those named after it with a counter. It goes on from what a run `before` this one left, where it was the same cluster.
    #[must_use]
    pub fn start(
        cluster: Arc<Cluster>,
        client_id: &str,
        probes: &GroupId,
        before: Option<Before>,
        clock: Clock,
        reporter: Reporter,
    ) -> Self {
        let (links, happenings) = Links::new(Arc::clone(&cluster), Arc::from(client_id), clock);
        let (tell, coordinators) = watch::channel(Coordinators::default());
        let (questions, asked) = mpsc::channel(limits::SURVEY_INSIGHTS);
        let driver = Driver {
            machine: Survey::new(client_id).with_probes(probes),
            cluster,
            id: None,
            before,
            clock,
            reporter,
            links,
            coordinators: tell,
        };
        Self {
            task: tokio::spawn(driver.run(happenings, asked)),
            coordinators,
            insight: Insight { questions },
        }
    }

    /// Who coordinates groups of others, as it changes.
    #[must_use]
    pub fn coordinators(&self) -> watch::Receiver<Coordinators> {
        self.coordinators.clone()
    }

    /// What it costs and could not read, to be asked for.
    #[must_use]
    pub fn insight(&self) -> Insight {
        self.insight.clone()
    }
}

impl Drop for Surveyor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Driver {
    machine: Survey,
    cluster: Arc<Cluster>,
    /// None until a broker has told it.
    id: Option<ClusterId>,
    before: Option<Before>,
    clock: Clock,
    reporter: Reporter,
    links: Links,
    coordinators: watch::Sender<Coordinators>,
}

impl Driver {
    async fn run(
        mut self,
        mut happenings: mpsc::Receiver<Happened>,
        mut asked: mpsc::Receiver<oneshot::Sender<Figures>>,
    ) {
        self.machine.handle(self.clock.now(), Input::Time);
        loop {
            self.carry_out().await;
            let due = self.machine.deadline().unwrap_or(Timestamp::FAR);
            let happened = tokio::select! {
                biased;
                // This task holds a sender: there is always another.
                Some(happened) = happenings.recv() => happened,
                Some(answer) = asked.recv() => {
                    // Whoever asked may be gone.
                    let _gone = answer.send(self.figures());
                    continue;
                }
                () = sleep_until(self.clock.instant(due).into()) => {
                    Happened { at: self.clock.now(), from: None, input: Input::Time }
                }
            };
            if !self.links.take_note(&happened) {
                continue;
            }
            if let Input::Found { cluster, .. } = &happened.input
                && self.id.is_none()
            {
                let id = cluster.clone().unwrap_or_else(|| self.cluster.nickname());
                self.id = Some(id.clone());
                self.go_on(&id).await;
            }
            self.machine.handle(happened.at, happened.input);
            let coordinators = self.machine.coordinators();
            self.coordinators.send_if_modified(|told| {
                let news = *told != coordinators;
                *told = coordinators;
                news
            });
        }
    }

    /// It is known which cluster it is.
    async fn go_on(&mut self, id: &ClusterId) {
        let Some(before) = &mut self.before else { return };
        if before.cluster == *id {
            self.machine.goes_on_from(&before.groups);
        } else {
            for gone in before.farewell(self.clock.now_unix()) {
                self.reporter.report(gone).await;
            }
        }
        before.groups = Vec::new();
    }

    fn figures(&self) -> Figures {
        Figures {
            loads: self.machine.loads(),
            log: self.machine.log_counts(),
        }
    }

    async fn carry_out(&mut self) {
        while let Some(output) = self.machine.poll() {
            if let Some(report) = self.links.carry_out(output) {
                log(&report.change);
                self.reporter.report(self.observation(report)).await;
            }
        }
    }

    /// Before a broker has told which cluster it is, none is named: all there is to report is that no broker was found.
    fn observation(&self, report: Report) -> Observation {
        let at = self.unix(report.at);
        let at_earliest = report.at_earliest.map(|earliest| self.unix(earliest));
        let change = match report.change {
            Change::Gap { what, why, .. } => Change::Gap {
                what,
                from: at_earliest.unwrap_or(at),
                to: at,
                why,
            },
            change => change,
        };
        Observation {
            at,
            at_earliest,
            source: Source::Survey,
            evidence: report.evidence,
            cluster: self.id.clone().unwrap_or_default(),
            group: report.group,
            member: report.member,
            change,
        }
    }

    fn unix(&self, when: When) -> UnixMs {
        match (when, &self.before) {
            (When::Here(BEFORE), Some(before)) => before.ended,
            (When::Here(at), _) => self.clock.unix(at),
            (When::There(at), _) => at,
        }
    }
}

/// What an operator who has no page yet is to read: that the cluster, or a broker of it, is not reached, and why; on change.
fn log(change: &Change) {
    match change {
        Change::CoordinatorNotFound {
            detail: Some(detail), ..
        } => tracing::warn!("the cluster is not reached: {detail}"),
        Change::BrokerSilent { node, detail, cause } => {
            let why = detail.clone().unwrap_or_else(|| cause.to_string());
            tracing::warn!("broker {node} does not answer: {why}");
        }
        Change::BrokerAnswers { node, .. } => tracing::info!("broker {node} answers"),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
