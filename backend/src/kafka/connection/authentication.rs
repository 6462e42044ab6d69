//! Who we are: proved once before anything else, and again before each session that the broker grants ends (KIP-368).
//!
//! An authentication begins only while nothing is unanswered, since a broker that holds a JoinGroup back reads nothing else of
//! the connection until it has answered it. What is to be sent meanwhile waits here and goes out in its order: no request is
//! lost, and none is killed by a session that is over.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use shared::error_code;
use shared::protocol::{
    AnyRequest, AnyResponse, ApiKey, AuthBytes, BrokerVersions, SaslAuthenticateRequest,
    SaslAuthenticateResponse, SaslHandshakeRequest, SaslHandshakeResponse,
};
use shared::time::{Millis, Timestamp};
use tokio::time::timeout_at;

use super::Connection;
use crate::kafka::link_end::LinkEnd;
use crate::kafka::pipeline::OWN;
use crate::kafka::security::sasl::{Credentials, Exchange, SaslFault};
use crate::limits;
use crate::world::Chance;

/// The part of a connection that proves who we are.
pub(super) struct Authentication {
    credentials: Credentials,
    /// Of SaslHandshake and SaslAuthenticate; why not where the broker has none that carry the mechanism's bytes in frames.
    versions: Result<(i16, i16), &'static str>,
    timeout: Millis,
    chance: Chance,
    stage: Stage,
    held: VecDeque<Held>,
}

enum Stage {
    /// Nothing is proved yet.
    New,
    /// For as long as the connection lasts, or until the first of these moments, at the latest until the second.
    Proved(Option<(Timestamp, Timestamp)>),
    /// Something is asked of somebody else first, a token say; until when.
    Preparing(Preparing, Timestamp),
    /// The broker is asked whether it offers the mechanism.
    Offering(Exchange, Timestamp),
    /// The mechanism's messages go to and fro; how many more may.
    Exchanging(Exchange, Timestamp, usize),
}

type Preparing = Pin<Box<dyn Future<Output = Result<Exchange, SaslFault>> + Send>>;

/// A request that waits.
struct Held {
    token: u64,
    version: i16,
    request: AnyRequest,
    timeout: Millis,
    deadline: Timestamp,
}

impl Authentication {
    pub(super) fn new(
        credentials: Credentials,
        versions: &BrokerVersions,
        timeout: Millis,
        chance: Chance,
    ) -> Self {
        Self {
            credentials,
            versions: spoken(versions),
            timeout,
            chance,
            stage: Stage::New,
            held: VecDeque::new(),
        }
    }

    /// Whether a request of others must wait `now`; `idle`: whether nothing is unanswered.
    pub(super) fn holds(&self, now: Timestamp, idle: bool) -> bool {
        match self.stage {
            Stage::Proved(None) => !self.held.is_empty(),
            Stage::Proved(Some((due, last))) => !self.held.is_empty() || now >= last || (idle && now >= due),
            Stage::New | Stage::Preparing(..) | Stage::Offering(..) | Stage::Exchanging(..) => true,
        }
    }

    /// Lets a request wait.
    ///
    /// # Errors
    /// Too many wait already.
    pub(super) fn hold(
        &mut self,
        now: Timestamp,
        token: u64,
        version: i16,
        request: AnyRequest,
        timeout: Millis,
    ) -> Result<(), LinkEnd> {
        let limit = limits::REQUESTS_UNANSWERED;
        if self.held.len() >= limit {
            return Err(LinkEnd::Overrun { limit });
        }
        self.held.push_back(Held {
            token,
            version,
            request,
            timeout,
            deadline: now + timeout,
        });
        Ok(())
    }

    /// When something is due here: a new proof, or what waits.
    pub(super) fn deadline(&self, idle: bool) -> Option<Timestamp> {
        let stage = match self.stage {
            Stage::Proved(Some((due, _))) => idle.then_some(due),
            Stage::Preparing(_, until) | Stage::Offering(_, until) | Stage::Exchanging(_, until, _) => {
                Some(until)
            }
            Stage::New | Stage::Proved(None) => None,
        };
        let held = self.held.iter().map(|held| held.deadline).min();
        [stage, held].into_iter().flatten().min()
    }

    /// How the connection ends `now` if this part of it is overdue.
    pub(super) fn overdue(&self, now: Timestamp) -> Option<LinkEnd> {
        if let Some(held) = self.held.iter().find(|held| held.deadline <= now) {
            return Some(LinkEnd::Held {
                token: held.token,
                api: held.request.key(),
                within: held.timeout,
            });
        }
        match self.stage {
            Stage::Preparing(_, until) | Stage::Offering(_, until) | Stage::Exchanging(_, until, _)
                if until <= now =>
            {
                Some(self.end(format!("it was not over within {} ms", self.timeout.0)))
            }
            _ => None,
        }
    }

