//! `GET /api/board`: the whole board, now (encoded once per seq, however many ask) or as it was.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Serialize;
use shared::board::Board;
use shared::time::UnixMs;
use tokio::sync::Mutex;

use super::super::Web;
use super::super::answer::{Encoded, offload};
use super::super::error::ApiError;
use super::super::query::Parameters;
use crate::hub::Snapshot;
use crate::{journal, lean};

/// The present board's last encoding.
#[derive(Debug, Default)]
pub(in crate::web) struct Present(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    seq: u64,
    now: UnixMs,
    encoded: Encoded,
}

/// `now` in an answer may be this old where nothing has happened since.
const NOW_MS: u64 = 1_000;

#[derive(Serialize)]
struct Answer<'a> {
    stream: &'a str,
    seq: u64,
    now: UnixMs,
    /// From when on boards are kept; where the present is asked for, that is not looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<UnixMs>,
    board: &'a Board,
}

/// `GET /api/board[?at=UNIX_MS]`.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    query: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = query.only(&["at"])?;
    let at = query.read("at", "a time in Unix milliseconds")?.map(UnixMs);
    let encoded = match at {
        Some(at) if at < web.site.clock.now_unix() => past(&web, at).await?,
        // The future is not known; the present is what is known of it.
        _ => present(&web).await?,
    };
    Ok(encoded.response(&headers))
}

/// The present board, from the last encoding where that is as new as this request.
async fn present(web: &Web) -> Result<Encoded, ApiError> {
    let seq = web.site.hub.seq().await.ok_or_else(ApiError::shutting_down)?;
    // Who waits here while another encodes is answered by what it encoded, which is newer than the question.
    let mut kept = web.present.0.lock().await;
    let now = web.site.clock.now_unix();
    if let Some(kept) = kept.as_ref()
        && kept.seq >= seq
        && now.since(kept.now).0 < NOW_MS
    {
        return Ok(kept.encoded.clone());
    }
    let snapshot = web.snapshot().await?;
    let seq = snapshot.seq;
    let stream = web.site.hub.stream().to_owned();
    let encoded = offload(move || encode(&stream, &snapshot, now, None)).await?;
    *kept = Some(Kept {
        seq,
        now,
        encoded: encoded.clone(),
    });
    Ok(encoded)
}

/// The board as it was at `at`; its `now` is that moment, or the last one before that at which anybody looked.
async fn past(web: &Web, at: UnixMs) -> Result<Encoded, ApiError> {
    let at = looked_at(&web.snapshot().await?.board, at);
    let past = web.site.hub.past(at).await.ok_or_else(ApiError::shutting_down)?;
    let past = past.map_err(|too_old| {
        let message = format!(
            "at={} is older than all that is kept; the oldest moment is {}",
            at.0, too_old.oldest.0
        );
        ApiError::new(StatusCode::GONE, "too_old", message)
    })?;
    // Nothing is as old as that: the answer is how old what is kept is.
    let all = web
        .site
        .hub
        .past(UnixMs(0))
        .await
        .ok_or_else(ApiError::shutting_down)?;
    let oldest = all.err().map(|too_old| too_old.oldest);
    let stream = web.site.hub.stream().to_owned();
    let folded = move || past.fold().map_err(|error| ApiError::internal(&error));
    offload(move || encode(&stream, &folded()?, at, oldest)).await
}

/// The moment itself; where Heartline was not running then, when it ended: what came after that would be told as silence.
fn looked_at(board: &Board, at: UnixMs) -> UnixMs {
    let unseen = board
        .gaps
        .iter()
        .find(|gap| gap.what == journal::WHATEVER && gap.from < at && at < gap.to);
    unseen.map_or(at, |gap| gap.from)
}

fn encode(
    stream: &str,
    snapshot: &Snapshot,
    now: UnixMs,
    oldest: Option<UnixMs>,
) -> Result<Encoded, ApiError> {
    let answer = Answer {
        stream,
        seq: snapshot.seq,
        now,
        oldest,
        board: &snapshot.board,
    };
    let json = lean::to_vec(&answer).map_err(|error| ApiError::internal(&error))?;
    Ok(Encoded::new(json))
}
