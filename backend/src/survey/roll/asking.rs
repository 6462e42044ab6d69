//! What each broker is asked next.

use std::collections::VecDeque;

use shared::protocol::ListGroupsRequest;
use shared::time::Timestamp;

use super::broker::Asked;
use super::{Roll, ask, look_at};
use crate::kafka::connection::handshake;
use crate::survey::ledger::Ledger;
use crate::survey::port::{Output, Report};

impl Roll {
    /// Connects, lists and describes as far as that is due and brokers have room.
    pub(super) fn ask_on(&mut self, now: Timestamp, ledger: &Ledger, out: &mut VecDeque<Output>) {
        self.find(now, out);
        self.ask_for_rights(now, out);
        // The groups of a broker that is no more may be missing on another one's list, though that is the same.
        let all_named = self.seats.values().all(|seat| seat.named || seat.is_up());
        for (node, seat) in &mut self.seats {
            if seat.connect_due(now)
                && let Some(address) = seat.address.clone()
            {
                seat.opening();
                out.push_back(Output::Open {
                    link: look_at(*node),
                    address,
                });
            }
            if seat.list_due(now) {
                self.tokens += 1;
                let asked = ask(
                    seat,
                    *node,
                    self.tokens,
                    ListGroupsRequest::default(),
                    Asked::List,
                    Some(if all_named { seat.list_known() } else { 0 }),
                );
                out.extend(asked);
            }
            while let Some((call, batch)) = seat.batch(now) {
                let mut settled = true;
                for group in &batch {
                    if let Some(known) = self.groups.get_mut(group) {
                        known.asked = true;
                        known.asked_at = now;
                        settled &= known.is_settled(group, ledger);
                    }
                }
                self.tokens += 1;
                let request = call.request(&batch);
                let known = seat.batch_known(call, &batch, settled);
                match ask(
                    seat,
                    *node,
                    self.tokens,
                    request,
                    Asked::Describe(call, batch),
                    Some(known),
                ) {
                    Some(asked) => out.push_back(asked),
                    None => break,
                }
            }
            if let Some(change) = seat.trips.tell(now, *node) {
                out.push_back(Output::Report(Report::of_cluster(now, change)));
            }
            if seat.is_idle() && seat.trips.take_wanted() {
                self.tokens += 1;
                out.extend(ask(
                    seat,
                    *node,
                    self.tokens,
                    handshake::question(),
                    Asked::Trip,
                    None,
                ));
            }
        }
    }
}
