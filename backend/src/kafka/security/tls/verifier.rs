//! Whether a broker is the one it says it is, as Java's clients decide it.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::{Trust, names};

/// Verifies as webpki does, and in three things as Java: a certificate that stands in the trust store itself is believed,
/// whoever signed it and whatever its dates (`PKIXValidator`); a certificate without alternative names is for the host that
/// its common name says (`HostnameChecker`); the name may be left unchecked.
#[derive(Debug)]
pub(super) struct Verifier {
    webpki: Arc<WebPkiServerVerifier>,
    trusted: Vec<CertificateDer<'static>>,
    check_name: bool,
}

impl Verifier {
    pub(super) fn new(
        trust: Trust,
        check_name: bool,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, String> {
        let mut roots = RootCertStore::empty();
        let trusted = match trust {
            Trust::Platform => {
                let found = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(found.certs);
                if roots.is_empty() {
                    return Err("this machine has no certificates to trust: give ssl.truststore.location, or install \
                                its ca-certificates"
                        .to_owned());
                }
                Vec::new()
            }
            Trust::Certificates(certificates) => {
                let (added, _ignored) = roots.add_parsable_certificates(certificates.iter().cloned());
                if added == 0 {
                    return Err("the trust store holds no certificate that can be read".to_owned());
                }
                certificates
            }
        };
        let webpki = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
            .build()
            .map_err(|error| format!("the trust store cannot be used: {error}"))?;
        Ok(Self {
            webpki,
            trusted,
            check_name,
        })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if !self.trusted.contains(end_entity) {
            // The name comes last: a fault of it means that all else is well.
            let verified =
                self.webpki
                    .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
            match verified {
                Err(Error::InvalidCertificate(
                    CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                )) => {}
                other => return other,
            }
        }
        if self.check_name {
            names::check(end_entity, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}
