//! What plays of the incidents showed to be unsaid or said wrongly: what the verdicts say since.

use super::stage::*;
use crate::event::{Change, RebalanceCause, Source};
use crate::health::Verdict;
use crate::ids::Generation;

#[test]
fn c18_a_lost_member_that_is_back_says_how_long_it_was_unheard_and_how_fast_others_were_answered() {
    let mut stage = Stage::default();
    let (ours, other) = (client("ours", "/a"), client("worker", "/b"));
    let members = [("ours-1", ours), ("worker-1", other)];
    stage.rebalance(RebalanceCause::MemberJoined, "ours-1", &members, 10);
    stage.at(30_000).beats(&["ours-1", "worker-1"]);
    let answer = |at: u64, stage: &mut Stage| {
        let answer = Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 100_000,
            error: 0,
            renews: true,
            behind: None,
        };
        stage.at(at).tell("orders", Source::Probe, Some("ours-1"), answer);
    };
    answer(33_000, &mut stage);
    answer(39_000, &mut stage);
    let cause = "Silent past its session.".into();
    stage.at(40_000).of("worker-1", Change::MemberExpired { cause });
    stage.at(47_000).rebalance(
        RebalanceCause::MemberJoined,
        "worker-2",
        &[("worker-2", other), ("ours-1", ours)],
        10,
    );
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "worker of /b expired 7 s ago (silent for 10 s, its session is 10 s) and came back as worker-2 after 7 s, 17 s after \
             it was last heard.",
            "Meanwhile the coordinator kept 1 other on other hosts (half of all heartbeats of ours within ",
            "99 of 100 within ",
        ],
    );
}

#[test]
fn l80_a_group_that_may_be_listed_and_not_described_says_so_once() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage
        .at(3000)
        .refused("", client("tool", "/c"), "DescribeGroups", 30, 5);
    has(
        &stage.says(Verdict::NotAuthorized),
        &[
            "Listed, no right to describe it: DescribeGroups of tool of /c was answered 30 GROUP_AUTHORIZATION_FAILED 5 times",
            "Its members need another right (READ) and are not touched by that",
        ],
    );
    let said = stage.said("orders");
    assert!(
        said.iter().all(|finding| finding.verdict != Verdict::Refused),
        "{said:#?}"
    );
}

#[test]
fn g58_whoever_hands_in_its_sync_is_no_zombie_and_the_next_session_to_run_out_is_told() {
    let mut stage = Stage::default();
    let restarted = Client {
        session: 45_000,
        ..client("click", "/a")
    };
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "click-0",
        &[("click-0", restarted)],
        10,
    );
    let give_up = Change::JoinAbandoned {
        waited_ms: 6000,
        rebalance_timeout_ms: 300_000,
    };
    stage.at(60_000).started(RebalanceCause::MemberJoined, "click-1");
    let ids = ["click-1", "click-2", "click-3"];
    for (n, id) in ids.iter().enumerate() {
        let at = 60_000 + n as u64 * 6000;
        let joined = stage.joined(restarted);
        stage
            .at(at)
            .of(id, Change::MemberJoined(joined))
            .join(id, restarted);
        stage.at(at + 6000).of(id, give_up.clone());
    }
    stage.join("click-4", restarted);
    let cause = "Silent past its session.".into();
    stage.at(90_000).of("click-0", Change::MemberExpired { cause });
    stage.formed("click-1", 4);
    let generation = Generation(2);
    stage.of("click-4", Change::SyncReceived { generation });
    stage.at(92_000);
    has(
        &stage.says(Verdict::Flapping),
        &[
            "4 of 4 members come from the same host and client id, click of /a, and 3 of them are silent",
            "the next expires in 43 s",
        ],
    );
}
