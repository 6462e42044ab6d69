//! What a survey costs the brokers, and what it read of the offsets log.

use super::text::{Kind, Text, labels};
use crate::limits;
use crate::survey::{Figures, Load};

/// Each broker is one series of each.
pub(super) fn of_survey(text: &mut Text, figures: &Figures) {
    type Of = fn(&Load) -> usize;
    let gauges: [(&str, Of, String); 4] = [
        (
            "heartline_survey_requests_in_flight",
            |load| load.in_flight,
            "Requests of the survey that a broker has not answered yet.".to_owned(),
        ),
        (
            "heartline_survey_requests_in_flight_max",
            |load| load.most_in_flight,
            format!(
                "The most of them that there ever were; the bound is {}.",
                limits::SURVEY_IN_FLIGHT
            ),
        ),
        (
            "heartline_survey_requests_per_second_max",
            |load| load.most_in_a_second,
            format!(
                "The most that were sent to a broker in one second; the bound is {}.",
                limits::SURVEY_IN_A_SECOND
            ),
        ),
        (
            "heartline_survey_groups_put_off",
            |load| load.put_off,
            "Groups whose committed offsets the last round had no time to ask a broker for; the next round begins with them."
                .to_owned(),
        ),
    ];
    for (name, of, help) in gauges {
        text.family(name, Kind::Gauge, &help);
        for (node, load) in figures.loads.iter().take(limits::BROKERS) {
            text.sample(name, &labels(&[("node", &node.to_string())]), of(load));
        }
    }
    const LOG: &str = "heartline_offsets_log_records_total";
    text.family(
        LOG,
        Kind::Counter,
        "Records of the offsets log: all that were read, and those of them that were skipped.",
    );
    let log = &figures.log;
    for (what, count) in [
        ("read", log.records),
        ("unknown", log.unknown),
        ("malformed", log.malformed),
        ("left_out", log.left_out),
    ] {
        text.sample(LOG, &labels(&[("what", what)]), count);
    }
}
