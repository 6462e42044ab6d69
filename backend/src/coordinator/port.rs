//! What the coordinator is told and what it says.

use std::sync::Arc;

use shared::event::Change;
use shared::ids::{GroupId, MemberId, NodeId};
use shared::protocol::offsets_log::OffsetsRecord;
use shared::protocol::{AnyRequest, AnyResponse};

/// The number under which a request's answer comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// The number under which [`Input::Appended`] tells what became of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppendId(pub u64);

/// Who asks: what the coordinator keeps of a new member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// From the request's header.
    pub client_id: &'a str,
    /// As Kafka shows it: the address after a slash, `/127.0.0.1`.
    pub host: &'a str,
}

/// The circumstances of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    pub ticket: Ticket,
    /// The version of its API; one that the API's schema table has.
    pub version: i16,
    pub from: Origin<'a>,
}

/// What the coordinator is told.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "made and taken apart at once; a box would cost an allocation a heartbeat"
)]
pub enum Input<'a> {
    /// A request came. It is answered once: now, or when what it waits for has happened.
    Request(Call<'a>, AnyRequest),
    /// Somebody else answered this request with an error (a fault): the coordinator only tells of it.
    Refused(Origin<'a>, &'a AnyRequest, i16),
    /// The client behind a request that waits has closed its connection. What it asked for stays as it is.
    Gone(Ticket),
    /// Somebody new is in the group, and these members are out for it: a coordinator that does so is at fault. None of them is
    /// told.
    Displace { group: GroupId, others: Vec<MemberId> },
    /// Time passed.
    Tick,
    /// Stand still: no deadline passes until [`Input::Thaw`].
    Freeze,
    /// Go on: what was due is due later by as long as it stood still, and every member gets a full session.
    Thaw,
    /// A partition of `__consumer_offsets` is another broker's from now on (`node` is the one that had it): its groups go,
    /// what waits in them is answered 16, and so is whoever asks for them.
    Unload { node: NodeId, partition: i32 },
    /// `node` has the partition from now on and begins to read it: until [`Input::Loaded`] requests about its groups are
    /// answered 14, SyncGroup 27, heartbeats 0. Where the partition was here it is unloaded first.
    LoadBegins { node: NodeId, partition: i32 },
    /// What the partition holds, oldest first: its groups are as these records say, and every member has a full session
    /// from now. Where no [`Input::LoadBegins`] came before, it began just now.
    Loaded {
        node: NodeId,
        partition: i32,
        records: Vec<OffsetsRecord>,
    },
    /// What became of an [`Output::Append`]: the log has it, or the log's own error. Each is told once, in the order in
    /// which the appends came out.
    Appended {
        append: AppendId,
        result: Result<(), i16>,
    },
}

/// What the coordinator says.
#[derive(Debug, PartialEq)]
pub enum Output {
    /// The answer to a request.
    Reply { ticket: Ticket, response: AnyResponse },
    /// Something happened.
    Observed(Observed),
    /// These records belong into the log, all or none of them. Whoever waits for it is answered at [`Input::Appended`].
    /// Their times are -1: the machine knows no wall clock, so whoever stores them fills those in.
    Append {
        append: AppendId,
        partition: i32,
        records: Vec<OffsetsRecord>,
    },
}

/// Something that happened in a group, at the moment of the input it follows from.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    pub group: GroupId,
    pub member: Option<MemberId>,
    pub change: Change,
}

/// A member that was asked for by name.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    pub group: &'a GroupId,
    pub id: &'a MemberId,
    pub client_id: &'a Arc<str>,
}
