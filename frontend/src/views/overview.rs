//! All groups: those that need attention first, as sentences; then the table.

use std::sync::Arc;

use shared::board::{Board, Group, GroupKey, limits};
use shared::event::Source;
use shared::health::{Finding, Verdict};
use shared::time::UnixMs;
use yew::prelude::*;

use super::group::{kind, verdict_pill, verdict_tone};
use super::members::facts::Why;
use super::parts::{self, bare, button, cell, choice, entry, link, plain_id, seen_or, short_id};
use super::still::{Part, still_at};
use super::{Act, ByPointer, Now, coordinators, log, partitions, words};
use crate::model::address::Address;
use crate::model::groups::{Column, GroupList, Ranked};
use crate::model::{Action, Model};

/// The rows of groups that are drawn, as the browser finds them.
pub const ROWS: &str = "[data-testid=group-row]";

/// How many groups in trouble are told as sentences.
const TOLD: usize = 3;

/// Below so many groups at most stand the brokers and the log, which have views of their own: nobody finds them below more.
const SHORT: usize = 50;

/// The columns of its table, as [`Column::ALL`] names them.
const COLUMNS: [parts::Column; 11] = [
    ("", "Verdict"),
    ("fill", "Group"),
    ("", "Type"),
    ("", "State"),
    ("num", "Members"),
    ("num", "Generation"),
    ("", "Coordinator"),
    ("num", "Heartbeat p99"),
    ("num", "Rebalances seen"),
    ("num", "Lag"),
    ("num", "In state for"),
];

/// How many groups need attention, for the browser's tab; empty where none does.
#[must_use]
pub fn title(ranked: &Ranked) -> String {
    match ranked.troubled {
        0 => String::new(),
        troubled => words::count(troubled as u64, "group needs attention", "groups need attention"),
    }
}

/// The view.
pub fn view(model: &Model, board: &Board, ranked: &Ranked, now: Now, act: &Act) -> Html {
    let at = now.shown.unwrap_or_default();
    let mut cards = Vec::new();
    for (finding, key) in ranked.worst.iter().take(TOLD) {
        let Some(group) = board.group(key) else { continue };
        let card = Card {
            finding: finding.clone(),
            group: ByPointer(Arc::clone(group)),
            to: model.address_of(group),
            act: act.clone(),
        };
        cards.push(still_at(place(key), card));
    }
    html! {
        <>
            if !cards.is_empty() {
                <h2>{ format!("Needs attention · {} of {}", words::thousands(ranked.troubled as u64), words::count(ranked.all as u64, "group", "groups")) }</h2>
                <div class="attention">{ for cards }</div>
            }
            { table(model, board, ranked, at, act) }
            if ranked.all <= SHORT {
                { coordinators::panel(model, board, ranked, now, act) }
                { log::panel(model, now, act) }
            }
        </>
    }
}

fn table(model: &Model, board: &Board, ranked: &Ranked, at: UnixMs, act: &Act) -> Html {
    let drawn = model.window().range(ranked.rows.len());
    let mut rows = Vec::new();
    if drawn.start > 0 {
        rows.push(room("above", model.window().room(drawn.start)));
    }
    for (index, (verdict, key)) in ranked.rows.iter().enumerate().take(drawn.end).skip(drawn.start) {
        // A list that is worked out once a second may name a group that is gone.
        let Some(group) = board.group(key) else { continue };
        let row = Row {
            index,
            verdict: *verdict,
            group: ByPointer(Arc::clone(group)),
            why: Why::of(model, group),
            to: model.address_of(group),
            at,
            act: act.clone(),
        };
        rows.push(still_at(place(key), row));
    }
    if drawn.end < ranked.rows.len() {
        rows.push(room("below", model.window().room(ranked.rows.len() - drawn.end)));
    }
    let (all, listed) = (words::thousands(ranked.all as u64), ranked.rows.len());
    let note = if listed == ranked.all {
        all
    } else {
        format!("{} of {all}", words::thousands(listed as u64))
    };
    html! {
        <section class="panel" aria-labelledby="groups-title">
            <header>
                <h2 id="groups-title">{ "Groups" }</h2><span class="faint" data-testid="listed">{ note }</span>
                if ranked.is_held {
                    { button("reorder", None, act, Action::Reorder, "sort again") }
                }
                <div class="right inline">{ filters(&model.address().list, ranked, act) }</div>
            </header>
            <table class="rows groups" role="table" aria-rowcount={(listed + 1).to_string()}>
                { head(&model.address().list, act) }
                <tbody role="rowgroup">{ for rows }</tbody>
            </table>
            if listed == 0 { <p class="nothing">{ "No group passes this filter." }</p> }
        </section>
    }
}

