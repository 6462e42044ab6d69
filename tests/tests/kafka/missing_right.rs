//! A right that an ACL denies is named.

use shared::event::Change;
use tests::heartline::Heartline;
use tests::kafka;
use tests::wait::wait_until;

#[tokio::test]
async fn a_group_denied_by_an_acl_shows_the_missing_right() {
    if !crate::ready() {
        return;
    }
    let broker = kafka::shared().await;
    let group = "denied-group";
    broker.deny_on_group(group, "Read").await;
    let arguments = [
        "--bootstrap-servers",
        &broker.address(),
        "--probe-group",
        group,
        "--members",
        "1",
    ];
    let heartline = Heartline::start(&arguments).await;

    let (_, (error, right)) = heartline
        .event_after(0, "not_authorized", |event| match &event.what.change {
            Change::NotAuthorized { error, right } => Some((*error, right.clone())),
            _ => None,
        })
        .await;
    assert_eq!(error, 30);
    assert!(right.contains("READ") && right.contains(group), "{right}");

    let verdict = wait_until("the verdict not-authorized", async || {
        let (_, groups) = heartline.get("/api/groups").await;
        let shown = groups["groups"]
            .as_array()
            .and_then(|all| all.iter().find(|shown| shown["group"] == group))
            .cloned();
        shown
            .filter(|shown| shown["verdict"] == "not-authorized")
            .ok_or(groups)
    })
    .await;
    assert!(verdict["members"] != 0, "not visible is not 0: {verdict}");
}
