"""kafka-python as a peer of the tests."""
import logging
import sys

from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata
from lines import commands, options, say, waiting

OPTIONS = options()
logging.basicConfig(level=logging.WARNING)
logging.getLogger("kafka.coordinator").setLevel(logging.DEBUG if OPTIONS.verbose else logging.WARNING)
positions = {}
producer = None


def failure(event, error):
    code = getattr(error, "errno", None)
    say(event, code=code if isinstance(code, int) and code > 0 else None, what=repr(error))


class Listener(ConsumerRebalanceListener):
    def on_partitions_assigned(self, assigned):
        metadata = consumer.group_metadata()
        say("assigned", partitions=[at.partition for at in assigned], member=metadata.member_id,
            generation=metadata.generation_id)

    def on_partitions_revoked(self, revoked):
        self.given_up("revoked", revoked)

    def on_partitions_lost(self, lost):
        self.given_up("lost", lost)

    def given_up(self, event, partitions):
        say(event, partitions=[at.partition for at in partitions])
        for at in partitions:
            positions.pop(at.partition, None)


def commit():
    offsets = {TopicPartition(OPTIONS.topic, at): OffsetAndMetadata(offset, "", -1) for at, offset in positions.items()}
    try:
        if offsets:
            consumer.commit(offsets)
        say("committed", offsets=list(positions.items()))
    except KafkaError as error:
        failure("refused", error)


def produce(partition, values):
    global producer
    if producer is None:
        producer = KafkaProducer(bootstrap_servers=OPTIONS.bootstrap, client_id=f"{OPTIONS.client_id}-producer")
    for value in values:
        try:
            sent = producer.send(OPTIONS.topic, value.encode(), partition=partition).get(timeout=30)
            say("produced", partition=partition, offset=sent.offset, value=value)
        except KafkaError as error:
            failure("refused", error)


consumer = KafkaConsumer(
    bootstrap_servers=OPTIONS.bootstrap,
    group_id=OPTIONS.group,
    client_id=OPTIONS.client_id,
    group_instance_id=OPTIONS.instance_id,
    partition_assignment_strategy=(
        CooperativeStickyAssignor if OPTIONS.assignor == "cooperative-sticky" else RangePartitionAssignor,
    ),
    session_timeout_ms=OPTIONS.session_timeout_ms,
    heartbeat_interval_ms=OPTIONS.heartbeat_interval_ms,
    max_poll_interval_ms=OPTIONS.rebalance_timeout_ms,
    request_timeout_ms=OPTIONS.request_timeout_ms,
    auto_offset_reset=OPTIONS.offset_reset,
    enable_auto_commit=False,
    allow_auto_create_topics=False,
    fetch_max_wait_ms=100,
    reconnect_backoff_max_ms=500,
)
consumer.subscribe([OPTIONS.topic], listener=Listener())
# Joining before the topic's metadata is there costs kafka-python a second rebalance once it comes; a leader whose poll() times out
# between that one's JoinGroup and SyncGroup never finishes it (3.0.12: need_rejoin() is false by then, heartbeats are off).
while not consumer.partitions_for_topic(OPTIONS.topic):
    pass
read = commands()
while True:
    try:
        for messages in consumer.poll(timeout_ms=50).values():
            for message in messages:
                positions[message.partition] = message.offset + 1
                say("consumed", partition=message.partition, offset=message.offset, value=message.value.decode())
    except KafkaError as error:
        failure("error", error)
    for command in waiting(read):
        match command["command"]:
            case "produce":
                produce(command["partition"], command["values"])
            case "commit":
                commit()
            case "leave":
                consumer.close()
                say("left")
                sys.exit(0)