    fn end(&self, reason: String) -> LinkEnd {
        LinkEnd::Authentication {
            mechanism: self.credentials.mechanism(),
            reason,
        }
    }

    /// Takes what the broker says to the mechanism, and gives the next message with its deadline.
    fn next(
        &mut self,
        now: Timestamp,
        answer: &SaslAuthenticateResponse,
    ) -> Result<Option<(AuthBytes, Timestamp)>, LinkEnd> {
        if answer.error_code != error_code::NONE {
            return Err(self.end(refused(answer)));
        }
        let Stage::Exchanging(mut exchange, until, left) = std::mem::replace(&mut self.stage, Stage::New)
        else {
            return Err(self.end("the broker answers what was not asked".to_owned()));
        };
        let next = exchange
            .next(&answer.auth_bytes.0)
            .map_err(|fault| self.end(fault.to_string()))?;
        match (next, left.checked_sub(1)) {
            (None, _) => {
                self.stage = Stage::Proved(session(now, answer.session_lifetime_ms, &self.chance));
                Ok(None)
            }
            (Some(_), None) => Err(self.end("the broker does not come to an end".to_owned())),
            (Some(message), Some(left)) => {
                self.stage = Stage::Exchanging(exchange, until, left);
                Ok(Some((AuthBytes(message.to_vec()), until)))
            }
        }
    }

    /// The first message, now that the broker says whether it offers the mechanism.
    fn first(&mut self, answer: &SaslHandshakeResponse) -> Result<(AuthBytes, Timestamp), LinkEnd> {
        match answer.error_code {
            error_code::NONE => {}
            error_code::UNSUPPORTED_SASL_MECHANISM => {
                return Err(self.end(format!(
                    "the listener does not offer it; set sasl.mechanism to one of {}",
                    listed(&answer.mechanisms)
                )));
            }
            error_code::ILLEGAL_SASL_STATE => {
                return Err(self.end(
                    "the listener wants no SASL: security.protocol is PLAINTEXT or SSL there".to_owned(),
                ));
            }
            code => return Err(self.end(error_code::label(code))),
        }
        let Stage::Offering(exchange, until) = std::mem::replace(&mut self.stage, Stage::New) else {
            return Err(self.end("the broker answers what was not asked".to_owned()));
        };
        let message = AuthBytes(exchange.first().to_vec());
        self.stage = Stage::Exchanging(exchange, until, limits::SASL_STEPS);
        Ok((message, until))
    }
}

/// The versions in which SASL is spoken. Brokers before Kafka 1.0 send the mechanism's bytes bare, between two requests, where
/// nothing tells an operator why they said no (KIP-152): that is not spoken here.
fn spoken(versions: &BrokerVersions) -> Result<(i16, i16), &'static str> {
    /// The first version behind which the mechanism's bytes travel in SaslAuthenticate.
    const IN_FRAMES: i16 = 1;
    let common = |key| versions.highest_common(key).ok();
    let handshake = common(ApiKey::SaslHandshake)
        .ok_or("the listener knows no SaslHandshake: set security.protocol to PLAINTEXT or SSL for it")?;
    match common(ApiKey::SaslAuthenticate) {
        Some(authenticate) if handshake >= IN_FRAMES => Ok((handshake, authenticate)),
        _ => Err(
            "the broker knows SASL only as it was before Kafka 1.0 (SaslHandshake 0, and then bytes that are no requests); \
             brokers with SaslHandshake 1 and SaslAuthenticate are needed, Kafka 1.0 or later",
        ),
    }
}

/// When to prove again: at 85 to 95 % of the session, as Kafka's clients do, so that those who came together do not come
/// together again; nothing is sent behind the middle of what is left then.
fn session(now: Timestamp, lifetime_ms: i64, chance: &Chance) -> Option<(Timestamp, Timestamp)> {
    let lifetime = u64::try_from(lifetime_ms).ok().filter(|lifetime| *lifetime > 0)?;
    let micros = lifetime.saturating_mul(1000);
    let share = 850 + chance.number() % 101;
    let due = micros / 1000 * share;
    let last = due + (micros - due) / 2;
    let after = |micros: u64| Timestamp(now.0.saturating_add(micros));
    Some((after(due), after(last)))
}

/// What the broker says to wrong credentials, for an operator.
fn refused(answer: &SaslAuthenticateResponse) -> String {
    /// Characters of the broker's own words.
    const SHOWN: usize = 200;
    let words = answer.error_message.as_deref().unwrap_or_default();
    let words: String = words.chars().take(SHOWN).collect();
    let code = answer.error_code;
    let words = if words.is_empty() {
        String::new()
    } else {
        format!("\"{}\". ", words.escape_debug())
    };
    let (label, sentence) = (error_code::label(code), error_code::sentence(code));
    format!("the broker refuses it with {label}: {words}{sentence}")
}

