//! Figures, times and ids in words: what every view writes them with, so that one thing reads the same everywhere.

pub mod described;

use shared::board::{Group, Since};
use shared::event::{GroupType, Lag, Leaderless, TopicPartitions};
use shared::health;
use shared::time::{Millis, UnixMs};

/// What a view says where something cannot be seen from here; the reason goes beside it.
pub const NOT_VISIBLE: &str = "not visible";

/// A length of time that runs: a tenth of a second where that is felt, of the same width from one tick to the next, and rounded
/// as sentences beside it are.
#[must_use]
pub fn span(length: Millis) -> String {
    let Millis(ms) = length;
    if ms < 9_950 {
        let tenths = (ms + 50) / 100;
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    health::words::span(length)
}

/// How long something has been so: "at least 4.2 s" where it may be longer.
#[must_use]
pub fn lasting(since: Since, now: UnixMs) -> String {
    format!(
        "{}{}",
        health::words::at_least(since.at_latest),
        span(now.since(since.at))
    )
}

/// How long something took, to the hundredth of a second.
#[must_use]
pub fn took(length: Millis) -> String {
    let Millis(ms) = length;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{:02} s", ms / 1000, ms % 1000 / 10),
        _ => span(length),
    }
}

/// A setting, exactly: `6 s`, `1.5 s`, `40 s`, `5 min`.
#[must_use]
pub fn setting(length: Millis) -> String {
    let Millis(ms) = length;
    match (ms / 1000, ms % 1000) {
        (0, _) => format!("{ms} ms"),
        (seconds, 0) if seconds % 60 == 0 => format!("{} min", thousands(seconds / 60)),
        (seconds, 0) => format!("{} s", thousands(seconds)),
        (seconds, rest) => {
            let digits = format!("{rest:03}");
            format!("{}.{} s", thousands(seconds), digits.trim_end_matches('0'))
        }
    }
}

/// A latency: three figures at most, in the unit that fits.
#[must_use]
pub fn latency(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000 => format!("{}.{:02} ms", micros / 1000, micros % 1000 / 10),
        10_000..100_000 => format!("{}.{} ms", micros / 1000, micros % 1000 / 100),
        100_000..1_000_000 => format!("{} ms", micros / 1000),
        _ => took(Millis(micros / 1000)),
    }
}

/// A latency that is a round figure already: `100 µs`, `2 ms`, `5 s`.
#[must_use]
pub fn round_latency(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{} s", thousands(micros / 1_000_000)),
    }
}

/// A whole number with its thousands set apart.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A group's type and, where that says more than that its members are consumers, what they speak: Connect's workers form a
/// classic group of protocol type `connect`.
#[must_use]
pub fn kind(group_type: &GroupType, protocol_type: Option<&str>) -> String {
    let name = group_type.as_str();
    match protocol_type.filter(|word| !["", "consumer", name].contains(word)) {
        Some(word) => format!("{} · {}", spelled(name), spelled(word)),
        None => spelled(name),
    }
}

/// "1,042", or "> 1,042" where it is known to be in a later one.
#[must_use]
pub fn generation(group: &Group) -> Option<String> {
    let above = if group.has_left_its_generation() { "> " } else { "" };
    let generation = group.generation.get()?;
    Some([above, &thousands_of(generation.0)].concat())
}

/// A generation or another signed number with its thousands set apart; -1 and the like stay as they are.
#[must_use]
pub fn thousands_of(number: i32) -> String {
    u64::try_from(number).map_or_else(|_| number.to_string(), thousands)
}

/// A count with its noun.
#[must_use]
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// How many partitions of the offsets log have no leader, and what that means.
#[must_use]
pub fn leaderless(of: Leaderless) -> String {
    let (none, all) = (of.leaderless, of.partitions);
    format!(
        "{none} of {all} partitions of __consumer_offsets have no leader: groups on them have no coordinator and are not listed."
    )
}

/// "orders 0 1 2; billing 7"
#[must_use]
pub fn partitions(topics: &[TopicPartitions]) -> String {
    let each = topics.iter().map(|topic| {
        let numbers: Vec<String> = topic.partitions.iter().map(i32::to_string).collect();
        format!("{} {}", spelled(&topic.topic), numbers.join(" "))
    });
    each.collect::<Vec<_>>().join("; ")
}

