//! Which keys Kafka's clients know (admin, consumer and producer of 4.3), and what each means here.
//!
//! Kafka's tools only warn of a key they do not know. Here one is refused: in a file that is mostly about security a key that
//! nobody knows is a slip of the pen in one that matters, and a connection that is less safe than the file says would look
//! the same. What Kafka's other clients know and a reader of groups has no use for is accepted.

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It does what it does in Kafka.
    Used,
    /// It is for what Heartline does not do; said once in the log.
    Idle,
    /// It would change how connections are secured and cannot be heeded: refused with this reason, unless it is empty.
    Refused(&'static str),
}

/// Sorted, as are the lists below.
const USED: &[&str] = &[
    "bootstrap.servers",
    "client.id",
    "request.timeout.ms",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.connect.timeout.ms",
    "sasl.login.read.timeout.ms",
    "sasl.mechanism",
    "sasl.oauthbearer.client.credentials.client.id",
    "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.header.urlencode",
    "sasl.oauthbearer.jwt.retriever.class",
    "sasl.oauthbearer.scope",
    "sasl.oauthbearer.token.endpoint.url",
    "security.protocol",
    "socket.connection.setup.timeout.ms",
    "ssl.cipher.suites",
    "ssl.enabled.protocols",
    "ssl.endpoint.identification.algorithm",
    "ssl.key.password",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.type",
    "ssl.protocol",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
];

const IDLE: &[&str] = &[
    "acks",
    "allow.auto.create.topics",
    "auto.commit.interval.ms",
    "auto.include.jmx.reporter",
    "auto.offset.reset",
    "batch.size",
    "buffer.memory",
    "check.crcs",
    "client.dns.lookup",
    "client.rack",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "connections.max.idle.ms",
    "default.api.timeout.ms",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.idempotence",
    "enable.metrics.push",
    "exclude.internal.topics",
    "fetch.max.bytes",
    "fetch.max.wait.ms",
    "fetch.min.bytes",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "interceptor.classes",
    "internal.throw.on.fetch.stable.offset.unsupported",
    "isolation.level",
    "key.deserializer",
    "key.serializer",
    "linger.ms",
    "max.block.ms",
    "max.in.flight.requests.per.connection",
    "max.partition.fetch.bytes",
    "max.poll.interval.ms",
    "max.poll.records",
    "max.request.size",
    "metadata.max.age.ms",
    "metadata.max.idle.ms",
    "metadata.recovery.rebootstrap.trigger.ms",
    "metadata.recovery.strategy",
    "metric.reporters",
    "metrics.num.samples",
    "metrics.recording.level",
    "metrics.sample.window.ms",
    "partition.assignment.strategy",
    "partitioner.adaptive.partitioning.enable",
    "partitioner.availability.timeout.ms",
    "partitioner.class",
    "partitioner.ignore.keys",
    "receive.buffer.bytes",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "retries",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "sasl.kerberos.kinit.cmd",
    "sasl.kerberos.min.time.before.relogin",
    "sasl.kerberos.service.name",
    "sasl.kerberos.ticket.renew.jitter",
    "sasl.kerberos.ticket.renew.window.factor",
    "sasl.login.refresh.buffer.seconds",
    "sasl.login.refresh.min.period.seconds",
    "sasl.login.refresh.window.factor",
    "sasl.login.refresh.window.jitter",
    "sasl.login.retry.backoff.max.ms",
    "sasl.login.retry.backoff.ms",
    "sasl.oauthbearer.clock.skew.seconds",
    "sasl.oauthbearer.expected.audience",
    "sasl.oauthbearer.expected.issuer",
    "sasl.oauthbearer.jwks.endpoint.refresh.ms",
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
    "sasl.oauthbearer.jwks.endpoint.url",
    "sasl.oauthbearer.jwt.validator.class",
    "sasl.oauthbearer.scope.claim.name",
    "sasl.oauthbearer.sub.claim.name",
    "send.buffer.bytes",
    "session.timeout.ms",
    "share.acknowledgement.mode",
    "share.acquire.mode",
    "socket.connection.setup.timeout.max.ms",
    "ssl.keymanager.algorithm",
    "ssl.secure.random.implementation",
    "ssl.trustmanager.algorithm",
    "transaction.timeout.ms",
    "transaction.two.phase.commit.enable",
    "transactional.id",
    "value.deserializer",
    "value.serializer",
];

/// Keys of programs around Kafka that share its clients' files.
const IDLE_PREFIXES: [&str; 7] = [
    "basic.auth.",
    "bearer.auth.",
    "confluent.",
    "key.",
    "metrics.context.",
    "schema.registry.",
    "value.",
];

