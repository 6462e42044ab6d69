//! The bounds of the survey: how often, how much at once, how much of it is kept.

use shared::time::Millis;

/// Groups that are looked at: more than the largest cluster anybody reported (65,000). One more is not shown.
pub const SURVEY_GROUPS: usize = 100_000;

/// How often each broker is asked for its groups. Ten thousand of them cost it 10 ms (protocol.md 4.7); a list that shows
/// another state than the last look has the group looked at at once.
pub const SURVEY_LIST_PACE: Millis = Millis(500);

/// The longest that other questions, about the offsets log of before our start and about lag, wait for the first look at all
/// groups: who is there is wanted first, and both would have the brokers' and our own time at once.
pub const SURVEY_FIRST: Millis = Millis(2_000);

/// How long after a look the next one is due. With [`SURVEY_ANSWER`] left out, no group is older than two seconds.
pub const SURVEY_CALM_PACE: Millis = Millis(1_500);

/// The same for a group on its way to another state: at least twice a second.
pub const SURVEY_CHANGING_PACE: Millis = Millis(250);

/// How much earlier a group may be looked at than it is due, so that it goes with others into one request.
pub const SURVEY_SLACK: Millis = Millis(100);

/// Groups in one request: from 50 on a broker is asked as fast as it can answer (protocol.md 4.7), and the answer about 200
/// large ones stays far below [`super::ANSWER_BYTES`].
pub const SURVEY_BATCH: usize = 200;

/// Requests that one broker has not answered yet, each a batch: enough to keep it from waiting for us, few enough that the
/// requests of its clients do not wait behind ours.
pub const SURVEY_UNANSWERED: usize = 2;

/// Requests of all parts of the survey that one broker has not answered yet: two looks beside a list, one about the offsets
/// log, two of a round.
pub const SURVEY_IN_FLIGHT: usize = 6;

/// Requests a second that one broker is asked at an even pace, whatever it has to tell: all that is due goes into few, and
/// 100,000 groups on one broker, every one looked at every two seconds, are 250.
pub const SURVEY_RATE: u64 = 500;

/// How many may come at once before that pace is kept: the first look at ten thousand groups on one broker, and their ends.
pub const SURVEY_BURST: u64 = 100;

/// So there are never more than these in any one second.
pub const SURVEY_IN_A_SECOND: u64 = SURVEY_RATE + SURVEY_BURST + 1;

/// Questions about what the survey asks, waiting for it: /metrics asks one at a time.
pub const SURVEY_INSIGHTS: usize = 16;

/// Questions to one broker whose last answers are remembered, by digest: those about 100,000 groups, and some that are asked no
/// more.
pub const SURVEY_REMEMBERED: usize = 1_024;

/// How long a broker may take to answer before its groups are shown as not answered for.
pub const SURVEY_ANSWER: Millis = Millis(1_500);

/// How long after the last look that told of a group it is shown as not answered for, while looks are refused. One is refused at most
/// [`SURVEY_CALM_PACE`] after it and then the next ones every [`SURVEY_CHANGING_PACE`]: it is told within about two seconds.
pub const SURVEY_UNANSWERED_FOR: Millis = Millis(1_900);

/// The same where nothing is refused and it is only overdue, on a busy machine for instance; and what a broker that answers again gets
/// to tell of its groups.
pub const SURVEY_OVERDUE: Millis = Millis(2_500);

/// The same where its coordinator says that there is no such group: it is gone after [`SURVEY_MISSING`], unless somebody else may have it.
pub const SURVEY_ABSENT: Millis = Millis(5_000);

/// How long after its last answer a broker is taken for one that answers: it is asked for its groups every [`SURVEY_LIST_PACE`].
pub const SURVEY_HEARD: Millis = Millis(700);

/// How often all groups are gone through for those: 100,000 of them in a few milliseconds.
pub const SURVEY_DOUBT_PACE: Millis = Millis(250);

/// How often a broker is asked which brokers there are.
pub const SURVEY_BROKERS_PACE: Millis = Millis(2_000);

/// How often it is told how long a broker took to answer; as often ApiVersions is asked for nothing but that.
pub const SURVEY_TRIPS_PACE: Millis = Millis(1_000);

/// How often a broker is asked what we may do with the cluster: ACLs are changed by hand, and whose hand it is looks at the page then.
pub const SURVEY_RIGHTS_PACE: Millis = Millis(15_000);

/// The pause before a broker that could not be reached is tried again.
pub const SURVEY_RETRY: Millis = Millis(500);

/// How long a group must be on nobody's list before it is gone: one that moves is on none until its new coordinator has read
/// its partition.
pub const SURVEY_MISSING: Millis = Millis(3_000);

/// And where it is not known who coordinates it now, so that nobody can be asked: what a coordinator takes to read a large partition.
pub const SURVEY_UNSAID: Millis = Millis(60_000);

/// How long before its record a coordinator may have made up its mind that a group with epochs gets a new one, and is told as it was
/// meanwhile: up to 0.4 s were seen on brokers just started.
pub const SURVEY_DECIDED: Millis = Millis(1_000);

/// How long a broker that has become the leader of a partition of the offsets log may answer with lists that lack its groups and no
/// error: it has not begun to read them. 2.4 s were seen on a loaded machine after an outage of all brokers.
pub const SURVEY_UNREAD: Millis = Millis(10_000);

