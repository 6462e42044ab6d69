//! The fold: any events in any order leave a board that is within its bounds, goes through JSON unchanged, folds on from
//! there to the same, and has a verdict and a sentence for every row.

use serde_json::Value;
use shared::board::limits::{
    CELLS, COORDINATORS, DEPARTED, DETAIL, FAULTS, GAPS, GONE, NAMED, NODES, REBALANCES, REFUSALS, REJOINS,
    TEXT,
};
use shared::board::{Board, Group, GroupKey};
use shared::event::samples::every_change;
use shared::event::{Change, Event, Evidence, Observation, Source};
use shared::health;
use shared::ids::{ClusterId, GroupId, MemberId};
use shared::time::UnixMs;

/// Events in one run: more than any list of a row keeps.
const EVENTS: usize = 400;

/// When it begins: a whole second.
const START: u64 = 1_764_417_600_000;

const GROUPS: [&str; 3] = ["demo", "", "a group whose name says nothing"];
const MEMBERS: [&str; 6] = ["m-1", "m-2", "m-3", "a", "orders-1", ""];
const CLUSTERS: [&str; 2] = ["one", "two"];

/// Numbers at the edges, and those that mean something to a board: codes, generations, times.
const NUMBERS: [i64; 20] = [
    0,
    1,
    2,
    3,
    -1,
    -2,
    15,
    25,
    27,
    30,
    82,
    3_000,
    45_000,
    START as i64,
    START as i64 + 999,
    i16::MAX as i64,
    i32::MAX as i64,
    i32::MIN as i64,
    i64::MAX,
    i64::MIN,
];

/// Event after event: a kind, who says it of whom, when, and what of a sample of that kind is changed.
pub fn board(data: &[u8]) {
    let samples: Vec<Value> = every_change().iter().map(json).collect();
    let mut bytes = data.iter().copied();
    let (mut whole, mut resumed) = (Board::default(), None);
    let mut teller = Teller::default();
    for at in 0..EVENTS {
        let Some(event) = teller.next(&samples, &mut bytes) else {
            break;
        };
        whole.apply(&event);
        if at == EVENTS / 8 {
            resumed = Some(through_json(&whole));
        } else if let Some(resumed) = &mut resumed {
            resumed.apply(&event);
        }
        if event.seq % 16 == 0 {
            check(&whole, teller.now);
        }
    }
    check(&whole, teller.now);
    if let Some(resumed) = resumed {
        assert!(
            resumed == whole,
            "a board and what came after it are the whole fold"
        );
    }
}

/// Who numbers the events.
#[derive(Default)]
struct Teller {
    seq: u64,
    /// Milliseconds since the start.
    now: u64,
    /// Members that were named once and never again.
    strangers: u64,
}

impl Teller {
    /// The next event that is one; none when the bytes are over.
    fn next(&mut self, samples: &[Value], bytes: &mut impl Iterator<Item = u8>) -> Option<Event> {
        loop {
            let (kind, who, subject) = (bytes.next()?, bytes.next()?, bytes.next()?);
            let (later, earlier, changes) = (bytes.next()?, bytes.next()?, bytes.next()?);
            let mut change = samples[usize::from(kind) % samples.len()].clone();
            for _ in 0..changes % 4 {
                let (leaf, by) = (bytes.next()?, bytes.next()?);
                replace(&mut change, leaf, by);
            }
            // Most mean milliseconds, some seconds, some minutes.
            self.now += match later {
                0..128 => u64::from(later) * 20,
                128..224 => u64::from(later - 128) * 1_000,
                _ => u64::from(later - 224) * 60_000,
            };
            if let Ok(change) = serde_json::from_value(change) {
                self.seq += 1;
                return Some(self.event(who, subject, earlier, change));
            }
        }
    }

