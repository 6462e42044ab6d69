//! A sequence as data: who does what, under which names. Ids and generations are symbols, since the real ones differ from
//! run to run.

use std::fmt;

/// One sequence of requests to one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// What it is about, or the seed it was made from.
    pub name: String,
    pub steps: Vec<Step>,
}

impl Sequence {
    /// Whether it waits for deadlines.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        let waits = |step: &Step| matches!(step.action, Action::Pass { .. } | Action::Await);
        self.steps.iter().any(waits)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "  {number:>2}  {step}")?;
        }
        Ok(())
    }
}

/// One action of one actor, and the look at the group that follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub actor: usize,
    pub action: Action,
    /// Version of the DescribeGroups that follows.
    pub look: i16,
}

/// What an actor does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Join(Join),
    Sync(Sync),
    Beat {
        version: i16,
        names: Names,
        generation: i32,
    },
    Leave {
        version: i16,
        members: Vec<Names>,
    },
    Commit {
        version: i16,
        names: Names,
        generation: Option<i32>,
        topic: Topic,
    },
    /// How far has the group read? Everything, or one partition.
    Offsets {
        version: i16,
        names: Names,
        generation: i32,
        topic: Option<Topic>,
    },
    List {
        version: i16,
    },
    /// The same in the group without an id.
    Nameless(Box<Self>),
    /// Nobody speaks until every short deadline has passed, and those that follow from it.
    Pass {
        units: u32,
    },
    /// Nobody speaks until a request that waits is answered.
    Await,
}

/// "Take me in".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub version: i16,
    pub names: Names,
    pub protocol_type: &'static str,
    pub protocols: Vec<Protocol>,
    pub session: Span,
    pub rebalance: Span,
}

/// A protocol's name and what is told under it: a subscription to the topic of that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol(pub &'static str, pub u8);

/// "What is mine?"
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync {
    pub version: i16,
    pub names: Names,
    /// From the newest generation that anybody was told.
    pub generation: i32,
    pub spoken: Spoken,
    pub parts: Parts,
}

/// Which protocol a SyncGroup says it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// The one of the newest JoinGroup answer.
    Right,
    WrongType,
    WrongName,
    Nothing,
}

/// Whose parts a SyncGroup brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    Nobodys,
    /// Of everybody who has an id.
    Everybodys,
    /// Of everybody but one, and of a stranger.
    AllBut(usize),
}

/// Under which ids a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names {
    pub id: Id,
    pub instance: Instance,
}

/// A member id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    Empty,
    /// The newest that the actor was given.
    Own,
    /// The one before.
    Former,
    /// Another actor's newest.
    Of(usize),
    /// Nobody's.
    Stranger,
}

/// A static member's own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instance {
    Absent,
    Empty,
    Own,
    Of(usize),
    Stranger,
}

/// How long a timeout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Longer than any sequence takes.
    Long,
    /// One unit of the run: it ends while everybody is silent.
    Short,
    /// Below what the coordinator allows.
    BelowLimit,
    /// Above what the coordinator allows.
    AboveLimit,
}

/// Where an offset is committed, or looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Known,
    UnknownPartition,
    Unknown,
}

/// An actor's name, which is also its client id.
pub(super) fn actor(number: usize) -> String {
    ["A", "B", "C", "D", "E", "F", "G", "H"]
        .get(number)
        .map_or_else(|| format!("X{number}"), |name| (*name).to_owned())
}

/// The group.instance.id of an actor.
pub(super) fn instance(number: usize) -> String {
    format!("i{}", actor(number))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tell(f, &actor(self.actor), &self.action)?;
        write!(f, "; Describe v{}", self.look)
    }
}

/// Who does what.
fn tell(f: &mut fmt::Formatter<'_>, who: &str, action: &Action) -> fmt::Result {
    match action {
        Action::Join(join) => {
            let Join {
                version,
                names,
                protocol_type,
                protocols,
                session,
                rebalance,
            } = join;
            let spans = format!("session {session:?} rebalance {rebalance:?}");
            write!(
                f,
                "{who} Join v{version} {names} {protocol_type:?} {protocols:?} {spans}"
            )
        }
        Action::Sync(sync) => {
            let Sync {
                version,
                names,
                generation,
                spoken,
                parts,
            } = sync;
            write!(
                f,
                "{who} Sync v{version} {names} g{generation:+} {spoken:?} {parts:?}"
            )
        }
        Action::Beat {
            version,
            names,
            generation,
        } => write!(f, "{who} Beat v{version} {names} g{generation:+}"),
        Action::Leave { version, members } => {
            write!(f, "{who} Leave v{version}")?;
            members.iter().try_for_each(|names| write!(f, " [{names}]"))
        }
        Action::Commit {
            version,
            names,
            generation,
            topic,
        } => {
            let generation = generation.map_or("none".to_owned(), |off| format!("{off:+}"));
            write!(f, "{who} Commit v{version} {names} g{generation} {topic:?}")
        }
        Action::Offsets {
            version,
            names,
            generation,
            topic,
        } => write!(f, "{who} Offsets v{version} {names} g{generation:+} {topic:?}"),
        Action::List { version } => write!(f, "{who} List v{version}"),
        Action::Nameless(action) => {
            tell(f, who, action)?;
            f.write_str(", all in the group without an id")
        }
        Action::Pass { units } => write!(f, "everybody is silent for {units} units"),
        Action::Await => f.write_str("everybody is silent until somebody is answered"),
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id {
            Id::Of(other) => write!(f, "id of {}", actor(other)),
            id => write!(f, "id {id:?}"),
        }?;
        match self.instance {
            Instance::Absent => Ok(()),
            Instance::Of(other) => write!(f, ", instance of {}", actor(other)),
            instance => write!(f, ", instance {instance:?}"),
        }
    }
}
