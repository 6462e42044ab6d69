//! Many sequences at once, and what came of them.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use shared::error_code as code;
use shared::protocol::{AnyResponse, FindCoordinatorRequest, MetadataRequest, MetadataRequestTopic, Uuid};

use super::connection::{Answer, Connection};
use super::on_purpose::ON_PURPOSE;
use super::run::{self, Difference, Outcome, Pace};
use super::shrink::shrink;
use super::side::Coordinator;
use super::step::Sequence;
use crate::cast::TOPIC;
use crate::wait::wait_until;

/// Sequences that are played at the same time, each in a group of its own.
const AT_ONCE: usize = 50;

/// Plays of one sequence, at most, that end early because this machine was too slow or Kafka chose another leader.
const ATTEMPTS: usize = 8;

/// How often a difference must be seen to be one: the first may be a pause of this machine.
const SEEN: usize = 2;

/// Of so many sequences one may end where chance chose a leader.
const CHANCE: usize = 20;

/// Differences that are shown in full; each takes a while to shorten.
const SHOWN: usize = 5;

const FIRST: Pace = Pace {
    patience: Duration::from_secs(10),
    unit: Duration::from_millis(1_500),
};

/// What came of the sequences.
#[derive(Debug, Default)]
pub struct Report {
    /// Played to their end, the same on both sides.
    pub same: usize,
    /// The same up to where Kafka chose a leader by chance, at every attempt.
    pub led_by_another: Vec<String>,
    /// What is not the same, and what could not be played.
    pub faults: Vec<String>,
    /// How often a sequence was played.
    pub plays: usize,
    pub took: Duration,
}

impl Report {
    fn note(&mut self, sequence: &Sequence, outcome: Outcome) {
        let name = &sequence.name;
        match outcome {
            Outcome::Same => self.same += 1,
            Outcome::LedByAnother { step } => self.led_by_another.push(format!("{name} at step {step}")),
            Outcome::TooSlow { step } => {
                let fault = format!("{name}: this machine was too slow for its deadlines at step {step}");
                self.faults.push(fault);
            }
            Outcome::Differs(difference) if self.faults.len() < SHOWN => {
                self.faults.push(side_by_side(sequence, &difference));
            }
            Outcome::Differs(difference) => self.faults.push(format!("{name} at step {}", difference.step)),
        }
    }

    /// Fails a test that has found a difference, or in which too much was left to chance.
    ///
    /// # Panics
    ///
    /// Shows the faults.
    pub fn assert_same(&self) {
        self.assert_no_difference();
        let (same, others) = (self.same, self.led_by_another.len());
        assert!(
            others <= 1 + same / CHANCE,
            "too many ended where chance chose a leader: {:#?}",
            self.led_by_another
        );
    }

    /// Fails a test that has found a difference.
    ///
    /// # Panics
    ///
    /// Shows the faults.
    pub fn assert_no_difference(&self) {
        let Self {
            same,
            led_by_another,
            faults,
            plays,
            took,
        } = self;
        let (same, others) = (*same, led_by_another.len());
        println!(
            "{same} sequences were answered the same; {others} up to where chance chose a leader; {plays} plays in {took:.1?}"
        );
        assert!(
            faults.is_empty(),
            "{} sequences were not answered as Kafka does:\n{}\nOn purpose are only:\n{}",
            faults.len(),
            faults.join("\n"),
            ON_PURPOSE.map(|row| row.to_string()).join("\n")
        );
    }
}

/// Plays the sequences on the embedded coordinator and on Kafka, where the topic of [`crate::cast`] must be.
pub async fn compare(ours: SocketAddr, kafka: SocketAddr, sequences: &[Sequence]) -> Report {
    let coordinators = [coordinator(ours).await, coordinator(kafka).await];
    let (groups, start) = (Groups::default(), Instant::now());
    let plays = sequences
        .iter()
        .map(|sequence| verdict(&coordinators, &groups, sequence));
    let mut report = Report::default();
    let mut plays = stream::iter(plays).buffer_unordered(AT_ONCE);
    while let Some((sequence, outcome)) = plays.next().await {
        match outcome {
            Outcome::Differs(difference) if report.faults.len() < SHOWN => {
                let pace = Pace {
                    patience: Duration::from_secs(2),
                    ..FIRST
                };
                let play =
                    async |sequence: &Sequence| run::run(&coordinators, &groups.next(), sequence, pace).await;
                let (shortest, difference) = shrink(sequence, difference, play).await;
                report.note(&shortest, Outcome::Differs(difference));
            }
            other => report.note(sequence, other),
        }
    }
    (report.plays, report.took) = (groups.count(), start.elapsed());
    report
}

