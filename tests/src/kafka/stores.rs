//! A client's certificate in every kind of store that Java's keytool and OpenSSL make.

use std::fs;
use std::process::Command;

use super::certificates::Certificates;

/// The password of each store, and of an encrypted key.
pub const STORE_PASSWORD: &str = "sToRe-pAsSwOrD-93ab17";

/// A store by a name, with the lines of a client's file that lead to it.
pub type Store = (&'static str, Vec<String>);

/// All of them; those of keytool come with a trust store of their kind.
///
/// # Panics
///
/// When a tool is not there, or fails.
#[must_use]
pub fn of_every_kind(certificates: &Certificates) -> Vec<Store> {
    let p12 = openssl_p12(certificates);
    let location = format!("ssl.keystore.location={p12}");
    let password = format!("ssl.keystore.password={STORE_PASSWORD}");
    let openssl = vec!["ssl.keystore.type=PKCS12".to_owned(), location, password];
    vec![
        ("openssl-p12", openssl),
        ("encrypted-pem", encrypted_pem(certificates)),
        ("keytool-jks", of_keytool(certificates, &p12, "JKS")),
        ("keytool-p12", of_keytool(certificates, &p12, "PKCS12")),
    ]
}

fn path(certificates: &Certificates, name: &str) -> String {
    certificates.folder().join(name).display().to_string()
}

fn openssl_p12(certificates: &Certificates) -> String {
    let p12 = path(certificates, "openssl.p12");
    let client = certificates.client().display().to_string();
    let to = ["-out", &p12, "-passout", &format!("pass:{STORE_PASSWORD}")];
    let from = ["pkcs12", "-export", "-in", &client, "-name", "client"];
    run("openssl", &[&from[..], &to[..]].concat());
    p12
}

fn encrypted_pem(certificates: &Certificates) -> Vec<String> {
    let encrypted = path(certificates, "encrypted.pem");
    let client = certificates.client().display().to_string();
    let to = ["-out", &encrypted, "-passout", &format!("pass:{STORE_PASSWORD}")];
    let from = ["pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", &client];
    run("openssl", &[&from[..], &to[..]].concat());
    let chain = fs::read_to_string(&client).expect("it is there");
    let key = fs::read_to_string(&encrypted).expect("openssl made it");
    let begin = chain.find("-----BEGIN CERTIFICATE").expect("it has one");
    fs::write(&encrypted, format!("{key}{}", &chain[begin..])).expect("the folder is ours");
    vec![
        "ssl.keystore.type=PEM".to_owned(),
        format!("ssl.keystore.location={encrypted}"),
        format!("ssl.key.password={STORE_PASSWORD}"),
    ]
}

/// Without `ssl.*store.type`: by Java's default it is JKS, which its keytool has not written for long; the content tells.
fn of_keytool(certificates: &Certificates, p12: &str, kind: &str) -> Vec<String> {
    let keys = path(certificates, &format!("keys.{kind}"));
    let trust = path(certificates, &format!("trust.{kind}"));
    let authority = certificates.authority().display().to_string();
    let to = [
        "-deststoretype",
        kind,
        "-destkeystore",
        &keys,
        "-deststorepass",
        STORE_PASSWORD,
    ];
    let from = [
        "-srcstoretype",
        "PKCS12",
        "-srckeystore",
        p12,
        "-srcstorepass",
        STORE_PASSWORD,
    ];
    run(
        "keytool",
        &[&["-importkeystore", "-noprompt"][..], &from, &to].concat(),
    );
    let into = [
        "-storetype",
        kind,
        "-keystore",
        &trust,
        "-storepass",
        STORE_PASSWORD,
    ];
    let import = ["-importcert", "-noprompt", "-alias", "ca", "-file", &authority];
    run("keytool", &[&import[..], &into[..]].concat());
    vec![
        format!("ssl.keystore.location={keys}"),
        format!("ssl.keystore.password={STORE_PASSWORD}"),
        format!("ssl.truststore.location={trust}"),
        format!("ssl.truststore.password={STORE_PASSWORD}"),
    ]
}

/// Runs a tool to its end.
fn run(name: &str, arguments: &[&str]) {
    let output = Command::new(name).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        output.status.success(),
        "{name} {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
