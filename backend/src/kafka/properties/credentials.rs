//! The keys `sasl.*`.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use shared::time::Millis;

use super::encryption;
use super::jaas::{self, LoginModule};
use super::settings::{Settings, quoted};
use crate::kafka::security::oauth::{ClientCredentials, Endpoint, TokenKind, TokenSource, UnsecuredClaims};
use crate::kafka::security::sasl::Credentials;
use crate::kafka::security::scram::{Hash, ScramUser};
use crate::secret::Secret;

const MECHANISM: &str = "sasl.mechanism";
const JAAS: &str = "sasl.jaas.config";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mechanism {
    Plain,
    Scram(Hash),
    Bearer,
}

impl Mechanism {
    const ALLOWED: &str = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER are allowed";

    fn of(settings: &Settings) -> Result<Self, String> {
        match settings.text(MECHANISM) {
            Some("PLAIN") => Ok(Self::Plain),
            Some("SCRAM-SHA-256") => Ok(Self::Scram(Hash::Sha256)),
            Some("SCRAM-SHA-512") => Ok(Self::Scram(Hash::Sha512)),
            Some("OAUTHBEARER") => Ok(Self::Bearer),
            None => Err(format!(
                "{MECHANISM} is missing: Kafka's default, GSSAPI, is not spoken here; {}",
                Self::ALLOWED
            )),
            Some(other) => Err(settings.fault(MECHANISM, &format!("{}: {}", quoted(other), Self::ALLOWED))),
        }
    }

    /// Kafka's login module of it, without its package, which some programs shade.
    const fn module(self) -> &'static str {
        match self {
            Self::Plain => "PlainLoginModule",
            Self::Scram(_) => "ScramLoginModule",
            Self::Bearer => "OAuthBearerLoginModule",
        }
    }
}

/// Who we are, as the file tells it.
pub(super) fn credentials(settings: &Settings) -> Result<Credentials, String> {
    let mechanism = Mechanism::of(settings)?;
    let module = module(settings, mechanism)?;
    match mechanism {
        Mechanism::Bearer => {
            let source = bearer(settings, &module)?;
            return Ok(Credentials::Bearer(Arc::new(source)));
        }
        Mechanism::Plain => known(settings, &module, &["username", "password"], &[])?,
        Mechanism::Scram(_) => known(settings, &module, &["username", "password", "tokenauth"], &[])?,
    }
    only_with_bearer(settings)?;
    let username = needed(settings, &module, "username")?.expose().to_owned();
    let password = needed(settings, &module, "password")?.clone();
    if mechanism == Mechanism::Plain && (username.contains('\0') || password.expose().contains('\0')) {
        return Err(settings.fault(JAAS, "PLAIN can carry no NUL character"));
    }
    Ok(match mechanism {
        Mechanism::Scram(hash) => {
            let is_token =
                option(&module, "tokenauth").is_some_and(|value| value.expose().eq_ignore_ascii_case("true"));
            Credentials::Scram(ScramUser::new(hash, username, password, is_token))
        }
        Mechanism::Plain | Mechanism::Bearer => Credentials::Plain { username, password },
    })
}

fn module(settings: &Settings, mechanism: Mechanism) -> Result<LoginModule, String> {
    let wanted = mechanism.module();
    let Some(text) = settings.secret(JAAS) else {
        return Err(format!(
            "{JAAS} is missing: with {MECHANISM}={} a {wanted} is needed (JAAS files are not read)",
            settings.text(MECHANISM).unwrap_or_default()
        ));
    };
    let module = jaas::parse(text.expose()).map_err(|fault| settings.fault(JAAS, &fault.to_string()))?;
    let class = module.class.rsplit('.').next().unwrap_or_default();
    if class != wanted {
        let mechanism = settings.text(MECHANISM).unwrap_or_default();
        let problem = format!(
            "{} contradicts {MECHANISM}={mechanism}: {wanted} is needed",
            quoted(class)
        );
        return Err(settings.fault(JAAS, &problem));
    }
    Ok(module)
}

fn option<'a>(module: &'a LoginModule, key: &str) -> Option<&'a Secret> {
    let found = module.options.iter().find(|(known, _)| known == key);
    found
        .map(|(_, value)| value)
        .filter(|value| !value.expose().is_empty())
}

fn needed<'a>(settings: &Settings, module: &'a LoginModule, key: &str) -> Result<&'a Secret, String> {
    option(module, key).ok_or_else(|| settings.fault(JAAS, &format!("its option {key} is missing")))
}

