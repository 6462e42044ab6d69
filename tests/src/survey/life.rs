//! The lives of groups of stock clients as the survey shows them, whatever their type: at each rest beside what Kafka's own tools print, and
//! in the end beside the broker's log.

use std::collections::BTreeMap;

use shared::event::Change;

use super::{
    Tool, at_rest, epochs_are_those_of_the_log, is_as_printed, lag_is_as_printed,
    rebalances_are_those_of_the_log, row, watching,
};
use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::peers::client::Client;
use crate::peers::newcomer::{Kind, Newcomer};
use crate::peers::stories::commits_two_of_three;
use crate::peers::{Assignor, Peer, Protocol, Role};
use crate::wait::wait_until;

/// Partitions of each topic.
const PARTITIONS: usize = 6;

/// `max.poll.interval.ms` of a member that is to be stalled past it, and its session where it chooses that: librdkafka takes no longer
/// session than this.
const IMPATIENT_MS: u32 = 6_000;

/// How long it is stalled: it is out, and seen to be out, before that ends.
const STALL_MS: u32 = 20_000;

/// The session of a static member of the classic protocol, which is away for a while.
const AWAY_MS: u32 = 30_000;

/// Whose life it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    Classic(Client, Assignor),
    /// KIP-848.
    Consumer(Client),
    /// The Java client's.
    Share,
    /// The same.
    Streams,
}

/// One member of it.
#[derive(Debug)]
enum Member {
    Peer(Peer),
    Newcomer(Newcomer),
}

/// A group with a topic of its name and another, under the eyes of a survey.
#[derive(Debug)]
struct Life<'a> {
    cast: Cast,
    broker: &'a Broker,
    group: String,
    other: String,
    heartline: Heartline,
}

impl Cast {
    /// Which tool knows the group.
    const fn tool(self) -> Tool {
        match self {
            Self::Classic(..) => Tool::Classic,
            Self::Consumer(_) => Tool::Consumer,
            Self::Share => Tool::Share,
            Self::Streams => Tool::Streams,
        }
    }

    /// What its members are programs of.
    #[must_use]
    pub const fn client(self) -> Client {
        match self {
            Self::Classic(client, _) | Self::Consumer(client) => client,
            Self::Share | Self::Streams => Client::Java,
        }
    }

    /// What tells its group from others.
    fn name(self) -> String {
        match self {
            Self::Classic(client, Assignor::Eager) => format!("{client}-eager"),
            Self::Classic(client, Assignor::CooperativeSticky) => format!("{client}-cooperative"),
            Self::Consumer(client) => format!("{client}-consumer"),
            Self::Share => "share".to_owned(),
            Self::Streams => "streams".to_owned(),
        }
    }

    /// A member; one with an instance id is a stock client's consumer.
    fn start(self, address: &str, group: &str, client_id: &str, instance_id: Option<String>) -> Member {
        let mut role = Role::new(address, group, client_id);
        role.session_timeout_ms = instance_id.as_ref().map_or(IMPATIENT_MS, |_| AWAY_MS);
        role.rebalance_timeout_ms = instance_id.as_ref().map_or(IMPATIENT_MS, |_| AWAY_MS);
        role.instance_id = instance_id;
        let newcomer = |kind| {
            let started = Newcomer::start_with(kind, address, group, group, client_id, IMPATIENT_MS);
            Member::Newcomer(started)
        };
        match self {
            Self::Classic(client, assignor) => {
                role.assignor = assignor;
                Member::Peer(Peer::start(client, role))
            }
            Self::Consumer(client) => {
                role.protocol = Protocol::Consumer;
                Member::Peer(Peer::start(client, role))
            }
            Self::Share => newcomer(Kind::Share),
            Self::Streams => newcomer(Kind::Streams),
        }
    }
}

impl Member {
    fn kill(self) {
        match self {
            Self::Peer(peer) => peer.kill(),
            Self::Newcomer(mut newcomer) => newcomer.kill(),
        }
    }

