//! The program behind `cargo xtask bench [NAME [SIZE]]`.

use std::process::ExitCode;

use tests::bench::{self, viewing};

const NAMES: [&str; 11] = [
    "heartbeats",
    "latency",
    "members",
    "draw",
    "page",
    "crowded",
    "wide",
    "tab",
    "viewers",
    "log",
    "survey",
];

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = if asked.is_empty() {
        NAMES.to_vec()
    } else {
        asked.iter().map(String::as_str).collect()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed("the runtime", &error.to_string()),
    };
    if let [bench::members::SWARM, address, coordinator] = names[..] {
        let Ok(pid) = coordinator.parse() else {
            return failed(bench::members::SWARM, "no process id");
        };
        return runtime
            .block_on(bench::members::swarm(address, pid))
            .map_or_else(|reason| failed("members", &reason), |()| ExitCode::SUCCESS);
    }
    if let [bench::log::reader::OURS, address] = names[..] {
        return read_log(address);
    }
    let (names, size) = match names[..] {
        [name, size] if size.parse::<usize>().is_ok() => (vec![name], size.parse().ok()),
        _ => (names, None),
    };
    for name in names {
        let outcome = match name {
            "heartbeats" => runtime.block_on(bench::heartbeats::run()),
            "latency" => runtime.block_on(bench::latency::run()),
            "members" => runtime.block_on(bench::members::run()),
            "draw" => runtime.block_on(bench::draw::run()),
            "page" => runtime.block_on(bench::page::run()),
            "crowded" => runtime.block_on(viewing::crowded::run(size.unwrap_or(viewing::crowded::GROUPS))),
            "wide" => runtime.block_on(viewing::wide::run()),
            "tab" => runtime.block_on(viewing::tab::run(size.unwrap_or(viewing::tab::EVENTS))),
            "viewers" => runtime.block_on(viewing::viewers::run(size.unwrap_or(viewing::viewers::VIEWERS))),
            "log" => runtime.block_on(bench::log::run(size.unwrap_or(bench::log::GROUPS))),
            "survey" => runtime.block_on(bench::survey::run(size.unwrap_or(bench::survey::GROUPS))),
            other => Err(format!(
                "no such benchmark: `{other}`; there are {}",
                NAMES.join(", ")
            )),
        };
        if let Err(reason) = outcome {
            return failed(name, &reason);
        }
    }
    ExitCode::SUCCESS
}

/// As many threads as the server has.
fn read_log(address: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let read = match runtime {
        Ok(runtime) => runtime.block_on(bench::log::reader::ours(address)),
        Err(error) => Err(error.to_string()),
    };
    read.map_or_else(
        |reason| failed(bench::log::reader::OURS, &reason),
        |()| ExitCode::SUCCESS,
    )
}

fn failed(name: &str, reason: &str) -> ExitCode {
    eprintln!("bench: {name}: {reason}");
    ExitCode::FAILURE
}
