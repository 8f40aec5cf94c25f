/** One Kafka node from Maven, in its own folder: the only broker of a test, or one of a cluster. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { classpathOf, connects, type JavaProcess, quickStart, run, spawnJava } from './java.ts'

export interface KafkaNode {
  /** Its address for clients. */
  address: string
  /** Kills it, as a power cut does. */
  kill(): Promise<void>
  /** Starts it again on the same data. */
  start(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Kills it and removes its data. */
  remove(): Promise<void>
}

export interface NodeOptions {
  id: number
  port: number
  controllerPort: number
  /** `<id>@<host>:<port>` of every controller. */
  voters: string[]
  heapMb: number
  /** The node starts faster, but runs slower. */
  isShortLived?: boolean
  settings?: Record<string, string | number | boolean>
  /** Names and secrets that SCRAM knows. */
  scram?: Readonly<Record<string, string>>
}

export const kafkaVersion = process.env.KAFKA_VERSION ?? '4.4.0'
export const clusterId = 'MkU3OEVBNTcwNTJENDM2Qg'
const pom = new URL('kafka/pom.xml', import.meta.url).pathname

/** Formats a node. `start` runs it. */
export async function mavenNode({
  id,
  port,
  controllerPort,
  heapMb,
  ...options
}: NodeOptions): Promise<KafkaNode> {
  const classpath = await classpathOf(pom, `kafka-${kafkaVersion}`, `-Dkafka.version=${kafkaVersion}`)
  const dir = await mkdtemp(join(tmpdir(), 'farebox-kafka-'))
  const config = join(dir, 'server.properties')
  const listener = `PLAINTEXT://127.0.0.1:${port}`
  const settings = {
    ...smallSettings(id, listener, listener, controllerPort, options.voters),
    'log.dirs': join(dir, 'data'),
    ...options.settings,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(config, lines.join(''))
  const known = Object.entries(options.scram ?? {}).flatMap(([name, secret]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap(by => [
      '--add-scram',
      `${by}=[name=${name},password=${secret}]`,
    ]),
  )
  const formatting = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', config, ...known]
  await run('java', ['-Xmx128m', ...quickStart, '-cp', classpath, ...formatting])

  let alive: JavaProcess | undefined
  const kill = async () => {
    const killed = alive
    alive = undefined
    await killed?.kill()
  }
  return {
    address: `127.0.0.1:${port}`,
    kill,
    start: async () => {
      const jvm = [`-Xmx${heapMb}m`, ...(options.isShortLived ? quickStart : [])]
      alive = await spawnJava(classpath, ...jvm, 'kafka.Kafka', config)
      await until(() => connects(port), `the broker on port ${port}`, 60_000)
    },
    signal: name => alive?.signal(name),
    remove: async () => {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** A small broker that is fast at joins to a group and at compaction. */
export const smallSettings = (
  id: number,
  listener: string,
  advertised: string,
  controllerPort: number,
  voters: readonly string[],
) => ({
  'process.roles': 'broker,controller',
  'node.id': id,
  'controller.quorum.voters': voters.join(','),
  listeners: `${listener},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': advertised,
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'auto.create.topics.enable': false,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 2,
  'group.initial.rebalance.delay.ms': 0,
  'log.cleaner.backoff.ms': 200,
  'log.cleaner.dedupe.buffer.size': 4194304,
  'num.io.threads': 2,
  'num.network.threads': 2,
})
