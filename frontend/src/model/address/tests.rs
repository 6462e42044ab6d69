//! Addresses, both ways.

use super::*;
use crate::model::groups::Column;

fn there_and_back(address: &Address) -> Address {
    Address::parse(&address.href())
}

#[test]
fn every_group_id_survives_the_address_bar() {
    for id in [
        "demo",
        "",
        ".",
        "..",
        "a b+c",
        "50%",
        "%zz",
        "a&b=c?d#e",
        "<script>",
        "grüße 🫀",
        "\u{202e}odd\n",
    ] {
        let address = Address::of_group(&id.into(), None);
        assert_eq!(there_and_back(&address), address, "{id:?}");
    }
}

#[test]
fn a_group_has_a_path_of_its_own_and_the_overview_is_the_root() {
    assert_eq!(
        Address::of_group(&"a/b".into(), None).href(),
        "/group?group=a%2Fb"
    );
    assert_eq!(Address::default().href(), "/");
}

#[test]
fn filters_and_cluster_survive_the_address_bar() {
    let address = Address {
        at: Some(shared::time::UnixMs(1_764_417_600_125)),
        group: Some("g".into()),
        cluster: Some("Jx3".into()),
        kind: Some("member_joined".into()),
        member: Some("demo-1-5f".into()),
        host: Some("10.0.3.8".to_owned()),
        evidence: Some("inferred".to_owned()),
        ..Address::default()
    };
    assert_eq!(there_and_back(&address), address);
}

#[test]
fn which_groups_are_listed_and_in_which_order_survives_the_address_bar() {
    for column in Column::ALL {
        for reversed in [false, true] {
            let list = GroupList {
                search: "pay & co".to_owned(),
                verdict: "storm".to_owned(),
                group_type: "consumer".to_owned(),
                state: "Stable".to_owned(),
                sort: column,
                reversed,
            };
            let address = Address {
                list,
                ..Address::default()
            };
            assert_eq!(there_and_back(&address), address);
        }
    }
    assert_eq!(Address::parse("/?sort=-beauty"), Address::default());
}

#[test]
fn each_view_has_a_path_of_its_own() {
    for (view, path) in [
        (View::Groups, "/"),
        (View::Coordinators, "/coordinators"),
        (View::Events, "/events"),
    ] {
        let address = Address::of_view(view);
        assert_eq!(address.href(), path);
        assert_eq!(there_and_back(&address), address);
    }
    let events = Address {
        view: View::Events,
        ..Address::of_group(&"a/b".into(), None)
    };
    assert_eq!(events.href(), "/events?group=a%2Fb");
    assert_eq!(there_and_back(&events), events);
}

#[test]
fn what_the_page_does_not_know_in_an_address_is_ignored() {
    assert_eq!(Address::parse("?utm=1&&group&=x").group, Some("".into()));
    assert_eq!(Address::parse("?tab=3"), Address::default());
}

#[test]
fn broken_escapes_stay_as_they_are() {
    assert_eq!(Address::parse("?group=%4").group, Some("%4".into()));
    assert_eq!(Address::parse("?group=%C3%28").group, Some("\u{fffd}(".into()));
}
