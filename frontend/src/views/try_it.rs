//! Faults to play on the embedded coordinator, each with what to watch for.

use shared::error_code;
use shared::fault::{self, AnswerWith, Fault, Kind};
use shared::ids::{GroupId, MemberId};
use shared::time::Millis;
use yew::prelude::*;

use super::Act;
use super::parts::{Choosable, choice, choosable, entry};
use super::still::Part;
use super::story;
use super::words;
use crate::model::Action;
use crate::model::faults::{APIS, CODES, DELAYS_MS, Faults, Field, Form, Sheet, TIMES};
use crate::model::look::Timing;

/// What the panel shows.
#[derive(Clone, Debug, PartialEq)]
pub struct TryIt {
    /// What is on offer, chosen and refused.
    pub faults: Faults,
    /// When members are late and when they expire.
    pub timing: Timing,
    /// The group on show.
    pub group: GroupId,
    /// Members a fault can be aimed at, by id and label.
    pub targets: Vec<(MemberId, String)>,
    /// Where to send what is played.
    pub act: Act,
}

impl Part for TryIt {
    fn draw(&self) -> Html {
        let Self {
            faults,
            timing,
            group,
            targets,
            act,
        } = self;
        html! {
            <section class="panel try" aria-labelledby="try-title" data-testid="try-it">
                <header><h2 id="try-title">{ "Try it" }</h2></header>
                <div class="body">
                    { members_block(timing) }
                    { coordinator_block(faults, timing, act) }
                    { answers_block(faults, targets, act) }
                    { sheet_block(faults, group, targets, act) }
                </div>
            </section>
        }
    }
}

fn members_block(timing: &Timing) -> Html {
    let late = timing.late_after.map(words::setting);
    let session = timing.session.map(words::setting);
    html! {
        <div class="try-block">
            <h3>{ "Members" }</h3>
            <p>
                <b>{ "silence" }</b>{ " one in its row: it is " }<b>{ "late" }</b>{ after(late.as_deref()) }{ ", " }
                <b>{ "expired" }</b>{ " by the coordinator" }{ after(session.as_deref()) }
                { "; then the others are told to rejoin. " }<b>{ "kill" }</b>{ " cuts its socket: the same, with no answer to wait for. " }
                <b>{ "leave" }</b>{ " says goodbye: the rebalance starts at once." }
            </p>
            <p class="watch">
                { "Add one above the list and watch for a rebalance with the cause " }<b>{ "member joined" }</b>
                { " and the next generation." }
            </p>
        </div>
    }
}

fn after(time: Option<&str>) -> String {
    // A figure and its unit stay on one line.
    time.map(|time| format!(" after {}", time.replace(' ', "\u{a0}")))
        .unwrap_or_default()
}

fn coordinator_block(faults: &Faults, timing: &Timing, act: &Act) -> Html {
    let session = timing.session.map(words::setting);
    html! {
        <div class="try-block">
            <h3>{ "Coordinator" }</h3>
            <div class="inline">
                { fault_button(&Fault::Stop, "stop", act) }
                { fault_button(&Fault::Restart, "restart", act) }
            </div>
            <p class="watch">
                { "Watch every member turn " }<b>{ "late" }</b>{ ", then " }<b>{ "overdue" }</b>{ after(session.as_deref()) }
                { "; none expires, because nobody is there to expire it. After a restart each gets a full session." }
            </p>
            { refusal(faults, |fault| matches!(fault, Fault::Stop | Fault::Restart)) }
        </div>
    }
}

fn answers_block(faults: &Faults, members: &[(MemberId, String)], act: &Act) -> Html {
    let form = &faults.form;
    let choose = |field: Field| act.reform(move |value: String| Action::Choose(field, value));
    let times = TIMES
        .iter()
        .map(|times| (times.to_string(), format!("{times} ×")));
    let delays = DELAYS_MS
        .iter()
        .map(|ms| (ms.to_string(), words::setting(Millis(*ms))));
    let mut codes = codes(&CODES);
    codes.push((Form::DISCONNECT.to_owned(), "a disconnect".to_owned()));
    let answer = answer_value(form.answer);
    let member = form.member.as_ref().map_or("", |id| id.as_str());
    let whom = or_none("any member", targets(members), member);
    html! {
        <div class="try-block">
            <h3>{ "The coordinator's next answers" }</h3>
            <div class="inline">
                { choice(html! { "of" }, "fault-api", apis(), form.api.name(), &choose(Field::Api)) }
                { choice(html! { <span class="sr">{ "how many" }</span> }, "fault-times", times.collect(), &form.times.to_string(), &choose(Field::Times)) }
                { choice(html! { "to" }, "fault-to", whom, member, &choose(Field::Member)) }
            </div>
            <div class="inline">
                { fault_button(&form.delay(), "delay", act) }
                { choice(html! { "by" }, "fault-delay", delays.collect(), &form.delay_ms.to_string(), &choose(Field::DelayMs)) }
                { fault_button(&form.drop_answers(), "drop", act) }
            </div>
            <p class="watch">{ "Watch the latency for the delay, and a heartbeat that got " }<b>{ "no answer" }</b>{ " for the drop." }</p>
            <div class="inline tight">
                { fault_button(&form.replace_answers(), "answer", act) }
                { choice(html! { "with" }, "fault-answer", codes, &answer, &choose(Field::Answer)) }
            </div>
            <p class="watch">{ answer_watch(form.answer) }</p>
            { refusal(faults, |fault| matches!(fault, Fault::Delay { .. } | Fault::Drop { .. } | Fault::Answer { .. })) }
        </div>
    }
}

