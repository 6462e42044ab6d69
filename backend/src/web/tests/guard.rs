//! Who may ask, and the headers of every answer.

use super::*;

/// The status of a request with these headers; `Host` is one of them or absent.
async fn status(server: &Server, method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = server.send(request.body(Body::empty()).unwrap()).await;
    answer.status.as_u16()
}

#[tokio::test]
async fn host_may_be_an_address_localhost_or_a_name_that_was_allowed_on_any_port() {
    let server = Server::new();
    for host in [
        "127.0.0.1",
        "127.0.0.1:8080",
        "[::1]:1",
        "192.168.7.9:65535",
        "localhost",
        "LOCALHOST:80",
        "heartline.example",
        "Heartline.Example:443",
    ] {
        assert_eq!(
            status(&server, "GET", "/api/board", &[("host", host)]).await,
            200,
            "{host}"
        );
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "heartline.example.",
        "x.heartline.example",
        "[::1",
        "",
    ] {
        let status = status(&server, "GET", "/api/board", &[("host", host)]).await;
        assert!([400, 403].contains(&status), "{host}: {status}");
    }
}

#[tokio::test]
async fn a_foreign_host_reaches_nothing_but_the_health_of_the_process() {
    let server = Server::new();
    let host = [("host", "evil.example")];
    for path in [
        "/",
        "/ws",
        "/metrics",
        "/api/events",
        "/api/groups",
        "/api/faults",
        "/nothing",
    ] {
        assert_eq!(status(&server, "GET", path, &host).await, 403, "{path}");
    }
    assert_eq!(status(&server, "GET", "/healthz", &host).await, 200);
    assert_eq!(status(&server, "GET", "/readyz", &host).await, 503);
    assert_eq!(status(&server, "GET", "/healthz", &[]).await, 200);
}

#[tokio::test]
async fn a_host_that_is_missing_doubled_or_contradicted_is_refused() {
    let server = Server::new();
    assert_eq!(status(&server, "GET", "/api/board", &[]).await, 400);
    let twice = [("host", "localhost"), ("host", "evil.example")];
    assert_eq!(status(&server, "GET", "/api/board", &twice).await, 400);
    let path = "http://evil.example/api/board";
    assert_eq!(status(&server, "GET", path, &[("host", "localhost")]).await, 400);
    assert_eq!(
        status(&server, "GET", "/api/board", &[("host", "me@localhost")]).await,
        400
    );
}

#[tokio::test]
async fn an_origin_must_be_where_the_server_is_for_the_websocket_and_every_post() {
    let server = Server::new();
    let ask = async |method, path, host, origin| {
        status(&server, method, path, &[("host", host), ("origin", origin)]).await
    };
    for (host, origin) in [
        ("localhost:8080", "http://localhost:8080"),
        ("localhost", "http://localhost:80"),
        ("localhost", "https://localhost"),
        ("[::1]:9", "http://[::1]:9"),
    ] {
        // Past the guard it is a POST to a real cluster's faults, and a GET that is no upgrade.
        assert_eq!(ask("POST", "/api/faults", host, origin).await, 404, "{origin}");
        assert_ne!(ask("GET", "/ws", host, origin).await, 403, "{origin}");
    }
    for (host, origin) in [
        ("localhost:8080", "http://localhost"),
        ("localhost:8080", "http://127.0.0.1:8080"),
        ("localhost:8080", "https://localhost"),
        ("localhost:8080", "http://localhost:8081"),
        ("localhost:8080", "null"),
        ("localhost:8080", "file://"),
        ("localhost:8080", "localhost:8080"),
        ("localhost:8080", ""),
    ] {
        assert_eq!(ask("POST", "/api/faults", host, origin).await, 403, "{origin}");
        assert_eq!(ask("GET", "/ws", host, origin).await, 403, "{origin}");
        assert_eq!(ask("GET", "/api/board", host, origin).await, 200, "{origin}");
    }
    let twice = [
        ("host", "localhost"),
        ("origin", "http://localhost"),
        ("origin", "http://evil.example"),
    ];
    assert_eq!(status(&server, "GET", "/ws", &twice).await, 403);
}

#[tokio::test]
async fn every_answer_carries_the_policy_and_errors_do_too() {
    let server = Server::new();
    for path in [
        "/",
        "/healthz",
        "/api/board",
        "/api/groups?limit=x",
        "/nothing",
        "/metrics",
    ] {
        let answer = server.get(path).await;
        assert_eq!(
            answer.header("content-security-policy"),
            Some(
                "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
                 img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            "{path}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn what_is_not_there_or_not_so_asked_is_an_error_in_json() {
    let server = Server::new();
    let (status, code, message) = server.refused("/api/nothing").await;
    assert_eq!((status, code.as_str()), (404, "not_found"));
    assert!(message.contains("/api/nothing"), "{message}");
    let request = Request::delete("/api/board").header("host", "localhost");
    let answer = server.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.refusal().1, "method_not_allowed");
}
