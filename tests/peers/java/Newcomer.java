// A member of a group of one of the newer types: it joins, consumes, and does what it is told (tests/src/peers/newcomer.rs).

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

public final class Newcomer {
    /** What the client is driven by. */
    private interface Client extends AutoCloseable {
        void subscribe(String topic);

        void poll() throws InterruptedException;

        @Override
        void close();
    }

    private static final Duration BRIEFLY = Duration.ofMillis(100);
    private static final LinkedBlockingQueue<String[]> COMMANDS = new LinkedBlockingQueue<>();
    /** How long the application is to be busy next, in milliseconds. */
    private static volatile long stall;

    /** Its arguments: the group's type, host:port, group, topic, client id, max.poll.interval.ms. */
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[1]);
        settings.put("client.id", arguments[4]);
        settings.put("max.poll.interval.ms", arguments[5]);
        Thread reader = new Thread(Newcomer::readCommands);
        reader.setDaemon(true);
        reader.start();
        try (Client client = start(arguments[0], settings, arguments[2], arguments[3])) {
            client.subscribe(arguments[3]);
            while (true) {
                client.poll();
                for (String[] command = COMMANDS.poll(); command != null; command = COMMANDS.poll()) {
                    switch (command[0]) {
                        case "stall" -> stall = Long.parseLong(command[1]);
                        case "subscribe" -> client.subscribe(command[1]);
                        case "leave" -> {
                            return;
                        }
                        default -> throw new IllegalArgumentException(command[0]);
                    }
                }
            }
        }
    }

    private static void readCommands() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                COMMANDS.add(line.split(" "));
            }
        } catch (IOException error) {
            error.printStackTrace();
        }
        // The end of whoever started it.
        COMMANDS.add(new String[] {"leave"});
    }

    private static Client start(String type, Properties settings, String group, String topic) {
        switch (type) {
            case "consumer":
                settings.put("group.protocol", "consumer");
                settings.put("enable.auto.commit", "false");
                settings.put("group.id", group);
                return new Consuming(settings);
            case "share":
                settings.put("group.id", group);
                return new Sharing(settings);
            case "streams":
                settings.put("application.id", group);
                settings.put("group.protocol", "streams");
                settings.put("default.key.serde", Serdes.StringSerde.class);
                settings.put("default.value.serde", Serdes.StringSerde.class);
                return new Streaming(settings, topic);
            default:
                throw new IllegalArgumentException(type);
        }
    }

    /** Does nothing for as long as was asked. */
    private static void beBusy() throws InterruptedException {
        long ms = stall;
        stall = 0;
        Thread.sleep(ms);
    }

    private static final class Consuming implements Client {
        private final KafkaConsumer<String, String> consumer;

        Consuming(Properties settings) {
            consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        }

        @Override
        public void subscribe(String topic) {
            consumer.subscribe(List.of(topic));
        }

        @Override
        public void poll() throws InterruptedException {
            consumer.poll(BRIEFLY);
            beBusy();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    private static final class Sharing implements Client {
        private final KafkaShareConsumer<String, String> consumer;

        Sharing(Properties settings) {
            consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        }

        @Override
        public void subscribe(String topic) {
            consumer.subscribe(List.of(topic));
        }

        @Override
        public void poll() throws InterruptedException {
            consumer.poll(BRIEFLY);
            beBusy();
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    /** Its topology has its topic from the start; what is to keep it busy keeps its stream thread busy. */
    private static final class Streaming implements Client {
        private final KafkaStreams streams;

        Streaming(Properties settings, String topic) {
            StreamsBuilder builder = new StreamsBuilder();
            builder.stream(topic).process(BusyAtTimes::new);
            streams = new KafkaStreams(builder.build(), settings);
        }

        @Override
        public void subscribe(String topic) {
            if (streams.state() != KafkaStreams.State.CREATED) {
                throw new IllegalStateException("a topology's topics do not change");
            }
            streams.start();
        }

        @Override
        public void poll() throws InterruptedException {
            Thread.sleep(BRIEFLY.toMillis());
        }

        @Override
        public void close() {
            streams.close();
        }
    }

    private static final class BusyAtTimes extends ContextualProcessor<Object, Object, Object, Object> {
        @Override
        public void init(ProcessorContext<Object, Object> context) {
            super.init(context);
            context.schedule(BRIEFLY, PunctuationType.WALL_CLOCK_TIME, time -> {
                try {
                    beBusy();
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @Override
        public void process(Record<Object, Object> record) {
            // Consumed.
        }
    }
}
