//! `cargo xtask check`: what needs no running program. Format, lints, the page's size.

use crate::page;
use crate::process::{Outcome, cargo, run};

/// Runs every check; the first that fails ends it.
pub(crate) fn all() -> Outcome {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    // xtask apart: with the others its dependencies would be built a second time, with other features.
    run(cargo().args([
        "clippy",
        "--workspace",
        "--exclude",
        "xtask",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    run(cargo().args([
        "clippy",
        "--package",
        "xtask",
        "--all-targets",
        "--",
        "--deny",
        "warnings",
    ]))?;
    page::build()?;
    let sent = page::within_budget()?;
    println!("page: {sent} of {} bytes", page::BUDGET);
    Ok(())
}
