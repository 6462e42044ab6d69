//! From words to steps.

use crate::differential::step::{
    Action, Id, Instance, Join, Names, Parts, Protocol, Sequence, Span, Spoken, Step, Sync, Topic,
};

/// The newest version of DescribeGroups.
const LOOK: i16 = 6;

const OWN: Names = Names {
    id: Id::Own,
    instance: Instance::Absent,
};

/// Reads a sequence.
///
/// # Panics
///
/// At a word that is none.
pub(super) fn sequence(name: &str, text: &str) -> Sequence {
    let steps = text.split(',').flat_map(|text| steps(text.trim())).collect();
    Sequence {
        name: name.into(),
        steps,
    }
}

fn steps(text: &str) -> Vec<Step> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let step = |actor: usize, action: Action| Step {
        actor,
        action,
        look: LOOK,
    };
    match words.as_slice() {
        ["two", rest @ ..] => two(&rest.join(" ")).split(',').flat_map(steps).collect(),
        ["wait"] => vec![step(0, Action::Await)],
        ["pass", units] => {
            let units = units.parse().unwrap_or_else(|_| panic!("{text:?} is no silence"));
            vec![step(0, Action::Pass { units })]
        }
        [who, "arrive", rest @ ..] => {
            let join = step(actor(who), action("join", rest));
            vec![join.clone(), join]
        }
        [who, verb, rest @ ..] => vec![step(actor(who), action(verb, rest))],
        _ => panic!("{text:?} is no step"),
    }
}

/// A and B have joined so and are stable in generation 2; A leads.
fn two(how: &str) -> String {
    if how.starts_with("fixed") {
        format!("A join {how}, A sync fixed, B join {how}, A join {how}, B sync fixed, A sync fixed")
    } else {
        format!("A arrive {how}, A sync, B arrive {how}, A join {how}, B sync, A sync")
    }
}

fn actor(word: &str) -> usize {
    let known = ["A", "B", "C", "D"].iter().position(|name| *name == word);
    known.unwrap_or_else(|| panic!("{word:?} is no actor"))
}

fn action(verb: &str, words: &[&str]) -> Action {
    let version = |newest: i16| {
        let given = words.iter().find_map(|word| word.strip_prefix('v')?.parse().ok());
        given.unwrap_or(newest)
    };
    let all: Vec<Names> = words.iter().filter_map(|word| names(word)).collect();
    let names = all.first().copied().unwrap_or(OWN);
    let generation = generation(words);
    if words.contains(&"nameless") {
        let rest: Vec<&str> = words.iter().copied().filter(|word| *word != "nameless").collect();
        return Action::Nameless(Box::new(action(verb, &rest)));
    }
    let action = match verb {
        "join" => Action::Join(join(version(9), names, words)),
        "sync" => Action::Sync(Sync {
            version: version(5),
            names,
            generation,
            spoken: spoken(words),
            parts: parts(words),
        }),
        "beat" => Action::Beat {
            version: version(4),
            names,
            generation,
        },
        "leave" => Action::Leave {
            version: version(5),
            members: if all.is_empty() { vec![OWN] } else { all },
        },
        "commit" => {
            let outside = words.contains(&"outside");
            Action::Commit {
                version: version(9),
                names,
                generation: (!outside).then_some(generation),
                topic: topic(words),
            }
        }
        "offsets" => Action::Offsets {
            version: version(10),
            names,
            generation,
            topic: value(words, "topic=").map(|_| topic(words)),
        },
        "list" => Action::List { version: version(5) },
        _ => panic!("{verb:?} is no action"),
    };
    assert!(
        words.iter().all(|word| is_known(word)),
        "a word of {words:?} is unknown"
    );
    action
}

fn is_known(word: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "outside",
        "short",
        "below",
        "above",
        "hasty",
        "wrong-type",
        "wrong-name",
        "unnamed",
    ];
    let numbered = |prefix: &str| {
        let number = word.strip_prefix(prefix);
        number.is_some_and(|number| number.parse::<i16>().is_ok())
    };
    let valued = ["speaks=", "type=", "topic=", "parts=", "but="];
    OTHERS.contains(&word)
        || numbered("v")
        || numbered("g")
        || names(word).is_some()
        || valued.iter().any(|prefix| word.starts_with(prefix))
}

fn value<'a>(words: &[&'a str], prefix: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(prefix))
}

fn names(word: &str) -> Option<Names> {
    let (id, instance) = match word {
        "fixed" => ("own", "own"),
        "back" => ("none", "own"),
        // Whoever commits from outside has no id.
        "outside" => ("none", "-"),
        pair => pair.split_once('/')?,
    };
    let id = match id {
        "own" => Id::Own,
        "former" => Id::Former,
        "none" => Id::Empty,
        "stranger" => Id::Stranger,
        other => Id::Of(actor(other)),
    };
    let instance = match instance {
        "-" => Instance::Absent,
        "own" => Instance::Own,
        "empty" => Instance::Empty,
        "stranger" => Instance::Stranger,
        other => Instance::Of(actor(other)),
    };
    Some(Names { id, instance })
}

fn generation(words: &[&str]) -> i32 {
    let given = words.iter().find_map(|word| word.strip_prefix('g')?.parse().ok());
    given.unwrap_or(0)
}

fn join(version: i16, names: Names, words: &[&str]) -> Join {
    let topic = value(words, "topic=").map_or(0, |topic| topic.parse().expect("a number of a topic"));
    let protocol = |letter: char| match letter {
        'a' => Protocol("a", topic),
        'b' => Protocol("b", topic),
        'c' => Protocol("c", topic),
        other => panic!("{other:?} is no protocol"),
    };
    let session = [
        ("short", Span::Short),
        ("below", Span::BelowLimit),
        ("above", Span::AboveLimit),
    ];
    let session = session.into_iter().find(|(word, _)| words.contains(word));
    Join {
        version,
        names,
        protocol_type: match value(words, "type=") {
            None => "consumer",
            Some("") => "",
            Some(_) => "other",
        },
        protocols: value(words, "speaks=")
            .unwrap_or("ab")
            .chars()
            .map(protocol)
            .collect(),
        session: session.map_or(Span::Long, |(_, span)| span),
        rebalance: if words.contains(&"hasty") {
            Span::Short
        } else {
            Span::Long
        },
    }
}

fn spoken(words: &[&str]) -> Spoken {
    let said = [
        ("wrong-type", Spoken::WrongType),
        ("wrong-name", Spoken::WrongName),
        ("unnamed", Spoken::Nothing),
    ];
    let said = said.into_iter().find(|(word, _)| words.contains(word));
    said.map_or(Spoken::Right, |(_, spoken)| spoken)
}

fn parts(words: &[&str]) -> Parts {
    match (value(words, "parts="), value(words, "but=")) {
        (None, None) => Parts::Everybodys,
        (None, Some(one)) => Parts::AllBut(actor(one)),
        (Some(_), _) => Parts::Nobodys,
    }
}

fn topic(words: &[&str]) -> Topic {
    match value(words, "topic=") {
        None | Some("known") => Topic::Known,
        Some("partition") => Topic::UnknownPartition,
        Some(_) => Topic::Unknown,
    }
}
