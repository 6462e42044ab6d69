//! `/metrics`: the names of docs/contract.md, and what they count.

use std::time::Duration;

use shared::event::{RebalanceCause, Rebalanced};
use tokio::time::advance;

use super::*;

/// A line of the text, which must be there.
fn line<'a>(text: &'a str, start: &str) -> &'a str {
    let found = text.lines().find(|line| line.starts_with(start));
    found.unwrap_or_else(|| panic!("no {start} in\n{text}"))
}

#[tokio::test(start_paused = true)]
async fn heartbeats_rebalances_groups_and_the_server_itself_are_counted() {
    let server = Server::new();
    join(&server, "g", "a").await;
    for (latency_us, error) in [(90, 0), (240, 0), (400, 27)] {
        let mut beat = answered("g", "a", latency_us, error);
        beat.at = server.clock.now_unix();
        server.reporter.report(beat).await;
    }
    let finished = Change::RebalanceFinished(Rebalanced {
        generation: Generation(1),
        from_generation: None,
        cause: RebalanceCause::MemberJoined,
        member: None,
        took_ms: Some(3),
        took_between_ms: None,
        join_ms: None,
        sync_ms: None,
        joined: None,
        left: None,
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    });
    server
        .reporter
        .report(observation(Source::Embedded, "g", "a", finished))
        .await;
    server.reporter.request_sent(Some(NodeId(1)), "Heartbeat");
    server.reporter.request_sent(None, "Metadata");
    // Seen now; counted by kind once their second is over.
    server.hub.seq().await.unwrap();
    advance(Duration::from_millis(2_500)).await;

    let answer = server.get("/metrics").await;
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let text = answer.text();
    let latency = "heartline_heartbeat_latency_seconds";
    let group = r#"cluster="c",group="g""#;
    for line_ in [
        format!(r#"{latency}_bucket{{{group},node="1",le="0.0001"}} 1"#),
        format!(r#"{latency}_bucket{{{group},node="1",le="+Inf"}} 3"#),
        format!(r#"{latency}_count{{{group},node="1"}} 3"#),
        format!("heartline_heartbeat_last_seconds_ago{{{group}}} 2.5"),
        format!("heartline_heartbeat_response_time_max_seconds{{{group}}} 0.0004"),
        r#"heartline_heartbeats_total{cluster="c",outcome="ok"} 2"#.to_owned(),
        r#"heartline_heartbeats_total{cluster="c",outcome="REBALANCE_IN_PROGRESS"} 1"#.to_owned(),
        r#"heartline_rebalances_total{cluster="c",group="g",cause="member_joined"} 1"#.to_owned(),
        format!("heartline_members{{{group}}} 1"),
        r#"heartline_events_total{kind="heartbeat_answered"} 3"#.to_owned(),
        "heartline_viewers 0".to_owned(),
        "heartline_merged_total 0".to_owned(),
        r#"heartline_requests_total{node="1",api="Heartbeat"} 1"#.to_owned(),
        r#"heartline_requests_total{node="",api="Metadata"} 1"#.to_owned(),
    ] {
        assert_eq!(line(text, &line_), line_);
    }
    assert!(line(text, "heartline_group_state{").ends_with("\"} 1"));
}

#[tokio::test(start_paused = true)]
async fn a_rebalance_is_counted_when_its_cause_is_settled() {
    let server = Server::new();
    join(&server, "g", "a").await;
    let finished = |cause| {
        Change::RebalanceFinished(Rebalanced {
            generation: Generation(2),
            from_generation: Some(Generation(1)),
            cause,
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
        })
    };
    let counted = async |cause: &str| {
        let answer = server.get("/metrics").await;
        let start = format!(r#"heartline_rebalances_total{{cluster="c",group="g",cause="{cause}"}} "#);
        let mut lines = answer.text().lines();
        lines.find_map(|line| line.strip_prefix(&start).map(str::to_owned))
    };
    // A member tells of its end first, and then its coordinator why it began.
    for (source, cause) in [
        (Source::Probe, RebalanceCause::NotVisible),
        (Source::Embedded, RebalanceCause::MemberLeft),
    ] {
        let mut told = observation(source, "g", "a", finished(cause));
        told.at = server.clock.now_unix();
        server.reporter.report(told).await;
        server.hub.seq().await.unwrap();
        assert!(matches!(
            counted("not_visible").await.as_deref(),
            None | Some("0")
        ));
    }
    assert_eq!(counted("member_left").await.as_deref(), Some("0"));
    advance(Duration::from_secs(10)).await;
    assert_eq!(counted("member_left").await.as_deref(), Some("1"));
    assert_eq!(counted("not_visible").await.as_deref(), Some("0"));
}

#[tokio::test(start_paused = true)]
async fn every_name_of_the_contract_is_there_before_anything_happened() {
    let contract = include_str!("../../../../docs/contract.md");
    let (_, metrics) = contract.split_once("\nMetrics: ").unwrap();
    let (metrics, _) = metrics.split_once("\n\n").unwrap();
    let names = metrics
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with("heartline_"));
    let names: Vec<&str> = names.collect();
    assert!(names.len() >= 11, "{names:?}");
    let answer = Server::new().get("/metrics").await;
    for name in names {
        line(answer.text(), &format!("# TYPE {name} "));
    }
}

#[tokio::test(start_paused = true)]
async fn every_line_is_a_comment_or_a_sample_whatever_strangers_call_their_groups() {
    let server = Server::new();
    join(&server, "a\"} 1\nheartline_viewers 99\\", "m").await;
    let answer = server.get("/metrics").await;
    for line in answer.text().lines().filter(|line| !line.starts_with("# ")) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(
            name.starts_with("heartline_") && value.parse::<f64>().is_ok(),
            "{line}"
        );
    }
    assert_eq!(line(answer.text(), "heartline_viewers"), "heartline_viewers 0");
}

#[tokio::test(start_paused = true)]
async fn what_a_survey_costs_each_broker_and_could_not_read_is_told_with_its_bounds() {
    use crate::survey::{Counts, Figures, Insight, Load};

    let load = Load {
        in_flight: 2,
        most_in_flight: 5,
        most_in_a_second: 61,
        put_off: 1_900,
    };
    let log = Counts {
        records: 900,
        unknown: 7,
        malformed: 2,
        left_out: 1,
    };
    let loads = [(NodeId(1), Load::default()), (NodeId(2), load)].into();
    let server = Server::with(|site| site.survey = Some(Insight::telling(Figures { loads, log })));
    let answer = server.get("/metrics").await;
    let text = answer.text();
    for line_ in [
        r#"heartline_survey_requests_in_flight{node="1"} 0"#,
        r#"heartline_survey_requests_in_flight{node="2"} 2"#,
        r#"heartline_survey_requests_in_flight_max{node="2"} 5"#,
        r#"heartline_survey_requests_per_second_max{node="2"} 61"#,
        r#"heartline_survey_groups_put_off{node="2"} 1900"#,
        r#"heartline_offsets_log_records_total{what="read"} 900"#,
        r#"heartline_offsets_log_records_total{what="unknown"} 7"#,
        r#"heartline_offsets_log_records_total{what="malformed"} 2"#,
        r#"heartline_offsets_log_records_total{what="left_out"} 1"#,
    ] {
        assert_eq!(line(text, line_), line_);
    }
    let contract = include_str!("../../../../docs/contract.md");
    for (help, bound, promised) in [
        (
            "# HELP heartline_survey_requests_in_flight_max ",
            limits::SURVEY_IN_FLIGHT as u64,
            "never more than ",
        ),
        (
            "# HELP heartline_survey_requests_per_second_max ",
            limits::SURVEY_IN_A_SECOND,
            "at most ",
        ),
    ] {
        assert!(line(text, help).ends_with(&format!("the bound is {bound}.")));
        assert!(
            contract.contains(&format!("{promised}{bound}")),
            "{promised}{bound}"
        );
    }
}
