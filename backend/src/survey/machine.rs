//! The survey as one machine: its parts, and which of them an input is for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::board::Group;
use shared::event::{Change, LogAccess};
use shared::ids::{GroupId, NodeId};
use shared::time::Timestamp;

use super::gate::{Gates, Load};
use super::ledger::{Counts, Ledger};
use super::port::{Coordinators, Input, Lane, Output, Report};
use super::roll::Roll;
use super::rounds::Rounds;
use crate::limits;

/// What is known of the groups of others, and what is asked next.
///
/// Whoever drives it gives it every input with its time, empties [`Self::poll`] after each, and comes back with
/// [`Input::Time`] at [`Self::deadline`].
#[derive(Debug, Default)]
pub struct Survey {
    roll: Roll,
    ledger: Ledger,
    rounds: Rounds,
    /// As long as what one input brings about: it is emptied after each.
    outputs: VecDeque<Output>,
    gates: Gates,
    now: Timestamp,
}

impl Survey {
    /// Nothing known, nothing asked; `client_id` is what we call ourselves.
    #[must_use]
    pub fn new(client_id: &str) -> Self {
        Self {
            roll: Roll::new(client_id),
            ..Self::default()
        }
    }

    /// The same where `probes` is a group of ours, and so are those named after it with a counter.
    #[must_use]
    pub fn with_probes(mut self, probes: &GroupId) -> Self {
        self.roll.probes_are(probes);
        self.rounds.probes_are(probes);
        self
    }

    /// Goes on from groups as a run before this one left them. Its coordinators are asked as soon as they are found.
    pub fn goes_on_from(&mut self, groups: &[Arc<Group>]) {
        self.roll.goes_on_from(groups);
    }

    /// Who coordinates groups of others, and who would coordinate which of ours.
    #[must_use]
    pub fn coordinators(&self) -> Coordinators {
        let (partitions, leaders) = self.ledger.leaders();
        Coordinators {
            partitions,
            leaders,
            busy: self.roll.busy(),
            answering: self.roll.answering(),
            named: self.rounds.named(),
        }
    }

    /// Takes in what happened at `now`.
    pub fn handle(&mut self, now: Timestamp, input: Input) {
        self.now = now;
        self.gates.heard(&input);
        let out = &mut self.outputs;
        match input.lane() {
            Some(Lane::Rounds) => {
                self.rounds.handle(now, input, &mut self.roll, &self.ledger, out);
            }
            Some(Lane::Log) => self.ledger.handle(now, input, out),
            Some(Lane::Look) => self.roll.handle(now, input, &self.ledger, out),
            None => {
                if let Input::Found { brokers, .. } = &input {
                    self.ledger.found(now, brokers, out);
                }
                self.ledger.handle(now, Input::Time, out);
                self.roll.handle(now, input, &self.ledger, out);
            }
        }
        let until = self.roll.first_until().unwrap_or(now);
        self.ledger.rest(now, until, out);
        let news = self.ledger.news();
        if !news.is_empty() {
            for news in news {
                self.roll.heard(now, news, &self.ledger, out);
            }
            // Groups of which there is news are looked at at once.
            self.roll.handle(now, Input::Time, &self.ledger, out);
        }
        if let Some(access) = self.ledger.access_news() {
            if access == LogAccess::Denied {
                self.roll.loses_the_log();
            }
            let change = Change::OffsetsLog { access };
            out.push_back(Output::Report(Report::of_cluster(now, change)));
        }
        if let Some(leaderless) = self.ledger.leaderless_news(now) {
            let change = Change::OffsetsLogLeaderless(leaderless);
            out.push_back(Output::Report(Report::of_cluster(now, change)));
        }
        self.rounds.go_on(now, &self.roll, &self.ledger, out);
    }

    /// What was read of the offsets log, and what could not be.
    #[must_use]
    pub const fn log_counts(&self) -> Counts {
        self.ledger.counts()
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        while let Some(output) = self.outputs.pop_front() {
            if let Some(output) = self.gates.pass(self.now, output) {
                return Some(output);
            }
        }
        if self.outputs.capacity() > limits::SURVEY_OUTPUTS {
            self.outputs = VecDeque::new();
        }
        self.gates.release(self.now)
    }

    /// What each broker is asked.
    #[must_use]
    pub fn loads(&self) -> BTreeMap<NodeId, Load> {
        let mut loads = self.gates.loads();
        for (node, put_off) in self.rounds.put_off() {
            loads.entry(node).or_default().put_off = put_off;
        }
        loads
    }

    /// When [`Input::Time`] is due.
    #[must_use]
    pub fn deadline(&self) -> Option<Timestamp> {
        let deadlines = [
            self.roll.deadline(),
            self.ledger.deadline(),
            self.rounds.deadline(),
            self.gates.deadline(),
        ];
        deadlines.into_iter().flatten().min()
    }
}
