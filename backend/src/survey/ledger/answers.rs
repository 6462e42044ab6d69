//! What the brokers answered: where the log is, where it begins and ends, what stands in it.

use std::collections::VecDeque;

use shared::error_code as code;
use shared::event::Change;
use shared::ids::NodeId;
use shared::protocol::{
    AnyResponse, FetchResponse, ListOffsetsResponse, MetadataResponse, MetadataResponseTopic, PartitionData,
};
use shared::time::{Millis, Timestamp, UnixMs};

use super::book::Heard;
use super::feed::{Past, Tail};
use super::reading::Part;
use super::seat::{What, link};
use super::{Access, LOG, Ledger};
use crate::limits;
use crate::survey::port::{Output, Report};
use crate::survey::roll::addresses;

/// The right to read the log, and what is not visible without it.
const RIGHT: &str = "READ on topic __consumer_offsets: the timeouts of members, generations, the phases of a rebalance and \
                     last commits are not visible";

impl Ledger {
    pub(super) fn answered(
        &mut self,
        now: Timestamp,
        node: NodeId,
        token: u64,
        response: AnyResponse,
        out: &mut VecDeque<Output>,
    ) {
        let Some(asked) = self.seats.get_mut(&node).and_then(|seat| seat.take(token)) else {
            return;
        };
        match (asked.what, response) {
            (What::Where, AnyResponse::Metadata(answer)) => self.located(now, asked.at, answer, out),
            (what @ (What::Ends | What::Begins), AnyResponse::ListOffsets(answer)) => {
                self.throttled(now, node, answer.throttle_time_ms);
                self.listed(now, node, what, asked.at, answer, out);
            }
            (what @ (What::Tail | What::Past), AnyResponse::Fetch(answer)) => {
                self.throttled(now, node, answer.throttle_time_ms);
                self.fetched(now, node, what, asked.at, answer, out);
            }
            _ => {}
        }
    }

    /// Where the partitions are.
    fn located(
        &mut self,
        now: Timestamp,
        asked: Timestamp,
        answer: MetadataResponse,
        out: &mut VecDeque<Output>,
    ) {
        self.search.asked = None;
        self.search.answered = now;
        self.search.due = Some(now + limits::LEDGER_RETRY);
        let mut answer = answer;
        let topic = answer
            .topics
            .iter()
            .position(|topic| topic.name.as_deref() == Some(LOG))
            .map(|place| answer.topics.swap_remove(place));
        let brokers = addresses(answer);
        // A broker that knows of no brokers knows of no topics yet either.
        let informed = !brokers.is_empty();
        if informed {
            let there = |node: &NodeId| brokers.iter().any(|broker| broker.node == *node);
            self.seats.retain(|node, seat| {
                let stays = there(node);
                if !stays && seat.line.is_linked() {
                    out.push_back(Output::Close { link: link(*node) });
                }
                stays
            });
            self.found(now, &brokers, out);
        }
        let Some(topic) = topic else { return };
        match topic.error_code {
            code::NONE => {
                self.leaders.located(now, &topic);
                self.led(now, topic);
            }
            code::TOPIC_AUTHORIZATION_FAILED => self.deny(now, out),
            code::UNKNOWN_TOPIC_OR_PARTITION => {
                self.leave();
                self.access = Access::Absent;
                self.absent = informed.then_some(asked).or(self.absent);
                self.search.due = Some(now + limits::LEDGER_ABSENT);
            }
            _ => {}
        }
    }

