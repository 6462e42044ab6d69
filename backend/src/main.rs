//! The binary `heartline`: command line in, addresses on standard output, logs on standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use backend::cli::{self, Command, Refusal};
use backend::clock::Clock;
use backend::config::{self, Config, CoordinatorConfig};
use backend::dashboard::{Dashboard, start_coordinator};
use backend::hub::Reporter;
use backend::{core_dumps, limits, open_files};
use shared::event::Observation;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// The system's own gives a thread what ten thousand groups take in steps of a page, a call to the kernel each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let told = cli::parse(std::env::args_os()).and_then(|command| {
        Ok(match command {
            Command::Serve(args) => {
                if let Some(text) = config::listed_scenarios(&args)? {
                    return Err(Refusal { text, code: 0 });
                }
                // Before the first password is read.
                let dumps = args.command_config.is_some() && !core_dumps::switch_off();
                let config = Box::new(Config::from_args(&args)?);
                Told::Serve { config, dumps }
            }
            Command::Coordinator(args) => Told::Coordinate(config::coordinator(&args)?),
        })
    });
    match told.and_then(|told| Ok((told, log_level()?))) {
        Ok((told, level)) => start(told, &level),
        Err(refusal) => refuse(&refusal),
    }
}

/// How much is logged. The filter would take any other word for a module's name, and then log nothing.
fn log_level() -> Result<String, Refusal> {
    const ALLOWED: [&str; 4] = ["error", "warn", "info", "debug"];
    let level = match std::env::var_os("HEARTLINE_LOG") {
        None => "info".to_owned(),
        Some(level) if level.is_empty() => "info".to_owned(),
        Some(level) => level.to_string_lossy().to_ascii_lowercase(),
    };
    if ALLOWED.contains(&level.as_str()) {
        return Ok(level);
    }
    Err(Refusal::usage(format!(
        "HEARTLINE_LOG={level:?}: {} is allowed",
        ALLOWED.join(", ")
    )))
}

/// What to run.
enum Told {
    Serve {
        config: Box<Config>,
        /// Whether this process has read secrets and may yet leave a core dump.
        dumps: bool,
    },
    Coordinate(CoordinatorConfig),
}

fn start(told: Told, level: &str) -> ExitCode {
    let _as_many_as_there_are = open_files::raise();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .init();
    if matches!(told, Told::Serve { dumps: true, .. }) {
        tracing::warn!(
            "core dumps could not be switched off: one would hold the secrets of --command-config"
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ended = runtime.and_then(|runtime| {
        runtime.block_on(async {
            match told {
                Told::Serve { config, .. } => serve(*config).await,
                Told::Coordinate(config) => coordinate(config).await,
            }
        })
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heartline: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: Config) -> io::Result<()> {
    let signal = signal()?;
    let wanted = &config.page.listen;
    let listener = TcpListener::bind((wanted.host.as_str(), wanted.port))
        .await
        .map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("the page cannot be served on {wanted}: {error}"),
            )
        })?;
    let dashboard = Dashboard::start(config, listener).await?;
    let mut said = say(&format!("page on http://{}", dashboard.page()));
    if let Some(coordinator) = dashboard.coordinator() {
        said = said.and_then(|()| say(&format!("coordinator on {coordinator} (embedded)")));
    }
    if said.is_err() {
        // The members leave all the same.
        dashboard.run(std::future::ready(())).await;
        return said;
    }
    dashboard.run(signal).await;
    Ok(())
}

/// The embedded coordinator alone: what happens on it goes to the log.
async fn coordinate(config: CoordinatorConfig) -> io::Result<()> {
    let signal = signal()?;
    let (reporter, mut reports) = Reporter::channel(limits::REPORTS);
    let reporter = reporter.without_beats();
    let logged = tokio::spawn(async move {
        while let Some(what) = reports.recv().await {
            log(&what);
        }
    });
    let coordinator = start_coordinator(config, Clock::start(), reporter).await?;
    let said = say(&format!("coordinator on {} (embedded)", coordinator.local_addr()));
    if said.is_ok() {
        signal.await;
    }
    coordinator.shutdown().await;
    drop(coordinator);
    logged.await.map_err(io::Error::other)?;
    said
}

/// Transitions only: single heartbeats would drown them.
fn log(what: &Observation) {
    if what.change.is_single_beat() {
        return;
    }
    let group = what.group.as_ref().map(tracing::field::display);
    let member = what.member.as_ref().map(tracing::field::display);
    // JSON leaves some control characters as they are; a terminal must not see them.
    let change = serde_json::to_string(&what.change).unwrap_or_default();
    let change: String = change
        .chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    tracing::info!(group, member, "{change}");
}

/// One line on standard output, at once; whoever waits for an address reads it there, and would wait for ever without it.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let said = writeln!(out, "heartline: {line}").and_then(|()| out.flush());
    said.map_err(|error| {
        let message = format!("\"{line}\" cannot be written to standard output: {error}");
        io::Error::new(error.kind(), message)
    })
}

fn refuse(refusal: &Refusal) -> ExitCode {
    let text = refusal.text.trim_end();
    let _unread = match refusal.code {
        0 => writeln!(io::stdout(), "{text}"),
        _ => writeln!(io::stderr(), "{text}"),
    };
    ExitCode::from(refusal.code)
}

/// Ends with the first SIGINT or SIGTERM, which is caught from now on. A second one ends the process at once.
#[cfg(unix)]
fn signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (asked, told) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut next = async || {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        next().await;
        let _ending = asked.send(());
        next().await;
        tracing::warn!("asked twice to end: ending at once");
        std::process::exit(1);
    });
    Ok(async {
        let _asked = told.await;
    })
}

/// Ends with Ctrl-C.
#[cfg(not(unix))]
fn signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _asked = tokio::signal::ctrl_c().await;
    })
}
