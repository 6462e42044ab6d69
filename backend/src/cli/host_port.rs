//! `host:port` as people write it: a name, an IPv4 address, or an IPv6 address in brackets.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

/// A host and a port; the host is kept as it was written, without brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    pub host: String,
    pub port: u16,
}

impl FromStr for HostPort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some((host, port)) = text.rsplit_once(':') else {
            return Err("host:port is needed, as in 127.0.0.1:9092".to_owned());
        };
        let Ok(port) = port.parse::<u16>() else {
            return Err(format!("port {port:?} is not a number from 0 to 65535"));
        };
        let host = match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
            Some(inside) if inside.parse::<Ipv6Addr>().is_ok() => inside,
            Some(inside) => return Err(format!("{inside:?} is not an IPv6 address")),
            None if host.parse::<Ipv6Addr>().is_ok() => {
                return Err(format!("an IPv6 address stands in brackets, as in [::1]:{port}"));
            }
            None => host,
        };
        if host.is_empty() {
            return Err(format!(
                "the host before :{port} is missing (0.0.0.0 means every address)"
            ));
        }
        let is_address = host.parse::<Ipv6Addr>().is_ok();
        let is_name = |c: char| is_address || c.is_ascii_alphanumeric() || ".-_".contains(c);
        if let Some(bad) = host.chars().find(|&c| !is_name(c)) {
            return Err(format!("a host name cannot hold {bad:?}"));
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// With the brackets an IPv6 address needs.
impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}
