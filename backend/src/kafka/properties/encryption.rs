//! The keys `ssl.*`.

use rustls::version::{TLS12, TLS13};
use rustls::{SupportedCipherSuite, SupportedProtocolVersion};

use super::settings::{Settings, quoted};
use crate::kafka::security::tls::{Identity, Tls, TlsSettings, Trust};
use crate::kafka::security::{files, stores};

/// TLS as the file tells it.
pub(super) fn tls(settings: &Settings) -> Result<Tls, String> {
    let told = TlsSettings {
        trust: trust(settings)?,
        identity: identity(settings)?,
        versions: versions(settings)?,
        suites: suites(settings)?,
        check_name: check_name(settings)?,
    };
    Tls::new(told)
}

/// The kinds of stores. What is called JKS may be PKCS12 and the reverse, as Java has it: the content tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Binary,
    Pem,
}

fn kind(settings: &Settings, key: &str) -> Result<Kind, String> {
    match settings.text(key).map(str::to_ascii_uppercase).as_deref() {
        None | Some("JKS" | "PKCS12") => Ok(Kind::Binary),
        Some("PEM") => Ok(Kind::Pem),
        Some(other) => Err(settings.fault(key, &format!("{}: PEM, PKCS12, JKS are allowed", quoted(other)))),
    }
}

/// A fault about a store, behind the file's name.
fn in_file(settings: &Settings, key: &str, problem: &str) -> String {
    let path = settings.text(key).unwrap_or_default();
    settings.fault(key, &format!("{}: {problem}", quoted(path)))
}

fn trust(settings: &Settings) -> Result<Trust, String> {
    const LOCATION: &str = "ssl.truststore.location";
    const INLINE: &str = "ssl.truststore.certificates";
    const PASSWORD: &str = "ssl.truststore.password";
    const TYPE: &str = "ssl.truststore.type";
    let kind = kind(settings, TYPE)?;
    let password = settings.secret(PASSWORD);
    if kind == Kind::Pem && password.is_some() {
        return Err(settings.fault(
            PASSWORD,
            "it contradicts ssl.truststore.type=PEM, which knows no password",
        ));
    }
    let trusted = match (settings.path(LOCATION), settings.secret(INLINE)) {
        (Some(_), Some(_)) => {
            return Err(settings.fault(
                INLINE,
                "it contradicts ssl.truststore.location: one of them is needed",
            ));
        }
        (None, Some(_)) if kind != Kind::Pem => {
            return Err(settings.fault(INLINE, "ssl.truststore.type=PEM is needed with it"));
        }
        (None, Some(text)) => {
            let found = stores::pem_certificates(text.expose().as_bytes());
            found.map_err(|problem| settings.fault(INLINE, &problem))?
        }
        (Some(path), None) => {
            let file = files::read(&path).map_err(|problem| settings.fault(LOCATION, &problem))?;
            let found = match kind {
                Kind::Pem => stores::pem_certificates(&file),
                Kind::Binary => stores::trusted(&file, password),
            };
            found.map_err(|problem| in_file(settings, LOCATION, &problem))?
        }
        (None, None) => {
            for key in [PASSWORD, TYPE] {
                if settings.text(key).is_some() {
                    return Err(settings.fault(key, "ssl.truststore.location is missing"));
                }
            }
            return Ok(Trust::Platform);
        }
    };
    Ok(Trust::Certificates(trusted))
}

