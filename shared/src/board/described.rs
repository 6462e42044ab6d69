//! What a member asked for and works on beyond its partitions, as a board keeps it: bounded, and once for members alike.

use std::sync::Arc;

use super::member::Member;
use super::text::clipped;
use crate::event::{Described, RawBytes, Subscription, TaskRoom, Tasks, Work};
use crate::ids::MemberId;
use crate::sorted::SortedMap;

/// What is kept of news, none where they say nothing. Members of one group mostly ask for the same: what the first of them
/// has is shared.
pub(super) fn kept(news: &Described, members: &SortedMap<MemberId, Arc<Member>>) -> Option<Arc<Described>> {
    if news.is_empty() {
        return None;
    }
    let kept = Described {
        subscription: news.subscription.as_ref().map(subscription),
        work: news.work.as_ref().map(work),
    };
    let first = members.first_key_value();
    let alike = first.and_then(|(_, member)| member.described.as_ref().filter(|known| ***known == kept));
    Some(alike.map_or_else(|| Arc::new(kept), Arc::clone))
}

fn subscription(told: &Subscription) -> Subscription {
    let over = told.topics.len().saturating_sub(Subscription::NAMED);
    Subscription {
        topics: told
            .topics
            .iter()
            .take(Subscription::NAMED)
            .map(clipped)
            .collect(),
        unnamed: told
            .unnamed
            .saturating_add(u32::try_from(over).unwrap_or(u32::MAX)),
        regex: told.regex.as_ref().map(clipped),
        user_data: told.user_data.as_ref().map(raw),
    }
}

fn raw(told: &RawBytes) -> RawBytes {
    RawBytes {
        hex: clipped(&told.hex),
        length: told.length,
    }
}

fn work(told: &Work) -> Work {
    let mut room = TaskRoom::default();
    let mut bounded = |all: &[Tasks]| {
        room.take(all.iter().map(|one| Tasks {
            name: clipped(&one.name),
            tasks: one.tasks.clone(),
        }))
    };
    match told {
        Work::Connect {
            url,
            leader_url,
            runs,
            stops,
            unnamed,
            delay_ms,
        } => {
            let (runs, stops) = (bounded(runs), bounded(stops));
            Work::Connect {
                url: url.as_ref().map(clipped),
                leader_url: clipped(leader_url),
                runs,
                stops,
                unnamed: unnamed.saturating_add(room.unnamed),
                delay_ms: *delay_ms,
            }
        }
        Work::Streams {
            process,
            topology_epoch,
            active,
            standby,
            warmup,
            unnamed,
        } => {
            let (active, standby, warmup) = (bounded(active), bounded(standby), bounded(warmup));
            Work::Streams {
                process: clipped(process),
                topology_epoch: *topology_epoch,
                active,
                standby,
                warmup,
                unnamed: unnamed.saturating_add(room.unnamed),
            }
        }
        Work::Opaque {
            protocol_type,
            assignment,
        } => Work::Opaque {
            protocol_type: clipped(protocol_type),
            assignment: raw(assignment),
        },
    }
}
