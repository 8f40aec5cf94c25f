/** A real Kafka broker for the tests: one that is given, one in Docker, or one from Maven, in this order. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wait } from 'testcontainers'
import { until } from '../until.ts'
import { containerOf, hasEngine, noEngine } from './container.ts'
import { classpathOf, connects, freePorts, hasMaven, type JavaProcess, run, spawnJava } from './java.ts'

export interface Broker {
  /** What `kafka://` is followed by in LOG_URL. */
  brokers: string[]
  stop(): Promise<void>
  /** Only a broker that was started here can be ended, begun again, or frozen with SIGSTOP and SIGCONT. */
  kill?(): Promise<void>
  start?(): Promise<void>
  signal?(name: 'SIGSTOP' | 'SIGCONT'): void
}

export const kafkaVersion = process.env.KAFKA_VERSION ?? '4.4.0'
const pom = new URL('kafka/pom.xml', import.meta.url).pathname

/** With KAFKA_TESTS=required, none to be had is an error. */
export async function startBroker(): Promise<Broker | { skipped: string }> {
  const given = process.env.KAFKA_BROKERS
  if (given) return { brokers: given.split(','), stop: async () => {} }
  if (await hasEngine()) return startContainer()
  if (await hasMaven()) return startFromMaven()
  const skipped = `no Kafka: KAFKA_BROKERS is unset, ${noEngine}, no mvn with Java 17 is here`
  if (process.env.KAFKA_TESTS === 'required') throw new Error(skipped)
  return { skipped }
}

async function startContainer(): Promise<Broker> {
  const [port] = (await freePorts(1)) as [number]
  const settings = settingsOf('PLAINTEXT://0.0.0.0:9092', `PLAINTEXT://127.0.0.1:${port}`, 9093)
  const environment = Object.entries({ ...settings, 'log.dirs': '/var/lib/kafka/data' }).map(
    ([name, value]) => [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, String(value)],
  )
  const container = await containerOf('kafka', kafkaVersion)
    .withExposedPorts({ container: 9092, host: port })
    .withEnvironment(Object.fromEntries(environment))
    // Docker accepts connections before the broker does.
    .withWaitStrategy(Wait.forLogMessage('Kafka Server started'))
    .start()
  return { brokers: [`127.0.0.1:${port}`], stop: async () => void (await container.stop()) }
}

async function startFromMaven(): Promise<Broker> {
  const classpath = await classpathOf(pom, `kafka-${kafkaVersion}`, `-Dkafka.version=${kafkaVersion}`)
  const dir = await mkdtemp(join(tmpdir(), 'farebox-kafka-'))
  const [port, controllerPort] = (await freePorts(2)) as [number, number]
  const config = join(dir, 'server.properties')
  const listener = `PLAINTEXT://127.0.0.1:${port}`
  const settings = { ...settingsOf(listener, listener, controllerPort), 'log.dirs': join(dir, 'data') }
  await writeFile(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  await run('java', ['-cp', classpath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config])

  let alive: JavaProcess | undefined
  const start = async () => {
    alive = await spawnJava(classpath, '-Xmx512m', 'kafka.Kafka', config)
    await until(() => connects(port), `the broker on port ${port}`, 60_000)
  }
  const kill = async () => {
    const killed = alive
    alive = undefined
    await killed?.kill()
  }
  const stop = async () => {
    await kill()
    await rm(dir, { recursive: true, force: true })
  }
  await start()
  return { brokers: [`127.0.0.1:${port}`], stop, kill, start, signal: name => alive?.signal(name) }
}

const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg'

/** Small in every way, and quick at what tests wait for: joining a group, compacting. */
const settingsOf = (listener: string, advertised: string, controllerPort: number) => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
  listeners: `${listener},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': advertised,
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'auto.create.topics.enable': false,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 4,
  'group.initial.rebalance.delay.ms': 0,
  'log.cleaner.backoff.ms': 200,
  'log.cleaner.dedupe.buffer.size': 4194304,
  'num.io.threads': 2,
  'num.network.threads': 2,
})
