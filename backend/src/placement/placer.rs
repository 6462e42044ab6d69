//! The placement's IO: members are hired and dismissed as it decides.

use std::sync::Arc;

use shared::ids::GroupId;
use shared::time::Timestamp;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
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
    let mut refused = JoinSet::new();
    loop {
        let steps = placement.handle(clock.now(), &seen.borrow_and_update());
        for step in steps {
            carry_out(step, &probes, &told, &mut refused);
        }
        let due = placement.deadline().unwrap_or(Timestamp::FAR);
        tokio::select! {
            changed = seen.changed() => if changed.is_err() {
                return;
            },
            Some(group) = refused.join_next() => if let Ok(Some(group)) = group {
                carry_out(placement.refuse(group), &probes, &told, &mut refused);
            },
            () = sleep_until(clock.instant(due).into()) => {}
        }
    }
}

/// Does it; a group that is started and turns out to be one of others is given by one of `refused`.
fn carry_out(step: Step, probes: &Probes, told: &ProbeConfig, refused: &mut JoinSet<Option<GroupId>>) {
    match step {
        Step::Start(group) => {
            let mut one = told.clone();
            one.members = 1;
            one.member.client_id = group.as_str().to_owned();
            one.member.instance = None;
            one.member.topics = Vec::new();
            one.member.group = group.clone();
            let kept_out = KeptOut::placed();
            let mut why = kept_out.watched();
            if let Err(error) = probes.hire_where_free(one, kept_out) {
                tracing::warn!("no probe group on one more coordinator: {error}");
            }
            // Over without a word as soon as nobody can say it any more.
            refused.spawn(async move {
                let why = why.wait_for(Option::is_some).await.ok()?.clone()?;
                tracing::info!("{why}: the next name is tried");
                Some(group)
            });
        }
        Step::Stop(group) => probes.dismiss(&group),
    }
}
