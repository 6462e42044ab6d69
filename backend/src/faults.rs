//! The way of a fault from whoever asks for it to the part that plays it.
//!
//! Some are the embedded coordinator's to play, some our members' (`members`). One task owns both and plays one fault at a
//! time, so that two people cannot interleave.

mod members;
mod odd_ids;
mod reading;

pub use reading::read;

use shared::fault::Fault;
use shared::health::words::escaped;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use crate::embedded::{EmbeddedHandle, FaultError};
use crate::limits;
use crate::probe::Probes;

/// Where faults are asked for; cheap to clone.
#[derive(Clone, Debug)]
pub struct FaultDesk {
    orders: mpsc::Sender<Order>,
}

/// A fault that somebody waits for.
#[derive(Debug)]
pub struct Order {
    /// What to play.
    pub fault: Fault,
    /// Who waits: told what the fault does.
    pub done: oneshot::Sender<Result<String, Refused>>,
}

/// Why a fault is not played: nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// It names something that is not there or not allowed.
    #[error("{0}")]
    Value(String),
    /// It cannot be played now.
    #[error("{0}")]
    Now(String),
    /// The server is ending.
    #[error("the server is ending")]
    Ended,
}

impl FaultDesk {
    /// A desk, and the end at which orders are taken.
    #[must_use]
    pub fn open() -> (Self, mpsc::Receiver<Order>) {
        let (orders, taken) = mpsc::channel(limits::FAULTS_WAITING);
        (Self { orders }, taken)
    }

    /// Has a fault played; says what it does.
    ///
    /// # Errors
    ///
    /// [`Refused`]: what of it is not allowed, and what is.
    pub async fn play(&self, fault: Fault) -> Result<String, Refused> {
        let (done, played) = oneshot::channel();
        let order = Order { fault, done };
        self.orders.send(order).await.map_err(|_| Refused::Ended)?;
        played.await.unwrap_or(Err(Refused::Ended))
    }
}

impl Order {
    /// Plays the fault where it belongs and tells whoever asked.
    pub async fn play(self, coordinator: &EmbeddedHandle, members: Option<&Probes>) {
        let played = play(self.fault, coordinator, members).await;
        // Whoever asked may be gone; the fault is played all the same.
        let _gone = self.done.send(played);
    }
}

async fn play(
    fault: Fault,
    coordinator: &EmbeddedHandle,
    members: Option<&Probes>,
) -> Result<String, Refused> {
    reading::check_bounds(&fault).map_err(Refused::Value)?;
    let line = serde_json::to_string(&fault).unwrap_or_else(|_| fault.name().to_owned());
    let sentence = match members::play(&fault, coordinator, members).await? {
        Some(sentence) => {
            coordinator.report_played(fault);
            sentence
        }
        None => coordinator.play(fault).await?.sentence,
    };
    // Ids in it come from strangers, and a terminal reads it.
    tracing::info!("fault_played {}: {}", escaped(&line), escaped(&sentence));
    Ok(sentence)
}

impl Refused {
    /// Who runs changes from one moment to the next: a member that is not there is nothing wrong with the request.
    fn now(why: impl std::fmt::Display) -> Self {
        Self::Now(why.to_string())
    }
}

impl From<FaultError> for Refused {
    fn from(error: FaultError) -> Self {
        match error {
            FaultError::Ended => Self::Ended,
            FaultError::Member { .. }
            | FaultError::Group { .. }
            | FaultError::TooMany
            | FaultError::AlreadyStopped
            | FaultError::Stopped
            | FaultError::Listen { .. } => Self::now(error),
            _ => Self::Value(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
