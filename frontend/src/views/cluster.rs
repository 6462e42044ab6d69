//! What concerns a whole cluster: whether it is reached, and which rights are missing to see all of it.

use shared::board::{Board, NotFound};
use yew::prelude::*;

use super::story;
use super::tone::Tone;
use super::words::{count, spelled};

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
    let rows = board.refusals.iter().map(|row| {
        let right = &row.refusal;
        html! {
            <div class="notice" data-tone={Tone::Late.name()} data-testid="missing-right">
                <span aria-hidden="true">{ "⚠" }</span>
                <p>{ format!("Missing (answered {}): {}.", right.error, spelled(&right.right)) }</p>
            </div>
        }
    });
    html! { <>{ lost }{ for rows }</> }
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
