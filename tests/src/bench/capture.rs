//! Packet timestamps on loopback: runs `tcpdump` and reads the file it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A running capture on the loopback interface.
#[derive(Debug)]
pub struct Capture {
    tcpdump: Child,
    file: PathBuf,
}

/// A TCP segment with payload.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Microseconds since the Unix epoch, by the kernel.
    pub at_us: u64,
    pub from_port: u16,
    pub to_port: u16,
    pub payload: Vec<u8>,
}

impl Capture {
    /// Starts to capture what `filter` (in tcpdump's language) lets through; returns once tcpdump says that it listens.
    ///
    /// # Errors
    ///
    /// A sentence where tcpdump is missing or may not capture.
    pub async fn start(filter: &str, file: &Path) -> Result<Self, String> {
        let mut tcpdump = Command::new("tcpdump")
            .args(["-i", "lo", "--immediate-mode", "-U", "-s", "0", "-w"])
            .arg(file)
            .arg(filter)
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("tcpdump (Debian's package of that name) does not start: {error}"))?;
        let words = tcpdump.stderr.take().ok_or("tcpdump without a standard error")?;
        let mut lines = BufReader::new(words).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.contains("listening on") {
                return Ok(Self {
                    tcpdump,
                    file: file.to_owned(),
                });
            }
        }
        Err("tcpdump ended before it listened (it needs root)".to_owned())
    }

    /// Ends the capture and reads it.
    ///
    /// # Errors
    ///
    /// A sentence where the file is not one of tcpdump's.
    pub async fn segments(mut self) -> Result<Vec<Segment>, String> {
        // SIGINT makes tcpdump write out what it holds; `kill` is the way to send it without unsafe code.
        let pid = self.tcpdump.id().ok_or("tcpdump ended by itself")?.to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().await;
        sent.map_err(|error| format!("kill: {error}"))?;
        self.tcpdump
            .wait()
            .await
            .map_err(|error| format!("tcpdump: {error}"))?;
        let bytes = fs::read(&self.file).map_err(|error| format!("{}: {error}", self.file.display()))?;
        parse(&bytes)
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Segment>, String> {
    let nanoseconds = match u32_le(bytes, 0) {
        Some(0xa1b2_c3d4) => false,
        Some(0xa1b2_3c4d) => true,
        _ => return Err("not a pcap file of this machine's byte order".to_owned()),
    };
    let mut segments = Vec::new();
    let mut at = 24;
    while let (Some(seconds), Some(fraction), Some(length)) =
        (u32_le(bytes, at), u32_le(bytes, at + 4), u32_le(bytes, at + 8))
    {
        let Some(packet) = bytes.get(at + 16..at + 16 + length as usize) else {
            break;
        };
        let micros = u64::from(if nanoseconds { fraction / 1000 } else { fraction });
        segments.extend(segment(packet, u64::from(seconds) * 1_000_000 + micros));
        at += 16 + length as usize;
    }
    Ok(segments)
}

/// Ethernet (loopback's, 14 bytes), IPv4, TCP; none for anything else or without payload.
fn segment(packet: &[u8], at_us: u64) -> Option<Segment> {
    let ip = packet.get(14..)?;
    let ip_header = usize::from(ip.first()? & 0x0f) * 4;
    let total = usize::from(u16::from_be_bytes([*ip.get(2)?, *ip.get(3)?]));
    let tcp = ip.get(ip_header..total)?;
    let tcp_header = usize::from(tcp.get(12)? >> 4) * 4;
    let payload = tcp.get(tcp_header..)?;
    (!payload.is_empty()).then(|| Segment {
        at_us,
        from_port: u16::from_be_bytes([tcp[0], tcp[1]]),
        to_port: u16::from_be_bytes([tcp[2], tcp[3]]),
        payload: payload.to_vec(),
    })
}

fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// One Heartbeat on the wire: its member, when its request and when its answer were on the wire.
#[derive(Clone, Debug)]
pub struct WireBeat {
    pub member: String,
    pub request_us: u64,
    pub answer_us: u64,
}

/// Pairs Heartbeat requests with their answers by connection and correlation id, in order of the requests.
///
/// Whole frames in one segment only, which small frames on loopback are; others are left out.
#[must_use]
pub fn heartbeats(segments: &[Segment], server_port: u16) -> Vec<WireBeat> {
    let mut open: BTreeMap<(u16, i32), (String, u64)> = BTreeMap::new();
    let mut beats = Vec::new();
    for segment in segments {
        let Some(correlation) = i32_be(
            &segment.payload,
            if segment.to_port == server_port { 8 } else { 4 },
        ) else {
            continue;
        };
        if segment.to_port == server_port {
            if let Some(member) = member_of_heartbeat(&segment.payload) {
                open.insert((segment.from_port, correlation), (member, segment.at_us));
            }
        } else if let Some((member, request_us)) = open.remove(&(segment.to_port, correlation)) {
            beats.push(WireBeat {
                member,
                request_us,
                answer_us: segment.at_us,
            });
        }
    }
    beats
}

/// The member id in a whole Heartbeat request frame.
fn member_of_heartbeat(frame: &[u8]) -> Option<String> {
    use shared::protocol::{AnyRequest, ApiKey, RequestHeader};
    let body = frame.get(4..)?;
    let (header, body) = RequestHeader::decode(body).ok()?;
    match AnyRequest::decode(ApiKey::try_from(header.key).ok()?, header.version, body).ok()? {
        AnyRequest::Heartbeat(beat) => Some(beat.member_id),
        _ => None,
    }
}

fn i32_be(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..at + 4)?.try_into().ok().map(i32::from_be_bytes)
}
