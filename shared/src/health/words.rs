//! Lengths of time in words, as the sentences of the verdicts and states use them.

use crate::time::Millis;

/// "640 ms", "2.6 s", "6 s", "48 s", "3 min 8 s", "2 h 10 min", "3 d 4 h".
#[must_use]
pub fn span(length: Millis) -> String {
    const SECOND: u64 = 1000;
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let two = |big: u64, big_unit: &str, small: u64, small_unit: &str| {
        if small == 0 {
            format!("{big} {big_unit}")
        } else {
            format!("{big} {big_unit} {small} {small_unit}")
        }
    };
    let ms = length.0;
    match ms {
        0..SECOND => format!("{ms} ms"),
        SECOND..10_000 if !ms.is_multiple_of(SECOND) && ms % SECOND >= 100 => {
            format!("{}.{} s", ms / SECOND, ms % SECOND / 100)
        }
        SECOND..MINUTE => format!("{} s", ms / SECOND),
        MINUTE..HOUR => two(ms / MINUTE, "min", ms % MINUTE / SECOND, "s"),
        HOUR..DAY => two(ms / HOUR, "h", ms % HOUR / MINUTE, "min"),
        _ => two(ms / DAY, "d", ms % DAY / HOUR, "h"),
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

/// "1 member", "3 members".
#[must_use]
pub fn count(n: usize, singular: &str, plural: &str) -> String {
    format!("{n} {}", if n == 1 { singular } else { plural })
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
            (1050, "1 s"),
            (2600, "2.6 s"),
            (9999, "9.9 s"),
            (48_000, "48 s"),
            (188_000, "3 min 8 s"),
            (120_000, "2 min"),
            (7_800_000, "2 h 10 min"),
            (273_600_000, "3 d 4 h"),
        ];
        for (ms, words) in said {
            assert_eq!(span(Millis(ms)), words);
        }
    }

    #[test]
    fn the_present_is_just_now() {
        assert_eq!(ago(Millis(0)), "just now");
        assert_eq!(ago(Millis(400)), "400 ms ago");
    }
}