    fn led(&mut self, now: Timestamp, topic: MetadataResponseTopic) {
        if self.topic_id != topic.topic_id {
            // Made anew under the same name.
            for (partition, feed) in &mut self.feeds {
                feed.reset();
                self.desk.book.forget(*partition);
            }
            self.topic_id = topic.topic_id;
        }
        let mut whole = true;
        let made_since = self.absent.take();
        for partition in topic.partitions.into_iter().take(limits::LEDGER_PARTITIONS) {
            let seen = self.feeds.contains_key(&partition.partition_index);
            let feed = self.feeds.entry(partition.partition_index).or_default();
            if let Some(since) = made_since.filter(|_| feed.is_untouched()) {
                feed.all_is_news(since);
                self.desk.book.whole(partition.partition_index);
            }
            let leader = (partition.leader_id >= 0).then_some(NodeId(partition.leader_id));
            // Where there was no log there was no group either.
            if feed.leader != leader && leader.is_some() && made_since.is_none() {
                feed.led_since = if seen { now + limits::SURVEY_UNREAD } else { now };
            }
            feed.leader = leader;
            // A leader that does not answer may be none any more, as soon as the cluster has noticed.
            let up = |leader| self.seats.get(&leader).is_some_and(|seat| seat.line.is_up());
            whole &= feed.leader.is_some_and(up);
        }
        if self.access != Access::Denied {
            self.access = Access::Open;
        }
        self.search.due = (!whole).then(|| now + limits::LEDGER_RETRY);
    }

    /// Nobody leads anything, as far as we know.
    fn leave(&mut self) {
        for feed in self.feeds.values_mut() {
            feed.leader = None;
        }
    }

    /// The right to read the log is missing: told once, and tried again rarely.
    fn deny(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        self.leave();
        self.access = Access::Denied;
        self.search.due = Some(now + limits::LEDGER_DENIED);
        if self.denied.replace(now).is_none() {
            let error = code::TOPIC_AUTHORIZATION_FAILED;
            out.push_back(Output::Report(Report::missing(now, error, RIGHT.to_owned())));
        }
    }

    /// It could be read when that was asked for. A broker looks at the right when a Fetch comes, and may hold the answer back: one
    /// that was asked before the right was refused elsewhere says nothing of it.
    fn allowed(&mut self, now: Timestamp, asked: Timestamp, out: &mut VecDeque<Output>) {
        if self.denied.is_some_and(|denied| asked <= denied) {
            return;
        }
        self.access = Access::Open;
        if self.denied.take().is_some() {
            out.push_back(Output::Report(Report::granted(now, RIGHT.to_owned())));
        }
    }

    /// The broker wants to be left alone for a while (KIP-219).
    fn throttled(&mut self, now: Timestamp, node: NodeId, ms: i32) {
        if let Some(seat) = self.seats.get_mut(&node) {
            seat.rests = now + Millis(u64::try_from(ms).unwrap_or(0));
        }
    }

    /// The answer was of no use: not asked again at once.
    fn useless(&mut self, now: Timestamp, node: NodeId) {
        if let Some(seat) = self.seats.get_mut(&node) {
            seat.rests = seat.rests.max(now + limits::LEDGER_RETRY);
        }
    }

    /// Why a partition cannot be read from this broker.
    fn failed(
        &mut self,
        now: Timestamp,
        node: NodeId,
        partition: i32,
        error: i16,
        out: &mut VecDeque<Output>,
    ) {
        match error {
            code::TOPIC_AUTHORIZATION_FAILED => self.deny(now, out),
            code::NOT_LEADER_OR_FOLLOWER
            | code::LEADER_NOT_AVAILABLE
            | code::UNKNOWN_TOPIC_OR_PARTITION
            | code::UNKNOWN_TOPIC_ID
            | code::INCONSISTENT_TOPIC_ID
            | code::REPLICA_NOT_AVAILABLE
            | code::KAFKA_STORAGE_ERROR => {
                if let Some(feed) = self.feeds.get_mut(&partition) {
                    feed.leader = None;
                }
                self.look_for_leaders(now);
            }
            _ => self.useless(now, node),
        }
    }

    /// Where partitions end or begin.
    fn listed(
        &mut self,
        now: Timestamp,
        node: NodeId,
        what: What,
        asked: Timestamp,
        answer: ListOffsetsResponse,
        out: &mut VecDeque<Output>,
    ) {
        let mut told = false;
        for partition in answer.topics.into_iter().flat_map(|topic| topic.partitions) {
            told = true;
            let number = partition.partition_index;
            if partition.error_code != code::NONE || partition.offset < 0 {
                self.failed(now, node, number, partition.error_code, out);
                continue;
            }
            let Some(feed) = self.feeds.get_mut(&number) else {
                continue;
            };
            if what == What::Ends {
                feed.ends(partition.offset, asked);
            } else if feed.begins(partition.offset) {
                self.desk.book.whole(number);
            }
        }
        if !told {
            self.useless(now, node);
        }
    }

