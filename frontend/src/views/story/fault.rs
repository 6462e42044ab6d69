//! A fault in words.

use shared::error_code;
use shared::fault::{AnswerWith, Fault};
use shared::ids::MemberId;
use shared::time::Millis;

use super::name;
use crate::views::words;

/// A fault in words.
#[must_use]
pub fn fault_words(fault: &Fault) -> String {
    let whom = |member: &Option<MemberId>| match member {
        Some(member) => format!(" to {}", name(member)),
        None => String::new(),
    };
    match fault {
        Fault::Silence { member } => format!("{} is silenced", name(member)),
        Fault::Kill { member } => format!("{} is killed, its socket cut", name(member)),
        Fault::Leave { member } => format!("{} is told to leave", name(member)),
        Fault::Add { count } => format!("{} added", words::count(u64::from(*count), "member", "members")),
        Fault::Delay {
            api,
            ms,
            member,
            times,
            ..
        } => format!(
            "the next {}{} held back {}",
            answers(*times, api),
            whom(member),
            words::setting(Millis(*ms))
        ),
        Fault::Drop {
            api, times, member, ..
        } => format!("the next {}{} dropped", answers(*times, api), whom(member)),
        Fault::Stop => "the coordinator stops".to_owned(),
        Fault::Restart => "the coordinator serves again".to_owned(),
        Fault::Answer {
            api,
            error,
            times,
            member,
            ..
        } => {
            let with = match error {
                AnswerWith::Code(code) => format!("carry {}", error_code::label(*code)),
                AnswerWith::Word(_) => "are a disconnect".to_owned(),
            };
            format!("the next {}{} {with}", answers(*times, api), whom(member))
        }
    }
}

fn answers(times: u32, api: &str) -> String {
    let api = words::spelled(api);
    match times {
        1 => format!("{api} answer"),
        many => format!("{} {api} answers", words::thousands(u64::from(many))),
    }
}
