//! Members that are no longer in their group, and how they went.

use serde::Serialize;

use super::beats::Tally;
use super::churn::Identity;
use super::member::{Member, Phase, Refusal};
use super::own_word::{BeatRefused, LostBeat, Unanswered, Withheld};
use super::state::MemberState;
use super::told::{Sources, Told};
use crate::error_code;
use crate::event::{Departure, Evidence, Source};
use crate::health::words;
use crate::ids::{Generation, InstanceId, MemberId};
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// A member that is no longer in its group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Departed {
    /// Its member id.
    pub id: MemberId,
    /// `client.id`.
    pub client_id: Option<String>,
    /// Where it came from.
    pub host: Option<String>,
    /// `group.instance.id` of a static member.
    pub instance_id: Option<InstanceId>,
    /// The last generation it was in.
    pub generation: Option<Generation>,
    /// Its session timeout.
    pub session_timeout: Option<Millis>,
    /// When the last answer renewed its session.
    pub renewed: Told<UnixMs>,
    /// When a partition it owned was committed last before it went, as the offsets log tells; our own coordinator counts that as
    /// [`Self::renewed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<UnixMs>,
    /// Since when it was there.
    pub since: Option<UnixMs>,
    /// How it went.
    pub end: End,
    /// The error no retry can mend that had ended it before, one of ours, as a clause.
    pub fatal: Option<String>,
    /// The right it was refused when that ended it.
    pub refused: Option<Refusal>,
    /// Whether it went without a heartbeat that its source, which sees them, ever saw.
    #[serde(default)]
    pub never_beat: bool,
    /// Whether it was told to join again (27) and had not.
    #[serde(default)]
    pub told: bool,
    /// Whether a 27 of its last second, which its summary brings, still tells it so: it was not ours and joined no more.
    #[serde(default)]
    pub(super) heeds: bool,
    /// Since when its SyncGroup was awaited when it went.
    #[serde(default)]
    pub sync_due: Option<UnixMs>,
    /// The request of one of ours that had no answer when it went, or shortly before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
    /// Why it sent no heartbeats when it went, one of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
    /// Its heartbeat that was given up last, one of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_beat: Option<LostBeat>,
    /// The last error before its end that its heartbeats were answered with, one of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::board) beat_refused: Option<BeatRefused>,
    /// When the client of its JoinGroup closed the connection, where no later request of it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<UnixMs>,
    /// Whether the group then waited for it as its leader.
    #[serde(default)]
    pub led: bool,
    /// When an answer took this id from one of ours, which goes on under another; its coordinator may still have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disowned: Option<UnixMs>,
    /// When it was told by an 82 that another member has its instance id: the second in which a heartbeat of it was last answered so.
    #[serde(default)]
    pub fenced_at: Option<UnixMs>,
    /// Who saw it, alive or going.
    pub sources: Sources,
    /// Seconds whose summaries may still come.
    pub(super) tallies: Vec<Tally>,
}

/// How a membership ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct End {
    /// One of the ended states: expired, evicted, left, gone, fenced.
    pub state: MemberState,
    /// When, at the latest.
    pub at: UnixMs,
    /// When, at the earliest, where `at` is not exact.
    pub at_earliest: Option<UnixMs>,
    /// Why, as a sentence.
    pub cause: String,
    /// What it can have been, where that is not visible.
    pub possible: Vec<Departure>,
    /// How it is known.
    pub evidence: Evidence,
    /// Who says so.
    pub source: Source,
}

impl End {
    /// It had told its coordinator that it leaves, and is not there any more.
    pub(super) fn has_left(&mut self) {
        self.state = MemberState::Left;
        self.possible = vec![Departure::Left];
        self.cause = "It was told to leave, and its coordinator no longer lists it.".to_owned();
    }

    /// Whether this tells more than `other`: a better source, or as good a one that can say what it was.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        let vague = |end: &Self| end.state == MemberState::Gone;
        match (vague(self), vague(other)) {
            (false, true) => true,
            (true, false) => false,
            _ => self.source < other.source,
        }
    }
}

impl Departed {
    /// From its row.
    pub(super) fn from_row(member: &Member, end: End) -> Self {
        let mut departed = Self {
            id: member.id.clone(),
            client_id: member
                .client_id
                .get()
                .cloned()
                .or_else(|| member.goes_by.as_ref().map(|name| name.as_str().to_owned())),
            host: member.host.get().cloned(),
            instance_id: member.instance_id.get().cloned(),
            generation: member.generation.get().copied(),
            session_timeout: member.session_timeout.get().copied(),
            renewed: member.renewed,
            committed: None,
            since: Some(member.since),
            sources: member.sources,
            tallies: Vec::clone(&member.tallies),
            fatal: fatal(member),
            never_beat: member.never_beat(),
            told: member.told_to_rejoin() && member.join_since.is_none(),
            heeds: !member.is_ours() && member.join_since.is_none(),
            sync_due: member.sync_due,
            unanswered: member.unanswered.as_deref().cloned(),
            withheld: member.withheld.as_deref().cloned(),
            lost_beat: member.lost_beat.as_deref().cloned(),
            beat_refused: None,
            abandoned: member.abandoned,
            led: false,
            disowned: None,
            fenced_at: None,
            refused: member.refusal().filter(|_| member.has_failed()).cloned(),
            end,
        };
        departed.keep_refused();
        departed
    }

    /// From its id alone: nobody had seen it before.
    pub(super) fn unseen(id: MemberId, end: End) -> Self {
        Self {
            id,
            client_id: None,
            host: None,
            instance_id: None,
            generation: None,
            session_timeout: None,
            renewed: Told::default(),
            committed: None,
            since: None,
            sources: Sources::from(end.source),
            end,
            fatal: None,
            refused: None,
            never_beat: false,
            told: false,
            heeds: false,
            sync_due: None,
            unanswered: None,
            withheld: None,
            lost_beat: None,
            beat_refused: None,
            abandoned: None,
            led: false,
            disowned: None,
            fenced_at: None,
            tallies: Vec::new(),
        }
    }

    /// What tells it from others.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity {
            client_id: self.client_id.clone(),
            host: self.host.clone(),
            instance_id: self.instance_id.clone(),
        }
    }

    /// What people called it: its client id, else its id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.client_id.as_deref().unwrap_or_else(|| self.id.as_str())
    }

    /// How it went, as a sentence with its numbers; where that is not visible, what it can have been. What the
    /// coordinator says in the end does not hide the error that had ended it.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.fatal {
            Some(fatal) => format!("Ended by {fatal}; then: {}", self.how_it_went()),
            None => self.how_it_went(),
        }
    }

    fn how_it_went(&self) -> String {
        if self.end.state != MemberState::Gone || self.end.possible.is_empty() {
            return self.end.cause.clone();
        }
        let which = words::which_departure(&self.end.possible);
        format!("It is not visible {which}: {}", self.end.cause)
    }
}

/// What ended one of ours that no retry could mend: "30 GROUP_AUTHORIZATION_FAILED: READ on group orders is missing".
fn fatal(member: &Member) -> Option<String> {
    let Phase::Failed { error, sentence } = &member.phase else {
        return None;
    };
    Some(match (member.refusal(), error) {
        (Some(refused), _) => format!(
            "{}: {} is missing",
            error_code::label(refused.error),
            refused.right
        ),
        (None, Some(code)) => error_code::label(*code),
        (None, None) => sentence.clone(),
    })
}
