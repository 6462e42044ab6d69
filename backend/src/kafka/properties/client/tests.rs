//! Whole files: what they mean, and the one line that refuses the others.

use std::fs;

use rcgen::{CertificateParams, KeyPair};

use super::ClientConfig;
use crate::kafka::security::sasl::Credentials;

const PLAIN: &str = "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" \
                     password=\"hUnTeR\";\n";

fn read(text: &str) -> ClientConfig {
    ClientConfig::from_bytes(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}: {text}"))
}

fn refused(text: &str) -> String {
    let fault = ClientConfig::from_bytes(text.as_bytes()).expect_err(text);
    assert_eq!(fault.lines().count(), 1, "{fault}");
    assert!(!fault.contains("hUnTeR"), "{fault}");
    fault
}

fn mechanism(config: &ClientConfig) -> &'static str {
    config
        .security
        .sasl
        .as_ref()
        .map_or("none", Credentials::mechanism)
}

#[test]
fn an_empty_file_is_a_plain_client_and_keys_without_meaning_are_named() {
    let config = read("# nothing\nacks = all\nbootstrap.servers=a:1, b:2\nclient.id=observer\nconfluent.x=1");
    assert!(config.security.tls.is_none() && config.security.sasl.is_none());
    assert_eq!(config.idle, ["acks", "confluent.x"]);
    assert_eq!(config.bootstrap_servers.as_deref(), Some("a:1, b:2"));
    assert_eq!(config.client_id.as_deref(), Some("observer"));
    let config = read("request.timeout.ms=5000\nsocket.connection.setup.timeout.ms=2000");
    assert_eq!(config.request_timeout.map(|timeout| timeout.0), Some(5000));
    assert_eq!(config.connect_timeout.map(|timeout| timeout.0), Some(2000));
}

#[test]
fn each_mechanism_is_read_with_its_login_module() {
    let config = read(&format!(
        "security.protocol=sasl_plaintext\nsasl.mechanism=PLAIN\n{PLAIN}"
    ));
    assert_eq!(mechanism(&config), "PLAIN");
    assert!(config.security.tls.is_none());
    for name in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
        let config = read(&format!(
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism={name}\nsasl.jaas.config=\\\n  \
             shaded.scram.ScramLoginModule required \\\n  username=alice password='hUnTeR' tokenauth=true;"
        ));
        assert_eq!(mechanism(&config), name);
    }
    let bearer = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\nsasl.jaas.config=\
                  org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required";
    for text in [
        format!("{bearer} unsecuredLoginStringClaim_sub=alice unsecuredLoginListClaim_scope=',a,b';"),
        format!("{bearer};\nsasl.oauthbearer.token.endpoint.url=file:///run/token"),
        format!(
            "{bearer} clientId=a clientSecret=hUnTeR scope=x extension_cluster=c;\n\
             sasl.oauthbearer.token.endpoint.url=http://127.0.0.1:1/token\n\
             sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
        ),
        format!(
            "{bearer};\nsasl.oauthbearer.client.credentials.client.id=a\n\
             sasl.oauthbearer.client.credentials.client.secret=hUnTeR\n\
             sasl.oauthbearer.token.endpoint.url=http://127.0.0.1:1/token"
        ),
    ] {
        let config = read(&text);
        assert_eq!(mechanism(&config), "OAUTHBEARER");
        assert!(!format!("{config:?}").contains("hUnTeR"), "{config:?}");
    }
}

#[test]
fn unknown_keys_and_those_that_cannot_be_heeded_are_refused_by_name_and_line() {
    for (text, says) in [
        (
            "\nssl.truststore.loaction=x",
            "ssl.truststore.loaction (line 2): no client of Kafka knows this key; was ssl.truststore.location meant?",
        ),
        (
            "sasl.username=hUnTeR",
            "was username=\"...\" in sasl.jaas.config meant?",
        ),
        (
            "no.such=hUnTeR",
            "no.such (line 1): no client of Kafka knows this key",
        ),
        (
            "config.providers=env",
            "config.providers (line 1): values from elsewhere",
        ),
        (
            "ssl.engine.factory.class=x.Y",
            "a Java class, which cannot run here",
        ),
        ("a\\u12", "line 1: a \\u escape"),
    ] {
        let fault = refused(text);
        assert!(fault.contains(says), "{fault}");
    }
    assert!(read("ssl.engine.factory.class=").idle.is_empty());
}

