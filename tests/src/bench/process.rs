//! What the kernel says a process has used: CPU time and peak memory, from /proc.

use std::fs;
use std::time::Duration;

/// One reading of a process's use so far.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// User and system time of all its threads, ended ones included.
    pub cpu: Duration,
    /// The most memory it ever held resident, in bytes.
    pub peak_memory: u64,
    /// What it holds resident now, in bytes.
    pub memory: u64,
}

/// Clock ticks a second in /proc: a constant of the Linux ABI on every machine it runs on.
const TICKS: u64 = 100;

/// Reads what process `pid` has used until now.
///
/// # Errors
///
/// A sentence where /proc lacks it: the process has ended, or this is not Linux.
pub fn usage(pid: u32) -> Result<Usage, String> {
    let stat = read(pid, "stat")?;
    // The name in parentheses may hold spaces; user and system time are the 12th and 13th fields after it.
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: u64 = after_name
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    let status = read(pid, "status")?;
    let bytes = |name: &str| {
        let text = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = text.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes
            .map(|kilobytes| kilobytes * 1024)
            .ok_or_else(|| format!("process {pid}: no {name} in its status"))
    };
    Ok(Usage {
        cpu: Duration::from_millis(ticks * 1000 / TICKS),
        peak_memory: bytes("VmHWM:")?,
        memory: bytes("VmRSS:")?,
    })
}

fn read(pid: u32, what: &str) -> Result<String, String> {
    fs::read_to_string(format!("/proc/{pid}/{what}")).map_err(|error| format!("process {pid}: {error}"))
}
