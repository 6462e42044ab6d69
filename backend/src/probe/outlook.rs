//! What the survey sees of a member's coordinator, handed to the member whenever that is something else.

use std::future::pending;

use shared::ids::GroupId;
use shared::member::Outlook;
use tokio::sync::watch;

use crate::survey::port::Coordinators;

/// Where it comes from, and what was told last.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    /// None where nobody looks, or nobody does any more.
    seen: Option<watch::Receiver<Coordinators>>,
    told: Outlook,
}

impl Lookout {
    pub(super) fn new(seen: Option<watch::Receiver<Coordinators>>) -> Self {
        let told = Outlook::default();
        Self { seen, told }
    }

    /// The next that is another than the last; dropped before it is there, nothing is lost.
    pub(super) async fn changed(&mut self, group: &GroupId) -> Outlook {
        loop {
            let Some(seen) = &mut self.seen else {
                return pending().await;
            };
            let outlook = {
                let seen = seen.borrow_and_update();
                Outlook {
                    coordinator: seen.of(group),
                    answering: seen.answering.clone(),
                }
            };
            if outlook != self.told {
                self.told = outlook;
                return self.told.clone();
            }
            if seen.changed().await.is_err() {
                self.seen = None;
            }
        }
    }
}
