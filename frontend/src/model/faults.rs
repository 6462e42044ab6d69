//! What can be played on the embedded coordinator, and what the viewer chose to play.

mod sheet;

use shared::error_code;
use shared::fault::{AnswerWith, AnswerWord, Fault};
use shared::ids::MemberId;
use shared::protocol::ApiKey;
pub use sheet::Sheet;

/// Whether faults can be played here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Offer {
    /// Not answered yet.
    #[default]
    Unknown,
    /// A real cluster: nothing can be played on it.
    Nothing,
    /// These, by name.
    Faults(Vec<String>),
}

impl Offer {
    /// What the server offers; on a real cluster it offers nothing.
    #[must_use]
    pub fn of(names: Vec<String>) -> Self {
        if names.is_empty() {
            Self::Nothing
        } else {
            Self::Faults(names)
        }
    }

    /// Whether anything can be played.
    #[must_use]
    pub const fn has_any(&self) -> bool {
        matches!(self, Self::Faults(_))
    }

    /// Whether a fault of this name can be played.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        matches!(self, Self::Faults(names) if names.iter().any(|offered| offered == name))
    }
}

/// The APIs whose answers a fault can be asked for: those of a member's life.
pub const APIS: [ApiKey; 5] = [
    ApiKey::Heartbeat,
    ApiKey::JoinGroup,
    ApiKey::SyncGroup,
    ApiKey::LeaveGroup,
    ApiKey::FindCoordinator,
];

/// How long answers can be held back, in milliseconds.
pub const DELAYS_MS: [u64; 5] = [200, 1_000, 2_000, 5_000, 15_000];

/// How many answers a fault can be asked for.
pub const TIMES: [u32; 4] = [1, 3, 10, 100];

/// The codes an answer can be asked to carry: those that the rules of a member know, and one that is in no table of theirs.
pub const CODES: [i16; 16] = [
    error_code::NONE,
    error_code::COORDINATOR_LOAD_IN_PROGRESS,
    error_code::COORDINATOR_NOT_AVAILABLE,
    error_code::NOT_COORDINATOR,
    error_code::ILLEGAL_GENERATION,
    error_code::INCONSISTENT_GROUP_PROTOCOL,
    error_code::INVALID_GROUP_ID,
    error_code::UNKNOWN_MEMBER_ID,
    error_code::INVALID_SESSION_TIMEOUT,
    error_code::REBALANCE_IN_PROGRESS,
    error_code::GROUP_AUTHORIZATION_FAILED,
    error_code::UNSUPPORTED_VERSION,
    error_code::MEMBER_ID_REQUIRED,
    error_code::GROUP_MAX_SIZE_REACHED,
    error_code::FENCED_INSTANCE_ID,
    error_code::UNKNOWN_SERVER_ERROR,
];

/// What stands in the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whose answers.
    pub api: ApiKey,
    /// To whom; none is everyone.
    pub member: Option<MemberId>,
    /// How many of them.
    pub times: u32,
    /// How long they are held back.
    pub delay_ms: u64,
    /// What they carry.
    pub answer: AnswerWith,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            api: ApiKey::Heartbeat,
            member: None,
            times: 1,
            delay_ms: 2_000,
            answer: AnswerWith::Code(error_code::UNKNOWN_MEMBER_ID),
        }
    }
}

/// A field of the form, or of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Which fault the sheet is about.
    Fault,
    /// A field of that fault, by name.
    Of(&'static str),
    Api,
    Member,
    Times,
    DelayMs,
    Answer,
}

impl Form {
    /// The word by which a disconnect is chosen.
    pub const DISCONNECT: &str = "disconnect";

    /// Takes what was chosen in a field; what is no choice of that field changes nothing.
    pub fn choose(&mut self, field: Field, value: &str) {
        match field {
            // These are the sheet's.
            Field::Fault | Field::Of(_) => {}
            Field::Api => set(&mut self.api, APIS.into_iter().find(|api| api.name() == value)),
            Field::Member => self.member = (!value.is_empty()).then(|| value.into()),
            Field::Times => set(
                &mut self.times,
                value.parse().ok().filter(|times| TIMES.contains(times)),
            ),
            Field::DelayMs => set(
                &mut self.delay_ms,
                value.parse().ok().filter(|ms| DELAYS_MS.contains(ms)),
            ),
            Field::Answer if value == Self::DISCONNECT => {
                self.answer = AnswerWith::Word(AnswerWord::Disconnect)
            }
            Field::Answer => {
                let code = value.parse().ok().filter(|code| CODES.contains(code));
                set(&mut self.answer, code.map(AnswerWith::Code));
            }
        }
    }

    /// Answers held back.
    #[must_use]
    pub fn delay(&self) -> Fault {
        Fault::Delay {
            api: self.api.name().to_owned(),
            ms: self.delay_ms,
            member: self.member.clone(),
            group: None,
            times: self.times,
        }
    }

    /// Answers never sent.
    #[must_use]
    pub fn drop_answers(&self) -> Fault {
        Fault::Drop {
            api: self.api.name().to_owned(),
            times: self.times,
            member: self.member.clone(),
            group: None,
        }
    }

    /// Answers replaced.
    #[must_use]
    pub fn replace_answers(&self) -> Fault {
        Fault::Answer {
            api: self.api.name().to_owned(),
            error: self.answer,
            times: self.times,
            member: self.member.clone(),
            group: None,
        }
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// Faults as the viewer sees them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// What can be played.
    pub offer: Offer,
    /// What stands in the fields.
    pub form: Form,
    /// Any other fault.
    pub sheet: Sheet,
    /// What was refused last, and why.
    pub refused: Option<(Fault, String)>,
}

impl Faults {
    /// Takes what was chosen or filled in.
    pub fn choose(&mut self, field: Field, value: &str) {
        match field {
            Field::Fault => self.sheet.choose(value),
            Field::Of(name) => self.sheet.fill(name, value),
            _ => self.form.choose(field, value),
        }
    }

    /// Takes the answer to a fault that was asked for: nothing, or why it is not played.
    pub fn answered(&mut self, fault: Fault, refusal: Option<String>) {
        self.refused = refusal.map(|why| (fault, why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_choices_of_a_field_are_taken() {
        let mut form = Form::default();
        form.choose(Field::Api, "JoinGroup");
        form.choose(Field::Api, "Produce");
        form.choose(Field::Times, "3");
        form.choose(Field::Times, "-1");
        form.choose(Field::DelayMs, "5000");
        form.choose(Field::DelayMs, "5001");
        form.choose(Field::Answer, "-1");
        form.choose(Field::Answer, "x");
        assert_eq!(
            (form.api, form.times, form.delay_ms),
            (ApiKey::JoinGroup, 3, 5_000)
        );
        assert_eq!(form.answer, AnswerWith::Code(-1));
        form.choose(Field::Answer, Form::DISCONNECT);
        assert_eq!(form.answer, AnswerWith::Word(AnswerWord::Disconnect));
    }

    #[test]
    fn a_refusal_stays_until_a_fault_is_played() {
        let mut faults = Faults::default();
        faults.answered(Fault::Stop, Some("it is stopped already".to_owned()));
        assert_eq!(
            faults.refused,
            Some((Fault::Stop, "it is stopped already".to_owned()))
        );
        faults.answered(Fault::Restart, None);
        assert_eq!(faults, Faults::default());
    }
}
