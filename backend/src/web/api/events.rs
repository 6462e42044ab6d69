//! `GET /api/events`: the kept history, oldest first, filtered, in pages.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use shared::event::Change;

use super::super::Web;
use super::super::answer::{Encoded, offload};
use super::super::error::ApiError;
use super::super::query::Parameters;
use crate::hub::{Numbered, Page};
use crate::limits;

/// `GET /api/events[?after=SEQ&group=&member=&kind=&limit=]`; `group`, `member` and `kind` may repeat.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    query: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = query.only(&["after", "group", "member", "kind", "limit"])?;
    let wanted = Wanted::read(&query)?;
    let limit = query.limit(limits::EVENTS_DEFAULT, limits::EVENTS_MAX)?;
    let after = query.read("after", "an event's number")?;
    let found = Found::search(&web, &wanted, after, limit).await?;
    let stream = web.site.hub.stream().to_owned();
    let encoded = offload(move || Ok(Encoded::new(found.encode(&stream).into_bytes())));
    Ok(encoded.await?.response(&headers))
}

/// What was found of the history.
struct Found {
    events: Vec<Arc<Numbered>>,
    /// The following `after`; none at the end.
    next: Option<u64>,
    /// How far the history reaches.
    reach: Page,
}

impl Found {
    /// Reads the history a page at a time, so that the hub is never held up for long: from `after` on, or from where memory
    /// reaches back to. What takes long to search is searched in parts.
    async fn search(web: &Web, wanted: &Wanted, after: Option<u64>, limit: usize) -> Result<Self, ApiError> {
        let mut events = Vec::new();
        let (mut from, mut searched) = (after.unwrap_or(0), 0);
        loop {
            let page = match after {
                Some(_) => web.site.hub.kept_events(from, limits::HISTORY_PAGE).await,
                None => web.site.hub.events(from, limits::HISTORY_PAGE).await,
            };
            let mut reach = page.ok_or_else(ApiError::shutting_down)?;
            let page = std::mem::take(&mut reach.events);
            let Some(last) = page.last().map(|event| event.event.seq) else {
                let next = None;
                return Ok(Self { events, next, reach });
            };
            searched += page.len();
            for event in page.into_iter().filter(|event| wanted.has(event)) {
                from = event.event.seq;
                events.push(event);
                if events.len() == limit {
                    let next = (from < reach.seq).then_some(from);
                    return Ok(Self { events, next, reach });
                }
            }
            from = last;
            if searched >= limits::EVENTS_SEARCHED {
                let next = Some(from);
                return Ok(Self { events, next, reach });
            }
        }
    }

    fn encode(&self, stream: &str) -> String {
        let length: usize = self.events.iter().map(|event| event.json().len() + 1).sum();
        let mut body = String::with_capacity(length + 200);
        // The stream's id is a UUID: nothing in it needs escaping. Writing to a string does not fail.
        let _always = write!(
            body,
            r#"{{"stream":"{stream}","seq":{},"whole_above":{},"every_beat_above":{},"events":["#,
            self.reach.seq, self.reach.whole_above, self.reach.every_beat_above
        );
        for (index, event) in self.events.iter().enumerate() {
            if index > 0 {
                body.push(',');
            }
            body.push_str(event.json());
        }
        let _always = match self.next {
            Some(next) => write!(body, r#"],"next":{next}}}"#),
            None => write!(body, r#"],"next":null}}"#),
        };
        body
    }
}

/// What an event must be to be shown; an empty list allows all.
struct Wanted {
    groups: Vec<String>,
    members: Vec<String>,
    kinds: Vec<String>,
}

impl Wanted {
    fn read(query: &Parameters) -> Result<Self, ApiError> {
        let values = |name| -> Result<Vec<String>, ApiError> {
            Ok(query.many(name)?.into_iter().map(str::to_owned).collect())
        };
        let wanted = Self {
            groups: values("group")?,
            members: values("member")?,
            kinds: values("kind")?,
        };
        let known = |kind: &&String| !Change::KINDS.contains(&kind.as_str());
        match wanted.kinds.iter().find(known) {
            Some(kind) => Err(ApiError::bad_request(format!(
                "unknown event kind {kind:?}; allowed: {}",
                Change::KINDS.join(", ")
            ))),
            None => Ok(wanted),
        }
    }

    fn has(&self, numbered: &Numbered) -> bool {
        let among = |wanted: &[String], value: &str| wanted.iter().any(|want| want == value);
        let kind = numbered.event.what.change.kind();
        (self.kinds.is_empty() || among(&self.kinds, kind))
            && (self.groups.is_empty() || numbered.is_of_group(|group| among(&self.groups, group)))
            && (self.members.is_empty() || numbered.is_of_member(|member| among(&self.members, member)))
    }
}