fn listed(mechanisms: &[String]) -> String {
    /// A broker has a handful.
    const SHOWN: usize = 8;
    let shown = mechanisms.iter().take(SHOWN);
    let shown = shown.map(|name| {
        name.chars()
            .take(40)
            .collect::<String>()
            .escape_debug()
            .to_string()
    });
    shown.collect::<Vec<_>>().join(", ")
}

impl Connection {
    /// Proves who we are for the first time.
    pub(super) async fn authenticate(&mut self, authentication: Authentication) -> Result<(), LinkEnd> {
        if let Err(why) = authentication.versions {
            return Err(authentication.end(why.to_owned()));
        }
        let until = self.clock.now() + authentication.timeout;
        self.authentication = Some(Box::new(authentication));
        let deadline = self.clock.instant(until).into();
        match timeout_at(deadline, poll_fn(|cx| self.poll_proved(cx))).await {
            Ok(proved) => proved,
            Err(_elapsed) => Err(self.overdue(Timestamp::FAR).unwrap_or_else(|| self.closed())),
        }
    }

    fn poll_proved(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LinkEnd>> {
        loop {
            if let Some(authentication) = &self.authentication
                && matches!(authentication.stage, Stage::Proved(_))
            {
                return Poll::Ready(Ok(()));
            }
            // Nobody else has asked anything yet, so that no other answer can come.
            let _none = ready!(self.poll_step(cx))?;
        }
    }

    /// Begins where a proof is due, and asks the broker once there is something to prove by.
    pub(super) fn authenticate_on(&mut self, cx: &mut Context<'_>) -> Result<(), LinkEnd> {
        let now = self.clock.now();
        let idle = self.pipeline.is_idle();
        let Some(authentication) = &mut self.authentication else {
            return Ok(());
        };
        let due = match authentication.stage {
            Stage::New => idle,
            Stage::Proved(Some((due, _))) => idle && now >= due,
            _ => false,
        };
        if due {
            let credentials = authentication.credentials.clone();
            let clock = self.clock;
            let preparing: Preparing = Box::pin(async move { credentials.begin(clock).await });
            authentication.stage = Stage::Preparing(preparing, now + authentication.timeout);
        }
        let Stage::Preparing(preparing, until) = &mut authentication.stage else {
            return Ok(());
        };
        let until = *until;
        let Poll::Ready(prepared) = preparing.as_mut().poll(cx) else {
            return Ok(());
        };
        let exchange = prepared.map_err(|fault| authentication.end(fault.to_string()))?;
        let mechanism = authentication.credentials.mechanism().to_owned();
        authentication.stage = Stage::Offering(exchange, until);
        self.put_own(until, |(handshake, _)| {
            (handshake, SaslHandshakeRequest { mechanism }.into())
        })
    }

    /// Takes an answer to one of the connection's own requests.
    pub(super) fn authentication_answered(&mut self, response: AnyResponse) -> Result<(), LinkEnd> {
        let now = self.clock.now();
        let Some(authentication) = &mut self.authentication else {
            return Ok(());
        };
        let next = match response {
            AnyResponse::SaslHandshake(answer) => Some(authentication.first(&answer)?),
            AnyResponse::SaslAuthenticate(answer) => authentication.next(now, &answer)?,
            other => {
                return Err(LinkEnd::OtherAnswer {
                    came: other.key(),
                    due: ApiKey::SaslAuthenticate,
                });
            }
        };
        match next {
            Some((auth_bytes, until)) => self.put_own(until, |(_, authenticate)| {
                (authenticate, SaslAuthenticateRequest { auth_bytes }.into())
            }),
            None => self.let_go(now),
        }
    }

    fn put_own(
        &mut self,
        until: Timestamp,
        request: impl FnOnce((i16, i16)) -> (i16, AnyRequest),
    ) -> Result<(), LinkEnd> {
        let now = self.clock.now();
        let versions = self.authentication.as_ref().and_then(|auth| auth.versions.ok());
        let (version, request) = request(versions.unwrap_or_default());
        let left = Millis(until.micros_since(now).div_ceil(1000));
        self.put(now, OWN, version, &request, left)
    }

    /// Sends what has waited.
    fn let_go(&mut self, now: Timestamp) -> Result<(), LinkEnd> {
        let held = self
            .authentication
            .as_mut()
            .map(|auth| std::mem::take(&mut auth.held));
        for held in held.into_iter().flatten() {
            let left = Millis(held.deadline.micros_since(now).div_ceil(1000));
            self.put(now, held.token, held.version, &held.request, left)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authentication")
            .field("mechanism", &self.credentials.mechanism())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
