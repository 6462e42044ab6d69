"""librdkafka's mock cluster as a peer in the benchmarks: prints its address and serves until it is ended."""
import signal

from confluent_kafka import Producer

producer = Producer({"test.mock.num.brokers": 1})
(broker,) = producer.list_topics(timeout=10).brokers.values()
print(f"mock on {broker.host}:{broker.port}", flush=True)
signal.pause()
