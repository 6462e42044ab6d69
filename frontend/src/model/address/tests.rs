//! Addresses, both ways.

use super::*;

fn there_and_back(address: &Address) -> Address {
    let href = address.href();
    Address::parse(href.split_once('?').map_or("", |(_path, query)| query))
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
        group: Some("g".into()),
        cluster: Some("Jx3".into()),
        kind: Some("member_joined".into()),
        member: Some("demo-1-5f".into()),
    };
    assert_eq!(there_and_back(&address), address);
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
