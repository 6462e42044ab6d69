//! Running other programs: each is named before it runs, and a failure says which one it was.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a step of xtask returns; the error is the sentence the user sees.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the manifest's folder for `cargo run`; it is xtask/, one below the root.
    let xtask = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Whether we run in CI, where nothing may be skipped and nothing is built twice for a developer's comfort.
pub(crate) fn in_ci() -> bool {
    env::var("CI").is_ok_and(|ci| ci == "true")
}

/// The cargo that runs us, in the root, as a developer would have typed it.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    // `cargo run` adds its own library folders; a child cargo must not inherit them.
    cargo.env_remove("LD_LIBRARY_PATH");
    if in_ci() {
        cargo.env("CARGO_INCREMENTAL", "0");
    }
    cargo
}

/// A program on the path, run in the root.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root()).env_remove("LD_LIBRARY_PATH");
    command
}

/// Names the command, runs it to its end with our output, and fails when it does.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let line = command_line(command);
    println!("$ {line}");
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("could not start `{line}`: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{line}` failed ({status})"))
    }
}

/// Runs it silently; its standard output when it succeeds, else nothing.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Does `work` unless it was done for what is `wanted` now. The stamp is written last: what was interrupted is done again.
pub(crate) fn unless_done(stamp: &Path, wanted: &[u8], work: impl FnOnce() -> Outcome) -> Outcome {
    if fs::read(stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    work()?;
    fs::write(stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Whether a program of this name is on the path.
pub(crate) fn on_path(name: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy();
    command.get_args().fold(name.into_owned(), |line, argument| {
        line + " " + &argument.to_string_lossy()
    })
}
