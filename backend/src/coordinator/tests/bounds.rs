//! What strangers can make the coordinator keep is bounded, and what is above a bound is refused.

use std::sync::Arc;

use shared::protocol::{AnyResponse, JoinGroupRequest, JoinGroupRequestProtocol};

use super::super::*;

fn coordinator() -> Coordinator {
    let settings = [
        "group.initial.rebalance.delay.ms=0",
        "group.min.session.timeout.ms=1",
    ];
    Coordinator::new(
        Config::from_settings(settings).unwrap(),
        Arc::new(Topics::default()),
        1,
    )
}

fn joining(group: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 10_000,
        protocol_type: "consumer".into(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "range".into(),
            metadata: vec![0],
        }],
        ..JoinGroupRequest::default()
    }
}

/// The code of a JoinGroup in version 9, which is answered at once; what is to be stored is stored.
fn join(coordinator: &mut Coordinator, request: JoinGroupRequest) -> i16 {
    let call = Call {
        ticket: Ticket(1),
        version: 9,
        from: Origin {
            client_id: "c",
            host: "/127.0.0.1",
        },
    };
    let now = Timestamp::from_millis(1);
    coordinator.handle(now, Input::Request(call, request.into()));
    let mut code = None;
    while let Some(output) = coordinator.poll() {
        match output {
            Output::Append { append, .. } => {
                let result = Ok(());
                coordinator.handle(now, Input::Appended { append, result });
            }
            Output::Reply {
                response: AnyResponse::JoinGroup(answer),
                ..
            } => code = Some(answer.error_code),
            _ => {}
        }
    }
    code.unwrap()
}

#[test]
fn one_group_more_than_are_kept_is_refused_until_one_is_gone() {
    let mut coordinator = coordinator();
    for n in 0..limits::COORDINATOR_GROUPS {
        assert_eq!(join(&mut coordinator, joining(&format!("g{n}"))), 79);
    }
    assert_eq!(join(&mut coordinator, joining("one more")), 15);
    assert_eq!(
        join(&mut coordinator, joining("g0")),
        79,
        "those that are there are served"
    );
    let retention = Config::default().empty_group_retention;
    let later = Timestamp::from_millis(1) + retention;
    coordinator.handle(later, Input::Tick);
    assert_eq!(
        join(&mut coordinator, joining("one more")),
        79,
        "nothing came of those that were there"
    );
}

#[test]
fn what_is_kept_of_all_is_bounded_in_number_and_bytes() {
    let mut coordinator = coordinator();
    coordinator.desk.load.members = limits::COORDINATOR_MEMBERS;
    assert_eq!(join(&mut coordinator, joining("g")), 15);
    coordinator.desk.load = Load {
        pending: limits::COORDINATOR_PENDING_IDS,
        ..Load::default()
    };
    assert_eq!(join(&mut coordinator, joining("g")), 15);
    coordinator.desk.load = Load {
        bytes: limits::COORDINATOR_BYTES,
        ..Load::default()
    };
    assert_eq!(join(&mut coordinator, joining("g")), 15);
    coordinator.desk.load = Load::default();
    assert_eq!(join(&mut coordinator, joining("g")), 79);
}

#[test]
fn too_many_protocols_are_refused() {
    let mut request = joining("g");
    let protocol = |n| JoinGroupRequestProtocol {
        name: format!("p{n}"),
        metadata: Vec::new(),
    };
    request.protocols = (0..=limits::COORDINATOR_PROTOCOLS).map(protocol).collect();
    assert_eq!(join(&mut coordinator(), request.clone()), 42);
    request.protocols.pop();
    assert_eq!(join(&mut coordinator(), request), 79);
}
