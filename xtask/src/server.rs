//! The program: `target/release/heartline`, one file with the page inside it.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::page;
use crate::process::{Outcome, cargo, root, run};

/// Where [`build`] puts the program.
pub(crate) fn binary() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release/heartline")
}

/// Builds the page, then the server around it.
pub(crate) fn build() -> Outcome {
    page::build()?;
    run(cargo()
        .args(["build", "--release", "--package", "backend"])
        .env("HEARTLINE_PAGE_DIR", page::folder()))?;
    println!("built {}", binary().display());
    Ok(())
}

/// Builds, then becomes `heartline ARGS`: Ctrl-C is then its own, and it leaves its group first. Returns only on failure.
pub(crate) fn serve(arguments: &[String]) -> Outcome<u8> {
    build()?;
    let binary = binary();
    let error = Command::new(&binary).args(arguments).exec();
    Err(format!("could not start {}: {error}", binary.display()))
}
