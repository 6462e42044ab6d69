//! The grant of client credentials (RFC 6749, section 4.4), one POST.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use shared::time::Millis;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use zeroize::Zeroizing;

use super::TokenFault;
use crate::kafka::security::tls::Tls;
use crate::limits;
use crate::secret::Secret;

/// A token endpoint, and what it is asked with.
#[derive(Clone, Debug)]
pub struct Endpoint {
    host: String,
    port: u16,
    /// Path and query.
    path: String,
    /// Of an `https` endpoint.
    tls: Option<Tls>,
    /// The value of `Authorization`.
    authorization: Secret,
    scope: Option<String>,
    connect_timeout: Millis,
    read_timeout: Millis,
}

/// What a client is told about its endpoint.
#[derive(Debug)]
pub struct ClientCredentials<'a> {
    /// `clientId`
    pub id: &'a str,
    /// `clientSecret`
    pub secret: &'a Secret,
    /// `scope`
    pub scope: Option<String>,
    /// `sasl.oauthbearer.header.urlencode`: RFC 6749 wants it, Kafka does it only where it is told to.
    pub urlencode: bool,
}

/// What an endpoint answers.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: Option<f64>,
}

#[derive(Deserialize)]
struct Denied {
    error: String,
}

impl Endpoint {
    /// An endpoint by its URL; `tls` is how an `https` one is spoken to.
    ///
    /// # Errors
    /// What is wrong with the URL.
    pub fn new(
        url: &str,
        tls: impl FnOnce() -> Result<Tls, String>,
        credentials: &ClientCredentials<'_>,
        (connect_timeout, read_timeout): (Millis, Millis),
    ) -> Result<Self, String> {
        const WANTED: &str = "https://host/path, http://host/path or file:///path is needed";
        let uri: Uri = url.parse().map_err(|_| WANTED.to_owned())?;
        let (tls, port) = match uri.scheme_str() {
            Some("https") => (Some(tls()?), 443),
            Some("http") => (None, 80),
            _ => return Err(WANTED.to_owned()),
        };
        let authority = uri.authority().ok_or(WANTED)?;
        if authority.as_str().contains('@') {
            return Err("a name and a password in it are not sent: clientId and clientSecret are".to_owned());
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(port),
            path: path.to_owned(),
            tls,
            authorization: authorization(credentials),
            scope: credentials.scope.clone(),
            connect_timeout,
            read_timeout,
        })
    }

    /// Asks for a token: the token, and the seconds it lives where the endpoint says so.
    pub(super) async fn fetch(&self) -> Result<(String, Option<f64>), TokenFault> {
        let fault = |reason: String| TokenFault::Endpoint {
            endpoint: self.to_string(),
            reason,
        };
        let late = |limit: Millis| fault(format!("no answer within {} ms", limit.0));
        let address = (self.host.as_str(), self.port);
        let connecting = timeout(duration(self.connect_timeout), TcpStream::connect(address)).await;
        let stream = match connecting {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(fault(error.to_string())),
            Err(_elapsed) => return Err(late(self.connect_timeout)),
        };
        let asking = async {
            match &self.tls {
                Some(tls) => self.ask(tls.connect(&self.host, stream).await?).await,
                None => self.ask(stream).await,
            }
        };
        match timeout(duration(self.read_timeout), asking).await {
            Ok(granted) => granted.map_err(fault),
            Err(_elapsed) => Err(late(self.read_timeout)),
        }
    }

    async fn ask<S>(&self, stream: S) -> Result<(String, Option<f64>), String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let broken = |error: hyper::Error| error.to_string();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let request = self.request()?;
        let answering = async {
            let answer = sender.send_request(request).await.map_err(broken)?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), limits::TOKEN_ANSWER);
            let body = body.collect().await.map_err(|error| error.to_string())?;
            // The sender ends here, and the connection with it.
            drop(sender);
            granted(status, &Zeroizing::new(body.to_bytes().to_vec()))
        };
        let (granted, _closed) = tokio::join!(answering, connection);
        granted
    }

    fn request(&self) -> Result<Request<Full<Bytes>>, String> {
        let scope = self
            .scope
            .as_deref()
            .map(|scope| format!("&scope={}", encoded(scope)));
        let form = format!("grant_type=client_credentials{}", scope.unwrap_or_default());
        let mut authorization = HeaderValue::from_str(self.authorization.expose())
            .map_err(|_| "its credentials do not fit into a header".to_owned())?;
        authorization.set_sensitive(true);
        let host = if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        };
        Request::builder()
            .method(Method::POST)
            .uri(&self.path)
            .header(HOST, host)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(AUTHORIZATION, authorization)
            .body(Full::new(Bytes::from(form)))
            .map_err(|error| error.to_string())
    }
}

/// Host, port and path: a query might hold what is nobody's business.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let path = self.path.split('?').next().unwrap_or_default();
        write!(f, "{scheme}://{}:{}{path}", self.host, self.port)
    }
}

fn granted(status: StatusCode, body: &[u8]) -> Result<(String, Option<f64>), String> {
    if status == StatusCode::OK {
        return match serde_json::from_slice::<Granted>(body) {
            Ok(granted) => Ok((granted.access_token, granted.expires_in)),
            Err(_) => Err("its answer holds no access_token".to_owned()),
        };
    }
    // RFC 6749's codes only: nothing else of what the endpoint says is repeated, since it may repeat what it was asked.
    const CODES: [&str; 6] = [
        "invalid_client",
        "invalid_grant",
        "invalid_request",
        "invalid_scope",
        "unauthorized_client",
        "unsupported_grant_type",
    ];
    let denied = serde_json::from_slice::<Denied>(body).ok();
    let code = denied.and_then(|denied| CODES.into_iter().find(|code| *code == denied.error));
    let advice = match (code, status) {
        (Some("invalid_scope"), _) => ": check scope",
        (Some(_), _) | (None, StatusCode::UNAUTHORIZED) => ": check clientId and clientSecret",
        (None, _) => "",
    };
    let code = code.map(|code| format!(" and {code}")).unwrap_or_default();
    Err(format!("it answers {}{code}{advice}", status.as_u16()))
}

fn authorization(credentials: &ClientCredentials<'_>) -> Secret {
    let (id, secret) = (credentials.id, credentials.secret.expose());
    let pair = Zeroizing::new(if credentials.urlencode {
        format!("{}:{}", encoded(id), *Zeroizing::new(encoded(secret)))
    } else {
        format!("{id}:{secret}")
    });
    Secret::new(format!("Basic {}", *Zeroizing::new(STANDARD.encode(&*pair))))
}

/// As in a form: what is neither letter nor digit as `%XX`. It may be a secret: the text has room from the start, so that it never
/// moves and leaves nothing behind.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(3 * text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            byte => {
                encoded.push('%');
                for half in [byte >> 4, byte & 0xf] {
                    let digit = char::from_digit(half.into(), 16).unwrap_or_default();
                    encoded.push(digit.to_ascii_uppercase());
                }
            }
        }
    }
    encoded
}

const fn duration(millis: Millis) -> Duration {
    Duration::from_millis(millis.0)
}
