/** A real Kafka broker for the tests: the one of KAFKA_BROKERS, else one in Docker, else one from Maven. */
import { type GenericContainer, Wait } from 'testcontainers'
import { until } from '../until.ts'
import { containerOf, steering } from './container.ts'
import { connects, freePorts, hasMaven, quickStart } from './java.ts'
import { clusterId, kafkaVersion, mavenNode, smallSettings } from './kafka-node.ts'

export interface Broker {
  /** The part of LOG_URL after `kafka://`. */
  brokers: string[]
  stop(): Promise<void>
  /** The tests can kill, restart and freeze (SIGSTOP, SIGCONT) only a broker that they started. */
  kill?(): Promise<void>
  start?(): Promise<void>
  signal?(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> | void
}

/** With KAFKA_TESTS=required it throws when there is no broker. */
export async function startBroker(): Promise<Broker | { skipped: string }> {
  const running = process.env.KAFKA_BROKERS
  if (running) return { brokers: running.split(','), stop: async () => {} }
  const found = await containerOf('kafka', kafkaVersion)
  if ('container' in found) return startContainer(found.container)
  if (await hasMaven()) return startFromMaven()
  const skipped = `no Kafka: KAFKA_BROKERS is unset, ${found.skipped}, no mvn with Java 17 is here`
  if (process.env.KAFKA_TESTS === 'required') throw new Error(skipped)
  return { skipped }
}

/** The figures are those of a broker as it is run; a test wants it to start. */
const isShortLived = process.env.VITEST !== undefined
const brief: Record<string, string> = isShortLived ? { JAVA_TOOL_OPTIONS: quickStart.join(' ') } : {}

async function startContainer(container: GenericContainer): Promise<Broker> {
  const [port] = (await freePorts(1)) as [number]
  const advertised = `PLAINTEXT://127.0.0.1:${port}`
  const settings = smallSettings(1, 'PLAINTEXT://0.0.0.0:9092', advertised, 9093, ['1@127.0.0.1:9093'])
  const environment = Object.entries({ ...settings, 'log.dirs': '/var/lib/kafka/data' }).map(
    ([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, String(value)],
  )
  const started = await container
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment({ ...Object.fromEntries(environment), CLUSTER_ID: clusterId, ...brief })
    // Docker accepts connections before the broker does, so this looks from within, too.
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  const { kill, start, signal, remove } = steering(started)
  return {
    brokers: [`127.0.0.1:${port}`],
    stop: remove,
    kill,
    start: async () => {
      await start()
      await until(() => connects(port), `the broker on port ${port}`, 60_000)
    },
    signal,
  }
}

async function startFromMaven(): Promise<Broker> {
  const [port, controllerPort] = (await freePorts(2)) as [number, number]
  const voters = [`1@127.0.0.1:${controllerPort}`]
  const node = await mavenNode({ id: 1, port, controllerPort, voters, heapMb: 512, isShortLived })
  await node.start()
  return { brokers: [node.address], stop: node.remove, ...node }
}
