//! The API under `/api/` (docs/contract.md).

pub(super) mod board;
pub(super) mod events;
pub(super) mod faults;
pub(super) mod group;
pub(super) mod groups;
pub(super) mod ping;
pub(super) mod ready;
mod row;
