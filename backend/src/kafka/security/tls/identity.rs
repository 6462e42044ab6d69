//! Who we are: a certificate, and the key that proves it is ours.

use std::fmt;
use std::sync::Arc;

use pkcs8::PrivateKeyInfoRef;
use rustls::InconsistentKeys;
use rustls::client::ResolvesClientCert;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use x509_parser::prelude::{FromDer as _, X509Certificate};
use zeroize::Zeroize as _;

use crate::kafka::security::der::{BITS, INTEGER, OCTETS, SEQUENCE, around, element};

/// A certificate with those that lead to its root, and its key.
pub struct Identity {
    /// Ours first.
    pub chain: Vec<CertificateDer<'static>>,
    /// Wiped when this is dropped, loaded or not.
    pub key: PrivateKeyDer<'static>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

impl Drop for Identity {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl Identity {
    /// As rustls takes it.
    ///
    /// # Errors
    /// The key is of no kind that TLS knows, or is not the certificate's.
    pub(super) fn resolver(mut self) -> Result<Arc<dyn ResolvesClientCert>, String> {
        let loaded = load(&self.key).or_else(|| self.completed());
        let key = loaded.ok_or(
            "the private key of the key store is of no kind that TLS knows (RSA, ECDSA P-256 or P-384, Ed25519)",
        )?;
        let certified = CertifiedKey::new(std::mem::take(&mut self.chain), key);
        match certified.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => {
                Ok(Arc::new(SingleCertAndKey::from(certified)))
            }
            Err(_) => {
                Err("the private key of the key store does not belong to its first certificate".to_owned())
            }
        }
    }

    /// The key where it is one on a curve without its public half: so keytool writes them, and so ring does not take them.
    /// The certificate holds that half.
    fn completed(&self) -> Option<Arc<dyn SigningKey>> {
        let (_, certificate) = X509Certificate::from_der(self.chain.first()?).ok()?;
        let public = &certificate.public_key().subject_public_key.data;
        let info = PrivateKeyInfoRef::try_from(self.key.secret_der()).ok()?;
        let (inside, _) = element(info.private_key.as_bytes(), SEQUENCE)?;
        let (version, rest) = element(inside, INTEGER)?;
        let (scalar, _) = element(rest, OCTETS)?;
        let private = around(
            SEQUENCE,
            &[
                &around(INTEGER, &[version]),
                &around(OCTETS, &[scalar]),
                // [1], of a BIT STRING without unused bits.
                &around(0xa1, &[&around(BITS, &[&[0], public])]),
            ],
        );
        // What stands before the private key stays as it is: version and algorithm.
        let (outside, _) = element(self.key.secret_der(), SEQUENCE)?;
        let (_, behind_version) = element(outside, INTEGER)?;
        let (algorithm, _) = element(behind_version, SEQUENCE)?;
        let whole = around(
            SEQUENCE,
            &[
                &around(INTEGER, &[&[0]]),
                &around(SEQUENCE, &[algorithm]),
                &around(OCTETS, &[&private]),
            ],
        );
        let mut key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(whole.to_vec()));
        let loaded = load(&key);
        key.zeroize();
        loaded
    }
}

fn load(key: &PrivateKeyDer<'static>) -> Option<Arc<dyn SigningKey>> {
    rustls::crypto::ring::sign::any_supported_type(key).ok()
}
