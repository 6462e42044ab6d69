//! An authority of one run, a broker's certificate and a client's.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::folder::TempFolder;

/// Files of PEM: who trusts them, who has them.
#[derive(Debug)]
pub struct Certificates {
    folder: TempFolder,
}

impl Certificates {
    /// An authority, and what it has signed: for `localhost` and 127.0.0.1, and for a client.
    ///
    /// # Panics
    ///
    /// When the folder cannot be written.
    pub(super) fn new() -> Self {
        let folder = TempFolder::new("certificates");
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority
            .distinguished_name
            .push(DnType::CommonName, "the authority of the tests");
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(authority, key).expect("signs itself");
        let sign = |file: &str, name: &str, hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
            let mut params = CertificateParams::new(hosts).expect("names");
            params.distinguished_name.push(DnType::CommonName, name);
            let key = KeyPair::generate().expect("a key");
            let certificate = params.signed_by(&key, &authority).expect("is signed");
            let text = format!("{}{}", key.serialize_pem(), certificate.pem());
            fs::write(folder.path().join(file), text).expect("the folder is ours");
        };
        sign("broker.pem", "a broker", &["localhost", "127.0.0.1"]);
        sign("client.pem", "a client", &[]);
        fs::write(folder.path().join("ca.pem"), authority.pem()).expect("the folder is ours");
        Self { folder }
    }

    /// Where they are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The authority's certificate.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.folder().join("ca.pem")
    }

    /// A client's key and certificate.
    #[must_use]
    pub fn client(&self) -> PathBuf {
        self.folder().join("client.pem")
    }

    /// The broker's key and certificate.
    #[must_use]
    pub fn broker(&self) -> PathBuf {
        self.folder().join("broker.pem")
    }
}
