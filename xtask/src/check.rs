//! `cargo xtask check`: what needs no running program. Format, lints, tidiness, the page's size.

use crate::process::{Outcome, cargo, root, run};
use crate::{page, tidy};

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
    tidy::check(&root())?;
    page::build()?;
    let sent = page::within_budget()?;
    println!("page: {sent} of {} bytes", page::BUDGET);
    Ok(())
}
