//! What keeps the survey from being a burden: how many requests a broker has from us at once, and how many in a second.
//!
//! The parts of the survey each ask for little at once; here stands what all of them together may ask of one broker. What is
//! too much waits, in its order, and is sent as answers come and time passes. Until it is sent it is no question yet: its
//! timeout and its round trip begin there.

use std::collections::{BTreeMap, VecDeque};

use shared::ids::NodeId;
use shared::time::{Millis, Timestamp};

use super::port::{Input, Lane, Link, Output};
use crate::limits;

/// One gate for each broker.
#[derive(Debug, Default)]
pub(super) struct Gates {
    gates: BTreeMap<NodeId, Gate>,
}

/// What one broker is asked, as /metrics tells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Requests that it has not answered yet.
    pub in_flight: usize,
    /// The most that there ever were.
    pub most_in_flight: usize,
    /// The most that were ever sent in one second.
    pub most_in_a_second: usize,
    /// Groups whose committed offsets the last round had no time to ask for: the next one begins with them.
    pub put_off: usize,
}

#[derive(Debug, Default)]
struct Gate {
    unanswered: BTreeMap<Lane, usize>,
    held: VecDeque<Output>,
    /// When the next request would be sent if all came at an even pace (the generic cell rate algorithm of ATM).
    even: Timestamp,
    /// The second that is counted, and the requests in it.
    second: (Timestamp, usize),
    most_in_flight: usize,
    most_in_a_second: usize,
}

impl Gates {
    /// Takes in what happened.
    pub(super) fn heard(&mut self, input: &Input) {
        let (Input::Answered { link, .. } | Input::Same { link, .. } | Input::Ended { link, .. }) = input
        else {
            return;
        };
        let Some(gate) = self.gates.get_mut(&link.node) else {
            return;
        };
        if matches!(input, Input::Ended { .. }) {
            gate.ended(*link);
        } else if let Some(unanswered) = gate.unanswered.get_mut(&link.lane) {
            *unanswered = unanswered.saturating_sub(1);
        }
        // Brokers name themselves: those that nothing is asked of any more are not remembered without end.
        if self.gates.len() > limits::BROKERS && self.gates.get(&link.node).is_some_and(Gate::is_idle) {
            self.gates.remove(&link.node);
        }
    }

    /// The output, unless it must wait.
    pub(super) fn pass(&mut self, now: Timestamp, output: Output) -> Option<Output> {
        match &output {
            Output::Ask { link, .. } => {
                let link = *link;
                let gate = self.gates.entry(link.node).or_default();
                if !gate.held.is_empty() || !gate.is_open(now) {
                    gate.held.push_back(output);
                    return None;
                }
                gate.sends(now, link.lane);
            }
            Output::Close { link } => {
                if let Some(gate) = self.gates.get_mut(&link.node) {
                    gate.ended(*link);
                }
            }
            Output::Find | Output::Open { .. } | Output::Report(_) => {}
        }
        Some(output)
    }

    /// The next that has waited long enough.
    pub(super) fn release(&mut self, now: Timestamp) -> Option<Output> {
        let mut open = self.gates.values_mut().filter(|gate| gate.is_open(now));
        let (gate, output) = open.find_map(|gate| {
            let output = gate.held.pop_front()?;
            Some((gate, output))
        })?;
        if let Output::Ask { link, .. } = &output {
            gate.sends(now, link.lane);
        }
        Some(output)
    }

    /// When something that waits may go, if no answer comes before.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let waiting = self.gates.values().filter(|gate| !gate.held.is_empty());
        let paced = waiting.filter(|gate| gate.in_flight() < limits::SURVEY_IN_FLIGHT);
        paced.map(Gate::opens).min()
    }

    /// What each broker is asked.
    pub(super) fn loads(&self) -> BTreeMap<NodeId, Load> {
        let loads = self.gates.iter().map(|(node, gate)| (*node, gate.load()));
        loads.collect()
    }
}

impl Gate {
    fn in_flight(&self) -> usize {
        self.unanswered.values().sum()
    }

    fn is_idle(&self) -> bool {
        self.held.is_empty() && self.in_flight() == 0
    }

    fn is_open(&self, now: Timestamp) -> bool {
        self.in_flight() < limits::SURVEY_IN_FLIGHT && self.opens() <= now
    }

    /// From when on its pace lets one more through: so many may come at once before the pace is kept.
    const fn opens(&self) -> Timestamp {
        let ahead = limits::SURVEY_BURST * pause();
        Timestamp(self.even.0.saturating_sub(ahead))
    }

    fn sends(&mut self, now: Timestamp, lane: Lane) {
        self.even = Timestamp(self.even.0.max(now.0).saturating_add(pause()));
        *self.unanswered.entry(lane).or_default() += 1;
        self.most_in_flight = self.most_in_flight.max(self.in_flight());
        let (since, count) = self.second;
        self.second = if now < since + Millis(1_000) {
            (since, count + 1)
        } else {
            (now, 1)
        };
        self.most_in_a_second = self.most_in_a_second.max(self.second.1);
    }

    /// A connection is no more, and what was asked on it is neither.
    fn ended(&mut self, link: Link) {
        self.unanswered.remove(&link.lane);
        self.held
            .retain(|held| !matches!(held, Output::Ask { link: of, .. } if *of == link));
    }

    fn load(&self) -> Load {
        Load {
            in_flight: self.in_flight(),
            most_in_flight: self.most_in_flight,
            most_in_a_second: self.most_in_a_second,
            put_off: 0,
        }
    }
}

/// Between two requests at an even pace, in microseconds.
const fn pause() -> u64 {
    1_000_000 / limits::SURVEY_RATE
}

#[cfg(test)]
mod tests;
