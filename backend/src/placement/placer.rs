//! The placement's IO: members are hired and dismissed as it decides.

use std::sync::Arc;

use shared::time::Timestamp;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::{Placement, Step};
use crate::clock::Clock;
use crate::probe::{KeptOut, ProbeConfig, Probes};
use crate::survey::port::Coordinators;

/// Runs until it is dropped, or the survey ends.
#[derive(Debug)]
pub struct Placer {
    task: JoinHandle<()>,
}

impl Placer {
    /// Places members among `probes` that are told what `told` says, but for their groups, where `seen` calls for them.
    #[must_use]
    pub fn start(
        probes: Arc<Probes>,
        told: ProbeConfig,
        clock: Clock,
        seen: watch::Receiver<Coordinators>,
    ) -> Self {
        let placement = Placement::new(&told.member.group);
        let task = tokio::spawn(place(placement, probes, told, clock, seen));
        Self { task }
    }
}

impl Drop for Placer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn place(
    mut placement: Placement,
    probes: Arc<Probes>,
    told: ProbeConfig,
    clock: Clock,
    mut seen: watch::Receiver<Coordinators>,
) {
    loop {
        let steps = placement.handle(clock.now(), &seen.borrow_and_update());
        for step in steps {
            carry_out(step, &probes, &told);
        }
        let due = placement.deadline().unwrap_or(Timestamp::FAR);
        tokio::select! {
            changed = seen.changed() => if changed.is_err() {
                return;
            },
            () = sleep_until(clock.instant(due).into()) => {}
        }
    }
}

fn carry_out(step: Step, probes: &Probes, told: &ProbeConfig) {
    match step {
        Step::Start(group) => {
            let mut one = told.clone();
            one.members = 1;
            one.member.client_id = group.as_str().to_owned();
            one.member.instance = None;
            one.member.topics = Vec::new();
            one.member.group = group;
            if let Err(error) = probes.hire_where_free(one, KeptOut::default()) {
                tracing::warn!("no probe group on one more coordinator: {error}");
            }
        }
        Step::Stop(group) => probes.dismiss(&group),
    }
}
