//! A sequence on both coordinators in step: a step is over when both have answered the same, or surely do not.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::side::{Coordinator, Side};
use super::step::{Action, Sequence, Span, Step};
use super::transcript::Page;

/// How a sequence went.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Same,
    /// Kafka made another member the leader where it may choose any; the steps from there on were not played.
    LedByAnother {
        step: usize,
    },
    /// This machine was too slow for the deadlines of the sequence: it says nothing.
    TooSlow {
        step: usize,
    },
    Differs(Difference),
}

/// Where two coordinators part.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) step: usize,
    /// What each brought at each step so far: ours, Kafka's.
    pub(super) pages: Vec<[Page; 2]>,
}

/// How a run is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// How long a difference must last to be one: answers travel, and timers ring late on a busy machine.
    pub(super) patience: Duration,
    /// A unit of short timeouts.
    pub(super) unit: Duration,
}

/// How often it is looked again.
const TICK: Duration = Duration::from_millis(5);

/// How often it is looked while nobody speaks.
const TICK_OF_SILENCE: Duration = Duration::from_millis(50);

/// What a deadline may be late by.
const LATE: Duration = Duration::from_millis(750);

/// Plays it under a group of that name.
pub(super) async fn run(
    coordinators: &[Coordinator; 2],
    group: &str,
    sequence: &Sequence,
    pace: Pace,
) -> Outcome {
    let mut run = start(coordinators, group, sequence, pace).await;
    run.play(sequence.steps.len()).await.unwrap_or(Outcome::Same)
}

/// A sequence of which nothing is played yet.
pub(super) async fn start<'a>(
    coordinators: &[Coordinator; 2],
    group: &str,
    sequence: &'a Sequence,
    pace: Pace,
) -> Run<'a> {
    let actors = sequence
        .steps
        .iter()
        .map(|step| step.actor + 1)
        .max()
        .unwrap_or(1);
    let side = |at: usize| Side::new(coordinators[at].clone(), group.to_owned(), actors, pace.unit);
    let mut run = Run {
        sides: [side(0), side(1)],
        steps: &sequence.steps,
        pace,
        pages: Vec::new(),
        armed: None,
        timed: sequence.is_timed(),
    };
    run.ready().await;
    run
}

/// A sequence that is played.
pub(super) struct Run<'a> {
    sides: [Side; 2],
    steps: &'a [Step],
    pace: Pace,
    pages: Vec<[Page; 2]>,
    /// Since when a short deadline may be running.
    armed: Option<Instant>,
    /// Whether it waits for deadlines.
    timed: bool,
}

impl Run<'_> {
    /// Waits until both coordinators have loaded what they need for the group.
    pub(super) async fn ready(&mut self) {
        let [ours, theirs] = &mut self.sides;
        tokio::join!(ours.ready(), theirs.ready());
    }

    /// Closes every connection: nothing is expected any more of what waited.
    pub(super) fn disconnect(&mut self) {
        self.sides.iter_mut().for_each(Side::disconnect);
    }

    /// Plays on up to that step; what ended it before, if something did.
    pub(super) async fn play(&mut self, end: usize) -> Option<Outcome> {
        let played = self.pages.len();
        for (number, step) in self.steps.iter().enumerate().take(end).skip(played) {
            if self.timed && self.armed.is_none() && is_short(step) {
                self.armed = Some(Instant::now());
            }
            let [ours, theirs] = &mut self.sides;
            tokio::join!(ours.play(number, step), theirs.play(number, step));
            let same = self.settle(number, step).await;
            let waits = matches!(step.action, Action::Pass { .. } | Action::Await);
            let limit = self.pace.unit.mul_f32(0.7);
            if !waits && self.armed.is_some_and(|since| since.elapsed() > limit) {
                return Some(Outcome::TooSlow { step: number });
            }
            if waits {
                self.armed = self.armed.map(|_| Instant::now());
            }
            if !same {
                if self.is_led_by_another() {
                    return Some(Outcome::LedByAnother { step: number });
                }
                let pages = std::mem::take(&mut self.pages);
                return Some(Outcome::Differs(Difference { step: number, pages }));
            }
        }
        None
    }

    /// Looks until both sides are the same and at rest; false if they do not become so.
    async fn settle(&mut self, number: usize, step: &Step) -> bool {
        let was_empty = self.pages.last().is_none_or(|[ours, _]| ours.is_empty());
        let (silent, pace) = match step.action {
            Action::Pass { units } => (self.pace.unit * units + LATE, TICK_OF_SILENCE),
            Action::Await => (Duration::ZERO, TICK_OF_SILENCE),
            _ => (Duration::ZERO, TICK),
        };
        let spoken = Instant::now() + silent;
        let mut patience = self.pace.patience;
        if step.action == Action::Await {
            patience += self.pace.unit * 4;
        }
        let deadline = spoken + patience;
        let mut ticks = interval(pace);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.pages.push(Default::default());
        let mut contradicted = false;
        loop {
            let [ours, theirs] = &mut self.sides;
            tokio::join!(ours.look(step.look), theirs.look(step.look));
            for side in &mut self.sides {
                side.learn(self.steps);
            }
            self.forget_courtesies(number);
            let pages = [Page::of(&self.sides[0]), Page::of(&self.sides[1])];
            let same = pages[0] == pages[1];
            // Seen twice: an answer may have come just after the group was described.
            let contradicts = pages[0].contradicts(&pages[1]);
            let hopeless = contradicts && contradicted;
            contradicted = contradicts;
            // With no delay configured a group that was empty ends its first join phase by itself.
            let gathers = was_empty && pages.iter().any(Page::is_preparing);
            let awaits = step.action == Action::Await && pages[0].answers.is_empty();
            self.pages[number] = pages;
            let now = Instant::now();
            let at_rest = same && !gathers && !awaits && now >= spoken;
            if hopeless || at_rest || now > deadline {
                return same;
            }
            ticks.tick().await;
        }
    }

    /// Answers that Kafka never gives are not looked for, see [`ON_PURPOSE`].
    ///
    /// [`ON_PURPOSE`]: super::ON_PURPOSE
    fn forget_courtesies(&mut self, number: usize) {
        let [ours, theirs] = &mut self.sides;
        for step in ours.answered_out_of_courtesy(number) {
            if theirs.is_waiting(step) {
                ours.forget(step);
                theirs.forget(step);
            }
        }
    }

    /// Whether all that differs is who leads a new generation, and the leader before is not among those who rejoined:
    /// Kafka then takes the first of a hash map.
    fn is_led_by_another(&self) -> bool {
        let Some(([ours, theirs], before)) = self.pages.split_last() else {
            return false;
        };
        let joined = before.iter().flat_map(|[ours, _]| ours.joined());
        let Some(last) = joined.max_by_key(|joined| joined.generation) else {
            return false;
        };
        ours.without_leader() == theirs.without_leader()
            && ours.joined().all(|joined| joined.generation > last.generation)
            && !ours.joined().any(|joined| joined.member == last.leader)
    }
}

fn is_short(step: &Step) -> bool {
    match &step.action {
        Action::Join(join) => [join.session, join.rebalance].contains(&Span::Short),
        _ => false,
    }
}
