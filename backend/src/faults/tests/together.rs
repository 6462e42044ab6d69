//! All of them, one after the other and at once.

use shared::fault::{Kind, SHAPES};

use super::*;

/// A fault by its shape, aimed at the group and its first member, with the shortest times.
fn by_shape(shape: &shared::fault::Shape) -> Value {
    let mut fault = json!({"fault": shape.name});
    for field in shape.fields {
        let value = match field.kind {
            Kind::Member if field.required => json!("demo-1"),
            Kind::Group => json!("demo"),
            Kind::Api => json!("Heartbeat"),
            Kind::Answer => json!("NOT_COORDINATOR"),
            Kind::Code { codes } => json!(codes.last()),
            Kind::Number { least, .. } if field.name == "ms" => json!(least.max(1_000)),
            Kind::Number { least, .. } => json!(least.max(1)),
            Kind::Word { words } => json!(words.last()),
            Kind::Member | Kind::Text { .. } => continue,
        };
        fault[field.name] = value;
    }
    fault
}

#[tokio::test(start_paused = true)]
async fn every_fault_on_the_list_can_be_played_and_names_itself() {
    for shape in SHAPES {
        let mut stage = Stage::with(2).await;
        stage.play(by_shape(shape)).await;
        stage.pass(5).await;
        stage.try_to_play(json!({"fault": "calm"})).await.unwrap();
        let left = if matches!(shape.name, "kill" | "leave") {
            1
        } else {
            2
        };
        stage.all_beat(left).await;
    }
}

#[tokio::test(start_paused = true)]
async fn all_at_once_break_nothing_that_does_not_mend() {
    let mut stage = Stage::with(5).await;
    for round in 0..3 {
        for shape in SHAPES.iter().filter(|shape| shape.name != "calm") {
            // Many are refused, since others are in force; none may harm the server.
            let _played_or_refused = stage.try_to_play(by_shape(shape)).await;
        }
        stage.pass(20).await;
        stage.forget();
        stage.try_to_play(json!({"fault": "calm"})).await.unwrap();
        assert!(stage.all_beat(2).await > round);
        stage
            .try_to_play(json!({"fault": "add", "count": 3}))
            .await
            .unwrap();
    }
    stage.pass(600).await;
    stage.all_beat(8).await;
}
