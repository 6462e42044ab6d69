//! What concerns a whole cluster: whether it is reached, and which rights are missing to see all of it.

use shared::board::{Board, NotFound};
use yew::prelude::*;

use super::story;
use super::tone::Tone;
use super::words::{count, leaderless, spelled};

/// What must be known before anything below is read: that the cluster is not reached any more, and the rights that are missing,
/// each with what is not visible without it.
pub fn notices(board: &Board) -> Html {
    // Without a group it stands in their place.
    let lost = board.not_found.as_ref().filter(|_| board.groups().len() > 0);
    let lost = lost.map(|not_found| {
        html! {
            <div class="notice" data-tone={Tone::Bad.name()} data-testid="unreached">
                <span aria-hidden="true">{ "⚠" }</span><p>{ unreached(not_found, true) }</p>
            </div>
        }
    });
    let led_by_none = board.logs.iter().filter(|log| log.leaderless.leaderless > 0);
    let led_by_none = led_by_none.map(|log| ("leaderless", leaderless(log.leaderless)));
    let missing = missing(board)
        .into_iter()
        .map(|sentence| ("missing-right", sentence));
    let rows = led_by_none.chain(missing).map(|(what, sentence)| {
        html! {
            <div class="notice" data-tone={Tone::Late.name()} data-testid={what}>
                <span aria-hidden="true">{ "⚠" }</span><p>{ sentence }</p>
            </div>
        }
    });
    html! { <>{ lost }{ for rows }</> }
}

/// The rights that are missing, a sentence each; those on topics together in one, with the topics named.
fn missing(board: &Board) -> Vec<String> {
    let mut sentences = Vec::new();
    let (mut topics, mut error) = (Vec::new(), 0);
    for row in &board.refusals {
        let right = &row.refusal;
        match topic_of(&right.right) {
            Some(topic) => {
                topics.push(spelled(topic));
                error = right.error;
            }
            None => sentences.push(format!(
                "Missing (answered {}): {}.",
                right.error,
                spelled(&right.right)
            )),
        }
    }
    if !topics.is_empty() {
        // The number of those that are not named is no name: it stands last.
        topics.sort_by_key(|topic| (topic.ends_with(MORE), topic.clone()));
        let (word, last) = (if topics.len() == 1 { "topic" } else { "topics" }, topics.pop());
        let last = last.unwrap_or_default();
        let named = if topics.is_empty() {
            last
        } else {
            format!("{} and {last}", topics.join(", "))
        };
        sentences.push(format!(
            "Missing (answered {error}): DESCRIBE on {word} {named}: how far groups have read, and how much is left, is not visible."
        ));
    }
    sentences
}

/// What stands behind the number of topics that are not named.
const MORE: &str = " more";

/// The topic that a right is on, or how many more; none where it is on something else.
fn topic_of(right: &str) -> Option<&str> {
    let (on, _) = right
        .strip_prefix("DESCRIBE on ")?
        .split_once(": how far groups have read")?;
    on.strip_prefix("topic ").or_else(|| on.strip_suffix(" topics"))
}

/// Why there is no group, as far as that is known.
pub fn why_no_group(board: &Board) -> Option<String> {
    let mut answering = board
        .coordinators()
        .filter(|row| row.silent.is_none() && row.dead.is_none());
    if let Some(not_found) = &board.not_found {
        return Some(unreached(not_found, board.coordinators().len() > 0));
    }
    let cluster = answering.next()?.cluster.as_str();
    let brokers = count(answering.count() as u64 + 1, "broker", "brokers");
    Some(format!(
        "The cluster {} has no group that is listed: {brokers} of it answered.",
        spelled(cluster)
    ))
}

fn unreached(not_found: &NotFound, known: bool) -> String {
    let when = if known { "any more" } else { "yet" };
    let why = story::because(not_found.error, not_found.cause, not_found.detail.as_deref());
    format!("The cluster is not reached {when}{why}. Heartline goes on trying.")
}