/// "1,204 records left to read on 5 of 6 partitions; 1 without a committed offset"
#[must_use]
pub fn lag(lag: &Lag) -> String {
    let known = lag.partitions.saturating_sub(unknown(lag));
    let all = count(u64::from(lag.partitions), "partition", "partitions");
    let mut words = match lag.left {
        Some(left) => format!(
            "{} left to read on {} of {all}",
            count(left, "record", "records"),
            thousands(u64::from(known))
        ),
        None if lag.partitions == 0 => "No committed offset is there any more".to_owned(),
        None => format!("Not visible how many records are left to read on {all}"),
    };
    for (number, what) in [
        (lag.uncommitted, "without a committed offset"),
        (lag.endless, "whose end is not visible"),
        (lag.beyond, "committed beyond the end"),
        (lag.gone, "not there any more"),
        (lag.at_most, "counted with what is acknowledged out of order"),
    ] {
        if number > 0 {
            words = format!("{words}; {} {what}", thousands(u64::from(number)));
        }
    }
    words
}

/// On how many partitions it is not known how many records are left.
pub const fn unknown(lag: &Lag) -> u32 {
    let seen = lag.uncommitted.saturating_add(lag.endless);
    seen.saturating_add(lag.beyond).saturating_add(lag.gone)
}

/// Of a day, in seconds.
const DAY: i64 = 86_400;

/// How far the viewer's local time is ahead of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalTime {
    /// Minutes ahead of UTC.
    pub minutes_ahead: i32,
}

impl LocalTime {
    /// `14:31:07`
    #[must_use]
    pub fn clock(self, at: UnixMs) -> String {
        let (hours, minutes, seconds) = self.of_day(at);
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    }

    /// `14:31:07.043`
    #[must_use]
    pub fn exact(self, at: UnixMs) -> String {
        format!("{}.{:03}", self.clock(at), at.0 % 1000)
    }

    /// `2026-11-30`
    #[must_use]
    pub fn date(self, at: UnixMs) -> String {
        // Days are counted in years that begin on the first of March, so that a leap day ends one: 400 of them have 146,097.
        let day = self.seconds(at).div_euclid(DAY) + 719_468;
        let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 {
            (month + 3, 0)
        } else {
            (month - 9, 1)
        };
        format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
    }

    fn of_day(self, at: UnixMs) -> (u64, u64, u64) {
        let second = self.seconds(at).rem_euclid(DAY).unsigned_abs();
        (second / 3600, second / 60 % 60, second % 60)
    }

    /// Of local time, since 1970.
    fn seconds(self, at: UnixMs) -> i64 {
        let utc = i64::try_from(at.0 / 1000).unwrap_or(0);
        utc.saturating_add(i64::from(self.minutes_ahead) * 60)
    }
}

/// An id as it can be shown: controls, line breaks, marks that turn the direction of text, and blanks that cannot be told
/// from a space or that nothing stands before or behind, are spelled out, so that an id cannot pretend to be another one,
/// break its row or show as nothing. Letters and emoji of any script stay as they are.
#[must_use]
pub fn spelled(id: &str) -> String {
    let mut shown = String::with_capacity(id.len());
    let inner = id.trim_start_matches(' ');
    let before = id.len() - inner.len();
    let end = before + inner.trim_end_matches(' ').len();
    for (at, character) in id.char_indices() {
        let plain_space = character == ' ' && (before..end).contains(&at);
        let blank = character.is_whitespace() && !plain_space;
        if blank || character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// A text cut to a number of characters, with the sign that it was.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The same with what goes from the middle: names of one family differ at their end.
#[must_use]
pub fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end = most / 2;
    let head = text.chars().take(most - end);
    head.chain(['…']).chain(text.chars().skip(length - end)).collect()
}

const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// An id in two parts: what tells members apart, and the random tail that only the machine needs (Kafka's clients and
/// coordinators append a UUID). The tail is empty where there is none.
#[must_use]
pub fn cut_tail(id: &str) -> (&str, &str) {
    const UUID: [usize; 5] = [8, 4, 4, 4, 12];
    let mut start = id.len();
    for (place, width) in UUID.iter().rev().enumerate() {
        let Some(part_start) = start.checked_sub(*width) else {
            return (id, "");
        };
        let is_hex = id
            .get(part_start..start)
            .is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let joined = place == UUID.len() - 1
            || part_start
                .checked_sub(1)
                .is_some_and(|dash| id.as_bytes().get(dash) == Some(&b'-'));
        if !is_hex || !joined {
            return (id, "");
        }
        start = if place == UUID.len() - 1 {
            part_start
        } else {
            part_start - 1
        };
    }
    match id.get(..start).and_then(|head| head.strip_suffix('-')) {
        Some(name) if !name.is_empty() => (name, &id[name.len()..]),
        _ => (id, ""),
    }
}

#[cfg(test)]
mod tests;