    /// Records.
    fn fetched(
        &mut self,
        now: Timestamp,
        node: NodeId,
        what: What,
        asked: Timestamp,
        answer: FetchResponse,
        out: &mut VecDeque<Output>,
    ) {
        if answer.error_code != code::NONE {
            self.look_for_leaders(now);
            self.useless(now, node);
            return;
        }
        let partitions: Vec<PartitionData> = answer
            .responses
            .into_iter()
            .flat_map(|topic| topic.partitions)
            .collect();
        let bytes: usize = partitions.iter().map(size).sum();
        if partitions.is_empty() {
            self.useless(now, node);
        }
        for partition in &partitions {
            let number = partition.partition_index;
            match partition.error_code {
                code::NONE => {
                    self.allowed(now, asked, out);
                    if what == What::Tail {
                        self.tail(now, asked, partition);
                    } else {
                        self.past(partition, bytes == 0);
                    }
                }
                code::OFFSET_OUT_OF_RANGE => self.out_of_range(now, what, partition, out),
                error => self.failed(now, node, number, error, out),
            }
        }
        if let Some(seat) = self.seats.get_mut(&node) {
            seat.tail_last = what == What::Tail;
            if what == What::Past {
                seat.past_due = now + self.pace.pause(bytes);
            }
        }
    }

    fn tail(&mut self, now: Timestamp, asked: Timestamp, partition: &PartitionData) {
        let Some(feed) = self.feeds.get_mut(&partition.partition_index) else {
            return;
        };
        let Some(Tail { next, since }) = feed.tail else {
            return;
        };
        let part = Part {
            partition: partition.partition_index,
            from: next,
            until: i64::MAX,
            heard: Some(Heard { since, now }),
        };
        let next = self.desk.read(part, records(partition));
        let all = next >= partition.high_watermark;
        feed.tail = Some(Tail {
            next,
            // What comes next was not there when this was asked for.
            since: if all { asked } else { since },
        });
    }

    fn past(&mut self, partition: &PartitionData, nothing: bool) {
        let number = partition.partition_index;
        let Some(feed) = self.feeds.get_mut(&number) else {
            return;
        };
        let Past::Reading { next, end } = feed.past else {
            return;
        };
        let part = Part {
            partition: number,
            from: next,
            until: end,
            heard: None,
        };
        // Where compaction has left nothing there is nothing to come.
        let next = if nothing {
            end
        } else {
            self.desk.read(part, records(partition))
        };
        if feed.past_to(next) {
            self.desk.book.whole(number);
        }
    }

    /// The log was cut: at its begin, by its retention, or at its end, where it was copied too late.
    fn out_of_range(
        &mut self,
        now: Timestamp,
        what: What,
        partition: &PartitionData,
        out: &mut VecDeque<Output>,
    ) {
        let number = partition.partition_index;
        let Some(feed) = self.feeds.get_mut(&number) else {
            return;
        };
        let begin = partition.log_start_offset;
        let since = feed.tail.map(|tail| tail.since);
        let why = match (what, &mut feed.tail, feed.past) {
            (What::Tail, Some(tail), _) if tail.next < begin => {
                let lost = begin.saturating_sub(tail.next);
                tail.next = begin;
                self.desk.book.cut(number);
                format!("{lost} records were deleted before they were read")
            }
            (What::Past, _, Past::Reading { next, .. }) if next < begin => {
                // What is deleted there is of before our start.
                if feed.past_to(begin) {
                    self.desk.book.whole(number);
                }
                return;
            }
            _ => {
                feed.reset();
                self.desk.book.forget(number);
                "its broker has fewer records than were read of it, as after an unclean election: it is read anew".to_owned()
            }
        };
        let gap = Change::Gap {
            what: format!("what was written to partition {number} of {LOG}"),
            from: UnixMs(0),
            to: UnixMs(0),
            why,
        };
        out.push_back(Output::Report(Report::of_cluster(now, gap).since(since)));
    }
}

fn records(partition: &PartitionData) -> &[u8] {
    partition.records.as_ref().map_or(&[], |records| &records.0)
}

fn size(partition: &PartitionData) -> usize {
    records(partition).len()
}
