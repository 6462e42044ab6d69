//! Sequences from a seed.

mod dice;

use dice::Dice;

use super::step::{
    Action, Id, Instance, Join, Names, Parts, Protocol, Sequence, Span, Spoken, Step, Sync, Topic,
};

/// Versions that Kafka 4.3 and the embedded coordinator speak.
const JOIN: [i16; 2] = [0, 9];
const SYNC: [i16; 2] = [0, 5];
const BEAT: [i16; 2] = [0, 4];
const LEAVE: [i16; 2] = [0, 5];
const COMMIT: [i16; 2] = [2, 10];
const LOOK: [i16; 2] = [0, 6];
const OFFSETS: [i16; 2] = [1, 10];
const LIST: [i16; 2] = [0, 5];

/// The first version that asks for every offset of a group.
const ALL_OFFSETS: i16 = 2;

/// The first versions that carry a group.instance.id.
const STATIC_JOIN: i16 = 5;
const STATIC_SYNC: i16 = 3;
const STATIC_BEAT: i16 = 3;
const STATIC_LEAVE: i16 = 3;
const STATIC_COMMIT: i16 = 7;

/// What deadlines a sequence waits for. One kind only: the order of two that are close together would be chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deadlines {
    None,
    Sessions,
    Rebalances,
}

/// The sequence of a seed: always the same.
#[must_use]
pub fn sequence(seed: u64) -> Sequence {
    let mut random = Dice::of(seed);
    let actors = 2 + random.below(3);
    let deadlines = match random.below(6) {
        0 => Deadlines::Sessions,
        1 => Deadlines::Rebalances,
        _ => Deadlines::None,
    };
    let mut maker = Maker {
        statics: (0..actors).map(|_| random.one_in(3)).collect(),
        mortal: (0..actors).map(|_| random.one_in(2)).collect(),
        modern: random.one_in(2),
        random,
        deadlines,
        steps: Vec::new(),
    };
    let length = if deadlines == Deadlines::None {
        15 + maker.random.below(25)
    } else {
        6 + maker.random.below(10)
    };
    maker.round();
    while maker.steps.len() < length {
        match maker.random.below(10) {
            0 => maker.round(),
            1 => maker.syncs(),
            _ => {
                maker.anything();
                maker.maybe_nameless();
            }
        }
    }
    maker.end();
    Sequence {
        name: format!("seed {seed}"),
        steps: maker.steps,
    }
}

struct Maker {
    random: Dice,
    /// Who has a group.instance.id.
    statics: Vec<bool>,
    /// Whose session is short, where sessions end.
    mortal: Vec<bool>,
    /// Everybody mostly speaks the newest versions.
    modern: bool,
    deadlines: Deadlines,
    steps: Vec<Step>,
}

impl Maker {
    fn push(&mut self, actor: usize, action: Action) {
        let look = self.version(LOOK, None);
        self.steps.push(Step { actor, action, look });
    }

    fn actor(&mut self) -> usize {
        self.random.below(self.statics.len())
    }

    fn version(&mut self, [min, max]: [i16; 2], least: Option<i16>) -> i16 {
        let newest = if self.modern { 3 } else { 6 };
        if !self.random.one_in(newest) && self.modern {
            return max;
        }
        let span = usize::try_from(max - min + 1).unwrap_or(1);
        let version = min + i16::try_from(self.random.below(span)).unwrap_or(0);
        version.max(least.unwrap_or(min))
    }

    /// Usually the actor's own names; sometimes somebody else's, or nobody's.
    fn names(&mut self, actor: usize) -> Names {
        let other = self.actor();
        let is_static = self.statics.get(actor).copied().unwrap_or(false);
        let id = match self.random.below(20) {
            0 => Id::Stranger,
            1 => Id::Of(other),
            2 => Id::Former,
            3 => Id::Empty,
            _ => Id::Own,
        };
        let own = if is_static {
            Instance::Own
        } else {
            Instance::Absent
        };
        let instance = match self.random.below(24) {
            0 => Instance::Absent,
            1 => Instance::Of(other),
            2 => Instance::Stranger,
            3 if is_static => Instance::Absent,
            4 if self.random.one_in(3) => Instance::Empty,
            _ => own,
        };
        Names { id, instance }
    }

    fn right_names(&self, actor: usize) -> Names {
        let is_static = self.statics.get(actor).copied().unwrap_or(false);
        Names {
            id: Id::Own,
            instance: if is_static {
                Instance::Own
            } else {
                Instance::Absent
            },
        }
    }

    fn generation(&mut self) -> i32 {
        match self.random.below(12) {
            0 => 1,
            1 => -1,
            _ => 0,
        }
    }

    fn protocols(&mut self) -> Vec<Protocol> {
        let topic = u8::from(self.random.one_in(6));
        match self.random.below(12) {
            0 => vec![Protocol("b", topic), Protocol("a", topic)],
            1 => vec![Protocol("b", topic)],
            2 => vec![Protocol("c", topic)],
            3 if self.random.one_in(3) => Vec::new(),
            _ => vec![Protocol("a", topic), Protocol("b", topic)],
        }
    }

    fn join(&mut self, actor: usize, names: Names, protocols: Vec<Protocol>) {
        let least = (names.instance != Instance::Absent).then_some(STATIC_JOIN);
        let mortal = self.mortal.get(actor).copied().unwrap_or(false);
        let session = match self.deadlines {
            Deadlines::Sessions if mortal => Span::Short,
            _ if self.random.one_in(40) => Span::BelowLimit,
            _ if self.random.one_in(60) => Span::AboveLimit,
            _ => Span::Long,
        };
        let rebalance = match self.deadlines {
            Deadlines::Rebalances => Span::Short,
            Deadlines::None | Deadlines::Sessions => Span::Long,
        };
        // Version 0 has one timeout for both.
        let least = if self.deadlines == Deadlines::None {
            least
        } else {
            least.or(Some(1))
        };
        let join = Join {
            version: self.version(JOIN, least),
            names,
            protocol_type: if self.random.one_in(30) {
                "other"
            } else {
                "consumer"
            },
            protocols,
            session,
            rebalance,
        };
        self.push(actor, Action::Join(join));
    }

