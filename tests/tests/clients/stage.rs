//! The embedded coordinator, as the stories and the cases need it.

use serde_json::{Value, json};
use tests::coordinator::Lasting;
use tests::heartline::{Heartline, binary};
use tests::peers::client::Client;
use tests::peers::server::Server;
use tests::peers::stories::{PARTITIONS, Scene};
use tests::peers::table;
use tokio::sync::OnceCell;

/// The group of a case, and its topic.
const GROUP: &str = "case";

/// The scene of a story: the shared dashboard's coordinator, or one of the scene's own where the story restarts it.
pub(crate) async fn of_story(client: Client, story: &str) -> Option<Scene> {
    binary()?;
    let name = table::scene_name(client, story);
    if table::restarts_its_coordinator(story) {
        let coordinator = Lasting::start(&topics(std::slice::from_ref(&name)), &[]).await?;
        let server = Server::Heartline(Box::new(coordinator));
        return Some(Scene {
            client,
            bootstrap: server.address(),
            name,
            server: Some(server),
        });
    }
    Some(Scene {
        client,
        bootstrap: coordinator(shared().await),
        name,
        server: None,
    })
}

/// The scene of a case: a dashboard of its own, so that faults hit nobody else; further arguments for it.
pub(crate) async fn alone(client: Client, arguments: &[&str]) -> Option<(Heartline, Scene)> {
    binary()?;
    if !client.is_installed() {
        return None;
    }
    let heartline = start(&topics(&[GROUP.to_owned()]), arguments).await;
    let scene = Scene {
        client,
        bootstrap: coordinator(&heartline),
        name: GROUP.to_owned(),
        server: None,
    };
    Some((heartline, scene))
}

/// The next `times` answers of an API carry a code.
pub(crate) async fn answer(heartline: &Heartline, api: &str, error: i16, times: u32) {
    let fault: Value = json!({"fault": "answer", "api": api, "error": error, "times": times});
    heartline.play(&fault).await;
}

async fn shared() -> &'static Heartline {
    static SHARED: OnceCell<Heartline> = OnceCell::const_new();
    SHARED
        .get_or_init(|| async { start(&topics(&table::topics()), &[]).await })
        .await
}

async fn start(topics: &str, arguments: &[&str]) -> Heartline {
    let own = [
        "--members",
        "0",
        "--topics",
        topics,
        "--coordinator-config",
        "group.initial.rebalance.delay.ms=0",
    ];
    Heartline::start(&[&own[..], arguments].concat()).await
}

fn topics(names: &[String]) -> String {
    let topics: Vec<String> = names.iter().map(|name| format!("{name}:{PARTITIONS}")).collect();
    topics.join(",")
}

fn coordinator(heartline: &Heartline) -> String {
    heartline
        .coordinator()
        .expect("it has an embedded one")
        .to_owned()
}
