/**
 * The contract with the internals of kafkajs: each part is at its place, and does what the connection to a broker
 * needs.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import manifest from '../../../../package.json' with { type: 'json' }
import { KafkaLine } from '../../../../pipelines/rails/log/kafka-line.ts'
import { innerParts, taken } from '../../../../pipelines/rails/log/kafkajs-inside.ts'

describe('the inside of kafkajs', () => {
  it('is that of one version', () => {
    expect(manifest.dependencies.kafkajs).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it.each(Object.values(innerParts))('has $file with the called methods, for $usedFor', part => {
    expect(taken(part)).toBeTypeOf('function')
  })

  it('names the part that has moved, and its use', () => {
    expect(() => taken({ ...innerParts.broker, file: 'kafkajs/src/broker/elsewhere.js' })).toThrow(
      /^kafkajs [\d.]+ has moved kafkajs\/src\/broker\/elsewhere\.js; it is used for asking one broker/,
    )
  })

  it('names the method that is gone, and its use', () => {
    expect(() => taken({ ...innerParts.connection, methods: ['rejectAll'] })).toThrow(
      /^kafkajs [\d.]+ has no rejectAll in kafkajs\/src\/network\/connection\.js; it is used for telling everybody/,
    )
  })
})

const [metadata, apiVersions] = [3, 18]
const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) => Buffer.from(new Uint8Array([0, 0, value >> 8, value & 255]))
const text = (value: string) => Buffer.concat([int16(value.length), Buffer.from(value)])
const bodies: Record<number, readonly Buffer[]> = {
  // No error; one known request, in its first version; no throttle.
  [apiVersions]: [int16(0), int32(1), int16(metadata), int16(0), int16(0), int32(0)],
  // One broker, and one topic of one partition that the broker leads, stores and has in sync.
  [metadata]: [
    ...[int32(1), int32(7), text('b.test'), int32(9092)],
    ...[int32(1), int16(0), text('facts'), int32(1)],
    ...[int16(0), int32(0), int32(7), int32(1), int32(7), int32(1), int32(7)],
  ],
}

describe('a connection on it', () => {
  const closed: (() => void)[] = []
  afterEach(() => {
    for (const close of closed.splice(0)) close()
  })

  /** `answers`: the kinds of requests that the broker answers. */
  async function brokerThatAnswers(answers: readonly number[]) {
    const asked: number[] = []
    const server = createServer((socket: Socket) => {
      closed.push(() => socket.destroy())
      socket.on('data', (request: Buffer) => {
        const kind = request.readInt16BE(4)
        asked.push(kind)
        server.emit('asked')
        if (!answers.includes(kind)) return
        const answer = Buffer.concat([request.subarray(8, 12), ...(bodies[kind] ?? [])])
        socket.write(Buffer.concat([int32(answer.length), answer]))
      })
    }).listen(0, '127.0.0.1')
    closed.push(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const line = new KafkaLine({ host: '127.0.0.1', port }, { brokers: [] }, 60_000)
    closed.push(() => line.cut())
    return { line, asked, isAsked: () => once(server, 'asked') }
  }

  it('asks a broker for its topics, and reads the leader of each partition', async () => {
    const { line, asked } = await brokerThatAnswers([apiVersions, metadata])
    expect(await line.ask(60_000, broker => broker.metadata(['facts']))).toMatchObject({
      brokers: [{ nodeId: 7, host: 'b.test', port: 9092 }],
      topicMetadata: [{ topic: 'facts', partitionMetadata: [{ partitionId: 0, leader: 7 }] }],
    })
    expect(asked).toEqual([apiVersions, metadata])
  })

  it('that is cut rejects at once for everybody who waits', async () => {
    const { line, isAsked } = await brokerThatAnswers([])
    const waiting = isAsked()
    const answer = line.ask(60_000, broker => broker.metadata(['facts']))
    const refused = expect(answer).rejects.toThrow(/the line to 127\.0\.0\.1:\d+ is cut/)
    await waiting
    line.cut()
    await refused
  })
})
