//! franz-go's own tests of how a classic member leaves (kfake in its repository), against the embedded coordinator.

use tests::peers::client::Client;

use crate::stage::{alone, answer};

/// I18, the classic part. The session is far longer than anybody waits: only a LeaveGroup empties the group.
#[tokio::test]
async fn a_leave_answered_16_is_made_again() {
    let Some((heartline, scene)) = alone(Client::FranzGo, &[]).await else {
        return;
    };
    let mut role = scene.role("a");
    role.session_timeout_ms = 600_000;
    let mut peer = scene.start_as(role);
    scene.settled(&mut [&mut peer]).await;
    answer(&heartline, "LeaveGroup", 16, 1).await;
    peer.leave().await;
    scene.group().empty().await;
}

/// I18: it is not there any more, which is what leaving is for.
#[tokio::test]
async fn a_leave_answered_25_is_a_success() {
    let Some((heartline, scene)) = alone(Client::FranzGo, &[]).await else {
        return;
    };
    let mut peer = scene.start("a");
    scene.settled(&mut [&mut peer]).await;
    answer(&heartline, "LeaveGroup", 25, 1).await;
    peer.leave().await;
}
