"""aiokafka as a peer of the tests."""
import asyncio
import logging

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.errors import KafkaError
from lines import commands, options, say, waiting

logging.basicConfig(level=logging.WARNING)
OPTIONS = options()
positions = {}


def failure(event, error):
    code = getattr(error, "errno", None)
    say(event, code=code if isinstance(code, int) and code > 0 else None, what=repr(error))


class Listener(ConsumerRebalanceListener):
    def __init__(self, consumer):
        self.consumer = consumer

    async def on_partitions_assigned(self, assigned):
        coordinator = self.consumer._coordinator
        say("assigned", partitions=[at.partition for at in assigned], member=coordinator.member_id,
            generation=coordinator.generation)

    async def on_partitions_revoked(self, revoked):
        say("revoked", partitions=[at.partition for at in revoked])
        for at in revoked:
            positions.pop(at.partition, None)


async def commit(consumer):
    try:
        if positions:
            await consumer.commit({TopicPartition(OPTIONS.topic, at): offset for at, offset in positions.items()})
        say("committed", offsets=list(positions.items()))
    except KafkaError as error:
        failure("refused", error)


async def produce(producer, partition, values):
    for value in values:
        try:
            sent = await producer.send_and_wait(OPTIONS.topic, value.encode(), partition=partition)
            say("produced", partition=partition, offset=sent.offset, value=value)
        except KafkaError as error:
            failure("refused", error)


async def started_producer():
    producer = AIOKafkaProducer(bootstrap_servers=OPTIONS.bootstrap, client_id=f"{OPTIONS.client_id}-producer",
                                enable_idempotence=True)
    await producer.start()
    return producer


async def live():
    read = commands()
    producer = None
    consumer = AIOKafkaConsumer(
        bootstrap_servers=OPTIONS.bootstrap,
        group_id=OPTIONS.group,
        client_id=OPTIONS.client_id,
        group_instance_id=OPTIONS.instance_id,
        partition_assignment_strategy=(RangePartitionAssignor,),
        session_timeout_ms=OPTIONS.session_timeout_ms,
        heartbeat_interval_ms=OPTIONS.heartbeat_interval_ms,
        max_poll_interval_ms=OPTIONS.rebalance_timeout_ms,
        request_timeout_ms=OPTIONS.request_timeout_ms,
        auto_offset_reset=OPTIONS.offset_reset,
        enable_auto_commit=False,
        fetch_max_wait_ms=100,
    )
    consumer.subscribe([OPTIONS.topic], listener=Listener(consumer))
    await consumer.start()
    while True:
        try:
            for messages in (await consumer.getmany(timeout_ms=50)).values():
                for message in messages:
                    positions[message.partition] = message.offset + 1
                    say("consumed", partition=message.partition, offset=message.offset, value=message.value.decode())
        except KafkaError as error:
            failure("error", error)
        for command in waiting(read):
            match command["command"]:
                case "produce":
                    producer = producer or await started_producer()
                    await produce(producer, command["partition"], command["values"])
                case "commit":
                    await commit(consumer)
                case "leave":
                    await consumer.stop()
                    if producer:
                        await producer.stop()
                    say("left")
                    return


asyncio.run(live())
