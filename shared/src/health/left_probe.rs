//! Probe groups that Heartline processes which have ended left behind: nobody misses them.

use super::words::lasting;
use super::{Finding, Verdict};
use crate::board::Group;
use crate::event::{GroupState, Source};
use crate::time::UnixMs;

/// What such groups are called where nobody chose another name (docs/contract.md, `--probe-group`).
const NAMED: &str = "heartline-probe-";

/// Whether it is one, by its name: one that is empty, so that no member of ours is in it, nor on the way.
#[must_use]
pub fn is_left_probe(group: &Group) -> bool {
    group.key.group.as_str().starts_with(NAMED)
        && group.state.get() == Some(&GroupState::Empty)
        && group.members.is_empty()
        && group.sources.contains(Source::Survey)
}

/// All that is to be said of one: whatever became of its members, or of its coordinator, hits nobody.
pub(super) fn left_probe(group: &Group, now: UnixMs) -> Option<Finding> {
    let length = group
        .at_rest_since()
        .map_or_else(String::new, |since| format!(" for {}", lasting(since, now)));
    is_left_probe(group).then(|| Finding {
        past: false,
        verdict: Verdict::Empty,
        sentence: format!(
            "Empty{length}: by its name it was the probe group of a Heartline process that has ended. Nobody reads by it."
        ),
        evidence: "Inferred from its name.".to_owned(),
        member: None,
    })
}
