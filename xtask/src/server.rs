//! The program: `target/release/heartline`, one file with the page inside it.

use std::env;
use std::path::PathBuf;

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

/// Builds, then becomes `heartline ARGS`; returns its exit code.
pub(crate) fn serve(arguments: &[String]) -> Outcome<u8> {
    build()?;
    // Its standard input and Ctrl-C are the user's: it gets both from the terminal, and leaves its group first.
    let status = std::process::Command::new(binary())
        .args(arguments)
        .status()
        .map_err(|error| format!("could not start {}: {error}", binary().display()))?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1))
}
