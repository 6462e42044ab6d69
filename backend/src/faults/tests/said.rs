//! What is said of a fault: to whoever asks for it, and in the log.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex};

use shared::fault::{Kind, SHAPES, Shape};
use tracing::Dispatch;
use tracing_subscriber::fmt::MakeWriter;

use super::*;

/// As long as there is one subscriber only, tracing asks the thread that comes first to a line whether anybody wants it, and a
/// thread of another test has none.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));

/// What was logged, as a terminal would get it.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Those that name a fault as played.
    fn played(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text.lines().filter(|line| line.contains("fault_played"));
        lines.map(str::to_owned).collect()
    }

    /// Takes what this thread logs at the level that the program logs by default, until the guard goes.
    fn take(&self) -> tracing::subscriber::DefaultGuard {
        LazyLock::force(&ANOTHER);
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::INFO)
            .with_ansi(false)
            .with_writer(self.clone());
        tracing::subscriber::set_default(subscriber.finish())
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The fault with the least that it can be asked for.
fn least(shape: &Shape, group: &str) -> Value {
    let mut fault = json!({"fault": shape.name});
    for field in shape.fields {
        let value = match field.kind {
            Kind::Group => json!(group),
            Kind::Number { least, .. } => json!(least.max(1)),
            _ if !field.required => continue,
            Kind::Member => json!("demo-1"),
            Kind::Api => json!("Heartbeat"),
            Kind::Answer => json!(27),
            Kind::Code { codes } => json!(codes[0]),
            Kind::Word { words } => json!(words[0]),
            Kind::Text { .. } => json!("nowhere"),
        };
        fault[field.name] = value;
    }
    fault
}

fn takes_a_group(shape: &&Shape) -> bool {
    shape.fields.iter().any(|field| matches!(field.kind, Kind::Group))
}

#[tokio::test(start_paused = true)]
async fn every_played_fault_is_one_line_of_the_log_with_its_fields_and_a_refused_one_is_none() {
    for shape in SHAPES {
        let mut stage = Stage::with(2).await;
        let lines = Lines::default();
        let _taken = lines.take();
        stage
            .try_to_play(json!({"fault": "kill", "member": "nobody"}))
            .await
            .unwrap_err();
        assert_eq!(lines.played(), [""; 0]);
        if shape.name == "restart" {
            stage.coordinator.play(Fault::Stop).await.unwrap();
        }
        let fault = least(shape, "demo");
        let said = stage.play(fault.clone()).await;
        let [line] = &lines.played()[..] else {
            panic!("{fault}: {:?}", lines.played());
        };
        let (head, told) = line.split_once("fault_played ").unwrap();
        assert!(head.contains(" INFO "), "{line}");
        let told = told.strip_suffix(&format!(": {said}")).unwrap();
        let told: Value = serde_json::from_str(told).unwrap();
        for (field, value) in fault.as_object().unwrap() {
            assert_eq!(told[field], *value, "{field} of {line}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_break_in_an_id_does_not_break_the_line_of_the_log() {
    let mut stage = Stage::with(1).await;
    let group = GroupId::from("line\nbreak\u{1b}[2J");
    let visits = stage.members.visit([group.clone()], 1, Millis(60_000));
    visits.await.unwrap();
    stage
        .next(json!({"kind": "group_found", "group": group.as_str()}))
        .await;
    let lines = Lines::default();
    let _taken = lines.take();
    stage
        .try_to_play(json!({"fault": "forbid", "group": group.as_str()}))
        .await
        .unwrap();
    let [line] = &lines.played()[..] else {
        panic!("{:?}", lines.played());
    };
    assert!(!line.contains(char::is_control), "{line:?}");
    assert!(line.contains("is forbidden to everybody"), "{line}");
}

#[tokio::test(start_paused = true)]
async fn a_group_that_is_not_there_is_refused_by_every_fault_that_takes_one_and_is_not_made() {
    let stage = Stage::with(1).await;
    let shapes: Vec<&Shape> = SHAPES.iter().filter(takes_a_group).collect();
    assert!(shapes.len() >= 10, "{shapes:?}");
    for shape in shapes {
        let refused = stage.try_to_play(least(shape, "nobody's")).await;
        let why = "there is no group \"nobody's\" on this coordinator".to_owned();
        assert_eq!(refused, Err(Refused::Now(why)), "{}", shape.name);
        assert!(
            !stage.coordinator.has_group(&GroupId::from("nobody's")),
            "{}",
            shape.name
        );
    }
}

#[tokio::test(start_paused = true)]
async fn of_one_the_singular_is_said_and_of_more_the_plural() {
    for (fault, one, two) in [
        (
            json!({"fault": "drop", "api": "Heartbeat"}),
            "the next Heartbeat answer to any member is never",
            "the next 2 Heartbeat answers to any member are never",
        ),
        (
            json!({"fault": "throttle", "ms": 1}),
            "the next answer to any member is",
            "the next 2 answers to any member are",
        ),
        (
            json!({"fault": "join_without_sync", "member": "demo-1"}),
            "its next SyncGroup, and",
            "its next 2 SyncGroups, and",
        ),
        (
            json!({"fault": "fail_storage", "group": "demo"}),
            "the next record of demo",
            "the next 2 records of demo",
        ),
        (
            json!({"fault": "rejoin", "member": "demo-1"}),
            "joins again 1 time,",
            "joins again 2 times,",
        ),
        (
            json!({"fault": "full"}),
            "at most 1 member,",
            "at most 2 members,",
        ),
        (
            json!({"fault": "unused_id", "group": "demo"}),
            "1 member id of demo was",
            "2 member ids of demo were",
        ),
        (
            json!({"fault": "groups"}),
            "1 member joins the group demo-0001 and",
            "2 members join 2 groups, demo-0001",
        ),
    ] {
        let shape = SHAPES.iter().find(|shape| fault["fault"] == shape.name).unwrap();
        let counted = ["times", "count", "max"]
            .into_iter()
            .find(|name| shape.fields.iter().any(|field| field.name == *name))
            .unwrap();
        for (count, words) in [(1, one), (2, two)] {
            let stage = Stage::with(1).await;
            let mut fault = fault.clone();
            fault[counted] = json!(count);
            let said = stage.try_to_play(fault).await.unwrap();
            assert!(said.contains(words), "{said}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_shows_later_says_when_and_one_of_an_address_which() {
    let stage = Stage::with(1).await;
    for (fault, words) in [
        (
            json!({"fault": "fail_storage", "group": "demo"}),
            "writes one at the end of each rebalance and at each commit",
        ),
        (
            json!({"fault": "advertise", "host": "nowhere", "port": 7}),
            "names nowhere:7 as its own address",
        ),
        (
            json!({"fault": "advertise", "host": "nowhere"}),
            "names nowhere as its own host",
        ),
        (
            json!({"fault": "advertise", "port": 7}),
            "names 7 as its own port",
        ),
    ] {
        let said = stage.try_to_play(fault).await.unwrap();
        assert!(said.contains(words), "{said}");
    }
}
