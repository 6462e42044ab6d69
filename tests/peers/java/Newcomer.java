// A member of a group of one of the newer types: it joins, consumes, and leaves when it is told anything (tests/src/peers/newcomer.rs).

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

public final class Newcomer {
    private static volatile boolean running = true;

    /** Its arguments: the group's type, host:port, group, topic, client id. */
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[1]);
        settings.put("client.id", arguments[4]);
        Thread main = Thread.currentThread();
        Thread reader = new Thread(() -> {
            try {
                // Any word tells it to leave, and so does the end of whoever started it.
                System.in.read();
            } catch (java.io.IOException end) {
                // As if it had ended.
            }
            running = false;
            main.interrupt();
        });
        reader.setDaemon(true);
        reader.start();
        List<String> topics = List.of(arguments[3]);
        switch (arguments[0]) {
            case "consumer" -> consume(settings, arguments[2], topics);
            case "share" -> share(settings, arguments[2], topics);
            case "streams" -> stream(settings, arguments[2], arguments[3]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void consume(Properties settings, String group, List<String> topics) {
        settings.put("group.id", group);
        settings.put("group.protocol", "consumer");
        settings.put("enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(topics);
            while (running) {
                consumer.poll(Duration.ofMillis(100));
            }
        } catch (org.apache.kafka.common.errors.InterruptException end) {
            // It was told to leave, and has.
        }
    }

    private static void share(Properties settings, String group, List<String> topics) {
        settings.put("group.id", group);
        try (var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(topics);
            while (running) {
                consumer.poll(Duration.ofMillis(100));
            }
        } catch (org.apache.kafka.common.errors.InterruptException end) {
            // As above.
        }
    }

    private static void stream(Properties settings, String group, String topic) throws Exception {
        settings.put("application.id", group);
        settings.put("group.protocol", "streams");
        settings.put("default.key.serde", Serdes.StringSerde.class);
        settings.put("default.value.serde", Serdes.StringSerde.class);
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(topic).foreach((key, value) -> { });
        try (var streams = new KafkaStreams(builder.build(), settings)) {
            streams.start();
            while (running) {
                Thread.sleep(100);
            }
        } catch (InterruptedException end) {
            // As above.
        }
    }
}
