//! `cargo xtask`: builds, runs, checks and measures Heartline by one name each, preparing what it misses.

mod bench;
mod check;
mod debian;
mod fuzz;
mod kafka;
mod page;
mod peers;
mod process;
mod server;
mod suite;
mod tidy;
mod wasm;

use std::env;
use std::process::ExitCode;

use process::Outcome;

const USAGE: &str = "\
cargo xtask run [-- ARGS]     build page and server, then run `heartline ARGS`
cargo xtask build             target/release/heartline: one file, the page inside it
cargo xtask check             fmt, clippy, the tidy test, the page's size budget
cargo xtask test [GROUP]      every test, or one group: unit, integration, kafka, clients, browser
cargo xtask test long         what is too long for CI
cargo xtask fuzz TARGET [S]   a fuzz target for S seconds (60), then its corpus made small
cargo xtask bench [NAME]      the benchmarks, each a ratio against a named peer measured in the same run
cargo xtask bench survey N    the survey of N groups (10000)
cargo xtask bench log N       the offsets log that N groups wrote (10000: 1.3 million records)";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Outcome<u8> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["help" | "--help" | "-h"] => println!("{USAGE}"),
        ["run"] => return server::serve(&[]),
        ["run", "--", ..] => return server::serve(&arguments[2..]),
        ["build"] => server::build()?,
        ["check"] => check::all()?,
        ["test"] => suite::test(None)?,
        ["test", group] => suite::test(Some(group))?,
        ["fuzz", target] => fuzz::fuzz(target, None)?,
        ["fuzz", target, seconds] => fuzz::fuzz(target, Some(seconds))?,
        ["bench"] => bench::bench(&[])?,
        ["bench", name] => bench::bench(&[name])?,
        ["bench", name, size] => bench::bench(&[name, size])?,
        _ => {
            return Err(format!(
                "`{}` is no command of xtask; allowed are:\n{USAGE}",
                words.join(" ")
            ));
        }
    }
    Ok(0)
}
