//! What concerns a whole cluster: whether it is reached, and which rights are missing to see all of it.

use shared::board::{Board, NotFound};
use shared::time::UnixMs;
use shared::wire::Trouble;
use yew::prelude::*;

use super::story;
use super::tone::Tone;
use super::words::{LocalTime, count, leaderless, span, spelled};

/// What must be known before anything below is read: that the cluster is not reached any more, and the rights that are missing,
/// each with what is not visible without it.
pub fn notices(board: &Board, at: UnixMs) -> Html {
    // Without a group it stands in their place.
    let lost = board.not_found.as_ref().filter(|_| board.groups().len() > 0);
    let lost = lost.map(|not_found| notice(Tone::Bad, "unreached", unreached(not_found, true, at)));
    let led_by_none = board.logs.iter().filter(|log| log.leaderless.leaderless > 0);
    let led_by_none = led_by_none.map(|log| ("leaderless", leaderless(log.leaderless)));
    let missing = missing(board)
        .into_iter()
        .map(|sentence| ("missing-right", sentence));
    let rows = led_by_none.chain(missing);
    let rows = rows.map(|(what, sentence)| notice(Tone::Late, what, sentence));
    html! { <>{ lost }{ for rows }</> }
}

/// That the server's history is not on disk as it should be.
pub fn history(trouble: &Trouble, local: LocalTime) -> Html {
    let Trouble { since, what } = trouble;
    let since = [&local.date(*since), " ", &local.clock(*since)].concat();
    let sentence = format!(
        "Trouble with the history on disk since {since}: {}.",
        spelled(what)
    );
    notice(Tone::Late, "history-trouble", sentence)
}

fn notice(tone: Tone, testid: &'static str, sentence: String) -> Html {
    html! {
        <div class="notice" data-tone={tone.name()} data-testid={testid}>
            <span aria-hidden="true">{ "⚠" }</span><p>{ sentence }</p>
        </div>
    }
}

/// The rights that are missing, a sentence each; those on topics together in one, with the topics named.
fn missing(board: &Board) -> Vec<String> {
    let mut sentences = Vec::new();
    let (mut topics, mut more, mut error) = (Vec::new(), None, 0);
    for row in &board.refusals {
        let right = &row.refusal;
        match (&right.topic, right.unnamed) {
            (None, 0) => sentences.push(format!(
                "Missing (answered {}): {}.",
                right.error,
                spelled(&right.right)
            )),
            (topic, unnamed) => {
                error = right.error;
                topics.extend(topic.as_deref().map(spelled));
                more = more.or((unnamed > 0).then(|| format!("{unnamed} more")));
            }
        }
    }
    topics.sort();
    // The number of those that are not named is no name: it stands last.
    topics.extend(more);
    if !topics.is_empty() {
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

/// Why there is no group, as far as that is known.
pub fn why_no_group(board: &Board, at: UnixMs) -> Option<String> {
    let mut answering = board
        .coordinators()
        .filter(|row| row.silent.is_none() && row.dead.is_none());
    if let Some(not_found) = &board.not_found {
        return Some(unreached(not_found, board.coordinators().len() > 0, at));
    }
    let cluster = answering.next()?.cluster.as_str();
    let brokers = count(answering.count() as u64 + 1, "broker", "brokers");
    Some(format!(
        "The cluster {} has no group that is listed: {brokers} of it answered.",
        spelled(cluster)
    ))
}

fn unreached(not_found: &NotFound, known: bool, at: UnixMs) -> String {
    let when = if known { "any more" } else { "yet" };
    let length = span(at.since(not_found.at));
    // Each broker that was asked, and how that failed.
    let why = match &not_found.detail {
        Some(detail) => format!(": {}", spelled(detail)),
        None => story::because(not_found.error, not_found.cause, None),
    };
    format!("The cluster is not reached {when}, for {length} now{why}. Heartline goes on trying.")
}
