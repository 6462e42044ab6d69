//! The offsets log on its own, read from its begin to its end as fast as its brokers give it: the survey's own reader without
//! its pace and without the rest of the survey. What `cargo xtask bench log` measures.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::event::LogAccess;
use shared::time::Timestamp;
use thiserror::Error;
use tokio::time::sleep_until;

use super::ledger::{Counts, Ledger, Pace};
use super::link::{Happened, Links};
use super::port::Input;
use crate::clock::Clock;
use crate::kafka::cluster::{Cluster, ClusterError};

/// What reading all of the log came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRead {
    /// What was read, and what could not be.
    pub counts: Counts,
    /// Groups of which something is known.
    pub groups: usize,
    /// Committed partitions of all of them.
    pub commits: usize,
}

/// Why the log was not read.
#[derive(Debug, Error)]
pub enum LogUnread {
    /// No broker told who else there is.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// There is no log yet.
    #[error("the cluster has no offsets log: no group has joined or committed yet")]
    Absent,
    /// It may not be read.
    #[error("READ on topic __consumer_offsets is missing")]
    Denied,
}

/// Reads the log of `cluster` to where it ended when this began. A broker that is lost meanwhile is waited for.
///
/// # Errors
///
/// There is no cluster, or no log that may be read.
pub async fn read_log(cluster: Arc<Cluster>, client_id: &str, clock: Clock) -> Result<LogRead, LogUnread> {
    let client_id: Arc<str> = Arc::from(client_id);
    let described = cluster.describe(Arc::clone(&client_id), &[]).await?;
    let (mut links, mut happenings) = Links::new(cluster, client_id, clock);
    let mut ledger = Ledger::at_pace(Pace::Full);
    let mut out = VecDeque::new();
    ledger.found(clock.now(), &described.brokers, &mut out);
    ledger.handle(clock.now(), Input::Time, &mut out);
    loop {
        for output in out.drain(..) {
            let _nobody_is_told = links.carry_out(output);
        }
        match ledger.access_news() {
            Some(LogAccess::Read) => break,
            Some(LogAccess::Absent) => return Err(LogUnread::Absent),
            Some(LogAccess::Denied) => return Err(LogUnread::Denied),
            Some(LogAccess::Reading) | None => {}
        }
        let due = clock.instant(ledger.deadline().unwrap_or(Timestamp::FAR));
        let happened = tokio::select! {
            biased;
            // The links hold a sender: there is always another.
            Some(happened) = happenings.recv() => happened,
            () = sleep_until(due.into()) => {
                Happened { at: clock.now(), from: None, input: Input::Time }
            }
        };
        if links.take_note(&happened) {
            ledger.handle(happened.at, happened.input, &mut out);
        }
    }
    let (groups, commits) = ledger.kept();
    Ok(LogRead {
        counts: ledger.counts(),
        groups,
        commits,
    })
}
