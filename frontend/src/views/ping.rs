//! A group's coordinator measured when the viewer asks for it: the button, and what came of it.

use shared::board::Group;
use shared::error_code;
use shared::event::GroupType;
use yew::prelude::*;

use super::latency::trips;
use super::parts::explained;
use super::words::{LocalTime, spelled};
use super::{Act, Now};
use crate::model::faults::Offer;
use crate::model::ping::{Pong, Told};
use crate::model::{Action, Model};

/// What the button does, for who hesitates to press it on a cluster in production.
const DOES: &str = "Sends one heartbeat with a made-up member id to this group's coordinator. It is answered that nobody is known \
by that id; the group and its members do not notice it.";

/// The button, and what the last press told; nothing on our own coordinator, and where a heartbeat by nobody is not known to be
/// harmless: in groups that are neither classic nor of the type consumer.
pub fn block(model: &Model, group: &Group, now: Now, act: &Act) -> Html {
    let harmless = matches!(
        group.group_type.get(),
        Some(GroupType::Classic | GroupType::Consumer)
    );
    if model.faults().offer != Offer::Nothing || !harmless || model.past().is_some() {
        return Html::default();
    }
    let (ping, key) = (model.ping(), group.key.clone());
    let disabled = ping.is_out(&key);
    let told = ping.told(&key).map(|told| answer(told, now.local));
    let onclick = act.reform(move |_: MouseEvent| Action::Ping(key.clone()));
    html! {
        <>
            <div><button class="button" type="button" data-testid="ping" title={DOES} {disabled} {onclick}>{ "measure the coordinator now" }</button></div>
            { told }
        </>
    }
}

fn answer(Told { at, what }: &Told, local: LocalTime) -> Html {
    let at = local.clock(*at);
    let Pong {
        node,
        api,
        latency_us,
        error,
        right,
        beside,
    } = match what {
        Ok(pong) => pong,
        Err(why) => {
            return html! { <p class="refused" role="alert" data-testid="pinged">{ format!("Not measured at {at}: {}", spelled(why)) }</p> };
        }
    };
    let rows = [
        (api.as_str(), Some(*latency_us)),
        ("ApiVersions", beside.api_versions),
        ("DescribeGroups", beside.describe_groups),
        ("ConsumerGroupDescribe", beside.consumer_group_describe),
    ];
    // What nobody is answered would be trouble for a member that is one.
    let nobody = matches!(
        *error,
        error_code::UNKNOWN_MEMBER_ID | error_code::GROUP_ID_NOT_FOUND
    );
    let missing = right
        .as_ref()
        .map(|right| format!(" Missing: {}.", spelled(right)));
    html! {
        <div data-testid="pinged" data-us={latency_us.to_string()}>
            <p>{ format!("Broker {node} at {at}, each request once:") }</p>
            { trips(&rows) }
            <p class="evidence">
                if nobody {
                    { format!("Answered {}: nobody is known by the made-up id, as is meant.", error_code::label(*error)) }
                } else {
                    { explained(*error) }{ missing }
                }
            </p>
        </div>
    }
}
