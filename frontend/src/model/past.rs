//! An earlier moment: its board, as the server folded it from what it keeps, and the events up to it. The views draw it as they
//! draw the present, which is followed meanwhile.

use std::sync::Arc;

use shared::board::Board;
use shared::time::UnixMs;

use super::fetch::{EventsAnswer, Want};
use super::follow::BoardAnswer;
use super::log::Log;
use super::{Model, Scope};

/// How many events before the moment are searched for those that the log lists.
const SEARCHED: u64 = 100_000;

/// What is known of the earlier moment that is looked at.
#[derive(Debug)]
pub struct Past {
    board: Option<Board>,
    /// The moment of that board.
    at: UnixMs,
    /// From when on there are such boards.
    oldest: UnixMs,
    /// What the present was when it was asked for.
    newest: UnixMs,
    /// Events up to the board's.
    log: Log,
    /// Events after this number are to be asked for.
    after: u64,
    /// Why there is no board of that moment.
    refusal: Option<String>,
}

impl Past {
    const fn new(scope: Scope) -> Self {
        Self {
            board: None,
            at: UnixMs(0),
            oldest: UnixMs(0),
            newest: UnixMs(0),
            log: Log::new(scope),
            after: 0,
            refusal: None,
        }
    }

    /// Its board; none while it is on its way.
    #[must_use]
    pub const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// The moment on show: while another one is on its way, the one before.
    #[must_use]
    pub fn at(&self) -> Option<UnixMs> {
        self.board.as_ref().map(|_| self.at)
    }

    /// From when until when there are boards to look at.
    #[must_use]
    pub const fn kept(&self) -> (UnixMs, UnixMs) {
        (self.oldest, self.newest)
    }

    /// Why there is no board of the moment that was asked for.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    pub(super) const fn log(&self) -> &Log {
        &self.log
    }

    /// The log anew, from what was found of this scope.
    fn list(&mut self, scope: Scope) {
        self.log = Log::new(scope);
        let seq = self.board.as_ref().map_or(0, |board| board.seq);
        self.after = seq.saturating_sub(SEARCHED);
        self.log.set_whole_above(self.after);
    }
}

impl Model {
    /// The earlier moment that is looked at; none in the present.
    #[must_use]
    pub const fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// Whether the moment that was asked for is to come.
    #[must_use]
    pub fn is_to_come(&self) -> bool {
        self.address.at.is_some_and(|at| self.clock.is_to_come(at))
    }

    /// Follows the address to its moment.
    pub(super) fn go_in_time(&mut self, from: Option<UnixMs>) {
        let at = self.address.at;
        if at == from && at.is_some() == self.past.is_some() {
            return;
        }
        self.ranked.take();
        self.paused_at = None;
        match at {
            None => {
                self.past = None;
                self.fetch.drop_past();
            }
            Some(_) => {
                let scope = self.scope();
                let past = self.past.get_or_insert_with(|| Past::new(scope));
                past.refusal = None;
                self.fetch.want(Want::PastBoard);
            }
        }
    }

    /// Takes the board of an earlier moment.
    pub(super) fn take_past(&mut self, answer: BoardAnswer) -> bool {
        let scope = self.scope();
        let newest = self.clock.told().unwrap_or(answer.now);
        // Of a moment that is just to come the server gives the present.
        if self.address.at.is_some_and(|asked| answer.now < asked) {
            return false;
        }
        let Some(past) = &mut self.past else { return true };
        past.at = answer.now;
        past.newest = newest.max(answer.now);
        past.oldest = answer.oldest.unwrap_or(answer.now).min(answer.now);
        past.board = Some(answer.board);
        self.list_past(scope);
        true
    }

    /// Lists the events of another scope, or up to another moment.
    pub(super) fn list_past(&mut self, scope: Scope) {
        if let Some(past) = &mut self.past {
            past.list(scope);
            if past.board.is_some() {
                self.fetch.want(Want::PastEvents);
            }
        }
    }

    /// Takes that there is no board of the moment that was asked for.
    pub(super) fn refuse_past(&mut self, why: String) {
        let newest = self.clock.told();
        if let Some(past) = &mut self.past {
            // The sentence ends with the oldest moment (docs/contract.md).
            let oldest = why.rsplit(' ').next().and_then(|ms| ms.parse().ok());
            if let Some((oldest, newest)) = oldest.map(UnixMs).zip(newest) {
                (past.oldest, past.newest) = (oldest, newest.max(oldest));
            }
            past.refusal = Some(why);
        }
    }

    /// Takes events from before the moment, and goes on asking until all are there.
    pub(super) fn take_past_events(&mut self, answer: EventsAnswer) -> bool {
        let Some(past) = &mut self.past else { return true };
        let seq = past.board.as_ref().map_or(0, |board| board.seq);
        past.log.set_whole_above(answer.whole_above.min(seq));
        for event in answer.events.into_iter().filter(|event| event.seq <= seq) {
            past.log.add(&Arc::new(event));
        }
        if let Some(next) = answer.next.filter(|next| *next < seq) {
            past.after = next;
            self.fetch.want(Want::PastEvents);
        }
        true
    }

    /// After which event the log of the past goes on.
    pub(super) fn past_after(&self) -> u64 {
        self.past.as_ref().map_or(0, |past| past.after)
    }
}
