//! The browser's edge: clock, chance, storage, history, requests. All that the page asks of `window` stands here.

use js_sys::{Date, Math};
use serde::de::DeserializeOwned;
use shared::backoff::Jitter;
use shared::time::Timestamp;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, EventTarget, RequestInit, Response, Window};
use yew::Callback;

use crate::model::Theme;
use crate::model::groups::Seen;

/// The key the chosen theme is stored under; `boot.js` reads it too.
const THEME_KEY: &str = "heartline.theme";

/// The key under which it is remembered that times are wanted in UTC.
const UTC_KEY: &str = "heartline.utc";

fn window() -> Option<Window> {
    web_sys::window()
}

/// The browser's monotonic clock.
#[must_use]
pub fn now() -> Timestamp {
    let ms = window()
        .and_then(|window| window.performance())
        .map_or(0.0, |clock| clock.now());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "microseconds since the page was opened: positive, and far below 2^53"
    )]
    let micros = (ms * 1000.0) as u64;
    Timestamp(micros)
}

/// Minutes that local time is ahead of UTC at a moment.
#[must_use]
pub fn minutes_ahead_of_utc() -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "at most a day's minutes")]
    let behind = Date::new_0().get_timezone_offset() as i32;
    -behind
}

/// Jitter of this page's own, so that a server that comes back is not asked by all pages at once.
#[must_use]
pub fn jitter() -> Jitter {
    // The bits of a number in [0, 1): a seed, not a secret.
    Jitter::Seeded(Math::random().to_bits())
}

/// Where the server's WebSocket is: the host the page came from.
#[must_use]
pub fn socket_url() -> String {
    let location = window().map(|window| window.location());
    let of = |part: fn(&web_sys::Location) -> Result<String, JsValue>| {
        location
            .as_ref()
            .and_then(|location| part(location).ok())
            .unwrap_or_default()
    };
    let scheme = if of(web_sys::Location::protocol) == "https:" {
        "wss"
    } else {
        "ws"
    };
    format!("{scheme}://{}/ws", of(web_sys::Location::host))
}

/// The address bar's path and query.
#[must_use]
pub fn address() -> String {
    let whole = window().and_then(|window| {
        let location = window.location();
        Some([location.pathname().ok()?, location.search().ok()?].concat())
    });
    whole.unwrap_or_default()
}

/// Where the rows of a table are that match a selector, in the order of the page; none where there are none. Between the table's
/// top and them stands the room of those that are not drawn.
#[must_use]
pub fn rows_seen(selector: &str) -> Option<Seen> {
    let window = window()?;
    let rows = window.document()?.query_selector_all(selector).ok()?;
    let at = |place: u32| Some(rows.get(place)?.unchecked_into::<Element>());
    let (first, last) = (at(0)?, at(rows.length().checked_sub(1)?)?);
    let table = first.parent_element()?.get_bounding_client_rect();
    let drawn = last.get_bounding_client_rect().bottom() - first.get_bounding_client_rect().top();
    let pixels = |length: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast saturates, and less than nothing is nothing"
        )]
        let pixels = length as u32;
        pixels
    };
    let length = |told: Result<JsValue, JsValue>| pixels(told.ok().and_then(|it| it.as_f64()).unwrap_or(0.0));
    Some(Seen {
        above: pixels(-table.top()),
        height: length(window.inner_height()),
        width: length(window.inner_width()),
        rows: pixels(drawn),
        drawn: rows.length(),
    })
}

/// Puts an address into the address bar: a new entry of the history, or in place of the current one.
pub fn show_address(href: &str, new_entry: bool) {
    let Some(history) = window().and_then(|window| window.history().ok()) else {
        return;
    };
    let _refused_when_too_frequent = if new_entry {
        history.push_state_with_url(&JsValue::NULL, "", Some(href))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(href))
    };
}