    fn sync(&mut self, actor: usize, names: Names, generation: i32, parts: Parts) {
        let least = (names.instance != Instance::Absent).then_some(STATIC_SYNC);
        let spoken = match self.random.below(24) {
            0 => Spoken::WrongType,
            1 => Spoken::WrongName,
            2 => Spoken::Nothing,
            _ => Spoken::Right,
        };
        let sync = Sync {
            version: self.version(SYNC, least),
            names,
            generation,
            spoken,
            parts,
        };
        self.push(actor, Action::Sync(sync));
    }

    /// Most of the actors join, with the id they are given, and sync.
    fn round(&mut self) {
        let protocols = vec![Protocol("a", 0), Protocol("b", 0)];
        for actor in 0..self.statics.len() {
            if self.random.one_in(5) {
                continue;
            }
            let names = self.right_names(actor);
            self.join(actor, names, protocols.clone());
            if names.instance == Instance::Absent && !self.random.one_in(3) {
                self.join(actor, names, protocols.clone());
            }
        }
        self.syncs();
    }

    fn syncs(&mut self) {
        let first = self.actor();
        let count = self.statics.len();
        for actor in (0..count).map(|offset| (first + offset) % count) {
            if !self.random.one_in(8) {
                let names = self.right_names(actor);
                self.sync(actor, names, 0, Parts::Everybodys);
            }
        }
    }

    fn anything(&mut self) {
        let actor = self.actor();
        let names = self.names(actor);
        let is_static = names.instance != Instance::Absent;
        match self.random.below(20) {
            0..=5 => {
                let protocols = self.protocols();
                self.join(actor, names, protocols);
            }
            6..=9 => {
                let generation = self.generation();
                let parts = match self.random.below(6) {
                    0 => Parts::Nobodys,
                    1 => Parts::AllBut(self.actor()),
                    _ => Parts::Everybodys,
                };
                self.sync(actor, names, generation, parts);
            }
            10..=13 => {
                let version = self.version(BEAT, is_static.then_some(STATIC_BEAT));
                let generation = self.generation();
                self.push(
                    actor,
                    Action::Beat {
                        version,
                        names,
                        generation,
                    },
                );
            }
            14..=15 => self.leave(actor, names),
            16..=17 => self.commit(actor, names),
            18 => self.offsets(actor, names),
            _ => {
                let version = self.version(LIST, None);
                self.push(actor, Action::List { version });
            }
        }
    }

    fn leave(&mut self, actor: usize, names: Names) {
        let mut members = vec![names];
        while self.random.one_in(3) {
            let names = Names {
                id: Id::Of(self.actor()),
                ..self.names(actor)
            };
            members.push(names);
        }
        let batch = members.len() > 1 || names.instance != Instance::Absent;
        let version = self.version(LEAVE, batch.then_some(STATIC_LEAVE));
        self.push(actor, Action::Leave { version, members });
    }

    fn commit(&mut self, actor: usize, names: Names) {
        let least = (names.instance != Instance::Absent).then_some(STATIC_COMMIT);
        let (names, generation) = if self.random.one_in(6) {
            let outside = Names {
                id: Id::Empty,
                instance: Instance::Absent,
            };
            (outside, None)
        } else {
            (names, Some(self.generation()))
        };
        let topic = match self.random.below(8) {
            0 => Topic::Unknown,
            1 => Topic::UnknownPartition,
            _ => Topic::Known,
        };
        let version = self.version(COMMIT, least);
        self.push(
            actor,
            Action::Commit {
                version,
                names,
                generation,
                topic,
            },
        );
    }

    fn offsets(&mut self, actor: usize, names: Names) {
        let topic = match self.random.below(8) {
            0 => Some(Topic::Unknown),
            1 => Some(Topic::UnknownPartition),
            2..=4 => Some(Topic::Known),
            _ => None,
        };
        let version = self.version(OFFSETS, topic.is_none().then_some(ALL_OFFSETS));
        let generation = self.generation();
        self.push(
            actor,
            Action::Offsets {
                version,
                names,
                generation,
                topic,
            },
        );
    }

    /// Now and then what was said last is said to the group without an id: it has no members, and nothing lasts there.
    fn maybe_nameless(&mut self) {
        if !self.random.one_in(40) {
            return;
        }
        if let Some(step) = self.steps.last_mut()
            && matches!(
                step.action,
                Action::Join(_) | Action::Sync(_) | Action::Beat { .. } | Action::Leave { .. }
            )
        {
            let said = std::mem::replace(&mut step.action, Action::Await);
            step.action = Action::Nameless(Box::new(said));
        }
    }

    /// Silence, and what everybody hears after it.
    fn end(&mut self) {
        let units = match self.deadlines {
            Deadlines::None => return,
            Deadlines::Sessions => 1,
            // One deadline may bring the next: joins, then syncs, then joins again.
            Deadlines::Rebalances => 4,
        };
        self.push(0, Action::Pass { units });
        for actor in 0..self.statics.len() {
            let names = self.right_names(actor);
            let is_static = names.instance != Instance::Absent;
            let version = self.version(BEAT, is_static.then_some(STATIC_BEAT));
            self.push(
                actor,
                Action::Beat {
                    version,
                    names,
                    generation: 0,
                },
            );
        }
    }
}