fn identity(settings: &Settings) -> Result<Option<Identity>, String> {
    const LOCATION: &str = "ssl.keystore.location";
    const KEY: &str = "ssl.keystore.key";
    const CHAIN: &str = "ssl.keystore.certificate.chain";
    const PASSWORD: &str = "ssl.keystore.password";
    const KEY_PASSWORD: &str = "ssl.key.password";
    const TYPE: &str = "ssl.keystore.type";
    let kind = kind(settings, TYPE)?;
    let (password, key_password) = (settings.secret(PASSWORD), settings.secret(KEY_PASSWORD));
    if kind == Kind::Pem && password.is_some() {
        return Err(settings.fault(
            PASSWORD,
            "it contradicts ssl.keystore.type=PEM: an encrypted PEM key has ssl.key.password",
        ));
    }
    for inline in [KEY, CHAIN] {
        if settings.secret(inline).is_none() {
            continue;
        }
        if settings.text(LOCATION).is_some() {
            return Err(settings.fault(
                inline,
                "it contradicts ssl.keystore.location: one of them is needed",
            ));
        }
        if kind != Kind::Pem {
            return Err(settings.fault(inline, "ssl.keystore.type=PEM is needed with it"));
        }
    }
    let pem = |key: &[u8], chain: &[u8]| {
        let key = stores::pem_key(key, key_password)?;
        let chain = stores::pem_certificates(chain)?;
        Ok(Identity { chain, key })
    };
    match (
        settings.path(LOCATION),
        settings.secret(KEY),
        settings.secret(CHAIN),
    ) {
        (Some(path), ..) => {
            let file = files::read(&path).map_err(|problem| settings.fault(LOCATION, &problem))?;
            let found = match kind {
                Kind::Pem => pem(&file, &file),
                Kind::Binary => stores::identity(&file, password, key_password),
            };
            found
                .map(Some)
                .map_err(|problem| in_file(settings, LOCATION, &problem))
        }
        (None, Some(key), Some(chain)) => {
            let found = pem(key.expose().as_bytes(), chain.expose().as_bytes());
            found.map(Some).map_err(|problem| settings.fault(KEY, &problem))
        }
        (None, Some(_), None) => Err(settings.fault(KEY, "ssl.keystore.certificate.chain is missing")),
        (None, None, Some(_)) => Err(settings.fault(CHAIN, "ssl.keystore.key is missing")),
        (None, None, None) => {
            for key in [PASSWORD, KEY_PASSWORD, TYPE] {
                if settings.text(key).is_some() {
                    return Err(settings.fault(key, "ssl.keystore.location is missing"));
                }
            }
            Ok(None)
        }
    }
}

fn check_name(settings: &Settings) -> Result<bool, String> {
    const KEY: &str = "ssl.endpoint.identification.algorithm";
    match settings.given(KEY).map(|given| given.value.expose()) {
        None => Ok(true),
        Some("") => Ok(false),
        Some(https) if https.eq_ignore_ascii_case("https") => Ok(true),
        Some(other) => {
            let problem = format!(
                "{}: https, or nothing to check no name, is allowed",
                quoted(other)
            );
            Err(settings.fault(KEY, &problem))
        }
    }
}

/// Older versions than 1.2 are left out: where the file allows them beside newer ones that is only stricter.
fn versions(settings: &Settings) -> Result<Vec<&'static SupportedProtocolVersion>, String> {
    const ENABLED: &str = "ssl.enabled.protocols";
    const NEWEST: &str = "ssl.protocol";
    let newest = match settings.text(NEWEST) {
        None | Some("TLS" | "TLSv1.3") => true,
        Some("TLSv1.2") => false,
        Some(other) => {
            let problem = format!("{}: TLSv1.3, TLSv1.2, TLS are allowed", quoted(other));
            return Err(settings.fault(NEWEST, &problem));
        }
    };
    let mut versions = Vec::new();
    let enabled = settings.text(ENABLED).unwrap_or("TLSv1.2,TLSv1.3");
    for version in enabled.split(',').map(str::trim) {
        match version {
            "TLSv1.3" if newest => versions.push(&TLS13),
            "TLSv1.2" => versions.push(&TLS12),
            "TLSv1.3" | "TLSv1.1" | "TLSv1" | "SSLv3" | "SSLv2Hello" => {}
            other => {
                let problem = format!("{}: TLSv1.3, TLSv1.2 are allowed", quoted(other));
                return Err(settings.fault(ENABLED, &problem));
            }
        }
    }
    if versions.is_empty() {
        return Err(settings.fault(
            ENABLED,
            "TLSv1.2 or TLSv1.3 is needed, and what ssl.protocol allows of them",
        ));
    }
    Ok(versions)
}

/// Of the suites named, those that rustls has: the others are those it holds for unsafe.
fn suites(settings: &Settings) -> Result<Option<Vec<SupportedCipherSuite>>, String> {
    const KEY: &str = "ssl.cipher.suites";
    let Some(named) = settings.text(KEY) else {
        return Ok(None);
    };
    let all = rustls::crypto::ring::ALL_CIPHER_SUITES;
    let name = |suite: &SupportedCipherSuite| {
        let name = suite.suite().as_str().unwrap_or_default();
        // Java and the standard call those of TLS 1.3 so.
        name.replace("TLS13_", "TLS_")
    };
    let named: Vec<&str> = named.split(',').map(str::trim).collect();
    let found: Vec<_> = all
        .iter()
        .filter(|suite| named.contains(&name(suite).as_str()))
        .copied()
        .collect();
    if found.is_empty() {
        let allowed = all.iter().map(name).collect::<Vec<_>>().join(", ");
        return Err(settings.fault(
            KEY,
            &format!("none of these can be used; those that can: {allowed}"),
        ));
    }
    Ok(Some(found))
}
