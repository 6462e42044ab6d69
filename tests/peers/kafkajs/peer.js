// KafkaJS as a peer of the tests (tests/src/peers.rs).
'use strict'

const readline = require('node:readline')
const { Kafka, logLevel } = require('kafkajs')

const options = JSON.parse(process.argv[2])
const positions = new Map()
let owned = []
let producer = null

const say = (event, facts) => process.stdout.write(`${JSON.stringify({ event, ...facts })}\n`)

// KafkaJS wraps a broker's error several times over.
const codeOf = error => {
  for (let at = error; at; at = at.cause || at.originalError) {
    if (Number.isInteger(at.code) && at.code > 0) return at.code
  }
  return null
}
const failure = (event, error) => say(event, { code: codeOf(error), what: String(error) })

const kafka = new Kafka({
  brokers: [options.bootstrap],
  clientId: options.client_id,
  logLevel: logLevel.WARN,
  requestTimeout: options.request_timeout_ms,
  retry: { initialRetryTime: 100, maxRetryTime: 500, retries: 100 },
})
// Its only assigner is round robin; heartbeats are sent between fetches, so that none may take long.
const consumer = kafka.consumer({
  groupId: options.group,
  sessionTimeout: options.session_timeout_ms,
  heartbeatInterval: options.heartbeat_interval_ms,
  rebalanceTimeout: options.rebalance_timeout_ms,
  maxWaitTimeInMs: 100,
  allowAutoTopicCreation: false,
})

const giveUp = () => {
  if (owned.length) say('revoked', { partitions: owned })
  owned = []
  positions.clear()
}

consumer.on(consumer.events.REBALANCING, giveUp)
consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
  giveUp()
  owned = payload.memberAssignment[options.topic] || []
  say('assigned', { partitions: owned, member: payload.memberId, generation: null })
})
consumer.on(consumer.events.CRASH, ({ payload }) => failure(payload.restart ? 'error' : 'fatal', payload.error))

const obey = {
  async produce({ partition, values }) {
    if (!producer) {
      producer = kafka.producer({ allowAutoTopicCreation: false })
      await producer.connect()
    }
    for (const value of values) {
      const [sent] = await producer.send({ topic: options.topic, messages: [{ partition, value }] })
      say('produced', { partition, offset: Number(sent.baseOffset), value })
    }
  },
  async commit() {
    const offsets = [...positions].map(([partition, offset]) => ({
      topic: options.topic,
      partition,
      offset: String(offset),
    }))
    if (offsets.length) await consumer.commitOffsets(offsets)
    say('committed', { offsets: [...positions] })
  },
  async leave() {
    if (producer) await producer.disconnect()
    await consumer.disconnect()
    say('left')
    process.exit(0)
  },
}

const live = async () => {
  await consumer.connect()
  await consumer.subscribe({ topic: options.topic, fromBeginning: options.offset_reset === 'earliest' })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      positions.set(partition, Number(message.offset) + 1)
      say('consumed', { partition, offset: Number(message.offset), value: message.value.toString() })
    },
  })
}

let queue = live().catch(error => failure('fatal', error))
readline
  .createInterface({ input: process.stdin })
  .on('line', line => {
    const command = JSON.parse(line)
    queue = queue.then(() => obey[command.command](command)).catch(error => failure('refused', error))
  })
  // Nobody is there to be told anything: end as a process that is killed.
  .on('close', () => process.exit(0))
