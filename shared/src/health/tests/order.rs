//! What stands first: what is so now, before what was and has not happened again.

use super::counted::{comes_and_goes, left};
use super::stage::*;
use crate::event::{Change, DeathCause, Source};
use crate::health::{Finding, Verdict};
use crate::ids::NodeId;

/// One that came back twelve times until 124 s, beside one that stays.
fn restless() -> Stage {
    let mut stage = Stage::default();
    comes_and_goes(&mut stage, 12, |stage, _, id| left(stage, id));
    stage
}

fn words(said: &[Finding]) -> Vec<Verdict> {
    said.iter().map(|finding| finding.verdict).collect()
}

/// All beat every three seconds until then.
fn all_beat_until(stage: &mut Stage, ms: u64) {
    while stage.now + 3_000 <= ms {
        stage.at(stage.now + 3_000).beats(&["stays-1", "restless-12"]);
    }
}

#[test]
fn who_comes_back_again_and_again_stands_first_while_it_does() {
    let stage = restless();
    let said = stage.said("orders");
    assert_eq!(said[0].verdict, Verdict::Storm, "{said:#?}");
    assert_eq!(said[1].verdict, Verdict::Flapping, "{said:#?}");
    assert!(said.iter().all(|finding| !finding.past), "{said:#?}");
    assert!(said[1].sentence.starts_with("restless of /a came back"));
}

#[test]
fn once_it_rests_what_the_group_does_now_is_said_before_what_it_did() {
    let mut stage = restless();
    all_beat_until(&mut stage, 600_000);
    let said = stage.said("orders");
    assert_eq!(said[0].verdict, Verdict::Flapping, "{said:#?}");
    assert!(said[0].past);
    assert!(
        said[0].sentence.starts_with("Stable for 7 min"),
        "{}",
        said[0].sentence
    );
    has(
        &said[0].sentence,
        &[": 2 members. Earlier: restless of /a came back 12 times"],
    );
}

#[test]
fn a_member_that_is_late_now_stands_before_one_that_came_and_went() {
    let mut stage = restless();
    all_beat_until(&mut stage, 300_000);
    for _ in 0..2 {
        stage.at(stage.now + 3_000).beat("restless-12", 0);
    }
    let said = stage.said("orders");
    assert_eq!(
        words(&said)[..2],
        [Verdict::MemberLate, Verdict::Flapping],
        "{said:#?}"
    );
    assert!(said[0].sentence.starts_with("stays "), "{}", said[0].sentence);
    assert!(said[1].sentence.starts_with("Earlier: restless "), "{said:#?}");
}

#[test]
fn a_coordinator_that_is_gone_now_stands_before_one_that_came_and_went() {
    let mut stage = restless();
    let found = Change::CoordinatorFound {
        node: NodeId(1),
        host: "b1".into(),
        port: 9092,
    };
    let dead = Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    all_beat_until(&mut stage, 300_000);
    for change in [found, dead] {
        stage.tell("orders", Source::Probe, Some("stays-1"), change);
    }
    let said = stage.said("orders");
    assert_eq!(
        words(&said)[..2],
        [Verdict::CoordinatorGone, Verdict::Flapping],
        "{said:#?}"
    );
}