fn known(settings: &Settings, module: &LoginModule, keys: &[&str], prefixes: &[&str]) -> Result<(), String> {
    let unknown = module
        .options
        .iter()
        .map(|(key, _)| key.as_str())
        .find(|key| !keys.contains(key) && !prefixes.iter().any(|prefix| key.starts_with(prefix)));
    match unknown {
        None => Ok(()),
        Some(key) => {
            let allowed = [keys, prefixes].concat().join(", ");
            let problem = format!(
                "{} is no option of {}: {allowed} are",
                quoted(key),
                module_name(module)
            );
            Err(settings.fault(JAAS, &problem))
        }
    }
}

fn module_name(module: &LoginModule) -> &str {
    module.class.rsplit('.').next().unwrap_or_default()
}

/// What of OAUTHBEARER is said with another mechanism.
fn only_with_bearer(settings: &Settings) -> Result<(), String> {
    let stray = settings.all().iter().find(|property| {
        let key = property.key.as_str();
        let bearers = key.starts_with("sasl.oauthbearer.") || key == "sasl.login.callback.handler.class";
        bearers
            && super::keys::meaning(key) == Some(super::keys::Meaning::Used)
            && !property.value.expose().is_empty()
    });
    match stray {
        None => Ok(()),
        Some(property) => {
            let mechanism = settings.text(MECHANISM).unwrap_or_default();
            let problem = format!("it contradicts {MECHANISM}={mechanism}: it is for OAUTHBEARER");
            Err(settings.fault(&property.key, &problem))
        }
    }
}

const ENDPOINT: &str = "sasl.oauthbearer.token.endpoint.url";
const UNSECURED: [&str; 6] = [
    "unsecuredLoginStringClaim_",
    "unsecuredLoginNumberClaim_",
    "unsecuredLoginListClaim_",
    "unsecuredLoginExtension_",
    "unsecuredLoginLifetimeSeconds",
    "unsecuredLoginPrincipalClaimName",
];

fn bearer(settings: &Settings, module: &LoginModule) -> Result<TokenSource, String> {
    const KEYS: [&str; 3] = ["clientId", "clientSecret", "scope"];
    const PREFIXES: [&str; 2] = ["extension_", "ssl."];
    known(settings, module, &KEYS, &[&PREFIXES[..], &UNSECURED[..]].concat())?;
    classes(settings)?;
    let unsecured = module
        .options
        .iter()
        .any(|(key, _)| UNSECURED.iter().any(|prefix| key.starts_with(prefix)));
    let (kind, prefix) = match settings.text(ENDPOINT) {
        Some(_) if unsecured => {
            let problem = "its options unsecuredLogin* contradict sasl.oauthbearer.token.endpoint.url";
            return Err(settings.fault(JAAS, problem));
        }
        None if unsecured => (unsecured_claims(settings, module)?, "unsecuredLoginExtension_"),
        None => {
            return Err(format!(
                "{ENDPOINT} is missing: the https URL of a token endpoint, or file:///path of a file with a token"
            ));
        }
        Some(url) if url.starts_with("file:") => (file(settings, module, url)?, "extension_"),
        Some(url) => (endpoint(settings, module, url)?, "extension_"),
    };
    Ok(TokenSource::new(kind, extensions(settings, module, prefix)?))
}

/// Kafka's own handlers and retrievers are what is built in here; others are Java classes.
fn classes(settings: &Settings) -> Result<(), String> {
    const ALLOWED: [(&str, &[&str]); 2] = [
        (
            "sasl.login.callback.handler.class",
            &[
                "OAuthBearerLoginCallbackHandler",
                "OAuthBearerUnsecuredLoginCallbackHandler",
            ],
        ),
        (
            "sasl.oauthbearer.jwt.retriever.class",
            &[
                "DefaultJwtRetriever",
                "ClientCredentialsJwtRetriever",
                "FileJwtRetriever",
            ],
        ),
    ];
    for (key, allowed) in ALLOWED {
        let Some(class) = settings.text(key) else {
            continue;
        };
        let ours = class.starts_with("org.apache.kafka.")
            && class
                .rsplit('.')
                .next()
                .is_some_and(|name| allowed.contains(&name));
        if !ours {
            let problem = format!(
                "a Java class cannot run here; of Kafka's own {} are built in",
                allowed.join(", ")
            );
            return Err(settings.fault(key, &problem));
        }
    }
    Ok(())
}

fn file(settings: &Settings, module: &LoginModule, url: &str) -> Result<TokenKind, String> {
    let path = url.trim_start_matches("file:");
    let path = path.strip_prefix("//").unwrap_or(path);
    if !path.starts_with('/') {
        return Err(settings.fault(ENDPOINT, "a file is named as in file:///path/to/token"));
    }
    for key in ["clientId", "clientSecret"] {
        if option(module, key).is_some() {
            let problem =
                format!("its option {key} contradicts {ENDPOINT}=file:, which holds the token itself");
            return Err(settings.fault(JAAS, &problem));
        }
    }
    Ok(TokenKind::File(PathBuf::from(path)))
}

