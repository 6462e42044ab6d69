//! Prometheus' text format, version 0.0.4.

use std::fmt::{Display, Write as _};

use shared::histogram::{EXPORTED_BOUNDS_US, Histogram};

/// A metric's type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The text so far. Writing to a string does not fail, so nothing here does.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    /// Begins a metric: its samples follow.
    pub(super) fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let _always = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// One sample; `labels` is empty or what [`labels`] made.
    pub(super) fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _always = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// `name="value",...`, each value escaped.
pub(super) fn labels(pairs: &[(&str, &str)]) -> String {
    let mut labels = String::new();
    for (index, (name, value)) in pairs.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _always = write!(labels, "{comma}{name}=\"{}\"", escaped(value));
    }
    labels
}

/// The format escapes `\`, `"` and the line feed; other control characters would reach a terminal, so they are shown.
fn escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => {
                let _always = write!(escaped, "\\\\u{{{:x}}}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// A histogram of microseconds, as buckets of seconds.
pub(super) fn histogram(text: &mut Text, name: &str, labels: &str, values: &Histogram) {
    let bucket = format!("{name}_bucket");
    for bound in EXPORTED_BOUNDS_US {
        let labels = format!("{labels},le=\"{}\"", seconds(bound));
        text.sample(&bucket, &labels, values.count_to(bound));
    }
    text.sample(&bucket, &format!("{labels},le=\"+Inf\""), values.count());
    text.sample(&format!("{name}_sum"), labels, seconds(values.sum()));
    text.sample(&format!("{name}_count"), labels, values.count());
}

/// Microseconds as seconds, exactly.
pub(super) fn seconds(us: u64) -> String {
    let (whole, rest) = (us / 1_000_000, us % 1_000_000);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:06}").trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_exact_as_seconds() {
        let said = [
            (0, "0"),
            (100, "0.0001"),
            (2_500_000, "2.5"),
            (60_000_000, "60"),
            (1, "0.000001"),
        ];
        for (us, text) in said {
            assert_eq!(seconds(us), text);
        }
    }

    #[test]
    fn a_strangers_name_cannot_end_its_label_or_its_line() {
        assert_eq!(
            labels(&[("group", "a\"} 1\nb\\\u{1b}[m")]),
            r#"group="a\"} 1\nb\\\\u{1b}[m""#
        );
    }

    #[test]
    fn a_histogram_counts_upwards_to_all() {
        let mut values = Histogram::default();
        for us in [90, 200, 70_000_000] {
            values.record(us);
        }
        let mut text = Text::default();
        histogram(&mut text, "h", "a=\"b\"", &values);
        let text = text.finish();
        assert!(text.contains("h_bucket{a=\"b\",le=\"0.0001\"} 1\n"), "{text}");
        assert!(text.contains("h_bucket{a=\"b\",le=\"60\"} 2\n"), "{text}");
        assert!(text.ends_with("h_count{a=\"b\"} 3\n"), "{text}");
        assert!(text.contains("h_bucket{a=\"b\",le=\"+Inf\"} 3\n"), "{text}");
    }
}