const A_JAVA_CLASS: &str = "it names a Java class, which cannot run here";
const A_PROVIDER: &str = "it chooses among Java's security providers; TLS is rustls here";
const ANOTHER_GRANT: &str =
    "tokens are had by client credentials or from a file here; the JWT bearer grant is not spoken";

const REFUSED: &[(&str, &str)] = &[
    (
        "bootstrap.controllers",
        "controllers coordinate no groups: give bootstrap.servers",
    ),
    (
        "config.providers",
        "values from elsewhere are not looked up here: write them into the file, which only its owner should be able to read",
    ),
    ("sasl.client.callback.handler.class", A_JAVA_CLASS),
    ("sasl.login.class", A_JAVA_CLASS),
    ("security.providers", A_PROVIDER),
    ("ssl.engine.factory.class", A_JAVA_CLASS),
    ("ssl.provider", A_PROVIDER),
];

/// Keys that people bring from librdkafka, and what says the same in a Java client's file.
const FOREIGN: [(&str, &str); 9] = [
    ("metadata.broker.list", "bootstrap.servers"),
    ("sasl.mechanisms", "sasl.mechanism"),
    ("sasl.password", "password=\"...\" in sasl.jaas.config"),
    ("sasl.username", "username=\"...\" in sasl.jaas.config"),
    (
        "ssl.ca.location",
        "ssl.truststore.location with ssl.truststore.type=PEM",
    ),
    (
        "ssl.ca.pem",
        "ssl.truststore.certificates with ssl.truststore.type=PEM",
    ),
    (
        "ssl.certificate.location",
        "ssl.keystore.location with ssl.keystore.type=PEM",
    ),
    (
        "ssl.key.location",
        "ssl.keystore.location with ssl.keystore.type=PEM",
    ),
    (
        "enable.ssl.certificate.verification",
        "a trust store with the broker's own certificate",
    ),
];

/// What becomes of `key`; none where no client of Kafka knows it.
#[must_use]
pub fn meaning(key: &str) -> Option<Meaning> {
    if USED.contains(&key) {
        return Some(Meaning::Used);
    }
    if IDLE.contains(&key) || IDLE_PREFIXES.iter().any(|prefix| key.starts_with(prefix)) {
        return Some(Meaning::Idle);
    }
    if key.starts_with("sasl.oauthbearer.assertion.") {
        return Some(Meaning::Refused(ANOTHER_GRANT));
    }
    let key = if key.starts_with("config.providers.") {
        "config.providers"
    } else {
        key
    };
    let refused = REFUSED.iter().find(|(refused, _)| *refused == key)?;
    Some(Meaning::Refused(refused.1))
}

/// What whoever wrote an unknown `key` may have meant.
#[must_use]
pub fn meant(key: &str) -> Option<&'static str> {
    /// Letters that may be wrong: a slip of the pen, not another word.
    const SLIPS: usize = 3;
    if let Some((_, ours)) = FOREIGN.iter().find(|(foreign, _)| *foreign == key) {
        return Some(ours);
    }
    let known = USED.iter().chain(IDLE);
    let distances = known.map(|known| (strsim::osa_distance(&key.to_lowercase(), known), *known));
    let (distance, nearest) = distances.min()?;
    (distance <= SLIPS).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::{FOREIGN, IDLE, Meaning, REFUSED, USED, meaning, meant};

    #[test]
    fn no_key_has_two_meanings() {
        let all: Vec<&str> = (USED.iter().chain(IDLE).copied())
            .chain(REFUSED.iter().map(|(key, _)| *key))
            .chain(FOREIGN.iter().map(|(key, _)| *key))
            .collect();
        let once: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(once.len(), all.len());
        assert!(FOREIGN.iter().all(|(key, _)| meaning(key).is_none()));
    }

    #[test]
    fn a_key_is_used_idle_refused_or_unknown() {
        assert_eq!(meaning("sasl.jaas.config"), Some(Meaning::Used));
        assert_eq!(meaning("acks"), Some(Meaning::Idle));
        assert_eq!(meaning("schema.registry.url"), Some(Meaning::Idle));
        for key in [
            "config.providers",
            "config.providers.env.class",
            "sasl.oauthbearer.assertion.file",
            "ssl.engine.factory.class",
        ] {
            assert!(matches!(meaning(key), Some(Meaning::Refused(_))), "{key}");
        }
        assert_eq!(meaning("ssl.truststore.loaction"), None);
        assert_eq!(meaning(""), None);
    }

    #[test]
    fn a_slip_of_the_pen_and_a_key_of_librdkafka_are_recognised() {
        assert_eq!(meant("ssl.truststore.loaction"), Some("ssl.truststore.location"));
        assert_eq!(meant("Security.Protocol"), Some("security.protocol"));
        assert_eq!(meant("sasl.mechanisms"), Some("sasl.mechanism"));
        assert_eq!(meant("nothing.like.it"), None);
    }
}
