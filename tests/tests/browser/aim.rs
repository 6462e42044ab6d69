//! The tests' own click, on a page that moves.

use serde_json::json;
use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::ready;

#[tokio::test]
async fn a_click_that_fell_beside_is_repeated() {
    if !ready() {
        return;
    }
    let server = Heartline::start(&[]).await;
    let page = Page::open(server.address()).await;
    page.script(
        "const shy = document.createElement('button');
         shy.id = 'shy';
         shy.textContent = 'shy';
         shy.style = 'position: fixed; top: 0; left: 0; z-index: 9';
         shy.addEventListener('mousedown', () => { shy.style.top = '200px'; }, {once: true});
         shy.addEventListener('click', () => { window.reached = (window.reached ?? 0) + 1; });
         document.body.append(shy);",
    )
    .await;
    page.click("#shy").await;
    assert_eq!(page.script("return window.reached").await, json!(1));
}
