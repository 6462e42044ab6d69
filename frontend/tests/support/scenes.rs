//! The scenes that the page must show well: every state of members, groups and the link, by name.

mod incidents;
mod surveyed;

use frontend::model::LinkState;
use shared::event::{
    Change, DeathCause, Departure, Evidence, GroupState, Joined, LinkFault, RebalanceCause, Rebalanced,
    RejoinCause, Source,
};
use shared::fault::{AnswerWith, Fault};
use shared::ids::{Generation, NodeId};
use shared::member::{MoveCause, State};
use shared::wire::ServerMessage;

use super::stage::Stage;

pub(crate) const ONE: &str = "demo-1-5f2c91ab-0a1b-4c3d-8e4f-000000000001";
pub(crate) const TWO: &str = "demo-2-91ab5f2c-1b0a-4d3c-9e4f-000000000002";
pub(crate) const THREE: &str = "demo-3-c04e77d1-2c1b-4e5d-ae5f-000000000003";

/// A scene and how it is made.
pub(crate) type Scene = (&'static str, fn() -> Stage);

/// All of them.
pub(crate) const SCENES: &[Scene] = &[
    ("nothing-yet", nothing_yet),
    ("no-groups", no_groups),
    ("cluster-down", incidents::cluster_down),
    ("empty-cluster", incidents::empty_cluster),
    ("lost-cluster", incidents::lost_cluster),
    ("on-time", on_time),
    ("late", late),
    ("overdue", overdue),
    ("expired", expired),
    ("rejoining", rejoining),
    ("answered-with-codes", answered_with_codes),
    ("not-authorized", not_authorized),
    ("coordinator-gone", coordinator_gone),
    ("stale", stale),
    ("reconnecting", reconnecting),
    ("other-version", other_version),
    ("empty", empty),
    ("real-cluster", real_cluster),
    ("overview", overview),
    ("no-such-group", incidents::no_such_group),
    ("refused-fault", refused_fault),
    ("hostile-ids", hostile_ids),
    ("waiting", incidents::waiting),
    ("storm", incidents::storm),
    ("surveyed-mixed", surveyed::mixed),
    ("surveyed-measured", surveyed::measured),
    ("surveyed-connect", surveyed::connect),
    ("surveyed-streams", surveyed::streams),
    ("surveyed-hidden", surveyed::hidden),
    ("coordinators", surveyed::coordinators),
    ("events", incidents::events),
    ("past", incidents::past),
];

fn nothing_yet() -> Stage {
    Stage::open("")
}

fn no_groups() -> Stage {
    Stage::live("", false)
}

fn on_time() -> Stage {
    let mut stage = Stage::live("", true);
    in_rhythm(&mut stage);
    stage.ms -= 600;
    stage
}

/// Three members in generation 4, on time for 30 seconds.
fn in_rhythm(stage: &mut Stage) {
    stage.group(GroupState::Empty);
    for id in [ONE, TWO, THREE] {
        stage.found(id);
    }
    stage.rebalance(RebalanceCause::MemberJoined, Some(ONE), 1, 3_000, 4);
    stage.join(1, &[(ONE, 3_004)]);
    stage.beat(1, &[ONE], 6);
    stage.rebalance(RebalanceCause::MemberJoined, Some(TWO), 2, 930, 8);
    stage.join(2, &[(ONE, 938), (TWO, 120)]);
    stage.beat(2, &[ONE, TWO], 4);
    stage.rebalance(RebalanceCause::MemberJoined, Some(THREE), 3, 1_010, 12);
    stage.join(3, &[(ONE, 1_000), (TWO, 310), (THREE, 1_022)]);
    stage.beat(3, &[ONE, TWO, THREE], 5);
    stage.rebalance(RebalanceCause::LeaderRejoined, Some(ONE), 4, 640, 9);
    stage.join(4, &[(ONE, 649), (TWO, 310), (THREE, 402)]);
    stage.beat(4, &[ONE, TWO, THREE], 20);
}

fn late() -> Stage {
    let mut stage = on_time();
    stage.pass(600);
    stage.tell(
        Source::Embedded,
        Some(TWO),
        Change::FaultPlayed {
            fault: Fault::Silence { member: TWO.into() },
        },
    );
    stage.beat(4, &[ONE, THREE], 2);
    stage.ms -= 400;
    stage
}

fn overdue() -> Stage {
    let mut stage = on_time();
    stage.tell(Source::Embedded, None, Change::FaultPlayed { fault: Fault::Stop });
    for id in [ONE, TWO, THREE] {
        stage.tell(
            Source::Probe,
            Some(id),
            Change::HeartbeatFailed {
                generation: Generation(4),
                cause: LinkFault::Disconnect,
                detail: Some("connection reset by peer".to_owned()),
            },
        );
    }
    stage.pass(7_200);
    stage
}

fn expired() -> Stage {
    let mut stage = late();
    stage.beat(4, &[ONE, THREE], 4);
    stage.tell(
        Source::Embedded,
        Some(TWO),
        Change::MemberExpired {
            cause: "silent for 6.0 s, its session is 6 s".to_owned(),
        },
    );
    stage.tell(
        Source::Embedded,
        None,
        Change::RebalanceStarted {
            cause: RebalanceCause::MemberTimedOut,
            member: Some(TWO.into()),
            from_generation: Some(Generation(4)),
        },
    );
    stage.pass(400);
    stage.answered(4, ONE, 27);
    stage.tell(
        Source::Probe,
        Some(ONE),
        Change::RejoinNeeded {
            cause: RejoinCause::RebalanceInProgress,
            error: Some(27),
            member_id_cleared: false,
            detail: None,
        },
    );
    stage.pass(300);
    stage
}

fn rejoining() -> Stage {
    let mut stage = expired();
    for id in [ONE, THREE] {
        stage.tell(
            Source::Probe,
            Some(id),
            Change::MemberMoved {
                from: State::Stable,
                to: State::PreparingRebalance,
                cause: MoveCause::JoinSent,
            },
        );
    }
    stage.pass(500);
    stage
}

/// Every code that can be provoked, once each, as an answer to heartbeats.
fn answered_with_codes() -> Stage {
    let mut stage = on_time();
    for code in [14, 15, 16, 22, 25, 27, 30, -1, 9_999] {
        stage.tell(
            Source::Embedded,
            Some(THREE),
            Change::FaultPlayed {
                fault: Fault::Answer {
                    api: "Heartbeat".to_owned(),
                    error: AnswerWith::Code(code),
                    times: 1,
                    member: Some(THREE.into()),
                    group: None,
                },
            },
        );
        stage.answered(4, THREE, code);
        stage.beat(4, &[ONE, TWO], 1);
    }
    stage
}

fn not_authorized() -> Stage {
    let mut stage = Stage::live("", false);
    stage.turn_to("heartline-probe-build7-4121");
    stage.found("heartline-1");
    stage.pass(40);
    stage.tell(
        Source::Probe,
        Some("heartline-1"),
        Change::NotAuthorized {
            error: 30,
            right: "READ on group heartline-probe-build7-4121".to_owned(),
        },
    );
    stage.tell(
        Source::Probe,
        Some("heartline-1"),
        Change::MemberFailed {
            error: Some(30),
            sentence: "the user may not join this group".to_owned(),
            again: 0,
        },
    );
    stage.pass(3_000);
    stage
}

fn coordinator_gone() -> Stage {
    let mut stage = overdue();
    for member in [ONE, TWO, THREE] {
        let dead = Change::CoordinatorDead {
            node: NodeId(0),
            cause: DeathCause::SessionOver,
            detail: None,
            unsent: 1,
            again: 0,
        };
        stage.tell(Source::Probe, Some(member), dead);
        stage.tell(
            Source::Probe,
            Some(member),
            Change::CoordinatorNotFound {
                error: None,
                cause: Some(LinkFault::Disconnect),
                detail: Some("connection refused".to_owned()),
            },
        );
    }
    stage.pass(4_000);
    stage
}

fn stale() -> Stage {
    let mut stage = on_time();
    stage.ms += 4_300;
    stage.model.set_link(LinkState::Stale);
    stage
}

fn reconnecting() -> Stage {
    let mut stage = on_time();
    stage.ms += 72_300;
    stage.model.set_link(LinkState::Reconnecting);
    stage
}

fn other_version() -> Stage {
    let mut stage = on_time();
    stage.say(ServerMessage::Unsupported { version: 1 });
    stage.model.set_link(LinkState::Reconnecting);
    stage
}

fn empty() -> Stage {
    let mut stage = Stage::live("", true);
    stage.group(GroupState::Empty);
    stage.pass(95_000);
    stage
}

/// From our own members' seats only: what others do shows in what it does to them.
fn real_cluster() -> Stage {
    let mut stage = Stage::live("", false);
    stage.turn_to("heartline-probe-build7-4121");
    let [one, two] = [
        "heartline-1-77d1c04e-2c1b-4e5d-ae5f-00000000000a",
        "heartline-2-77d1c04e-2c1b-4e5d-ae5f-00000000000b",
    ];
    stage.found(one);
    stage.found(two);
    stage.join(7, &[(one, 3_020), (two, 3_011)]);
    stage.beat(7, &[one, two], 12);
    stage.answered(7, one, 27);
    stage.tell(
        Source::Probe,
        Some(one),
        Change::RebalanceFinished(Rebalanced {
            generation: Generation(8),
            from_generation: Some(Generation(7)),
            cause: RebalanceCause::NotVisible,
            member: None,
            took_ms: None,
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        }),
    );
    stage.tell_with(
        Source::Probe,
        Evidence::Inferred,
        Some(9_000),
        Some("heartline-9-77d1c04e-2c1b-4e5d-ae5f-00000000000c"),
        Change::MemberGone {
            possible: vec![Departure::Left, Departure::TimedOut],
            why: "the leader's member list no longer names it, and a member's seat shows no more".to_owned(),
        },
    );
    stage.join(8, &[(one, 840), (two, 410)]);
    stage.beat(8, &[one, two], 3);
    stage
}

fn overview() -> Stage {
    let mut stage = late();
    stage.turn_to("billing export");
    stage.group(GroupState::Stable);
    let biller = "billing-1-5f2c91ab-0a1b-4c3d-8e4f-000000000007";
    stage.found(biller);
    stage.join(88, &[(biller, 12)]);
    stage.answered(88, biller, 0);
    stage.turn_to("");
    stage.group(GroupState::Empty);
    stage.turn_to("orders/eu?&#");
    stage.tell(
        Source::Survey,
        None,
        Change::NotAuthorized {
            error: 30,
            right: "DESCRIBE on group orders/eu?&#".to_owned(),
        },
    );
    stage
}

fn refused_fault() -> Stage {
    let mut stage = on_time();
    let fault = Fault::Silence { member: TWO.into() };
    stage.model.fault_answered(
        fault,
        Some("no member demo-2 is in the group any more".to_owned()),
    );
    stage
}

/// Ids that try to be something else: markup, marks that turn text around, 249 characters, emoji, nothing at all.
fn hostile_ids() -> Stage {
    let mut stage = Stage::live("", true);
    stage.turn_to("<script>alert(1)</script>\u{202e}gnp.exe");
    stage.group(GroupState::Empty);
    let long = "x".repeat(249);
    let ids = [
        "\"><img src=x onerror=alert(1)>",
        "🫀 grüße \u{0}\n-5f2c91ab-0a1b-4c3d-8e4f-00000000000e",
        long.as_str(),
    ];
    stage.join(1, &ids.map(|id| (id, 5)));
    stage.beat(1, &ids, 3);
    stage.tell(
        Source::Embedded,
        Some(ids[0]),
        Change::MemberJoined(Joined {
            client_id: Some("</td></table>".to_owned()),
            host: Some("javascript:alert(1)".to_owned()),
            ..Joined::default()
        }),
    );
    stage.tell(
        Source::Embedded,
        Some("gone\u{2066}"),
        Change::MemberLeft {
            cause: "bye <b>\u{202e}bold</b>".to_owned(),
        },
    );
    stage.pass(700);
    stage
}
