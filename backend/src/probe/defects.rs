//! What our members can be made to do wrong, so that an operator sees how such a client looks.
//!
//! A defective member is a real one: it goes on by its rules but for one, and all it tells is true.

use shared::member::{AnswerFault, Input, LinkId, Token};
use shared::protocol::AnyRequest;
use shared::rules::{Effect, Rules};
use shared::time::{Millis, Timestamp};

/// Something a member is told to do beside its membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// Do not obey 27 to a heartbeat, for so long.
    IgnoreRebalance { lasts: Millis },
    /// Keep so many of the next SyncGroups.
    WithholdSync { times: u32 },
    /// Join again so often, each time so long after it is in.
    Rejoin { times: u32, every: Millis },
    /// Be a good member again.
    Behave,
}

/// The defects of one member.
#[derive(Debug)]
pub(super) struct Defects {
    rules: Rules,
    /// When it obeys 27 again.
    deaf_until: Option<Timestamp>,
    syncs_to_withhold: u32,
    withheld: Option<Withheld>,
    rejoins_left: u32,
    rejoin_every: Millis,
    rejoin_at: Option<Timestamp>,
}

/// A SyncGroup that its member takes for sent.
#[derive(Debug)]
struct Withheld {
    link: LinkId,
    token: Token,
    /// Then it is given up, as any request is.
    until: Timestamp,
}

impl Defects {
    pub(super) const fn none(rules: Rules) -> Self {
        Self {
            rules,
            deaf_until: None,
            syncs_to_withhold: 0,
            withheld: None,
            rejoins_left: 0,
            rejoin_every: Millis(0),
            rejoin_at: None,
        }
    }

    /// Takes up what the member is told to do; `stable` is whether it is in its group now.
    pub(super) fn take_up(&mut self, now: Timestamp, deed: Deed, stable: bool) -> Option<Input> {
        match deed {
            Deed::IgnoreRebalance { lasts } => {
                self.deaf_until = Some(now + lasts);
                let mut deaf = self.rules.answers;
                deaf.heartbeat.rebalance_in_progress = Effect::Accept;
                Some(Input::Obey(deaf))
            }
            Deed::WithholdSync { times } => {
                self.syncs_to_withhold = times;
                None
            }
            Deed::Rejoin { times, every } => {
                self.rejoins_left = times;
                self.rejoin_every = every;
                self.rejoin_at = stable.then_some(now);
                None
            }
            Deed::Behave => {
                self.syncs_to_withhold = 0;
                self.rejoins_left = 0;
                self.rejoin_at = None;
                if let Some(withheld) = &mut self.withheld {
                    withheld.until = now;
                }
                let deaf = self.deaf_until.take().is_some();
                deaf.then_some(Input::Obey(self.rules.answers))
            }
        }
    }

    /// Whether a request is kept instead of being sent.
    pub(super) fn withholds(
        &mut self,
        now: Timestamp,
        (link, token): (LinkId, Token),
        request: &AnyRequest,
        timeout: Millis,
    ) -> bool {
        let keep = self.syncs_to_withhold > 0 && matches!(request, AnyRequest::SyncGroup(_));
        if keep {
            self.syncs_to_withhold -= 1;
            let until = now + timeout;
            self.withheld = Some(Withheld { link, token, until });
        }
        keep
    }

    /// A connection has ended, and with it what was to be sent on it.
    pub(super) fn disconnected(&mut self, link: LinkId) {
        self.withheld = self.withheld.take().filter(|withheld| withheld.link != link);
    }

    /// The member is in its group.
    pub(super) fn became_stable(&mut self, now: Timestamp) {
        if self.rejoins_left > 0 {
            self.rejoin_at = Some(now + self.rejoin_every);
        }
    }

    /// When [`Self::due`] must be asked.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let withheld = self.withheld.as_ref().map(|withheld| withheld.until);
        [self.deaf_until, withheld, self.rejoin_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// What has come due, one at a time.
    pub(super) fn due(&mut self, now: Timestamp) -> Option<Input> {
        let is_due = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        if is_due(self.deaf_until) {
            self.deaf_until = None;
            return Some(Input::Obey(self.rules.answers));
        }
        if let Some(Withheld { link, token, .. }) = self.withheld.take_if(|withheld| withheld.until <= now) {
            let detail = Some("its SyncGroup was withheld by a fault".to_owned());
            let result = Err(AnswerFault::Timeout { detail });
            return Some(Input::Answer { link, token, result });
        }
        if is_due(self.rejoin_at) {
            self.rejoin_at = None;
            self.rejoins_left = self.rejoins_left.saturating_sub(1);
            return Some(Input::Rejoin);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use shared::protocol::SyncGroupRequest;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000);

    fn at(millis: u64) -> Timestamp {
        NOW + Millis(millis)
    }

    #[test]
    fn a_deaf_member_hears_again_when_its_time_is_over_or_it_is_told_to_behave() {
        let deaf = || {
            let mut defects = Defects::none(Rules::MODERN);
            let input = defects.take_up(NOW, Deed::IgnoreRebalance { lasts: Millis(5) }, true);
            match input {
                Some(Input::Obey(answers)) => {
                    assert_eq!(answers.heartbeat.rebalance_in_progress, Effect::Accept);
                }
                other => panic!("{other:?}"),
            }
            defects
        };
        let mended = Some(Input::Obey(Rules::MODERN.answers));
        let mut defects = deaf();
        assert_eq!((defects.deadline(), defects.due(at(4))), (Some(at(5)), None));
        assert_eq!((defects.due(at(5)), defects.deadline()), (mended.clone(), None));
        let mut defects = deaf();
        assert_eq!(defects.take_up(at(1), Deed::Behave, true), mended);
        assert_eq!(defects.deadline(), None);
    }

    #[test]
    fn a_withheld_sync_is_given_up_at_its_timeout_and_forgotten_with_its_connection() {
        let mut defects = Defects::none(Rules::MODERN);
        defects.take_up(NOW, Deed::WithholdSync { times: 2 }, true);
        let (link, sync) = (LinkId(1), AnyRequest::from(SyncGroupRequest::default()));
        assert!(defects.withholds(NOW, (link, Token(7)), &sync, Millis(30)));
        assert_eq!(defects.due(at(29)), None);
        match defects.due(at(30)) {
            Some(Input::Answer {
                token: Token(7),
                result: Err(AnswerFault::Timeout { .. }),
                ..
            }) => {}
            other => panic!("{other:?}"),
        }
        assert!(defects.withholds(NOW, (link, Token(8)), &sync, Millis(30)));
        defects.disconnected(link);
        assert_eq!(defects.deadline(), None);
        assert!(
            !defects.withholds(NOW, (link, Token(9)), &sync, Millis(30)),
            "twice was asked for"
        );
    }

    #[test]
    fn a_restless_member_rejoins_whenever_it_is_in_as_often_as_it_was_told() {
        let mut defects = Defects::none(Rules::MODERN);
        let every = Millis(10);
        defects.take_up(NOW, Deed::Rejoin { times: 2, every }, true);
        assert_eq!(defects.due(NOW), Some(Input::Rejoin));
        assert_eq!(defects.deadline(), None, "not before it is in again");
        defects.became_stable(at(5));
        assert_eq!(
            (defects.due(at(14)), defects.due(at(15))),
            (None, Some(Input::Rejoin))
        );
        defects.became_stable(at(20));
        assert_eq!(defects.deadline(), None);
    }
}
