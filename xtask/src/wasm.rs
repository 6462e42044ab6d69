//! Where the page's standard library comes from: `wasm32-unknown-unknown` is in no toolchain by default.
//!
//! Looked for in this order: the active toolchain; Debian's packages, whose compiler builds it from Debian's sources;
//! `rustup target add`, unless RUSTUP_AUTO_INSTALL=0 forbids to change the toolchain; else one line says what to run.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::debian;
use crate::process::{Outcome, cargo, on_path, output, program, root, run};

/// The page's target.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's newest Rust, its sources (for `-Z build-std`) and the linker.
const DEBIAN_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_LINKER: &str = "wasm-ld-19";

/// Who compiles the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// The active toolchain has the target's standard library.
    Active,
    /// Debian's compiler, which builds the standard library too.
    Debian,
}

impl Compiler {
    /// The first way that works here; installs what is missing where that is allowed.
    pub(crate) fn find() -> Outcome<Self> {
        if active_toolchain_has_target() {
            return Ok(Self::Active);
        }
        if debian_compiler_is_ready() {
            return Ok(Self::Debian);
        }
        let rustup_may_install = env::var("RUSTUP_AUTO_INSTALL").map_or(true, |value| value != "0");
        if rustup_may_install && on_path("rustup") {
            println!("installing the target {TARGET} into the active toolchain, needed to build the page");
            run(program("rustup").args(["target", "add", TARGET]))?;
            return Ok(Self::Active);
        }
        Err(format!(
            "no standard library of {TARGET}, needed to build the page; run: rustup target add {TARGET}   (or, as root on \
             Debian: apt-get install {})",
            DEBIAN_PACKAGES.join(" ")
        ))
    }

    /// `cargo rustc` for the target, in a folder of its own so that two cargos never share one.
    pub(crate) fn build(self) -> Command {
        let mut command = match self {
            Self::Active => cargo(),
            Self::Debian => {
                let mut command = program(DEBIAN_CARGO);
                command
                    .env("RUSTC", DEBIAN_RUSTC)
                    // `-Z build-std` is not stable; Debian's compiler is.
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER)
                    // A panic ends the page in any case: the browser's console has its stack then, and the page none of its words to carry.
                    .env(
                        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
                        "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none",
                    );
                command
            }
        };
        command
            .args(["rustc", "--locked", "--target", TARGET, "--target-dir"])
            .arg(target_dir());
        if self == Self::Debian {
            command.args(["-Z", "build-std=std,panic_abort"]);
            // The small sorts and searches of the standard library: the page is read more often than it sorts.
            command.args(["-Z", "build-std-features=optimize_for_size"]);
        }
        command
    }
}

/// Where [`Compiler::build`] puts what it builds.
pub(crate) fn target_dir() -> std::path::PathBuf {
    root().join("target/wasm")
}

fn active_toolchain_has_target() -> bool {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    output(program(&rustc).args(["--print", "sysroot"])).is_some_and(|sysroot| {
        Path::new(&sysroot)
            .join("lib/rustlib")
            .join(TARGET)
            .join("lib")
            .is_dir()
    })
}

fn debian_compiler_is_ready() -> bool {
    if !debian::missing(&DEBIAN_PACKAGES).is_empty() {
        if !debian::is_root_on_debian() {
            return false;
        }
        if let Err(reason) = debian::need(&DEBIAN_PACKAGES, "build the page") {
            println!("{reason}; looking further");
            return false;
        }
    }
    let Some(version) = output(program(DEBIAN_RUSTC).arg("--version")) else {
        return false;
    };
    let new_enough =
        minor_version(&version) >= minor_version(concat!("rustc ", env!("CARGO_PKG_RUST_VERSION")));
    if !new_enough {
        println!(
            "Debian's {version} is older than {}; looking further",
            env!("CARGO_PKG_RUST_VERSION")
        );
    }
    new_enough
}

/// The 95 of "rustc 1.95.0 (…)".
fn minor_version(rustc: &str) -> Option<u32> {
    rustc.split(['.', ' ']).nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::minor_version;

    #[test]
    fn compilers_are_compared_by_number_not_by_text() {
        assert_eq!(minor_version("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert!(minor_version("rustc 1.100.0") > minor_version("rustc 1.95"));
        assert_eq!(minor_version("cannot run"), None);
    }
}
