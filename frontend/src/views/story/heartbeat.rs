//! Heartbeats in words.

use shared::event::{BeatSummary, LinkFault, WithheldReason};

use super::{Story, code_tone, in_brackets, link_fault};
use crate::views::tone::Tone;
use crate::views::words::{self, spelled};

pub(super) fn answered(latency_us: u64, error: i16, behind: Option<&str>) -> Story {
    let latency = words::latency(latency_us);
    let behind = behind
        .map(|api| format!(", waiting behind an unanswered {}", spelled(api)))
        .unwrap_or_default();
    Story::new(
        code_tone(error),
        format!("Heartbeat answered in {latency}{behind}."),
    )
    .with_code(Some(error))
}

pub(super) fn received(error: i16) -> Story {
    Story::new(
        code_tone(error),
        "The coordinator received a heartbeat and answered.",
    )
    .with_code(Some(error))
}

pub(super) fn failed(cause: LinkFault, detail: Option<&str>) -> Story {
    let cause = link_fault(cause);
    let detail = in_brackets(detail);
    Story::new(Tone::Bad, format!("A heartbeat got no answer: {cause}{detail}."))
}

pub(super) fn withheld(reason: WithheldReason) -> Story {
    let because = match reason {
        WithheldReason::NoGeneration => "it is in no generation",
        WithheldReason::RejoinNeeded => "it must join again first",
        WithheldReason::CoordinatorUnknown => "its coordinator is not known",
        WithheldReason::Throttled => "it is throttled",
    };
    Story::new(Tone::Dim, format!("No heartbeat is due: {because}."))
}

pub(super) fn summarised(summary: &BeatSummary) -> Story {
    let beats = words::count(u64::from(summary.count), "heartbeat", "heartbeats");
    let commits = match summary.commits {
        0 => String::new(),
        some => words::count(u64::from(some), "commit", "commits"),
    };
    let beats = match (summary.count, summary.commits) {
        (_, 0) => beats,
        (0, _) => commits,
        _ => format!("{beats} and {commits}"),
    };
    let behind = match summary.behind {
        0 => String::new(),
        some => format!(", {} behind another request", words::thousands(u64::from(some))),
    };
    let errors: String = summary
        .errors
        .iter()
        .map(|(code, times)| format!(", {times} × {code}"))
        .collect();
    let tone = summary
        .errors
        .keys()
        .map(|code| code_tone(*code))
        .max()
        .unwrap_or(Tone::Ok);
    let mut story = Story::new(tone, format!("{beats} in one second{behind}{errors}."));
    story.codes = summary.errors.keys().copied().collect();
    story
}