fn endpoint(settings: &Settings, module: &LoginModule, url: &str) -> Result<TokenKind, String> {
    // KIP-1139's keys of the file, and the older options of the login module.
    let either = |key: &str, old: &str| match (settings.secret(key), option(module, old)) {
        (Some(new), Some(old_value)) if new.expose() != old_value.expose() => {
            Err(settings.fault(key, &format!("it contradicts the option {old} of {JAAS}")))
        }
        (new, old) => Ok(new.or(old)),
    };
    let missing = |key: &str, old: &str| format!("{key} is missing (or the option {old} of {JAAS})");
    let (id_key, secret_key) = (
        "sasl.oauthbearer.client.credentials.client.id",
        "sasl.oauthbearer.client.credentials.client.secret",
    );
    let id = either(id_key, "clientId")?.ok_or_else(|| missing(id_key, "clientId"))?;
    let secret = either(secret_key, "clientSecret")?.ok_or_else(|| missing(secret_key, "clientSecret"))?;
    let scope = either("sasl.oauthbearer.scope", "scope")?;
    let urlencode = settings.text("sasl.oauthbearer.header.urlencode");
    let credentials = ClientCredentials {
        id: id.expose(),
        secret,
        scope: scope.map(|scope| scope.expose().to_owned()),
        urlencode: urlencode.is_some_and(|value| value.eq_ignore_ascii_case("true")),
    };
    // Kafka's default of both.
    const TIMEOUT: Millis = Millis(10_000);
    let connect = settings
        .millis("sasl.login.connect.timeout.ms")?
        .unwrap_or(TIMEOUT);
    let read = settings.millis("sasl.login.read.timeout.ms")?.unwrap_or(TIMEOUT);
    // As Kafka has it, the endpoint's own trust store stands among the module's options.
    let line = settings.given(JAAS).map_or(0, |given| given.line);
    let tls = || encryption::tls(&Settings::of_options(module, line));
    let endpoint = Endpoint::new(url, tls, &credentials, (connect, read));
    let endpoint = endpoint.map_err(|problem| settings.fault(ENDPOINT, &problem))?;
    Ok(TokenKind::Endpoint(Box::new(endpoint)))
}

fn unsecured_claims(settings: &Settings, module: &LoginModule) -> Result<TokenKind, String> {
    let mut claims = Map::new();
    let mut lifetime_seconds = 3600;
    for (key, value) in &module.options {
        let value = value.expose();
        let wrong = |wanted: &str| settings.fault(JAAS, &format!("its option {key} needs {wanted}"));
        if let Some(claim) = key.strip_prefix("unsecuredLoginStringClaim_") {
            claims.insert(claim.to_owned(), value.into());
        } else if let Some(claim) = key.strip_prefix("unsecuredLoginNumberClaim_") {
            let number: Value = value.parse::<f64>().map_err(|_| wrong("a number"))?.into();
            claims.insert(claim.to_owned(), number);
        } else if let Some(claim) = key.strip_prefix("unsecuredLoginListClaim_") {
            // The first character is what divides the others.
            let divider = value.chars().next().ok_or_else(|| wrong("a divider and words"))?;
            let words = value.split(divider).skip(1).map(Value::from);
            claims.insert(claim.to_owned(), words.collect());
        } else if key == "unsecuredLoginLifetimeSeconds" {
            lifetime_seconds = value.parse().map_err(|_| wrong("a number of seconds"))?;
        }
    }
    let principal = option(module, "unsecuredLoginPrincipalClaimName").map_or("sub", Secret::expose);
    if !claims.contains_key(principal) {
        let problem = format!("its option unsecuredLoginStringClaim_{principal} is missing");
        return Err(settings.fault(JAAS, &problem));
    }
    Ok(TokenKind::Unsecured(UnsecuredClaims {
        claims,
        lifetime_seconds,
    }))
}

/// KIP-342's: letters, and values of printable ASCII.
fn extensions(
    settings: &Settings,
    module: &LoginModule,
    prefix: &str,
) -> Result<Vec<(String, String)>, String> {
    let mut extensions = Vec::new();
    for (key, value) in &module.options {
        let Some(name) = key.strip_prefix(prefix) else {
            continue;
        };
        let value = value.expose();
        let printable = |c: char| (' '..='~').contains(&c) || matches!(c, '\t' | '\r' | '\n');
        let letters = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic());
        if !letters || name == "auth" || !value.chars().all(printable) {
            let problem =
                format!("its option {key} is no SASL extension: letters but auth, with a value of ASCII");
            return Err(settings.fault(JAAS, &problem));
        }
        extensions.push((name.to_owned(), value.to_owned()));
    }
    Ok(extensions)
}
