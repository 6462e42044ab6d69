//! The list of groups: which are listed and in which order, as the address says; that rows keep their place while somebody
//! reads; and which of them are drawn.
//!
//! - `ranked`: the list worked out from a board; `window`: the rows that are in the window

mod ranked;
mod window;

pub use ranked::Ranked;
pub use window::{Seen, Window};

use shared::board::Group;
use shared::health::{Finding, Verdict};

/// What the list can be sorted by, in the order of its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// The worst first.
    #[default]
    Verdict,
    Group,
    Type,
    State,
    Members,
    Generation,
    Coordinator,
    /// The 99th percentile of its heartbeats.
    Latency,
    Rebalances,
    Lag,
    /// How long it has been in its state.
    Since,
}

impl Column {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Verdict,
        Self::Group,
        Self::Type,
        Self::State,
        Self::Members,
        Self::Generation,
        Self::Coordinator,
        Self::Latency,
        Self::Rebalances,
        Self::Lag,
        Self::Since,
    ];

    /// As the address names it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Group => "group",
            Self::Type => "type",
            Self::State => "state",
            Self::Members => "members",
            Self::Generation => "generation",
            Self::Coordinator => "coordinator",
            Self::Latency => "p99",
            Self::Rebalances => "rebalances",
            Self::Lag => "lag",
            Self::Since => "since",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.word() == word)
    }
}

/// Which groups are listed, and in which order; an empty text lets all through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupList {
    /// Part of the group's id, in whichever case.
    pub search: String,
    pub verdict: String,
    pub group_type: String,
    pub state: String,
    pub sort: Column,
    /// The other way round than the column is read: names from Z, figures from the least.
    pub reversed: bool,
}

impl GroupList {
    /// Reads the order as the address has it: `lag`, or `-lag` the other way round. What it does not know it ignores.
    pub fn order_by(&mut self, text: &str) {
        let word = text.strip_prefix('-').unwrap_or(text);
        if let Some(column) = Column::named(word) {
            self.sort = column;
            self.reversed = text != word;
        }
    }

    /// The order as the address has it; none where it is that of an address that says nothing.
    #[must_use]
    pub fn order(&self) -> Option<String> {
        let minus = if self.reversed { "-" } else { "" };
        let told = self.reversed || self.sort != Column::default();
        told.then(|| [minus, self.sort.word()].concat())
    }

    /// The same list sorted by a column: the other way round where it is sorted by that already.
    #[must_use]
    pub fn sorted_by(&self, column: Column) -> Self {
        Self {
            sort: column,
            reversed: self.sort == column && !self.reversed,
            ..self.clone()
        }
    }

    /// Whether some groups may be left out.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        [&self.search, &self.verdict, &self.group_type, &self.state]
            .iter()
            .any(|text| !text.is_empty())
    }

    fn lets_through(&self, group: &Group, verdict: Verdict) -> bool {
        let is = |wanted: &str, word: Option<&str>| wanted.is_empty() || word == Some(wanted);
        is(&self.verdict, Some(verdict.as_str()))
            && is(&self.group_type, type_of(group))
            && is(&self.state, state_of(group))
            && holds(group.key.group.as_str(), &self.search)
    }

    /// What a group is sorted by; none where that is not visible: such groups come last, whichever way the list is sorted.
    fn key<'a>(&self, group: &'a Group, finding: &Finding) -> Option<(u64, &'a str)> {
        let number = |number: u64| (number, "");
        let text = |text: &'a str| (0, text);
        match self.sort {
            Column::Verdict => Some(number(finding.verdict.severity().into())),
            Column::Group => Some(text(group.key.group.as_str())),
            Column::Type => type_of(group).map(text),
            Column::State => state_of(group).map(text),
            Column::Members => group.member_count().map(|count| number(count as u64)),
            Column::Generation => {
                let generation = group.generation.get()?.0;
                Some(number(generation.max(0).cast_unsigned().into()))
            }
            Column::Coordinator => {
                let node = group.coordinator.as_ref()?.node.0;
                Some(number(node.max(0).cast_unsigned().into()))
            }
            Column::Latency => group.latency().percentile(99.0).map(number),
            Column::Rebalances => group.rebalance_count().map(number),
            Column::Lag => group.lag?.left.map(number),
            // The longest is what began first.
            Column::Since => group.at_rest_since().map(|since| number(u64::MAX - since.at.0)),
        }
    }
}

fn type_of(group: &Group) -> Option<&str> {
    group.group_type.get().map(|group_type| group_type.as_str())
}

fn state_of(group: &Group) -> Option<&str> {
    group.state.get().map(|state| state.as_str())
}

/// Whether a text holds another one, in whichever case as far as ASCII goes: a table of all cases would weigh more than the list.
fn holds(text: &str, part: &str) -> bool {
    part.is_empty() || text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
