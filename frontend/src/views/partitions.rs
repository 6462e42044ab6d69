//! How far a group has read each partition, and whose it is.

use shared::board::{Group, Member, Progress};
use shared::event::{GroupType, Lag};
use shared::time::UnixMs;
use yew::prelude::*;

use super::members::facts::Why;
use super::parts::{bare, cell, member_name, panel_head, seen_or, table_head, unseen};
use super::words::{self, spelled};

/// The panel; none where nothing is known of the group's offsets.
pub fn panel(group: &Group, at: UnixMs) -> Html {
    let Some(lag) = group.lag.filter(|lag| lag.partitions > 0) else {
        return Html::default();
    };
    let unnamed = u64::from(lag.partitions).saturating_sub(group.progress.len() as u64);
    let (committed, label) = if is_share(group) {
        ("Start", "start")
    } else {
        ("Committed", "committed")
    };
    let columns = [
        ("", "Partition"),
        ("", "Owner"),
        ("num", committed),
        ("num", "End"),
        ("num", "Left"),
        ("num", "Last commit"),
    ];
    html! {
        <section class="panel" aria-labelledby="partitions-title" data-testid="partitions">
            { panel_head("partitions-title", "Partitions", words::lag(&lag)) }
            <table class="rows partitions" role="table">
                { table_head(&columns) }
                <tbody role="rowgroup">{ for group.progress.iter().map(|row| partition(group, row, label, at)) }</tbody>
            </table>
            if unnamed > 0 {
                <p class="foot">{ format!("{} more are not named: those with least left to read.", words::thousands(unnamed)) }</p>
            }
        </section>
    }
}

fn partition(group: &Group, row: &Progress, label: &'static str, at: UnixMs) -> Html {
    let offset = |offset: Option<i64>| offset.map(|offset| html! { thousands_of(offset) });
    let at_most = if row.lag.is_none() && is_share(group) {
        "at most "
    } else {
        ""
    };
    let left = row
        .left()
        .map(|left| html! { format!("{at_most}{}", words::thousands(left)) });
    let left = left.or_else(|| {
        let beyond = words::thousands(row.beyond()?);
        Some(html! { format!("-{beyond}: beyond the end") })
    });
    let ago = row
        .committed_at
        .map(|committed| html! { format!("{} ago", words::span(at.since(committed))) });
    let never = || html! { <span class="unseen">{ "none" }</span> };
    let why_left = if row.committed.is_none() {
        "no committed offset is there: where it would begin to read is its own setting"
    } else if row.gone {
        "the cluster has no such partition any more"
    } else {
        "the partition's end is not visible"
    };
    let why_end = if row.gone {
        why_left
    } else {
        "its leader does not tell it, or DESCRIBE on its topic is missing"
    };
    html! {
        <tr role="row" data-testid="partition-row" data-topic={row.topic.to_string()} data-partition={row.partition.to_string()}>
            { bare("whole bare", html! { <b>{ format!("{}-{}", spelled(&row.topic), row.partition) }</b> }) }
            { cell("whole", "owner", owner(group, row)) }
            { cell("num", label, offset(row.committed).unwrap_or_else(never)) }
            { cell("num", "end", seen_or(offset(row.end), why_end)) }
            { cell("num", "left", seen_or(left, why_left)) }
            { cell("num", "last commit", seen_or(ago, if is_share(group) { "share groups commit nothing" } else { "only the offsets log tells when" })) }
        </tr>
    }
}

/// Whose it is; where somebody's assignment is not told, that nobody has it is not said.
fn owner(group: &Group, row: &Progress) -> Html {
    let has = |member: &&std::sync::Arc<Member>| {
        let owned = member.owned.as_ref();
        owned.is_some_and(|owned| owned.has(&row.topic, row.partition))
    };
    let mut owners = group.members.values().filter(has);
    if let Some(first) = owners.next() {
        let name = member_name(first.id.as_str(), first.client_id.get().map(String::as_str));
        let others = owners.count() as u64;
        return html! { <>{ name }{ (others > 0).then(|| format!(" and {}", words::count(others, "other", "others"))) }</> };
    }
    let told = |member: &std::sync::Arc<Member>| {
        let owned = member.owned.as_ref();
        owned.is_some_and(|owned| owned.partitions.is_some() && owned.unnamed == 0)
    };
    if group.members.values().all(told) {
        html! { <span class="soft">{ "nobody" }</span> }
    } else {
        unseen("not every member's partitions are told")
    }
}

/// Records left to read of all, for the group's facts.
pub fn lag_fact(group: &Group, why: &Why) -> Html {
    let known = |lag: Lag| {
        let left = lag.left?;
        let cut = match (words::unknown(&lag), lag.at_most) {
            (0, 0) => "",
            (0, _) => "at most ",
            (_, 0) => "at least ",
            _ => "about ",
        };
        Some(html! {
            <span class="hint" tabindex="0" data-testid="lag" data-left={left.to_string()} data-hint={words::lag(&lag)}>
                { format!("{cut}{}", words::thousands(left)) }
            </span>
        })
    };
    match group.lag {
        Some(lag) => seen_or(known(lag), &words::lag(&lag)),
        None => unseen(&why.lag),
    }
}

fn is_share(group: &Group) -> bool {
    group.group_type.get() == Some(&GroupType::Share)
}

/// An offset with its thousands set apart; below 0 as it is.
fn thousands_of(offset: i64) -> String {
    u64::try_from(offset).map_or_else(|_| offset.to_string(), words::thousands)
}
