//! The stock clients for the tests: each ecosystem's own tool installs what is pinned in `tests/peers`, into `target/peers`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{Outcome, output, program, root, run, unless_done};
use crate::{debian, kafka};

/// Makes ready every client and its program.
pub(crate) fn install() -> Outcome {
    debian::need_programs(
        &[
            ("javac", "default-jdk-headless"),
            ("node", "nodejs"),
            ("npm", "npm"),
        ],
        "run stock clients",
    )?;
    install_python()?;
    install_npm("kafkajs")?;
    build_franz_go()?;
    compile_java()
}

/// The Python clients, in one virtual environment.
pub(crate) fn install_python() -> Outcome {
    debian::need_programs(&[("python3", "python3")], "run stock clients")?;
    // Debian's Python has `venv` without what it needs.
    if output(program("python3").args(["-c", "import ensurepip, venv"])).is_none() {
        debian::need(&["python3-venv"], "run stock clients")?;
    }
    let requirements = source("python/requirements.txt");
    unless_done(&installed("python.done"), &read(&requirements)?, || {
        let folder = installed("python");
        let _absent_is_fine = fs::remove_dir_all(&folder);
        run(program("python3").args(["-m", "venv"]).arg(&folder))?;
        let pip = folder.join("bin/python").display().to_string();
        run(program(&pip)
            .args(["-m", "pip", "--quiet", "--disable-pip-version-check"])
            .args(["install", "--requirement"])
            .arg(&requirements))
    })
}

/// axe-core, which looks for what shuts people out of a page.
pub(crate) fn install_axe() -> Outcome {
    debian::need_programs(
        &[("node", "nodejs"), ("npm", "npm")],
        "check the page's accessibility",
    )?;
    install_npm("axe")
}

/// What npm installs by a lock of that name.
fn install_npm(name: &str) -> Outcome {
    let lock = source(name).join("package-lock.json");
    unless_done(&installed(&format!("{name}.done")), &read(&lock)?, || {
        let folder = installed(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for file in ["package.json", "package-lock.json"] {
            let from = source(name).join(file);
            fs::copy(&from, folder.join(file)).map_err(|error| format!("{}: {error}", from.display()))?;
        }
        run(program("npm")
            .current_dir(folder)
            .args(["ci", "--silent", "--no-audit", "--no-fund"]))
    })
}

/// Both programs: the client of the tests, `peer`, and the reader of the benchmark, `log`. Go itself knows what has changed.
pub(crate) fn build_franz_go() -> Outcome {
    debian::need_programs(&[("go", "golang-go")], "run franz-go")?;
    let folder = installed("franz-go");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    run(program("go")
        .current_dir(source("franz-go"))
        .args(["build", "-o"])
        .arg(folder)
        .args([".", "./log"]))
}

/// Against Kafka's jars, which must be there.
pub(crate) fn compile_java() -> Outcome {
    debian::need_programs(&[("javac", "default-jdk-headless")], "run the Java client")?;
    let sources = ["Newcomer.java", "Peer.java", "Topics.java"].map(|file| source("java").join(file));
    let mut texts = read(&source("../kafka/pom.xml"))?;
    for file in &sources {
        texts.extend(read(file)?);
    }
    unless_done(&installed("java.done"), &texts, || {
        run(program("javac")
            .arg("-cp")
            .arg(kafka::folder().join("*"))
            .arg("-d")
            .arg(installed("java"))
            .args(&sources))
    })
}

fn installed(part: &str) -> PathBuf {
    root().join("target/peers").join(part)
}

fn source(part: &str) -> PathBuf {
    root().join("tests/peers").join(part)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