    fn event(&mut self, who: u8, subject: u8, earlier: u8, change: Change) -> Event {
        let seen = UnixMs(START + self.now);
        let before = |steps: u8| UnixMs(seen.0 - u64::from(steps) * 50);
        let member = match usize::from(subject) % (MEMBERS.len() + 3) {
            at if at < MEMBERS.len() => Some(MEMBERS[at].to_owned()),
            6 => None,
            7 => Some("x".repeat(TEXT + 1)),
            _ => {
                self.strangers += 1;
                Some(format!("stranger-{}", self.strangers))
            }
        };
        let group = usize::from(subject) / (MEMBERS.len() + 3) % (GROUPS.len() + 1);
        Event {
            seq: self.seq,
            seen,
            what: Observation {
                at: before(earlier % 16),
                at_earliest: (earlier & 64 != 0).then(|| before(earlier % 16 + earlier % 5)),
                source: [Source::Probe, Source::Embedded, Source::Survey][usize::from(who) % 3],
                evidence: [Evidence::Observed, Evidence::Inferred][usize::from(who) / 3 % 2],
                cluster: ClusterId::from(CLUSTERS[usize::from(who) / 6 % 2]),
                group: GROUPS.get(group).map(|group| GroupId::from(*group)),
                member: member.map(MemberId::from),
                change,
            },
        }
    }
}

fn json(change: &Change) -> Value {
    serde_json::to_value(change).expect("a change is JSON")
}

/// Puts something else where one of the value's leaves is.
fn replace(value: &mut Value, leaf: u8, by: u8) {
    let mut leaves = Vec::new();
    collect(value, &mut leaves);
    let count = leaves.len().max(1);
    if let Some(leaf) = leaves.into_iter().nth(usize::from(leaf) % count) {
        let choice = usize::from(by) % 32;
        *leaf = match (choice, &*leaf) {
            (0, _) => Value::Null,
            (_, Value::Bool(was)) => Value::Bool(!was),
            (_, Value::String(_)) if choice < 20 => MEMBERS[choice % MEMBERS.len()].into(),
            (_, Value::String(_)) => "y".repeat(choice * 20).into(),
            (_, _) if choice > 10 => NUMBERS[choice % NUMBERS.len()].into(),
            (_, _) => usize::from(by).into(),
        };
    }
}

/// All but the kind, at any depth.
fn collect<'a>(value: &'a mut Value, leaves: &mut Vec<&'a mut Value>) {
    match value {
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(name, _)| *name != "kind")
            .for_each(|(_, field)| collect(field, leaves)),
        Value::Array(items) => items.iter_mut().for_each(|item| collect(item, leaves)),
        leaf => leaves.push(leaf),
    }
}

fn through_json(board: &Board) -> Board {
    let text = serde_json::to_string(board).expect("a board is JSON");
    check_texts(board);
    let read: Board = serde_json::from_str(&text).expect("and can be read again");
    assert!(read == *board, "and is the same");
    read
}

/// No text is longer than a board's longest, a sentence, may be, but those of a played fault: it stands as it was asked for, which was bounded.
fn check_texts(board: &Board) {
    let mut bounded = board.clone();
    bounded.faults.clear();
    let text = serde_json::to_string(&bounded).expect("a board is JSON");
    let longest = text.split('"').map(str::len).max().unwrap_or(0);
    assert!(longest <= DETAIL, "a text of {longest} bytes in {text}");
}

fn check(board: &Board, now: u64) {
    through_json(board);
    assert!(board.gone.len() <= GONE && board.faults.len() <= FAULTS);
    assert!(board.gaps.len() <= GAPS && board.refusals.len() <= REFUSALS);
    assert!(board.coordinators().count() <= COORDINATORS);
    for group in board.groups() {
        let key = &group.key;
        assert_eq!(*key, GroupKey::new(&key.cluster, &key.group));
        check_group(board, group, UnixMs(START + now));
        check_group(board, group, UnixMs(START + now + 3_600_000));
    }
}

fn check_group(board: &Board, group: &Group, now: UnixMs) {
    assert!(group.departed.len() <= DEPARTED && group.rebalances.len() <= REBALANCES);
    assert!(group.latency.len() <= NODES + 1);
    for rebalance in group.rebalances.iter().chain(&group.open) {
        assert!(rebalance.rejoined.len() <= NAMED);
    }
    for (id, member) in group.members.iter() {
        assert_eq!(*id, member.id);
        assert!(member.cells.len() <= CELLS && member.rejoins.len() <= REJOINS);
        assert!(!member.state_reason(now).is_empty());
        let _any_of_them = (member.state(now), member.session_left(now));
    }
    let findings = health::verdicts(board, group, now);
    assert!(findings.iter().all(|finding| !finding.sentence.is_empty()));
    assert!(!health::verdict(board, group, now).sentence.is_empty());
}
