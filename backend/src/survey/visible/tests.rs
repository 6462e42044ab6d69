//! The table, cell by cell: a group of each kind before each source alone. A member comes, and goes soon after a commit.

use std::sync::Arc;

use shared::board::{Group as Shown, Rebalance};
use shared::event::{Change, Departure, RebalanceCause};
use shared::ids::{MemberId, NodeId};
use shared::time::{Millis, UnixMs};

use super::{Cell, Fact, Kind, Source, TABLE, cell};
use crate::survey::brokers::{
    Cluster, Group, InLog, Kind as Type, Log, Record, commit, consumer, group, member, sat, tombstone,
};

const ONE: NodeId = NodeId(1);
const LOG: InLog = InLog(Type::Consumer, "orders");
const SOURCES: [Source; 4] = [Source::List, Source::Description, Source::Log, Source::Both];
const KINDS: [Kind; 2] = [Kind::Classic, Kind::Epochs];

/// The group `orders` before one source.
struct Scene {
    source: Source,
    kind: Kind,
    cluster: Cluster,
}

impl Scene {
    /// `a` alone in it, in generation or epoch 3, for a while.
    fn new(source: Source, kind: Kind) -> Self {
        let mut cluster = Cluster::of(&[ONE]);
        cluster.log = Log::led_by(ONE);
        cluster.log.denied = matches!(source, Source::List | Source::Description);
        let mut scene = Self {
            source,
            kind,
            cluster,
        };
        scene.shows("Stable", "Stable", 3, &["a"]);
        match kind {
            Kind::Classic => scene.stored(3, &["a"]),
            Kind::Epochs => scene.write(&[
                LOG.member("a", None, &["t"]),
                LOG.epoch(3, 7),
                LOG.target(3),
                LOG.stands("a", 3, true),
            ]),
        }
        scene.cluster.run(Millis(8_000));
        scene
    }

    /// What lists and descriptions say from now on.
    fn shows(&mut self, classic: &str, newer: &str, epoch: i32, members: &[&str]) {
        let shown = match self.kind {
            Kind::Classic => {
                let members: Vec<_> = members.iter().map(|id| member(id, "c")).collect();
                Group::classic(classic, &members)
            }
            Kind::Epochs => {
                let members: Vec<_> = members.iter().map(|id| consumer(id, "c", epoch)).collect();
                Group::new("consumer", newer, epoch, &members)
            }
        };
        let shown = match self.source {
            Source::List | Source::Log => shown.not_described(30),
            Source::Description | Source::Both => shown,
        };
        self.cluster.put(ONE, "orders", shown);
    }

    fn write(&mut self, records: &[Record]) {
        for record in records {
            self.cluster.write(record);
        }
    }

    /// A classic group's record, a second after its join phase.
    fn stored(&mut self, generation: i32, members: &[&str]) {
        let members: Vec<_> = (0..).zip(members).map(|(owned, id)| sat(id, owned)).collect();
        let formed = UnixMs(self.cluster.unix().0 - 1_000);
        self.write(&[group("orders", generation, formed, &members)]);
    }

    /// `b` comes: generation or epoch 5, for which nobody saw 4.
    fn comes(&mut self) {
        if self.kind == Kind::Epochs {
            self.write(&[LOG.member("b", None, &["t"]), LOG.epoch(5, 7)]);
        }
        self.shows("PreparingRebalance", "Reconciling", 5, &["a", "b"]);
        self.cluster.run(Millis(8_000));
        match self.kind {
            Kind::Classic => self.stored(5, &["a", "b"]),
            Kind::Epochs => self.write(&[LOG.target(5), LOG.stands("b", 5, true), LOG.stands("a", 5, true)]),
        }
        self.shows("Stable", "Stable", 5, &["a", "b"]);
        self.cluster.run(Millis(8_000));
    }

    /// `b` commits and goes: generation or epoch 6.
    fn goes(&mut self) {
        self.write(&[commit("orders", 1)]);
        self.cluster.run(Millis(2_000));
        if self.kind == Kind::Epochs {
            let [stood, gone] = LOG.gone("b");
            self.write(&[stood, gone, LOG.epoch(6, 7)]);
        }
        self.shows("PreparingRebalance", "Reconciling", 6, &["a"]);
        self.cluster.run(Millis(8_000));
        match self.kind {
            Kind::Classic => self.stored(6, &["a"]),
            Kind::Epochs => self.write(&[LOG.target(6), LOG.stands("a", 6, true)]),
        }
        self.shows("Stable", "Stable", 6, &["a"]);
        self.cluster.run(Millis(8_000));
    }

    /// It empties, is deleted and made anew by `a` before anybody looks again: generation or epoch 1.
    fn is_made_anew(&mut self) {
        match self.kind {
            Kind::Classic => {
                self.stored(7, &[]);
                self.write(&[tombstone("orders")]);
                self.stored(1, &["a"]);
            }
            Kind::Epochs => {
                let [stood, gone] = LOG.gone("a");
                self.write(&[stood, gone, LOG.epoch(7, 7)]);
                self.write(&[LOG.no_more(), LOG.member("a", None, &["t"]), LOG.epoch(1, 7)]);
                self.write(&[LOG.target(1), LOG.stands("a", 1, true)]);
            }
        }
        self.shows("Stable", "Stable", 1, &["a"]);
        self.cluster.run(Millis(8_000));
    }

