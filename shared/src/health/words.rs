//! The words that the sentences of verdicts, states and rows are made of.

use crate::board::Since;
use crate::event::{Departure, RebalanceCause};
use crate::time::{Millis, UnixMs};

/// "640 ms", "2.6 s", "6 s", "48 s", "3 min 8 s", "2 h 10 min", "3 d 4 h": rounded to the last unit that is told.
#[must_use]
pub fn span(length: Millis) -> String {
    const SECOND: u64 = 1000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    let ms = length.0;
    let nearest = |unit: u64| ms.saturating_add(unit / 2) / unit;
    let two =
        |small: u64, of_big: u64, big_unit: &str, small_unit: &str| match (small / of_big, small % of_big) {
            (big, 0) => format!("{big} {big_unit}"),
            (big, rest) => format!("{big} {big_unit} {rest} {small_unit}"),
        };
    // Each unit ends where the next one's shortest begins once it is rounded.
    match ms {
        0..SECOND => format!("{ms} ms"),
        SECOND..9_950 => tenths(nearest(SECOND / 10), "s"),
        9_950..59_500 => format!("{} s", nearest(SECOND)),
        59_500..3_599_500 => two(nearest(SECOND), 60, "min", "s"),
        3_599_500..86_370_000 => two(nearest(MINUTE), 60, "h", "min"),
        _ => two(nearest(HOUR), 24, "d", "h"),
    }
}

/// "2.6 s", "6 s"
fn tenths(tenths: u64, unit: &str) -> String {
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {unit}"),
        (whole, tenth) => format!("{whole}.{tenth} {unit}"),
    }
}

/// "1.5 s to 3 s", "at least 1.5 s", "at most 3 s"; "1.5 s" where both read the same. `told` says one length.
#[must_use]
pub fn between((least, most): (Millis, Option<Millis>), told: fn(Millis) -> String) -> String {
    let low = told(least);
    match most.map(told) {
        None => format!("at least {low}"),
        Some(high) if high == low => low,
        Some(high) if least.0 == 0 => format!("at most {high}"),
        Some(high) => format!("{low} to {high}"),
    }
}

/// A latency: "340 µs", "1.2 ms", "640 ms", "2.6 s".
#[must_use]
pub fn micros(us: u64) -> String {
    match us {
        0..1000 => format!("{us} µs"),
        1000..9_950 => tenths((us + 50) / 100, "ms"),
        _ => span(Millis(us.saturating_add(500) / 1000)),
    }
}

/// "whether it left, timed out or was evicted": what is not visible where a member is gone.
#[must_use]
pub fn which_departure(possible: &[Departure]) -> String {
    let ways: Vec<&str> = possible
        .iter()
        .map(|way| match way {
            Departure::Left => "left",
            Departure::TimedOut => "timed out",
            Departure::Evicted => "was evicted",
            Departure::Replaced => "was replaced",
        })
        .collect();
    match ways.split_last() {
        Some((last, [])) => format!("whether it {last}"),
        Some((last, others)) => format!("whether it {} or {last}", others.join(", ")),
        None => "how it went".to_owned(),
    }
}

/// "2.6 s ago"; "just now" below a millisecond.
#[must_use]
pub fn ago(age: Millis) -> String {
    if age.0 == 0 {
        "just now".to_owned()
    } else {
        format!("{} ago", span(age))
    }
}

/// "2.6 s", "at least 2.6 s": how long something has been so.
#[must_use]
pub fn lasting(since: Since, now: UnixMs) -> String {
    format!("{}{}", at_least(since.at_latest), span(now.since(since.at)))
}

/// "1 member", "3 members".
#[must_use]
pub fn count(n: usize, singular: &str, plural: &str) -> String {
    many(n as u64, singular, plural)
}

/// The same for a count of the board's.
#[must_use]
pub fn many(n: u64, singular: &str, plural: &str) -> String {
    format!("{n} {}", if n == 1 { singular } else { plural })
}

/// What stands before a count of a list's rows where the list may have let some go.
#[must_use]
pub const fn at_least(more: bool) -> &'static str {
    if more { "at least " } else { "" }
}