/// The room of rows that are not drawn. It has a key as they have: else each row would be drawn anew with every step, and lose
/// the focus.
fn room(place: &'static str, height: u64) -> Html {
    html! {
        <tr key={place} class="room" aria-hidden="true"><td colspan="11"><svg width="1" height={height.to_string()}></svg></td></tr>
    }
}

/// What chooses among the groups.
fn filters(list: &GroupList, ranked: &Ranked, act: &Act) -> Html {
    let set = |set: fn(&mut GroupList, String)| {
        let list = list.clone();
        act.reform(move |value| {
            let mut list = list.clone();
            set(&mut list, value);
            Action::List(list)
        })
    };
    let label = |name: &str| html! { <span class="sr">{ name }</span> };
    let words = |words: Vec<&str>, none: &str, chosen: &str| {
        let mut options = vec![(String::new(), none.to_owned())];
        options.extend(
            words
                .into_iter()
                .map(|word| (word.to_owned(), words::spelled(word))),
        );
        // What is chosen is there even where no group has it.
        if options.iter().all(|(option, _)| option != chosen) {
            options.push((chosen.to_owned(), words::spelled(chosen)));
        }
        options
    };
    let verdicts = words(
        ranked.verdicts.keys().copied().collect(),
        "all verdicts",
        &list.verdict,
    );
    let types = words(
        ranked.types.keys().map(String::as_str).collect(),
        "all types",
        &list.group_type,
    );
    let states = words(
        ranked.states.keys().map(String::as_str).collect(),
        "all states",
        &list.state,
    );
    let columns = Column::ALL.iter().zip(COLUMNS).map(|(column, (_, name))| {
        (
            column.word().to_owned(),
            format!("by {}", name.to_ascii_lowercase()),
        )
    });
    html! {
        <>
            { entry(label("Part of the group's id"), "group-search", "search", true, list.search.clone(), &set(|list, value| list.search = value)) }
            { choice(label("Verdict"), "group-verdict", verdicts, &list.verdict, &set(|list, value| list.verdict = value)) }
            { choice(label("Type"), "group-type", types, &list.group_type, &set(|list, value| list.group_type = value)) }
            { choice(label("State"), "group-state", states, &list.state, &set(|list, value| list.state = value)) }
            { choice(label("Order"), "group-order", columns.collect(), list.sort.word(), &set(|list, value| list.order_by(&value))) }
        </>
    }
}

/// The table's head: each name sorts by its column, and once more the other way round.
fn head(list: &GroupList, act: &Act) -> Html {
    let mut names = Vec::new();
    for (column, (class, name)) in Column::ALL.into_iter().zip(COLUMNS) {
        let next = list.sorted_by(column);
        let onclick = act.reform(move |_: MouseEvent| Action::List(next.clone()));
        // Names are read from A, all else from the most.
        let rising = matches!(column, Column::Group | Column::Type | Column::State) != list.reversed;
        let (sort, sign) = match (list.sort == column, rising) {
            (false, _) => (None, ""),
            (true, true) => (Some("ascending"), " ▲"),
            (true, false) => (Some("descending"), " ▼"),
        };
        names.push(html! {
            <th role="columnheader" {class} aria-sort={sort}>
                <button type="button" class="sort" data-sort={column.word()} {onclick}>{ name }<i aria-hidden="true">{ sign }</i></button>
            </th>
        });
    }
    html! { <thead><tr role="row" aria-rowindex="1">{ for names }</tr></thead> }
}

/// What a group's row is known by while it moves in the list.
fn place(key: &GroupKey) -> String {
    [key.cluster.as_str(), "/", key.group.as_str()].concat()
}

#[derive(PartialEq)]
struct Card {
    finding: Finding,
    group: ByPointer<Group>,
    to: Address,
    act: Act,
}

impl Part for Card {
    fn draw(&self) -> Html {
        let Finding {
            verdict,
            sentence,
            evidence,
            ..
        } = &self.finding;
        let name = plain_id(self.group.key.group.as_str());
        html! {
            <article class="panel card" data-tone={verdict_tone(*verdict).0.name()} data-verdict={verdict.as_str()}>
                <div class="cardhead"><h3>{ link(&self.act, &self.to, "", false, name) }</h3>{ verdict_pill(*verdict) }</div>
                <p>{ words::spelled(sentence) }</p>
                <p class="evidence">{ words::spelled(evidence) }</p>
            </article>
        }
    }
}

