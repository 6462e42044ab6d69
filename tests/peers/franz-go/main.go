// franz-go as a peer of the tests (tests/src/peers.rs).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type options struct {
	Bootstrap           string  `json:"bootstrap"`
	Group               string  `json:"group"`
	Topic               string  `json:"topic"`
	ClientID            string  `json:"client_id"`
	InstanceID          *string `json:"instance_id"`
	Assignor            string  `json:"assignor"`
	SessionTimeoutMs    int64   `json:"session_timeout_ms"`
	HeartbeatIntervalMs int64   `json:"heartbeat_interval_ms"`
	RebalanceTimeoutMs  int64   `json:"rebalance_timeout_ms"`
	RequestTimeoutMs    int64   `json:"request_timeout_ms"`
	OffsetReset         string  `json:"offset_reset"`
}

type command struct {
	Command   string   `json:"command"`
	Partition int32    `json:"partition"`
	Values    []string `json:"values"`
}

type facts map[string]any

type peer struct {
	options  options
	consumer *kgo.Client
	producer *kgo.Client

	// Callbacks and polls come from different goroutines.
	mutex     sync.Mutex
	positions map[int32]int64
}

var out sync.Mutex

func say(event string, facts facts) {
	facts["event"] = event
	line, err := json.Marshal(facts)
	if err != nil {
		panic(err)
	}
	out.Lock()
	defer out.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

func failure(event string, err error) {
	var code any
	var of *kerr.Error
	if errors.As(err, &of) && of.Code > 0 {
		code = of.Code
	}
	say(event, facts{"code": code, "what": err.Error()})
}

func ms(count int64) time.Duration { return time.Duration(count) * time.Millisecond }

func main() {
	peer := &peer{positions: map[int32]int64{}}
	if err := json.Unmarshal([]byte(os.Args[1]), &peer.options); err != nil {
		panic(err)
	}
	peer.live()
}

func (p *peer) live() {
	options := p.options
	balancer := kgo.GroupBalancer(kgo.RangeBalancer())
	if options.Assignor == "cooperative-sticky" {
		balancer = kgo.CooperativeStickyBalancer()
	}
	start := kgo.NewOffset().AtStart()
	if options.OffsetReset == "latest" {
		start = kgo.NewOffset().AtEnd()
	}
	settings := []kgo.Opt{
		kgo.SeedBrokers(options.Bootstrap),
		kgo.ClientID(options.ClientID),
		kgo.ConsumerGroup(options.Group),
		kgo.ConsumeTopics(options.Topic),
		kgo.Balancers(balancer),
		kgo.SessionTimeout(ms(options.SessionTimeoutMs)),
		kgo.HeartbeatInterval(ms(options.HeartbeatIntervalMs)),
		kgo.RebalanceTimeout(ms(options.RebalanceTimeoutMs)),
		kgo.RequestTimeoutOverhead(ms(options.RequestTimeoutMs)),
		kgo.ConsumeResetOffset(start),
		kgo.DisableAutoCommit(),
		kgo.FetchMaxWait(ms(100)),
		kgo.OnPartitionsAssigned(p.assigned),
		kgo.OnPartitionsRevoked(p.givenUp("revoked")),
		kgo.OnPartitionsLost(p.givenUp("lost")),
	}
	if options.InstanceID != nil {
		settings = append(settings, kgo.InstanceID(*options.InstanceID))
	}
	consumer, err := kgo.NewClient(settings...)
	if err != nil {
		panic(err)
	}
	p.consumer = consumer
	go p.consume()
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		var command command
		if err := json.Unmarshal(commands.Bytes(), &command); err != nil {
			panic(err)
		}
		if left := p.obey(command); left {
			return
		}
	}
	// Nobody is there to be told anything: end as a process that is killed.
}

func (p *peer) consume() {
	for {
		fetches := p.consumer.PollFetches(context.Background())
		if fetches.IsClientClosed() {
			return
		}
		fetches.EachError(func(_ string, _ int32, err error) {
			// The client itself would join again and fence the other: that is for the application to decide.
			if errors.Is(err, kerr.FencedInstanceID) {
				failure("fatal", err)
				os.Exit(1)
			}
			failure("error", err)
		})
		fetches.EachRecord(func(record *kgo.Record) {
			p.mutex.Lock()
			p.positions[record.Partition] = record.Offset + 1
			p.mutex.Unlock()
			say("consumed", facts{
				"partition": record.Partition, "offset": record.Offset, "value": string(record.Value),
			})
		})
	}
}

func (p *peer) assigned(_ context.Context, client *kgo.Client, topics map[string][]int32) {
	member, generation := client.GroupMetadata()
	say("assigned", facts{
		"partitions": append([]int32{}, topics[p.options.Topic]...), "member": member, "generation": generation,
	})
}

func (p *peer) givenUp(event string) func(context.Context, *kgo.Client, map[string][]int32) {
	return func(_ context.Context, _ *kgo.Client, topics map[string][]int32) {
		partitions := append([]int32{}, topics[p.options.Topic]...)
		say(event, facts{"partitions": partitions})
		p.mutex.Lock()
		defer p.mutex.Unlock()
		for _, partition := range partitions {
			delete(p.positions, partition)
		}
	}
}

func (p *peer) obey(command command) (left bool) {
	switch command.Command {
	case "produce":
		p.produce(command.Partition, command.Values)
	case "commit":
		p.commit()
	case "leave":
		p.consumer.LeaveGroup()
		p.consumer.Close()
		if p.producer != nil {
			p.producer.Close()
		}
		say("left", facts{})
		return true
	default:
		panic("no such command: " + command.Command)
	}
	return false
}

func (p *peer) produce(partition int32, values []string) {
	if p.producer == nil {
		producer, err := kgo.NewClient(
			kgo.SeedBrokers(p.options.Bootstrap),
			kgo.ClientID(p.options.ClientID+"-producer"),
			kgo.DefaultProduceTopic(p.options.Topic),
			kgo.RecordPartitioner(kgo.ManualPartitioner()),
		)
		if err != nil {
			panic(err)
		}
		p.producer = producer
	}
	for _, value := range values {
		record := &kgo.Record{Partition: partition, Value: []byte(value)}
		if err := p.producer.ProduceSync(context.Background(), record).FirstErr(); err != nil {
			failure("refused", err)
		} else {
			say("produced", facts{"partition": partition, "offset": record.Offset, "value": value})
		}
	}
}

func (p *peer) commit() {
	offsets := map[int32]kgo.EpochOffset{}
	said := [][2]int64{}
	p.mutex.Lock()
	for partition, offset := range p.positions {
		offsets[partition] = kgo.EpochOffset{Epoch: -1, Offset: offset}
		said = append(said, [2]int64{int64(partition), offset})
	}
	p.mutex.Unlock()
	var failed error
	answered := func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		failed = err
		if answer == nil {
			return
		}
		for _, topic := range answer.Topics {
			for _, partition := range topic.Partitions {
				if err := kerr.ErrorForCode(partition.ErrorCode); err != nil {
					failed = err
				}
			}
		}
	}
	if len(offsets) > 0 {
		topics := map[string]map[int32]kgo.EpochOffset{p.options.Topic: offsets}
		p.consumer.CommitOffsetsSync(context.Background(), topics, answered)
	}
	if failed != nil {
		failure("refused", failed)
	} else {
		say("committed", facts{"offsets": said})
	}
}
