//! What the book takes in when it is full, and what it gives back.

use shared::ids::{GroupId, MemberId};
use shared::protocol::Uuid;
use shared::protocol::offsets_log::{
    GroupMetadataKeyView, GroupMetadataValueView, MemberMetadataView, OffsetCommitKeyView,
    OffsetCommitValueView,
};
use shared::time::UnixMs;

use crate::survey::ledger::book::{Book, Place};

const ROOM: usize = 100_000;

const fn place(position: i64) -> Place {
    Place {
        partition: 0,
        position,
        written_at: UnixMs(0),
        heard: None,
        in_transaction: false,
    }
}

const fn value() -> OffsetCommitValueView<'static> {
    OffsetCommitValueView {
        offset: 1,
        leader_epoch: -1,
        metadata: "",
        commit_timestamp: 0,
        expire_timestamp: -1,
        topic_id: Uuid::ZERO,
    }
}

fn commit(book: &mut Book, position: i64, partition: i32, taken_back: bool) {
    let key = OffsetCommitKeyView {
        group: "g",
        topic: "t",
        partition,
    };
    let value = (!taken_back).then(value);
    book.commit(&place(position), &key, value.as_ref());
}

fn group(book: &mut Book, position: i64, id: &str, members: usize) {
    let names: Vec<String> = (0..members).map(|number| format!("m-{number}")).collect();
    let members = names.iter().map(|name| MemberMetadataView {
        member_id: name,
        group_instance_id: None,
        client_id: "c",
        client_host: "/127.0.0.1",
        rebalance_timeout: 300_000,
        session_timeout: 45_000,
        subscription: &[],
        assignment: &[],
    });
    let value = GroupMetadataValueView {
        protocol_type: "consumer",
        generation: 1,
        protocol: Some("range"),
        leader: None,
        current_state_timestamp: -1,
        members: members.collect(),
    };
    let key = GroupMetadataKeyView { group: id };
    book.group(&place(position), &key, Some(&value));
}

#[test]
fn a_full_book_leaves_out_and_counts() {
    let mut book = Book::with_room(ROOM);
    for partition in 0..10_000 {
        commit(&mut book, i64::from(partition), partition, false);
    }
    assert!(
        (1_000..2_000).contains(&(10_000 - book.left_out())),
        "{}",
        book.left_out()
    );
}

#[test]
fn what_is_taken_back_makes_room_again() {
    let mut book = Book::with_room(ROOM);
    book.whole(0);
    for position in 0..50_000 {
        commit(
            &mut book,
            position,
            i32::try_from(position / 2).unwrap(),
            position % 2 == 1,
        );
    }
    assert_eq!(book.left_out(), 0);
}

#[test]
fn what_was_taken_back_before_all_was_read_makes_room_once_it_is() {
    let mut book = Book::with_room(ROOM);
    for position in 0..1_000 {
        commit(&mut book, position, i32::try_from(position).unwrap(), true);
    }
    book.whole(0);
    for position in 1_000..2_000 {
        commit(&mut book, position, i32::try_from(position).unwrap(), false);
    }
    assert_eq!(book.left_out(), 0);
}

#[test]
fn a_group_written_again_and_again_takes_the_room_of_one() {
    let mut book = Book::with_room(ROOM);
    for position in 0..1_000 {
        group(&mut book, position, "g", 100);
    }
    assert_eq!(book.left_out(), 0);
}

#[test]
fn a_group_that_there_is_no_room_for_is_not_known_as_it_was() {
    let mut book = Book::with_room(ROOM);
    book.whole(0);
    let id = GroupId::from("g");
    group(&mut book, 0, "g", 10);
    assert!(book.entry(&id).is_some());
    group(&mut book, 1, "g", 10_000);
    assert!(book.entry(&id).is_none());
    assert_eq!(book.left_out(), 1);
    group(&mut book, 2, "g", 10);
    let entry = book.entry(&id).unwrap();
    assert!(entry.timeouts(&MemberId::from("m-9")).is_some());
}

#[test]
fn groups_are_found_where_others_are_gone_from_beside_them() {
    let mut book = Book::with_room(ROOM);
    let names = ["a", "b", "c", "d", "e"];
    for (partition, name) in (0..).zip(names) {
        let key = OffsetCommitKeyView {
            group: name,
            topic: "t",
            partition: 0,
        };
        let place = Place {
            partition: partition % 2,
            ..place(0)
        };
        book.commit(&place, &key, Some(&value()));
    }
    (0..2).for_each(|partition| book.whole(partition));
    let found = |book: &Book| -> Vec<&str> {
        let found = names.into_iter();
        found
            .filter(|name| book.entry(&GroupId::from(*name)).is_some())
            .collect()
    };
    assert_eq!(found(&book), names);
    book.forget(0);
    book.whole(0);
    assert_eq!(found(&book), ["b", "d"]);
    assert_eq!(book.kept(), (2, 2));
    book.forget(1);
    assert_eq!(book.kept(), (0, 0));
    for partition in 0..10_000 {
        commit(&mut book, i64::from(partition), partition, false);
    }
    let left = 10_000 - book.left_out();
    let mut fresh = Book::with_room(ROOM);
    for partition in 0..10_000 {
        commit(&mut fresh, i64::from(partition), partition, false);
    }
    assert_eq!(
        left,
        10_000 - fresh.left_out(),
        "what was forgotten takes no room"
    );
}
