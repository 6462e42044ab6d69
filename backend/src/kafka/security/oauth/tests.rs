//! A token endpoint that says what the test wants, a file, and tokens that nobody signs.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use shared::time::{Millis, UnixMs};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::{ClientCredentials, Endpoint, TokenFault, TokenKind, TokenSource, UnsecuredClaims};
use crate::clock::Clock;
use crate::secret::Secret;

const SECRET: &str = "cLiEnT-sEcReT/+";

fn endpoint(url: &str, urlencode: bool) -> Result<Endpoint, String> {
    let secret = Secret::new(SECRET.to_owned());
    let credentials = ClientCredentials {
        id: "heart line",
        secret: &secret,
        scope: Some("kafka read".to_owned()),
        urlencode,
    };
    let no_tls = || Err("no TLS here".to_owned());
    Endpoint::new(url, no_tls, &credentials, (Millis(10_000), Millis(10_000)))
}

/// Answers so many requests with the same answer; what was asked.
async fn asked(
    status: &str,
    body: &str,
    times: usize,
) -> (TokenSource, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let serving = tokio::spawn(async move {
        let mut requests = Vec::new();
        for _ in 0..times {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"scope=kafka+read") {
                let mut part = [0; 1024];
                let read = stream.read(&mut part).await.unwrap();
                assert!(read > 0);
                request.extend_from_slice(&part[..read]);
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            requests.push(String::from_utf8(request).unwrap());
        }
        requests
    });
    let endpoint = endpoint(&format!("http://127.0.0.1:{port}/token?realm=x"), false).unwrap();
    (
        TokenSource::new(TokenKind::Endpoint(Box::new(endpoint)), Vec::new()),
        serving,
    )
}

fn jwt(exp: u64) -> String {
    format!(
        "e30.{}.c2ln",
        URL_SAFE_NO_PAD.encode(json!({"sub": "x", "exp": exp}).to_string())
    )
}

#[tokio::test]
async fn client_credentials_are_posted_and_the_token_is_kept_while_it_lives() {
    let clock = Clock::starting_at(UnixMs(1_700_000_000_000));
    let token = jwt(1_700_003_600);
    let body = json!({"access_token": token, "expires_in": 3600, "token_type": "Bearer"}).to_string();
    let (source, serving) = asked("200 OK", &body, 1).await;
    for _ in 0..2 {
        assert_eq!(source.token(clock).await.unwrap().expose(), token);
    }
    let requests = serving.await.unwrap();
    let [request] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    assert!(
        request.starts_with("POST /token?realm=x HTTP/1.1\r\n"),
        "{request}"
    );
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("heart line:{SECRET}"));
    assert!(
        request.contains(&format!("authorization: Basic {pair}\r\n")),
        "{request}"
    );
    assert!(
        request.ends_with("\r\n\r\ngrant_type=client_credentials&scope=kafka+read"),
        "{request}"
    );
}

#[tokio::test]
async fn a_token_that_has_expired_or_does_not_say_when_is_fetched_anew() {
    let clock = Clock::starting_at(UnixMs(1_700_000_000_000));
    for body in [
        json!({"access_token": jwt(1_600_000_000), "expires_in": 3600}),
        json!({"access_token": "opaque"}),
        json!({"access_token": "opaque", "expires_in": 0}),
    ] {
        let (source, serving) = asked("200 OK", &body.to_string(), 2).await;
        source.token(clock).await.unwrap();
        source.token(clock).await.unwrap();
        assert_eq!(serving.await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn what_an_endpoint_refuses_is_told_without_its_words() {
    for (status, body, words) in [
        (
            "401 Unauthorized",
            json!({"error": "invalid_client"}).to_string(),
            "401 and invalid_client: check clientId",
        ),
        ("401 Unauthorized", SECRET.to_owned(), "401: check clientId"),
        (
            "400 Bad Request",
            json!({"error": SECRET}).to_string(),
            "it answers 400",
        ),
        (
            "400 Bad Request",
            json!({"error": "invalid_scope"}).to_string(),
            "check scope",
        ),
        ("302 Found", String::new(), "it answers 302"),
        ("200 OK", "{}".to_owned(), "no access_token"),
        (
            "200 OK",
            json!({"access_token": "two words"}).to_string(),
            "is no token",
        ),
    ] {
        let (source, serving) = asked(status, &body, 1).await;
        let fault = source.token(Clock::start()).await.unwrap_err().to_string();
        assert!(fault.contains(words), "{fault}");
        assert!(!fault.contains(SECRET) && !fault.contains("realm"), "{fault}");
        serving.await.unwrap();
    }
}

#[test]
fn an_endpoint_is_a_url_without_a_password_and_prints_no_secret() {
    for (url, words) in [
        ("ftp://a/b", "https://host/path"),
        ("nonsense", "https://host/path"),
        ("http://user:word@a/b", "clientId and clientSecret are"),
        ("https://a/b", "no TLS here"),
    ] {
        let said = endpoint(url, false).map(drop).unwrap_err();
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("word@"), "{said}");
    }
    let printed = format!("{:?}", endpoint("http://a/b", true).unwrap());
    assert!(
        !printed.contains(SECRET) && !printed.contains("Basic"),
        "{printed}"
    );
}

#[tokio::test]
async fn a_file_is_read_anew_each_time() {
    let path = std::env::temp_dir().join(format!("heartline-token-{}", std::process::id()));
    let source = TokenSource::new(TokenKind::File(path.clone()), Vec::new());
    let clock = Clock::start();
    for token in ["first.token.", "second.token."] {
        fs::write(&path, format!("{token}\n")).unwrap();
        assert_eq!(source.token(clock).await.unwrap().expose(), token);
    }
    fs::write(&path, "two words").unwrap();
    assert!(matches!(
        source.token(clock).await,
        Err(TokenFault::NoToken { .. })
    ));
    fs::remove_file(&path).unwrap();
    let said = source.token(clock).await.unwrap_err().to_string();
    assert!(said.contains("cannot be read"), "{said}");
}

#[test]
fn an_unsecured_token_says_what_it_is_told_and_when_it_ends() {
    let claims = UnsecuredClaims {
        claims: serde_json::Map::from_iter([("sub".to_owned(), "alice".into())]),
        lifetime_seconds: 60,
    };
    let token = claims.token(UnixMs(1_700_000_000_500));
    let parts: Vec<&str> = token.expose().split('.').collect();
    let [header, claims, ""] = parts.as_slice() else {
        panic!("{parts:?}")
    };
    let read = |part: &str| -> serde_json::Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    assert_eq!(read(header), json!({"alg": "none"}));
    assert_eq!(
        read(claims),
        json!({"sub": "alice", "iat": 1_700_000_000, "exp": 1_700_000_060})
    );
}
