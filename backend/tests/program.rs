//! The binary itself: exit codes, the one line of a refusal, the addresses on standard output, the environment.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails its test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

/// The program with these arguments and no variables of ours.
fn heartline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heartline"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HEARTLINE_"))
    {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The exit code, and what stands on standard error.
fn ended(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    (output.status.code(), text)
}

/// Runs to the end; must be refused with code 2 and one line that says this.
fn refused(command: &mut Command, why: &str) {
    let output = command.output().unwrap();
    let (code, text) = ended(&output);
    assert_eq!(code, Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("heartline: ") && text.contains(why), "{text}");
    assert!(output.stdout.is_empty());
}

/// A program that runs.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// The rest of the next line after `start`.
    fn after(&mut self, start: &str) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        let rest = line.trim_end().strip_prefix(start);
        rest.unwrap_or_else(|| panic!("{line:?} does not start with {start:?}"))
            .to_owned()
    }

    /// Sends a signal and waits for the end.
    fn signalled(self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        // Its pipes stay open until it ends, or it could not write its log.
        self.child.wait_with_output().unwrap().status.code()
    }
}

/// The whole answer to a GET.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_wrong_argument_ends_with_2_and_one_line() {
    refused(
        &mut heartline(&["--members", "many"]),
        "'many' for '--members <N>'",
    );
    refused(
        &mut heartline(&["--heartbeat-interval", "9000"]),
        "--heartbeat-interval 9000 must be below --session-timeout 6000",
    );
    refused(
        &mut heartline(&["--history", "1h"]),
        "--history: not built yet: comes with",
    );
    refused(&mut heartline(&["--scenario", "no-such"]), "no-such");
    refused(&mut heartline(&["coordinator", "--members", "1"]), "--members");
    refused(
        &mut heartline(&["coordinator", "--topics", "x"]),
        "NAME:PARTITIONS",
    );
}

#[test]
fn every_flag_can_stand_in_the_environment() {
    refused(
        heartline(&[]).env("HEARTLINE_MEMBERS", "x"),
        "'x' for '--members <N>'",
    );
    refused(
        heartline(&["serve"]).env("HEARTLINE_PROBE_GROUP", ""),
        "--probe-group \"\"",
    );
    refused(
        heartline(&[]).env("HEARTLINE_HISTORY", "1h"),
        "--history: not built yet",
    );
    refused(
        heartline(&["coordinator"]).env("HEARTLINE_COORDINATOR_CONFIG", "group.max.size=0"),
        "group.max.size=0",
    );
    // What stands there for the dashboard does not keep the coordinator from starting.
    let mut command = heartline(&["coordinator"]);
    command
        .env("HEARTLINE_MEMBERS", "2")
        .env("HEARTLINE_LISTEN", "127.0.0.1:0");
    let mut coordinator = Running::start(command);
    let address = coordinator.after("heartline: coordinator on ");
    assert!(
        address.starts_with("127.0.0.1:") && address.ends_with(" (embedded)"),
        "{address}"
    );
    assert_eq!(coordinator.signalled("-TERM"), Some(0));
}

#[test]
fn help_and_version_stand_on_standard_output_and_end_with_0() {
    for (argument, text) in [
        ("--help", "--bootstrap-servers"),
        ("--version", env!("CARGO_PKG_VERSION")),
    ] {
        let output = heartline(&[argument]).output().unwrap();
        assert_eq!(ended(&output), (Some(0), String::new()));
        assert!(String::from_utf8(output.stdout).unwrap().contains(text));
    }
}

#[test]
fn the_dashboard_names_its_addresses_serves_and_ends_well_when_asked_to() {
    for signal in ["-TERM", "-INT"] {
        let mut dashboard = Running::start(heartline(&["--listen", "127.0.0.1:0"]));
        let page = dashboard.after("heartline: page on http://");
        let coordinator = dashboard.after("heartline: coordinator on ");
        let coordinator = coordinator.strip_suffix(" (embedded)").unwrap();
        assert!(get(&page, "/healthz").starts_with("HTTP/1.1 200 "));
        TcpStream::connect(coordinator).unwrap();
        assert_eq!(dashboard.signalled(signal), Some(0));
    }
}