#[derive(PartialEq)]
struct Row {
    /// Its place in the whole list.
    index: usize,
    verdict: Verdict,
    group: ByPointer<Group>,
    why: Why,
    to: Address,
    at: UnixMs,
    act: Act,
}

impl Part for Row {
    fn draw(&self) -> Html {
        let group = &*self.group;
        let state = group
            .state
            .get()
            .map(|state| state.as_str().to_owned())
            .unwrap_or_default();
        let shown = group.state.get().map(|state| state_name(state.as_str()));
        let number = |value: Option<String>, why: &str| seen_or(value.map(|value| html! { value }), why);
        let members = group.member_count().map(|count| words::thousands(count as u64));
        let generation = words::generation(group);
        let p99 = group.latency().percentile(99.0).map(words::latency);
        let seat = group.coordinator.as_ref();
        let seat = seat.map(|seat| format!("broker {}", seat.node));
        let seat = seat.or_else(|| {
            group
                .sources
                .contains(Source::Embedded)
                .then(|| "embedded".to_owned())
        });
        let since = group.at_rest_since().map(|since| {
            let bound = if since.at_latest { "≥ " } else { "" };
            format!("{bound}{}", words::span(self.at.since(since.at)))
        });
        let rebalances = group.rebalance_count().map(|count| {
            let bound = if group.rebalanced_unseen() { "≥ " } else { "" };
            format!("{bound}{}", words::thousands(count))
        });
        let (why, state_why) = (&self.why, self.why.or("its state is not visible from here"));
        html! {
            <tr role="row" aria-rowindex={(self.index + 2).to_string()} data-testid="group-row" data-group={group.key.group.as_str().to_owned()} data-state={state}
                data-verdict={self.verdict.as_str()}>
                { bare("half bare", verdict_pill(self.verdict)) }
                { bare("half bare fill", link(&self.act, &self.to, "", false, short_id(group.key.group.as_str()))) }
                { cell("", "type", seen_or(kind(group), "nobody has told the group's type")) }
                { cell("", "state", seen_or(shown, state_why)) }
                { cell("num", "members", number(members, why.members())) }
                { cell("num", "generation", number(generation, &why.generation)) }
                { cell("", "coordinator", number(seat, "no coordinator has been found yet")) }
                { cell("num", "p99", number(p99, "no heartbeat has been timed")) }
                { cell("num", "rebalances", html! { <span>{ spark(group, self.at) }{ number(rebalances, why.rebalances()) }</span> }) }
                { cell("num", "lag", partitions::lag_fact(group, why)) }
                { cell("num", "in state for", number(since, state_why)) }
            </tr>
        }
    }
}

/// The rebalances of the last hour, five minutes a bar; nothing where none is kept.
fn spark(group: &Group, at: UnixMs) -> Html {
    const BARS: usize = 12;
    const EACH: u64 = 300_000;
    const HIGH: u64 = 14;
    let mut bars = [0_u64; BARS];
    for row in group.rebalances.iter().chain(&group.open) {
        let when = row.finished.get().or(row.started.get()).copied();
        let ago = when.map_or(u64::MAX, |when| at.since(when).0 / EACH);
        let bar = usize::try_from(ago)
            .ok()
            .and_then(|ago| bars.iter_mut().rev().nth(ago));
        if let Some(count) = bar {
            *count += 1;
        }
    }
    let (sum, most) = (bars.iter().sum::<u64>(), bars.iter().max().copied().unwrap_or(0));
    if sum == 0 {
        return Html::default();
    }
    let each = bars.iter().zip(0_u32..).filter(|(count, _)| **count > 0);
    let path =
        each.map(|(count, place)| format!("M{} {HIGH}h3v-{}h-3z", place * 4, (count * HIGH / most).max(2)));
    // A group keeps the last ones only.
    let least = if sum < limits::REBALANCES as u64 {
        ""
    } else {
        "at least "
    };
    let name = format!(
        "{least}{} in the last hour",
        words::count(sum, "rebalance", "rebalances")
    );
    html! {
        <svg class="spark" width="47" height="14" role="img" aria-label={name.clone()}><title>{ name }</title><path d={path.collect::<String>()} /></svg>
    }
}

/// A state by Kafka's name, which may be broken where its second word begins.
fn state_name(name: &str) -> Html {
    const SECOND: &str = "Rebalance";
    match name.strip_suffix(SECOND) {
        Some(first) => html! { <>{ words::spelled(first) }<wbr />{ SECOND }</> },
        None => html! { words::spelled(name) },
    }
}
