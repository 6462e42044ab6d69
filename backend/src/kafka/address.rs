//! Where a broker is reached: a host and a port, whoever named them.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use thiserror::Error;

use crate::limits;

/// A broker's host name or IP address, and its port. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    host: Arc<str>,
    port: u16,
}

/// What cannot be an address, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{}' is no broker address: {problem}", .value.escape_debug())]
pub struct AddressError {
    /// What was given, cut at [`AddressError::SHOWN`] characters.
    pub value: String,
    /// What is wrong with it, and what is allowed.
    pub problem: &'static str,
}

impl AddressError {
    /// Characters of a wrong value that its error repeats.
    pub const SHOWN: usize = 80;
}

impl Address {
    /// An address as a user or a broker gives it; an IPv6 address without brackets.
    ///
    /// # Errors
    /// Names the value: a host that is empty, longer than 255 bytes or holds blanks; a port outside 1 to 65535.
    pub fn new(host: &str, port: i32) -> Result<Self, AddressError> {
        let problem = if host.is_empty() {
            "its host is empty"
        } else if host.len() > limits::HOST_BYTES {
            "its host has more than the 255 bytes a name may have"
        } else if host.chars().any(|c| c.is_whitespace() || c.is_control()) {
            "its host holds a blank or a control character"
        } else {
            match u16::try_from(port) {
                Ok(port) if port > 0 => {
                    let host = Arc::from(host);
                    return Ok(Self { host, port });
                }
                _ => "its port is not between 1 and 65535",
            }
        };
        let value = format!("{host}:{port}");
        let value = value.chars().take(AddressError::SHOWN).collect();
        Err(AddressError { value, problem })
    }

    /// The host, an IPv6 address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, never 0.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }
}

/// The address of a listener that is bound, so that its port is not 0.
impl From<SocketAddr> for Address {
    fn from(bound: SocketAddr) -> Self {
        Self {
            host: Arc::from(bound.ip().to_string()),
            port: bound.port(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.host.escape_debug();
        if self.host.contains(':') {
            write!(f, "[{host}]:{}", self.port)
        } else {
            write!(f, "{host}:{}", self.port)
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_shown_as_host_and_port_with_ipv6_in_brackets() {
        let shown = |host, port| Address::new(host, port).expect("an address").to_string();
        assert_eq!(shown("broker-1.example", 9092), "broker-1.example:9092");
        assert_eq!(shown("::1", 1), "[::1]:1");
        let bound: std::net::SocketAddr = "[::1]:65535".parse().expect("an address");
        assert_eq!(Address::from(bound).to_string(), "[::1]:65535");
    }

    #[test]
    fn what_cannot_be_an_address_is_refused_by_value_and_reason() {
        let long = "x".repeat(256);
        for (host, port, reason) in [
            ("", 9092, "host is empty"),
            ("two words", 9092, "a blank or a control character"),
            ("line\nbreak", 9092, "a blank or a control character"),
            (&*long, 9092, "more than the 255 bytes"),
            ("broker", 0, "not between 1 and 65535"),
            ("broker", -1, "not between 1 and 65535"),
            ("broker", 65_536, "not between 1 and 65535"),
        ] {
            let error = Address::new(host, port).expect_err("refused").to_string();
            assert!(error.contains(reason), "{error}");
            assert!(error.len() < 200 && !error.contains('\n'), "{error}");
        }
    }
}
