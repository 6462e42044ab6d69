//! Classic groups against the cases of Kafka's own tests (protocol.md 5.E) and of those of other people's clients that
//! ask a coordinator (5.I), each stated as a fact.
//!
//! Unless a case says otherwise the initial rebalance delay is 3000 ms and a member asks for 500 ms of session and of
//! rebalance timeout, as in Kafka's tests. Time is simulated.

mod beside_kafka;
mod context;
mod events;
mod gathering;
mod heartbeats;
mod joins;
mod leaving;
mod moving;
mod protocols;
mod sessions;
mod statics;
mod storage;
mod syncs;
mod told;

/// Each case and the test that states it. Kafka's tests have no E08, E27 and E31 for classic groups.
const CASES: [(&str, fn()); 53] = [
    ("E01", gathering::a_first_join_waits_for_the_initial_delay),
    (
        "E02",
        gathering::a_newcomer_prolongs_the_gathering_once_by_the_delay,
    ),
    (
        "E03",
        gathering::the_gathering_is_no_longer_than_the_rebalance_timeout,
    ),
    ("E04", joins::a_session_timeout_out_of_range_is_refused),
    (
        "E05",
        joins::an_empty_group_id_is_refused_and_the_member_id_echoed,
    ),
    ("E06", gathering::the_member_above_the_maximum_is_turned_away),
    ("E07", gathering::ids_handed_out_do_not_count_against_the_maximum),
    ("E09", joins::a_newcomers_join_waits_for_five_minutes_at_most),
    ("E10", joins::an_id_that_is_not_used_in_time_is_forgotten),
    (
        "E11",
        statics::a_static_member_that_joins_twice_fences_its_first_join,
    ),
    ("E12", joins::a_known_member_of_an_empty_group_must_start_over),
    (
        "E13",
        gathering::dynamic_members_that_do_not_rejoin_in_time_are_out,
    ),
    (
        "E14",
        statics::the_join_phase_goes_on_while_only_absent_static_members_are_in,
    ),
    (
        "E15",
        sessions::after_its_first_generation_a_new_member_lives_by_its_session,
    ),
    ("E16", statics::an_absent_static_follower_is_in_the_leaders_list),
    (
        "E17",
        joins::an_unchanged_follower_gets_the_current_generation_at_once,
    ),
    ("E18", joins::a_leader_that_rejoins_starts_a_generation),
    ("E19", gathering::an_expired_id_lets_the_join_phase_end),
    (
        "E20",
        syncs::when_the_leader_fails_the_waiting_follower_is_told_to_rejoin,
    ),
    (
        "E21",
        heartbeats::strangers_and_strange_groups_are_told_25_and_dead_ones_15,
    ),
    (
        "E22",
        heartbeats::a_heartbeat_is_answered_27_while_preparing_and_0_while_completing,
    ),
    (
        "E23",
        heartbeats::a_heartbeat_of_another_generation_is_answered_22,
    ),
    ("E24", heartbeats::a_static_member_is_known_by_both_its_ids),
    ("E25", sessions::heartbeats_keep_a_member_in),
    (
        "E26",
        sessions::a_member_without_heartbeats_expires_and_leaves_the_group_empty,
    ),
    (
        "E28",
        statics::an_absent_static_member_stays_until_its_session_ends,
    ),
    ("E29", sessions::an_id_handed_out_and_forgotten_disturbs_nobody),
    (
        "E30",
        syncs::members_that_never_sync_are_out_after_the_rebalance_timeout,
    ),
    (
        "E32",
        syncs::a_leader_that_never_syncs_is_out_and_the_followers_rejoin,
    ),
    ("E33", syncs::a_group_whose_members_all_synced_stays_stable),
    ("E34", statics::an_absent_static_member_can_hold_up_a_rebalance),
    (
        "E35",
        statics::a_static_leader_that_returns_to_a_stable_group_disturbs_nobody,
    ),
    ("E36", statics::a_duplicate_of_a_parked_static_follower_fences_it),
    ("E37", leaving::the_last_member_that_leaves_makes_the_group_empty),
    ("E38", leaving::who_may_not_leave_is_told_why),
    (
        "E39",
        leaving::an_id_handed_out_that_leaves_lets_the_join_phase_end,
    ),
    ("E40", leaving::static_members_are_removed_by_their_name),
    ("E41", leaving::from_an_unknown_group_each_member_is_answered_25),
    ("E42", moving::what_waits_in_a_group_that_goes_is_answered_16),
    (
        "E43",
        moving::heartbeats_are_blindly_answered_0_while_the_group_loads,
    ),
    (
        "E44",
        moving::while_a_group_loads_everything_but_a_heartbeat_is_put_off,
    ),
    ("E45", sessions::a_commit_keeps_a_member_in),
    ("E46", moving::who_asks_for_a_group_that_is_elsewhere_is_told_16),
    (
        "E47",
        protocols::the_protocol_with_most_votes_is_chosen_among_those_all_speak,
    ),
    ("E48", protocols::a_joining_member_must_speak_what_all_others_do),
    (
        "E49",
        gathering::the_leader_stays_if_it_rejoins_and_else_the_first_that_did_leads,
    ),
    ("E50", statics::a_replaced_member_hands_on_all_that_was_its),
    ("E51", sessions::a_commit_is_checked_like_a_heartbeat),
    ("E52", protocols::only_the_moves_of_the_table_are_made),
    (
        "E52, as a walk",
        protocols::every_move_of_the_table_is_reached_by_requests,
    ),
    (
        "I12",
        syncs::a_member_alone_that_never_syncs_leaves_its_group_empty,
    ),
    (
        "I13",
        protocols::a_newcomer_that_speaks_something_else_is_refused_before_it_is_given_an_id,
    ),
    ("I14", leaving::a_static_member_leaves_by_its_name_alone),
];

#[test]
fn every_case_that_applies_has_its_test() {
    let absent = [8, 27, 31];
    let wanted: Vec<String> = (1..=52)
        .filter(|n| !absent.contains(n))
        .map(|n| format!("E{n:02}"))
        .chain([12, 13, 14].map(|n| format!("I{n}")))
        .collect();
    let listed: Vec<&str> = CASES
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| id.len() == 3)
        .collect();
    assert_eq!(listed, wanted);
}
