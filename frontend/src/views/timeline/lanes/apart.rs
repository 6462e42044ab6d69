//! What lanes of one host and name are told apart by.

use shared::ids::MemberId;

use super::Lane;
use crate::views::words::{apart, spelled};

/// Lanes of one host and name stand together; each is told by the id it had last.
pub(super) fn tell_apart(lanes: &mut [Lane]) {
    for alike in lanes.chunk_by_mut(|one, other| one.host == other.host && one.name == other.name) {
        if alike.len() > 1 {
            let last = |lane: &Lane| lane.lives.last().map(|life| life.member.clone());
            let ids: Vec<MemberId> = alike.iter().filter_map(last).collect();
            let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
            for (lane, apart) in alike.iter_mut().zip(apart(&ids)) {
                lane.apart = apart;
            }
        }
    }
}

impl Lane {
    /// What it is called, with what tells it from others of that name.
    #[must_use]
    pub fn label(&self) -> String {
        let name = spelled(&self.name);
        if self.apart.is_empty() {
            return name;
        }
        [&name, " ", &spelled(&self.apart)].concat()
    }
}
