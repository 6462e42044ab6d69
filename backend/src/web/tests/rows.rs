//! What `/api/group` and `/api/groups` tell of groups that a survey sees.

use shared::event::{
    Described, Detail, GroupState, GroupType, Lag, PartitionProgress, Reconciling, Subscription,
    TopicPartitions,
};

use super::*;

/// A survey's word on a group, or on a member of it.
async fn survey(server: &Server, member: Option<&str>, change: Change) {
    let mut what = observation(Source::Survey, "g", "", change);
    what.member = member.map(Into::into);
    server.reporter.report(what).await;
}

fn of(partition: i32) -> Vec<TopicPartitions> {
    vec![TopicPartitions {
        topic: "t".to_owned(),
        partitions: vec![partition],
    }]
}

#[tokio::test(start_paused = true)]
async fn a_member_is_told_with_all_that_a_survey_sees_of_it() {
    let server = Server::new();
    let joined = Joined {
        generation: Some(Generation(5)),
        client_id: Some("app".to_owned()),
        host: Some("/10.0.0.1".to_owned()),
        instance_id: Some("i-1".into()),
        rack: Some("r-1".to_owned()),
        classic: Some(true),
        ..Joined::default()
    };
    survey(&server, Some("a"), Change::MemberJoined(joined)).await;
    let owned = Change::MemberAssigned {
        generation: Some(Generation(5)),
        partitions: Some(of(0)),
        unnamed: 0,
    };
    survey(&server, Some("a"), owned).await;
    let subscription = Subscription {
        topics: vec!["t".to_owned(), "u".to_owned()],
        ..Subscription::default()
    };
    let described = Described {
        subscription: Some(subscription),
        work: None,
    };
    survey(&server, Some("a"), Change::MemberDescribed(Box::new(described))).await;
    let way = Reconciling {
        epoch: Generation(5),
        target_epoch: Generation(7),
        gives_up: of(0),
        awaits: of(3),
        unnamed: 0,
    };
    survey(&server, Some("a"), Change::MemberReconciling(way)).await;
    let partitions = vec![PartitionProgress {
        topic: "t".into(),
        partition: 0,
        committed: Some(10),
        end: Some(12),
        committed_at: Some(UnixMs(START.0 + 5)),
        lag: None,
        gone: false,
    }];
    let progress = Change::GroupProgress {
        lag: Lag::of(&partitions),
        partitions,
        unnamed: 0,
    };
    survey(&server, None, progress).await;
    let answer = server.json("/api/group?group=g").await;
    let member = &answer["members"][0];
    assert_eq!(member["rack"], "r-1");
    assert_eq!(member["classic"], true);
    assert_eq!(member["instance_id"], "i-1");
    assert_eq!(member["host"], "/10.0.0.1");
    assert_eq!(member["session_timeout_ms"], Value::Null, "not visible");
    assert_eq!(member["owned"]["partitions"][0]["topic"], "t");
    assert_eq!(member["described"]["subscription"]["topics"][1], "u");
    assert_eq!(member["reconciling"]["what"]["target_epoch"], 7);
    assert_eq!(member["reconciling"]["what"]["awaits"][0]["partitions"][0], 3);
    assert_eq!(member["committed_at"], START.0 + 5);
    assert_eq!(answer["group"]["lag"]["left"], 2);
    assert_eq!(answer["progress"][0]["committed"], 10);
}

#[tokio::test(start_paused = true)]
async fn what_one_look_told_of_many_members_is_found_by_each_of_them() {
    let server = Server::new();
    let joined = |member: &str| Detail {
        at: None,
        member: Some(member.into()),
        change: Change::MemberJoined(Joined::default()),
    };
    let told = vec![joined("a"), joined("b")];
    survey(&server, None, Change::GroupDescribed { told }).await;
    survey(
        &server,
        None,
        Change::GroupDescribed {
            told: vec![joined("b")],
        },
    )
    .await;
    for (asked, seqs) in [
        ("member=a", &[1][..]),
        ("member=b", &[1, 2]),
        ("member=b&kind=group_described", &[1, 2]),
        ("member=b&kind=member_joined", &[]),
        ("member=c", &[]),
    ] {
        let answer = server.json(&format!("/api/events?{asked}")).await;
        let events = answer["events"].as_array().unwrap().iter();
        let found: Vec<u64> = events.map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(found, seqs, "{asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn types_and_states_that_nobody_knows_are_told_word_by_word() {
    let server = Server::new();
    let group_type = GroupType::Other("quantum".to_owned());
    survey(
        &server,
        None,
        Change::GroupFound {
            group_type,
            protocol_type: Some("entanglement".to_owned()),
        },
    )
    .await;
    let (from, to) = (None, GroupState::Other("Entangled".to_owned()));
    survey(&server, None, Change::GroupState { from, to }).await;
    let groups = server.json("/api/groups?type=quantum&state=Entangled").await;
    let row = &groups["groups"][0];
    assert_eq!(
        (&row["type"], &row["state"]),
        (&"quantum".into(), &"Entangled".into())
    );
    assert_eq!(row["protocol_type"], "entanglement");
    assert_eq!(row["members"], Value::Null, "not visible, and not 0");
    assert_eq!(row["lag"], Value::Null);
}
