//! What is said at a scene, and when things happened to a client: what the tests of the scenarios compare.

use shared::event::{Event, Source};
use shared::health::Verdict;
use shared::time::{Millis, UnixMs};

use super::play::Scene;

/// The verdict is given and its sentence holds each of these.
pub(super) fn says(scene: &Scene, group: &str, verdict: Verdict, parts: &[String]) {
    let finding = scene.finding(group, verdict);
    for part in parts {
        assert!(
            finding.sentence.contains(part.as_str()),
            "{part:?} is not in {:?}\n{scene}",
            finding.sentence
        );
    }
}

/// Whether the verdict is given and its sentence holds that.
pub(super) fn tells(scene: &Scene, group: &str, verdict: Verdict, part: &str) -> bool {
    let findings = scene.findings(group);
    findings
        .iter()
        .any(|finding| finding.verdict == verdict && finding.sentence.contains(part))
}

/// The coordinator's events of a kind about members whose id begins with a client's, in order.
pub(super) fn of_client<'a>(scene: &'a Scene, group: &'a str, kind: &'a str, client: &str) -> Vec<&'a Event> {
    let prefix = format!("{client}-");
    scene
        .events(group, kind)
        .filter(|event| {
            let member = event
                .what
                .member
                .as_ref()
                .filter(|_| event.what.source == Source::Embedded);
            member.is_some_and(|member| member.as_str().starts_with(&prefix))
        })
        .collect()
}

/// The only event of a kind, or the last of several.
pub(super) fn last<'a>(scene: &'a Scene, group: &'a str, kind: &'a str) -> &'a Event {
    scene
        .events(group, kind)
        .next_back()
        .unwrap_or_else(|| panic!("no {kind}: {scene}"))
}

/// How long ago something happened.
pub(super) fn since(scene: &Scene, at: UnixMs) -> Millis {
    scene.now.since(at)
}
