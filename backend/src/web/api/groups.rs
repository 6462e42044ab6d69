//! `GET /api/groups`: all groups, filtered, in pages, by cluster and id.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use shared::board::{Board, Group, GroupKey};
use shared::event::{GroupState, GroupType};
use shared::health::{Round, Verdict};
use shared::ids::{ClusterId, GroupId};
use shared::time::UnixMs;
use shared::vocabulary::UnknownWord;

use super::super::Web;
use super::super::answer::{Encoded, json, offload};
use super::super::error::{ApiError, quoted};
use super::super::query::Parameters;
use super::row::GroupRow;
use crate::limits;

#[derive(Serialize)]
struct Answer<'a> {
    groups: Vec<GroupRow<'a>>,
    /// The following `after`; null at the end.
    next: Option<String>,
}

/// `GET /api/groups[?state=&type=&verdict=&q=&limit=&after=]`; `state`, `type` and `verdict` may repeat.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    query: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = query.only(&["state", "type", "verdict", "q", "limit", "after"])?;
    let wanted = Wanted::read(&query)?;
    let limit = query.limit(limits::GROUPS_DEFAULT, limits::GROUPS_MAX)?;
    let after = query.one("after")?.map(Place::read).transpose()?;
    let board = web.snapshot().await?.board;
    let now = web.site.clock.now_unix();
    let encoded = offload(move || {
        let answer = page(&board, &wanted, after.as_ref(), limit, now);
        json(&answer).map(Encoded::new)
    });
    Ok(encoded.await?.response(&headers))
}

fn page<'a>(
    board: &'a Board,
    wanted: &Wanted,
    after: Option<&GroupKey>,
    limit: usize,
    now: UnixMs,
) -> Answer<'a> {
    let round = Round::new(board, now);
    let mut groups = Vec::new();
    let mut last: Option<&GroupKey> = None;
    for group in board.groups() {
        if after.is_some_and(|after| group.key <= *after) || !wanted.has(group) {
            continue;
        }
        let row = GroupRow::of(group, round.verdict(group));
        if !wanted.verdicts.is_empty() && !wanted.verdicts.contains(&row.verdict) {
            continue;
        }
        if groups.len() == limit {
            let next = last.map(Place::write);
            return Answer { groups, next };
        }
        groups.push(row);
        last = Some(&group.key);
    }
    Answer { groups, next: None }
}

/// What a group must be to be listed; an empty list allows all.
#[derive(Debug)]
struct Wanted {
    states: Vec<String>,
    types: Vec<String>,
    verdicts: Vec<Verdict>,
    /// In lower case.
    text: Option<String>,
}

impl Wanted {
    fn read(query: &Parameters) -> Result<Self, ApiError> {
        let owned = |values: Vec<&str>| values.into_iter().map(str::to_owned).collect();
        let words = query.many("verdict")?;
        let verdicts: Result<_, UnknownWord> = words.into_iter().map(str::parse).collect();
        Ok(Self {
            states: owned(query.many("state")?),
            types: owned(query.many("type")?),
            verdicts: verdicts.map_err(|unknown| ApiError::bad_request(unknown.to_string()))?,
            text: query.one("q")?.map(str::to_lowercase),
        })
    }

    /// States and types are compared with Kafka's words, whatever their case; unknown ones occur, so none is wrong.
    fn has(&self, group: &Group) -> bool {
        let among = |wanted: &[String], word: Option<&str>| {
            wanted.is_empty()
                || word.is_some_and(|word| wanted.iter().any(|want| want.eq_ignore_ascii_case(word)))
        };
        let text = self.text.as_ref();
        among(&self.states, group.state.get().map(GroupState::as_str))
            && among(&self.types, group.group_type.get().map(GroupType::as_str))
            && text.is_none_or(|text| group.key.group.as_str().to_lowercase().contains(text))
    }
}

/// A group's place in the list as `after` says it: `CLUSTER/GROUP`, where `%` and `/` in a cluster's id are escaped.
struct Place;

impl Place {
    fn write(key: &GroupKey) -> String {
        let cluster = key.cluster.as_str().replace('%', "%25").replace('/', "%2F");
        format!("{cluster}/{}", key.group.as_str())
    }

    fn read(text: &str) -> Result<GroupKey, ApiError> {
        let Some((cluster, group)) = text.split_once('/') else {
            return Err(ApiError::bad_request(format!(
                "after={}: what an earlier answer called next is allowed",
                quoted(text)
            )));
        };
        let cluster = cluster.replace("%2F", "/").replace("%25", "%");
        Ok(GroupKey {
            cluster: ClusterId::from(cluster),
            group: GroupId::from(group),
        })
    }
}
