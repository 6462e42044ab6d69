//! The page: Rust -> WebAssembly -> JavaScript glue -> `target/page`, names carrying a hash of the content, each file
//! also compressed.
//!
//! `target/page` is what the server embeds (`HEARTLINE_PAGE_DIR`): `index.html`, `favicon.svg`, and the files that index
//! names, which may be cached for ever because their names change with their content; beside each, `.br` and `.gz`.
//! Sources in `frontend/static` name files plainly (`"/style.css"`); the names are replaced here.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_bindgen_cli_support::Bindgen;

use crate::process::{Outcome, root, run};
use crate::wasm::{self, Compiler};

/// The page as sent, compressed: what it may weigh in bytes, all files together.
pub(crate) const BUDGET: usize = 300_000;

/// The assembled page's folder.
pub(crate) fn folder() -> PathBuf {
    root().join("target/page")
}

/// Compiles and assembles the page; does little when nothing changed.
pub(crate) fn build() -> Outcome {
    run(Compiler::find()?
        .build()
        .args(["--package", "frontend", "--lib", "--profile", "page"])
        // The crate is made for the browser (cdylib) and for the tests on the host (rlib). Asked for both, cargo leaves link-time
        // optimisation out, and the page would be a tenth heavier.
        .args(["--crate-type", "cdylib"]))?;
    let module = wasm::target_dir().join(wasm::TARGET).join("page/frontend.wasm");
    let (script, module) = bind(&module)?;
    let files = assemble(&root().join("frontend/static"), script, module)?;
    let sent = install(&folder(), &files)?;
    println!("page: {} files, {sent} bytes as sent (brotli)", files.len());
    Ok(())
}

/// The page's weight in bytes as sent; fails when it is above [`BUDGET`].
pub(crate) fn within_budget() -> Outcome<usize> {
    let mut sent = 0;
    for entry in list(&folder())? {
        if entry.extension().is_some_and(|extension| extension == "br") {
            sent += read(&entry)?.len();
        }
    }
    if sent > BUDGET {
        return Err(format!(
            "the page weighs {sent} bytes as sent; its budget is {BUDGET}"
        ));
    }
    Ok(sent)
}

/// Makes the module callable from a browser: its JavaScript glue and the module without the bindings' notes.
fn bind(module: &Path) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let describe = |error| format!("wasm-bindgen: {error:#}");
    let mut output = Bindgen::new()
        .input_path(module)
        .web(true)
        .map_err(describe)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .remove_name_section(true)
        .generate_output()
        .map_err(describe)?;
    if output.snippets().values().any(|of_crate| !of_crate.is_empty()) || !output.local_modules().is_empty() {
        return Err("the page's dependencies carry JavaScript snippets, which are not assembled".to_owned());
    }
    let script = output.js().as_bytes().to_vec();
    Ok((script, output.wasm_mut().emit_wasm()))
}

/// All files of the page by their final names.
fn assemble(sources: &Path, script: Vec<u8>, module: Vec<u8>) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let mut page = Assembly::default();
    page.publish("frontend.js", script);
    page.publish("frontend_bg.wasm", module);
    page.publish("style.css", stylesheet(sources)?);
    let boot = page.renamed(&sources.join("boot.js"))?;
    page.publish("boot.js", boot);
    let index = page.renamed(&sources.join("index.html"))?;
    page.files.insert("index.html".to_owned(), index);
    page.files
        .insert("favicon.svg".to_owned(), read(&sources.join("favicon.svg"))?);
    page.each_is_named()?;
    Ok(page.files)
}

/// The page while it is put together: a file is published before those that name it.
#[derive(Default)]
struct Assembly {
    files: BTreeMap<String, Vec<u8>>,
    /// How the sources name a published file (`"/style.css"`) and how the page does.
    names: Vec<(String, String)>,
}

impl Assembly {
    /// Adds a file under a name with a hash of its content: `style.css` -> `style-1f2e3d4c5b6a7988.css`.
    fn publish(&mut self, plain: &str, content: Vec<u8>) {
        let mut hasher = DefaultHasher::new();
        hasher.write(&content);
        let (stem, extension) = plain.split_once('.').unwrap_or((plain, ""));
        let hashed = format!("{stem}-{:016x}.{extension}", hasher.finish());
        self.names
            .push((format!("\"/{plain}\""), format!("\"/{hashed}\"")));
        self.files.insert(hashed, content);
    }

    /// A source with the names of what is published replaced.
    fn renamed(&self, source: &Path) -> Outcome<Vec<u8>> {
        let text = fs::read_to_string(source).map_err(|error| format!("{}: {error}", source.display()))?;
        let text = self
            .names
            .iter()
            .fold(text, |text, (plain, hashed)| text.replace(plain, hashed));
        Ok(text.into_bytes())
    }

    /// A file that nothing names would never be loaded: a name was misspelt in the sources.
    fn each_is_named(&self) -> Outcome {
        let texts: Vec<_> = self
            .files
            .values()
            .map(|content| String::from_utf8_lossy(content))
            .collect();
        match self
            .names
            .iter()
            .find(|(_, hashed)| !texts.iter().any(|text| text.contains(hashed)))
        {
            Some((plain, _)) => Err(format!("no source of the page names {plain}")),
            None => Ok(()),
        }
    }
}

/// All stylesheets in the order of their names, as one file.
fn stylesheet(sources: &Path) -> Outcome<Vec<u8>> {
    let mut joined = Vec::new();
    for path in list(sources)? {
        if path.extension().is_some_and(|extension| extension == "css") {
            joined.extend(read(&path)?);
        }
    }
    Ok(joined)
}

/// Writes the files and their compressed forms, touching only what changed, and removes what is no longer the page's.
/// Returns the bytes as sent.
fn install(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> Outcome<usize> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut sent = 0;
    let mut kept = Vec::new();
    for (name, content) in files {
        let [plain, br, gz] = ["", ".br", ".gz"].map(|suffix| folder.join(format!("{name}{suffix}")));
        let same = fs::read(&plain).is_ok_and(|old| old == *content) && br.is_file() && gz.is_file();
        if !same {
            write(&br, &brotli(content)?)?;
            write(&gz, &gzip(content)?)?;
            write(&plain, content)?;
        }
        sent += read(&br)?.len();
        kept.extend([plain, br, gz]);
    }
    for path in list(folder)? {
        if !kept.contains(&path) {
            fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(sent)
}

fn brotli(content: &[u8]) -> Outcome<Vec<u8>> {
    let mut compressed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        size_hint: content.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &parameters)
        .map_err(|error| format!("brotli: {error}"))?;
    Ok(compressed)
}

fn gzip(content: &[u8]) -> Outcome<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(content)
        .and_then(|()| encoder.finish())
        .map_err(|error| format!("gzip: {error}"))
}

/// A folder's files by name.
fn list(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, content: &[u8]) -> Outcome {
    fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))
}