#[test]
fn an_address_that_is_taken_ends_with_1_and_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (page, coordinator) = (
        ["--listen", &address],
        ["--coordinator-listen", &address, "--listen", "127.0.0.1:0"],
    );
    for arguments in [&page[..], &coordinator] {
        let (code, text) = ended(&heartline(arguments).output().unwrap());
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.starts_with("heartline: the ") && text.contains(&address),
            "{text}"
        );
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn off_loopback_a_warning_says_what_whoever_reaches_it_can_do() {
    let mut dashboard = Running::start(heartline(&["--listen", "0.0.0.0:0", "--members", "0"]));
    let page = dashboard.after("heartline: page on http://0.0.0.0:");
    assert!(get(&format!("127.0.0.1:{page}"), "/readyz").starts_with("HTTP/1.1 200 "));
    let id = dashboard.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    let (code, log) = ended(&dashboard.child.wait_with_output().unwrap());
    assert_eq!(code, Some(0));
    assert!(
        log.contains("off loopback: whoever reaches it reads everything"),
        "{log}"
    );
}

#[test]
fn of_two_lists_of_servers_a_warning_names_the_one_that_is_used() {
    let file = std::env::temp_dir().join(format!("heartline-two-lists-{}.properties", std::process::id()));
    // Nobody answers at either: that is another line of the log.
    for (listed, warns) in [("127.0.0.1:2", true), ("127.0.0.1:1", false)] {
        std::fs::write(&file, format!("bootstrap.servers={listed}\n")).unwrap();
        let mut running = Running::start(heartline(&[
            "--listen",
            "127.0.0.1:0",
            "--bootstrap-servers",
            "127.0.0.1:1",
            "--command-config",
            file.to_str().unwrap(),
            "--members",
            "0",
        ]));
        running.after("heartline: page on http://");
        let mut child = running.child;
        child.kill().unwrap();
        let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        let warning = "--bootstrap-servers 127.0.0.1:1 is used; bootstrap.servers=127.0.0.1:2 of --command-config is not";
        assert_eq!(log.contains(warning), warns, "{log}");
    }
    std::fs::remove_file(&file).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn an_address_that_cannot_be_written_ends_with_1_and_a_line() {
    for arguments in [
        &["--listen", "127.0.0.1:0"][..],
        &["coordinator", "--listen", "127.0.0.1:0"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let (code, text) = ended(&heartline(arguments).stdout(full).output().unwrap());
        assert_eq!(code, Some(1), "{text}");
        let last = text.lines().last().unwrap();
        assert!(
            last.starts_with("heartline: ") && last.contains("cannot be written to standard output"),
            "{text}"
        );
    }
}

#[test]
fn a_log_level_that_is_none_is_refused_with_those_there_are() {
    refused(
        heartline(&[]).env("HEARTLINE_LOG", "foo"),
        "HEARTLINE_LOG=\"foo\": error, warn, info, debug is allowed",
    );
}

#[test]
fn a_cluster_that_is_down_is_told_everywhere_and_its_password_nowhere() {
    const PASSWORD: &str = "open-sesame-7";
    let folder = std::env::temp_dir().join(format!("heartline-program-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("client.properties");
    let lines = [
        "security.protocol=SASL_PLAINTEXT",
        "sasl.mechanism=PLAIN",
        &format!(
            "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" \
             password=\"{PASSWORD}\";"
        ),
    ];
    std::fs::write(&file, lines.join("\n")).unwrap();
    // Held, and never listened on by anybody who answers.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap().to_string();
    let accepting = std::thread::spawn(move || {
        for stream in nobody.incoming().take(1) {
            drop(stream);
        }
    });
    let mut running = Running::start(heartline(&[
        "--listen",
        "127.0.0.1:0",
        "--bootstrap-servers",
        &address,
        "--command-config",
        file.to_str().unwrap(),
        "--members",
        "0",
    ]));
    let page = running.after("heartline: page on http://");
    let told = |path: &str, words: &str| loop {
        let answer = get(&page, path);
        assert!(!answer.contains(PASSWORD), "{answer}");
        if answer.contains(words) {
            return answer;
        }
        std::thread::yield_now();
    };
    // Until the first failure there is none to tell.
    let ready = told(
        "/readyz",
        &format!("no broker of the cluster has answered yet: {address}: "),
    );
    assert!(ready.contains("no_answer_yet"), "{ready}");
    told(
        "/api/events?kind=coordinator_not_found",
        &format!("\"detail\":\"{address}: "),
    );
    told("/api/board", "\"not_found\":{");
    told("/metrics", "heartline_survey_requests_in_flight");
    #[cfg(target_os = "linux")]
    {
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", running.child.id())).unwrap();
        let cores = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"))
            .unwrap();
        assert_eq!(
            cores.split_whitespace().collect::<Vec<_>>()[4..6],
            ["0", "0"],
            "{cores}"
        );
    }
    let mut child = running.child;
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains(PASSWORD), "{log}");
    accepting.join().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}
