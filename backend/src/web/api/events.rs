//! `GET /api/events`: the kept history, oldest first, filtered, in pages; or as a file (`export`).

mod export;

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LINK};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use shared::event::{Change, Evidence, Observation};
use shared::ids::MemberId;
use shared::sorted::SortedMap;

use self::export::Format;

use super::super::Web;
use super::super::answer::{Encoded, offload};
use super::super::error::{ApiError, quoted};
use super::super::query::Parameters;
use crate::hub::{Numbered, Page};
use crate::limits;

/// `GET /api/events[?after=SEQ&group=&member=&kind=&host=&evidence=&limit=&format=]`; `group`, `member`, `kind` and `host` may
/// repeat.
pub(in crate::web) async fn get(
    State(web): State<Arc<Web>>,
    uri: Uri,
    query: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let query = query.only(&[
        "after", "group", "member", "kind", "host", "evidence", "limit", "format",
    ])?;
    let wanted = Wanted::read(&web, &query).await?;
    let format = match query.one("format")? {
        None => Format::Json,
        Some(name) => Format::named(name).ok_or_else(|| {
            ApiError::bad_request(format!("format={}: json, jsonl or csv is allowed", quoted(name)))
        })?,
    };
    let limit = query.limit(limits::EVENTS_DEFAULT, limits::EVENTS_MAX)?;
    let after = query.read("after", "an event's number")?;
    let found = Found::search(&web, &wanted, after, limit).await?;
    let stream = web.site.hub.stream().to_owned();
    let next = found.next;
    let encode = move || {
        let body = match format {
            Format::Json => found.encode(&stream),
            Format::Lines => export::lines(&found.events),
            Format::Csv => export::csv(&found.events).map_err(|error| ApiError::internal(&error))?,
        };
        Ok(Encoded::new(body.into_bytes()))
    };
    let mut response = offload(encode).await?.response(&headers);
    if let Some((media_type, disposition)) = format.file() {
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(disposition));
        // A file has no place for it (RFC 8288).
        let link = next.map(|after| following(uri.query().unwrap_or_default(), after));
        if let Some(link) = link.and_then(|link| HeaderValue::try_from(link).ok()) {
            headers.insert(LINK, link);
        }
    }
    Ok(response)
}

/// The link to what follows: the same query from `after` on. A link of its own query alone would lose the filters.
fn following(query: &str, after: u64) -> String {
    let same = query.split('&').filter(|pair| !pair.starts_with("after="));
    let same: String = same.flat_map(|pair| [pair, "&"]).collect();
    format!("<?{same}after={after}>; rel=\"next\"")
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
    hosts: Vec<String>,
    /// The members that are, or were last, at one of those hosts.
    there: SortedMap<MemberId, ()>,
    evidence: Option<Evidence>,
}

impl Wanted {
    async fn read(web: &Web, query: &Parameters) -> Result<Self, ApiError> {
        let values = |name| -> Result<Vec<String>, ApiError> {
            Ok(query.many(name)?.into_iter().map(str::to_owned).collect())
        };
        let evidence = match query.one("evidence")? {
            None => None,
            Some("observed") => Some(Evidence::Observed),
            Some("inferred") => Some(Evidence::Inferred),
            Some(other) => {
                return Err(ApiError::bad_request(format!(
                    "evidence={}: observed or inferred is allowed",
                    quoted(other)
                )));
            }
        };
        let mut wanted = Self {
            groups: values("group")?,
            members: values("member")?,
            kinds: values("kind")?,
            hosts: values("host")?,
            there: SortedMap::new(),
            evidence,
        };
        if !wanted.hosts.is_empty() {
            let snapshot = web.site.hub.board().await;
            let board = snapshot.ok_or_else(ApiError::shutting_down)?.board;
            wanted.there = board.members_at(|host| wanted.hosts.iter().any(|wanted| wanted == host));
        }
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
            && (self.hosts.is_empty() || self.is_at_host(&numbered.event.what))
            && self
                .evidence
                .is_none_or(|wanted| wanted == numbered.event.what.evidence)
    }
    fn is_at_host(&self, what: &Observation) -> bool {
        let told = what
            .change
            .host()
            .is_some_and(|host| self.hosts.iter().any(|wanted| wanted == host));
        told || what
            .member
            .as_ref()
            .is_some_and(|member| self.there.contains_key(member))
    }
}
