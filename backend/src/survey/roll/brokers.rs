//! Which brokers there are: they come, go, fall silent and answer again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::event::{Change, LinkFault};
use shared::ids::NodeId;
use shared::time::Timestamp;

use super::broker::{self, Asked, Standing};
use super::{Roll, look_at};
use crate::kafka::cluster::Broker;
use crate::limits;
use crate::survey::port::{Output, Report};

impl Roll {
    /// The brokers that are up, as one of them tells.
    pub(super) fn brokers(&mut self, now: Timestamp, brokers: Vec<Broker>, out: &mut VecDeque<Output>) {
        self.finding = false;
        self.not_found = None;
        self.find_due = now + limits::SURVEY_BROKERS_PACE;
        // A broker that knows of none has not been told yet which there are.
        if brokers.is_empty() {
            return;
        }
        let brokers: Vec<Broker> = brokers.into_iter().take(limits::BROKERS).collect();
        self.forget_gone(now, &brokers.iter().map(|broker| broker.node).collect(), out);
        let mut named = BTreeMap::new();
        for broker in brokers {
            if self.seats.len() >= limits::BROKERS && !self.seats.contains_key(&broker.node) {
                continue;
            }
            match broker.address {
                Ok(address) => drop(named.insert(broker.node, address)),
                Err(error) => {
                    // A broker that advertises what is no address cannot be asked; its groups are on nobody's list.
                    let known = self
                        .seats
                        .get(&broker.node)
                        .is_some_and(|seat| seat.address.is_none());
                    if !known {
                        let change = broker::silent(broker.node, LinkFault::Garbled, error.to_string());
                        out.push_back(Output::Report(Report::of_cluster(now, change)));
                    }
                    self.seats.entry(broker.node).or_default().named = true;
                }
            }
        }
        for (node, address) in named {
            let seat = self.seats.entry(node).or_default();
            seat.named = true;
            if seat.address.as_ref() == Some(&address) {
                continue;
            }
            if seat.address.replace(address).is_some() && seat.is_linked() {
                out.push_back(Output::Close { link: look_at(node) });
                if seat.asks(|asked| matches!(asked, Asked::Rights)) {
                    self.rights.lost();
                }
                seat.unlinked(now, &mut self.groups);
            }
        }
    }

    /// Brokers that the cluster counts no more: told once, and forgotten as soon as no group waits for them.
    fn forget_gone(&mut self, now: Timestamp, named: &BTreeSet<NodeId>, out: &mut VecDeque<Output>) {
        for (node, seat) in &mut self.seats {
            if seat.named && !named.contains(node) {
                seat.named = false;
                let change = Change::BrokerGone { node: *node };
                out.push_back(Output::Report(Report::of_cluster(now, change)));
            }
        }
        if self.seats.values().all(|seat| seat.named) {
            return;
        }
        let awaited: BTreeSet<NodeId> = self.groups.values().map(|known| known.node).collect();
        self.seats
            .retain(|node, seat| seat.named || seat.is_linked() || awaited.contains(node));
    }

    /// A connection could not be made, or is no more.
    pub(super) fn ended(
        &mut self,
        now: Timestamp,
        node: NodeId,
        fault: LinkFault,
        detail: String,
        out: &mut VecDeque<Output>,
    ) {
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        self.finding &= !seat.asks(|asked| matches!(asked, Asked::Brokers));
        if seat.asks(|asked| matches!(asked, Asked::Rights)) {
            self.rights.lost();
        }
        seat.unlinked(now, &mut self.groups);
        if std::mem::replace(&mut seat.standing, Standing::Silent) != Standing::Silent {
            let report = Report::of_cluster(now, broker::silent(node, fault, detail));
            out.push_back(Output::Report(report.since(seat.answered_at)));
        }
        // Where it went is known to the others first.
        self.find_due = self.find_due.min(now);
    }

    /// A broker has answered.
    pub(super) fn heard_of(&mut self, now: Timestamp, node: NodeId, out: &mut VecDeque<Output>) {
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        seat.answered_at = Some(now);
        if std::mem::replace(&mut seat.standing, Standing::Answers) != Standing::Answers {
            seat.is_back(now);
            let change = broker::answers(node, seat.address.as_ref());
            out.push_back(Output::Report(Report::of_cluster(now, change)));
        }
    }
}
