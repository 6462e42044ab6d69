// Makes many topics in one call: ADDRESS PARTITIONS NAME...

import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

public final class Topics {
    public static void main(String[] arguments) throws Exception {
        int partitions = Integer.parseInt(arguments[1]);
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", arguments[0]))) {
            var topics = Arrays.stream(arguments).skip(2).map(name -> new NewTopic(name, partitions, (short) 1));
            admin.createTopics(topics.toList()).all().get();
        }
    }
}
