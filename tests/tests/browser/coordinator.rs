//! The coordinator is stopped and started again by buttons.

use tests::chrome::Page;
use tests::heartline::Heartline;

use crate::{in_state, nothing_to_complain_of, on_time, ready};

#[tokio::test]
async fn while_the_coordinator_is_stopped_members_are_late_then_overdue_until_it_is_back() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&[]).await;
    let page = Page::open(heartline.address()).await;
    let members = on_time(&page, 3).await;

    page.click("[data-testid=fault][data-fault=stop]").await;
    for state in ["late", "overdue"] {
        let them = page
            .wait_for(&format!("every member {state}"), "member-row", |rows| {
                let them = in_state(rows, state);
                (them.len() == 3).then_some(them)
            })
            .await;
        assert_eq!(them, members);
    }
    page.click("[data-testid=fault][data-fault=restart]").await;
    assert_eq!(on_time(&page, 3).await, members, "the same members carry on");

    let shown = page.rows("event-row").await;
    let kinds: Vec<&str> = shown.iter().map(|row| row.data("kind")).collect();
    assert!(
        kinds.contains(&"coordinator_dead") && kinds.contains(&"coordinator_found"),
        "{kinds:?}"
    );
    assert!(
        !kinds.contains(&"member_expired"),
        "nobody was there to expire a member: {kinds:?}"
    );
    nothing_to_complain_of(&page).await;
}
