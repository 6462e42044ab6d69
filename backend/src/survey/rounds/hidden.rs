//! Topics that may not be seen: how far groups are behind on them is not visible.

use std::collections::{BTreeSet, VecDeque};

use shared::error_code;
use shared::event::Change;
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
                    tell(now, true, Some(topic), 0, out);
                } else if self.unnamed.len() < limits::ROUND_HIDDEN_UNNAMED {
                    self.unnamed.insert(topic.to_owned());
                }
            }
            error_code::NONE => {
                self.unnamed.remove(topic);
                if self.named.remove(topic) {
                    tell(now, false, Some(topic), 0, out);
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
                tell(now, missing, None, many, out);
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

/// That the right is missing on a topic, or on so many more, or that it is there again.
fn tell(now: Timestamp, missing: bool, topic: Option<&str>, more: usize, out: &mut VecDeque<Output>) {
    let right = topic.map_or_else(|| right_on_more(more), right);
    out.push_back(Output::Report(if missing {
        let change = Change::NotAuthorized {
            error: error_code::TOPIC_AUTHORIZATION_FAILED,
            right,
            topic: topic.map(str::to_owned),
            unnamed: u32::try_from(more).unwrap_or(u32::MAX),
        };
        Report::of_cluster(now, change)
    } else {
        Report::granted(now, right)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is missing after what was told, in the order of the alphabet.
    fn missing(out: &mut VecDeque<Output>, mut before: BTreeSet<String>) -> BTreeSet<String> {
        for output in out.drain(..) {
            let Output::Report(report) = output else {
                panic!("{output:?}")
            };
            match report.change {
                Change::NotAuthorized {
                    error: 29,
                    right,
                    topic,
                    unnamed,
                } => {
                    let named = topic.as_deref().map(super::right);
                    assert_eq!(named.unwrap_or_else(|| right_on_more(unnamed as usize)), right);
                    assert!(before.insert(right));
                }
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
