"""librdkafka as a peer of the tests, by PyPI's confluent-kafka."""
import sys
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from lines import commands, options, say, waiting

OPTIONS = options()
positions = {}
producer = None


# Kafka's codes by librdkafka's sentences for them: a fatal error (librdkafka's own code) tells its cause by the sentence alone.
CODES = {KafkaError(code).str(): code for code in range(1, 130)}


def kafkas_code(error):
    """Kafka's code of an error; None for one of librdkafka's own (their codes are negative)."""
    if error.code() == KafkaError._FATAL:
        return next((code for sentence, code in CODES.items() if sentence in error.str()), None)
    return error.code() if error.code() > 0 else None


def failure(event, error):
    say(event, code=kafkas_code(error), what=f"{error.name()}: {error.str()}")


def on_error(error):
    failure("fatal" if error.fatal() else "error", error)


def numbers(partitions):
    return [partition.partition for partition in partitions]


def on_assign(consumer, partitions):
    say("assigned", partitions=numbers(partitions), member=consumer.memberid(), generation=None)


def given_up(event):
    def callback(_consumer, partitions):
        say(event, partitions=numbers(partitions))
        if OPTIONS.commit_on_revoke:
            commit()
        for partition in partitions:
            positions.pop(partition.partition, None)

    return callback


def commit():
    offsets = [TopicPartition(OPTIONS.topic, partition, offset) for partition, offset in positions.items()]
    try:
        if offsets:
            for answer in consumer.commit(offsets=offsets, asynchronous=False):
                if answer.error:
                    raise KafkaException(answer.error)
        say("committed", offsets=list(positions.items()))
    except KafkaException as error:
        failure("refused", error.args[0])


def produce(partition, values):
    global producer
    if producer is None:
        producer = Producer({
            "bootstrap.servers": OPTIONS.bootstrap,
            "client.id": f"{OPTIONS.client_id}-producer",
            "enable.idempotence": True,
            "linger.ms": 0,
        })

    def delivered(error, message):
        if error:
            failure("refused", error)
        else:
            say("produced", partition=partition, offset=message.offset(), value=message.value().decode())

    for value in values:
        producer.produce(OPTIONS.topic, value, partition=partition, on_delivery=delivered)
    producer.flush()


settings = {
    "bootstrap.servers": OPTIONS.bootstrap,
    "group.id": OPTIONS.group,
    "client.id": OPTIONS.client_id,
    "group.protocol": OPTIONS.protocol,
    "socket.timeout.ms": OPTIONS.request_timeout_ms,
    "max.poll.interval.ms": max(OPTIONS.rebalance_timeout_ms, OPTIONS.session_timeout_ms),
    "auto.offset.reset": OPTIONS.offset_reset,
    "enable.auto.commit": False,
    "fetch.wait.max.ms": 100,
    "reconnect.backoff.max.ms": 500,
    "error_cb": on_error,
}
if OPTIONS.protocol == "classic":
    # In the newer protocol the broker decides on these.
    settings |= {
        "partition.assignment.strategy": {"eager": "range"}.get(OPTIONS.assignor, OPTIONS.assignor),
        "session.timeout.ms": OPTIONS.session_timeout_ms,
        "heartbeat.interval.ms": OPTIONS.heartbeat_interval_ms,
    }
if OPTIONS.verbose:
    settings["debug"] = "protocol"
if OPTIONS.instance_id is not None:
    settings["group.instance.id"] = OPTIONS.instance_id
consumer = Consumer(settings)


def subscribe():
    consumer.subscribe([OPTIONS.topic], on_assign=on_assign, on_revoke=given_up("revoked"), on_lost=given_up("lost"))


subscribe()
read = commands()
while True:
    message = consumer.poll(0.05)
    if message is not None and message.error():
        failure("error", message.error())
    elif message is not None:
        positions[message.partition()] = message.offset() + 1
        say("consumed", partition=message.partition(), offset=message.offset(), value=message.value().decode())
    for command in waiting(read):
        match command["command"]:
            case "produce":
                produce(command["partition"], command["values"])
            case "commit":
                commit()
            case "stall":
                time.sleep(command["ms"] / 1000)
            case "subscribe":
                OPTIONS.topic = command["topic"]
                subscribe()
            case "leave":
                consumer.close()
                say("left")
                sys.exit(0)
