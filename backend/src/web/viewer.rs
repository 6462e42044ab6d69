//! One viewer: hello, welcome, then ranges of events and a tick every second, until either side ends.
//!
//! A range leaves at once when the line is idle and waits for the next 60th of a second otherwise. Ranges that hold
//! nothing for this viewer are held back until one does, or until the tick, so that no number is ever skipped and an
//! overview is not sent 60 empty frames a second. A viewer that falls behind the hub's bound is told so and goes on
//! from the present; one that takes no frames, or from which nothing comes, is cut.

mod frames;
mod link;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use shared::wire::{ClientMessage, ServerMessage, VERSION};
use tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};
use tokio::time::{Interval, MissedTickBehavior, Sleep, interval, sleep};

use crate::clock::Clock;
use crate::hub::{Hub, Numbered, Range, Resume};
use crate::limits;
use frames::{Hello, Watched, events};
use link::{Link, Socket};

/// Why a viewer's connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It closed the connection, or the connection broke.
    Gone,
    /// It said nothing in time, not even an answer to a ping.
    Silent,
    /// It took no frame in time.
    Stuck,
    /// It said what it may not, or what this server does not speak.
    Refused(String),
    /// The server is ending.
    Shutdown,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("it is gone"),
            Self::Silent => f.write_str("nothing came from it"),
            Self::Stuck => f.write_str("it took no frames"),
            Self::Refused(why) => f.write_str(why),
            Self::Shutdown => f.write_str("the server is ending"),
        }
    }
}

/// What a server tells of itself in its welcome.
#[derive(Clone, Debug, Default)]
pub(super) struct About<'a> {
    /// The scenario that is played.
    pub(super) scenario: Option<&'a str>,
    /// Which page it serves.
    pub(super) page: Option<String>,
}

/// Serves one viewer to its end.
pub(super) async fn show<S: Socket>(socket: S, hub: &Hub, clock: Clock, about: About<'_>) -> Ended {
    let mut link = Link::new(socket);
    let served = async {
        let viewer = welcome(&mut link, hub, clock, about).await?;
        viewer.run(&mut link).await
    };
    let Err(ended) = served.await;
    link.close(&ended).await;
    ended
}

/// Hello and welcome.
async fn welcome<S: Socket>(
    link: &mut Link<S>,
    hub: &Hub,
    clock: Clock,
    about: About<'_>,
) -> Result<Viewer, Ended> {
    let text = match tokio::time::timeout(limits::HELLO_WAIT, link.text()).await {
        Ok(text) => text?,
        Err(_late) => return Err(Ended::Silent),
    };
    let hello = match Hello::parse(&text) {
        Ok(hello) => hello,
        Err(refusal) => {
            if refusal.unsupported {
                link.say(&ServerMessage::Unsupported { version: VERSION }).await?;
            }
            return Err(Ended::Refused(refusal.why));
        }
    };
    let resume = hello
        .resume
        .filter(|_| hello.stream.as_deref() == Some(hub.stream()));
    let resume = resume.map(|seq| Resume {
        seq,
        with_beats: hello.watch.is_some_group(),
    });
    let place = hub.subscribe(resume).await.ok_or(Ended::Shutdown)?;
    link.say(&ServerMessage::Welcome {
        version: VERSION,
        stream: hub.stream().to_owned(),
        seq: place.seq,
        now: clock.now_unix(),
        resumed: place.resumed,
        rate: clock.rate(),
        scenario: about.scenario.map(str::to_owned),
        page: about.page,
    })
    .await?;
    let sent = match resume {
        Some(resume) if place.resumed => resume.seq,
        _ => place.seq,
    };
    Ok(Viewer {
        hub: hub.clone(),
        clock,
        watched: hello.watch,
        sent,
        taken: sent,
        backlog: place.backlog,
        ranges: place.ranges,
    })
}

/// A viewer after its welcome.
struct Viewer {
    hub: Hub,
    clock: Clock,
    watched: Watched,
    /// The last event of the last range sent.
    sent: u64,
    /// The last event taken from the hub; those after `sent` hold nothing for this viewer and are held back.
    taken: u64,
    /// What it missed and is yet to be sent.
    backlog: VecDeque<Arc<Range>>,
    ranges: broadcast::Receiver<Arc<Range>>,
}

impl Viewer {
    async fn run<S: Socket>(mut self, link: &mut Link<S>) -> Result<Infallible, Ended> {
        let mut tick = every(Duration::from_secs(1));
        let mut ping = every(limits::VIEWER_PING);
        let mut pause: Pin<&mut Sleep> = pin!(sleep(Duration::ZERO));
        let mut silent_pings = 0;
        loop {
            let paused = !pause.is_elapsed();
            tokio::select! {
                text = link.text() => {
                    let text = text?;
                    self.hear(&text, link).await?;
                }
                () = pause.as_mut(), if paused => {}
                range = next(&mut self.backlog, &mut self.ranges), if !paused => {
                    if self.take(range, link).await? {
                        pause.set(sleep(limits::FRAME_PAUSE));
                    }
                }
                _ = tick.tick() => {
                    self.send_held_back(link).await?;
                    let (now, seq) = (self.clock.now_unix(), self.sent);
                    link.say(&ServerMessage::Tick { now, seq }).await?;
                }
                _ = ping.tick() => {
                    silent_pings = if link.heard() { 0 } else { silent_pings + 1 };
                    if limits::VIEWER_PING * silent_pings >= limits::VIEWER_SILENCE {
                        return Err(Ended::Silent);
                    }
                    link.ping().await?;
                }
            }
        }
    }

