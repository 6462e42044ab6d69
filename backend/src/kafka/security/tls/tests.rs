//! Sessions with a rustls server in memory: who is believed, and what an operator is told of who is not.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, ServerConnection};

use super::{Identity, Tls, TlsSession, TlsSettings, Trust};

struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A server, or a client, as TLS is told of it.
struct Party {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

fn party(certificate: &Certificate, key: &KeyPair) -> Party {
    Party {
        chain: vec![certificate.der().clone()],
        key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
    }
}

impl Authority {
    fn new() -> Self {
        Self::named("an authority")
    }

    fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn der(&self) -> CertificateDer<'static> {
        self.0.der().clone()
    }

    fn sign(&self, hosts: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Party {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let mut params = CertificateParams::new(hosts).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        party(&params.signed_by(&key, &self.0).unwrap(), &key)
    }
}

fn settings(trust: Vec<CertificateDer<'static>>) -> TlsSettings {
    TlsSettings {
        trust: Trust::Certificates(trust),
        identity: None,
        versions: vec![&TLS12, &TLS13],
        suites: None,
        check_name: true,
    }
}

fn server(party: Party, clients: Option<&Authority>) -> ServerConnection {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = match clients {
        None => config.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            config.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let config = config.with_single_cert(party.chain, party.key).unwrap();
    ServerConnection::new(Arc::new(config)).unwrap()
}

/// Shakes hands and lets the server say something; what the client reads, or why it cannot.
fn say(told: TlsSettings, mut server: ServerConnection, host: &str) -> Result<Vec<u8>, String> {
    use std::io::Write as _;
    let mut client = Tls::new(told)?.session(host)?;
    let mut heard = Vec::new();
    for round in 0..6 {
        let mut bytes = Vec::new();
        client.outgoing(&mut bytes);
        let mut bytes = bytes.as_slice();
        while !bytes.is_empty() {
            server.read_tls(&mut bytes).unwrap();
            // Its complaint goes to the client as an alert.
            let _complaint = server.process_new_packets();
        }
        if round == 3 {
            server.writer().write_all(b"hello").unwrap();
        }
        let mut bytes = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut bytes).unwrap();
        }
        client.open(&bytes, |plain| heard.extend_from_slice(plain))?;
    }
    assert!(!client.is_handshaking());
    Ok(heard)
}

