//! Loopback ports for processes that are told which to bind, and for those that come again on the one they had.

use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

/// Below the ports that the kernel gives to outgoing connections (Linux: `net.ipv4.ip_local_port_range`, from 32,768): one of
/// those can be taken by any client between the moment it was found free and the moment its process binds it.
const FIRST: u16 = 12_000;
const COUNT: u16 = 20_000;

/// How far apart processes that run one after the other begin, so that none asks for what the last one has just given up.
const STRIDE: u32 = 101;

/// A port of 127.0.0.1 that is free and that nothing else in this process was given.
///
/// # Panics
///
/// When all of them are taken.
#[must_use]
pub fn free() -> u16 {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    let first = process::id().wrapping_mul(STRIDE) % u32::from(COUNT);
    (0..COUNT)
        .map(|_| {
            let given = GIVEN.fetch_add(1, Ordering::Relaxed);
            let place = (first + u32::from(given)) % u32::from(COUNT);
            FIRST + u16::try_from(place).expect("it is below COUNT")
        })
        .find(|port| is_free(*port))
        .expect("a loopback port is free")
}

/// Of both kinds of loopback, since a few programs bind both; a machine without IPv6 has only the first.
fn is_free(port: u16) -> bool {
    let has_v6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    let v6_is_free = !has_v6 || TcpListener::bind((Ipv6Addr::LOCALHOST, port)).is_ok();
    v6_is_free && TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port))).is_ok()
}
