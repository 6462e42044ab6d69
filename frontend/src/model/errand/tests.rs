//! Errands on a simulated clock.

use super::*;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

#[test]
fn a_wanted_errand_is_asked_for_once_until_it_is_answered() {
    let mut errand = Errand::new(Jitter::Fixed(0.5));
    assert_eq!(errand.poll(at(1)), None);
    errand.want();
    let ticket = errand.poll(at(1)).expect("due at once");
    assert_eq!(errand.poll(at(2)), None, "one request at a time");
    assert!(errand.settle(ticket));
    assert!(!errand.is_wanted());
}

#[test]
fn an_answer_to_an_earlier_request_is_of_no_use() {
    let mut errand = Errand::new(Jitter::Fixed(0.5));
    errand.want();
    let old = errand.poll(at(1)).expect("due");
    errand.want();
    let new = errand.poll(at(2)).expect("due");
    assert!(!errand.settle(old));
    assert!(errand.is_wanted());
    assert!(errand.settle(new));
}

#[test]
fn a_failed_request_is_made_again_later_and_later() {
    let mut errand = Errand::new(Jitter::Fixed(0.5));
    errand.want();
    let mut now = at(0);
    let mut gaps = Vec::new();
    for _ in 0..6 {
        let ticket = errand.poll(now).expect("due");
        assert!(errand.settle(ticket));
        errand.retry(now);
        let failed = now;
        while errand.state != (State::Due { at: now }) {
            assert_eq!(errand.poll(now), None, "before its time");
            now = now + Millis(1);
        }
        gaps.push(now.micros_since(failed));
    }
    assert!(gaps.is_sorted() && gaps[0] > 0, "{gaps:?}");
}

#[test]
fn only_a_request_on_its_way_is_renewed() {
    let mut errand = Errand::new(Jitter::Fixed(0.5));
    errand.renew();
    assert!(!errand.is_wanted());
    errand.want();
    let lost = errand.poll(at(1)).expect("due");
    errand.renew();
    assert!(errand.poll(at(2)).is_some_and(|ticket| ticket != lost));
}
