//! The offsets log of 1.3 million records, read from its begin to its end: our reader beside franz-go's, which decodes the same
//! fields, and beside bare frames that nobody decodes.
//!
//! - `bare`: Fetch requests made before, whose answers nobody looks at
//! - `reader`: a reader in a process of its own: ours, and franz-go's
//!
//! The log is what a real broker wrote when real groups joined and committed; nothing of it is compacted yet, since none of its
//! segments is full. All read each record of it, and keep the newest of each key: that is checked.

mod bare;
pub mod reader;

use std::time::Instant;

use self::bare::Bare;
use self::reader::{Read, Reader};
use super::process::usage;
use super::report;
use super::survey::crowd::{self, Crowd};
use crate::kafka::Broker;

/// Groups of the full run: each writes [`COMMITS`] records for each of its 12 partitions, and two when it is made.
pub const GROUPS: usize = 10_000;

/// How often each group commits.
const COMMITS: i64 = 11;

/// Turns of each reader; the median counts.
const TURNS: usize = 5;

/// Partitions of the offsets log: Kafka's default.
const PARTITIONS: i32 = 50;

/// A broker as operators run it, but for the hour that the crowd's sessions need.
const SETTINGS: [&str; 2] = [crowd::SETTING, "offsets.topic.num.partitions=50"];

/// Runs the benchmark with so many groups and prints its figures.
///
/// # Errors
///
/// A sentence where a broker or a reader does not do what it should.
pub async fn run(groups: usize) -> Result<(), String> {
    report::title(
        "log",
        &format!(
            "the offsets log of {groups} groups of {} members that committed {COMMITS} times, one broker of 512 MB",
            crowd::MEMBERS
        ),
    );
    let broker = Broker::start_with(&SETTINGS).await;
    let crowd = Crowd {
        commits: COMMITS,
        ..Crowd::of(groups)
    };
    broker
        .create_topic(&crowd.topic, crowd::COMMITTED.unsigned_abs() as usize)
        .await;
    let start = Instant::now();
    crowd.join(&broker.address()).await?;
    let mut bare = Bare::prepare(&broker.address(), PARTITIONS).await?;
    report::figure(
        "records, written in",
        format!("{}; {:.0} s", bare.records, start.elapsed().as_secs_f64()),
    );
    let [mut frames, mut ours, mut theirs] = [const { Vec::new() }; 3];
    for _ in 0..TURNS {
        frames.push(bare_frames(&mut bare).await?);
        ours.push(Reader::Ours.read(&broker.address()).await?);
        theirs.push(Reader::FranzGo.read(&broker.address()).await?);
    }
    let kept = groups * crowd::COMMITTED.unsigned_abs() as usize;
    for read in ours.iter().chain(&theirs) {
        if (read.records, read.groups, read.commits) != (bare.records, groups, kept) {
            return Err(format!(
                "of {} records, {groups} groups and {kept} commits a reader had {read:?}",
                bare.records
            ));
        }
    }
    print(&frames, &ours, &theirs);
    Ok(())
}

/// The same log as frames that nobody decodes.
async fn bare_frames(bare: &mut Bare) -> Result<Read, String> {
    let this = std::process::id();
    let (start, before) = (Instant::now(), usage(this)?);
    bare.look().await?;
    let took = start.elapsed();
    Ok(Read {
        records: bare.records,
        groups: 0,
        commits: 0,
        seconds: took.as_secs_f64(),
        cpu: usage(this)?.cpu.saturating_sub(before.cpu).as_secs_f64(),
    })
}

fn print(frames: &[Read], ours: &[Read], theirs: &[Read]) {
    let rate = |reads: &[Read]| report::median(reads.iter().map(Read::rate).collect());
    let cpu = |reads: &[Read]| report::median(reads.iter().map(|read| read.cpu).collect());
    for (name, reads) in [("bare frames", frames), ("ours", ours), ("franz-go", theirs)] {
        let all: Vec<String> = reads
            .iter()
            .map(|read| format!("{:.2}", read.rate() / 1e6))
            .collect();
        report::figure(
            name,
            format!(
                "{:.2} M records/s (turns: {}), {:.2} s of CPU time",
                rate(reads) / 1e6,
                all.join(", "),
                cpu(reads)
            ),
        );
    }
    let ratio = rate(ours) / rate(theirs);
    report::reach(
        "ours / franz-go",
        format!(
            "{ratio:.2} by the wall; {:.2} of its CPU time",
            cpu(ours) / cpu(theirs)
        ),
        "no slower",
        ratio >= 1.0,
    );
}
