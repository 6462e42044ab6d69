//! `cargo xtask test`: the test groups, what each needs made ready, and how long each took.
//!
//! Whole-program tests are `tests/tests/GROUP_*.rs` and `tests/tests/GROUP/main.rs`: a group is there once it has a file. They get the built
//! program and Kafka's jars by environment variables, so that nothing is built or resolved twice.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::process::{Outcome, cargo, root, run};
use crate::{debian, kafka, peers, server};

/// The groups of whole-program tests that run by default, in this order, after `unit`.
const GROUPS: [&str; 4] = ["integration", "kafka", "clients", "browser"];

/// The group that is too long for CI.
const LONG: &str = "long";

/// Packages whose own tests are the group `unit`; `tests` has a library with tests too. xtask runs apart: with the others
/// its dependencies would be built a second time, with other features.
const UNIT_PACKAGES: [&str; 5] = ["shared", "backend", "frontend", "tests", "fuzz"];

/// Runs one group, or every one of CI's; prints seconds per group.
pub(crate) fn test(group: Option<&str>) -> Outcome {
    let groups = chosen(group)?;
    let mut report = Vec::new();
    let mut failed = Vec::new();
    let mut step = |name: &str, work: &dyn Fn() -> Outcome| {
        let start = Instant::now();
        let outcome = work();
        report.push((name.to_owned(), start.elapsed().as_secs(), outcome.is_ok()));
        outcome.inspect_err(|reason| {
            eprintln!("xtask: {name}: {reason}");
            failed.push(name.to_owned());
        })
    };
    if step("builds", &|| builds(&groups)).is_ok() {
        for group in &groups {
            // A group that fails does not hide what the others would have said.
            let _reported = step(group, &|| run_group(group));
        }
    }
    println!("\ngroup         seconds");
    for (name, seconds, passed) in report {
        println!(
            "{name:<12} {seconds:>8}  {}",
            if passed { "passed" } else { "FAILED" }
        );
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")))
    }
}

/// The groups that are there, or the one asked for.
fn chosen(group: Option<&str>) -> Outcome<Vec<String>> {
    let there = |name: &&str| *name == "unit" || !files(name).is_empty();
    let groups = ["unit"].into_iter().chain(GROUPS).filter(there);
    match group {
        None => Ok(groups.map(str::to_owned).collect()),
        Some(name)
            if groups
                .clone()
                .chain([LONG].into_iter().filter(there))
                .any(|group| group == name) =>
        {
            Ok(vec![name.to_owned()])
        }
        Some(name) => {
            let allowed: Vec<&str> = groups.chain([LONG].into_iter().filter(there)).collect();
            Err(format!(
                "`{name}` is no test group; allowed are: {}",
                allowed.join(", ")
            ))
        }
    }
}

/// What the groups need, built once and before the clock of any of them starts.
fn builds(groups: &[String]) -> Outcome {
    if groups.iter().any(|group| group != "unit") {
        server::build()?;
    }
    for group in groups {
        prepare(group)?;
    }
    run(cargo_test().args(["--no-run"]).args(targets(groups)))
}

/// Makes ready what a group needs beside the program.
fn prepare(group: &str) -> Outcome {
    if ["kafka", "clients", LONG].contains(&group) {
        kafka::resolve()?;
    }
    if group == "kafka" {
        peers::compile_java()?;
    }
    if ["clients", LONG].contains(&group) {
        peers::install()?;
    }
    if group == LONG {
        kafka::resolve_older()?;
        debian::need_programs(&[("openssl", "openssl")], "make key stores of its kinds")?;
    }
    if group == "browser" {
        peers::install_axe()?;
    }
    if ["kafka", "browser", LONG].contains(&group) {
        debian::need_programs(
            &[("chromium", "chromium"), ("chromedriver", "chromium-driver")],
            "test in a browser",
        )?;
    }
    Ok(())
}

fn run_group(group: &str) -> Outcome {
    let groups = [group.to_owned()];
    let mut tests = cargo_test();
    tests.args(targets(&groups));
    if ["clients", LONG].contains(&group) {
        // They wait for sessions and for other processes rather than compute.
        tests.args(["--", "--test-threads", "6"]);
    }
    let tested = run(&mut tests);
    if group != "unit" {
        return tested;
    }
    let documented = run(cargo_test().arg("--doc"));
    let own = run(cargo().args(["test", "--package", "xtask"]));
    tested.and(documented).and(own)
}

/// The same packages at every call, whatever is tested: cargo then chooses the same features and builds nothing twice.
fn cargo_test() -> Command {
    let mut command = cargo();
    command
        .args(["test", "--workspace", "--exclude", "xtask", "--no-fail-fast"])
        .env("HEARTLINE_BIN", server::binary())
        .env("HEARTLINE_KAFKA_LIB", kafka::folder());
    command
}

/// Cargo's arguments that choose the tests of these groups.
fn targets(groups: &[String]) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut add = |name: String| arguments.extend(["--test".to_owned(), name]);
    for group in groups {
        if group == "unit" {
            UNIT_PACKAGES
                .iter()
                .filter(|package| **package != "tests")
                .flat_map(|package| test_targets(package))
                .for_each(&mut add);
        } else {
            files(group).into_iter().for_each(&mut add);
        }
    }
    if groups.iter().any(|group| group == "unit") {
        arguments.extend(["--lib".to_owned(), "--bins".to_owned()]);
    }
    arguments
}

/// The names of a group's test targets.
fn files(group: &str) -> Vec<String> {
    let prefix = format!("{group}_");
    let of_group = |name: &String| name == group || name.starts_with(&prefix);
    test_targets("tests").into_iter().filter(of_group).collect()
}

/// The names of a package's test targets, in order: as cargo finds them, `NAME.rs` and `NAME/main.rs`.
fn test_targets(package: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root().join(package).join("tests")) else {
        return Vec::new();
    };
    let target = |path: PathBuf| {
        let is_target =
            path.extension().is_some_and(|extension| extension == "rs") || path.join("main.rs").is_file();
        is_target.then(|| Some(path.file_stem()?.to_str()?.to_owned()))?
    };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| target(entry.path()))
        .collect();
    names.sort();
    names
}
