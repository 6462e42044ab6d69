//! Observations for tests: short names for what sources report.

use std::sync::Arc;

use shared::event::{Change, Event, Evidence, Observation, Source};
use shared::ids::Generation;
use shared::time::UnixMs;

use super::Numbered;

/// A transition of a member.
pub(crate) fn left(group: &str, member: &str) -> Observation {
    let cause = "LeaveGroup".to_owned();
    observation(Source::Embedded, group, member, Change::MemberLeft { cause })
}

/// A heartbeat of a member of ours, answered.
pub(crate) fn answered(group: &str, member: &str, latency_us: u64, error: i16) -> Observation {
    let change = Change::HeartbeatAnswered {
        generation: Generation(1),
        latency_us,
        error,
        renews: error == 0,
        behind: None,
    };
    observation(Source::Probe, group, member, change)
}

/// Something that happened to a member of a group.
pub(crate) fn observation(source: Source, group: &str, member: &str, change: Change) -> Observation {
    Observation {
        at: UnixMs(0),
        at_earliest: None,
        source,
        evidence: Evidence::Observed,
        cluster: "c".into(),
        group: Some(group.into()),
        member: Some(member.into()),
        change,
    }
}

/// An event as the hub numbers it.
pub(crate) fn numbered(seq: u64, what: Observation) -> Arc<Numbered> {
    let seen = UnixMs(seq);
    Arc::new(Numbered::new(Event { seq, seen, what }))
}
