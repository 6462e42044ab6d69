//! A broker's listeners for each kind of security.

use std::fs;
use std::path::PathBuf;

use super::certificates::Certificates;
use crate::port;

/// A listener beside the plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// TLS.
    Ssl,
    /// TLS that wants a client certificate.
    Mutual,
    /// SASL in the clear.
    SaslPlaintext,
    /// SASL in TLS.
    SaslSsl,
}

/// A name and a password that nothing else on earth holds.
#[derive(Clone, Copy, Debug)]
pub struct User {
    /// The name.
    pub name: &'static str,
    /// The password.
    pub password: &'static str,
}

/// Whom PLAIN knows.
pub const PLAIN_USER: User = User {
    name: "plain-user",
    password: "pLaIn-pAsSwOrD-7f3a91",
};

/// Whom SCRAM knows.
pub const SCRAM_USER: User = User {
    name: "scram-user",
    password: "sCrAm-pAsSwOrD-c04e55",
};

/// The listeners of one broker, with the certificates of its run.
#[derive(Debug)]
pub struct Secured {
    ports: [u16; 4],
    certificates: Certificates,
}

impl Listener {
    const ALL: [Self; 4] = [Self::Ssl, Self::Mutual, Self::SaslPlaintext, Self::SaslSsl];

    /// Its name in the broker's settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ssl => "SSL",
            Self::Mutual => "MUTUAL",
            Self::SaslPlaintext => "SASL_PLAINTEXT",
            Self::SaslSsl => "SASL_SSL",
        }
    }

    /// What a client says in `security.protocol`.
    #[must_use]
    pub const fn protocol(self) -> &'static str {
        match self {
            Self::Ssl | Self::Mutual => "SSL",
            Self::SaslPlaintext => "SASL_PLAINTEXT",
            Self::SaslSsl => "SASL_SSL",
        }
    }
}

impl Secured {
    pub(super) fn new() -> Self {
        Self {
            ports: [port::free(), port::free(), port::free(), port::free()],
            certificates: Certificates::new(),
        }
    }

    /// The certificates.
    #[must_use]
    pub const fn certificates(&self) -> &Certificates {
        &self.certificates
    }

    /// A listener's address, by the name that its certificate is for.
    #[must_use]
    pub fn address(&self, listener: Listener) -> String {
        format!("localhost:{}", self.ports[listener as usize])
    }

    /// Writes a client's file for a listener, with these lines behind what TLS needs.
    ///
    /// # Panics
    ///
    /// When the folder cannot be written.
    #[must_use]
    pub fn client_file(&self, listener: Listener, name: &str, lines: &[&str]) -> PathBuf {
        let mut text = format!("security.protocol={}\n", listener.protocol());
        if listener != Listener::SaslPlaintext {
            let authority = self.certificates.authority();
            text += &format!(
                "ssl.truststore.type=PEM\nssl.truststore.location={}\n",
                authority.display()
            );
        }
        for line in lines {
            text += line;
            text.push('\n');
        }
        let file = self.certificates.folder().join(format!("{name}.properties"));
        fs::write(&file, text).expect("the folder is ours");
        file
    }

    /// What stands behind the plain listener in `listeners`, and the settings of all of them.
    pub(super) fn properties(&self) -> (String, String) {
        let mut listeners = String::new();
        let mut protocols = String::from("CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        for (listener, port) in Listener::ALL.into_iter().zip(self.ports) {
            listeners += &format!(",{}://localhost:{port}", listener.name());
            protocols += &format!(",{}:{}", listener.name(), listener.protocol());
        }
        let module = "org.apache.kafka.common.security";
        let plain = format!(
            "{module}.plain.PlainLoginModule required user_{}=\"{}\";",
            PLAIN_USER.name, PLAIN_USER.password
        );
        let scram = format!("{module}.scram.ScramLoginModule required;");
        let bearer = format!(
            "{module}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";"
        );
        let mut lines = vec![
            format!("listener.security.protocol.map={protocols}"),
            "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER".to_owned(),
            "listener.name.mutual.ssl.client.auth=required".to_owned(),
            "ssl.keystore.type=PEM".to_owned(),
            format!("ssl.keystore.location={}", self.certificates.broker().display()),
            "ssl.truststore.type=PEM".to_owned(),
            format!(
                "ssl.truststore.location={}",
                self.certificates.authority().display()
            ),
        ];
        for listener in ["sasl_plaintext", "sasl_ssl"] {
            for (mechanism, module) in [
                ("plain", &plain),
                ("scram-sha-256", &scram),
                ("scram-sha-512", &scram),
                ("oauthbearer", &bearer),
            ] {
                lines.push(format!(
                    "listener.name.{listener}.{mechanism}.sasl.jaas.config={module}"
                ));
            }
        }
        (listeners, lines.join("\n"))
    }
}

/// What `StorageTool format --add-scram` is told.
pub(super) fn scram_users() -> [String; 2] {
    let User { name, password } = SCRAM_USER;
    ["SCRAM-SHA-256", "SCRAM-SHA-512"]
        .map(|mechanism| format!("{mechanism}=[name={name},password={password}]"))
}