/// Any other fault, field by field.
fn sheet_block(faults: &Faults, group: &GroupId, members: &[(MemberId, String)], act: &Act) -> Html {
    let Some(shape) = faults.sheet.shape() else {
        return Html::default();
    };
    let choose = act.reform(|value: String| Action::Choose(Field::Fault, value));
    let offered = Sheet::shapes().filter(|shape| faults.offer.has(shape.name));
    let names = offered.map(|shape| (shape.name.to_owned(), shape.name.replace('_', " ")));
    let fields = shape
        .fields
        .iter()
        .map(|field| sheet_field(&faults.sheet, field, group, members, act));
    let button = match faults.sheet.fault(group) {
        Some(fault) => fault_button(&fault, "play", act),
        None => {
            html! { <button class="button" type="button" data-testid="fault" data-fault={shape.name} disabled=true>{ "play" }</button> }
        }
    };
    html! {
        <div class="try-block">
            <h3>{ "What else the field knows" }</h3>
            <div class="inline">{ choice(html! { <span class="sr">{ "fault" }</span> }, "fault-name", names.collect(), shape.name, &choose) }{ button }</div>
            <p>{ shape.does }</p>
            <div class="fields">{ for fields }</div>
            <p class="watch">{ "Watch " }{ shape.watch }</p>
            { refusal(faults, |fault| fault.name() == shape.name) }
        </div>
    }
}

/// A field with what it takes below it.
fn sheet_field(
    sheet: &Sheet,
    field: &'static fault::Field,
    group: &GroupId,
    members: &[(MemberId, String)],
    act: &Act,
) -> Html {
    let fill = act.reform(move |value: String| Action::Choose(Field::Of(field.name), value));
    let good = sheet.is_good(field, group);
    let takes = match field.kind {
        Kind::Number { least, most, .. } => format!("{} ({least} to {most})", field.takes),
        _ => field.takes.to_owned(),
    };
    let label = html! { <><span class="fieldname">{ field.name.replace('_', " ") }</span><span class="sr">{ format!(", {takes}") }</span></> };
    let value = sheet.value(field, group);
    let blank = if field.required { "choose" } else { "–" };
    let options = match field.kind {
        Kind::Member => or_none(blank, targets(members), &value),
        Kind::Api => or_none(blank, apis(), &value),
        Kind::Code { codes: known } => codes(known),
        Kind::Word { words } => words.iter().map(|word| choosable(word)).collect(),
        Kind::Number { .. } | Kind::Group | Kind::Answer | Kind::Text { .. } => Vec::new(),
    };
    let control = if options.is_empty() {
        let numbers = matches!(field.kind, Kind::Number { .. });
        let keys = if numbers { "numeric" } else { "text" };
        entry(label, "fault-field", keys, good, value.clone(), &fill)
    } else {
        choice(label, "fault-field", options, &value, &fill)
    };
    let typed = !good && !value.is_empty();
    html! {
        <div class="field" data-field={field.name}>
            { control }
            if typed {
                <p class="refused" role="alert">{ format!("{} is not allowed: {takes}", words::spelled(&value)) }</p>
            } else {
                <p class="takes" aria-hidden="true">{ takes }</p>
            }
        </div>
    }
}

fn apis() -> Vec<Choosable> {
    APIS.iter().map(|api| choosable(api.name())).collect()
}

fn codes(codes: &[i16]) -> Vec<Choosable> {
    let labelled = codes
        .iter()
        .map(|code| (code.to_string(), error_code::label(*code)));
    labelled.collect()
}

fn targets(members: &[(MemberId, String)]) -> Vec<Choosable> {
    let named = members
        .iter()
        .map(|(id, label)| (id.as_str().to_owned(), label.clone()));
    named.collect()
}

/// None of them, under this name, or one. The one that is chosen is there even when the group has it no more: what is shown
/// is what is sent.
fn or_none(none: &str, mut options: Vec<Choosable>, chosen: &str) -> Vec<Choosable> {
    options.insert(0, (String::new(), none.to_owned()));
    if options.iter().all(|(option, _)| option != chosen) {
        options.push((chosen.to_owned(), story::name(&chosen.into())));
    }
    options
}

fn answer_value(answer: AnswerWith) -> String {
    match answer {
        AnswerWith::Code(code) => code.to_string(),
        AnswerWith::Word(_) => Form::DISCONNECT.to_owned(),
    }
}

fn answer_watch(answer: AnswerWith) -> String {
    match answer {
        AnswerWith::Code(error_code::NONE) => {
            "0 is no error: the answer without what it would have told.".to_owned()
        }
        AnswerWith::Code(code) => error_code::sentence(code),
        AnswerWith::Word(_) => {
            "The connection ends instead: the coordinator is taken for dead, looked up and found again."
                .to_owned()
        }
    }
}

/// A button that plays a fault.
pub fn fault_button(fault: &Fault, words: &'static str, act: &Act) -> Html {
    let name = fault.name();
    let member = fault.member().map(|id| id.as_str().to_owned());
    // A column of buttons that all say "kill" says nothing to those who hear it.
    let label = fault.member().map(|id| format!("{words} {}", story::name(id)));
    let played = fault.clone();
    let onclick = act.reform(move |_: MouseEvent| Action::Play(played.clone()));
    html! {
        <button class="button" type="button" data-testid="fault" data-fault={name} data-member={member}
            aria-label={label} {onclick}>{ words }</button>
    }
}

/// Why the last fault was refused, where it belongs to what stands here.
pub fn refusal(faults: &Faults, belongs: impl Fn(&Fault) -> bool) -> Html {
    match &faults.refused {
        Some((fault, why)) if belongs(fault) => html! {
            <p class="refused" role="alert" data-testid="refused">{ format!("Not played ({}): {why}", fault.name()) }</p>
        },
        _ => Html::default(),
    }
}
