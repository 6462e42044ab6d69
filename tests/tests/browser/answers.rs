//! Each error code that a Heartbeat can be answered with, provoked from the page and seen there doing what the table of
//! rules says.

use shared::rules::{Effect, Forget, GroupRequest, Rules};
use tests::chrome::{Page, Row};
use tests::heartline::Heartline;

use crate::{newest_seq, nothing_to_complain_of, on_time, ready, seq};

/// One answer to one Heartbeat, and what the page must show after it.
struct Case {
    /// As the page's list of answers has it.
    answer: &'static str,
    effect: Effect,
    /// Kinds that appear in the event log, in this order, each after the one before.
    kinds: &'static [&'static str],
    /// Kinds that must not have appeared by then.
    never: &'static [&'static str],
    member: Member,
}

/// What becomes of the member.
#[derive(Clone, Copy, PartialEq)]
enum Member {
    /// On time again under the id it had.
    Same,
    /// On time again under another id.
    New,
    /// Ended, for want of a right.
    Refused,
}

const REJOINS: &[&str] = &["rejoin_needed", "coordinator_dead"];

/// 30 stands last: it ends the member.
const CASES: [Case; 10] = [
    Case {
        answer: "0",
        effect: Effect::Accept,
        kinds: &[],
        never: REJOINS,
        member: Member::Same,
    },
    Case {
        answer: "14",
        effect: Effect::Retry,
        kinds: &[],
        never: REJOINS,
        member: Member::Same,
    },
    Case {
        answer: "-1",
        effect: Effect::Retry,
        kinds: &[],
        never: REJOINS,
        member: Member::Same,
    },
    Case {
        answer: "15",
        effect: Effect::CoordinatorDead,
        kinds: &["coordinator_dead", "coordinator_found"],
        never: &["rejoin_needed"],
        member: Member::Same,
    },
    Case {
        answer: "16",
        effect: Effect::CoordinatorDead,
        kinds: &["coordinator_dead", "coordinator_found"],
        never: &["rejoin_needed"],
        member: Member::Same,
    },
    Case {
        answer: "disconnect",
        effect: Effect::CoordinatorDead,
        kinds: &["coordinator_dead", "coordinator_found"],
        never: &["rejoin_needed"],
        member: Member::Same,
    },
    Case {
        answer: "27",
        effect: Effect::Rejoin(Forget::Nothing),
        kinds: &["rejoin_needed", "member_rejoined"],
        never: &["coordinator_dead"],
        member: Member::Same,
    },
    Case {
        answer: "22",
        effect: Effect::Rejoin(Forget::Generation),
        kinds: &["rejoin_needed", "member_rejoined"],
        never: &["coordinator_dead"],
        member: Member::Same,
    },
    Case {
        answer: "25",
        effect: Effect::Rejoin(Forget::Both),
        kinds: &["rejoin_needed"],
        never: &["coordinator_dead"],
        member: Member::New,
    },
    Case {
        answer: "30",
        effect: Effect::Fatal,
        kinds: &["not_authorized"],
        never: REJOINS,
        member: Member::Refused,
    },
];

#[tokio::test]
async fn each_answer_to_a_heartbeat_is_seen_doing_what_the_table_says() {
    if !ready() {
        return;
    }
    let heartline = Heartline::start(&["--members", "1"]).await;
    let page = Page::open(heartline.address()).await;
    for case in &CASES {
        let before = on_time(&page, 1).await;
        let seq = newest_seq(&page).await;
        let told = marked_beats(&page).await;
        play(&page, case.answer).await;
        if let Ok(code) = case.answer.parse::<i16>() {
            assert_eq!(
                Rules::MODERN.answers.effect(GroupRequest::Heartbeat, code),
                case.effect,
                "the table at {code}"
            );
            if code != 0 {
                wait_for_marked_beat(&page, code, told).await;
            }
        }
        follow(&page, case, seq).await;
        match case.member {
            Member::Same => assert_eq!(on_time(&page, 1).await, before, "after {}", case.answer),
            Member::New => assert_ne!(on_time(&page, 1).await, before, "after {}", case.answer),
            Member::Refused => refused(&page, &before[0]).await,
        }
        nothing_to_complain_of(&page).await;
    }
}

/// Chooses the answer in the page's form and sends it.
async fn play(page: &Page, answer: &str) {
    page.choose("[data-testid=fault-api] option[value=Heartbeat]")
        .await;
    page.choose(&format!("[data-testid=fault-answer] option[value='{answer}']"))
        .await;
    page.click("[data-testid=fault][data-fault=answer]").await;
    page.wait_for(&format!("the fault {answer} in the log"), "event-row", |rows| {
        rows.iter()
            .find(|row| row.data("kind") == "fault_played" && row.text.contains(answer))?;
        Some(())
    })
    .await;
}

/// Waits for the case's kinds, one after the other, and for none that must not be.
async fn follow(page: &Page, case: &Case, after: u64) {
    let mut last = after;
    for kind in case.kinds {
        last = page
            .wait_for(&format!("{kind} after {}", case.answer), "event-row", |rows| {
                rows.iter()
                    .filter(|row| row.data("kind") == *kind && seq(row) > last)
                    .map(seq)
                    .min()
            })
            .await;
    }
    let happened = page.rows("event-row").await;
    let unwanted = |row: &&Row| seq(row) > after && case.never.contains(&row.data("kind"));
    assert!(
        !happened.iter().any(|row| unwanted(&row)),
        "after {}: {happened:#?}",
        case.answer
    );
}

/// How many beats of the heartbeat bar are drawn as answered with a code.
async fn marked_beats(page: &Page) -> u64 {
    let count = "return [...document.querySelectorAll('[data-testid=member-row] path[data-beat=told], \
                 [data-testid=member-row] path[data-beat=error]')].reduce((n, p) => n + p.getAttribute('d').split('M').length, 0)";
    page.script(count).await.as_u64().expect("a count")
}

async fn wait_for_marked_beat(page: &Page, code: i16, before: u64) {
    tests::wait::wait_until(&format!("a beat drawn as answered {code}"), async || {
        let now = marked_beats(page).await;
        if now > before { Ok(()) } else { Err(now) }
    })
    .await;
}

/// The member that may not be in the group stays shown, with the right it lacks.
async fn refused(page: &Page, member: &str) {
    let reason = page
        .wait_for("the member without its right", "member-row", |rows| {
            let row = rows
                .iter()
                .find(|row| row.data("member") == member && row.data("state") == "not-authorized")?;
            Some(row.data("reason").to_owned())
        })
        .await;
    assert!(reason.contains("READ"), "{reason}");
}
