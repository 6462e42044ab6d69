//! Scenes of incidents: a scenario that runs faster than life, a group that waits for somebody, rebalances without end.

use std::num::NonZeroU32;

use frontend::model::address::{Address, View};
use frontend::model::fetch::Answer;
use frontend::model::follow::BoardAnswer;
use shared::event::{Change, GroupState, GroupType, LinkFault, RebalanceCause, Source, TopicPartitions};
use shared::fault::Fault;
use shared::ids::{Generation, NodeId};
use shared::time::UnixMs;

use super::super::stage::Stage;
use super::{ONE, THREE, TWO, in_rhythm, overview};

/// Two of three have joined again; the third does not, in a scenario twenty times faster than life.
pub(super) fn waiting() -> Stage {
    let twenty = NonZeroU32::MIN.saturating_add(19);
    let mut stage = Stage::playing("", true, Some(("a-handler-that-does-not-return", twenty)));
    in_rhythm(&mut stage);
    for (member, partitions) in [(ONE, 0..2), (TWO, 2..4), (THREE, 4..6)] {
        let owned = TopicPartitions {
            topic: "demo".to_owned(),
            partitions: partitions.collect(),
        };
        stage.tell(
            Source::Embedded,
            Some(member),
            Change::MemberAssigned {
                generation: Some(Generation(4)),
                partitions: Some(vec![owned]),
                unnamed: 0,
            },
        );
    }
    let fault = Fault::IgnoreRebalance {
        member: TWO.into(),
        ms: 60_000,
    };
    stage.tell(Source::Embedded, Some(TWO), Change::FaultPlayed { fault });
    stage.tell(
        Source::Embedded,
        None,
        Change::RebalanceStarted {
            cause: RebalanceCause::LeaderRejoined,
            member: Some(ONE.into()),
            from_generation: Some(Generation(4)),
        },
    );
    stage.tell(
        Source::Embedded,
        None,
        Change::GroupState {
            from: Some(GroupState::Stable),
            to: GroupState::PreparingRebalance,
        },
    );
    for (member, client) in [(ONE, "demo-1"), (THREE, "demo-3")] {
        stage.tell(
            Source::Embedded,
            Some(member),
            Change::JoinReceived {
                client_id: client.to_owned(),
                host: "127.0.0.1".to_owned(),
                session_timeout_ms: None,
            },
        );
    }
    for _ in 0..12 {
        for member in [ONE, TWO, THREE] {
            stage.answered(4, member, 27);
        }
        stage.pass(1_000);
    }
    stage
}

/// The leader joins again whenever it is in.
pub(super) fn storm() -> Stage {
    let mut stage = Stage::live("", true);
    in_rhythm(&mut stage);
    for generation in 5..17 {
        stage.rebalance(RebalanceCause::LeaderRejoined, Some(ONE), generation, 90, 4);
        stage.join(generation, &[(ONE, 94), (TWO, 90), (THREE, 88)]);
    }
    stage.beat(16, &[ONE, TWO, THREE], 2);
    stage
}

/// No broker of the list is there, and no member of ours either.
pub(super) fn cluster_down() -> Stage {
    let mut stage = Stage::live("", false);
    stage.survey(
        "",
        Change::CoordinatorNotFound {
            error: None,
            cause: Some(LinkFault::Disconnect),
            detail: Some("broker-1:9092: cannot be reached: Connection refused (os error 111)".to_owned()),
        },
    );
    stage.pass(1_000);
    stage
}

/// Brokers answer, none lists a group, and it is told why that may not be all.
pub(super) fn empty_cluster() -> Stage {
    let mut stage = cluster_down();
    for node in [1, 2, 3] {
        stage.survey(
            "Jx3",
            Change::BrokerAnswers {
                node: NodeId(node),
                host: None,
                port: None,
            },
        );
    }
    stage.survey(
        "Jx3",
        Change::NotAuthorized {
            error: 31,
            right: "DESCRIBE on the cluster: groups without a DESCRIBE of their own are not listed"
                .to_owned(),
        },
    );
    stage.survey(
        "Jx3",
        Change::BrokerSilent {
            node: NodeId(3),
            cause: LinkFault::Timeout,
            detail: None,
        },
    );
    stage.survey("Jx3", Change::BrokerGone { node: NodeId(3) });
    stage.pass(1_000);
    stage
}

/// A group is known, and no broker is reached any more.
pub(super) fn lost_cluster() -> Stage {
    let mut stage = Stage::live("", false);
    stage.survey(
        "Jx3-embedded",
        Change::BrokerAnswers {
            node: NodeId(1),
            host: None,
            port: None,
        },
    );
    let group_type = GroupType::Classic;
    stage.tell(
        Source::Survey,
        None,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    stage.turn_to("orders");
    let group_type = GroupType::Consumer;
    stage.tell(
        Source::Survey,
        None,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    stage.pass(2_000);
    for change in [
        Change::BrokerSilent {
            node: NodeId(1),
            cause: LinkFault::Disconnect,
            detail: None,
        },
        Change::CoordinatorNotFound {
            error: None,
            cause: Some(LinkFault::Timeout),
            detail: Some("broker-1:9092: did not take the connection within 10000 ms".to_owned()),
        },
    ] {
        stage.survey("Jx3-embedded", change);
    }
    stage.pass(1_000);
    stage
}

/// The log has the page to itself: what the overview's groups went through, as far as it was observed.
pub(super) fn events() -> Stage {
    let mut stage = overview();
    stage.model.go(Address {
        evidence: Some("observed".to_owned()),
        ..Address::of_view(View::Events)
    });
    stage
}

/// The page of a moment five minutes ago, with what was there then.
pub(super) fn past() -> Stage {
    let mut stage = overview();
    let board = stage.model.board().cloned();
    stage.pass(300_000);
    let at = UnixMs(stage.now().0 - 300_000);
    stage.model.go(Address {
        at: Some(at),
        ..Address::default()
    });
    let (Some(request), Some(board)) = (stage.model.poll(stage.browser()), board) else {
        unreachable!("a board, and a request for another one");
    };
    let answer = BoardAnswer {
        stream: "run-1".to_owned(),
        seq: board.seq,
        now: at,
        oldest: Some(UnixMs(at.0 - 3_600_000)),
        board,
    };
    let answer = Answer::Board(Box::new(answer));
    stage.model.answered(stage.browser(), &request, answer);
    stage
}

/// An address names a group that is not there.
pub(super) fn no_such_group() -> Stage {
    let mut stage = overview();
    stage.model.go(frontend::model::address::Address::of_group(
        &"not <here>".into(),
        None,
    ));
    stage
}
