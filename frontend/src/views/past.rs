//! The banner of the past: which moment is looked at, and the ways to others and back to the present.

use shared::time::UnixMs;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::parts::button;
use super::still::{Part, still};
use super::tone::Tone;
use super::words;
use super::{Act, Now};
use crate::model::address::Address;
use crate::model::{Action, Model};

/// How far the buttons go, in seconds.
const STEPS: [(i64, &str); 6] = [
    (-3_600, "− 1 h"),
    (-300, "− 5 min"),
    (-10, "− 10 s"),
    (10, "+ 10 s"),
    (300, "+ 5 min"),
    (3_600, "+ 1 h"),
];

/// The way into the past: the page as it is now, standing still.
pub fn way(model: &Model, now: Now, act: &Act) -> Html {
    let to = Address {
        at: now.shown,
        ..model.address().clone()
    };
    button("past", None, act, Action::Go(to), "◷ history")
}

/// The banner; nothing in the present.
pub fn banner(model: &Model, now: Now, act: &Act) -> Html {
    let Some((past, asked)) = model.past().zip(model.address().at) else {
        return Html::default();
    };
    let named = |at: UnixMs| [&now.local.date(at), " ", &now.local.clock(at)].concat();
    let present = model.clock().told().unwrap_or_default();
    let sentence = match (past.refusal(), past.at()) {
        _ if model.is_to_come() => {
            format!("{} is to come: there is nothing to show of it yet.", named(asked))
        }
        (Some(_), _) => {
            let oldest = named(past.kept().0);
            format!(
                "There is no page of {}: it is older than all that is kept. The oldest moment is {oldest}.",
                named(asked)
            )
        }
        (None, Some(at)) if at == asked => {
            let age = words::span(present.since(at));
            format!("This is the past: {}, {age} ago.", named(at))
        }
        (None, _) => format!("The page of {} is on its way.", named(asked)),
    };
    html! {
        <section class="notice past" aria-label="An earlier moment" data-tone={Tone::Move.name()} data-testid="past-banner"
            data-at={past.at().map(|at| at.0.to_string())}>
            <span aria-hidden="true">{ "◷" }</span>
            <p role="status">{ sentence }</p>
            { still(Scrubber { here: model.address().clone(), kept: past.kept(), label: named(asked), act: act.clone() }) }
        </section>
    }
}

/// It is drawn again when another moment is chosen, not as time passes: that would take it out of the hand that drags it.
#[derive(PartialEq)]
struct Scrubber {
    here: Address,
    /// From when until when there is something to look at; zeros while nobody has told.
    kept: (UnixMs, UnixMs),
    /// The chosen moment in words.
    label: String,
    act: Act,
}

impl Scrubber {
    fn at(&self, at: Option<UnixMs>) -> Address {
        Address {
            at,
            ..self.here.clone()
        }
    }
}

impl Part for Scrubber {
    fn draw(&self) -> Html {
        let UnixMs(asked) = self.here.at.unwrap_or_default();
        let (UnixMs(oldest), UnixMs(newest)) = self.kept;
        let steps = STEPS.map(|(seconds, name)| {
            let to = asked.saturating_add_signed(seconds * 1_000);
            let to = to.clamp(oldest.min(newest), newest);
            let action = Action::Narrow(self.at(Some(UnixMs(to))));
            button("past-step", None, &self.act, action, name)
        });
        let (here, act) = (self.at(None), self.act.clone());
        let onchange = Callback::from(move |event: Event| {
            let input = event.target_dyn_into::<HtmlInputElement>();
            if let Some(at) = input.and_then(|input| input.value().parse().ok()) {
                let at = Some(UnixMs(at));
                act.emit(Action::Narrow(Address { at, ..here.clone() }));
            }
        });
        html! {
            <>
                if newest > 0 {
                    <input type="range" data-testid="scrubber" aria-label="Moment" aria-valuetext={self.label.clone()} step="1000"
                        min={oldest.to_string()} max={newest.to_string()} value={asked.to_string()} {onchange} />
                }
                <span class="inline">
                    if newest > 0 { { for steps } }
                    if asked < oldest {
                        { button("oldest", None, &self.act, Action::Narrow(self.at(Some(UnixMs(oldest)))), "oldest") }
                    }
                    { button("live", None, &self.act, Action::Go(self.at(None)), "● live") }
                </span>
            </>
        }
    }
}
