//! What a TLS fault means to an operator, and what to do.

use rustls::{AlertDescription, CertificateError, Error};
use x509_parser::time::ASN1Time;

/// A sentence without a full stop.
#[must_use]
pub fn sentence(error: &Error) -> String {
    match error {
        Error::InvalidCertificate(fault) => certificate(fault),
        Error::AlertReceived(alert) => told(*alert),
        Error::InvalidMessage(_) => {
            "the peer does not speak TLS there: with a plain listener security.protocol is \
                                     PLAINTEXT or SASL_PLAINTEXT"
                .to_owned()
        }
        Error::PeerIncompatible(_) => {
            format!(
                "the broker and ssl.enabled.protocols or ssl.cipher.suites have nothing in common ({error})"
            )
        }
        other => format!("TLS failed: {other}"),
    }
}

fn certificate(fault: &CertificateError) -> String {
    match fault {
        CertificateError::Expired => "the broker's certificate has expired: it needs a new one".to_owned(),
        CertificateError::ExpiredContext { not_after, .. } => format!(
            "the broker's certificate expired on {}: it needs a new one",
            day(not_after.as_secs())
        ),
        CertificateError::NotValidYet => {
            "the broker's certificate is not valid yet: is this machine's clock right?".to_owned()
        }
        CertificateError::NotValidYetContext { not_before, .. } => format!(
            "the broker's certificate is valid from {} on: is this machine's clock right?",
            day(not_before.as_secs())
        ),
        CertificateError::BadSignature => "the broker's certificate is signed by another than the one of that name in the \
                                           trust store: put its own issuer into ssl.truststore.location (was it made \
                                           anew?)"
            .to_owned(),
        CertificateError::UnknownIssuer => {
            "the broker's certificate is signed by nobody in the trust store: put its issuer, or the certificate \
             itself, into ssl.truststore.location"
                .to_owned()
        }
        CertificateError::NotValidForName => "the broker's certificate is for another host: dial one it names, or set \
                                              ssl.endpoint.identification.algorithm= to check no name"
            .to_owned(),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names = if presented.is_empty() {
                "no host".to_owned()
            } else {
                // Of a stranger's certificate: cut, and without control characters.
                presented.iter().take(5).map(|name| shown(name)).collect::<Vec<_>>().join(", ")
            };
            format!(
                "the broker's certificate is for {names}, not for {}: dial a name it is for, or set \
                 ssl.endpoint.identification.algorithm= to check no name",
                expected.to_str()
            )
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "the broker's certificate is not meant for servers: its extended key usage lacks serverAuth".to_owned()
        }
        other => format!("the broker's certificate cannot be accepted: {other:?}"),
    }
}

/// What the broker complains of.
fn told(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateRequired => {
            "the broker wants a client certificate: set ssl.keystore.location".to_owned()
        }
        AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::UnknownCA
        | AlertDescription::DecryptError
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateRevoked => format!(
            "the broker does not accept our certificate ({alert:?}): set ssl.keystore.location to one that its trust \
             store knows"
        ),
        AlertDescription::HandshakeFailure | AlertDescription::ProtocolVersion => format!(
            "the broker refuses the handshake ({alert:?}): it wants other ssl.enabled.protocols or ssl.cipher.suites, \
             or a client certificate"
        ),
        other => format!("the broker ends TLS with {other:?}"),
    }
}

fn shown(name: &str) -> String {
    // So webpki writes a name.
    let name = name
        .strip_prefix("DnsName(\"")
        .and_then(|name| name.strip_suffix("\")"))
        .unwrap_or(name);
    name.chars()
        .take(80)
        .collect::<String>()
        .escape_debug()
        .to_string()
}

/// A day of Unix seconds in the calendar.
fn day(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| ASN1Time::from_timestamp(seconds).ok());
    time.and_then(|time| time.to_rfc2822().ok())
        .unwrap_or_else(|| "an unknown day".to_owned())
}
