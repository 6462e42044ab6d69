//! What is told of a member: who it is, where it runs, its timeouts; what is not told, with the reason.

use shared::board::{Group, Member, Told};
use shared::event::{GroupType, LogAccess, Source};
use shared::time::Millis;
use yew::prelude::*;

use crate::model::Model;
use crate::views::words::{self, NOT_VISIBLE, setting, spelled};

/// What is told of a member, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// In a line: what tells it from others.
    short: String,
    /// All of it, a fact a line, what is not visible included.
    whole: String,
    /// Why its session timeout is not told.
    pub untold: String,
    /// Why nothing is seen of its being alive.
    pub silent: String,
}

/// Why what is not told of a group's members is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The group's type has its timeouts in its settings.
    newer: bool,
    /// Its members acknowledge records and commit nothing.
    share: bool,
    /// Why the settings do not tell.
    settings: String,
    /// Why the offsets log does not tell.
    log: String,
    /// Which right is missing to look into the group; none where none is.
    hidden: Option<String>,
    /// Why its generation is not told.
    pub generation: String,
    /// Why its lag is not told.
    pub lag: String,
}

impl Why {
    /// As far as the board tells.
    #[must_use]
    pub fn of(model: &Model, group: &Group) -> Self {
        let newer = matches!(
            group.group_type.get(),
            Some(GroupType::Consumer | GroupType::Share | GroupType::Streams)
        );
        let board = model.board();
        let access = board.and_then(|board| Some(board.log(&group.key.cluster)?.access));
        let is_refused = |what: &str| {
            let mut refusals = board.into_iter().flat_map(|board| &board.refusals);
            refusals.find(|row| row.cluster == group.key.cluster && row.refusal.right.contains(what))
        };
        let surveyed = group.sources.contains(Source::Survey);
        let refusal = group.hidden().or_else(|| group.refusal().filter(|_| !surveyed));
        let hidden = refusal.map(|refusal| [&spelled(&refusal.right), " is missing"].concat());
        let or = |why: &str| hidden.clone().unwrap_or_else(|| why.to_owned());
        let settings = match is_refused("DESCRIBE_CONFIGS on ") {
            Some(row) => format!("missing: {}", spelled(&row.refusal.right)),
            None => or("the group's settings have not told it"),
        };
        let log = match (surveyed, access) {
            (true, Some(LogAccess::Reading | LogAccess::Denied | LogAccess::Absent)) => {
                log(access).to_owned()
            }
            _ => or(log(access)),
        };
        let generation = match newer {
            true => or("its description has not told it"),
            false => log.clone(),
        };
        let seat = group.coordinator.as_ref();
        let row = seat.and_then(|seat| board?.coordinator(&group.key.cluster, seat.node));
        let offers = row.is_some_and(|row| row.trips.iter().any(|trip| trip.api == SHARE_OFFSETS));
        let lag = if is_refused("how far groups have read").is_some() {
            or("no offset of it has been seen: DESCRIBE on its topics may be missing")
        } else if group.group_type.get() != Some(&GroupType::Share) || offers {
            or("no committed offset of it has been seen")
        } else {
            or("brokers before Kafka 4.1 do not tell it")
        };
        Self {
            newer,
            share: group.group_type.get() == Some(&GroupType::Share),
            settings,
            log,
            hidden,
            generation,
            lag,
        }
    }

    /// Why something is not told that whoever may look into the group sees.
    #[must_use]
    pub fn or<'a>(&'a self, why: &'a str) -> &'a str {
        self.hidden.as_deref().unwrap_or(why)
    }

    /// Why its members are not told.
    #[must_use]
    pub fn members(&self) -> &str {
        self.or("nobody who sees the member list has told")
    }

    /// Why nobody can say how many rebalances there were.
    #[must_use]
    pub fn rebalances(&self) -> &str {
        self.or("neither its generation nor its members are visible")
    }

    /// Why a member's session timeout is not told.
    fn untold(&self, member: &Member) -> String {
        if self.newer && member.classic != Some(true) {
            self.settings.clone()
        } else {
            self.log.clone()
        }
    }

    /// Why the session timeout of no member is told.
    #[must_use]
    pub fn untold_of_all(&self) -> &str {
        if self.newer { &self.settings } else { &self.log }
    }

    /// Why the assignor is not told.
    #[must_use]
    pub fn untold_assignor(&self) -> &str {
        if self.newer {
            self.or("its description does not tell it")
        } else {
            &self.log
        }
    }

    /// Who told a timeout.
    #[must_use]
    pub fn teller(&self, member: &Member, told: &Told<Millis>) -> &'static str {
        match told.source() {
            Some(Source::Embedded) => "its coordinator",
            Some(Source::Probe) => "the member itself",
            Some(Source::Survey) if self.newer && member.classic != Some(true) => {
                "the group's settings (DescribeConfigs)"
            }
            Some(Source::Survey) => "the offsets log",
            None => "nobody",
        }
    }
}

/// What brokers from Kafka 4.1 on are asked for share groups' offsets.
const SHARE_OFFSETS: &str = "DescribeShareGroupOffsets";