/// "a", "a and b", "a, b, c and 4 more": at most `named` of them by name.
#[must_use]
pub fn listed(names: impl ExactSizeIterator<Item = String>, named: usize) -> String {
    let more = names.len().saturating_sub(named);
    let mut shown: Vec<String> = names.take(named).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A name as it may stand in a sentence: control characters escaped, it comes from a stranger. Quotes read as they are.
#[must_use]
pub fn escaped(name: &str) -> String {
    name.escape_debug()
        .to_string()
        .replace("\\\"", "\"")
        .replace("\\'", "'")
}

/// Why a group rebalances, as a clause: "demo-2 was silent past its session". `who` stands in it as given.
#[must_use]
pub fn because(cause: RebalanceCause, who: Option<&str>) -> String {
    let a_member = who.unwrap_or("a member");
    match cause {
        RebalanceCause::MemberJoined => format!("{a_member} joined"),
        RebalanceCause::MemberLeft => format!("{a_member} left"),
        RebalanceCause::MemberTimedOut => format!("{a_member} was silent past its session"),
        RebalanceCause::MemberEvicted => format!("{a_member} was removed by the coordinator"),
        RebalanceCause::MemberFenced => format!("{a_member} was fenced"),
        RebalanceCause::MemberReplaced => format!("{a_member} came back under a new member id"),
        RebalanceCause::SubscriptionChanged => format!("{a_member} subscribes to something else"),
        RebalanceCause::LeaderRejoined => match who {
            Some(who) => format!("the leader, {who}, joined again"),
            None => "the leader joined again".to_owned(),
        },
        // A member of ours that leads says so where a topic grew, a coordinator of whatever it cannot read.
        RebalanceCause::MetadataChanged => format!(
            "{a_member} joined again with other metadata (what it owns, what its assignor adds, or a topic's partitions)"
        ),
        RebalanceCause::ProtocolChanged => format!("{a_member} changed its assignors"),
        RebalanceCause::CoordinatorMoved => "the coordinator moved".to_owned(),
        RebalanceCause::StorageFailed => "the coordinator could not store the assignment".to_owned(),
        RebalanceCause::NotVisible => "why is not visible from here".to_owned(),
    }
}

/// The clause with a capital: a sentence begins with it.
pub(crate) fn capital(clause: &str) -> String {
    let mut clause = clause.to_owned();
    if let Some(first) = clause.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    clause
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_as_people_say_them() {
        let said = [
            (0, "0 ms"),
            (640, "640 ms"),
            (1000, "1 s"),
            (999, "999 ms"),
            (1049, "1 s"),
            (1050, "1.1 s"),
            (2600, "2.6 s"),
            (9949, "9.9 s"),
            (9999, "10 s"),
            (44_998, "45 s"),
            (48_000, "48 s"),
            (59_499, "59 s"),
            (59_500, "1 min"),
            (119_700, "2 min"),
            (188_000, "3 min 8 s"),
            (120_000, "2 min"),
            (3_599_499, "59 min 59 s"),
            (3_599_500, "1 h"),
            (3_629_999, "1 h"),
            (86_369_999, "23 h 59 min"),
            (86_370_000, "1 d"),
            (7_800_000, "2 h 10 min"),
            (273_600_000, "3 d 4 h"),
        ];
        for (ms, words) in said {
            assert_eq!(span(Millis(ms)), words);
        }
    }

    #[test]
    fn lengths_and_latencies_are_rounded_and_not_cut() {
        let said = [
            (0, "0 µs"),
            (999, "999 µs"),
            (1049, "1 ms"),
            (1950, "2 ms"),
            (9949, "9.9 ms"),
            (9950, "10 ms"),
            (44_998_000, "45 s"),
        ];
        for (us, words) in said {
            assert_eq!(micros(us), words);
        }
        assert_eq!(span(Millis(u64::MAX)), "213503982334 d 14 h");
    }

    #[test]
    fn every_cause_reads_with_and_without_a_name() {
        use crate::vocabulary::Vocabulary;
        for cause in RebalanceCause::ALL {
            for who in [None, Some("demo-2")] {
                assert!(!because(*cause, who).contains("  "), "{cause}");
                assert_eq!(because(*cause, who), because(*cause, who).trim(), "{cause}");
            }
        }
        assert_eq!(
            because(RebalanceCause::MemberTimedOut, Some("demo-2")),
            "demo-2 was silent past its session"
        );
    }

    #[test]
    fn names_of_strangers_stay_on_their_line() {
        assert_eq!(escaped("a\nb\u{202e}"), "a\\nb\\u{202e}");
        assert_eq!(
            escaped("READ on the group \"demo\" isn't granted"),
            "READ on the group \"demo\" isn't granted"
        );
    }

    #[test]
    fn a_clause_begins_a_sentence_with_a_capital() {
        assert_eq!((capital("last"), capital("")), ("Last".to_owned(), String::new()));
    }

    #[test]
    fn the_present_is_just_now() {
        assert_eq!(ago(Millis(0)), "just now");
        assert_eq!(ago(Millis(400)), "400 ms ago");
    }
}
