//! What both ends can speak.

use crate::protocol::{
    ApiKey, ApiVersion, ApiVersionsResponse, BrokerVersions, NoCommonVersion, VersionRange,
};

fn broker(api_keys: &[(i16, i16, i16)]) -> BrokerVersions {
    let offer = |&(api_key, min_version, max_version): &(i16, i16, i16)| ApiVersion {
        api_key,
        min_version,
        max_version,
    };
    BrokerVersions::new(&ApiVersionsResponse {
        api_keys: api_keys.iter().map(offer).collect(),
        ..Default::default()
    })
}

#[test]
fn both_ends_speak_what_both_know() {
    let broker = broker(&[
        (11, 2, 12),
        (12, 0, 1),
        (13, 9, 10),
        (14, 3, 2),
        (1000, 0, 9),
        (12, 4, 4),
    ]);
    assert_eq!(broker.range(ApiKey::JoinGroup), Some(VersionRange::new(2, 12)));
    assert_eq!(broker.highest_common(ApiKey::JoinGroup), Ok(9));
    assert_eq!(broker.lowest_common(ApiKey::JoinGroup), Ok(2));
    assert_eq!(
        broker.highest_common(ApiKey::Heartbeat),
        Ok(1),
        "the first offer counts"
    );
    assert_eq!(
        broker.range(ApiKey::SyncGroup),
        None,
        "an empty range is no offer"
    );

    let apart = broker.highest_common(ApiKey::LeaveGroup).unwrap_err();
    assert_eq!(
        apart.to_string(),
        "the broker understands LeaveGroup in versions 9-10, Heartline speaks versions 0-5"
    );
    let missing = broker.highest_common(ApiKey::ConsumerGroupHeartbeat).unwrap_err();
    assert_eq!(
        missing,
        NoCommonVersion::NotOffered {
            key: ApiKey::ConsumerGroupHeartbeat,
            ours: VersionRange::new(0, 1)
        }
    );
    assert_eq!(
        missing.to_string(),
        "the broker does not understand ConsumerGroupHeartbeat (Heartline speaks versions 0-1)"
    );
}
