//! Debian's packages: as root on Debian what is missing is installed after it is named; elsewhere the line to run is printed.

use std::fs;

use crate::process::{Outcome, on_path, output, program, run};

/// Makes sure that these packages are there. `why` completes "needed to ...".
pub(crate) fn need(packages: &[&str], why: &str) -> Outcome {
    let missing = missing(packages);
    if missing.is_empty() {
        Ok(())
    } else {
        install(&missing, why)
    }
}

fn install(missing: &[&str], why: &str) -> Outcome {
    let line = format!("apt-get install -y --no-install-recommends {}", missing.join(" "));
    if !is_root_on_debian() {
        return Err(format!("missing Debian packages, needed to {why}; run: {line}"));
    }
    println!(
        "installing Debian packages, needed to {why}: {}",
        missing.join(" ")
    );
    run(program("apt-get").args(["update", "-qq"]))?;
    run(program("apt-get")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(missing))
}

/// Makes sure that these programs are on the path; each comes with the Debian package that has it.
pub(crate) fn need_programs(programs: &[(&str, &str)], why: &str) -> Outcome {
    let missing: Vec<&str> = programs
        .iter()
        .filter(|(program, _)| !on_path(program))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        install(&missing, why)
    }
}

/// Which of these packages are not installed.
pub(crate) fn missing<'a>(packages: &[&'a str]) -> Vec<&'a str> {
    packages
        .iter()
        .copied()
        .filter(|package| !installed(package))
        .collect()
}

/// Whether packages can be installed from here without asking anybody.
pub(crate) fn is_root_on_debian() -> bool {
    let debian =
        fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=debian"));
    debian && output(program("id").arg("-u")).is_some_and(|id| id == "0")
}

fn installed(package: &str) -> bool {
    output(program("dpkg-query").args(["-W", "-f=${Status}", package]))
        .is_some_and(|status| status == "install ok installed")
}
