//! The WebSocket to the server: the IO around [`link`]. It says what it hears and knows nothing of what it means.

pub mod link;

use gloo_timers::callback::Timeout;
use shared::time::Timestamp;
use shared::wire::{ClientMessage, ServerMessage};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, MessageEvent, WebSocket};
use yew::Callback;

use self::link::{Link, LinkCommand, LinkInput};
use crate::browser;
use crate::model::LinkState;

/// What a socket or a timer of the feed reports to the component that owns the feed.
#[derive(Debug)]
pub enum Signal {
    /// The socket of that number is open.
    Opened(u32),
    /// It brought a frame of text.
    Text(u32, String),
    /// It is closed.
    Closed(u32),
    /// The browser is back online.
    Online,
    /// The timer fired.
    Timer,
}

/// What the owner must know of a signal.
#[derive(Debug)]
pub enum Heard {
    /// A socket is open: say hello.
    Opened,
    /// The server said something.
    Said(ServerMessage),
    /// What came is not what this page understands; the socket was given up.
    Garbled(String),
}

/// One link to the server, with at most one socket and one timer.
#[derive(Debug)]
pub struct Feed {
    link: Link,
    report: Callback<Signal>,
    socket: Option<Socket>,
    sockets_made: u32,
    timer: Option<(Timestamp, Timeout)>,
}

impl Feed {
    /// Opens the link; signals go to `report`, whose owner hands them back to [`Self::handle`].
    #[must_use]
    pub fn open(report: Callback<Signal>) -> Self {
        let now = browser::now();
        let (link, command) = Link::new(now, browser::jitter());
        let mut feed = Self {
            link,
            report,
            socket: None,
            sockets_made: 0,
            timer: None,
        };
        feed.obey(now, command);
        feed.wind(now);
        feed
    }

    /// What the viewer is told of the link.
    #[must_use]
    pub const fn state(&self) -> LinkState {
        self.link.state()
    }

    /// Takes a signal; what comes of a socket already given up is not heard.
    pub fn handle(&mut self, signal: Signal) -> Option<Heard> {
        let now = browser::now();
        let heard = match signal {
            Signal::Opened(number) => self.is_current(number).then_some(Heard::Opened),
            Signal::Text(number, text) if self.is_current(number) => Some(self.read(now, &text)),
            Signal::Closed(number) if self.is_current(number) => {
                self.socket = None;
                self.tell(now, LinkInput::Closed);
                None
            }
            Signal::Text(..) | Signal::Closed(_) => None,
            Signal::Online => {
                self.tell(now, LinkInput::Online);
                None
            }
            Signal::Timer => {
                self.timer = None;
                self.tell(now, LinkInput::Timeout);
                None
            }
        };
        self.wind(now);
        heard
    }

    /// Says something to the server; what cannot be sent is lost with its socket, and hello follows on the next one.
    pub fn say(&self, message: &ClientMessage) {
        if let (Some(socket), Ok(text)) = (&self.socket, serde_json::to_string(message)) {
            let _lost_with_its_socket = socket.raw.send_with_str(&text);
        }
    }

    fn is_current(&self, number: u32) -> bool {
        self.socket.as_ref().is_some_and(|socket| socket.number == number)
    }

    fn read(&mut self, now: Timestamp, text: &str) -> Heard {
        match serde_json::from_str(text) {
            Ok(message) => {
                self.tell(now, LinkInput::Frame);
                Heard::Said(message)
            }
            Err(error) => {
                self.tell(now, LinkInput::Garbled);
                Heard::Garbled(error.to_string())
            }
        }
    }

    fn tell(&mut self, now: Timestamp, input: LinkInput) {
        if let Some(command) = self.link.handle(now, input) {
            self.obey(now, command);
        }
    }

    fn obey(&mut self, now: Timestamp, command: LinkCommand) {
        match command {
            LinkCommand::Close => self.socket = None,
            LinkCommand::Open => {
                self.sockets_made = self.sockets_made.wrapping_add(1);
                self.socket = Socket::open(self.sockets_made, &self.report);
                if self.socket.is_none() {
                    self.tell(now, LinkInput::Closed);
                }
            }
        }
    }

    /// Sets the timer where none runs or the one that runs is too late. One that is early is kept: frames push the
    /// deadline back sixty times a second, and an early timer changes nothing.
    fn wind(&mut self, now: Timestamp) {
        let due = self.link.deadline();
        if self.timer.as_ref().is_some_and(|(at, _)| *at <= due) {
            return;
        }
        let report = self.report.clone();
        let wait = u32::try_from(due.micros_since(now).div_ceil(1000)).unwrap_or(u32::MAX);
        self.timer = Some((due, Timeout::new(wait, move || report.emit(Signal::Timer))));
    }
}

/// A socket and what listens to it; dropping it closes it and ends the listening.
#[derive(Debug)]
struct Socket {
    number: u32,
    raw: WebSocket,
    _on_open: Closure<dyn FnMut(Event)>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_close: Closure<dyn FnMut(Event)>,
}

impl Socket {
    /// `None` where the browser refuses the address.
    fn open(number: u32, report: &Callback<Signal>) -> Option<Self> {
        let raw = WebSocket::new(&browser::socket_url()).ok()?;
        let on_open = {
            let report = report.clone();
            Closure::<dyn FnMut(Event)>::new(move |_event| report.emit(Signal::Opened(number)))
        };
        let on_message = {
            let report = report.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                // Binary frames are not part of the contract; an empty text is refused as garble.
                let text = event.data().as_string().unwrap_or_default();
                report.emit(Signal::Text(number, text));
            })
        };
        let on_close = {
            let report = report.clone();
            Closure::<dyn FnMut(Event)>::new(move |_event| report.emit(Signal::Closed(number)))
        };
        raw.set_onopen(Some(listener(&on_open)));
        raw.set_onmessage(Some(listener(&on_message)));
        // `error` is always followed by `close`, which says as much.
        raw.set_onclose(Some(listener(&on_close)));
        Some(Self {
            number,
            raw,
            _on_open: on_open,
            _on_message: on_message,
            _on_close: on_close,
        })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.raw.set_onopen(None);
        self.raw.set_onmessage(None);
        self.raw.set_onclose(None);
        let _already_closed = self.raw.close();
    }
}

fn listener<T: ?Sized>(closure: &Closure<T>) -> &js_sys::Function
where
    Closure<T>: AsRef<JsValue>,
{
    closure.as_ref().unchecked_ref()
}
