//! One partition of the offsets log: who leads it, and how far it is read.

use shared::ids::NodeId;
use shared::time::Timestamp;

/// A partition.
#[derive(Debug, Default)]
pub(super) struct Feed {
    pub(super) leader: Option<NodeId>,
    /// Since when whoever leads it lists the groups that it names, as far as is known.
    pub(super) led_since: Timestamp,
    pub(super) tail: Option<Tail>,
    pub(super) past: Past,
}

/// Its end, from our start on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    /// The next offset to read.
    pub(super) next: i64,
    /// What stands there and behind was written after this.
    pub(super) since: Timestamp,
}

/// What was written before our start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Past {
    /// Where it begins is not known yet.
    #[default]
    Unread,
    /// It is read from `next` on, to where the tail began.
    Reading { next: i64, end: i64 },
    /// All of it is read.
    Read,
}

impl Feed {
    /// Whether nothing is known of where it begins and ends.
    pub(super) fn is_untouched(&self) -> bool {
        self.tail.is_none() && self.past == Past::Unread
    }

    /// It was not there at `since`: all that stands in it was written after our start.
    pub(super) const fn all_is_news(&mut self, since: Timestamp) {
        self.tail = Some(Tail { next: 0, since });
        self.past = Past::Read;
    }

    /// Where the end is, as asked at `asked`.
    pub(super) fn ends(&mut self, end: i64, asked: Timestamp) {
        self.tail = Some(Tail {
            next: end,
            since: asked,
        });
    }

    /// Where the begin is. Whether all is read with that.
    pub(super) fn begins(&mut self, begin: i64) -> bool {
        let Some(tail) = self.tail else { return false };
        let end = tail.next;
        if self.past == Past::Unread {
            self.past = Past::Reading { next: begin, end };
        }
        self.past_to(begin)
    }

    /// The past is read up to `offset`. Whether all is read with that.
    pub(super) fn past_to(&mut self, offset: i64) -> bool {
        let Past::Reading { next, end } = &mut self.past else {
            return false;
        };
        *next = offset.max(*next);
        let read = *next >= *end;
        if read {
            self.past = Past::Read;
        }
        read
    }

    /// Nothing that was read of it counts: the log is not what it was.
    pub(super) fn reset(&mut self) {
        self.tail = None;
        self.past = Past::Unread;
    }
}
