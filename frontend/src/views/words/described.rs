//! What a member asked for and works on, in words.

use shared::event::{Described, RawBytes, Subscription, Tasks, Work};
use shared::time::Millis;

use super::{count, setting, spelled, thousands};

/// All of it as one sentence.
#[must_use]
pub fn sentence(what: &Described) -> String {
    let lines = lines(what);
    if lines.is_empty() {
        return "It subscribes to the topics of its partitions, and to no other.".to_owned();
    }
    format!("{}.", lines.join("; "))
}

/// All of it, a line each.
#[must_use]
pub fn lines(what: &Described) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(work) = &what.work {
        works(work, &mut lines);
    }
    if let Some(subscription) = &what.subscription {
        asks(subscription, &mut lines);
    }
    lines
}

/// What it works on, where room is short; nothing where it has no work of its own kind.
#[must_use]
pub fn short(what: &Described) -> Option<String> {
    Some(match what.work.as_ref()? {
        Work::Connect { runs, .. } if runs.is_empty() => "no task".to_owned(),
        Work::Connect { runs, .. } => connectors(runs),
        Work::Streams {
            active,
            standby,
            warmup,
            ..
        } => {
            let kinds = [("", active), ("standby ", standby), ("warm-up ", warmup)];
            let some = kinds.iter().filter(|(_, all)| !all.is_empty());
            let words: Vec<String> = some
                .map(|(kind, all)| format!("{kind}{}", subtopologies(all)))
                .collect();
            if words.is_empty() {
                "no task".to_owned()
            } else {
                words.join("; ")
            }
        }
        Work::Opaque { assignment, .. } => raw(assignment),
    })
}

fn works(work: &Work, lines: &mut Vec<String>) {
    match work {
        Work::Connect {
            url,
            leader_url,
            runs,
            stops,
            unnamed,
            delay_ms,
        } => {
            if let Some(url) = url {
                lines.push(listed("Worker at", &spelled(url)));
            }
            lines.push(listed("Leader at", &spelled(leader_url)));
            lines.push(listed("Runs (* is the connector itself)", &connectors(runs)));
            if !stops.is_empty() {
                lines.push(listed("Must stop", &connectors(stops)));
            }
            more(*unnamed, lines);
            if *delay_ms > 0 {
                let kept = setting(Millis(*delay_ms));
                lines.push(listed("Tasks of a lost worker are kept back for", &kept));
            }
        }
        Work::Streams {
            process,
            topology_epoch,
            active,
            standby,
            warmup,
            unnamed,
        } => {
            for (kind, tasks) in [
                ("Active tasks", active),
                ("Standby tasks", standby),
                ("Warm-up tasks", warmup),
            ] {
                lines.push(listed(kind, &subtopologies(tasks)));
            }
            more(*unnamed, lines);
            lines.push(listed("Process", &spelled(process)));
            lines.push(listed("Topology epoch", &topology_epoch.to_string()));
        }
        Work::Opaque {
            protocol_type,
            assignment,
        } => {
            lines.push(listed("Protocol type", &spelled(protocol_type)));
            lines.push(listed("Assignment, not readable here", &raw(assignment)));
        }
    }
}

fn asks(subscription: &Subscription, lines: &mut Vec<String>) {
    let Subscription {
        topics,
        unnamed,
        regex,
        user_data,
    } = subscription;
    if !topics.is_empty() {
        let names: Vec<String> = topics.iter().map(|topic| spelled(topic)).collect();
        lines.push(listed("Subscribes to", &names.join(", ")));
        more(*unnamed, lines);
    }
    if let Some(regex) = regex {
        lines.push(listed("Subscribes to topics that match", &spelled(regex)));
    }
    if let Some(user_data) = user_data {
        lines.push(listed("Told on joining", &raw(user_data)));
    }
}

fn listed(what: &str, list: &str) -> String {
    let list = if list.is_empty() { "none" } else { list };
    [what, ": ", list].concat()
}

fn more(unnamed: u32, lines: &mut Vec<String>) {
    if unnamed > 0 {
        lines.push(listed("Not named", &thousands(u64::from(unnamed))));
    }
}

/// "file 0 1; old 3": a connector that runs here itself has a star.
fn connectors(all: &[Tasks]) -> String {
    let each = all.iter().map(|one| {
        let itself = if one.tasks.contains(&-1) { "*" } else { "" };
        let numbers = one.tasks.iter().filter(|task| **task >= 0);
        let numbers: String = numbers.map(|task| format!(" {task}")).collect();
        format!("{}{itself}{numbers}", spelled(&one.name))
    });
    each.collect::<Vec<_>>().join("; ")
}

/// "0_0 0_1": tasks as Kafka Streams names them.
fn subtopologies(all: &[Tasks]) -> String {
    let each = all.iter().flat_map(|one| {
        let name = spelled(&one.name);
        one.tasks.iter().map(move |task| format!("{name}_{task}"))
    });
    each.collect::<Vec<_>>().join(" ")
}

/// "00ff… (4,000 bytes)"
fn raw(bytes: &RawBytes) -> String {
    let cut = if bytes.hex.len() as u64 / 2 < bytes.length {
        "…"
    } else {
        ""
    };
    format!(
        "{}{cut} ({})",
        spelled(&bytes.hex),
        count(bytes.length, "byte", "bytes")
    )
}
