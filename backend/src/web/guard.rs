//! Who may ask, and the headers every answer carries.
//!
//! A foreign page in the operator's browser must not reach this server: not under a name that was pointed at it
//! (DNS rebinding: `Host` must be one of ours or an address, which cannot be pointed elsewhere), and not by a request
//! across origins that changes something or opens the WebSocket (`Origin` must be where `Host` is).

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Web;
use super::error::ApiError;

/// The policy of docs/contract.md: nothing but our own files and our own WebSocket.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
                      img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Paths that answer under any name: they tell nothing, and health checkers rarely know our names.
const ANY_HOST: [&str; 2] = ["/healthz", "/readyz"];

/// Refuses strangers and adds the headers.
pub(super) async fn guard(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    let mut response = match judge(&request, &web.site.allowed_hosts) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // What an API said is old the moment it is read.
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

fn judge(request: &Request, allowed_hosts: &[String]) -> Result<(), ApiError> {
    let path = request.uri().path();
    if ANY_HOST.contains(&path) {
        return Ok(());
    }
    let host = host(request.headers(), request.uri())?;
    if !is_allowed(host.host(), allowed_hosts) {
        return Err(forbidden(
            "forbidden_host",
            format!(
                "Host {host:?} is not a name of this server: an IP address, localhost, the name of --listen or one of \
                 --allowed-host is",
                host = host.as_str()
            ),
        ));
    }
    if path == "/ws" || request.method() == Method::POST {
        origin(request.headers(), &host)?;
    }
    Ok(())
}

/// `Host`, which must be there, once, and say the same as an address in the request line.
fn host(headers: &HeaderMap, uri: &Uri) -> Result<Authority, ApiError> {
    let bad =
        |why: &str| ApiError::bad_request(format!("{why}: Host must hold this server's name or address"));
    let text = only(headers, &HOST).map_err(|()| bad("more than one Host, or one that is no text"))?;
    let host = text
        .ok_or_else(|| bad("no Host"))?
        .parse::<Authority>()
        .map_err(|_| bad("a Host that is no host and port"))?;
    match uri.authority() {
        Some(named) if *named != host => Err(bad("a request line that names another host")),
        _ if host.as_str().contains('@') => Err(bad("a user in Host")),
        _ => Ok(host),
    }
}

/// `Origin`, where there is one, must have the host and the port of `Host`.
fn origin(headers: &HeaderMap, host: &Authority) -> Result<(), ApiError> {
    let refuse = |origin: &str| {
        let message = format!(
            "Origin {origin:?} is not where this server is ({host:?})",
            host = host.as_str()
        );
        forbidden("forbidden_origin", message)
    };
    let text = only(headers, &ORIGIN).map_err(|()| refuse("(several, or no text)"))?;
    let Some(text) = text else { return Ok(()) };
    let uri = text.parse::<Uri>().map_err(|_| refuse(text))?;
    let default_port = match uri.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return Err(refuse(text)),
    };
    let same = uri.authority().is_some_and(|origin| {
        origin.host().eq_ignore_ascii_case(host.host())
            && origin.port_u16().unwrap_or(default_port) == host.port_u16().unwrap_or(default_port)
    });
    if same { Ok(()) } else { Err(refuse(text)) }
}

/// A header's only value; an error where there are several or it is no text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

/// An IP address, localhost, or one of the names allowed (in lower case).
fn is_allowed(host: &str, allowed_hosts: &[String]) -> bool {
    let bare = host
        .strip_prefix('[')
        .and_then(|h| h.strip_suffix(']'))
        .unwrap_or(host);
    let name = host.to_ascii_lowercase();
    bare.parse::<IpAddr>().is_ok() || name == "localhost" || allowed_hosts.contains(&name)
}

fn forbidden(code: &'static str, message: String) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, code, message)
}
