//! Records over TCP: what one client writes another reads, and nobody waits for what is there.

use shared::protocol::{
    ApiKey, DescribeClusterRequest, DescribeConfigsRequest, DescribeConfigsResource, FetchPartition,
    FetchRequest, FetchTopic, HeartbeatRequest, ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic,
    PartitionProduceData, ProduceRequest, Records, RequestHeader, TopicProduceData, encode_request,
};

use super::World;

/// A batch of one record without a key, of the value "v".
fn batch() -> Vec<u8> {
    let record = [0, 0, 0, 1, 2, b'v', 0];
    let mut covered = vec![0; 2 + 4 + 8 + 8];
    covered.extend([0xff; 8 + 2 + 4]); // no producer
    covered.extend(1_i32.to_be_bytes());
    covered.push(record.len() as u8 * 2);
    covered.extend(record);
    let mut batch = vec![0; 8];
    batch.extend((covered.len() as i32 + 9).to_be_bytes());
    batch.extend([0xff, 0xff, 0xff, 0xff, 2]);
    batch.extend(crc32c::crc32c(&covered).to_be_bytes());
    batch.extend(covered);
    batch
}

fn producing(acks: i16, records: Vec<u8>) -> ProduceRequest {
    ProduceRequest {
        acks,
        topic_data: vec![TopicProduceData {
            name: "demo".into(),
            partition_data: vec![PartitionProduceData {
                index: 2,
                records: Some(Records(records)),
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// A Produce that asks for no answer, as it goes over the wire.
fn unanswered(records: Vec<u8>) -> Vec<u8> {
    let header = RequestHeader::new(ApiKey::Produce, 9, 77, "client");
    encode_request(&header, &producing(0, records).into()).unwrap()
}

fn fetching(max_wait_ms: i32) -> FetchRequest {
    FetchRequest {
        max_wait_ms,
        min_bytes: 1,
        topics: vec![FetchTopic {
            topic: "demo".into(),
            partitions: vec![FetchPartition {
                partition: 2,
                partition_max_bytes: 1 << 20,
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[tokio::test]
async fn what_one_client_writes_another_that_waits_reads() {
    let world = World::new();
    let (mut writer, mut reader) = (world.client().await, world.client().await);
    reader.send(12, fetching(i32::MAX)).await;
    // Whether it comes before the records or after them.
    let answer = writer.ask(9, producing(-1, batch())).await;
    assert_eq!(answer.responses[0].partition_responses[0].error_code, 0);
    let fetched = reader.answer::<FetchRequest>(12).await;
    let partition = &fetched.responses[0].partitions[0];
    assert_eq!((partition.error_code, partition.high_watermark), (0, 1));
    let Some(Records(bytes)) = &partition.records else {
        panic!("{partition:?}")
    };
    assert_eq!(bytes[16..], batch()[16..]);
}

#[tokio::test]
async fn a_fetch_that_waits_in_vain_is_answered_when_its_time_is_over() {
    let world = World::new();
    let mut reader = world.client().await;
    let fetched = reader.ask(12, fetching(20)).await;
    let partition = &fetched.responses[0].partitions[0];
    assert_eq!((partition.error_code, partition.high_watermark), (0, 0));
}

#[tokio::test]
async fn a_producer_that_asks_for_no_answer_gets_none_and_one_that_is_refused_is_cut_off() {
    let world = World::new();
    let mut client = world.client().await;
    client.write(&unanswered(batch())).await;
    client.send(4, HeartbeatRequest::default()).await;
    // The next answer is that to the next request.
    assert_eq!(client.answer::<HeartbeatRequest>(4).await.error_code, 24);
    let asked = ListOffsetsRequest {
        topics: vec![ListOffsetsTopic {
            name: "demo".into(),
            partitions: vec![ListOffsetsPartition {
                partition_index: 2,
                timestamp: -1,
                ..Default::default()
            }],
        }],
        ..Default::default()
    };
    assert_eq!(client.ask(7, asked).await.topics[0].partitions[0].offset, 1);
    client.write(&unanswered(vec![1, 2, 3])).await;
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn a_stop_of_the_coordinator_ends_a_fetch_that_waits() {
    let world = World::new();
    let mut reader = world.client().await;
    reader.send(12, fetching(i32::MAX)).await;
    world.embedded.play(shared::fault::Fault::Stop).await.unwrap();
    assert!(reader.rest().await.is_empty());
}

#[tokio::test]
async fn settings_are_told_as_they_are_in_force() {
    let world = World::with(&["group.max.size=7"]);
    let mut client = world.client().await;
    let resource = |resource_type, resource_name: &str, key: Option<&str>| DescribeConfigsResource {
        resource_type,
        resource_name: resource_name.into(),
        configuration_keys: key.map(|key| vec![key.into()]),
    };
    let request = DescribeConfigsRequest {
        resources: vec![
            resource(4, "1", Some("group.max.size")),
            resource(4, "1", Some("offset.metadata.max.bytes")),
            resource(2, "demo", Some("max.message.bytes")),
            resource(2, "nowhere", None),
            resource(4, "2", None),
            resource(32, "g", None),
        ],
        include_synonyms: true,
        ..Default::default()
    };
    let results = client.ask(4, request).await.results;
    let told: Vec<_> = results
        .iter()
        .map(|result| {
            let row = result.configs.first();
            let value = row.and_then(|row| row.value.as_deref());
            (
                result.error_code,
                value,
                row.map(|row| (row.config_source, row.synonyms.len())),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (0, Some("7"), Some((4, 2))),
            (0, Some("4096"), Some((5, 1))),
            (0, Some("1048588"), Some((5, 1))),
            (3, None, None),
            (42, None, None),
            (0, None, None),
        ]
    );
}

#[tokio::test]
async fn the_cluster_is_its_one_broker() {
    let world = World::new();
    let mut client = world.client().await;
    for version in 0..=2 {
        let answer = client.ask(version, DescribeClusterRequest::default()).await;
        assert_eq!(
            (answer.error_code, answer.controller_id, answer.brokers.len()),
            (0, 1, 1)
        );
        assert_eq!(answer.cluster_id, world.embedded.cluster_id().as_str());
        assert_eq!(
            answer.brokers[0].port,
            i32::from(world.embedded.local_addr().port())
        );
    }
    for (endpoint_type, expected) in [(2, 114), (3, 115)] {
        let request = DescribeClusterRequest {
            endpoint_type,
            ..Default::default()
        };
        assert_eq!(client.ask(2, request).await.error_code, expected);
    }
}
