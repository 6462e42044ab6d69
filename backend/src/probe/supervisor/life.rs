//! A member's life, seen from outside: how it ended, and what comes after it.

use shared::backoff::{Backoff, Jitter};
use shared::ids::ClusterId;
use shared::member::End;
use shared::time::Timestamp;
use tokio::sync::watch;

use crate::limits;
use crate::probe::driver::Ended;
use crate::probe::refusals::Failure;
use crate::probe::roster::{Order, Place};

/// A member's life from its start to its end.
pub(super) struct Life {
    /// Of its place.
    pub(super) key: u64,
    /// Its number, which its replacement takes over.
    pub(super) number: u64,
    pub(super) ended: Ended,
    /// The error that ended it, as far as that was told.
    pub(super) failure: Option<Failure>,
    pub(super) started: Timestamp,
    /// The pauses before it is replaced, and its replacement, and so on.
    pub(super) pauses: Backoff,
}

/// A member to start in the place of one that failed.
pub(super) struct Replacement {
    /// The number it takes over; none where the one before cannot tell.
    pub(super) number: Option<u64>,
    /// How that one ended.
    pub(super) failure: Option<Failure>,
    pub(super) pauses: Backoff,
}

impl Life {
    /// The same life of a guest, whose end by an error is an end as any.
    pub(super) fn of_guest(self) -> Self {
        if let Ended::Itself(End::Fatal(fatal)) = &self.ended {
            tracing::info!(
                code = fatal.code,
                "a member that was there for a fault failed: {}",
                fatal.sentence
            );
            return Self {
                ended: Ended::Killed,
                ..self
            };
        }
        self
    }
}

/// Between an end by an error and the next life, and the next.
pub(super) fn pauses(jitter: Jitter) -> Backoff {
    Backoff::exponential(limits::REPLACEMENT_FIRST, limits::REPLACEMENT_MAX, jitter)
}

/// The cluster's id, which every event names; or how a member ended that was told to go before that was known.
pub(super) async fn identity_or_order(
    identity: &mut watch::Receiver<Option<ClusterId>>,
    place: &mut Place,
) -> Result<ClusterId, Ended> {
    loop {
        tokio::select! {
            known = identity.wait_for(Option::is_some) => return match known.as_deref() {
                Ok(Some(id)) => Ok(id.clone()),
                Ok(None) | Err(_) => Err(Ended::Killed),
            },
            order = place.ordered() => match order {
                Order::Stay => {}
                Order::Leave => return Err(Ended::Itself(End::Outside)),
                Order::Die => return Err(Ended::Killed),
            },
        }
    }
}
