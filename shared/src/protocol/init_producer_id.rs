//! InitProducerId (22): an id under which a producer numbers its batches, so that none is appended twice.

use super::table::{default_of, field, message, structure, versions};

message! {
    /// "Give me a producer id."
    ///
    /// Version 1 is version 0 again; 4 and 5 may be answered with new codes (KIP-588, KIP-890). Version 6 is not stable
    /// in Kafka 4.4.
    InitProducerIdRequest [0-6, flexible 2+] {
        /// The producer's transactional id, null without transactions.
        transactional_id: Option<String> [0+, nullable 0+],
        /// Milliseconds after which the broker aborts a transaction that stands still.
        transaction_timeout_ms: i32 [0+],
        /// The id held, -1 none. Added in version 3 (KIP-360).
        producer_id: i64 [3+, default -1],
        /// The epoch held, -1 none. Added in version 3 (KIP-360).
        producer_epoch: i16 [3+, default -1],
        /// Whether transactions are to be committed in two phases. Added in version 6 (KIP-939).
        enable2_pc: bool [6+, default false],
        /// Whether to keep a transaction that is open. Added in version 6 (KIP-939).
        keep_prepared_txn: bool [6+, default false],
    }
}

message! {
    /// The id.
    ///
    /// Versions 1 to 5 carry what version 0 does.
    InitProducerIdResponse [0-6, flexible 2+] {
        /// How long the answer was held back by a quota, in milliseconds.
        throttle_time_ms: i32 [0+, ignorable],
        /// 0, or why there is none.
        error_code: i16 [0+],
        /// The producer's id, -1 none.
        producer_id: i64 [0+, default -1],
        /// The epoch of its first batch.
        producer_epoch: i16 [0+],
        /// The producer of the transaction that is open, -1 none. Added in version 6 (KIP-939).
        ongoing_txn_producer_id: i64 [6+, default -1],
        /// Its epoch, -1 none. Added in version 6 (KIP-939).
        ongoing_txn_producer_epoch: i16 [6+, default -1],
    }
}
