//! Key and trust stores: PEM, PKCS12, JKS.

use p12_keystore::{KeyStore, Pkcs12Archive, Pkcs12ImportPolicy};
use pkcs8::{EncryptedPrivateKeyInfoRef, SecretDocument};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::Zeroizing;

use super::jks::{self, Entry};
use super::tls::Identity;
use crate::secret::Secret;

type Certificates = Vec<CertificateDer<'static>>;

/// The certificates of a PEM text.
///
/// # Errors
/// It is none, or holds none.
pub fn pem_certificates(text: &[u8]) -> Result<Certificates, String> {
    let found: Result<Certificates, _> = CertificateDer::pem_slice_iter(text).collect();
    let found = found.map_err(|fault| format!("it is no PEM text: {fault}"))?;
    if found.is_empty() {
        return Err("it holds no -----BEGIN CERTIFICATE-----".to_owned());
    }
    Ok(found)
}

/// The first private key of a PEM text, out of its encryption where it has one.
///
/// # Errors
/// There is none; it is encrypted and the password is missing or wrong; it is not and there is one.
pub fn pem_key(text: &[u8], password: Option<&Secret>) -> Result<PrivateKeyDer<'static>, String> {
    const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
    const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
    let whole = std::str::from_utf8(text).map_err(|_| "it is no PEM text".to_owned())?;
    if let Some(start) = whole.find(BEGIN) {
        let password = password.ok_or("its private key is encrypted: ssl.key.password is missing")?;
        let behind = whole.get(start..).unwrap_or_default();
        let section = behind.find(END).and_then(|end| behind.get(..end + END.len()));
        let section = section.ok_or_else(|| format!("{END} is missing"))?;
        return decrypted(section, password);
    }
    if password.is_some() {
        return Err("ssl.key.password is set, and the private key is not encrypted".to_owned());
    }
    let key = PrivateKeyDer::pem_slice_iter(text).next();
    match key {
        Some(Ok(key)) => Ok(key),
        Some(Err(fault)) => Err(format!("it is no PEM text: {fault}")),
        None => Err("it holds no -----BEGIN PRIVATE KEY-----".to_owned()),
    }
}

fn decrypted(section: &str, password: &Secret) -> Result<PrivateKeyDer<'static>, String> {
    let damaged =
        || "its encrypted private key is damaged, or encrypted in a way that is not read here (PBES2 is)";
    let (_label, document) = SecretDocument::from_pem(section).map_err(|_| damaged())?;
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| damaged())?;
    let key = encrypted
        .decrypt(password.expose())
        .map_err(|_| "ssl.key.password is not that of the private key")?;
    Ok(pkcs8_key(key.as_bytes()))
}

fn pkcs8_key(der: &[u8]) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(der.to_vec()))
}

/// The certificates of a PKCS12 or JKS store that are trusted: as in Java those that are marked so and the one of each key.
/// Where none is marked, in a PKCS12 store that Java has not made, all are: nothing else can have been meant.
///
/// # Errors
/// It cannot be read, or holds none.
pub fn trusted(store: &[u8], password: Option<&Secret>) -> Result<Certificates, String> {
    let found: Vec<Vec<u8>> = if store.starts_with(&jks::MAGIC) {
        let entries = jks::read(store, password).map_err(|fault| fault.to_string())?;
        let trusted = entries.into_iter().filter_map(|entry| match entry {
            Entry::Trusted(certificate) => Some(certificate),
            Entry::Key { chain, .. } => chain.into_iter().next(),
        });
        trusted.collect()
    } else {
        let archive = pkcs12(store, password, Pkcs12Archive::from_pkcs12)?;
        let marked = archive.certs.iter().any(|bag| bag.trusted);
        let trusted = archive
            .certs
            .iter()
            .filter(|bag| !marked || bag.trusted || bag.local_key_id.is_some());
        trusted.map(|bag| bag.cert.as_der().to_vec()).collect()
    };
    if found.is_empty() {
        return Err("it holds no certificate that is trusted".to_owned());
    }
    Ok(found.into_iter().map(CertificateDer::from).collect())
}

/// The first key of a PKCS12 or JKS store with its certificates.
///
/// # Errors
/// It cannot be read, or holds none.
pub fn identity(
    store: &[u8],
    password: Option<&Secret>,
    key_password: Option<&Secret>,
) -> Result<Identity, String> {
    const NO_KEY: &str = "it holds no private key with its certificate";
    if store.starts_with(&jks::MAGIC) {
        let entries = jks::read(store, password).map_err(|fault| fault.to_string())?;
        let key = entries.into_iter().find_map(|entry| match entry {
            Entry::Key { protected, chain } if !chain.is_empty() => Some((protected, chain)),
            _ => None,
        });
        let (protected, chain) = key.ok_or(NO_KEY)?;
        let password = key_password
            .or(password)
            .ok_or("ssl.key.password or ssl.keystore.password is missing")?;
        let key = jks::unlock(&protected, password).map_err(|fault| fault.to_string())?;
        return Ok(Identity {
            chain: chain.into_iter().map(CertificateDer::from).collect(),
            key: pkcs8_key(&key),
        });
    }
    if let (Some(password), Some(key_password)) = (password, key_password)
        && password.expose() != key_password.expose()
    {
        return Err(
            "ssl.key.password differs from ssl.keystore.password: a PKCS12 store has one for both".to_owned(),
        );
    }
    let store = pkcs12(store, password.or(key_password), |bytes, password| {
        KeyStore::from_pkcs12(bytes, password, Pkcs12ImportPolicy::Strict)
    })?;
    let (_alias, found) = store.private_key_chain().ok_or(NO_KEY)?;
    let chain = found
        .certs()
        .iter()
        .map(|certificate| certificate.as_der().to_vec());
    Ok(Identity {
        chain: chain.map(CertificateDer::from).collect(),
        key: pkcs8_key(found.key().as_der()),
    })
}

fn pkcs12<T>(
    store: &[u8],
    password: Option<&Secret>,
    read: impl FnOnce(&[u8], &str) -> p12_keystore::Result<T>,
) -> Result<T, String> {
    // SEQUENCE
    if store.first() != Some(&0x30) {
        return Err("it is neither a PKCS12 nor a JKS store (for a PEM file set its type to PEM)".to_owned());
    }
    let password = Zeroizing::new(
        password
            .map(|password| password.expose().to_owned())
            .unwrap_or_default(),
    );
    read(store, &password).map_err(|fault| match fault {
        p12_keystore::error::Error::MacError(_) | p12_keystore::error::Error::UnpadError => {
            "its password is missing or wrong, or it is damaged".to_owned()
        }
        other => format!("it cannot be read: {other}"),
    })
}

#[cfg(test)]
mod tests;