    /// How often it was found.
    fn lives(&self) -> usize {
        let told = self.cluster.of_group("orders");
        let kinds = told.iter().map(Change::kind);
        let kinds: Vec<&str> = kinds
            .filter(|kind| ["group_found", "group_gone"].contains(kind))
            .collect();
        let lives = kinds.len().div_ceil(2);
        let expected = ["group_found", "group_gone"]
            .into_iter()
            .cycle()
            .take(kinds.len());
        assert!(kinds.iter().copied().eq(expected), "{kinds:?}");
        lives
    }

    /// What the board shows of it, by all that was told.
    fn shown(&self) -> Arc<Shown> {
        self.cluster.shown("orders")
    }
}

/// Whether the fact is on the board, of the rebalance that `b`'s coming or going brought about.
fn is_told(fact: Fact, came: &Shown, went: &Shown, lives: usize) -> bool {
    let b = MemberId::from("b");
    let coming: Option<&Rebalance> = came.rebalances.first().map(|row| &**row);
    let going: Option<&Rebalance> = went.rebalances.first().map(|row| &**row);
    let of_coming = |is: &dyn Fn(&Rebalance) -> bool| coming.is_some_and(is);
    let named = |row: &Rebalance, list: &dyn Fn(&Rebalance) -> Option<bool>| list(row) == Some(true);
    let gone = || went.departed.iter().find(|gone| gone.id == b);
    match fact {
        Fact::Start => of_coming(&|row| row.started.get().is_some()),
        Fact::ExactStart => of_coming(&|row| row.started.get().is_some() && row.started_earliest.is_none()),
        Fact::End => of_coming(&|row| row.finished.get().is_some()),
        // Written at the moment at which the second generation or epoch was stored: 16 s after the start, and 3 ms of connecting.
        Fact::ExactEnd => of_coming(&|row| {
            let end = row.finished.get().map(|end| end.0 - 1_700_000_000_000);
            end == Some(17_000)
        }),
        Fact::Number => of_coming(&|row| row.generation.is_some_and(|number| number.0 == 5)),
        Fact::JoinPhase => of_coming(&|row| row.join_ms.get().is_some()),
        Fact::SyncPhase => of_coming(&|row| row.sync_ms.get() == Some(&1_000)),
        Fact::Cause => {
            of_coming(&|row| row.cause() == RebalanceCause::MemberJoined && row.member.get() == Some(&b))
        }
        Fact::Culprit => going.is_some_and(|row| row.member.get() == Some(&b)),
        Fact::Joined => {
            let listed = came.members.get(&b).is_some_and(|row| row.named);
            listed || of_coming(&|row| named(row, &|row| Some(row.joined.get()?.contains(&b))))
        }
        Fact::Left => {
            let told = |row: &Rebalance| named(row, &|row| Some(row.left.get()?.contains(&b)));
            gone().is_some() || going.is_some_and(told)
        }
        Fact::Way => gone().is_some_and(|gone| gone.end.possible.len() == 1),
        Fact::NoTimeout => gone().is_some_and(|gone| !gone.end.possible.contains(&Departure::TimedOut)),
        Fact::Rejoined => of_coming(&|row| {
            let mut rejoined = row.rejoined.iter();
            rejoined.any(|row| row.member.as_str() == "a" && row.took_ms.get() == Some(&8_000))
        }),
        Fact::Missed => of_coming(&|row| row.missed.get() == Some(&1)),
        Fact::Anew => lives == 2,
    }
}

#[test]
fn each_source_tells_what_it_can_and_nothing_of_what_it_cannot() {
    let mut wrong = Vec::new();
    for kind in KINDS {
        for source in SOURCES {
            let mut scene = Scene::new(source, kind);
            scene.comes();
            let came = scene.shown();
            scene.goes();
            let went = scene.shown();
            scene.is_made_anew();
            for (fact, _) in TABLE {
                let expected = cell(*fact, source, kind) == Some(Cell::Must);
                if is_told(*fact, &came, &went, scene.lives()) != expected {
                    wrong.push((kind, source, *fact, expected));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "not as the table says (expected): {wrong:#?}");
}

#[test]
fn the_table_has_each_fact_once_and_says_of_each_that_cannot_be_told_why() {
    let mut facts: Vec<Fact> = Vec::new();
    for (fact, row) in TABLE {
        assert!(!facts.contains(fact), "{fact:?} twice");
        facts.push(*fact);
        for cell in row.iter().flatten() {
            if let Cell::Cannot(why) = cell {
                assert!(why.len() > 20 && !why.ends_with('.'), "{fact:?}: {why}");
            }
        }
    }
}
