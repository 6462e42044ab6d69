//! The files of the scenarios, and what is said of one that makes no sense.

use std::fs;
use std::path::Path;

use crate::scenario::{Scenario, list};

#[test]
fn every_file_of_the_folder_is_a_scenario_that_can_be_played() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut there: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    there.sort();
    let listed = list().unwrap();
    let names: Vec<&str> = listed.iter().map(|row| row.name).collect();
    assert_eq!(names, there);
    for row in &listed {
        let scenario = Scenario::named(row.name, &[]).unwrap();
        assert!(!scenario.parts.is_empty(), "{} has no parts", row.name);
        assert!(
            row.title.len() <= 120,
            "{}: one line of at most 120 characters",
            row.name
        );
    }
}

/// By the tests beside this one, each of which asserts what is said at its end.
#[test]
fn every_scenario_is_played_by_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario/tests");
    let sources: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    for row in list().unwrap() {
        let played = format!("Play::of(\"{}\")", row.name);
        assert!(
            sources.iter().any(|source| source.contains(&played)),
            "no test plays {}",
            row.name
        );
    }
}

const HEAD: &str = "title = 't'\nincident = 'A01'\nspeed = 2\n";
const CLIENT: &str = "[[part]]\nclient = { id = 'c', group = 'g' }\n";

fn refusal(rest: &str, given: &[(&str, &str)]) -> String {
    let given: Vec<(String, String)> = given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let text = format!("{HEAD}{rest}");
    match Scenario::read("odd", &text, &given) {
        Ok(scenario) => panic!("it is read: {scenario:#?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_a_file_may_not_say_is_refused_with_its_place_and_what_is_allowed() {
    let of_client = |step: &str| format!("{CLIENT}step = [{step}]\n");
    for (rest, said) in [
        (
            "verdict = 'storm'\n".to_owned(),
            "unknown field `verdict`, expected",
        ),
        ("[coordinator]\ntopics = 'a'\n".to_owned(), "coordinator.topics: "),
        (
            "[coordinator]\nconfig = ['x=1']\n".to_owned(),
            "coordinator.config: ",
        ),
        (
            "[parameters]\nspeed = { default = 1, is = 'x' }\n".to_owned(),
            "no parameter may be called speed",
        ),
        (
            "[[part]]\nstep = []\ncount = 100000\n".to_owned(),
            "part 1: count 100000: from 0 to ",
        ),
        (
            of_client("{ heartbeat = {} }, { hartbeat = {} }"),
            "part 1, step 2: unknown field `hartbeat`, expected",
        ),
        (
            of_client("{ heartbeat = { member = 'x' } }"),
            "step 1: unknown field `member`, expected",
        ),
        (
            of_client("{ heartbeat = {}, sync_group = {} }"),
            "a step does one thing",
        ),
        (of_client("{ heartbeat = {}, times = 3 }"), "need every_ms"),
        (of_client("{ heartbeat = {}, every_ms = 0 }"), "every_ms 0"),
        (
            of_client("{ heartbeat = {}, every_ms = 1, until = 'ok' }"),
            "\"error\" (any error code",
        ),
        (of_client("{ wait_ms = [3, -4] }"), "whose sum is"),
        (
            of_client("{ when = { kind = 'boredom' } }"),
            "no event is of the kind \"boredom\": coordinator_found",
        ),
        (of_client("{ wait_ms = '{x}' }"), "{x} stands for nothing: n do"),
        (
            "[[part]]\nstep = [{ heartbeat = {} }]\n".to_owned(),
            "only a part with a client can do that",
        ),
        (
            "[[part]]\nstep = [{ fault = { fault = 'rain' } }]\n".to_owned(),
            "rain",
        ),
        (
            "[[part]]\nstep = [{ start = { client_id = 'a', group = 'g', session_ms = 1000 } }]\n".to_owned(),
            "3000",
        ),
    ] {
        let refused = refusal(&rest, &[]);
        assert!(refused.starts_with("scenario odd, "), "{refused}");
        assert!(refused.contains(said), "{refused} does not say {said}");
    }
}

#[test]
fn parameters_take_what_their_defaults_are_like() {
    let declared = "[parameters]\ngroup = { default = 'g', is = 'the group' }\nmembers = { default = 3, least = 1, most = 9, is = 'how many' }\n";
    for (name, value, said) in [
        (
            "grup",
            "x",
            "no parameter \"grup\": speed, group, members are allowed",
        ),
        (
            "members",
            "many",
            "members=\"many\": a whole number from 1 to 9 is allowed (how many)",
        ),
        (
            "members",
            "10",
            "members=10: a whole number from 1 to 9 is allowed (how many)",
        ),
        (
            "speed",
            "0",
            "speed=\"0\": a whole number from 1 to 1000 is allowed",
        ),
    ] {
        let refused = refusal(declared, &[(name, value)]);
        assert!(refused.contains(said), "{refused} does not say {said}");
    }
    let twice = refusal(declared, &[("group", "a"), ("group", "b")]);
    assert!(twice.contains("given twice"), "{twice}");
    let long = refusal(declared, &[("group", &"x".repeat(250))]);
    assert!(long.contains("at most 249 bytes"), "{long}");
}

#[test]
fn a_part_with_a_count_is_played_so_often_each_a_little_later() {
    let text = format!(
        "{HEAD}[parameters]\nhow_many = {{ default = 3, is = 'x' }}\n[[part]]\ncount = '{{how_many}}'\napart_ms = 250\n\
         client = {{ id = 'c-{{n}}', group = '{{{{g' }}\nstep = [{{ heartbeat = {{}} }}]\n"
    );
    let scenario = Scenario::read("many", &text, &[("how_many".to_owned(), "2".to_owned())]).unwrap();
    let parts: Vec<_> = scenario
        .parts
        .iter()
        .map(|part| {
            let client = part.client.as_ref().unwrap();
            (
                client.id.as_str(),
                client.group.as_str(),
                part.begins.0,
                part.place.as_str(),
            )
        })
        .collect();
    assert_eq!(
        parts,
        [
            ("c-1", "{g", 0, "part 1 (1 of 2)"),
            ("c-2", "{g", 250, "part 1 (2 of 2)")
        ]
    );
}