/// The same of what coordinators have kept: each sequence is played to its middle, then `restart` restarts both, and the rest is
/// played with all connections new. Nothing is played twice: where chance chose a leader, the sequence ends there.
pub async fn compare_across_restart(
    ours: SocketAddr,
    kafka: SocketAddr,
    sequences: &[Sequence],
    restart: impl AsyncFnOnce(),
) -> Report {
    let coordinators = [coordinator(ours).await, coordinator(kafka).await];
    let (groups, start) = (Groups::default(), Instant::now());
    let begun = sequences.iter().map(async |sequence| {
        let mut run = run::start(&coordinators, &groups.next(), sequence, FIRST).await;
        let ended = run.play(sequence.steps.len() / 2).await;
        run.disconnect();
        (sequence, run, ended)
    });
    let begun: Vec<_> = stream::iter(begun).buffered(AT_ONCE).collect().await;
    restart().await;
    let _serve_again = [coordinator(ours).await, coordinator(kafka).await];
    let rest = begun.into_iter().map(async |(sequence, mut run, ended)| {
        if let Some(outcome) = ended {
            return (sequence, outcome);
        }
        run.ready().await;
        let outcome = run.play(sequence.steps.len()).await;
        (sequence, outcome.unwrap_or(Outcome::Same))
    });
    let mut report = Report::default();
    let mut rest = stream::iter(rest).buffer_unordered(AT_ONCE);
    while let Some((sequence, outcome)) = rest.next().await {
        report.note(sequence, outcome);
    }
    (report.plays, report.took) = (groups.count(), start.elapsed());
    report
}

async fn verdict<'a>(
    coordinators: &[Coordinator; 2],
    groups: &Groups,
    sequence: &'a Sequence,
) -> (&'a Sequence, Outcome) {
    let mut pace = FIRST;
    let mut outcome = Outcome::Same;
    let mut differed = 0;
    for _ in 0..ATTEMPTS {
        outcome = run::run(coordinators, &groups.next(), sequence, pace).await;
        match outcome {
            Outcome::Same => break,
            // Another time it may choose as we do.
            Outcome::LedByAnother { .. } => {}
            Outcome::TooSlow { .. } => pace.unit *= 2,
            // A true difference comes again, however far apart deadlines are, and however long a busy machine is given.
            Outcome::Differs(_) => {
                differed += 1;
                if differed == SEEN {
                    break;
                }
                pace.unit *= 3;
                pace.patience *= 2;
            }
        }
    }
    (sequence, outcome)
}

/// Names of groups.
#[derive(Debug, Default)]
struct Groups(AtomicUsize);

impl Groups {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn next(&self) -> String {
        format!("differential-{}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Waits until the coordinator serves groups, and asks for the id of the topic.
async fn coordinator(address: SocketAddr) -> Coordinator {
    let mut connection = Connection::open(address)
        .await
        .expect("the coordinator takes connections");
    wait_until("a group's coordinator", async || {
        let question = FindCoordinatorRequest {
            coordinator_keys: vec!["differential".into()],
            ..FindCoordinatorRequest::default()
        };
        connection.send("looker", 4, &question.into()).await;
        match connection.answer().await {
            Answer::Response(AnyResponse::FindCoordinator(answer))
                if answer
                    .coordinators
                    .iter()
                    .all(|found| found.error_code == code::NONE) =>
            {
                Ok(())
            }
            other => Err(other),
        }
    })
    .await;
    let topic = wait_until("the topic's id", async || {
        let question = MetadataRequest {
            topics: Some(vec![MetadataRequestTopic {
                name: Some(TOPIC.into()),
                topic_id: Uuid::ZERO,
            }]),
            ..MetadataRequest::default()
        };
        connection.send("looker", 12, &question.into()).await;
        match connection.answer().await {
            Answer::Response(AnyResponse::Metadata(answer)) => answer
                .topics
                .first()
                .filter(|topic| topic.error_code == code::NONE)
                .map(|topic| topic.topic_id)
                .ok_or(format!("{answer:?}")),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    Coordinator { address, topic }
}

/// Both transcripts, up to where they part.
fn side_by_side(sequence: &Sequence, difference: &Difference) -> String {
    let mut text = String::new();
    let _never_fails = writeln!(text, "{}", sequence.name);
    for (number, (step, [ours, kafka])) in sequence.steps.iter().zip(&difference.pages).enumerate() {
        let _never_fails = writeln!(text, "  {number:>2}  {step}");
        let (ours, kafka) = (ours.lines(), kafka.lines());
        for at in 0..ours.len().max(kafka.len()) {
            let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
            let (ours, kafka) = (line(&ours), line(&kafka));
            let _never_fails = if ours == kafka {
                writeln!(text, "        both  {ours}")
            } else {
                writeln!(text, "      ! ours  {ours}\n      ! Kafka {kafka}")
            };
        }
    }
    text
}
