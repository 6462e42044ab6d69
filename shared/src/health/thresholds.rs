//! From when on something is said to be wrong: every threshold of the verdicts, with the reason for it.
//!
//! A member's own timeouts decide where there are some (late, silent: docs/contract.md); these decide the rest.

/// One threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// What it is called here and in the table.
    pub name: &'static str,
    /// How much.
    pub value: u64,
    /// Of what.
    pub unit: &'static str,
    /// Why so much.
    pub reason: &'static str,
}

macro_rules! thresholds {
    ($($name:ident = $value:literal $unit:literal: $reason:literal;)*) => {
        $(
            #[doc = concat!($unit, ". ", $reason)]
            pub(super) const $name: u64 = $value;
        )*

        /// All of them.
        pub const TABLE: &[Threshold] = &[
            $(Threshold { name: stringify!($name), value: $value, unit: $unit, reason: $reason },)*
        ];
    };
}

thresholds! {
    STORM_EXCESS = 5 "rebalances of one run beyond what comings and goings explain":
        "In a deploy each member goes once and comes once, and a cooperative assignor adds one rebalance to each of these. \
         A topic that grows, a failover and a retry make one each; five that nothing explains are no accident.";
    STORM_FAST = 3 "rebalances within STORM_FAST_MS":
        "Two can be one event seen from two sides; the third says that it goes on.";
    STORM_FAST_MS = 100 "milliseconds":
        "A member hears of a rebalance by its next heartbeat, a second or more apart: three in a tenth of a second did not wait \
         for the members.";
    PACE = 3 "times the median gap between two rebalances":
        "A member is told by its next heartbeat, so that gaps of one storm differ, but a rest three times as long is a time \
         before it or a pause in it.";
    FLAPPING_RETURNS = 3 "returns of one client within FLAPPING_MS":
        "A deploy restarts a client once, one that is rolled back twice.";
    FLAPPING_MS = 1_200_000 "milliseconds":
        "The slowest known loops turn every five minutes (max.poll.interval.ms, Kafka Connect's \
         scheduled.rebalance.max.delay.ms): three returns take a quarter of an hour.";
    FLAPPING_EXPIRIES = 2 "sessions of one client that ran out within FLAPPING_EXPIRIES_MS":
        "A deploy that stops its clients properly lets no session run out; one that ran out may be a crash, two are a pattern.";
    FLAPPING_EXPIRIES_MS = 7_200_000 "milliseconds":
        "Clients that lose their session now and then do so hours apart, and rejoin within a second, so that nobody sees it.";
    DISPLACED_MS = 1_000 "milliseconds between one's going and the other's coming":
        "Who is displaced goes when the other comes, a rebalance of a second apart at most; chance does not do that twice \
         each way.";
    ZOMBIES = 3 "members that look alike, all but one silent":
        "One silent member beside its successor is a crash; the second was left by a restart of the same kind.";
    ZOMBIE_SILENT_MS = 10_000 "milliseconds":
        "Three intervals of the usual three seconds, and one beat lost on top.";
    DANGLING = 3 "members whose client gave its JoinGroup up":
        "One is a client that was stopped while it joined; three are one that retries.";
    WAITING_MS = 10_000 "milliseconds":
        "A member hears of a rebalance within its interval (three seconds) and joins at its next poll; the initial delay of an \
         empty group is three seconds. Three times that is waiting for somebody, where no interval is known or a longer one.";
    WAITING_INTERVALS = 3 "heartbeat intervals":
        "A member hears of a rebalance within one interval, joins at its next poll, and one more is a margin; where the interval is \
         not told, a third of the session is the longest that clients are advised to take. WAITING_MS is the most.";
    WAITING_LEAST_MS = 1_000 "milliseconds":
        "Clients wait a tenth of a second to a second between two tries, whatever their interval is.";
    UNSYNCED = 2 "generations in a row joined without a SyncGroup":
        "One is a rebalance that started over in between, as happens whenever two members come together.";
    ABANDONED_MS = 300_000 "milliseconds a JoinGroup given up is told of":
        "As long as a coordinator holds a first JoinGroup at most (KAFKA-7610), and as a client's default rebalance timeout.";
    ABANDONED_WAITED_MS = 10_000 "milliseconds waited in vain":
        "A client that is stopped while it joins has waited less, see WAITING_MS.";
    SLOW_ANSWERS = 3 "answers in a row, of half of our members":
        "One slow answer is a pause of anybody on the way.";
    SLOW_FACTOR = 5 "times the usual latency":
        "Between two load balancers and at night latency doubles; five times is another regime.";
    SLOW_LEAST_US = 200_000 "microseconds":
        "Round trips over the internet take a tenth of a second and harm nobody.";
    SLOW_RECENT_MS = 30_000 "milliseconds":
        "Ten heartbeats of the usual three seconds: what is older is no longer so.";
    TOGETHER_MS = 5_000 "milliseconds between silences that began together":
        "Members beat every three seconds: what stopped at one moment was last heard at moments that far apart, and a bit.";
    UNOWNED_MS = 30_000 "milliseconds":
        "A cooperative assignor takes a partition away in one rebalance and gives it in the next, a heartbeat later; thirty \
         seconds are ten heartbeats.";
    NOT_PROGRESSING_MS = 120_000 "milliseconds":
        "Clients commit every five seconds by default (auto.commit.interval.ms), batch jobs every minute; twice that with \
         records arriving is a consumer that does not consume.";
    REFUSED_TIMES = 3 "refusals of one client":
        "A single 25, 22, 27 or 82 is how the protocol says that things have changed.";
    REFUSED_MS = 60_000 "milliseconds since the last":
        "The longest a client waits between two tries; after that it has stopped asking.";
    LOAD_MS = 10_000 "milliseconds of 14 while the coordinator tells of no load":
        "A partition of the offsets log is read in seconds, and whoever reads it says so; who goes on to answer 14 keeps clients out.";
    LOOKED_UP_MS = 5_000 "milliseconds after a move":
        "A client looks the coordinator up at the first 16, and waits a tenth of a second to a second between tries.";
    CONTRADICTIONS = 2 "lookups that name a broker which has just answered 16":
        "One is a coordinator that moved between the two answers.";
    LOG_UNREAD_MS = 10_000 "milliseconds that the offsets log is being read":
        "A million records are read in a second or two; until then what is missing comes by itself.";
    LOADED_MS = 60_000 "milliseconds a load is told of":
        "Members have one session, 45 seconds by default, to show themselves after it.";
    AFTERMATH_MS = 600_000 "milliseconds a loss is told of":
        "Whoever is called because of it looks within ten minutes; the list of departed members keeps it longer.";
    ONE_BY_ONE = 3 "clients whose comings and goings follow each other":
        "One that restarts makes two rebalances, a second one may be chance; a third is a deploy.";
    SLOW_REBALANCE_MS = 5_000 "milliseconds":
        "A heartbeat interval, a poll and the initial delay are over by then: it waited for somebody.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_threshold_has_a_unit_and_a_reason_and_stands_once() {
        let mut names: Vec<&str> = Vec::new();
        for threshold in TABLE {
            println!(
                "{} = {} {}: {}",
                threshold.name, threshold.value, threshold.unit, threshold.reason
            );
            assert!(threshold.value > 0, "{}", threshold.name);
            assert!(!threshold.unit.is_empty(), "{}", threshold.name);
            assert!(threshold.reason.len() > 40, "{}", threshold.name);
            assert!(threshold.reason.ends_with('.'), "{}", threshold.name);
            assert!(!threshold.reason.contains("  "), "{}", threshold.name);
            assert!(!names.contains(&threshold.name));
            names.push(threshold.name);
        }
    }
}
