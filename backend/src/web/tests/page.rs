//! The page's files: what is sent in which form and how long it may be kept.

use super::*;

static PAGE: [File; 3] = [
    File {
        name: "index.html",
        plain: b"<html>",
        brotli: Some(b"BR"),
        gzip: Some(b"GZ"),
    },
    File {
        name: "frontend_bg-1f2e3d4c5b6a7988.wasm",
        plain: b"\0asm",
        brotli: None,
        gzip: Some(b"GZ"),
    },
    File {
        name: "favicon.svg",
        plain: b"<svg/>",
        brotli: None,
        gzip: None,
    },
];

fn server() -> Server {
    Server::with(|site| site.page = &PAGE)
}

#[tokio::test]
async fn every_address_of_the_page_answers_with_the_index() {
    let server = server();
    for path in ["/", "/group?group=a", "/events", "/coordinators", "/index.html"] {
        let answer = server.get(path).await;
        assert_eq!(answer.text(), "<html>", "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
    }
}

#[tokio::test]
async fn a_file_comes_in_the_best_form_the_browser_takes() {
    let server = server();
    let ask = async |accept: &str| {
        let answer = server.get_with("/", &[("accept-encoding", accept)]).await;
        assert_eq!(answer.header("vary"), Some("accept-encoding"));
        let encoding = answer.header("content-encoding").map(str::to_owned);
        (encoding, answer.text().to_owned())
    };
    let form = |name: Option<&str>, body: &str| (name.map(str::to_owned), body.to_owned());
    assert_eq!(ask("gzip, br").await, form(Some("br"), "BR"));
    assert_eq!(ask("gzip").await, form(Some("gzip"), "GZ"));
    assert_eq!(ask("deflate").await, form(None, "<html>"));
}

#[tokio::test]
async fn a_name_with_a_hash_may_be_kept_for_ever_and_others_are_asked_for_again() {
    let server = server();
    let module = server.get("/frontend_bg-1f2e3d4c5b6a7988.wasm").await;
    assert_eq!(module.header("content-type"), Some("application/wasm"));
    assert_eq!(
        module.header("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    let icon = server.get("/favicon.svg").await;
    assert_eq!(icon.header("content-type"), Some("image/svg+xml"));
    assert_eq!(icon.header("cache-control"), Some("no-cache"));
    assert_eq!(server.refused("/other.js").await.0, 404);
}

#[tokio::test]
async fn a_server_built_without_its_page_says_how_to_build_it() {
    let answer = Server::new().get("/").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.text().contains("cargo xtask build"), "{}", answer.text());
}
