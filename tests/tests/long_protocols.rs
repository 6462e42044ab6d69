//! Groups that are more than consumers of one protocol: workers of Connect, and a group on its way from the classic protocol to KIP-848
//! and back.

use serde_json::Value;
use tests::heartline::Heartline;
use tests::kafka::connect::Worker;
use tests::kafka::{self, Broker};
use tests::peers::client::Client;
use tests::peers::{Assignor, Peer, Protocol, Role};
use tests::survey::{Tool, at_rest, is_as_printed, rebalances_are_those_of_the_log, row, stable, watching};
use tests::wait::wait_until;

const PARTITIONS: usize = 6;

/// The shared broker, where the parts are here.
async fn broker() -> Option<&'static Broker> {
    let ready = tests::heartline::binary().is_some()
        && kafka::is_resolved()
        && Client::Java.is_installed()
        && Client::Librdkafka.is_installed();
    if ready { Some(kafka::shared().await) } else { None }
}

#[tokio::test]
async fn a_group_is_upgraded_member_by_member_to_kip_848_and_downgraded_as_the_tools_say() {
    let Some(broker) = broker().await else {
        return;
    };
    upgraded_and_downgraded(broker, Client::Java, Assignor::CooperativeSticky).await;
    // With its cooperative assignor, which keeps data of its own with the members, the upgrade is refused (69).
    upgraded_and_downgraded(broker, Client::Librdkafka, Assignor::Eager).await;
}

async fn upgraded_and_downgraded(broker: &Broker, client: Client, assignor: Assignor) {
    let group = &*format!("upgraded-{client}");
    broker.create_topic(group, PARTITIONS).await;
    let heartline = &watching(&broker.address(), &[]).await;
    let start = |client_id: &str, protocol| {
        let mut role = Role::new(&broker.address(), group, client_id);
        role.protocol = protocol;
        role.assignor = assignor;
        Peer::start(client, role)
    };
    let rests = async |tool, members| {
        at_rest(heartline, tool, group, members, PARTITIONS).await;
        is_as_printed(heartline, tool, broker, group).await;
    };

    let a = start("a", Protocol::Classic);
    at_rest(heartline, Tool::Classic, group, 1, PARTITIONS).await;
    let b = start("b", Protocol::Classic);
    rests(Tool::Classic, 2).await;
    let c = start("c", Protocol::Consumer);
    rests(Tool::Consumer, 3).await;
    let expected = [("a", true), ("b", true), ("c", false)];
    assert_eq!(classic(heartline, group).await, expected.map(of_text));
    a.leave().await;
    at_rest(heartline, Tool::Consumer, group, 2, PARTITIONS).await;
    let d = start("d", Protocol::Consumer);
    rests(Tool::Consumer, 3).await;

    // The last of the newer protocol goes: the group is a classic one again.
    c.leave().await;
    at_rest(heartline, Tool::Consumer, group, 2, PARTITIONS).await;
    d.leave().await;
    rests(Tool::Classic, 1).await;
    b.leave().await;
    row(heartline, group, "empty", |row| row["state"] == "Empty").await;
}

/// Of each member, by its client id, whether it is said to be one of the classic protocol.
async fn classic(heartline: &Heartline, group: &str) -> Vec<(String, bool)> {
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    let members = whole["members"].as_array().cloned().unwrap_or_default();
    let mut classic: Vec<(String, bool)> = members
        .iter()
        .map(|member| {
            let client = member["client_id"].as_str().unwrap_or_default();
            (client.to_owned(), member["classic"] == true)
        })
        .collect();
    classic.sort();
    classic
}

fn of_text((name, classic): (&str, bool)) -> (String, bool) {
    (name.to_owned(), classic)
}

#[tokio::test]
async fn workers_of_connect_are_shown_with_what_they_run_and_each_rebalance_of_the_log() {
    let Some(broker) = broker().await else {
        return;
    };
    let (group, connectors) = ("connect-workers", ["one", "other"]);
    let heartline = &watching(&broker.address(), &[]).await;
    let first = Worker::start(broker, group).await;
    stable(heartline, group, 1).await;
    let second = Worker::start(broker, group).await;
    stable(heartline, group, 2).await;
    for connector in connectors {
        first.run_connector(connector).await;
        let what = format!("{connector} and its task, each where its worker says");
        wait_until(&what, async || {
            let said = runs_where(&first.status(connector).await);
            let shown = shown_to_run(heartline, group, connector).await;
            if said.len() == 2 && shown == said {
                Ok(())
            } else {
                Err((shown, said))
            }
        })
        .await;
    }
    let shown = stable(heartline, group, 2).await;
    assert_eq!(shown["type"], "classic", "{shown}");
    second.stop().await;
    stable(heartline, group, 1).await;
    rebalances_are_those_of_the_log(heartline, &[broker], group, 4).await;
    first.stop().await;
}

/// Task (-1: the connector itself) and the worker that runs it, `host:port`.
type Runs = Vec<(i64, String)>;

/// By a worker's own account.
fn runs_where(status: &Value) -> Runs {
    let worker = |of: &Value| of["worker_id"].as_str().map(str::to_owned);
    let connector = worker(&status["connector"]).map(|worker| (-1, worker));
    let tasks = status["tasks"].as_array().into_iter().flatten();
    let tasks = tasks.filter_map(|task| Some((task["id"].as_i64()?, worker(task)?)));
    let mut runs: Runs = connector.into_iter().chain(tasks).collect();
    runs.sort();
    runs
}

/// As Heartline shows it.
async fn shown_to_run(heartline: &Heartline, group: &str, connector: &str) -> Runs {
    let (_, whole) = heartline.get(&format!("/api/group?group={group}")).await;
    let members = whole["members"].as_array().cloned().unwrap_or_default();
    let mut runs = Runs::new();
    for member in &members {
        let work = &member["described"]["work"];
        let url = work["url"].as_str().unwrap_or_default();
        let worker = url.trim_start_matches("http://").trim_end_matches('/');
        for list in work["runs"].as_array().into_iter().flatten() {
            if list["name"] == connector {
                let tasks = list["tasks"].as_array().into_iter().flatten();
                runs.extend(tasks.filter_map(|task| Some((task.as_i64()?, worker.to_owned()))));
            }
        }
    }
    runs.sort();
    runs
}
