//! A fault in words.

use shared::error_code;
use shared::fault::{AnswerWith, Fault, Reload};
use shared::ids::MemberId;
use shared::time::Millis;

use super::name;
use crate::views::words;

/// A fault in words.
#[must_use]
pub fn fault_words(fault: &Fault) -> String {
    let whom = |member: &Option<MemberId>| match member {
        Some(member) => format!(" to {}", name(member)),
        None => String::new(),
    };
    match fault {
        Fault::Silence { member } => format!("{} is silenced", name(member)),
        Fault::Kill { member } => format!("{} is killed, its socket cut", name(member)),
        Fault::Leave { member } => format!("{} is told to leave", name(member)),
        Fault::Add { count } => format!("{} added", words::count(u64::from(*count), "member", "members")),
        Fault::Delay {
            api,
            ms,
            member,
            times,
            ..
        } => format!(
            "the next {}{} held back {}",
            answers(*times, api),
            whom(member),
            words::setting(Millis(*ms))
        ),
        Fault::Drop {
            api, times, member, ..
        } => format!("the next {}{} dropped", answers(*times, api), whom(member)),
        Fault::Stop => "the coordinator stops".to_owned(),
        Fault::Restart => "the coordinator serves again".to_owned(),
        Fault::Answer {
            api,
            error,
            times,
            member,
            ..
        } => {
            let with = match error {
                AnswerWith::Code(code) => error_code::label(*code),
                AnswerWith::Word(_) => "a disconnect".to_owned(),
            };
            format!(
                "the next {}{} replaced by {with}",
                answers(*times, api),
                whom(member)
            )
        }
        _ => member_words(fault),
    }
}

/// Those of members that go wrong, or come for it only.
fn member_words(fault: &Fault) -> String {
    match fault {
        Fault::IgnoreRebalance { member, ms } => {
            format!("{} ignores rebalances{}", name(member), lasting(*ms))
        }
        Fault::JoinWithoutSync { member, times: n } => {
            format!("{} joins without SyncGroup, {}", name(member), times(*n))
        }
        Fault::QueueBehind { member, ms } => {
            format!(
                "answers to {} queue behind one that takes {}",
                name(member),
                words::setting(Millis(*ms))
            )
        }
        Fault::UnusedId { count, .. } => format!(
            "{} asked for and not used",
            words::count(u64::from(*count), "member id", "member ids")
        ),
        Fault::Rejoin { member, times: n, .. } => format!("{} rejoins {}", name(member), times(*n)),
        Fault::DuplicateInstance { member } => match member {
            Some(member) => format!("a double of {} starts under its instance id", name(member)),
            None => "two members start under one instance id".to_owned(),
        },
        Fault::HalfOpen { member, ms } => {
            format!(
                "nothing passes on the connection of {}{}",
                name(member),
                lasting(*ms)
            )
        }
        Fault::Groups { count, members, .. } => format!(
            "{} with {}",
            words::count(u64::from(*count), "group", "groups each"),
            words::count(u64::from(*members), "member", "members")
        ),
        Fault::OddIds { ms } => format!("groups with odd ids{}", lasting(*ms)),
        _ => group_words(fault),
    }
}

/// Those of groups and of the broker.
fn group_words(fault: &Fault) -> String {
    match fault {
        Fault::Refuse { error, ms, group } => format!(
            "{} answered {}{} while the lookup names this broker",
            group.as_ref().map_or_else(
                || "every group is".to_owned(),
                |group| format!("the group {} is", words::spelled(group.as_str()))
            ),
            error_code::label(error.0),
            lasting(*ms)
        ),
        Fault::Move { reload, .. } => format!(
            "the group moves to the other node, which finds {} in its log",
            match reload {
                Reload::None => "nothing",
                Reload::Newest => "it as it was",
                Reload::Older => "an older state of it",
            }
        ),
        Fault::FailStorage { error, times: n, .. } => {
            format!(
                "what the group stores fails with {}, {}",
                error_code::label(error.0),
                times(*n)
            )
        }
        Fault::EvictEachOther { ms, .. } => {
            format!("whoever joins displaces the others{}", lasting(*ms))
        }
        Fault::Full { max, ms } => format!(
            "groups are full at {}{}",
            words::count(u64::from(*max), "member", "members"),
            lasting(*ms)
        ),
        Fault::Forbid { ms, .. } => format!("the group is forbidden{}", lasting(*ms)),
        Fault::Advertise { host, port, ms } => format!(
            "the broker names itself {}{}",
            match (host, port) {
                (Some(host), Some(port)) => format!("{}:{port}", words::spelled(host)),
                (Some(host), None) => words::spelled(host),
                (None, Some(port)) => format!("at port {port}"),
                (None, None) => "truly".to_owned(),
            },
            lasting(*ms)
        ),
        Fault::Throttle { ms, times: n, .. } => {
            format!(
                "the next {} throttled by {}",
                words::count(u64::from(*n), "answer is", "answers are"),
                words::setting(Millis(*ms))
            )
        }
        Fault::ClockStep { ms } => format!(
            "the clock is set {} {}",
            if *ms < 0 { "back by" } else { "forward by" },
            words::setting(Millis(ms.unsigned_abs()))
        ),
        // The others have said theirs.
        _ => "all faults end".to_owned(),
    }
}

fn lasting(ms: u64) -> String {
    format!(" for {}", words::setting(Millis(ms)))
}

fn times(times: u32) -> String {
    words::count(u64::from(times), "time", "times")
}

fn answers(times: u32, api: &str) -> String {
    let api = words::spelled(api);
    match times {
        1 => format!("{api} answer"),
        many => format!("{} {api} answers", words::thousands(u64::from(many))),
    }
}