/// The time from one round of slow questions (offsets, settings) to the next: what `group_progress` is paced by. All offsets of
/// 120,000 partitions cost the brokers about 0.1 s (protocol.md 4.7).
pub const ROUND_PACE: Millis = Millis(5_000);

/// The pause after a round that took longer than that.
pub const ROUND_PAUSE: Millis = Millis(1_000);

/// How long one step of a round waits for brokers; who has not answered by then is left out of this round. Brokers before 3.0
/// tell the offsets of one group a request: of about a thousand in this time, at [`SURVEY_RATE`]. Those are asked in turn, and
/// how many were put off is in /metrics: ten thousand groups of such a broker are told once in 50 s.
pub const ROUND_STEP: Millis = Millis(2_000);

/// How long a broker may take to answer a slow question before the connection is given up.
pub const ROUND_ANSWER: Millis = Millis(5_000);

/// Share groups in one request for how far they have come: the coordinator asks those who keep their state about each by itself.
pub const ROUND_SHARES: usize = 50;

/// The pause after such a request that took longer than [`ROUND_ANSWER`].
pub const ROUND_SHARES_WAIT: Millis = Millis(30_000);

/// Partitions of the groups that one round asks about, counted as they were last; the other groups come next.
pub const ROUND_PARTITIONS: usize = 200_000;

/// Partitions kept of one round, 100 bytes each at most: groups that would bring more have grown, and come in a later round.
pub const ROUND_ROWS: usize = 2 * ROUND_PARTITIONS;

/// Topics in one request for their leaders.
pub const ROUND_TOPICS: usize = 500;

/// Partitions in one request for their ends: an answer of about 150 kB.
pub const ROUND_ENDS: usize = 5_000;

/// Topics of which it is told that they may not be seen: one right is granted after the other, and the page lists as many.
pub const ROUND_HIDDEN: usize = 24;

/// Such topics that are counted beyond those.
pub const ROUND_HIDDEN_UNNAMED: usize = 10_000;

/// While a group commits the same offsets again and again, how often it is told when it did so last.
pub const ROUND_COMMITTED_AT: Millis = Millis(30_000);

/// How long it is believed who leads a partition; a leader that says otherwise is believed at once.
pub const ROUND_LEADERS: Millis = Millis(30_000);

/// Names of groups in one request for who coordinates each: with 64 brokers that lead equally much one of them is missed once in
/// fifty times. The answer is about 40 kB.
pub const ROUND_NAMES: usize = 512;

/// How often the settings of a group are asked for.
pub const ROUND_SETTINGS: Millis = Millis(300_000);

/// After how long a group is asked again whose settings may not be read: an operator who grants the right looks at the page then.
pub const ROUND_SETTINGS_DENIED: Millis = Millis(15_000);

/// Outputs for which the survey keeps room: a broker's first list brings about tens of thousands, and no later answer as many.
pub const SURVEY_OUTPUTS: usize = 1_024;

/// What happened on connections and the survey has not taken in yet; who tells waits for room.
pub const SURVEY_HAPPENINGS: usize = 256;

// The offsets log.

/// How long a broker may hold back an answer while nothing is written to its part of the offsets log. What is written ends
/// the wait; how long ago a commit was at most is known as exactly as this is short.
pub const LEDGER_POLL: Millis = Millis(500);

/// How long an answer about the offsets log may take beyond that: old records come from a disk.
pub const LEDGER_ANSWER: Millis = Millis(5_000);

/// How late an answer about what is new in it may be before it is asked who leads its partitions now: once a second then.
pub const LEDGER_OVERDUE: Millis = Millis(1_000);

/// How long an answer may take to where its partitions are: somebody else knows it too.
pub const LEDGER_WHERE: Millis = Millis(2_000);

/// Bytes of records in one answer.
pub const LEDGER_FETCH: i32 = 1 << 20;

/// The same where it is read at full speed, which nobody else waits for: fewer ways to the broker and back.
pub const LEDGER_FETCH_FULL: i32 = 4 << 20;

/// Bytes a second of the records of before our start, read from one broker: a log of a gigabyte takes a minute, and a broker's
/// disk and network hardly notice.
pub const LEDGER_PAST_RATE: u64 = 16 << 20;

/// The pause before it is asked again where the log's partitions are, while one of them has no leader or has moved, and after
/// an answer that cannot be used.
pub const LEDGER_RETRY: Millis = Millis(500);

/// The same while the log is not there: the first group that commits or joins makes it.
pub const LEDGER_ABSENT: Millis = Millis(2_000);

/// The same while the right to read it is missing: somebody must grant it first.
pub const LEDGER_DENIED: Millis = Millis(10_000);

/// Partitions of the offsets log; Kafka's default is 50.
pub const LEDGER_PARTITIONS: usize = 10_000;

/// The first number of a partition whose commits are not kept: a topic's are one list, in which each new one moves those behind it,
/// and no topic has as many.
pub const LEDGER_PARTITION: i32 = 32_768;

/// Bytes kept of the offsets log, as they count in memory: 100,000 groups of three members, or two million committed partitions.
pub const LEDGER_BYTES: usize = 192 << 20;

/// Members of one group that are remembered after they are gone: more than go between two looks at it.
pub const LEDGER_FORMER: usize = 64;

/// Bytes that a batch of a partition may become when it is decompressed: brokers take batches of a megabyte unless told
/// otherwise, and what they hold seldom shrinks to less than a tenth.
pub const DECOMPRESSED_BATCH: usize = 64 << 20;
