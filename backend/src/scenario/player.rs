//! Who does what now: a scenario as a machine. Time and events in, cues out; it does no IO and reads no clock.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::error_code::NONE;
use shared::event::Event;
use shared::time::{Millis, Timestamp};

use super::file::{Action, Part, Repeat, Step, Until, When};

/// One of the parts, by its place in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PartId(pub(super) usize);

/// What the player is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input<'a> {
    /// Time passed.
    Tick,
    /// Something happened.
    Event(&'a Event),
    /// What a cue asked for is done. `error`: the code of the answer, where it was a request that was answered.
    Done { part: PartId, error: Option<i16> },
}

/// What a part is to do now; it waits until it is told [`Input::Done`].
#[derive(Clone, Debug)]
pub(super) struct Cue {
    pub(super) part: PartId,
    pub(super) action: Action,
}

/// The machine.
#[derive(Debug)]
pub(super) struct Player {
    parts: Vec<Playing>,
    cues: VecDeque<Cue>,
}

/// A part and where it stands.
#[derive(Debug)]
struct Playing {
    steps: Arc<[Step]>,
    /// Where it begins again.
    again_from: usize,
    /// The step it is at.
    at: usize,
    /// How often it still goes through all steps, this time among them.
    rounds: u32,
    state: State,
    /// Of the repetition it is in.
    round: Round,
}

#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// When its first action began.
    began: Timestamp,
    /// When its last action began.
    last: Timestamp,
    /// Actions so far.
    done: u32,
    /// Events so far that end it.
    ends: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Until so many more of an event.
    Watching { left: u32 },
    /// Until a moment.
    Waiting { until: Timestamp },
    /// Until its action is done.
    Acting,
    /// It has played.
    Over,
}

impl Player {
    /// A scenario that starts now.
    pub(super) fn new(parts: &[Part], now: Timestamp) -> Self {
        let parts = parts.iter().map(|part| Playing::new(part, now)).collect();
        let mut player = Self {
            parts,
            cues: VecDeque::new(),
        };
        player.act(now);
        player
    }

    /// Takes what happened.
    pub(super) fn handle(&mut self, now: Timestamp, input: Input<'_>) {
        match input {
            Input::Tick => {}
            Input::Event(event) => {
                for part in &mut self.parts {
                    part.happened(now, event);
                }
            }
            Input::Done { part, error } => {
                if let Some(part) = self.parts.get_mut(part.0) {
                    part.done(now, error);
                }
            }
        }
        self.act(now);
    }

    /// The next thing to do.
    pub(super) fn poll(&mut self) -> Option<Cue> {
        self.cues.pop_front()
    }

    /// When it must be told the time.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let waiting = self.parts.iter().filter_map(|part| match part.state {
            State::Waiting { until } => Some(until),
            State::Watching { .. } | State::Acting | State::Over => None,
        });
        waiting.min()
    }

    /// Whether every part has played.
    pub(super) fn is_over(&self) -> bool {
        self.parts.iter().all(|part| part.state == State::Over)
    }

    fn act(&mut self, now: Timestamp) {
        for (at, part) in self.parts.iter_mut().enumerate() {
            if let Some(action) = part.due(now) {
                let part = PartId(at);
                self.cues.push_back(Cue { part, action });
            }
        }
    }
}

impl Playing {
    fn new(part: &Part, now: Timestamp) -> Self {
        let mut playing = Self {
            steps: Arc::clone(&part.steps),
            again_from: part.again_from,
            at: 0,
            rounds: part.times,
            state: State::Over,
            round: Round::default(),
        };
        if playing.rounds > 0 {
            playing.begin(now + part.begins);
        }
        playing
    }

    fn step(&self) -> Option<&Step> {
        self.steps.get(self.at)
    }

    /// Begins the step it is at, not before `from`.
    fn begin(&mut self, from: Timestamp) {
        self.round = Round::default();
        self.state = match self.step() {
            Some(Step { when: Some(when), .. }) if when.times > 0 => State::Watching { left: when.times },
            Some(step) => State::Waiting {
                until: from + step.wait,
            },
            None => State::Over,
        };
    }

    /// Goes on to the next step, or to the first again.
    fn proceed(&mut self, now: Timestamp) {
        self.at += 1;
        if self.at >= self.steps.len() {
            self.rounds = self.rounds.saturating_sub(1);
            if self.rounds > 0 {
                self.at = self.again_from;
            }
        }
        self.begin(now);
    }

    fn happened(&mut self, now: Timestamp, event: &Event) {
        let Some(step) = self.steps.get(self.at) else {
            return;
        };
        if let State::Watching { left } = &mut self.state {
            if step.when.as_ref().is_some_and(|when| when.is(event)) {
                *left -= 1;
                if *left == 0 {
                    self.state = State::Waiting {
                        until: now + step.wait,
                    };
                }
            }
            return;
        }
        let ends = step
            .repeat
            .as_ref()
            .and_then(|repeat| repeat.until_event.as_ref());
        if self.round.done > 0 && ends.is_some_and(|when| when.is(event)) {
            self.round.ends += 1;
            if matches!(self.state, State::Waiting { .. }) && self.is_ended(None) {
                self.proceed(now);
            }
        }
    }

    /// What it does now, if its moment has come.
    fn due(&mut self, now: Timestamp) -> Option<Action> {
        match self.state {
            State::Waiting { until } if until <= now => {}
            State::Watching { .. } | State::Waiting { .. } | State::Acting | State::Over => return None,
        }
        if self.round.done == 0 {
            self.round.began = now;
        }
        self.round.last = now;
        self.round.done = self.round.done.saturating_add(1);
        self.state = State::Acting;
        self.step().map(|step| step.action.clone())
    }

    fn done(&mut self, now: Timestamp, error: Option<i16>) {
        if self.state != State::Acting {
            return;
        }
        if self.is_ended(Some(error)) {
            return self.proceed(now);
        }
        if let Some(Repeat { every, .. }) = self.step().and_then(|step| step.repeat.as_ref()) {
            // A request that took longer than the pause is followed by the next at once, as clients do.
            let next = self.round.last + *every;
            self.state = State::Waiting { until: next.max(now) };
        }
    }

    /// Whether the repetition it is in is over. `answered`: by what its action came to.
    fn is_ended(&self, answered: Option<Option<i16>>) -> bool {
        let Some(repeat) = self.step().and_then(|step| step.repeat.as_ref()) else {
            return true;
        };
        let by_answer = match (repeat.until, answered) {
            (Some(Until::Code(code)), Some(error)) => error == Some(code),
            (Some(Until::Error(_)), Some(error)) => error != Some(NONE),
            (None, _) | (_, None) => false,
        };
        let by_times = repeat.times.is_some_and(|times| times <= self.round.done);
        let next = self.round.last + repeat.every;
        let by_time = |lasts: Millis| self.round.began + lasts <= next;
        let by_event = |when: &When| when.times <= self.round.ends;
        by_answer
            || by_times
            || repeat.lasts.is_some_and(by_time)
            || repeat.until_event.as_ref().is_some_and(by_event)
    }
}