#[test]
fn contradictions_about_sasl_are_refused_in_one_line() {
    let sasl = |rest: &str| format!("security.protocol=SASL_PLAINTEXT\n{rest}");
    let url = "sasl.oauthbearer.token.endpoint.url";
    for (text, says) in [
        (
            "security.protocol=TLS".to_owned(),
            "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL are allowed",
        ),
        (
            "sasl.mechanism=PLAIN".to_owned(),
            "it contradicts security.protocol, which is PLAINTEXT where it is not set",
        ),
        (
            format!("security.protocol=SSL\n{PLAIN}"),
            "it contradicts security.protocol=SSL: with it SASL_SSL or",
        ),
        (sasl(PLAIN), "sasl.mechanism is missing: Kafka's default, GSSAPI"),
        (sasl("sasl.mechanism=GSSAPI"), "\"GSSAPI\": PLAIN, SCRAM-SHA-256"),
        (
            sasl("sasl.mechanism=PLAIN"),
            "sasl.jaas.config is missing: with sasl.mechanism=PLAIN a PlainLoginModule",
        ),
        (
            sasl(&format!("sasl.mechanism=SCRAM-SHA-256\n{PLAIN}")),
            "\"PlainLoginModule\" contradicts sasl.mechanism=SCRAM-SHA-256",
        ),
        (
            sasl("sasl.mechanism=PLAIN\nsasl.jaas.config=a.PlainLoginModule required username=hUnTeR;"),
            "its option password is missing",
        ),
        (
            sasl("sasl.mechanism=PLAIN\nsasl.jaas.config=a.PlainLoginModule required user=hUnTeR;"),
            "\"user\" is no option of PlainLoginModule",
        ),
        (
            sasl("sasl.mechanism=PLAIN\nsasl.jaas.config=a.PlainLoginModule required password=\"hUnTeR"),
            "the quotes around the value of password",
        ),
        (
            sasl(&format!("sasl.mechanism=PLAIN\n{PLAIN}{url}=http://a/b")),
            "it is for OAUTHBEARER",
        ),
        (
            "request.timeout.ms=soon".to_owned(),
            "from 1 to 2147483647 milliseconds",
        ),
        (format!("client.id={}", "x".repeat(201)), "at most 200 bytes"),
    ] {
        let fault = refused(&text);
        assert!(fault.contains(says), "{fault}");
    }
}

#[test]
fn contradictions_about_tokens_are_refused_in_one_line() {
    let sasl = |rest: &str| format!("security.protocol=SASL_PLAINTEXT\n{rest}");
    let bearer = "sasl.mechanism=OAUTHBEARER\nsasl.jaas.config=a.OAuthBearerLoginModule required";
    let url = "sasl.oauthbearer.token.endpoint.url";
    for (text, says) in [
        (
            sasl(&format!("{bearer};")),
            "sasl.oauthbearer.token.endpoint.url is missing",
        ),
        (
            sasl(&format!("{bearer};\n{url}=http://a/b")),
            "client.id is missing (or the option clientId",
        ),
        (
            sasl(&format!("{bearer} clientId=a;\n{url}=http://a/b")),
            "client.secret is missing (or the option clientSecret",
        ),
        (
            sasl(&format!("{bearer} clientSecret=hUnTeR;\n{url}=file:///x")),
            "its option clientSecret contradicts",
        ),
        (
            sasl(&format!(
                "{bearer} unsecuredLoginStringClaim_sub=a;\n{url}=file:///x"
            )),
            "unsecuredLogin* contradict",
        ),
        (
            sasl(&format!("{bearer} unsecuredLoginStringClaim_x=a;")),
            "unsecuredLoginStringClaim_sub is missing",
        ),
        (sasl(&format!("{bearer};\n{url}=file:x")), "file:///path/to/token"),
        (
            sasl(&format!(
                "{bearer} clientId=a clientSecret=hUnTeR;\n{url}=ftp://x"
            )),
            "https://host/path",
        ),
        (
            sasl(&format!("{bearer} extension_auth=a;\n{url}=file:///x")),
            "is no SASL extension",
        ),
        (
            sasl(&format!(
                "{bearer};\n{url}=file:///x\nsasl.login.callback.handler.class=software.amazon.msk.Handler"
            )),
            "a Java class cannot run here",
        ),
    ] {
        let fault = refused(&text);
        assert!(fault.contains(says), "{fault}");
    }
}

