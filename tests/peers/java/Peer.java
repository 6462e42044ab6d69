// The Java client as a peer of the tests: one consumer, told what to do and telling what it sees in JSON lines (tests/src/peers.rs).

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public final class Peer implements ConsumerRebalanceListener {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode options;
    private String topic;
    private final KafkaConsumer<String, String> consumer;
    private final Map<Integer, Long> positions = new TreeMap<>();
    private final LinkedBlockingQueue<JsonNode> commands = new LinkedBlockingQueue<>();
    private KafkaProducer<String, String> producer;

    public static void main(String[] arguments) throws Exception {
        new Peer(JSON.readTree(arguments[0])).live();
    }

    private Peer(JsonNode options) {
        this.options = options;
        this.topic = options.get("topic").asText();
        Properties settings = new Properties();
        settings.put("bootstrap.servers", options.get("bootstrap").asText());
        settings.put("group.id", options.get("group").asText());
        settings.put("client.id", options.get("client_id").asText());
        settings.put("group.protocol", options.get("protocol").asText());
        if (!options.get("instance_id").isNull()) {
            settings.put("group.instance.id", options.get("instance_id").asText());
        }
        if (options.get("protocol").asText().equals("classic")) {
            // In the newer protocol the broker decides on these.
            boolean cooperative = options.get("assignor").asText().equals("cooperative-sticky");
            settings.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer."
                + (cooperative ? "CooperativeStickyAssignor" : "RangeAssignor"));
            settings.put("session.timeout.ms", options.get("session_timeout_ms").asText());
            settings.put("heartbeat.interval.ms", options.get("heartbeat_interval_ms").asText());
        }
        settings.put("max.poll.interval.ms", options.get("rebalance_timeout_ms").asText());
        settings.put("request.timeout.ms", options.get("request_timeout_ms").asText());
        settings.put("auto.offset.reset", options.get("offset_reset").asText());
        settings.put("enable.auto.commit", "false");
        settings.put("reconnect.backoff.max.ms", "500");
        settings.put("allow.auto.create.topics", "false");
        this.consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private void live() throws Exception {
        Thread reader = new Thread(this::readCommands);
        reader.setDaemon(true);
        reader.start();
        consumer.subscribe(List.of(topic), this);
        try {
            while (true) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(50))) {
                    positions.put(record.partition(), record.offset() + 1);
                    say(event("consumed").put("partition", record.partition())
                        .put("offset", record.offset()).put("value", record.value()));
                }
                for (JsonNode command = commands.poll(); command != null; command = commands.poll()) {
                    if (!obey(command)) {
                        return;
                    }
                }
            }
        } catch (KafkaException error) {
            say(failure("fatal", error));
            consumer.close(CloseOptions.timeout(Duration.ZERO));
            System.exit(1);
        }
    }

    private void readCommands() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.add(JSON.readTree(line));
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
        // Nobody is there to be told anything: end as a process that is killed.
        Runtime.getRuntime().halt(0);
    }

    private boolean obey(JsonNode command) throws Exception {
        switch (command.get("command").asText()) {
            case "produce":
                produce(command.get("partition").asInt(), command.get("values"));
                return true;
            case "commit":
                commit();
                return true;
            case "stall":
                Thread.sleep(command.get("ms").asLong());
                return true;
            case "subscribe":
                topic = command.get("topic").asText();
                consumer.subscribe(List.of(topic), this);
                return true;
            case "leave":
                consumer.close();
                if (producer != null) {
                    producer.close();
                }
                say(event("left"));
                return false;
            default:
                throw new IllegalArgumentException(command.toString());
        }
    }

    private void produce(int partition, JsonNode values) throws Exception {
        if (producer == null) {
            Properties settings = new Properties();
            settings.put("bootstrap.servers", options.get("bootstrap").asText());
            settings.put("client.id", options.get("client_id").asText() + "-producer");
            producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        }
        for (JsonNode value : values) {
            long offset = producer.send(new ProducerRecord<>(topic, partition, null, value.asText())).get().offset();
            say(event("produced").put("partition", partition).put("offset", offset).put("value", value.asText()));
        }
    }

    private void commit() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        ObjectNode committed = event("committed");
        ArrayNode said = committed.putArray("offsets");
        positions.forEach((partition, offset) -> {
            offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(offset));
            said.addArray().add(partition).add(offset);
        });
        try {
            consumer.commitSync(offsets);
            say(committed);
        } catch (KafkaException error) {
            say(failure("refused", error));
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        var metadata = consumer.groupMetadata();
        say(event("assigned", partitions).put("member", metadata.memberId()).put("generation", metadata.generationId()));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        say(event("revoked", partitions));
        if (options.get("commit_on_revoke").asBoolean()) {
            commit();
        }
        partitions.forEach(partition -> positions.remove(partition.partition()));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        say(event("lost", partitions));
        if (options.get("commit_on_revoke").asBoolean()) {
            commit();
        }
        partitions.forEach(partition -> positions.remove(partition.partition()));
    }

    private static ObjectNode event(String name) {
        return JSON.createObjectNode().put("event", name);
    }

    private static ObjectNode event(String name, Collection<TopicPartition> partitions) {
        ObjectNode event = event(name);
        ArrayNode numbers = event.putArray("partitions");
        partitions.forEach(partition -> numbers.add(partition.partition()));
        return event;
    }

    private static ObjectNode failure(String name, KafkaException error) {
        Errors kind = Errors.forException(error);
        ObjectNode event = event(name);
        if (kind == Errors.UNKNOWN_SERVER_ERROR) {
            event.putNull("code");
        } else {
            event.put("code", kind.code());
        }
        return event.put("what", error.toString());
    }

    private static synchronized void say(ObjectNode event) {
        System.out.println(event);
        System.out.flush();
    }
}
