//! What the viewer does, and what the browser must do about it.

use shared::board::GroupKey;
use shared::fault::Fault;

use super::Theme;
use super::address::Address;
use super::faults::Field;
use super::groups::GroupList;

/// What the viewer did.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Follows a link.
    Go(Address),
    /// Lists these groups, in this order.
    List(GroupList),
    /// Wants the groups in the order that is true now.
    Reorder,
    /// Lists only the events that this address lets through.
    Narrow(Address),
    /// Holds the event log still, or lets it go on.
    Pause(bool),
    /// Wants more rows of the event log.
    MoreRows,
    /// Wants more rows of members.
    MoreMembers,
    /// Chooses a theme.
    SetTheme(Theme),
    /// Wants times in UTC, or in the zone of the browser.
    SetUtc(bool),
    /// Chooses something in the form of faults.
    Choose(Field, String),
    /// Plays a fault.
    Play(Fault),
    /// Measures a group's coordinator.
    Ping(GroupKey),
}

/// What the browser must do about an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Show an address: as a new entry of the history, or in place of the current one.
    ShowAddress { href: String, new_entry: bool },
    /// Show and remember a theme.
    SetTheme(Theme),
    /// Remember whether times are in UTC.
    SetUtc(bool),
    /// Ask the server to play a fault.
    Play(Fault),
    /// Ask the server, at a path, to measure a group's coordinator.
    Ping(GroupKey, String),
}
