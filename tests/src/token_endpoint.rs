//! A token endpoint on loopback that grants everybody a token of Kafka's unsecured kind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Serves until it is dropped with the test's runtime.
#[derive(Debug)]
pub struct TokenEndpoint {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl TokenEndpoint {
    /// Starts it.
    ///
    /// # Panics
    ///
    /// When loopback has no free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let request = grant(stream).await;
                noted
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(request);
            }
        });
        Self {
            url: format!("http://127.0.0.1:{port}/token"),
            asked,
        }
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A token for an hour: `alg` none, as Kafka's unsecured validator takes it.
    ///
    /// # Panics
    ///
    /// When the clock stands before 1970.
    #[must_use]
    pub fn token() -> String {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO)
            .as_secs();
        let claims = format!(r#"{{"sub":"heartline","iat":{now},"exp":{}}}"#, now + 3600);
        let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
        format!("{}.{}.", part(r#"{"alg":"none"}"#), part(&claims))
    }
}

/// Answers one request; what it was, where it came whole.
async fn grant(mut stream: TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !String::from_utf8_lossy(&request).contains("grant_type=") {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.ok().filter(|read| *read > 0)?;
        request.extend_from_slice(part.get(..read)?);
    }
    let body = format!(
        r#"{{"access_token":"{}","expires_in":3600}}"#,
        TokenEndpoint::token()
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(answer.as_bytes()).await.ok()?;
    Some(String::from_utf8_lossy(&request).into_owned())
}
