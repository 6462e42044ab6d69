//! `cargo xtask bench [NAME [SIZE]]`: makes ready what the benchmarks compare, then runs them (`tests/src/bench.rs`).

use crate::process::{Outcome, cargo, run};
use crate::{debian, kafka, peers, server};

/// Runs one benchmark, or all of them; `words` are its name and, for those that have one, its size.
pub(crate) fn bench(words: &[&str]) -> Outcome {
    server::build()?;
    kafka::resolve()?;
    debian::need_programs(
        &[
            ("chromium", "chromium"),
            ("chromedriver", "chromium-driver"),
            ("tcpdump", "tcpdump"),
        ],
        "measure",
    )?;
    peers::install_python()?;
    peers::build_franz_go()?;
    run(cargo()
        .args(["run", "--release", "--package", "tests", "--bin", "bench", "--"])
        .args(words)
        .env("HEARTLINE_BIN", server::binary())
        .env("HEARTLINE_KAFKA_LIB", kafka::folder()))
}
