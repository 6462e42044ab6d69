//! What crosses a viewer's socket, read and written: hello, what is watched, ranges of events.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use shared::ids::GroupId;
use shared::wire::{ClientMessage, VERSION, Watch};

use crate::hub::Numbered;
use crate::limits;

/// A hello in a version this server speaks.
#[derive(Debug)]
pub(super) struct Hello {
    pub(super) stream: Option<String>,
    pub(super) resume: Option<u64>,
    pub(super) watch: Watched,
}

/// Why a first frame is no such hello.
#[derive(Debug)]
pub(super) struct NoHello {
    /// It is a hello of another version, which is told in the server's own words.
    pub(super) unsupported: bool,
    pub(super) why: String,
}

/// The part of a hello that every version has.
#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Hello {
    pub(super) fn parse(text: &str) -> Result<Self, NoHello> {
        let refuse = |why: String| NoHello {
            unsupported: false,
            why,
        };
        // The version first: what else another version's hello holds is not known here.
        let head: Head = serde_json::from_str(text)
            .map_err(|error| refuse(format!("the first frame must be a hello: {error}")))?;
        if head.version != VERSION {
            return Err(NoHello {
                unsupported: true,
                why: format!("version {} is not spoken here, {VERSION} is", head.version),
            });
        }
        match serde_json::from_str(text) {
            Ok(ClientMessage::Hello {
                stream,
                resume,
                watch,
                ..
            }) => Ok(Self {
                stream,
                resume,
                watch: Watched::new(watch).map_err(refuse)?,
            }),
            Ok(ClientMessage::Watch { .. }) => Err(refuse("the first frame must be a hello".to_owned())),
            Err(error) => Err(refuse(format!("the first frame must be a hello: {error}"))),
        }
    }
}

/// The groups whose every heartbeat a viewer gets; of the others it gets summaries.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched(BTreeSet<GroupId>);

impl Watched {
    pub(super) fn new(watch: Watch) -> Result<Self, String> {
        match watch {
            Watch::Word(_) => Ok(Self::default()),
            Watch::Groups(groups) if groups.len() > limits::WATCHED_GROUPS => Err(format!(
                "watch names {} groups; at most {} are allowed",
                groups.len(),
                limits::WATCHED_GROUPS
            )),
            Watch::Groups(groups) => Ok(Self(groups.into_iter().collect())),
        }
    }

    pub(super) fn is_some_group(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether a viewer that watches these gets an event.
    pub(super) fn wants(&self, numbered: &Numbered) -> bool {
        let single = numbered.event.what.change.is_single_beat();
        !single || numbered.is_of_group(|group| self.0.contains(group))
    }
}

/// A frame of events, put together from texts that are JSON already.
pub(super) fn events(from: u64, to: u64, shown: &[Arc<Numbered>]) -> String {
    let length: usize = shown.iter().map(|event| event.json().len() + 1).sum();
    let mut frame = String::with_capacity(length + 80);
    // Writing to a string does not fail.
    let _always = write!(frame, r#"{{"type":"events","from":{from},"to":{to},"events":["#);
    for (index, event) in shown.iter().enumerate() {
        if index > 0 {
            frame.push(',');
        }
        frame.push_str(event.json());
    }
    frame.push_str("]}");
    frame
}
