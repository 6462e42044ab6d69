//! Names, numbers and orders.

use shared::ids::MemberId;

use super::{Order, Roster};

#[test]
fn a_member_goes_by_its_client_id_and_by_its_member_id() {
    let roster = Roster::default();
    let place = roster.enter("demo");
    place.rename(&MemberId::from("demo-1-5f"));
    assert_eq!(roster.order("demo-1", Order::Leave), Ok(()));
    assert_eq!(*place.orders.borrow(), Order::Leave);
    assert_eq!(roster.order("demo-1-5f", Order::Die), Ok(()));
    assert_eq!(*place.orders.borrow(), Order::Die);
}

#[test]
fn a_member_no_longer_goes_by_a_member_id_it_has_lost() {
    let roster = Roster::default();
    let place = roster.enter("demo");
    place.rename(&MemberId::from("old"));
    place.rename(&MemberId::from("new"));
    assert!(roster.order("old", Order::Die).is_err());
    assert!(roster.order("new", Order::Leave).is_ok());
    place.rename(&MemberId::from("demo-1"));
    assert!(roster.order("new", Order::Die).is_err());
    assert!(roster.order("demo-1", Order::Die).is_ok());
}

#[test]
fn a_number_is_used_again_only_by_who_replaces_its_member() {
    let roster = Roster::default();
    let first = roster.enter("demo");
    let second = roster.enter("demo");
    assert_eq!((&*first.client_id, &*second.client_id), ("demo-1", "demo-2"));
    drop(second);
    assert_eq!(&*roster.enter("demo").client_id, "demo-3");
    let replaced = roster.enter_again("demo", 2);
    assert_eq!(&*replaced.client_id, "demo-2");
    assert_eq!(roster.len(), 2);
}

#[test]
fn an_order_never_falls() {
    let roster = Roster::default();
    let place = roster.enter("demo");
    roster.order_all(Order::Die);
    roster.order_all(Order::Leave);
    assert_eq!(*place.orders.borrow(), Order::Die);
}

#[test]
fn a_wrong_name_is_refused_with_those_that_are_allowed() {
    let roster = Roster::default();
    let error = roster
        .order("ghost\n", Order::Die)
        .expect_err("nobody")
        .to_string();
    assert!(
        error.contains("'ghost\\n'") && error.contains("none runs"),
        "{error}"
    );
    let _places: Vec<_> = (0..12).map(|_| roster.enter("demo")).collect();
    let error = roster.order("ghost", Order::Die).expect_err("nobody").to_string();
    assert!(
        error.contains("demo-1, demo-2") && error.contains("and 2 more"),
        "{error}"
    );
    let error = roster.order(&"x".repeat(10_000), Order::Die).expect_err("nobody");
    assert_eq!(error.name.len(), 80);
}

#[test]
fn two_members_named_alike_by_a_coordinator_do_not_lose_each_other() {
    let roster = Roster::default();
    let first = roster.enter("demo");
    let second = roster.enter("demo");
    first.rename(&MemberId::from("same"));
    second.rename(&MemberId::from("same"));
    drop(second);
    assert!(
        roster.order("same", Order::Leave).is_ok(),
        "it is the first one's"
    );
    assert_eq!(*first.orders.borrow(), Order::Leave);
}