#[test]
fn contradictions_about_tls_are_refused_in_one_line() {
    for (rest, says) in [
        ("ssl.protocol=SSLv3", "TLSv1.3, TLSv1.2, TLS are allowed"),
        ("ssl.enabled.protocols=TLSv1.1", "TLSv1.2 or TLSv1.3 is needed"),
        (
            "ssl.enabled.protocols=TLSv9",
            "\"TLSv9\": TLSv1.3, TLSv1.2 are allowed",
        ),
        ("ssl.cipher.suites=NONE", "those that can: TLS_AES_256_GCM_SHA384"),
        ("ssl.endpoint.identification.algorithm=LDAPS", "https, or nothing"),
        (
            "ssl.truststore.type=PEM\nssl.truststore.password=hUnTeR",
            "it contradicts ssl.truststore.type=PEM",
        ),
        (
            "ssl.truststore.password=hUnTeR",
            "ssl.truststore.location is missing",
        ),
        (
            "ssl.truststore.certificates=x",
            "ssl.truststore.type=PEM is needed",
        ),
        (
            "ssl.truststore.type=BKS\nssl.truststore.location=/x",
            "PEM, PKCS12, JKS are allowed",
        ),
        (
            "ssl.truststore.location=/no/such/file",
            "/no/such/file cannot be read",
        ),
        (
            "ssl.truststore.type=PEM\nssl.truststore.location=/x\nssl.truststore.certificates=x",
            "one of them is needed",
        ),
        (
            "ssl.keystore.type=PEM\nssl.keystore.password=hUnTeR",
            "an encrypted PEM key has ssl.key.password",
        ),
        ("ssl.key.password=hUnTeR", "ssl.keystore.location is missing"),
        (
            "ssl.keystore.type=PEM\nssl.keystore.key=hUnTeR",
            "ssl.keystore.certificate.chain is missing",
        ),
        (
            "ssl.keystore.type=PEM\nssl.keystore.certificate.chain=x",
            "ssl.keystore.key is missing",
        ),
        ("ssl.keystore.key=hUnTeR", "ssl.keystore.type=PEM is needed"),
        (
            "ssl.keystore.type=PEM\nssl.keystore.location=/x\nssl.keystore.key=hUnTeR",
            "one of them is needed",
        ),
    ] {
        let fault = refused(&format!("security.protocol=SSL\n{rest}"));
        assert!(fault.contains(says), "{fault}");
    }
    let fault = refused("ssl.truststore.location=/x");
    assert!(fault.contains("with it SSL or SASL_SSL is needed"), "{fault}");
}

#[test]
fn certificates_and_keys_may_stand_in_the_file_itself_or_beside_it() {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::default().self_signed(&key).unwrap();
    let inline = |pem: &str| pem.trim().replace('\n', "\\n");
    let config = read(&format!(
        "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.certificates={certificate}\n\
         ssl.keystore.type=PEM\nssl.keystore.certificate.chain={certificate}\nssl.keystore.key={}\n\
         ssl.enabled.protocols=TLSv1.3,TLSv1.1\nssl.cipher.suites=TLS_AES_128_GCM_SHA256,TLS_RSA_WITH_NULL_SHA",
        inline(&key.serialize_pem()),
        certificate = inline(&certificate.pem()),
    ));
    assert!(config.security.tls.is_some());

    let path = std::env::temp_dir().join(format!("heartline-store-{}.pem", std::process::id()));
    fs::write(&path, format!("{}{}", certificate.pem(), key.serialize_pem())).unwrap();
    let config = read(&format!(
        "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={path}\n\
         ssl.keystore.type=PEM\nssl.keystore.location={path}\nssl.endpoint.identification.algorithm=\n",
        path = path.display()
    ));
    fs::remove_file(&path).unwrap();
    assert!(config.security.tls.is_some());
}
