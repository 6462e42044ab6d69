//! ApiVersions (18): which requests a broker understands, the first one on every connection.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "What do you understand?"
    ///
    /// Versions 1 and 2 are version 0 again. Version 4 only changes which features are answered
    /// (KAFKA-17011).
    ApiVersionsRequest [0-5, flexible 3+] {
        /// The client library. Added in version 3 (KIP-511).
        client_software_name: String [3+, ignorable],
        /// Its version. Added in version 3 (KIP-511).
        client_software_version: String [3+, ignorable],
        /// The cluster the client means to reach. Added in version 5 (KIP-1242).
        cluster_id: Option<String> [5+, nullable 5+, default null, ignorable],
        /// The node the client means to reach. Added in version 5 (KIP-1242).
        node_id: i32 [5+, default -1, ignorable],
    }
}

message! {
    /// Key by key, what the broker understands.
    ///
    /// Version 2 is version 1 again. A version the broker does not know is answered in version 0 with error
    /// 35 (KIP-511).
    ApiVersionsResponse [0-5, flexible 3+] {
        /// 0, or what is wrong with the request.
        error_code: i16 [0+],
        /// One for each request it understands.
        api_keys: Vec<ApiVersion> [0+],
        /// How long the answer was held back by a quota, in milliseconds. Added in version 1 (KIP-124); one
        /// vendor's brokers leave it out there.
        throttle_time_ms: i32 [1+, ignorable, omissible 1-1],
        /// The features the broker can do. Added in version 3 (KIP-584).
        supported_features: Vec<SupportedFeatureKey> [3+, tag 0 3+, ignorable],
        /// Which state of the cluster's features this is, -1 unknown. Added in version 3 (KIP-584).
        finalized_features_epoch: i64 [3+, default -1, tag 1 3+, ignorable],
        /// The features the cluster has switched on. Added in version 3 (KIP-584).
        finalized_features: Vec<FinalizedFeatureKey> [3+, tag 2 3+, ignorable],
        /// A controller's word on leaving ZooKeeper. Added in version 3 (KIP-866).
        zk_migration_ready: bool [3+, default false, tag 3 3+, ignorable],
    }
}

structure! {
    /// One request that a broker understands.
    ApiVersion {
        /// Its key.
        api_key: i16 [0+],
        /// The lowest version.
        min_version: i16 [0+],
        /// The highest version.
        max_version: i16 [0+],
    }
}

structure! {
    /// A feature a broker can do.
    SupportedFeatureKey {
        /// Its name, `group.version`.
        name: String [3+],
        /// The lowest level.
        min_version: i16 [3+],
        /// The highest level.
        max_version: i16 [3+],
    }
}

structure! {
    /// A feature a cluster has switched on.
    FinalizedFeatureKey {
        /// Its name, `group.version`.
        name: String [3+],
        /// The highest level in use.
        max_version_level: i16 [3+],
        /// The lowest level in use.
        min_version_level: i16 [3+],
    }
}

impl ApiVersionsRequest {
    /// Whether the client's software and its version are named as KIP-511 asks: letters, digits, `-` and `.`,
    /// the first and the last a letter or a digit. A broker answers 42 otherwise. Versions 0 to 2 name none,
    /// which is fine.
    #[must_use]
    pub fn names_valid_software(&self, version: i16) -> bool {
        version < 3
            || [&self.client_software_name, &self.client_software_version]
                .into_iter()
                .all(|name| is_valid(name))
    }
}

fn is_valid(name: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = name.as_bytes();
    bytes.first().is_some_and(is_plain)
        && bytes.last().is_some_and(is_plain)
        && bytes
            .iter()
            .all(|byte| is_plain(byte) || matches!(byte, b'-' | b'.'))
}