    fn stall(&mut self, ms: u32) {
        match self {
            Self::Peer(peer) => peer.stall(ms),
            Self::Newcomer(newcomer) => newcomer.stall(ms),
        }
    }

    fn subscribe(&mut self, topic: &str) {
        match self {
            Self::Peer(peer) => peer.subscribe(topic),
            Self::Newcomer(newcomer) => newcomer.subscribe(topic),
        }
    }

    async fn leave(self) {
        match self {
            Self::Peer(peer) => peer.leave().await,
            Self::Newcomer(newcomer) => newcomer.leave().await,
        }
    }
}

impl<'a> Life<'a> {
    async fn new(broker: &'a Broker, cast: Cast, kind: &str) -> Self {
        let group = format!("{kind}-{}", cast.name());
        let other = format!("{group}-other");
        broker
            .create_topics(&[group.clone(), other.clone()], PARTITIONS)
            .await;
        Self {
            cast,
            broker,
            group,
            other,
            heartline: watching(&broker.address(), &[]).await,
        }
    }

    fn start(&self, client_id: &str) -> Member {
        self.cast
            .start(&self.broker.address(), &self.group, client_id, None)
    }

    fn start_static(&self, client_id: &str) -> Member {
        let instance = Some(format!("instance-{client_id}"));
        self.cast
            .start(&self.broker.address(), &self.group, client_id, instance)
    }

    async fn rests(&self, members: usize) {
        self.rests_with(members, PARTITIONS).await;
    }

    async fn rests_with(&self, members: usize, partitions: usize) {
        at_rest(
            &self.heartline,
            self.cast.tool(),
            &self.group,
            members,
            partitions,
        )
        .await;
    }

    async fn is_printed(&self) {
        is_as_printed(&self.heartline, self.cast.tool(), self.broker, &self.group).await;
    }

    /// Waits until so many records are left, where that is known, as the tool says.
    async fn lags_by(&self, left: Option<i64>) {
        let tool = self.cast.tool();
        lag_is_as_printed(&self.heartline, tool, self.broker, &self.group, left).await;
    }

    /// Waits until nothing is left, and produces one record more, which a member of a streams group may read at once.
    async fn falls_behind(&self, producer: &mut Peer) {
        self.lags_by(Some(0)).await;
        producer.produce(0, &["third".to_owned()]).await;
        self.lags_by((self.cast == Cast::Share).then_some(1)).await;
    }

    /// Who produces to the group's topic, in a group of its own, where its members do not.
    fn producer(&self) -> Option<Peer> {
        let wanted = matches!(self.cast, Cast::Share | Cast::Streams);
        wanted.then(|| {
            let mut role = Role::new(
                &self.broker.address(),
                &format!("{}-producer", self.group),
                "producer",
            );
            role.topic.clone_from(&self.group);
            Peer::start(Client::Java, role)
        })
    }

    async fn is_empty(&self) {
        row(&self.heartline, &self.group, "empty", |row| {
            row["state"] == "Empty"
        })
        .await;
        self.is_printed().await;
    }

    /// Compares the rebalances, at least so many, with the broker's log.
    async fn is_logged(&self, least: usize) {
        let (heartline, brokers) = (&self.heartline, &[self.broker]);
        match self.cast {
            Cast::Classic(..) => {
                rebalances_are_those_of_the_log(heartline, brokers, &self.group, least).await;
            }
            _ => epochs_are_those_of_the_log(heartline, brokers, &self.group, least).await,
        }
    }

    /// Member ids by instance id.
    async fn seats(&self) -> BTreeMap<String, String> {
        let path = format!("/api/group?group={}", self.group);
        let (_, whole) = self.heartline.get(&path).await;
        let members = whole["members"].as_array().cloned().unwrap_or_default();
        let seats = members.iter().filter_map(|member| {
            let [instance, id] = ["instance_id", "member"].map(|key| member[key].as_str().map(str::to_owned));
            Some((instance?, id?))
        });
        seats.collect()
    }

