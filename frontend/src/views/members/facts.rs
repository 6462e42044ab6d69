//! What is told of a member: who it is, where it runs, its timeouts; what is not told, with the reason.

use shared::board::{Group, Member, Told};
use shared::event::{GroupType, LogAccess, Source};
use shared::time::Millis;
use yew::prelude::*;

use crate::model::Model;
use crate::views::words::{NOT_VISIBLE, setting, spelled};

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
#[derive(Clone, Debug)]
pub struct Why {
    /// The group's type has its timeouts in its settings.
    newer: bool,
    /// Why the settings do not tell.
    settings: String,
    /// Why the offsets log does not tell.
    log: String,
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
        let mut refusals = board.into_iter().flat_map(|board| &board.refusals);
        let refused = refusals.find(|row| {
            row.cluster == group.key.cluster && row.refusal.right.starts_with("DESCRIBE_CONFIGS on group")
        });
        let settings = refused.map_or_else(
            || "the group's settings have not told it".to_owned(),
            |row| format!("missing: {}", spelled(&row.refusal.right)),
        );
        Self {
            newer,
            settings,
            log: log(access).to_owned(),
        }
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
            "its description does not tell it"
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

/// What is told of a member.
#[must_use]
pub fn of(member: &Member, why: &Why) -> Facts {
    let host = member
        .host
        .get()
        .map(|host| spelled(host.trim_start_matches('/')));
    let instance = member.instance_id.get().map(|id| spelled(id.as_str()));
    let rack = member.rack.as_deref().map(spelled);
    let epoch = member.generation.get().map(|generation| generation.0.to_string());
    let mut short: Vec<String> = host.iter().cloned().collect();
    short.extend(instance.as_ref().map(|id| format!("static {id}")));
    short.extend(rack.as_ref().map(|rack| format!("rack {rack}")));
    if member.classic == Some(true) {
        short.push("classic protocol".to_owned());
    }
    let classic = match member.classic {
        Some(true) => Some("classic, in a group of a newer type".to_owned()),
        Some(false) => Some("the group's own".to_owned()),
        None => None,
    };
    let or = |value: Option<String>, why: &str| value.unwrap_or_else(|| format!("{NOT_VISIBLE}: {why}"));
    let untold = why.untold(member);
    let timeout = |told: &Told<Millis>, teller: &str, untold: &str| {
        told.get().map_or_else(
            || format!("{NOT_VISIBLE}: {untold}"),
            |length| format!("{}, told by {teller}", setting(*length)),
        )
    };
    let teller = |told: &Told<Millis>| why.teller(member, told);
    // No setting of a group tells it.
    let of_rebalance = match member.rebalance_timeout.source() {
        Some(Source::Survey) => "the offsets log",
        _ => teller(&member.rebalance_timeout),
    };
    let epoch_name = if why.newer { "Member epoch" } else { "Generation" };
    let mut whole = vec![
        format!(
            "Client id: {}",
            or(member.client_id.get().map(|id| spelled(id)), "nobody has told it")
        ),
        format!("Host: {}", or(host, "nobody has told it")),
        format!(
            "Instance id: {}",
            instance.unwrap_or_else(|| "none told".to_owned())
        ),
        format!("Rack: {}", rack.unwrap_or_else(|| "none told".to_owned())),
        format!("{epoch_name}: {}", or(epoch, &why.log)),
    ];
    whole.extend(classic.map(|classic| format!("Protocol: {classic}")));
    let session = timeout(&member.session_timeout, teller(&member.session_timeout), &untold);
    let rebalance = timeout(&member.rebalance_timeout, of_rebalance, &why.log);
    let interval = if why.newer && member.classic != Some(true) {
        &untold
    } else {
        "a classic member's own setting, which it tells nobody"
    };
    let interval = timeout(
        &member.heartbeat_interval,
        teller(&member.heartbeat_interval),
        interval,
    );
    whole.push(format!("Session timeout: {session}"));
    whole.push(format!("Rebalance timeout: {rebalance}"));
    whole.push(format!("Heartbeat interval: {interval}"));
    Facts {
        short: short.join(" · "),
        whole: whole.join("\n"),
        untold,
        silent: format!(
            "Its heartbeats go to the coordinator, which tells nobody of them. A commit of it: {}.",
            commits(&why.log, member)
        ),
    }
}

/// Why no commit of it is visible.
fn commits(log: &str, member: &Member) -> String {
    if member.described.as_ref().is_some_and(|what| what.work.is_some()) {
        "which partitions it reads is not told".to_owned()
    } else if log.starts_with("no record") {
        "none seen since it has its partitions".to_owned()
    } else {
        log.to_owned()
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
