// A reader of the offsets log for `cargo xtask bench log` (tests/src/bench/log.rs): reads it without a group, decodes
// the fields that Heartline decodes, and keeps of each key the newest.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const topic = "__consumer_offsets"

type commitKey struct {
	group, topic string
	partition    int32
}

type commit struct {
	position      int64
	at            int64
	inTransaction bool
}

type member struct {
	instance           *string
	session, rebalance int32
	topics             []string
	owned              []kmsg.ConsumerMemberAssignmentTopic
}

type group struct {
	position            int64
	generation          int32
	protocol, leader    *string
	formedAt, writtenAt int64
	members             map[string]member
}

type reader struct {
	records int64
	commits map[commitKey]*commit
	groups  map[string]*group
}

func main() {
	start := time.Now()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(os.Args[1]),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
	)
	must(err)
	unread := ends(client)
	reader := reader{commits: map[commitKey]*commit{}, groups: map[string]*group{}}
	for len(unread) > 0 {
		fetches := client.PollFetches(context.Background())
		fetches.EachError(func(_ string, _ int32, err error) { must(err) })
		fetches.EachPartition(func(fetched kgo.FetchTopicPartition) {
			for _, record := range fetched.Records {
				reader.read(record)
			}
			if count := len(fetched.Records); count > 0 {
				if end, there := unread[fetched.Partition]; there && fetched.Records[count-1].Offset+1 >= end {
					delete(unread, fetched.Partition)
				}
			}
		})
	}
	said, err := json.Marshal(map[string]any{
		"records": reader.records,
		"groups":  len(reader.groups),
		"commits": len(reader.commits),
		"seconds": time.Since(start).Seconds(),
	})
	must(err)
	fmt.Println(string(said))
	// Until it is let go.
	_, err = io.Copy(io.Discard, os.Stdin)
	must(err)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Where each partition with records ends now.
func ends(client *kgo.Client) map[int32]int64 {
	metadata := kmsg.NewPtrMetadataRequest()
	asked := kmsg.NewMetadataRequestTopic()
	asked.Topic = kmsg.StringPtr(topic)
	metadata.Topics = append(metadata.Topics, asked)
	told, err := metadata.RequestWith(context.Background(), client)
	must(err)
	list := kmsg.NewPtrListOffsetsRequest()
	list.ReplicaID = -1
	of := kmsg.NewListOffsetsRequestTopic()
	of.Topic = topic
	for _, found := range told.Topics {
		must(kerr.ErrorForCode(found.ErrorCode))
		for _, partition := range found.Partitions {
			wanted := kmsg.NewListOffsetsRequestTopicPartition()
			wanted.Partition = partition.Partition
			wanted.Timestamp = -1
			of.Partitions = append(of.Partitions, wanted)
		}
	}
	list.Topics = append(list.Topics, of)
	listed, err := list.RequestWith(context.Background(), client)
	must(err)
	ends := map[int32]int64{}
	for _, topic := range listed.Topics {
		for _, partition := range topic.Partitions {
			must(kerr.ErrorForCode(partition.ErrorCode))
			if partition.Offset > 0 {
				ends[partition.Partition] = partition.Offset
			}
		}
	}
	return ends
}

// Nothing is copied but what is kept: strings that kmsg reads unsafely lie in the record's own bytes.
func (r *reader) read(record *kgo.Record) {
	r.records++
	if len(record.Key) < 2 {
		return
	}
	switch binary.BigEndian.Uint16(record.Key) {
	case 0, 1:
		r.readCommit(record)
	case 2:
		r.readGroup(record)
	}
}

func (r *reader) readCommit(record *kgo.Record) {
	var key kmsg.OffsetCommitKey
	must(key.UnsafeReadFrom(record.Key))
	of := commitKey{key.Group, key.Topic, key.Partition}
	if record.Value == nil {
		delete(r.commits, of)
		return
	}
	var value kmsg.OffsetCommitValue
	must(value.UnsafeReadFrom(record.Value))
	known, there := r.commits[of]
	if !there {
		known = &commit{}
		of.group, of.topic = strings.Clone(key.Group), strings.Clone(key.Topic)
		r.commits[of] = known
	}
	*known = commit{record.Offset, record.Timestamp.UnixMilli(), record.Attrs.IsTransactional()}
}

func (r *reader) readGroup(record *kgo.Record) {
	var key kmsg.GroupMetadataKey
	must(key.UnsafeReadFrom(record.Key))
	if record.Value == nil {
		delete(r.groups, key.Group)
		return
	}
	var value kmsg.GroupMetadataValue
	must(value.ReadFrom(record.Value))
	members := make(map[string]member, len(value.Members))
	for _, told := range value.Members {
		rebalance := told.RebalanceTimeoutMillis
		if rebalance == -1 {
			rebalance = told.SessionTimeoutMillis
		}
		kept := member{instance: told.InstanceID, session: told.SessionTimeoutMillis, rebalance: rebalance}
		var subscription kmsg.ConsumerMemberMetadata
		if subscription.ReadFrom(told.Subscription) == nil {
			kept.topics = subscription.Topics
		}
		var assignment kmsg.ConsumerMemberAssignment
		if assignment.ReadFrom(told.Assignment) == nil {
			kept.owned = assignment.Topics
		}
		members[told.MemberID] = kept
	}
	r.groups[strings.Clone(key.Group)] = &group{
		position:   record.Offset,
		generation: value.Generation,
		protocol:   value.Protocol,
		leader:     value.Leader,
		formedAt:   value.CurrentStateTimestamp,
		writtenAt:  record.Timestamp.UnixMilli(),
		members:    members,
	}
}
