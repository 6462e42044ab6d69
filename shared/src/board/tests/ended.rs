//! Members of ours that end without having left.

use super::story::*;
use crate::event::{Change, DeathCause, Departure};
use crate::fault::Fault;
use crate::ids::{MemberId, NodeId};
use crate::member::{MoveCause, State};

/// A survey does not list a member any more.
fn missed() -> Change {
    Change::MemberGone {
        possible: vec![Departure::TimedOut],
        why: "not listed".into(),
    }
}

/// What the machine of one of ours tells when it ends without having been answered to LeaveGroup.
fn at_its_end() -> Change {
    moved(State::Stable, State::Ended, MoveCause::LeaveEnded)
}

#[test]
fn one_of_ours_that_ended_without_leaving_is_in_the_group_no_more_and_its_coordinator_not_dead() {
    let mut story = Story::default();
    story.probe("m", found(1)).probe("m-7", joined("m", 1));
    let dead = Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    story.at(50).probe("m", dead);
    // The survey misses it while ours still runs: that proves nothing of one that tells of itself.
    story.at(60).survey("m-7", missed());
    assert_eq!(story.members(), ["m-7"]);
    assert!(story.group().death().is_some());
    story.at(70).probe("m", at_its_end());
    assert!(story.members().is_empty());
    assert_eq!(story.departed(), ["m-7"]);
    let gone = &story.group().departed[0];
    assert_eq!(
        gone.reason(),
        "Ended by us without leaving: its coordinator keeps it until its session is over."
    );
    assert!(story.group().death().is_none());
    assert_eq!(story.group().state.get(), None);
}

#[test]
fn one_of_ours_that_ends_before_it_has_an_id_leaves_no_row() {
    let mut story = Story::default();
    story.probe("m", found(1)).probe("m", at_its_end());
    assert!(story.members().is_empty() && story.departed().is_empty());
    story.probe("m", at_its_end());
    assert!(story.members().is_empty());
}

#[test]
fn our_own_coordinator_tells_how_the_session_of_one_that_ended_without_leaving_runs_out() {
    let mut story = Story::default();
    story.embedded("m-7", joined("m", 1)).probe("m-7", joined("m", 1));
    story.at(50).probe("m", at_its_end());
    assert_eq!(story.members(), ["m-7"]);
}

#[test]
fn one_of_ours_whose_socket_was_cut_is_gone_once_a_survey_misses_it() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    let fault = Fault::Kill {
        member: MemberId::from("m"),
    };
    story.at(50).probe("m-7", Change::FaultPlayed { fault });
    story.at(60).survey("m-7", missed());
    assert!(story.members().is_empty());
}