fn refused(told: TlsSettings, party: Party, host: &str, words: &str) {
    let said = say(told, server(party, None), host).unwrap_err();
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_broker_is_believed_by_its_authority_and_its_name_or_address() {
    let authority = Authority::new();
    for (names, host) in [
        (&["kafka.example"][..], "kafka.example"),
        (&["*.kafka.example"], "b.kafka.example"),
        (&["127.0.0.1"], "127.0.0.1"),
        (&["::1"], "::1"),
    ] {
        let party = authority.sign(names, |_| {});
        let heard = say(settings(vec![authority.der()]), server(party, None), host);
        assert_eq!(heard.as_deref(), Ok(&b"hello"[..]), "{host}");
    }
}

#[test]
fn who_is_not_believed_is_told_with_what_to_do() {
    let (ours, other) = (Authority::new(), Authority::named("another"));
    let trust = || settings(vec![ours.der()]);
    refused(
        trust(),
        other.sign(&["a.example"], |_| {}),
        "a.example",
        "put its issuer",
    );
    refused(
        trust(),
        ours.sign(&["b.example"], |_| {}),
        "a.example",
        "the broker's certificate is for b.example, not for a.example",
    );
    refused(
        trust(),
        ours.sign(&["a.example"], |_| {}),
        "127.0.0.1",
        "not for 127.0.0.1",
    );
    refused(
        trust(),
        Authority::new().sign(&["a.example"], |_| {}),
        "a.example",
        "was it made anew?",
    );
    let expired = ours.sign(&["a.example"], |params| {
        params.not_after = date_time_ymd(2020, 2, 29)
    });
    refused(trust(), expired, "a.example", "expired on Sat, 29 Feb 2020");
    let early = ours.sign(&["a.example"], |params| {
        params.not_before = date_time_ymd(2999, 1, 1);
        params.not_after = date_time_ymd(3000, 1, 1);
    });
    refused(trust(), early, "a.example", "is this machine's clock right?");
}

#[test]
fn without_an_identification_algorithm_any_name_does_and_no_other_fault() {
    let (ours, other) = (Authority::new(), Authority::named("another"));
    let unchecked = || TlsSettings {
        check_name: false,
        ..settings(vec![ours.der()])
    };
    let heard = say(
        unchecked(),
        server(ours.sign(&["b.example"], |_| {}), None),
        "a.example",
    );
    assert_eq!(heard.as_deref(), Ok(&b"hello"[..]));
    refused(
        unchecked(),
        other.sign(&["a.example"], |_| {}),
        "a.example",
        "signed by nobody",
    );
}

#[test]
fn as_in_java_a_certificate_in_the_trust_store_is_believed_itself_whatever_its_dates() {
    // As `openssl req -x509` makes them: an authority that is its own server, and long expired.
    let mut params = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_after = date_time_ymd(2020, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let trust = || settings(vec![certificate.der().clone()]);
    let heard = say(trust(), server(party(&certificate, &key), None), "a.example");
    assert_eq!(heard.as_deref(), Ok(&b"hello"[..]));
    refused(
        trust(),
        party(&certificate, &key),
        "b.example",
        "not for b.example",
    );
}

#[test]
fn as_in_java_a_common_name_counts_where_there_is_no_alternative_name() {
    let ours = Authority::new();
    let named = |hosts: &[&str]| {
        ours.sign(hosts, |params| {
            params.distinguished_name.push(DnType::CommonName, "a.example")
        })
    };
    let trust = || settings(vec![ours.der()]);
    let heard = say(trust(), server(named(&[]), None), "a.example");
    assert_eq!(heard.as_deref(), Ok(&b"hello"[..]));
    refused(
        trust(),
        named(&[]),
        "b.example",
        "CN=a.example, not for b.example",
    );
    refused(trust(), named(&["c.example"]), "a.example", "not for a.example");
}

#[test]
fn a_client_certificate_is_shown_and_its_lack_is_told() {
    let authority = Authority::new();
    let broker = || server(authority.sign(&["a.example"], |_| {}), Some(&authority));
    let client = |party: Party| TlsSettings {
        identity: Some(Identity {
            chain: party.chain,
            key: party.key,
        }),
        ..settings(vec![authority.der()])
    };
    let heard = say(client(authority.sign(&[], |_| {})), broker(), "a.example");
    assert_eq!(heard.as_deref(), Ok(&b"hello"[..]));
    let without = say(settings(vec![authority.der()]), broker(), "a.example").unwrap_err();
    assert!(without.contains("set ssl.keystore.location"), "{without}");
    let strange = say(client(Authority::new().sign(&[], |_| {})), broker(), "a.example").unwrap_err();
    assert!(strange.contains("does not accept our certificate"), "{strange}");

    let (one, other) = (authority.sign(&[], |_| {}), authority.sign(&[], |_| {}));
    let mixed = Party {
        chain: one.chain,
        key: other.key,
    };
    let said = Tls::new(client(mixed)).unwrap_err();
    assert!(
        said.contains("does not belong to its first certificate"),
        "{said}"
    );
}

#[test]
fn a_peer_without_tls_is_told_as_one() {
    let mut session = session();
    let mut hello = Vec::new();
    session.outgoing(&mut hello);
    assert!(!hello.is_empty());
    let said = session
        .open(b"HTTP/1.1 400 Bad Request\r\n\r\n", |_| {})
        .unwrap_err();
    assert!(said.contains("does not speak TLS"), "{said}");
}

fn session() -> TlsSession {
    Tls::new(settings(vec![Authority::new().der()]))
        .unwrap()
        .session("a.example")
        .unwrap()
}

#[test]
fn nothing_that_a_peer_sends_makes_a_session_panic() {
    proptest::proptest!(|(bytes: Vec<u8>)| {
        let mut session = session();
        let _either = session.open(&bytes, |_| {});
        // A record's header in front, so that its content is looked at.
        let mut record = vec![22, 3, 3, 0, u8::try_from(bytes.len().min(255)).unwrap()];
        record.extend(&bytes);
        let _either = session.open(&record, |_| {});
    });
}
