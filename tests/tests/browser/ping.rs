//! A group's coordinator is measured by a button.

use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::{nothing_to_complain_of, on_time, ready};

#[tokio::test]
async fn the_coordinator_of_others_groups_is_measured_by_a_button_and_no_member_notices() {
    if !ready() {
        return;
    }
    let theirs = Heartline::start(&[]).await;
    let members = on_time(&Page::open(theirs.address()).await, 3).await;
    let cluster = theirs.coordinator().expect("it has one of its own");
    let onlooker = Heartline::start(&["--bootstrap-servers", cluster, "--members", "0"]).await;
    let page = Page::open(onlooker.address()).await;

    page.wait_for("the button", "ping", |rows| (!rows.is_empty()).then_some(()))
        .await;
    page.click("[data-testid=ping]").await;
    let micros: u64 = page
        .wait_for("how long it took", "pinged", |rows| {
            rows.first()?.data("us").parse().ok()
        })
        .await;
    assert!(micros > 0);
    nothing_to_complain_of(&page).await;
    assert_eq!(
        on_time(&Page::open(theirs.address()).await, 3).await,
        members,
        "the same members carry on"
    );
}
