//! What a command line comes to, and what makes no sense.

use shared::rules::Rules;
use shared::time::Millis;

use super::*;
use crate::cli::{self, Command};

fn config(arguments: &[&str]) -> Result<Config, Refusal> {
    let line = std::iter::once("heartline").chain(arguments.iter().copied());
    match cli::parse(line).unwrap() {
        Command::Serve(args) => Config::from_args(&args),
        Command::Coordinator(_) => panic!("not serve"),
    }
}

/// Heartbeat interval, session timeout and rebalance timeout.
fn times(members: &MembersConfig) -> (u64, u64, u64) {
    let member = &members.member;
    (
        member.heartbeat_interval.0,
        member.session_timeout.0,
        member.rebalance_timeout.0,
    )
}

#[test]
fn alone_it_runs_a_quick_demo_group_on_its_own_coordinator_by_either_rules() {
    for rules in ["modern", "v0.10"] {
        let config = config(&["--member-rules", rules]).unwrap();
        assert_eq!(times(&config.members), (1_000, 6_000, 10_000));
        assert_eq!(config.members.member.group.as_str(), "demo");
        assert_eq!(config.members.member.topics, ["demo"]);
        let Target::Embedded(coordinator) = config.target else {
            panic!("not embedded");
        };
        assert_eq!(coordinator.listen.to_string(), "127.0.0.1:0");
        assert_eq!(
            coordinator.topics.by_name("demo").map(|demo| demo.partitions),
            Some(6)
        );
    }
}

#[test]
fn on_a_cluster_the_members_take_the_timeouts_of_their_rules_and_a_group_of_their_own() {
    let modern = config(&["--bootstrap-servers", "a:1"]).unwrap();
    assert_eq!(times(&modern.members), (3_000, 45_000, 60_000));
    assert!(modern.members.member.topics.is_empty());
    let group = modern.members.member.group.as_str();
    assert!(group.starts_with("heartline-probe-"), "{group}");
    assert!(group.ends_with(&format!("-{}", std::process::id())), "{group}");

    let old = config(&["--bootstrap-servers", "a:1", "--member-rules", "v0.10"]).unwrap();
    assert_eq!(old.members.member.rules.name, Rules::V0_10.name);
    assert_eq!(times(&old.members), (3_000, 30_000, 60_000));
}

#[test]
fn what_is_given_wins_over_every_default() {
    let config = config(&[
        "--heartbeat-interval",
        "5",
        "--session-timeout",
        "6",
        "--rebalance-timeout",
        "7",
        "--probe-group",
        "g",
    ])
    .unwrap();
    assert_eq!(times(&config.members), (5, 6, 7));
    assert_eq!(config.members.member.group.as_str(), "g");
}

#[test]
fn the_page_may_be_reached_by_the_listen_name_and_the_allowed_hosts() {
    let config = config(&["--listen", "LocalHost:0", "--allowed-host", "Heartline.Example"]).unwrap();
    assert_eq!(config.page.allowed_hosts, ["localhost", "heartline.example"]);
}

