//! Kafka's unsecured tokens (RFC 7515, appendix A.5): nobody signs them, and only a broker set up for trying things out
//! takes them. As its `OAuthBearerUnsecuredLoginCallbackHandler` makes them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use shared::time::UnixMs;

use crate::secret::Secret;

/// What such a token says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnsecuredClaims {
    /// Claims as told; `iat` and `exp` come from the time.
    pub claims: Map<String, Value>,
    /// How long it lives.
    pub lifetime_seconds: u32,
}

impl UnsecuredClaims {
    /// A token of this moment.
    pub(super) fn token(&self, now: UnixMs) -> Secret {
        let mut claims = self.claims.clone();
        let issued = now.0 / 1000;
        claims.insert("iat".to_owned(), issued.into());
        claims.insert(
            "exp".to_owned(),
            (issued + u64::from(self.lifetime_seconds)).into(),
        );
        let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
        let claims = Value::Object(claims).to_string();
        Secret::new(format!("{}.{}.", part(r#"{"alg":"none"}"#), part(&claims)))
    }
}
