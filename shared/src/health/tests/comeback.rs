//! Whether a client that went is there again under another member id.

use super::stage::*;
use crate::event::{
    Change, Departure, GroupState, GroupType, Joined, Lag, PartitionProgress, Source, TopicPartitions,
};
use crate::health::Verdict;
use crate::ids::Generation;

/// A classic group of others at rest, in which a survey finds these.
fn found(members: &[(&str, Client)]) -> Stage {
    let mut stage = Stage::default();
    let group_type = GroupType::Classic;
    stage.tell(
        "orders",
        Source::Survey,
        None,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    let (from, to) = (None, GroupState::Stable);
    stage.tell("orders", Source::Survey, None, Change::GroupState { from, to });
    for (id, who) in members {
        comes(&mut stage, id, *who);
    }
    stage
}

fn of(stage: &mut Stage, id: &str, change: Change) {
    stage.tell("orders", Source::Survey, Some(id), change);
}

fn comes(stage: &mut Stage, id: &str, who: Client) {
    let joined = Joined {
        session_timeout_ms: None,
        ..stage.joined(who)
    };
    of(stage, id, Change::MemberJoined(joined));
}

/// No list has it any more; the one before, two seconds ago, had.
fn goes(stage: &mut Stage, id: &str) {
    let possible = vec![Departure::Left, Departure::TimedOut, Departure::Evicted];
    let why = "The coordinator no longer lists it.".to_owned();
    stage.blur = 2_000;
    of(stage, id, Change::MemberGone { possible, why });
    stage.blur = 0;
}

fn commits(stage: &mut Stage, id: &str) {
    let of_a_topic = |partitions| TopicPartitions {
        topic: "t".into(),
        partitions,
    };
    let owns = Change::MemberAssigned {
        generation: Some(Generation(1)),
        partitions: Some(vec![of_a_topic(vec![0])]),
        unnamed: 0,
    };
    of(stage, id, owns);
    let row = PartitionProgress {
        topic: "t".into(),
        partition: 0,
        committed: Some(10),
        end: Some(10),
        committed_at: Some(crate::time::UnixMs(START + stage.now)),
        lag: None,
        gone: false,
    };
    let (partitions, unnamed, lag) = (vec![row], 0, Lag::default());
    let progress = Change::GroupProgress {
        partitions,
        unnamed,
        lag,
    };
    stage.tell("orders", Source::Survey, None, progress);
}

fn says(stage: &Stage) -> String {
    let said = stage.said("orders");
    said.into_iter().map(|finding| finding.sentence).collect()
}

#[test]
fn a_client_that_joined_again_before_its_old_id_went_had_come_back() {
    let (worker, other) = (client("rdk2", "/a"), client("rdk1", "/a"));
    let mut stage = found(&[("rdk2-7b", worker), ("rdk1-1", other)]);
    comes(stage.at(100_000), "rdk2-fe", worker);
    goes(stage.at(106_000), "rdk2-7b");
    let said = stage.says(Verdict::Stable);
    has(
        &said,
        &["rdk2 of /a went", "and had come back as rdk2-fe 6 s before."],
    );
    assert!(!said.contains("has not come back"), "{said}");
    // What comes and goes afterwards is no return of that one.
    goes(stage.at(110_000), "rdk2-fe");
    comes(stage.at(115_000), "rdk2-aa", worker);
    has(&says(&stage), &["and came back as rdk2-aa within 7 s."]);
    goes(stage.at(300_000), "rdk1-1");
    has(&says(&stage), &["rdk1 of /a went", "and has not come back."]);
}

#[test]
fn whoever_came_longer_than_a_session_before_is_another() {
    let worker = client("rdk2", "/a");
    for (came, said) in [
        (100_000, "and has not come back."),
        (105_000, "and had come back as rdk2-fe 46 s before."),
    ] {
        let mut stage = found(&[("rdk2-7b", worker)]);
        comes(stage.at(came), "rdk2-fe", worker);
        goes(stage.at(151_000), "rdk2-7b");
        has(&says(&stage), &[said]);
    }
}

#[test]
fn whoever_came_before_the_last_sign_of_life_of_the_old_id_is_another() {
    let worker = client("rdk2", "/a");
    let mut stage = found(&[("rdk2-7b", worker)]);
    comes(stage.at(100_000), "rdk2-fe", worker);
    commits(stage.at(101_000), "rdk2-7b");
    goes(stage.at(120_000), "rdk2-7b");
    has(&says(&stage), &["and has not come back."]);
}

#[test]
fn of_two_clients_that_look_alike_it_is_not_visible_which_one_came_back() {
    let worker = client("rdk2", "/a");
    let mut stage = found(&[("rdk2-7b", worker), ("rdk2-7c", worker)]);
    comes(stage.at(100_000), "rdk2-fe", worker);
    goes(stage.at(106_000), "rdk2-7b");
    let said = says(&stage);
    has(&said, &["whether it has come back is not visible"]);
    assert!(!said.contains("come back as"), "{said}");
}

#[test]
fn of_two_that_look_alike_and_of_which_nobody_came_none_has_come_back() {
    let worker = client("rdk2", "/a");
    let mut stage = found(&[("rdk2-7b", worker), ("rdk2-7c", worker)]);
    goes(stage.at(106_000), "rdk2-7b");
    has(&says(&stage), &["and has not come back."]);
    // Where both were there at the first look, and shortly before, the one can be the other's return.
    let mut stage = found(&[("rdk2-7b", worker), ("rdk2-7c", worker)]);
    goes(stage.at(20_000), "rdk2-7b");
    has(&says(&stage), &["whether it has come back is not visible"]);
}

#[test]
fn one_that_came_when_its_like_had_just_left_may_be_that_one() {
    let worker = client("rdk2", "/a");
    let mut stage = found(&[("rdk2-7b", worker), ("rdk2-7c", worker)]);
    goes(stage.at(100_000), "rdk2-7b");
    comes(stage.at(101_000), "rdk2-fe", worker);
    goes(stage.at(130_000), "rdk2-7c");
    has(&says(&stage), &["whether it has come back is not visible"]);
}

#[test]
fn a_client_that_starts_anew_again_and_again_is_told_by_the_next_id_each_time() {
    let worker = client("rdk2", "/a");
    let mut stage = found(&[("rdk2-1", worker)]);
    for (came, id, went, old) in [
        (60_000, "rdk2-2", 100_000, "rdk2-1"),
        (120_000, "rdk2-3", 160_000, "rdk2-2"),
        (180_000, "rdk2-4", 220_000, "rdk2-3"),
    ] {
        comes(stage.at(came), id, worker);
        goes(stage.at(went), old);
        has(
            &says(&stage),
            &[&format!("and had come back as {id} 40 s before.")],
        );
    }
}

#[test]
fn our_own_coordinator_knows_until_when_the_old_id_was_heard() {
    let worker = client("worker", "/a");
    for (heard, said) in [
        (11_000, "and has not come back."),
        (9_000, "and had come back as new-1 9 s before."),
    ] {
        let mut stage = Stage::default();
        let by = crate::event::RebalanceCause::MemberJoined;
        stage.rebalance(by, "old-1", &[("old-1", worker)], 10);
        if heard < 10_000 {
            stage.at(heard).beat("old-1", 0);
        }
        stage.at(10_000).rebalance(by, "new-1", &[("new-1", worker)], 10);
        if heard > 10_000 {
            stage.at(heard).beat("old-1", 0);
        }
        let cause = "Silent past its session.".into();
        stage.at(19_010).of("old-1", Change::MemberExpired { cause });
        has(&says(&stage), &[said]);
    }
}

#[test]
fn that_a_static_member_was_replaced_does_not_say_how_long_it_was_away() {
    let worker = Client {
        instance: Some("i1"),
        ..client("jst2", "/a")
    };
    let replaced = |stage: &mut Stage| {
        let cause = "A static member came back, and its group did not rebalance.".into();
        let by = Some("i1-2".into());
        of(stage.at(60_000), "i1-1", Change::MemberReplaced { cause, by });
        comes(stage.at(60_005), "i1-2", worker);
    };
    let mut stage = found(&[("i1-1", worker)]);
    replaced(&mut stage);
    let said = says(&stage);
    has(
        &said,
        &[
            "was replaced under its instance id",
            "and came back as i1-2; how long it was away is not visible.",
        ],
    );
    assert!(!said.contains("after 5 ms"), "{said}");

    let mut stage = found(&[("i1-1", worker)]);
    commits(stage.at(50_005), "i1-1");
    replaced(&mut stage);
    has(
        &says(&stage),
        &["and came back as i1-2, 10 s after it was last heard."],
    );
}

#[test]
fn what_went_between_two_answers_was_away_for_so_long_at_most() {
    let worker = client("rdc1", "/a");
    let mut stage = found(&[("rdc1-1", worker)]);
    commits(stage.at(30_000), "rdc1-1");
    let (possible, why) = (
        vec![Departure::Left, Departure::TimedOut],
        "Not listed.".to_owned(),
    );
    stage.at(280_000).blur = 240_000;
    of(&mut stage, "rdc1-1", Change::MemberGone { possible, why });
    stage.blur = 0;
    comes(stage.at(280_109), "rdc1-2", worker);
    has(
        &says(&stage),
        &["and came back as rdc1-2 within 4 min, 4 min 10 s after it was last heard."],
    );
}
