//! Which host a certificate is for.

use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// Whether `certificate` is for `host`: by its alternative names, and where it names no host there by its common name.
pub(super) fn check(certificate: &CertificateDer<'_>, host: &ServerName<'_>) -> Result<(), Error> {
    let parsed = ParsedCertificate::try_from(certificate)?;
    let by_alternative = verify_server_name(&parsed, host);
    let (Err(fault), ServerName::DnsName(host_name)) = (&by_alternative, host) else {
        return by_alternative;
    };
    match common_name(certificate) {
        Some(name) if matches(&name, host_name.as_ref()) => Ok(()),
        Some(name) => Err(Error::InvalidCertificate(
            CertificateError::NotValidForNameContext {
                expected: host.to_owned(),
                presented: vec![format!("CN={name}")],
            },
        )),
        None => Err(fault.clone()),
    }
}

/// The last common name of a certificate that has no DNS name beside it.
fn common_name(certificate: &CertificateDer<'_>) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let alternative = certificate.subject_alternative_name().ok().flatten();
    let is_host = |name: &GeneralName<'_>| matches!(name, GeneralName::DNSName(_));
    if alternative.is_some_and(|names| names.value.general_names.iter().any(is_host)) {
        return None;
    }
    let names = certificate.subject().iter_common_name();
    names.last()?.as_str().ok().map(str::to_owned)
}

/// A name is a host's where they are the same, or where it begins with `*.` and the rest is the same behind the host's first
/// label.
fn matches(name: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let behind = |text: &str| {
        text.split_once('.')
            .map(|(_, behind)| behind.to_ascii_lowercase())
    };
    match name.strip_prefix("*.") {
        // Not for a whole top-level domain.
        Some(rest) => rest.contains('.') && behind(host) == Some(rest.to_ascii_lowercase()),
        None => name.eq_ignore_ascii_case(host),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_name_is_for_its_host_and_a_star_for_one_label() {
        for (name, host, is) in [
            ("kafka.example.com", "Kafka.example.com", true),
            ("kafka.example.com", "other.example.com", false),
            ("*.example.com", "kafka.example.com", true),
            ("*.example.com", "a.b.example.com", false),
            ("*.example.com", "example.com", false),
            ("*.com", "example.com", false),
            ("*", "localhost", false),
        ] {
            assert_eq!(matches(name, host), is, "{name} for {host}");
        }
    }
}
