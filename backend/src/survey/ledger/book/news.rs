//! What a record tells, as news.

use shared::ids::GroupId;

use super::{Heard, Place};
use crate::survey::ledger::classic::{Classic, Since};
use crate::survey::ledger::{Ended, News, Turned};

/// That there is no group of that name any more, where that is news.
pub(super) fn ended(place: &Place, group: &str, number: Option<i32>) -> Option<News> {
    let heard = place.heard?;
    Some(News::Ended(Ended {
        group: GroupId::from(group),
        number,
        at: place.written_at,
        since: heard.since,
    }))
}

/// What became of a classic group, where that is news.
pub(super) fn news(group: GroupId, since: Since, after: &Classic, heard: Heard) -> Option<News> {
    match since {
        Since::Nothing => None,
        Since::Replaced(heirs) if heirs.is_empty() => None,
        Since::Replaced(heirs) => Some(News::Replaced {
            group,
            at: after.written_at,
            heirs,
        }),
        Since::Rebalanced(rebalanced) => Some(News::Turned(Turned {
            group,
            rebalanced,
            formed_at: after.formed_at,
            at: after.written_at,
            since: heard.since,
            concluded: false,
        })),
    }
}