/// Why a fact of the offsets log is not there.
const fn log(access: Option<LogAccess>) -> &'static str {
    match access {
        Some(LogAccess::Reading) => "not read yet: the offsets log is being read",
        Some(LogAccess::Denied) => "READ on topic __consumer_offsets is missing",
        Some(LogAccess::Absent) => "there is no offsets log yet",
        Some(LogAccess::Read) => "no record of the offsets log tells it",
        None => "nobody has told it",
    }
}

/// Facts as text, one a line.
#[derive(Debug, Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, value: Option<String>, why: &str) {
        let value = value.unwrap_or_else(|| [NOT_VISIBLE, ": ", why].concat());
        let end = if self.0.is_empty() { "" } else { "\n" };
        for part in [end, name, ": ", &value] {
            self.0.push_str(part);
        }
    }
}

/// What is told of a member.
#[must_use]
pub fn of(member: &Member, why: &Why) -> Facts {
    let nobody = "nobody has told it";
    let none = || Some("none told".to_owned());
    let host = member
        .host
        .get()
        .map(|host| spelled(host.trim_start_matches('/')));
    let instance = member.instance_id.get().map(|id| spelled(id.as_str()));
    // librdkafka tells an empty one where none is set.
    let rack = member
        .rack
        .as_deref()
        .filter(|rack| !rack.is_empty())
        .map(spelled);
    let classic = (member.classic == Some(true)).then_some("protocol");
    let short_id = (!member.is_ours()).then(|| shortened(member));
    let mut short = String::new();
    for (name, value) in [
        ("", host.as_deref()),
        ("static ", instance.as_deref()),
        ("rack ", rack.as_deref()),
        ("classic ", classic),
        ("id ", short_id.as_deref()),
    ] {
        let Some(value) = value else { continue };
        let between = if short.is_empty() { "" } else { " · " };
        for part in [between, name, value] {
            short.push_str(part);
        }
    }
    let mut lines = Lines::default();
    lines.add("Member id", Some(spelled(member.id.as_str())), nobody);
    lines.add("Client id", member.client_id.get().map(|id| spelled(id)), nobody);
    lines.add("Host", host, nobody);
    lines.add("Instance id", instance.or_else(none), nobody);
    lines.add("Rack", rack.or_else(none), nobody);
    let epoch = member.generation.get().map(|generation| generation.0.to_string());
    let name = if why.newer { "Member epoch" } else { "Generation" };
    lines.add(name, epoch, &why.log);
    if let Some(classic) = member.classic {
        let protocol = if classic {
            "classic, in a group of a newer type"
        } else {
            "the group's own"
        };
        lines.add("Protocol", Some(protocol.to_owned()), nobody);
    }
    let untold = why.untold(member);
    timeouts(&mut lines, member, why, &untold);
    let silent = "Its heartbeats go to the coordinator, which tells nobody of them. A commit of it: ";
    Facts {
        short,
        whole: lines.0,
        silent: if why.share {
            "Its heartbeats go to the coordinator, which tells nobody of them; members of share groups commit nothing.".to_owned()
        } else {
            [silent, commits(&why.log, member), "."].concat()
        },
        untold,
    }
}

/// A member's id, as much of it as tells it from others of its client id.
fn shortened(member: &Member) -> String {
    const TOLD: usize = 9;
    let id = member.id.as_str();
    let client_id = member.client_id.get().map_or("", String::as_str);
    let tail = id.strip_prefix(client_id).unwrap_or(id).trim_start_matches('-');
    words::shortened(&spelled(if tail.is_empty() { id } else { tail }), TOLD)
}

fn timeouts(lines: &mut Lines, member: &Member, why: &Why, untold: &str) {
    let told = |told: &Told<Millis>, teller: &str| {
        let length = setting(*told.get()?);
        Some([&length, ", told by ", teller].concat())
    };
    // No setting of a group tells it.
    let of_rebalance = match member.rebalance_timeout.source() {
        Some(Source::Survey) => "the offsets log",
        _ => why.teller(member, &member.rebalance_timeout),
    };
    let interval = if why.newer && member.classic != Some(true) {
        untold
    } else {
        "a classic member's own setting, which it tells nobody"
    };
    for (name, length, teller, untold) in [
        (
            "Session timeout",
            &member.session_timeout,
            why.teller(member, &member.session_timeout),
            untold,
        ),
        (
            "Rebalance timeout",
            &member.rebalance_timeout,
            of_rebalance,
            &why.log,
        ),
        (
            "Heartbeat interval",
            &member.heartbeat_interval,
            why.teller(member, &member.heartbeat_interval),
            interval,
        ),
    ] {
        lines.add(name, told(length, teller), untold);
    }
}

/// Why no commit of it is visible.
fn commits<'a>(log: &'a str, member: &Member) -> &'a str {
    if member.described.as_ref().is_some_and(|what| what.work.is_some()) {
        "which partitions it reads is not told"
    } else if log.starts_with("no record") {
        "none seen since it has its partitions"
    } else {
        log
    }
}

/// The line under a member's name.
pub fn view(facts: &Facts) -> Html {
    html! {
        <span class="hint" tabindex="0" data-testid="member-facts" data-hint={facts.whole.clone()}>
            <span class="owns">{ if facts.short.is_empty() { "host not visible".to_owned() } else { facts.short.clone() } }</span>
        </span>
    }
}
