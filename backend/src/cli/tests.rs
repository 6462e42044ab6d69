//! The command line: which arguments are taken, and the one line that refuses the others.

use super::*;

fn serve(arguments: &[&str]) -> Result<ServeArgs, Refusal> {
    let line = std::iter::once("heartline").chain(arguments.iter().copied());
    parse(line).map(|command| match command {
        Command::Serve(args) => *args,
        Command::Coordinator(_) => panic!("not serve"),
    })
}

/// The refusal's line, which must be one.
fn refused(arguments: &[&str]) -> String {
    let refusal = serve(arguments).unwrap_err();
    assert_eq!(refusal.code, 2, "{refusal:?}");
    assert_eq!(refusal.text.lines().count(), 1, "{refusal:?}");
    refusal.text
}

#[test]
fn without_arguments_the_dashboard_is_served_on_port_8080_of_this_machine() {
    let args = serve(&[]).unwrap();
    assert_eq!(args.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(args.members, None);
    assert_eq!(args.member_rules, MemberRules::Modern);
    assert!(args.bootstrap_servers.is_empty());
}

#[test]
fn serve_may_be_said_or_left_out() {
    let said = serve(&["serve", "--members", "7"]).unwrap();
    let left_out = serve(&["--members", "7"]).unwrap();
    assert_eq!((said.members, left_out.members), (Some(7), Some(7)));
}

#[test]
fn lists_are_split_at_commas_and_flags_may_repeat() {
    let args = serve(&[
        "--bootstrap-servers",
        "a:1,[::1]:2",
        "--allowed-host",
        "x",
        "--allowed-host",
        "y,z",
    ])
    .unwrap();
    let servers: Vec<String> = args.bootstrap_servers.iter().map(HostPort::to_string).collect();
    assert_eq!(servers, ["a:1", "[::1]:2"]);
    assert_eq!(args.allowed_hosts, ["x", "y", "z"]);
}

#[test]
fn the_coordinator_alone_listens_on_kafkas_port() {
    match parse(["heartline", "coordinator", "--topics", "a:1,b:2"]).unwrap() {
        Command::Coordinator(args) => {
            assert_eq!(args.listen.to_string(), "127.0.0.1:9092");
            assert_eq!(args.coordinator.topics.as_deref(), Some("a:1,b:2"));
        }
        Command::Serve(_) => panic!("not the coordinator"),
    }
}

#[test]
fn a_wrong_value_is_refused_in_one_line_with_the_value_and_what_is_allowed() {
    for (arguments, named) in [
        (
            &["--members", "-1"][..],
            "'-1' for '--members <N>': a whole number from 0 to 10000 is allowed",
        ),
        (
            &["--members", "abc"],
            "'abc' for '--members <N>': a whole number from 0 to 10000 is allowed",
        ),
        (&["--members", "10001"], "from 0 to 10000"),
        (&["--members", "99999999999999999999"], "from 0 to 10000"),
        (
            &["--heartbeat-interval", "x"],
            "'x' for '--heartbeat-interval <MS>': a whole number from 1 to 2147483647 is allowed",
        ),
        (
            &["--heartbeat-interval", "-5"],
            "'-5' for '--heartbeat-interval <MS>'",
        ),
        (&["--member-rules", "old"], "modern, v0.10"),
        (&["--listen", "8080"], "host:port"),
        (&["--listen", "::1:80"], "[::1]:80"),
        (&["--listen", "127.0.0.1:99999"], "0 to 65535"),
        (&["--listen", ":80"], "0.0.0.0"),
        (&["--bootstrap-servers", "http://a:1"], "':'"),
        (&["--heartbeat-interval", "0"], "from 1 to 2147483647"),
        (&["--session-timeout", "2147483648"], "from 1 to 2147483647"),
        (&["--unknown"], "--unknown"),
        (&["--members"], "--members"),
        (&["restart"], "restart"),
    ] {
        let line = refused(arguments);
        assert!(line.starts_with("heartline: "), "{line}");
        assert!(line.contains(named), "{line} does not name {named}");
    }
}

#[test]
fn a_control_character_in_an_argument_reaches_no_terminal() {
    let line = refused(&["--listen", "a\nb\u{1b}[31m\u{7}:1"]);
    assert!(!line.contains(char::is_control), "{line:?}");
}

#[test]
fn a_flag_of_a_later_part_is_refused_with_what_it_comes_with_and_absent_from_help() {
    let help = serve(&["serve", "--help"]).unwrap_err();
    assert_eq!(help.code, 0);
    for flag in ["--group-protocol", "--history"] {
        let line = refused(&[flag, "x"]);
        assert!(
            line.starts_with(&format!("heartline: {flag}: not built yet: comes with ")),
            "{line}"
        );
        assert!(!help.text.contains(flag), "{flag} stands in --help");
    }
}

#[test]
fn help_and_version_end_well_and_help_names_every_flag() {
    let help = serve(&["--help"]).unwrap_err();
    assert_eq!(help.code, 0);
    for flag in [
        "--listen",
        "--allowed-host",
        "--bootstrap-servers",
        "--command-config",
        "--probe-group",
        "--members",
        "--member-rules",
        "--heartbeat-interval",
        "--session-timeout",
        "--rebalance-timeout",
        "--coordinator-listen",
        "--coordinator-config",
        "--topics",
        "--data-dir",
        "HEARTLINE_MEMBERS",
    ] {
        assert!(help.text.contains(flag), "{flag} is missing in --help");
    }
    assert_eq!(serve(&["--version"]).unwrap_err().code, 0);
}
