//! `cargo xtask fuzz TARGET [SECONDS]`: a fuzz target under libFuzzer, by the stable compiler and without cargo-fuzz.
//!
//! Coverage comes from LLVM's own pass (`sancov-module`), which needs no nightly; the sanitizers do, and would find little in
//! code without `unsafe`. What is found goes to `target/fuzz/found/TARGET`; at the end the least of it and of the corpus
//! that reaches as much code becomes the corpus, and what failed stays in `target/fuzz/failed`. What failed once is kept in
//! the corpus under a name that says why.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{Outcome, cargo, output, program, root, run};

/// How long a target runs unless it is said.
const SECONDS: &str = "60";

/// Bytes of an input at most: longer ones reach nothing new, only later.
const LONGEST: &str = "4096";

/// What one input may take, in seconds and MB, before it counts as a failure.
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=2048"];

/// How LLVM counts what an input reaches, and tells what it compares.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Runs a target, then makes its corpus whole and small.
pub(crate) fn fuzz(target: &str, seconds: Option<&str>) -> Outcome {
    let corpus = root().join("fuzz/corpus").join(target);
    if !root().join(format!("fuzz/fuzz_targets/{target}.rs")).is_file() {
        return Err(format!(
            "`{target}` is no fuzz target; allowed are: {}",
            targets().join(", ")
        ));
    }
    let seconds = seconds.unwrap_or(SECONDS);
    if !seconds.parse::<u32>().is_ok_and(|seconds| seconds > 0) {
        return Err(format!(
            "`{seconds}` is no number of seconds; allowed are 1 and above"
        ));
    }
    let binary = build(target)?;
    let made = root().join("target/fuzz");
    let (found, failed, merged) = (
        made.join("found").join(target),
        made.join("failed"),
        made.join("merged").join(target),
    );
    let _not_there = fs::remove_dir_all(&merged);
    for folder in [&corpus, &found, &failed, &merged] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    run(program("nice")
        .args(["-n", "19"])
        .arg(&binary)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={LONGEST}"))
        .arg(format!("-artifact_prefix={}/{target}-", failed.display()))
        .args(["-print_final_stats=1", "-verbosity=1"])
        .args(LIMITS)
        .args([&found, &corpus]))?;
    run(program("nice")
        .args(["-n", "19"])
        .arg(&binary)
        .args(["-set_cover_merge=1", "-use_counters=0"])
        .args([&merged, &corpus, &found]))?;
    replace(&corpus, &merged)
}

/// Everything that a test checks is checked: `[profile.fuzz]`.
fn build(target: &str) -> Outcome<PathBuf> {
    // Named, so that build scripts and macros, which are for this machine too, are not counted as well.
    let host = output(cargo().args(["-vV"]))
        .and_then(|text| {
            let host = text.lines().find_map(|line| line.strip_prefix("host: "));
            host.map(str::to_owned)
        })
        .ok_or("`cargo -vV` names no host")?;
    let made = root().join("target/fuzz");
    run(cargo()
        .env("RUSTFLAGS", COVERAGE)
        .args(["build", "--package", "fuzz", "--features", "libfuzzer"])
        .args(["--profile", "fuzz", "--bin", target, "--target", &host])
        .arg("--target-dir")
        .arg(&made))?;
    Ok(made.join(host).join("fuzz").join(target))
}

/// The merged inputs are the corpus from now on.
fn replace(corpus: &Path, merged: &Path) -> Outcome {
    let files = |folder: &Path| -> Outcome<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
    };
    let kept = files(merged)?;
    if kept.is_empty() {
        return Err(format!(
            "the merge left nothing; {} stays as it is",
            corpus.display()
        ));
    }
    for old in files(corpus)?.iter().filter(|path| has_no_name(path)) {
        fs::remove_file(old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    for input in kept.iter().filter(|path| has_no_name(path)) {
        let to = corpus.join(input.file_name().unwrap_or_default());
        fs::copy(input, &to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    println!("{}: {} inputs", corpus.display(), kept.len());
    Ok(())
}

/// libFuzzer calls what it finds by the hash of its bytes.
fn has_no_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The targets there are.
fn targets() -> Vec<String> {
    let entries = fs::read_dir(root().join("fuzz/fuzz_targets"));
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}