#[test]
fn kafkas_names_set_the_embedded_coordinator() {
    let config = config(&[
        "--coordinator-config",
        "group.initial.rebalance.delay.ms=0,group.max.size=4",
        "--topics",
        "a:1,b.c:2",
    ])
    .unwrap();
    let Target::Embedded(coordinator) = config.target else {
        panic!("not embedded");
    };
    assert_eq!(coordinator.settings.initial_rebalance_delay, Millis(0));
    assert_eq!(coordinator.settings.max_size, 4);
    assert_eq!(coordinator.topics.iter().count(), 2);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_value_and_what_is_allowed() {
    let long = "g".repeat(40_000);
    for (arguments, named) in [
        (
            &["--heartbeat-interval", "6000"][..],
            "--heartbeat-interval 6000 must be below --session-timeout 6000",
        ),
        (
            &["--session-timeout", "1000"],
            "--heartbeat-interval 1000 must be below --session-timeout 1000",
        ),
        (
            &["--member-rules", "v0.10", "--session-timeout", "40000"],
            "below 40000",
        ),
        (&["--probe-group", ""], "--probe-group"),
        (&["--probe-group", &long], "40000 bytes: at most 249"),
        (
            &["--probe-group", "a\u{1b}b"],
            "--probe-group \"a\\u{1b}b\": control characters are not allowed",
        ),
        (
            &["--allowed-host", ""],
            "--allowed-host \"\": a host name without a port is needed",
        ),
        (&["--allowed-host", "http://x"], "--allowed-host \"http://x\""),
        (&["--bootstrap-servers", "a:0"], "between 1 and 65535"),
        (
            &["--bootstrap-servers", "a:1", "--topics", "x:1"],
            "--topics is for the embedded coordinator",
        ),
        (
            &["--bootstrap-servers", "a:1", "--coordinator-listen", "x:1"],
            "--coordinator-listen is for",
        ),
        (&["--topics", "demo"], "NAME:PARTITIONS"),
        (&["--topics", "demo:0"], "1 to 10000"),
        (&["--topics", "de mo:1"], "\"de mo\""),
        (&["--topics", "..:1"], "topic name"),
        (&["--topics", "a:1,a:2"], "given twice"),
        (&["--coordinator-config", "group.max.size"], "name=value"),
        (
            &["--coordinator-config", "group.max.size=0"],
            "from 1 to 2147483647",
        ),
        (
            &["--coordinator-config", "log.dirs=/"],
            "group.initial.rebalance.delay.ms",
        ),
    ] {
        let refusal = config(arguments).unwrap_err();
        assert_eq!(refusal.code, 2);
        assert_eq!(refusal.text.lines().count(), 1);
        assert!(
            refusal.text.contains(named),
            "{} does not say {named}",
            refusal.text
        );
    }
}

#[test]
fn a_scenario_brings_its_own_settings_topics_and_members() {
    let told = config(&[
        "--scenario",
        "unused-member-id",
        "--scenario-set",
        "group=g",
        "--scenario-set",
        "speed=7",
    ]);
    let config = told.unwrap();
    let scenario = config.scenario.unwrap();
    assert_eq!(
        (scenario.name.as_str(), scenario.speed.get()),
        ("unused-member-id", 7)
    );
    assert_eq!(config.members.count, 0);
    let Target::Embedded(coordinator) = config.target else {
        panic!("not embedded");
    };
    assert_eq!(coordinator.topics, scenario.topics);
    assert_eq!(coordinator.settings, scenario.settings);
}

#[test]
fn what_a_scenario_cannot_be_given_with_is_refused() {
    for (arguments, named) in [
        (&["--scenario", "nothing"][..], "no scenario \"nothing\": "),
        (&["--scenario-set", "speed=1"], "--scenario NAME is needed"),
        (
            &["--scenario", "starved-client", "--scenario-set", "speed"],
            "NAME=VALUE",
        ),
        (
            &[
                "--scenario",
                "starved-client",
                "--scenario-set",
                "speed=2",
                "--scenario-set",
                "speed=3",
            ],
            "\"speed=3\": speed is given already, as \"2\"",
        ),
        (
            &["--scenario", "starved-client", "--scenario-set", "x=1"],
            "no parameter \"x\": speed, answer_ms",
        ),
        (
            &["--scenario", "starved-client", "--members", "3"],
            "--members cannot be given with --scenario",
        ),
        (
            &["--scenario", "starved-client", "--topics", "a:1"],
            "--topics cannot be given with",
        ),
        (
            &["--scenario", "starved-client", "--bootstrap-servers", "a:1"],
            "--scenario is for the embedded",
        ),
    ] {
        let refusal = config(arguments).unwrap_err();
        assert_eq!((refusal.code, refusal.text.lines().count()), (2, 1));
        assert!(
            refusal.text.contains(named),
            "{} does not say {named}",
            refusal.text
        );
    }
}

#[test]
fn the_scenarios_are_listed_a_line_each() {
    let Ok(Command::Serve(args)) = cli::parse(["heartline", "--scenario", "list"]) else {
        panic!("not serve");
    };
    let text = listed_scenarios(&args).unwrap().unwrap();
    assert_eq!(text.lines().count(), crate::scenario::list().unwrap().len());
    assert!(
        text.lines()
            .any(|line| line.starts_with("unused-member-id ") && line.contains("G56: "))
    );
}

#[test]
fn loopback_is_told_from_addresses_that_others_reach() {
    let on = |text: &str| is_loopback(text.parse().unwrap());
    assert!(on("127.0.0.1") && on("127.9.9.9") && on("::1") && on("::ffff:127.0.0.1"));
    assert!(!on("0.0.0.0") && !on("::") && !on("192.168.1.4"));
}

/// A client's file with this text, for as long as `with` lasts.
fn with_file<T>(name: &str, text: &str, with: impl FnOnce(&str) -> T) -> T {
    let path = std::env::temp_dir().join(format!("heartline-{name}-{}.properties", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let outcome = with(&path.display().to_string());
    std::fs::remove_file(&path).unwrap();
    outcome
}

#[test]
fn a_clients_file_names_the_cluster_where_the_flag_does_not_and_tells_the_members() {
    let text = "bootstrap.servers=a:1, [::1]:2\nclient.id=observer\nrequest.timeout.ms=5000\nacks=all";
    let (from_file, from_flag) = with_file("servers", text, |file| {
        let flag = config(&["--bootstrap-servers", "b:3", "--command-config", file]).unwrap();
        (config(&["--command-config", file]).unwrap(), flag)
    });
    let addresses = |config: &Config| match &config.target {
        Target::Cluster(addresses) => addresses.iter().map(Address::to_string).collect::<Vec<_>>(),
        Target::Embedded(_) => panic!("not a cluster"),
    };
    assert_eq!(addresses(&from_file), ["a:1", "[::1]:2"]);
    assert_eq!(addresses(&from_flag), ["b:3"]);
    assert_eq!(from_file.members.member.client_id, "observer");
    assert_eq!(from_file.members.member.request_timeout, Millis(5_000));
    assert_eq!(from_file.client.idle, ["acks"]);
}

#[test]
fn a_clients_file_that_makes_no_sense_is_refused_in_one_line_by_its_name() {
    for (text, says) in [
        (
            "",
            "--command-config is for a real cluster: give --bootstrap-servers too",
        ),
        (
            "bootstrap.servers=a",
            "bootstrap.servers of --command-config: host:port is needed",
        ),
        (
            "\nssl.truststore.pasword=hUnTeR",
            ".properties: ssl.truststore.pasword (line 2): no client of Kafka",
        ),
        ("bootstrap.servers=a:1\nrequest.timeout.ms=45000", "none"),
    ] {
        let outcome = with_file("refused", text, |file| config(&["--command-config", file]));
        match outcome {
            Ok(_) => assert_eq!(says, "none"),
            Err(Refusal { text, code }) => {
                assert_eq!((code, text.lines().count()), (2, 1), "{text}");
                assert!(text.contains(says) && !text.contains("hUnTeR"), "{text}");
            }
        }
    }
    let missing = config(&["--bootstrap-servers", "a:1", "--command-config", "/no/such/file"]).unwrap_err();
    assert!(
        missing.text.contains("/no/such/file cannot be read"),
        "{missing:?}"
    );
}
