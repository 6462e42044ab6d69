//! Every fault that `GET /api/faults` lists, played on the built program by what its shape says, as a stranger would.

#![expect(clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

use std::collections::BTreeSet;

use reqwest::StatusCode;
use serde_json::{Map, Value, json};
use tests::folder::root;
use tests::heartline::Heartline;
use tests::wait::wait_until;

const GROUP: &str = "demo";

/// How long a fault lasts where it can be told so, in milliseconds.
const MOMENT: i64 = 300;

/// Faults after which the member they were played on is gone for good.
const FINAL: [&str; 2] = ["kill", "leave"];

#[tokio::test]
async fn every_fault_that_is_listed_can_be_played_names_itself_in_the_log_and_can_be_recovered_from() {
    if tests::heartline::binary().is_none() {
        return;
    }
    let heartline = Heartline::start(&["--members", "6"]).await;
    let mut ours: Vec<String> = (1..=6).map(|number| format!("demo-{number}")).collect();
    all_on_time(&heartline, &ours).await;
    let listed = listed(&heartline).await;
    assert!(listed.len() > 20, "{listed:?}");
    for shape in &listed {
        let name = shape["name"].as_str().expect("a name");
        let fault = valid(shape, ours.last().expect("some are left"));
        let after = newest_seq(&heartline).await;
        play(&heartline, &fault).await;
        let what = format!("{fault} in the log");
        let (_, told) = heartline
            .event_after(after, &what, |event| {
                let told = serde_json::to_value(&event.what.change).ok()?;
                (told["kind"] == "fault_played" && told["fault"]["fault"] == name).then_some(told)
            })
            .await;
        for (field, value) in fault.as_object().expect("an object") {
            assert_eq!(told["fault"][field], *value, "{field} of {told}");
        }
        if FINAL.contains(&name) {
            ours.pop();
        }
    }
    play(&heartline, &json!({"fault": "calm"})).await;
    all_on_time(&heartline, &ours).await;
}

#[tokio::test]
async fn the_contract_lists_the_faults_and_fields_that_the_program_lists() {
    if tests::heartline::binary().is_none() {
        return;
    }
    let heartline = Heartline::start(&["--members", "0"]).await;
    let contract = std::fs::read_to_string(root().join("docs/contract.md")).expect("it is there");
    let (_, row) = contract.split_once("\n- fault: ").expect("the row of faults");
    let (row, _) = row.split_once("\n\n").expect("a blank line ends it");
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
            .map(str::to_owned)
            .collect()
    };
    // `name {field, …}`, where a field may say in words what it takes; remarks stand in brackets.
    let entry = |name: &str| {
        let start = row.match_indices(name).map(|(start, _)| start).find(|start| {
            *start == 0
                || row
                    .get(..*start)
                    .is_some_and(|before| before.trim_end().ends_with(','))
        })?;
        let rest = row.get(start + name.len()..)?;
        match rest.strip_prefix(" {") {
            Some(fields) => Some(words(fields.split_once('}')?.0)),
            None => Some(BTreeSet::new()),
        }
    };
    for shape in listed(&heartline).await {
        let name = shape["name"].as_str().expect("a name");
        let documented = entry(name).unwrap_or_else(|| panic!("docs/contract.md does not list {name}"));
        // Whom it hits, where that is only narrowed down, is said once for all of them.
        let told_once = |field: &&Value| field["required"] != true && is_narrowing(field);
        for field in fields(&shape).filter(|field| !told_once(field)) {
            let field = field["name"].as_str().expect("a name");
            assert!(
                documented.contains(field),
                "docs/contract.md does not say that {name} takes {field}: {documented:?}"
            );
        }
    }
}

fn is_narrowing(field: &Value) -> bool {
    field["kind"] == "member" || field["kind"] == "group"
}

fn fields(shape: &Value) -> impl Iterator<Item = &Value> {
    shape["fields"].as_array().expect("fields").iter()
}

async fn listed(heartline: &Heartline) -> Vec<Value> {
    let (status, mut answer) = heartline.get("/api/faults").await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    serde_json::from_value(answer["faults"].take()).expect("a list")
}

/// The fault with every field that it needs and every number that it takes, kept small; whom else it could be narrowed down
/// to is left out, and so is where it would send our members.
fn valid(shape: &Value, member: &str) -> Value {
    let mut fault = Map::new();
    fault.insert("fault".to_owned(), shape["name"].clone());
    for field in fields(shape) {
        let name = field["name"].as_str().expect("a name");
        let value = match field["kind"].as_str().expect("a kind") {
            "number" => {
                let [least, most] = ["least", "most"].map(|bound| field[bound].as_i64().expect("a number"));
                let wanted = if name == "ms" { MOMENT } else { least };
                json!(wanted.clamp(least, most))
            }
            "code" => field["codes"][0].clone(),
            "word" => field["words"][0].clone(),
            _ if field["required"] != true => continue,
            "member" => json!(member),
            "group" => json!(GROUP),
            "api" => json!("Heartbeat"),
            "answer" => json!(27),
            other => panic!("nobody has said what a field of the kind {other} takes"),
        };
        fault.insert(name.to_owned(), value);
    }
    Value::Object(fault)
}

/// Plays it. Whom it hits may be on the way back from the fault before: 409 says that it is not there now.
async fn play(heartline: &Heartline, fault: &Value) {
    wait_until(&format!("{fault} to be played"), async || {
        let (status, answer) = heartline.post("/api/faults", fault).await;
        assert!(
            status == StatusCode::OK || status == StatusCode::CONFLICT,
            "{fault} is refused: {status} {answer}"
        );
        if status == StatusCode::OK {
            Ok(())
        } else {
            Err(answer)
        }
    })
    .await;
}

async fn newest_seq(heartline: &Heartline) -> u64 {
    let (_, answer) = heartline.get("/api/events?limit=1").await;
    answer["seq"].as_u64().expect("a number")
}

/// Waits until the group rests and these members of it, by client id, are on time. What it went through is told on: a storm
/// and clients that came back again and again are true for a while after.
async fn all_on_time(heartline: &Heartline, ours: &[String]) {
    wait_until(&format!("{} on time", ours.join(", ")), async || {
        let (_, answer) = heartline.get(&format!("/api/group?group={GROUP}")).await;
        let all = answer["members"].as_array().cloned().unwrap_or_default();
        let on_time: BTreeSet<&str> = all
            .iter()
            .filter(|member| member["state"] == "on-time")
            .filter_map(|member| member["client_id"].as_str())
            .collect();
        let rests = answer["verdicts"]
            .as_array()
            .is_some_and(|verdicts| verdicts.iter().any(|said| said["verdict"] == "stable"));
        let all_are = ours.iter().all(|client| on_time.contains(client.as_str()));
        if answer["group"]["state"] == "Stable" && rests && all_are {
            Ok(())
        } else {
            Err((answer["group"].clone(), answer["verdicts"].clone(), all))
        }
    })
    .await;
}
