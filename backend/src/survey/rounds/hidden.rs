//! Topics that may not be seen: how far groups are behind on them is not visible.

use std::collections::{BTreeSet, VecDeque};

use shared::error_code;
use shared::time::Timestamp;

use crate::limits;
use crate::survey::port::{Output, Report};

/// Which they are: some by name, the others by their number.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    /// Those of which it was told.
    named: BTreeSet<String>,
    unnamed: BTreeSet<String>,
    /// How many unnamed ones were told last.
    told: usize,
}

impl Hidden {
    /// Takes in with which code a topic was answered, and tells that it may not be seen, or may again.
    pub(super) fn answered(&mut self, now: Timestamp, topic: &str, error: i16, out: &mut VecDeque<Output>) {
        match error {
            error_code::TOPIC_AUTHORIZATION_FAILED => {
                if self.named.contains(topic) {
                    return;
                }
                if self.named.len() < limits::ROUND_HIDDEN {
                    self.unnamed.remove(topic);
                    self.named.insert(topic.to_owned());
                    tell(now, true, right(topic), out);
                } else if self.unnamed.len() < limits::ROUND_HIDDEN_UNNAMED {
                    self.unnamed.insert(topic.to_owned());
                }
            }
            error_code::NONE => {
                self.unnamed.remove(topic);
                if self.named.remove(topic) {
                    tell(now, false, right(topic), out);
                }
            }
            _ => {}
        }
    }

    /// Tells once a round how many there are beyond those that are named.
    pub(super) fn count(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        let before = std::mem::replace(&mut self.told, self.unnamed.len());
        if before == self.told {
            return;
        }
        for (many, missing) in [(before, false), (self.told, true)] {
            if many > 0 {
                tell(now, missing, right_on_more(many), out);
            }
        }
    }
}

fn right(topic: &str) -> String {
    format!("DESCRIBE on topic {topic}: how far groups have read it, and how much is left, is not visible")
}

fn right_on_more(many: usize) -> String {
    format!(
        "DESCRIBE on {many} more topics: how far groups have read them, and how much is left, is not visible"
    )
}

fn tell(now: Timestamp, missing: bool, right: String, out: &mut VecDeque<Output>) {
    out.push_back(Output::Report(if missing {
        Report::missing(now, error_code::TOPIC_AUTHORIZATION_FAILED, right)
    } else {
        Report::granted(now, right)
    }));
}

#[cfg(test)]
mod tests {
    use shared::event::Change;

    use super::*;

    /// What is missing after what was told, in the order of the alphabet.
    fn missing(out: &mut VecDeque<Output>, mut before: BTreeSet<String>) -> BTreeSet<String> {
        for output in out.drain(..) {
            let Output::Report(report) = output else {
                panic!("{output:?}")
            };
            match report.change {
                Change::NotAuthorized { error: 29, right } => assert!(before.insert(right)),
                Change::Authorized { right } => assert!(before.remove(&right)),
                other => panic!("{other:?}"),
            }
        }
        before
    }

    #[test]
    fn of_many_topics_that_may_not_be_seen_some_are_named_and_the_others_counted_until_they_may() {
        let (mut hidden, mut out) = (Hidden::default(), VecDeque::new());
        let now = Timestamp::default();
        let many = limits::ROUND_HIDDEN + 36;
        let mut round = |error, out: &mut VecDeque<Output>| {
            for number in 0..many {
                hidden.answered(now, &format!("t{number:02}"), error, out);
            }
            hidden.count(now, out);
        };
        round(29, &mut out);
        let told = missing(&mut out, BTreeSet::new());
        assert_eq!(told.len(), limits::ROUND_HIDDEN + 1);
        assert!(told.contains(&right_on_more(36)), "{told:?}");
        assert!(told.contains(&right("t00")), "{told:?}");
        round(29, &mut out);
        assert!(out.is_empty(), "once");
        // A topic that is answered by a broker that is just starting is neither.
        round(3, &mut out);
        assert!(out.is_empty());
        round(0, &mut out);
        assert_eq!(missing(&mut out, told), BTreeSet::new());
    }
}
