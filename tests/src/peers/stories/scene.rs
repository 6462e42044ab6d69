//! Where a story is played: one client, one coordinator, one group with a topic of its own.

use std::net::SocketAddr;

use super::all_partitions;
use crate::group::{Group, Roster};
use crate::peers::client::Client;
use crate::peers::said::{Said, consumed, owned};
use crate::peers::server::Server;
use crate::peers::{Peer, Role};
use crate::wait::wait_until;

/// Enough for two and three members alike.
pub const PARTITIONS: usize = 6;

/// What a story is given.
#[derive(Debug)]
pub struct Scene {
    pub client: Client,
    /// `host:port`.
    pub bootstrap: String,
    /// Of the group, and of its topic.
    pub name: String,
    /// The coordinator itself, where the story may stop it.
    pub server: Option<Server>,
}

impl Scene {
    /// The role of a member.
    #[must_use]
    pub fn role(&self, client_id: &str) -> Role {
        Role::new(&self.bootstrap, &self.name, client_id)
    }

    /// Starts a member.
    #[must_use]
    pub fn start(&self, client_id: &str) -> Peer {
        self.start_as(self.role(client_id))
    }

    /// Starts a member in a role of its own.
    #[must_use]
    pub fn start_as(&self, role: Role) -> Peer {
        Peer::start(self.client, role)
    }

    /// The group, as the coordinator tells.
    ///
    /// # Panics
    ///
    /// Where the bootstrap address is none.
    #[must_use]
    pub fn group(&self) -> Group {
        let address: SocketAddr = self.bootstrap.parse().expect("an address");
        Group::new(&address.into(), &self.name, &self.name)
    }

    /// Waits until the group is stable with these members alone, and each has by its own account what the coordinator says.
    pub async fn settled(&self, peers: &mut [&mut Peer]) -> Roster {
        let group = self.group();
        let names: Vec<String> = peers.iter().map(|peer| peer.role().client_id.clone()).collect();
        let what = format!(
            "{names:?} to share the partitions of {} ({})",
            self.name, self.client
        );
        let settled = wait_until(&what, async || {
            if let Some(ended) = peers.iter_mut().find_map(|peer| peer.ending()) {
                return Ok(Err(ended));
            }
            let owned: usize = peers.iter().map(|peer| peer.owned().len()).sum();
            if owned != PARTITIONS {
                let said: Vec<_> = peers.iter().map(|peer| peer.said()).collect();
                return Err(format!("{said:?}"));
            }
            let roster = group.roster().await?;
            let agreed = peers.iter().all(|peer| agrees(peer, &roster));
            if agreed && roster.seats.len() == peers.len() && roster.shares_all(PARTITIONS) {
                Ok(Ok(roster))
            } else {
                Err(format!("{roster:?}"))
            }
        })
        .await;
        settled.unwrap_or_else(|ended| panic!("waited for {what}, but {ended}"))
    }
}

/// Whether peer and coordinator are of one mind about its member id and its partitions.
fn agrees(peer: &Peer, roster: &Roster) -> bool {
    let member = peer.membership().map(|(member, _generation)| member);
    let seat = member.and_then(|member| roster.seat(&member));
    seat.is_some_and(|seat| seat.partitions == peer.owned())
}

/// Has a peer produce these values to every partition.
pub(crate) async fn produce_to_all(peer: &mut Peer, values: &[&str]) {
    let values: Vec<String> = values.iter().copied().map(str::to_owned).collect();
    for partition in all_partitions() {
        peer.produce(partition, &values).await;
    }
}

/// Has a peer that owns partitions, or is about to, produce three records to one of them, and commit behind the second.
pub async fn commits_two_of_three(peer: &mut Peer) {
    let partition = peer
        .until(0, "partitions", |said| owned(said).first().copied())
        .await;
    let mark = peer.mark();
    peer.produce(partition, &["first", "second"].map(str::to_owned))
        .await;
    consumed_since(peer, mark, 2).await;
    peer.commit().await;
    peer.produce(partition, &["third".to_owned()]).await;
    consumed_since(peer, mark, 3).await;
}

/// The same once it was assigned partitions after a mark.
pub async fn lags_by_one(peer: &mut Peer, mark: usize) {
    peer.until(mark, "an assignment", |said| {
        let assigned = |said: &Said| matches!(said, Said::Assigned { .. });
        said.iter().any(assigned).then_some(())
    })
    .await;
    commits_two_of_three(peer).await;
}

/// Waits until a peer has consumed that many records after a mark: partition, offset, value.
pub async fn consumed_since(peer: &mut Peer, mark: usize, count: usize) -> Vec<(i32, i64, String)> {
    peer.until(mark, &format!("{count} records consumed"), |said| {
        let consumed = consumed(said);
        (consumed.len() >= count).then_some(consumed)
    })
    .await
}