    /// Waits until another than before has a static member's seat, is told to have replaced that, and nobody else has moved.
    async fn is_taken_over(&self, instance: &str, before: &BTreeMap<String, String>) {
        let what = format!("{instance} under another id");
        let heir = wait_until(&what, async || {
            let mut now = self.seats().await;
            let heir = now.insert(instance.to_owned(), before[instance].clone());
            match heir.filter(|heir| now == *before && *heir != before[instance]) {
                Some(heir) => Ok(heir),
                None => Err(now),
            }
        })
        .await;
        self.heartline
            .event_after(0, &what, |event| match &event.what.change {
                Change::MemberReplaced { by: Some(by), .. } => (by.as_str() == heir).then_some(()),
                _ => None,
            })
            .await;
        self.rests(2).await;
        self.is_printed().await;
    }
}

/// Members come, are killed, stall past their max.poll.interval, change their subscription, commit, are redeployed one by one, and go.
///
/// # Panics
///
/// Where what is shown differs from what the tools print or what the log says.
pub async fn members_live_as_log_and_tools_say(broker: &Broker, cast: Cast) {
    let life = Life::new(broker, cast, "life").await;
    let mut a = life.start("a");
    life.rests(1).await;
    let b = life.start("b");
    life.rests(2).await;
    life.is_printed().await;
    let mut producer = life.producer();
    if let Some(producer) = &mut producer {
        let records = ["first", "second"].map(str::to_owned);
        producer.produce(0, &records).await;
    }
    if cast == Cast::Share {
        life.lags_by(Some(0)).await;
    }
    b.kill();
    life.rests(1).await;
    let mut c = life.start("c");
    life.rests(2).await;

    c.stall(STALL_MS);
    life.rests(1).await;
    life.rests(2).await;
    life.is_printed().await;

    // The topics of a topology do not change. And librdkafka with a cooperative assignor does not rejoin once it was stalled.
    if cast != Cast::Streams {
        let restless = match cast {
            Cast::Classic(..) => &mut a,
            _ => &mut c,
        };
        restless.subscribe(&life.other);
        life.rests_with(2, 2 * PARTITIONS).await;
        life.is_printed().await;
        restless.subscribe(&life.group);
        life.rests(2).await;
    }
    if let Member::Peer(a) = &mut a {
        commits_two_of_three(a).await;
        life.lags_by(Some(1)).await;
    }

    a.leave().await;
    life.rests(1).await;
    let d = life.start("d");
    life.rests(2).await;
    c.leave().await;
    life.rests(1).await;
    let e = life.start("e");
    life.rests(2).await;
    life.is_printed().await;

    d.leave().await;
    life.rests(1).await;
    // What its members had read they committed when they left; the tool prints no offsets of a streams group without members.
    if let (Cast::Streams, Some(producer)) = (cast, &mut producer) {
        life.falls_behind(producer).await;
    }
    e.leave().await;
    life.is_empty().await;
    if let (Cast::Share, Some(producer)) = (cast, &mut producer) {
        life.falls_behind(producer).await;
    }
    // A streams group's topics do not change, and its members come one by one, too.
    life.is_logged(if cast == Cast::Streams { 12 } else { 14 }).await;
}

/// Static members are redeployed one by one, which is no rebalance.
///
/// # Panics
///
/// Where what is shown differs from what the tools print or what the log says.
pub async fn static_members_are_replaced_without_a_rebalance(broker: &Broker, cast: Cast) {
    let life = Life::new(broker, cast, "static").await;
    let a = life.start_static("a");
    life.rests(1).await;
    let b = life.start_static("b");
    life.rests(2).await;
    life.is_printed().await;
    let seats = life.seats().await;
    // In KIP-848 who is killed keeps its seat until its session is over.
    match cast {
        Cast::Classic(..) => b.kill(),
        _ => b.leave().await,
    }
    let b = life.start_static("b");
    life.is_taken_over("instance-b", &seats).await;
    let seats = life.seats().await;
    a.leave().await;
    let a = life.start_static("a");
    life.is_taken_over("instance-a", &seats).await;
    // Who does not come back keeps its seat until its session is over.
    b.leave().await;
    a.leave().await;
    life.is_empty().await;
    life.is_logged(3).await;
}
