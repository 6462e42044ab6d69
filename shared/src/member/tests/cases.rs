//! The catalogue of Kafka's own tests (protocol.md 5.A, 5.B, 5.C): which test here states each case, or why none can.

use Case::{Cannot, Tests};

enum Case {
    /// `file::name`, the file below `shared/src` without its ending.
    Tests(&'static [&'static str]),
    Cannot(&'static str),
}

/// The sections' ids, as the catalogue numbers them.
const SECTIONS: [(char, &[u8]); 3] = [
    (
        'A',
        &[1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
    ),
    ('B', &[1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17]),
    (
        'C',
        &[
            1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29,
            30, 31, 32, 33, 34, 35,
        ],
    ),
];

#[rustfmt::skip]
const CASES: &[(&str, Case)] = &[
    ("A01", Tests(&["heartbeat/tests::a_heartbeat_is_due_once_the_interval_has_passed"])),
    ("A02", Tests(&["heartbeat/tests::a_heartbeat_is_not_due_within_the_interval"])),
    ("A03", Tests(&["heartbeat/tests::the_wait_for_the_next_heartbeat_shrinks_to_0_and_stays_there"])),
    ("A04", Tests(&["heartbeat/tests::the_session_is_over_when_nothing_was_answered_for_its_timeout"])),
    ("A06", Tests(&["member/tests/seed_timing::the_deadline_is_the_earliest_of_all_that_is_pending"])),
    ("A08", Tests(&["member/tests/seed_timing::a_request_waits_for_its_connection_and_then_for_its_answer"])),
    ("A09", Tests(&["member/tests/seed_timing::two_requests_to_one_coordinator_go_out_in_order_and_are_both_answered"])),
    ("A10", Tests(&["member/tests/seed_timing::the_task_runs_when_its_time_has_come_and_not_before"])),
    ("A11", Tests(&["member/tests/seed_timing::a_tick_too_early_loses_no_request"])),
    ("A12", Tests(&["member/tests/seed_timing::a_request_that_waits_too_long_for_its_connection_fails_alone",
                    "member/tests/unsent::a_connect_that_never_completes_fails_the_heartbeat_and_the_leave_behind_it"])),
    ("A13", Cannot("it composes futures; here an answer goes to the function for its request, and there is no future to adapt")),
    ("A14", Tests(&["heartbeat/tests::at_the_timeout_itself_the_session_lives_in_0_10_and_is_over_today"])),
    ("A15", Tests(&["heartbeat/tests::a_session_reset_postpones_the_next_heartbeat_in_0_10_only"])),
    ("A16", Tests(&["heartbeat/tests::an_interval_that_is_not_below_the_session_timeout_is_refused_with_both_numbers"])),
    ("A17", Tests(&["heartbeat/tests::a_clock_that_steps_back_lengthens_the_wait_in_0_10"])),
    ("A18", Tests(&["member/tests/seed_timing::after_a_failure_the_next_heartbeat_is_still_an_interval_after_the_last_send",
                    "member/tests/seed_timing::only_an_answer_later_than_the_interval_makes_the_backoff_decide"])),
    ("A19", Tests(&["member/tests/seed_timing::while_a_heartbeat_is_out_the_end_of_the_session_goes_unnoticed"])),
    ("A20", Tests(&["member/tests/seed_timing::a_reset_while_a_heartbeat_is_out_queues_nothing_until_the_answer"])),

    ("B01", Tests(&["member/tests/seed_coordinator::a_heartbeat_answered_0_renews_the_session"])),
    ("B02", Tests(&["member/tests/seed_coordinator::a_heartbeat_answered_15_or_16_makes_the_coordinator_unknown"])),
    ("B03", Tests(&["member/tests/seed_coordinator::a_heartbeat_answered_15_or_16_makes_the_coordinator_unknown"])),
    ("B04", Tests(&["member/tests/seed_coordinator::a_heartbeat_answered_22_or_25_needs_a_rejoin_and_only_25_clears_the_member_id"])),
    ("B05", Tests(&["member/tests/seed_coordinator::a_heartbeat_answered_22_or_25_needs_a_rejoin_and_only_25_clears_the_member_id"])),
    ("B07", Tests(&["member/tests/seed_coordinator::a_join_or_a_lookup_answered_30_ends_the_member"])),
    ("B08", Tests(&["member/tests/seed_coordinator::leaving_sends_one_leave_group_and_forgets_the_membership"])),
    ("B09", Tests(&["member/tests/seed_coordinator::leaving_sends_one_leave_group_and_forgets_the_membership"])),
    ("B10", Tests(&["member/tests/seed_coordinator::a_sync_answered_25_joins_again_at_once_without_a_member_id"])),
    ("B11", Tests(&["member/tests/seed_coordinator::a_sync_answered_27_joins_again_at_once_with_the_same_member_id"])),
    ("B13", Tests(&["member/tests/seed_coordinator::a_sync_answered_by_an_unexpected_error_ends_the_member"])),
    ("B14", Tests(&["member/tests/seed_coordinator::a_join_that_loses_its_connection_is_made_again_after_a_rediscovery"])),
    ("B15", Tests(&["member/tests/seed_coordinator::a_changed_subscription_rejoins_into_the_next_generation"])),
    ("B16", Tests(&["member/tests/seed_coordinator::a_coordinator_that_cannot_be_reached_is_looked_up_again_after_the_backoff"])),
    ("B17", Tests(&["member/tests/seed_coordinator::a_join_answered_26_or_24_ends_the_member"])),

    ("C01", Tests(&["heartbeat/tests::the_wait_for_the_next_heartbeat_shrinks_to_0_and_stays_there"])),
    ("C02", Tests(&["heartbeat/tests::the_session_is_over_when_nothing_was_answered_for_its_timeout"])),
    ("C04", Tests(&["heartbeat/tests::being_taken_in_starts_session_and_interval_again"])),
    ("C05", Cannot("the poll timer watches an application that stops polling; a member of ours has none")),
    ("C06", Tests(&["heartbeat/tests::once_over_a_session_stays_over_until_it_is_renewed"])),
    ("C07", Tests(&["heartbeat/tests::a_reset_long_after_the_last_question_starts_a_whole_session"])),
    ("C08", Tests(&["heartbeat/tests::a_clock_that_steps_back_changes_nothing_today"])),
    ("C09", Tests(&["heartbeat/tests::a_timeout_without_end_wraps_into_no_past"])),
    ("C10", Tests(&["backoff::without_jitter_delays_double_up_to_the_maximum",
                    "backoff::jitter_moves_a_delay_by_at_most_a_fifth_and_never_above_the_maximum"])),
    ("C11", Tests(&["member/tests/modern_heartbeats::each_latency_is_told_and_the_last_send_is_unknown_before_the_first"])),
    ("C12", Tests(&["member/tests/modern_joins::a_join_may_take_5_s_more_than_the_rebalance_and_no_less_than_any_request",
                    "member/tests/modern_joins::a_join_that_times_out_kills_the_coordinator_and_is_made_again"])),
    ("C13", Tests(&["member/tests/modern_joins::a_join_may_take_5_s_more_than_the_rebalance_and_no_less_than_any_request"])),
    ("C14", Tests(&["member/tests/modern_joins::a_join_may_take_5_s_more_than_the_rebalance_and_no_less_than_any_request"])),
    ("C15", Tests(&["member/tests/modern_joins::a_join_answered_79_is_made_again_at_once_with_the_id_given"])),
    ("C16", Tests(&["member/tests/modern_joins::a_join_answered_82_or_81_ends_the_member"])),
    ("C17", Tests(&["member/tests/modern_joins::the_member_id_is_kept_over_a_join_that_lost_its_connection"])),
    ("C19", Tests(&["member/tests/modern_heartbeats::heartbeats_are_sent_from_the_join_answer_on_and_27_to_them_is_ignored"])),
    ("C20", Tests(&["member/tests/modern_heartbeats::an_answer_22_25_or_82_to_an_older_generation_changes_nothing_and_is_a_success"])),
    ("C22", Tests(&["member/tests/modern_heartbeats::an_answer_22_25_or_82_to_an_older_generation_changes_nothing_and_is_a_success"])),
    ("C23", Tests(&["member/tests/modern_heartbeats::a_heartbeat_answered_27_while_the_join_runs_resets_no_generation"])),
    ("C24", Tests(&["member/tests/modern_heartbeats::a_heartbeat_answered_82_ends_the_member_for_good"])),
    ("C25", Tests(&["member/tests/modern_joins::a_join_answered_27_is_made_again"])),
    ("C26", Tests(&["member/tests/modern_joins::a_join_or_sync_answered_for_an_older_generation_resets_nothing"])),
    ("C27", Tests(&["member/tests/modern_leaves::who_sends_leave_group_depends_on_the_operation_and_on_being_static"])),
    ("C28", Tests(&["member/tests/modern_leaves::a_reason_to_leave_is_cut_after_255_characters"])),
    ("C29", Tests(&["member/tests/modern_leaves::a_leave_answered_for_two_for_none_and_with_25"])),
    ("C30", Tests(&["member/tests/modern_heartbeats::a_heartbeat_goes_out_when_it_is_due_however_long_the_backoff"])),
    ("C31", Tests(&["member/tests/modern_heartbeats::an_answer_that_cannot_be_handled_fails_its_request_and_is_told"])),
    ("C32", Tests(&["member/tests/modern_heartbeats::a_connection_refused_for_its_credentials_costs_no_membership"])),
    ("C33", Tests(&["member/tests/modern_joins::a_join_answered_14_is_made_again_after_the_backoff"])),
    ("C34", Tests(&["member/tests/modern_joins::lookups_of_a_coordinator_that_is_down_back_off_exponentially"])),
    ("C35", Tests(&["member/tests/modern_joins::a_wrong_protocol_type_or_name_ends_the_member_with_23"])),
];

const SOURCES: [(&str, &str); 8] = [
    ("backoff", include_str!("../../backoff.rs")),
    ("heartbeat/tests", include_str!("../../heartbeat/tests.rs")),
    (
        "member/tests/modern_heartbeats",
        include_str!("modern_heartbeats.rs"),
    ),
    ("member/tests/modern_joins", include_str!("modern_joins.rs")),
    ("member/tests/modern_leaves", include_str!("modern_leaves.rs")),
    (
        "member/tests/seed_coordinator",
        include_str!("seed_coordinator.rs"),
    ),
    ("member/tests/seed_timing", include_str!("seed_timing.rs")),
    ("member/tests/unsent", include_str!("unsent.rs")),
];

#[test]
fn every_case_of_the_catalogue_is_listed_once_and_in_order() {
    let listed: Vec<String> = CASES.iter().map(|(id, _)| (*id).to_owned()).collect();
    let catalogued: Vec<String> = SECTIONS
        .iter()
        .flat_map(|(section, ids)| ids.iter().map(move |id| format!("{section}{id:02}")))
        .collect();
    assert_eq!(listed, catalogued);
}

#[test]
fn every_test_named_for_a_case_exists() {
    for (id, case) in CASES {
        match case {
            Cannot(why) => assert!(why.len() > 20, "{id}: why?"),
            Tests(tests) => {
                for test in *tests {
                    let (file, name) = test.split_once("::").expect("file::name");
                    let source = SOURCES.iter().find(|(path, _)| *path == file).expect(file).1;
                    let heading = format!("#[test]\n    fn {name}()").replace("\n    ", "\n");
                    let flat = source.replace("\n    ", "\n");
                    assert!(flat.contains(&heading), "{id}: {test} does not exist");
                }
            }
        }
    }
}
