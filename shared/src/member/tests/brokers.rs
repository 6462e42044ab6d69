//! Which brokers and which configurations a member takes, and in which versions it speaks.

use super::world::*;
use crate::ids::InstanceId;
use crate::member::{Config, ConfigError, End, Fatal, Member};
use crate::protocol::{AnyRequest, ApiKey, BrokerVersions};
use crate::rules::{GroupRequest, Rules};
use crate::time::{Millis, Timestamp};

/// What ends a member at its coordinator's connection.
fn refused_by(config: Config, versions: BrokerVersions) -> String {
    let mut world = World::new(config);
    world.find();
    world.up_with(versions);
    match world.end {
        Some(End::Fatal(Fatal { code: None, sentence })) => sentence,
        other => panic!("{other:?}"),
    }
}

fn static_member() -> Config {
    Config {
        instance: Some(InstanceId::from("i")),
        ..config(Rules::MODERN)
    }
}

#[test]
fn modern_rules_speak_the_highest_common_version_and_0_10_the_lowest() {
    let older = [(ApiKey::JoinGroup, 2, 7), (ApiKey::Heartbeat, 0, 3)];
    for (rules, join, beat) in [(Rules::MODERN, 7, 3), (Rules::V0_10, 2, 0)] {
        let mut world = World::new(config(rules));
        world.find();
        world.up_with(versions_with(&older));
        assert_eq!(world.waits(GroupRequest::JoinGroup).unwrap().version, join);
        world.join("consumer", 1);
        world.pass(3000);
        assert_eq!(world.waits(GroupRequest::Heartbeat).unwrap().version, beat);
    }
}

#[test]
fn v0_10_refuses_a_broker_whose_join_starts_above_3() {
    let versions = versions_with(&[(ApiKey::JoinGroup, 4, 9)]);
    let sentence = refused_by(config(Rules::V0_10), versions.clone());
    assert_eq!(
        sentence,
        "the broker's JoinGroup starts at version 4: the rules v0.10 end at version 3, the last in which a new member is taken \
         in without asking twice (KIP-394); use the modern rules"
    );
    let mut world = World::new(config(Rules::MODERN));
    world.find();
    world.up_with(versions);
    assert!(world.end.is_none());
}

#[test]
fn a_broker_that_lacks_a_request_is_refused_by_its_name() {
    let versions = versions_with(&[(ApiKey::SyncGroup, 0, -1)]);
    let sentence = refused_by(config(Rules::MODERN), versions);
    assert!(sentence.contains("SyncGroup"), "{sentence}");
}

#[test]
fn a_static_member_refuses_a_broker_that_cannot_carry_its_instance_id() {
    let versions = versions_with(&[(ApiKey::Heartbeat, 0, 2)]);
    assert_eq!(
        refused_by(static_member(), versions),
        "the broker's Heartbeat goes up to version 2, which cannot carry a group.instance.id (version 3, Kafka 2.3): unset it, \
         or use newer brokers"
    );
}

#[test]
fn a_static_member_names_itself_in_every_request() {
    let config = Config {
        on_leave: crate::member::LeaveOperation::LeaveGroup,
        ..static_member()
    };
    let mut world = World::new(config);
    world.find();
    world.up();
    world.answer(joined("i-1", 1, "leader", &[]));
    world.answer(synced());
    world.pass(3000);
    world.answer(beat(0));
    world.input(crate::member::Input::Leave { reason: None });
    let named = world.sent.iter().filter_map(|sent| match &sent.body {
        AnyRequest::JoinGroup(join) => Some(join.group_instance_id.clone()),
        AnyRequest::SyncGroup(sync) => Some(sync.group_instance_id.clone()),
        AnyRequest::Heartbeat(heartbeat) => Some(heartbeat.group_instance_id.clone()),
        AnyRequest::LeaveGroup(leave) => Some(leave.members[0].group_instance_id.clone()),
        _ => None,
    });
    let named: Vec<_> = named.collect();
    assert_eq!(named, vec![Some("i".to_owned()); 4]);
}

#[test]
fn a_configuration_that_makes_no_sense_is_refused_with_the_value_and_what_is_allowed() {
    let with = |change: fn(&mut Config), rules: Rules| {
        let mut config = config(rules);
        change(&mut config);
        Member::new(config, 0, Timestamp(0)).unwrap_err().to_string()
    };
    assert_eq!(
        with(|config| config.heartbeat_interval = Millis(10_000), Rules::MODERN),
        "heartbeat interval 10000 ms: must be lower than the session timeout, 10000 ms"
    );
    assert_eq!(
        with(|config| config.session_timeout = Millis(1 << 31), Rules::MODERN),
        "session timeout 2147483648 ms: must be from 1 to 2147483647"
    );
    assert_eq!(
        with(|config| config.retry_backoff = Millis(0), Rules::MODERN),
        "retry backoff 0 ms: must be from 1 to 2147483647"
    );
    assert_eq!(
        with(|config| config.topics = vec!["t".repeat(40_000)], Rules::MODERN),
        "topic name of 40000 bytes: at most 32767 are allowed"
    );
    assert_eq!(
        with(|config| config.instance = Some("i".into()), Rules::V0_10),
        "group.instance.id \"i\": static members came with Kafka 2.3 (KIP-345), the rules v0.10 cannot be one"
    );
}

/// KAFKA-2428, until KAFKA-7050.
#[test]
fn v0_10_wants_a_request_timeout_above_the_session_timeout() {
    let equal = |rules| Config {
        request_timeout: Millis(10_000),
        ..config(rules)
    };
    let refused = Member::new(equal(Rules::V0_10), 0, Timestamp(0)).unwrap_err();
    assert!(matches!(refused, ConfigError::RequestNotAboveSession { .. }));
    assert_eq!(
        refused.to_string(),
        "request timeout 10000 ms: under the rules v0.10 must be above the session timeout, 10000 ms"
    );
    assert!(Member::new(equal(Rules::MODERN), 0, Timestamp(0)).is_ok());
}

#[test]
fn the_defaults_of_both_sets_make_a_member() {
    for rules in Rules::ALL {
        let config = Config::new(GROUP.into(), CLIENT, *rules);
        assert!(Member::new(config, 0, Timestamp(0)).is_ok());
    }
}
