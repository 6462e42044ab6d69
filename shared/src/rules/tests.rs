//! The rules against the facts of protocol.md 1.1-1.8: written down again by hand, request by request, code by code.

use super::*;

/// The codes the issue lists, and three that fall under "any other".
const CODES: [i16; 18] = [
    0, 14, 15, 16, 22, 23, 24, 25, 26, 27, 30, 35, 79, 81, 82, -1, 7, 110,
];

/// One letter an effect, so that a row reads like the table in protocol.md.
fn letter(effect: Effect) -> char {
    match effect {
        Effect::Accept => '+',
        Effect::Retry => 'r',
        Effect::CoordinatorDead => 'D',
        Effect::Rejoin(Forget::Nothing) => 'j',
        Effect::Rejoin(Forget::MemberId) => 'm',
        Effect::Rejoin(Forget::Generation) => 'g',
        Effect::Rejoin(Forget::Both) => 'b',
        Effect::TakeMemberId => 't',
        Effect::Fenced => 'F',
        Effect::Fatal => '!',
        Effect::Over => 'o',
    }
}

fn row(rules: &Rules, request: GroupRequest) -> String {
    CODES
        .map(|code| letter(rules.answers.effect(request, code)))
        .iter()
        .collect()
}

#[test]
fn what_each_code_does_under_the_rules_of_0_10() {
    //                    code:   0 14 15 16 22 23 24 25 26 27 30 35 79 81 82 -1 7 110
    let facts = [
        (GroupRequest::Heartbeat, "+ r D D j r r m r j r r r r r r r r"),
        (
            GroupRequest::FindCoordinator,
            "+ r r r r r r r r r ! r r r r r r r",
        ),
        (GroupRequest::JoinGroup, "+ r D D ! ! ! m ! ! ! ! ! ! ! ! ! !"),
        (GroupRequest::SyncGroup, "+ ! D D m ! ! m ! j ! ! ! ! ! ! ! !"),
        (GroupRequest::LeaveGroup, "+ o o o o o o o o o o o o o o o o o"),
    ];
    for (request, expected) in facts {
        assert_eq!(
            row(&Rules::V0_10, request),
            expected.replace(' ', ""),
            "{request:?}"
        );
    }
}

#[test]
fn what_each_code_does_under_modern_rules() {
    //                    code:   0 14 15 16 22 23 24 25 26 27 30 35 79 81 82 -1 7 110
    let facts = [
        (GroupRequest::Heartbeat, "+ r D D g r r b r j ! r r r F r r r"),
        (
            GroupRequest::FindCoordinator,
            "+ r r r ! ! ! ! ! ! ! ! ! ! ! ! ! !",
        ),
        (GroupRequest::JoinGroup, "+ r D D ! ! ! b ! j ! ! t ! F ! ! !"),
        (GroupRequest::SyncGroup, "+ ! D D g ! ! b ! j ! ! ! ! F ! ! !"),
        (GroupRequest::LeaveGroup, "+ o o o o o o o o o o o o o o o o o"),
    ];
    for (request, expected) in facts {
        assert_eq!(
            row(&Rules::MODERN, request),
            expected.replace(' ', ""),
            "{request:?}"
        );
    }
}

#[test]
fn no_error_of_0_10_resets_the_generation() {
    for request in GroupRequest::ALL {
        for code in CODES {
            if let Effect::Rejoin(forget) = Rules::V0_10.answers.effect(request, code) {
                assert!(!forget.generation(), "{request:?} {code}");
            }
        }
    }
}

#[test]
fn modern_rules_keep_the_member_id_on_22_and_forget_it_on_25() {
    for request in [GroupRequest::Heartbeat, GroupRequest::SyncGroup] {
        let effect = |code| Rules::MODERN.answers.effect(request, code);
        assert_eq!(effect(22), Effect::Rejoin(Forget::Generation));
        assert_eq!(effect(25), Effect::Rejoin(Forget::Both));
    }
}

#[test]
fn every_rule_is_a_field_in_which_the_two_sets_differ() {
    let (old, new) = (Rules::V0_10, Rules::MODERN);
    assert_ne!(old.name, new.name);
    assert_ne!(old.guard, new.guard);
    assert_ne!(old.expiry, new.expiry);
    assert_ne!(old.expiry_in_flight, new.expiry_in_flight);
    assert_ne!(old.clock, new.clock);
    assert_ne!(old.session_reset, new.session_reset);
    assert_ne!(old.first_heartbeat, new.first_heartbeat);
    assert_ne!(old.retry, new.retry);
    assert_ne!(old.failed_heartbeat, new.failed_heartbeat);
    assert_ne!(old.rebalance_in_progress, new.rebalance_in_progress);
    assert_ne!(old.stale_answers, new.stale_answers);
    assert_ne!(old.rejoin_cleared, new.rejoin_cleared);
    assert_ne!(old.join_waits, new.join_waits);
    assert_ne!(old.join_timeout, new.join_timeout);
    assert_ne!(old.version, new.version);
    assert_ne!(old.join_floor_max, new.join_floor_max);
    assert_ne!(old.static_members, new.static_members);
    assert_ne!(old.request_timeout, new.request_timeout);
    assert_ne!(old.answers.heartbeat, new.answers.heartbeat);
    assert_eq!(old.defaults.heartbeat_interval, new.defaults.heartbeat_interval);
}

#[test]
fn the_defaults_are_those_of_the_releases() {
    let millis = |rules: &Rules| {
        let d = rules.defaults;
        [
            d.session_timeout,
            d.heartbeat_interval,
            d.request_timeout,
            d.retry_backoff,
        ]
        .map(|m| m.0)
    };
    assert_eq!(millis(&Rules::V0_10), [30_000, 3000, 40_000, 100]);
    assert_eq!(millis(&Rules::MODERN), [45_000, 3000, 30_000, 100]);
    assert_eq!(Rules::MODERN.defaults.retry_backoff_max, Millis(1000));
    assert_eq!(Rules::default(), Rules::MODERN);
}
