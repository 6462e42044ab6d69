//! Stores made by Java's keytool, PEM texts made here, and what is wrong with others.

use rcgen::{CertificateParams, KeyPair};

use super::{identity, pem_certificates, pem_key, trusted};
use crate::kafka::security::tls::{Tls, TlsSettings, Trust};
use crate::secret::Secret;

const KEY_JKS: &[u8] = include_bytes!("made_by_keytool/key.jks");
const TRUST_JKS: &[u8] = include_bytes!("made_by_keytool/trust.jks");
const KEY_P12: &[u8] = include_bytes!("made_by_keytool/key.p12");
const TRUST_P12: &[u8] = include_bytes!("made_by_keytool/trust.p12");
const CERTIFICATE: &[u8] = include_bytes!("made_by_keytool/certificate.der");

fn secret(text: &str) -> Secret {
    Secret::new(text.to_owned())
}

#[test]
fn the_certificates_of_keytools_trust_stores_are_read() {
    let password = secret("store-pass");
    for store in [TRUST_JKS, TRUST_P12, KEY_JKS] {
        let found = trusted(store, Some(&password)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].as_ref(), CERTIFICATE);
    }
    // As in Java: a JKS store's certificates are not encrypted.
    assert_eq!(trusted(TRUST_JKS, None).unwrap().len(), 1);
}

#[test]
fn the_keys_of_keytools_key_stores_are_read() {
    let (store, key) = (secret("store-pass"), secret("key-pass"));
    let jks = identity(KEY_JKS, Some(&store), Some(&key)).unwrap();
    assert_eq!(jks.chain[0].as_ref(), CERTIFICATE);
    let p12 = identity(KEY_P12, Some(&store), None).unwrap();
    for found in [jks, p12] {
        assert_eq!(found.chain.len(), 1);
        // keytool leaves the public half of a key out; TLS takes it all the same.
        let told = TlsSettings {
            trust: Trust::Certificates(found.chain.clone()),
            identity: Some(found),
            versions: vec![&rustls::version::TLS13],
            suites: None,
            check_name: true,
        };
        Tls::new(told).unwrap();
    }
}

#[test]
fn what_is_wrong_with_a_store_is_told_and_no_password_with_it() {
    let (right, wrong) = (secret("store-pass"), secret("wrong-pass"));
    let says = |outcome: Result<_, String>, words: &str| {
        let said = outcome.map(drop).unwrap_err();
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("-pass"), "{said}");
    };
    says(
        trusted(TRUST_JKS, Some(&wrong)).map(drop),
        "its password is wrong",
    );
    says(
        trusted(TRUST_P12, Some(&wrong)).map(drop),
        "its password is missing or wrong",
    );
    says(
        trusted(TRUST_P12, None).map(drop),
        "its password is missing or wrong",
    );
    says(trusted(b"-----BEGIN", None).map(drop), "set its type to PEM");
    says(trusted(b"", None).map(drop), "neither");
    says(trusted(&TRUST_JKS[..40], None).map(drop), "damaged");
    says(
        identity(KEY_JKS, Some(&right), Some(&wrong)).map(drop),
        "the password of its key is wrong",
    );
    says(
        identity(KEY_JKS, Some(&right), None).map(drop),
        "the password of its key is wrong",
    );
    says(identity(KEY_JKS, None, None).map(drop), "ssl.key.password");
    says(identity(KEY_P12, Some(&right), Some(&wrong)).map(drop), "differs");
    says(
        identity(TRUST_JKS, Some(&right), None).map(drop),
        "no private key",
    );
    says(
        identity(TRUST_P12, Some(&right), None).map(drop),
        "no private key",
    );
    says(
        identity(&KEY_P12[..100], Some(&right), None).map(drop),
        "cannot be read",
    );
}

#[test]
fn pem_texts_are_read_with_an_encrypted_key_or_a_plain_one() {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    let text = format!("a comment\n{}{}", key.serialize_pem(), certificate.pem());
    assert_eq!(pem_certificates(text.as_bytes()).unwrap()[0], *certificate.der());
    let plain = pem_key(text.as_bytes(), None).unwrap();
    assert_eq!(plain.secret_der(), key.serialize_der());

    let password = secret("key-pass");
    // `openssl pkcs8 -topk8 -v2 aes-256-cbc` of a key on P-256, with the password key-pass.
    let encrypted = include_bytes!("made_by_openssl.pem");
    let found = pem_key(encrypted, Some(&password)).unwrap();
    rustls::crypto::ring::sign::any_supported_type(&found).unwrap();
    for (outcome, words) in [
        (pem_key(encrypted, None), "ssl.key.password is missing"),
        (
            pem_key(encrypted, Some(&secret("wrong-pass"))),
            "ssl.key.password is not that",
        ),
        (pem_key(text.as_bytes(), Some(&password)), "is not encrypted"),
        (pem_key(b"nothing", None), "-----BEGIN PRIVATE KEY-----"),
        (pem_key(&encrypted[..200], Some(&password)), "is missing"),
    ] {
        let said = outcome.map(drop).unwrap_err();
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("-pass"), "{said}");
    }
    let said = pem_certificates(b"nothing").unwrap_err();
    assert!(said.contains("-----BEGIN CERTIFICATE-----"), "{said}");
}
