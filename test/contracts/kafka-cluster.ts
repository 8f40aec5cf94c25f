/** Three real Kafka nodes on this machine, each a broker and a controller. Tests kill, freeze and cut them off. */
import { freePorts, hasMaven } from './java.ts'
import { type KafkaNode, mavenNode } from './kafka-node.ts'

export interface Cluster {
  nodes: KafkaNode[]
  /** The part of LOG_URL after `kafka://`. */
  brokers: string[]
  stop(): Promise<void>
}

const ids = [1, 2, 3]

/** A broker that is silent for three seconds counts as dead: its partitions move, and nobody waits for its copies. */
export const clusterSettings = {
  'broker.session.timeout.ms': 3000,
  'broker.heartbeat.interval.ms': 500,
  'controller.quorum.fetch.timeout.ms': 1000,
  'controller.quorum.election.timeout.ms': 500,
  'offsets.topic.replication.factor': 3,
  'default.replication.factor': 3,
  'min.insync.replicas': 2,
}

/** With KAFKA_TESTS=required, a missing cluster is an error. */
export async function startCluster(): Promise<Cluster | { skipped: string }> {
  if (!(await hasMaven())) {
    const skipped = 'no Kafka cluster: no mvn with Java 17 is here'
    if (process.env.KAFKA_TESTS === 'required') throw new Error(skipped)
    return { skipped }
  }
  const ports = await freePorts(2 * ids.length)
  const places = ids.map((id, i) => ({
    id,
    port: ports[2 * i] as number,
    controllerPort: ports[2 * i + 1] as number,
  }))
  const voters = places.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`)
  const options = { voters, heapMb: 256, isShortLived: true, settings: clusterSettings }
  const nodes = await Promise.all(places.map(place => mavenNode({ ...place, ...options })))
  await Promise.all(nodes.map(node => node.start()))
  return {
    nodes,
    brokers: nodes.map(({ address }) => address),
    stop: async () => {
      await Promise.all(nodes.map(node => node.remove()))
    },
  }
}
