//! What a broker says it understands, and what both ends can speak.

use thiserror::Error;

use super::api::ApiKey;
use super::api_versions::ApiVersionsResponse;
use super::schema::VersionRange;

/// A request for which broker and Heartline know no common version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoCommonVersion {
    /// The broker's list does not have it.
    #[error("the broker does not understand {key} (Heartline speaks versions {ours})")]
    NotOffered {
        /// The request.
        key: ApiKey,
        /// What Heartline speaks.
        ours: VersionRange,
    },
    /// The broker's versions and ours do not meet.
    #[error("the broker understands {key} in versions {theirs}, Heartline speaks versions {ours}")]
    Apart {
        /// The request.
        key: ApiKey,
        /// What the broker understands.
        theirs: VersionRange,
        /// What Heartline speaks.
        ours: VersionRange,
    },
}

/// What one broker understands, from its answer to ApiVersions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrokerVersions {
    /// By key, rising; only requests that [`ApiKey`] has.
    ranges: Vec<(ApiKey, VersionRange)>,
}

impl BrokerVersions {
    /// Takes a broker's answer. Requests Heartline never sends and ranges that are empty are left out; where
    /// a key is named twice the first counts.
    #[must_use]
    pub fn new(answer: &ApiVersionsResponse) -> Self {
        let mut ranges = Vec::new();
        for key in ApiKey::ALL {
            let offered = answer
                .api_keys
                .iter()
                .find(|offer| offer.api_key == i16::from(*key));
            let range = offered.map(|offer| VersionRange::new(offer.min_version, offer.max_version));
            if let Some(range) = range.filter(|range| !range.is_empty()) {
                ranges.push((*key, range));
            }
        }
        Self { ranges }
    }

    /// The versions of `key` that the broker understands.
    #[must_use]
    pub fn range(&self, key: ApiKey) -> Option<VersionRange> {
        self.ranges
            .iter()
            .find(|(offered, _)| *offered == key)
            .map(|(_, range)| *range)
    }

    /// The versions of `key` that both ends know.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn common(&self, key: ApiKey) -> Result<VersionRange, NoCommonVersion> {
        let ours = key.versions();
        let theirs = self.range(key).ok_or(NoCommonVersion::NotOffered { key, ours })?;
        theirs
            .intersect(ours)
            .ok_or(NoCommonVersion::Apart { key, theirs, ours })
    }

    /// The highest version of `key` that both ends know: what today's clients speak.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn highest_common(&self, key: ApiKey) -> Result<i16, NoCommonVersion> {
        self.common(key).map(|range| range.max)
    }

    /// The lowest version of `key` that both ends know: what stands in for the client of Kafka 0.10.0.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn lowest_common(&self, key: ApiKey) -> Result<i16, NoCommonVersion> {
        self.common(key).map(|range| range.min)
    }
}

impl From<&ApiVersionsResponse> for BrokerVersions {
    fn from(answer: &ApiVersionsResponse) -> Self {
        Self::new(answer)
    }
}
