//! What the address bar holds: which group is looked at and how its event log is filtered, both ways.

use std::fmt::Write as _;

use shared::ids::{ClusterId, GroupId, MemberId};

/// Where the viewer is. Group ids travel as query values, because `""`, `"."` and `".."` are valid ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The group looked at; none is the overview.
    pub group: Option<GroupId>,
    /// Its cluster, where the address names one.
    pub cluster: Option<ClusterId>,
    /// Only events of this kind are listed.
    pub kind: Option<String>,
    /// Only events of this member are listed.
    pub member: Option<MemberId>,
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

    /// Reads a query string, with or without its question mark; what it does not know it ignores.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let mut address = Self::default();
        let query = query.strip_prefix('?').unwrap_or(query);
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            match name {
                "group" => address.group = Some(value.into()),
                "cluster" => address.cluster = Some(value.into()),
                "kind" if !value.is_empty() => address.kind = Some(value),
                "member" => address.member = Some(value.into()),
                _ => {}
            }
        }
        address
    }

    /// Path and query, as a link or the History API takes them.
    #[must_use]
    pub fn href(&self) -> String {
        let path = if self.group.is_some() { "/group" } else { "/" };
        let mut query = Query::default();
        query.add_some("group", self.group.as_ref().map(GroupId::as_str));
        query.add_some("cluster", self.cluster.as_ref().map(ClusterId::as_str));
        query.add_some("kind", self.kind.as_deref());
        query.add_some("member", self.member.as_ref().map(MemberId::as_str));
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