/// Shows the top of the page, as the browser does where a link loads another one.
pub fn scroll_to_top() {
    if let Some(window) = window() {
        window.scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// Names the tab.
pub fn set_title(title: &str) {
    if let Some(document) = window().and_then(|window| window.document()) {
        document.set_title(title);
    }
}

fn storage() -> Option<web_sys::Storage> {
    window().and_then(|window| window.local_storage().ok().flatten())
}

fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Remembers a word, or forgets it; where storage is forbidden the choice holds until the page is left.
fn remember(key: &str, word: Option<&str>) {
    let Some(storage) = storage() else { return };
    let _may_be_full = match word {
        Some(word) => storage.set_item(key, word),
        None => storage.remove_item(key),
    };
}

/// The theme that was chosen here before.
#[must_use]
pub fn stored_theme() -> Theme {
    Theme::parse(stored(THEME_KEY).as_deref())
}

/// Shows a theme and remembers it.
pub fn set_theme(theme: Theme) {
    let document = window().and_then(|window| window.document());
    if let Some(root) = document.and_then(|document| document.document_element()) {
        let _allowed = match theme.attribute() {
            Some(name) => root.set_attribute("data-theme", name),
            None => root.remove_attribute("data-theme"),
        };
    }
    remember(THEME_KEY, theme.attribute());
}

/// Whether times were wanted in UTC here before.
#[must_use]
pub fn stored_utc() -> bool {
    stored(UTC_KEY).is_some()
}

/// Remembers whether times are wanted in UTC.
pub fn remember_utc(utc: bool) {
    remember(UTC_KEY, utc.then_some("utc"));
}

/// Listens to an event; dropping it ends the listening.
#[derive(Debug)]
pub struct Listener {
    target: EventTarget,
    event: &'static str,
    heard: Closure<dyn FnMut(Event)>,
}

/// Listens to an event of the window.
#[must_use]
pub fn listen(event: &'static str, report: &Callback<()>) -> Option<Listener> {
    let window = window()?;
    listen_to(&window, event, report.reform(|_event| ()))
}

/// Listens to an event of an element. Other than a listener of Yew's it may prevent what the browser does about it.
#[must_use]
pub fn listen_to(target: &EventTarget, event: &'static str, report: Callback<Event>) -> Option<Listener> {
    let heard = Closure::<dyn FnMut(Event)>::new(move |event| report.emit(event));
    target
        .add_event_listener_with_callback(event, heard.as_ref().unchecked_ref())
        .ok()?;
    Some(Listener {
        target: target.clone(),
        event,
        heard,
    })
}

impl Drop for Listener {
    fn drop(&mut self) {
        let heard = self.heard.as_ref().unchecked_ref();
        let _gone_already = self.target.remove_event_listener_with_callback(self.event, heard);
    }
}

/// Asks for a call at the next animation frame; whether it was granted.
#[must_use]
pub fn on_next_frame(draw: &js_sys::Function) -> bool {
    window().is_some_and(|window| window.request_animation_frame(draw).is_ok())
}

/// Why a request brought nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The server answered with this status and sentence.
    Refused(u16, String),
    /// It did not answer, or not in JSON that this page understands.
    Failed(String),
}

impl RequestError {
    /// In words.
    #[must_use]
    pub fn said(self) -> String {
        match self {
            Self::Refused(_, sentence) => sentence,
            Self::Failed(why) => format!("no answer from the server ({why})"),
        }
    }
}

/// The server's own words for a refusal (docs/contract.md).
#[derive(shared::tree::FromNode)]
struct Refusal {
    message: String,
}

/// Asks for JSON.
///
/// # Errors
///
/// A status other than 2xx, no answer, or one that is not what was asked for.
pub async fn get<T: DeserializeOwned>(path: &str) -> Result<T, RequestError> {
    let init = RequestInit::new();
    init.set_method("GET");
    let text = request(path, &init).await?;
    serde_json::from_str(&text).map_err(|error| RequestError::Failed(format!("{path}: {error}")))
}

/// Sends JSON; what is answered.
///
/// # Errors
///
/// A status other than 2xx, or no answer.
pub async fn post(path: &str, body: &str) -> Result<String, RequestError> {
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&JsValue::from_str(body));
    let failed = |error: JsValue| RequestError::Failed(said(&error));
    let headers = web_sys::Headers::new().map_err(failed)?;
    headers.set("content-type", "application/json").map_err(failed)?;
    init.set_headers(&headers);
    request(path, &init).await
}

async fn request(path: &str, init: &RequestInit) -> Result<String, RequestError> {
    let failed = |error: JsValue| RequestError::Failed(said(&error));
    let window = window().ok_or_else(|| RequestError::Failed("no window".to_owned()))?;
    let response: Response = JsFuture::from(window.fetch_with_str_and_init(path, init))
        .await
        .map_err(failed)?
        .unchecked_into();
    let text = JsFuture::from(response.text().map_err(failed)?)
        .await
        .map_err(failed)?;
    let text = text.as_string().unwrap_or_default();
    if response.ok() {
        return Ok(text);
    }
    let sentence = serde_json::from_str::<Refusal>(&text).map_or(text, |refusal| refusal.message);
    Err(RequestError::Refused(response.status(), sentence))
}

/// A thrown JavaScript value in words.
fn said(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(
        || error.as_string().unwrap_or_else(|| "of no known kind".to_owned()),
        |error| String::from(error.message()),
    )
}
