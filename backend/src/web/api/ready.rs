//! `GET /readyz`: whether the coordinator answers, from what our own members were last answered.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use shared::board::{Board, Group, GroupKey, NotFound};
use shared::error_code;
use shared::event::LinkFault;
use shared::fault::Fault;
use shared::health::words::{ago, span};
use shared::health::{Verdict, verdicts};
use shared::ids::GroupId;
use shared::time::{Millis, UnixMs};

use super::super::Web;
use super::super::error::ApiError;
use crate::limits;
use crate::probe::KeptOut;

/// How it can be known whether the coordinator answers.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// By the answers to our own members in this group; one that is older than `patience` is none. They may be kept out of it.
    Members {
        group: GroupId,
        patience: Millis,
        kept_out: KeptOut,
    },
    /// There are none, and the coordinator is our own: it answers unless it was stopped.
    Embedded,
    /// There are none, and the cluster is only looked at: by whether a broker of it answers that, and about a group.
    Survey,
}

/// The reason while no member of ours was ever answered.
const NO_ANSWER_YET: &str = "no_answer_yet";

/// The reason while a broker does not believe who we are.
const NOT_AUTHENTICATED: &str = "not_authenticated";

/// The reason once the last answer is too old.
const NO_RECENT_ANSWER: &str = "no_recent_answer";

/// The reason where the group our members were to form is one of others.
const PROBE_GROUP_IN_USE: &str = "probe_group_in_use";

/// `GET /readyz`.
pub(in crate::web) async fn get(State(web): State<Arc<Web>>) -> Result<Response, ApiError> {
    let board = web.snapshot().await?.board;
    match judge(&web.site.readiness, &board, web.site.clock.now_unix()) {
        Ok(()) => Ok("ok\n".into_response()),
        Err((code, message)) => Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, message)),
    }
}

fn judge(readiness: &Readiness, board: &Board, now: UnixMs) -> Result<(), (&'static str, String)> {
    match readiness {
        Readiness::Members {
            group,
            patience,
            kept_out,
        } => {
            if let Some(why) = kept_out.why() {
                return Err((PROBE_GROUP_IN_USE, why));
            }
            let rows = board
                .groups()
                .filter(|row| row.key == GroupKey::new(&row.key.cluster, group));
            let row = rows.max_by_key(|row| last_answer(row));
            let row = row.map(|row| &**row);
            answered(board, row, *patience, now).map_err(|(code, message)| match why_unanswered(row, board) {
                Some(why) if code == NO_ANSWER_YET => {
                    let failed = row.and_then(|row| row.not_found.as_deref());
                    (
                        named(code, failed.or(board.not_found.as_ref())),
                        format!("{message}: {why}"),
                    )
                }
                _ => (code, message),
            })
        }
        Readiness::Embedded => match board.faults.iter().find(|played| is_switch(&played.fault)) {
            Some(played) if played.fault == Fault::Stop => {
                let since = ago(now.since(played.at));
                Err((
                    "coordinator_stopped",
                    format!("the fault stop was played {since}"),
                ))
            }
            _ => Ok(()),
        },
        Readiness::Survey => surveyed(board),
    }
}

/// Whether a broker of the cluster answers, where no member of ours asks a coordinator; and one of them about its groups, if there are
/// some.
fn surveyed(board: &Board) -> Result<(), (&'static str, String)> {
    let failed = board.not_found.as_ref();
    let mut untold = board
        .groups()
        .map(|group| group.coordinator.as_ref()?.unanswered.as_deref());
    if let Some(Some(first)) = untold.next()
        && untold.all(|untold| untold.is_some())
    {
        let code = first.error.map(error_code::label);
        let code = code.map_or_else(String::new, |code| format!(": the first was answered {code}"));
        let message = format!("brokers of the cluster answer, but about none of its groups{code}");
        return Err((NO_RECENT_ANSWER, message));
    }
    if failed.is_none() && board.coordinators().any(|row| row.silent.is_none()) {
        return Ok(());
    }
    let (code, message) = if board.coordinators().len() == 0 {
        (NO_ANSWER_YET, "no broker of the cluster has answered yet")
    } else {
        (NO_RECENT_ANSWER, "no broker of the cluster answers any more")
    };
    let why = failed
        .and_then(why)
        .map_or_else(String::new, |why| format!(": {why}"));
    Err((named(code, failed), format!("{message}{why}")))
}

/// The reason, unless what failed last has one of its own: waiting does not help where a password is wrong.
fn named(code: &'static str, failed: Option<&NotFound>) -> &'static str {
    let authentication = failed.is_some_and(|failed| failed.cause == Some(LinkFault::Authentication));
    if authentication { NOT_AUTHENTICATED } else { code }
}

fn answered(
    board: &Board,
    group: Option<&Group>,
    patience: Millis,
    now: UnixMs,
) -> Result<(), (&'static str, String)> {
    if let Some(refused) = group.and_then(Group::refusal) {
        let message = format!(
            "{} is missing (answered {}); our members try again by themselves, within {} of the last time",
            refused.right,
            error_code::label(refused.error),
            span(limits::REPLACEMENT_MAX)
        );
        return Err(("not_authorized", message));
    }
    let Some((group, last)) = group.and_then(|group| Some((group, last_answer(group)?))) else {
        return Err((
            NO_ANSWER_YET,
            "the coordinator has not answered a member of ours yet".to_owned(),
        ));
    };
    if group.death().is_some() {
        let found = verdicts(board, group, now);
        let gone = found
            .into_iter()
            .find(|finding| finding.verdict == Verdict::CoordinatorGone);
        let sentence = gone.map_or_else(
            || "the coordinator is taken for dead".to_owned(),
            |gone| gone.sentence,
        );
        return Err(("coordinator_gone", sentence));
    }
    let age = now.since(last);
    if age > patience {
        let (age, patience) = (span(age), span(patience));
        let message = format!("the coordinator's last answer is {age} old; ready means at most {patience}");
        return Err((NO_RECENT_ANSWER, message));
    }
    Ok(())
}

/// What failed last on the way to the first answer: the link's own words where there are some.
fn why_unanswered(group: Option<&Group>, board: &Board) -> Option<String> {
    if let Some(death) = group.and_then(Group::death) {
        return death.detail.clone();
    }
    let not_found = group.and_then(|group| group.not_found.as_deref());
    why(not_found.or(board.not_found.as_ref())?)
}

fn why(failed: &NotFound) -> Option<String> {
    let code = failed.error.map(error_code::label);
    let link = failed
        .detail
        .clone()
        .or_else(|| failed.cause.map(|cause| cause.to_string()));
    link.or_else(|| code.map(|code| format!("FindCoordinator was answered {code}")))
}

/// When the coordinator last answered a member of ours that is in the group: a heartbeat, whatever the answer, or a
/// join.
fn last_answer(group: &Group) -> Option<UnixMs> {
    let members = group.members.values().filter(|member| member.is_ours());
    let answers = members.flat_map(|member| {
        let heartbeat = member.last_answer.as_ref().map(|answer| answer.at);
        [heartbeat, member.last_renewed()]
    });
    answers.flatten().max()
}

const fn is_switch(fault: &Fault) -> bool {
    matches!(fault, Fault::Stop | Fault::Restart)
}
