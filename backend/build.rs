//! Puts the page into the binary: a table of the files in `HEARTLINE_PAGE_DIR`, each with its compressed forms.
//!
//! `cargo xtask build` sets the variable. Without it the table is empty, so that a plain `cargo test` on a fresh clone
//! works; the server then serves a line that says how to build the page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const VARIABLE: &str = "HEARTLINE_PAGE_DIR";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    let table = match env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => table(Path::new(&folder))?,
        _ => "[]".to_owned(),
    };
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("page_files.rs"), format!("&{table}\n"))
}

/// The table as a Rust expression: one `File` for each file that is not the compressed form of another.
fn table(folder: &Path) -> io::Result<String> {
    // Cargo looks at the folder's content and, in the folder, at each file.
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    let is_compressed = |path: &PathBuf| path.extension().is_some_and(|form| form == "br" || form == "gz");
    let mut table = "[".to_owned();
    for path in paths.iter().filter(|path| path.is_file() && !is_compressed(path)) {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or_else(|| io::Error::other(format!("{} is not a UTF-8 name", path.display())))?;
        let (brotli, gzip) = (compressed(path, "br"), compressed(path, "gz"));
        // Writing to a string does not fail.
        let _always = write!(
            table,
            "File {{ name: {name:?}, plain: include_bytes!({path:?}), brotli: {brotli}, gzip: {gzip} }},",
        );
    }
    table.push(']');
    Ok(table)
}

/// `Some(include_bytes!(…))` of the file's compressed form, or `None`.
fn compressed(path: &Path, form: &str) -> String {
    let mut with_form = path.as_os_str().to_owned();
    with_form.push(".");
    with_form.push(form);
    match Path::new(&with_form).is_file() {
        true => format!("Some(include_bytes!({with_form:?}))"),
        false => "None".to_owned(),
    }
}