    /// What the viewer said after hello: only what it watches.
    async fn hear<S: Socket>(&mut self, text: &str, link: &mut Link<S>) -> Result<(), Ended> {
        let watch = match serde_json::from_str(text) {
            Ok(ClientMessage::Watch { watch }) => Watched::new(watch).map_err(Ended::Refused)?,
            Ok(ClientMessage::Hello { .. }) => return Err(Ended::Refused("a second hello".to_owned())),
            Err(error) => {
                return Err(Ended::Refused(format!(
                    "not a message this server knows: {error}"
                )));
            }
        };
        // In force from the next range on: what was left out so far must not lie in that range.
        self.send_held_back(link).await?;
        self.watched = watch;
        Ok(())
    }

    /// Takes what the hub has for it and sends what it watches; says whether a frame was sent.
    async fn take<S: Socket>(
        &mut self,
        first: Result<Arc<Range>, RecvError>,
        link: &mut Link<S>,
    ) -> Result<bool, Ended> {
        let (shown, end) = self.gather(first);
        let mut sent = !shown.is_empty();
        if sent {
            self.send(&shown, link).await?;
        }
        match end {
            None => {}
            Some(RecvError::Closed) => {
                self.send_held_back(link).await?;
                return Err(Ended::Shutdown);
            }
            Some(RecvError::Lagged(_)) => {
                self.skip_to_now(link).await?;
                sent = true;
            }
        }
        Ok(sent)
    }

    /// The events it watches in `first` and in all that is there now, up to what one frame holds; and what ended the
    /// gathering, where that was the hub.
    fn gather(&mut self, first: Result<Arc<Range>, RecvError>) -> (Vec<Arc<Numbered>>, Option<RecvError>) {
        let mut shown = Vec::new();
        let mut next = Some(first);
        while let Some(range) = next {
            let range = match range {
                Ok(range) => range,
                Err(end) => return (shown, Some(end)),
            };
            let watched = range.events.iter().filter(|event| self.watched.wants(event));
            shown.extend(watched.cloned());
            self.taken = range.to;
            if shown.len() >= limits::FRAME_EVENTS {
                break;
            }
            next = ready(&mut self.backlog, &mut self.ranges);
        }
        (shown, None)
    }

    /// Sends a range from the last one's end to all that was taken.
    async fn send<S: Socket>(&mut self, shown: &[Arc<Numbered>], link: &mut Link<S>) -> Result<(), Ended> {
        let frame = events(self.sent + 1, self.taken, shown);
        self.sent = self.taken;
        link.send(frame).await
    }

    /// Sends the numbers that were held back, so that the viewer knows it misses nothing up to here.
    async fn send_held_back<S: Socket>(&mut self, link: &mut Link<S>) -> Result<(), Ended> {
        if self.sent < self.taken {
            self.send(&[], link).await?;
        }
        Ok(())
    }

    /// After the hub's bound was passed: from here the viewer takes the board, and goes on from the present.
    async fn skip_to_now<S: Socket>(&mut self, link: &mut Link<S>) -> Result<(), Ended> {
        let place = self.hub.subscribe(None).await.ok_or(Ended::Shutdown)?;
        self.hub.viewer_lagged();
        self.backlog.clear();
        self.ranges = place.ranges;
        self.sent = place.seq;
        self.taken = place.seq;
        link.say(&ServerMessage::Lagged { seq: place.seq }).await
    }
}

/// The next range: first what the viewer missed, then what comes.
async fn next(
    backlog: &mut VecDeque<Arc<Range>>,
    ranges: &mut broadcast::Receiver<Arc<Range>>,
) -> Result<Arc<Range>, RecvError> {
    match backlog.pop_front() {
        Some(range) => Ok(range),
        None => ranges.recv().await,
    }
}

/// The next range, where it is there already.
fn ready(
    backlog: &mut VecDeque<Arc<Range>>,
    ranges: &mut broadcast::Receiver<Arc<Range>>,
) -> Option<Result<Arc<Range>, RecvError>> {
    if let Some(range) = backlog.pop_front() {
        return Some(Ok(range));
    }
    match ranges.try_recv() {
        Ok(range) => Some(Ok(range)),
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
        Err(TryRecvError::Lagged(by)) => Some(Err(RecvError::Lagged(by))),
    }
}

/// A timer that first rings after `period`, and after a late ring waits a whole period again.
fn every(period: Duration) -> Interval {
    let mut timer = interval(period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    timer.reset();
    timer
}

#[cfg(test)]
mod tests;
