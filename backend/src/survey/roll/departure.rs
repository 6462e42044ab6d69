//! How a member may have gone that its coordinator no longer lists.

use std::collections::BTreeMap;

use shared::event::{Change, Departure, GroupType};
use shared::health::words::span;
use shared::ids::{GroupId, MemberId};
use shared::time::Timestamp;

use crate::survey::ledger::{Committed, Hidden, Ledger, Sign};
use crate::survey::look::Seen;
use crate::survey::visible::{self, Fact, Kind, Source};

/// What can be said of a member of `group` that was found missing at `now`, with `there` still listed.
pub(super) fn of(
    now: Timestamp,
    group: &GroupId,
    group_type: &GroupType,
    gone: &Seen,
    there: &BTreeMap<MemberId, Box<Seen>>,
    ledger: &Ledger,
) -> Change {
    let heir = gone.instance.as_ref().and_then(|instance| {
        let mut there = there.values();
        there.find(|member| member.instance.as_ref() == Some(instance))
    });
    if let Some(heir) = heir {
        return Change::MemberReplaced {
            cause: "Another member has its group instance id now.".to_owned(),
            by: Some(heir.id.clone()),
        };
    }
    missing(group_type, ledger.sign(now, group, &gone.id))
}

/// What can be said of one whose place nobody took.
fn missing(group_type: &GroupType, sign: Sign) -> Change {
    let lived = if *group_type == GroupType::Classic {
        lived(sign)
    } else {
        let why = |fact| visible::why_not(fact, Source::Both, Kind::Epochs);
        Lived::Unknown(format!("{}, and {}", why(Fact::Way), why(Fact::NoTimeout)))
    };
    let (possible, why) = match lived {
        Lived::Yes(how) => (vec![Departure::Left, Departure::Evicted], how),
        Lived::Unknown(why) => (
            vec![Departure::Left, Departure::TimedOut, Departure::Evicted],
            why,
        ),
    };
    Change::MemberGone {
        possible,
        why: format!("The coordinator no longer lists it; {why}."),
    }
}

/// Whether the member's session can have been over.
enum Lived {
    /// It was not, and how that is known.
    Yes(String),
    /// That is not known, and why.
    Unknown(String),
}

/// A plain commit renews the session of who makes it (protocol.md 3.7), so whoever was gone before a session had passed
/// since its last one did not time out.
fn lived(sign: Sign) -> Lived {
    let unknown = match sign {
        Sign::Named {
            session,
            committed: Committed::Within(ago),
        } => {
            let (before, timeout) = (span(ago), span(session));
            if ago < session {
                return Lived::Yes(format!(
                    "its last commit was at most {before} before that was seen, and its session timeout is {timeout}: it did \
                     not time out"
                ));
            }
            format!(
                "the last commit of it that was seen was up to {before} before, and its session timeout is {timeout}, so \
                 that its session may have been over"
            )
        }
        Sign::Named {
            session,
            committed: Committed::Before,
        } => format!(
            "the last commit of it that the offsets log has was made before Heartline read on that log, and its session \
             timeout is {}, so that its session may have been over",
            span(session)
        ),
        Sign::Named {
            committed: Committed::InTransactions,
            ..
        } => "it committed in transactions only, which renews no session".to_owned(),
        Sign::Named {
            committed: Committed::Never,
            ..
        } => "it was not seen to commit, which would renew its session".to_owned(),
        Sign::Unnamed => {
            "no record of the offsets log names it, and no answer of a broker says why".to_owned()
        }
        Sign::Hidden(Hidden::Denied) => {
            "its commits, which could tell why, are not visible without READ on topic __consumer_offsets"
                .to_owned()
        }
        Sign::Hidden(Hidden::Absent) => "there is no offsets log that could tell why".to_owned(),
        Sign::Hidden(Hidden::Unread) => {
            "the offsets log, which could tell why, was not read yet when that was seen".to_owned()
        }
    };
    Lived::Unknown(unknown)
}

#[cfg(test)]
mod tests {
    use shared::board::limits::DETAIL;
    use shared::ids::NodeId;
    use shared::time::Millis;

    use super::*;
    use crate::survey::roll::group::Known;

    #[test]
    fn every_sentence_on_a_departure_is_whole_on_a_board() {
        let long = Millis(86_399_999);
        let named = |committed| Sign::Named {
            session: long,
            committed,
        };
        let signs = [
            named(Committed::Within(Millis(long.0 - 1))),
            named(Committed::Within(long)),
            named(Committed::Before),
            named(Committed::InTransactions),
            named(Committed::Never),
            Sign::Unnamed,
            Sign::Hidden(Hidden::Denied),
            Sign::Hidden(Hidden::Absent),
            Sign::Hidden(Hidden::Unread),
        ];
        for group_type in [GroupType::Classic, GroupType::Consumer] {
            let mut known = Known::new(NodeId(1), group_type.clone(), Timestamp(1));
            known.before = true;
            for sign in signs {
                let change = known.went_unseen(missing(&group_type, sign));
                let Change::MemberGone { why, .. } = change else {
                    unreachable!()
                };
                assert!(
                    why.starts_with("It went while Heartline was not running."),
                    "{why}"
                );
                assert!(why.len() <= DETAIL, "{} bytes: {why}", why.len());
            }
        }
    }
}
