//! TLS: whom to trust, who we are, which versions; by rustls.

mod fault;
mod identity;
mod names;
mod session;
mod verifier;

pub use fault::sentence;
pub use identity::Identity;
pub use session::TlsSession;

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, SupportedCipherSuite, SupportedProtocolVersion};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use verifier::Verifier;

/// How connections are encrypted. Cheap to clone.
#[derive(Clone)]
pub struct Tls(Arc<ClientConfig>);

/// Whose certificates are believed.
#[derive(Debug)]
pub enum Trust {
    /// Those of the platform's store.
    Platform,
    /// Those that these have signed, and these themselves.
    Certificates(Vec<CertificateDer<'static>>),
}

/// All that TLS is told.
#[derive(Debug)]
pub struct TlsSettings {
    /// `ssl.truststore.*`
    pub trust: Trust,
    /// `ssl.keystore.*`
    pub identity: Option<Identity>,
    /// `ssl.enabled.protocols`
    pub versions: Vec<&'static SupportedProtocolVersion>,
    /// `ssl.cipher.suites`; none: all that rustls has.
    pub suites: Option<Vec<SupportedCipherSuite>>,
    /// `ssl.endpoint.identification.algorithm`: whether the certificate must be for the host that was dialled.
    pub check_name: bool,
}

impl Tls {
    /// TLS as it is told.
    ///
    /// # Errors
    /// What cannot be: a key that does not belong to its certificate, no certificate to trust, suites of no version.
    pub fn new(settings: TlsSettings) -> Result<Self, String> {
        let mut provider = rustls::crypto::ring::default_provider();
        if let Some(suites) = settings.suites {
            provider.cipher_suites = suites;
        }
        let provider = Arc::new(provider);
        let verifier = Verifier::new(settings.trust, settings.check_name, &provider)?;
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&settings.versions)
            .map_err(|_| "ssl.cipher.suites has no suite for a version of ssl.enabled.protocols".to_owned())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match settings.identity {
            None => config.with_no_client_auth(),
            Some(identity) => config.with_client_cert_resolver(identity.resolver()?),
        };
        // A session that is resumed skips the certificates; brokers gain nothing by it, and each dial then tells the truth.
        config.resumption = rustls::client::Resumption::disabled();
        Ok(Self(Arc::new(config)))
    }

    /// A session with the host of this name.
    ///
    /// # Errors
    /// The name can be no certificate's.
    pub fn session(&self, host: &str) -> Result<TlsSession, String> {
        TlsSession::new(Arc::clone(&self.0), server_name(host)?)
    }

    /// A stream to a web server of this name.
    ///
    /// # Errors
    /// A sentence: the handshake failed.
    pub(super) async fn connect(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, String> {
        let connector = TlsConnector::from(Arc::clone(&self.0));
        let connected = connector.connect(server_name(host)?, stream).await;
        connected.map_err(|error| {
            let inner = error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<rustls::Error>());
            inner.map_or_else(|| error.to_string(), sentence)
        })
    }
}

fn server_name(host: &str) -> Result<ServerName<'static>, String> {
    let name = ServerName::try_from(host.to_owned());
    name.map_err(|_| format!("no certificate can be for the host {}", host.escape_debug()))
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

#[cfg(test)]
mod tests;
