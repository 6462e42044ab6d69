//! How long one broker takes to answer: the round trips of requests that had its connection to themselves, told once a second.
//!
//! A broker answers one request of a connection after the other (protocol.md 2.1): what is sent behind another one waits
//! for that, and says nothing. ApiVersions is asked for the sake of its trip: no coordinator takes part in it, so that it is
//! the network and the broker's request threads alone (Kafka's `KafkaApis.handleApiVersionsRequest`).

use std::collections::BTreeMap;

use shared::event::{Change, RoundTrips};
use shared::histogram::bucket_of;
use shared::ids::NodeId;
use shared::protocol::ApiKey;
use shared::sorted::SortedMap;
use shared::time::Timestamp;

use crate::limits;

/// The round trips to one broker.
#[derive(Debug, Default)]
pub(super) struct Trips {
    /// What was sent last with nothing before it unanswered.
    alone: Option<u64>,
    /// What came of those, and is not told yet.
    counted: BTreeMap<ApiKey, SortedMap<u16, u32>>,
    /// When to tell; none without a connection.
    due: Option<Timestamp>,
    /// Whether ApiVersions is to be asked as soon as nothing else is out.
    wanted: bool,
}

impl Trips {
    /// There is a connection.
    pub(super) fn opened(&mut self, now: Timestamp) {
        self.due = Some(now + limits::SURVEY_TRIPS_PACE);
        self.wanted = true;
    }

    /// There is none.
    pub(super) const fn unlinked(&mut self) {
        self.alone = None;
        self.due = None;
        self.wanted = false;
    }

    /// A request is sent while so many others are unanswered.
    pub(super) const fn asked(&mut self, token: u64, others: usize) {
        if others == 0 {
            self.alone = Some(token);
        }
    }

    /// A request was answered.
    pub(super) fn answered(&mut self, token: u64, api: ApiKey, sent: Timestamp, now: Timestamp) {
        if self.alone == Some(token) {
            self.alone = None;
            let bucket = bucket_of(now.micros_since(sent));
            let count = self.counted.entry(api).or_default().get_or_default(bucket);
            *count = count.saturating_add(1);
        }
    }

    /// Whether ApiVersions is to be asked, nothing else being out; asked for no more, then.
    pub(super) const fn take_wanted(&mut self) -> bool {
        std::mem::replace(&mut self.wanted, false)
    }

    /// What was counted since it was told last, where that is due and is anything.
    pub(super) fn tell(&mut self, now: Timestamp, node: NodeId) -> Option<Change> {
        if self.due.is_none_or(|due| due > now) {
            return None;
        }
        self.due = Some(now + limits::SURVEY_TRIPS_PACE);
        self.wanted = true;
        let counted = std::mem::take(&mut self.counted);
        let trips: Vec<RoundTrips> = counted
            .into_iter()
            .map(|(api, buckets)| RoundTrips {
                api: api.name().to_owned(),
                buckets,
            })
            .collect();
        (!trips.is_empty()).then_some(Change::BrokerLatency { node, trips })
    }

    pub(super) const fn deadline(&self) -> Option<Timestamp> {
        self.due
    }
}
