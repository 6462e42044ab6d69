//! How the members ended at a shutdown.

/// How the members ended at a shutdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Farewell {
    /// Members that left by the coordinator's word; who was not in the group counts nowhere.
    pub left: usize,
    /// Members that could not leave or had to be cut off; they stay in the group until their sessions are over.
    pub remaining: usize,
}

impl Farewell {
    pub(in crate::probe) const fn and(self, other: Self) -> Self {
        Self {
            left: self.left + other.left,
            remaining: self.remaining + other.remaining,
        }
    }

    /// Who left, for the log.
    #[must_use]
    pub fn notice(self) -> String {
        match self.left {
            0 => "no member of ours was in a group".to_owned(),
            1 => "1 member of ours has left its group".to_owned(),
            more => format!("{more} members of ours have left their groups"),
        }
    }

    /// What it means for the group, as a warning; none where nobody stays.
    #[must_use]
    pub fn warning(self) -> Option<String> {
        match self.remaining {
            0 => None,
            1 => Some("1 member could not leave: the group keeps it until its session is over".to_owned()),
            more => Some(format!(
                "{more} members could not leave: the group keeps them until their sessions are over"
            )),
        }
    }
}
