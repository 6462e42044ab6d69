//! What the address bar holds: what is looked at, which groups are listed in which order, how events are filtered; both ways.

use std::fmt::Write as _;

use shared::ids::{ClusterId, GroupId, MemberId};
use shared::time::UnixMs;

use super::groups::GroupList;

/// What the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// All groups, or the one that the address names.
    #[default]
    Groups,
    /// The brokers, side by side.
    Coordinators,
    /// The log; of one group, where the address names one.
    Events,
}

/// Where the viewer is. Group ids travel as query values, because `""`, `"."` and `".."` are valid ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// What is shown.
    pub view: View,
    /// The earlier moment that is looked at; none is the present.
    pub at: Option<UnixMs>,
    /// Which groups are listed.
    pub list: GroupList,
    /// The group looked at; none is the overview.
    pub group: Option<GroupId>,
    /// Its cluster, where the address names one.
    pub cluster: Option<ClusterId>,
    /// Only events of this kind are listed.
    pub kind: Option<String>,
    /// Only events of this member are listed.
    pub member: Option<MemberId>,
    /// Only events of members at this client host are listed.
    pub host: Option<String>,
    /// Only events that are known this way are listed: `observed` or `inferred`.
    pub evidence: Option<String>,
}

impl Address {
    /// The address of a group.
    #[must_use]
    pub fn of_group(group: &GroupId, cluster: Option<&ClusterId>) -> Self {
        Self {
            group: Some(group.clone()),
            cluster: cluster.cloned(),
            ..Self::default()
        }
    }

    /// Another address, at the moment of this one.
    #[must_use]
    pub fn to(&self, other: Self) -> Self {
        Self { at: self.at, ..other }
    }

    /// Whether some events may be left out, beside those of other groups.
    #[must_use]
    pub const fn narrows(&self) -> bool {
        self.kind.is_some() || self.member.is_some() || self.host.is_some() || self.evidence.is_some()
    }

    /// The address of a view.
    #[must_use]
    pub fn of_view(view: View) -> Self {
        Self {
            view,
            ..Self::default()
        }
    }

    /// Reads path and query; what it does not know it ignores.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let mut address = Self::of_view(match path {
            "/coordinators" => View::Coordinators,
            "/events" => View::Events,
            _ => View::Groups,
        });
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            match name {
                "at" => address.at = value.parse().ok().map(UnixMs),
                "q" => address.list.search = value,
                "verdict" => address.list.verdict = value,
                "type" => address.list.group_type = value,
                "state" => address.list.state = value,
                "sort" => address.list.order_by(&value),
                "group" => address.group = Some(value.into()),
                "cluster" => address.cluster = Some(value.into()),
                "kind" if !value.is_empty() => address.kind = Some(value),
                "member" => address.member = Some(value.into()),
                "host" if !value.is_empty() => address.host = Some(value),
                "evidence" if !value.is_empty() => address.evidence = Some(value),
                _ => {}
            }
        }
        address
    }

    /// Path and query, as a link or the History API takes them.
    #[must_use]
    pub fn href(&self) -> String {
        let path = match self.view {
            View::Coordinators => "/coordinators",
            View::Events => "/events",
            View::Groups if self.group.is_some() => "/group",
            View::Groups => "/",
        };
        let mut query = Query::default();
        query.add_some("at", self.at.map(|at| at.0.to_string()).as_deref());
        let list = &self.list;
        for (name, value) in [
            ("q", &list.search),
            ("verdict", &list.verdict),
            ("type", &list.group_type),
            ("state", &list.state),
        ] {
            query.add_some(name, Some(value.as_str()).filter(|value| !value.is_empty()));
        }
        query.add_some("sort", list.order().as_deref());
        query.add_some("group", self.group.as_ref().map(GroupId::as_str));
        query.add_some("cluster", self.cluster.as_ref().map(ClusterId::as_str));
        query.add_some("kind", self.kind.as_deref());
        query.add_some("member", self.member.as_ref().map(MemberId::as_str));
        query.add_some("host", self.host.as_deref());
        query.add_some("evidence", self.evidence.as_deref());
        format!("{path}{}", query.finish())
    }
}

/// A query string under construction.
#[derive(Clone, Debug, Default)]
pub struct Query(String);

impl Query {
    /// Adds one pair, its value encoded.
    pub fn add(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        self.0.push_str(name);
        self.0.push('=');
        encode(value, &mut self.0);
    }

    /// Adds one pair where there is a value.
    pub fn add_some(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.add(name, value);
        }
    }

    /// The whole, from its question mark on; empty where nothing was added.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }
}

/// Percent-encodes all but the characters RFC 3986 calls unreserved.
fn encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ok = write!(into, "%{byte:02X}");
        }
    }
}

/// Undoes percent-encoding; a `+` is a space, a broken escape stays as it is, bytes that are not UTF-8 become U+FFFD.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
