//! DescribeConfigs (32): the settings of topics, brokers and groups.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "How is this set?"
    ///
    /// Version 0 is gone since Kafka 4.0 (KIP-896); version 2 is version 1 again.
    DescribeConfigsRequest [0-4, flexible 4+] {
        /// What to tell the settings of.
        resources: Vec<DescribeConfigsResource> [0+],
        /// Whether to tell where else a value is set. Added in version 1 (KIP-226).
        include_synonyms: bool [1+, default false],
        /// Whether to say what each setting means. Added in version 3 (KIP-569).
        include_documentation: bool [3+, default false],
    }
}

structure! {
    /// A topic, a broker or a group.
    DescribeConfigsResource {
        /// 2 topic, 4 broker, 8 the logging of a broker, 16 client metrics, 32 group.
        resource_type: i8 [0+],
        /// Its name; of a broker its node id.
        resource_name: String [0+],
        /// The settings to tell; null for all.
        configuration_keys: Option<Vec<String>> [0+, nullable 0+],
    }
}

message! {
    /// The settings.
    ///
    /// Version 2 is version 1 again.
    DescribeConfigsResponse [0-4, flexible 4+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+],
        /// One for each that was asked about.
        results: Vec<DescribeConfigsResult> [0+],
    }
}

structure! {
    /// The settings of one topic, broker or group.
    DescribeConfigsResult {
        /// 0, or why they are not told.
        error_code: i16 [0+],
        /// The same for people.
        error_message: Option<String> [0+, nullable 0+],
        /// As asked.
        resource_type: i8 [0+],
        /// As asked.
        resource_name: String [0+],
        /// The settings.
        configs: Vec<DescribeConfigsResourceResult> [0+],
    }
}

structure! {
    /// One setting.
    DescribeConfigsResourceResult {
        /// Its name.
        name: String [0+],
        /// Its value; null where it has none or it is secret.
        value: Option<String> [0+, nullable 0+],
        /// Whether it cannot be set while the broker runs.
        read_only: bool [0+],
        /// Whether nobody has set it. In version 0 only.
        is_default: bool [0-0],
        /// Where the value comes from: 1 the topic's own, 2 this broker's own, 3 all brokers', 4 the broker's file, 5
        /// Kafka's default. Added in version 1 (KIP-226).
        config_source: i8 [1+, default -1, ignorable],
        /// Whether it is secret.
        is_sensitive: bool [0+],
        /// Where else the value is set, the one that counts first. Added in version 1 (KIP-226).
        synonyms: Vec<DescribeConfigsSynonym> [1+, ignorable],
        /// 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class, 9 password. Added in version 3
        /// (KIP-569).
        config_type: i8 [3+, default 0, ignorable],
        /// What it means. Added in version 3 (KIP-569).
        documentation: Option<String> [3+, nullable 0+, ignorable],
    }
}

structure! {
    /// A place where a value is set.
    DescribeConfigsSynonym {
        /// The setting's name there.
        name: String [1+],
        /// Its value there.
        value: Option<String> [1+, nullable 0+],
        /// As `config_source`.
        source: i8 [1+],
    }
}
