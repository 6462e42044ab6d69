//! `GET /api/group`: one group with its members, departed members, rebalances and verdicts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;
use shared::board::{Board, Departed, Group, GroupKey, Progress, Rebalance};
use shared::health::{Finding, verdicts};
use shared::ids::{ClusterId, GroupId};
use shared::time::UnixMs;

use super::super::Web;
use super::super::answer::{Encoded, json};
use super::super::error::{ApiError, quoted};
use super::super::query::Parameters;
use super::row::{GroupRow, MemberRow};

#[derive(Serialize)]
struct Answer<'a> {
    stream: &'a str,
    seq: u64,
    now: UnixMs,
    group: GroupRow<'a>,
    members: Vec<MemberRow<'a>>,
    /// Newest first.
    departed: Vec<&'a Departed>,
    /// How far it has read, by topic and partition: those with most left to read first at the time they were told.
    progress: &'a [Progress],
    /// The one that runs.
    rebalance: Option<&'a Rebalance>,
    /// Finished ones, newest first.
    rebalances: Vec<&'a Rebalance>,
    /// All that is to be said of it, the worst first.
    verdicts: Vec<Finding>,
}

/// `GET /api/group?group=ID[&cluster=ID]`.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    query: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = query.only(&["group", "cluster"])?;
    let group = query
        .one("group")?
        .ok_or_else(|| ApiError::bad_request("group=ID is needed; \"\" is an id too"))?;
    let cluster = query.one("cluster")?;
    let snapshot = web.snapshot().await?;
    let group = find(&snapshot.board, &group.into(), cluster)?;
    let now = web.site.clock.now_unix();
    let verdicts = verdicts(&snapshot.board, group, now);
    let Some(worst) = verdicts.first().cloned() else {
        return Err(not_found(&quoted(group.key.group.as_str())));
    };
    let answer = Answer {
        stream: web.site.hub.stream(),
        seq: snapshot.seq,
        now,
        group: GroupRow::of(group, worst),
        members: group
            .members
            .values()
            .map(|member| MemberRow::of(group, member, now))
            .collect(),
        departed: group.departed.iter().map(|gone| &**gone).collect(),
        progress: &group.progress,
        rebalance: group.open.as_deref(),
        rebalances: group.rebalances.iter().map(|rebalance| &**rebalance).collect(),
        verdicts,
    };
    Ok(json(&answer).map(Encoded::new)?.response(&headers))
}

/// The group of this id, in the cluster asked for or in the only one that has it.
pub(super) fn find<'a>(
    board: &'a Board,
    group: &GroupId,
    cluster: Option<&str>,
) -> Result<&'a Group, ApiError> {
    if let Some(cluster) = cluster {
        let key = GroupKey::new(&ClusterId::from(cluster), group);
        let found = board.group(&key).map(|group| &**group);
        return found.ok_or_else(|| {
            not_found(&format!(
                "{} in the cluster {}",
                quoted(group.as_str()),
                quoted(cluster)
            ))
        });
    }
    let clipped = GroupKey::new(&ClusterId::default(), group).group;
    let mut found = board.groups().filter(|row| row.key.group == clipped);
    match (found.next(), found.next()) {
        (Some(group), None) => Ok(group),
        (None, _) => Err(not_found(&quoted(group.as_str()))),
        (Some(one), Some(other)) => Err(ApiError::bad_request(format!(
            "the group {} is in more than one cluster: add cluster={} or cluster={}",
            quoted(group.as_str()),
            one.key.cluster,
            other.key.cluster
        ))),
    }
}

fn not_found(which: &str) -> ApiError {
    let message = format!("there is no group {which}; /api/groups lists those there are");
    ApiError::new(StatusCode::NOT_FOUND, "no_such_group", message)
}
