/** How Kafka keeps a topic. */
import type { Topic } from '../../../schemas/dataset/dataset.ts'

export interface TopicSettings {
  topic: string
  numPartitions: number
  replicationFactor: number
  configEntries: { name: string; value: string }[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The largest number of processes of a group that share a topic. */
const partitions = 6

export function settingsOf({ name, keep, inOneOrder = false }: Topic, brokers: number): TopicSettings {
  const settings: Record<string, string | number> = {
    // `at` comes from the log's clock, and not from the process that appends.
    'message.timestamp.type': 'LogAppendTime',
    // As we have packed it: the brokers may be set to pack all topics in a way that we cannot read.
    'compression.type': 'producer',
    ...durability(brokers),
    ...retention(keep),
  }
  return {
    topic: name,
    numPartitions: inOneOrder ? 1 : partitions,
    replicationFactor: Math.min(3, brokers),
    configEntries: entriesOf(settings),
  }
}

const entriesOf = (settings: Record<string, string | number>) =>
  Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }))

/**
 * The settings that a standing topic should get, where it does not keep its records as declared. Every other setting
 * that it has stays, because its operator has made it.
 */
export function renewedSettings(
  { keep }: Topic,
  standing: ReadonlyMap<string, string>,
): TopicSettings['configEntries'] | undefined {
  const declared = new Map(entriesOf(retention(keep)).map(({ name, value }) => [name, value]))
  const isKept = ['cleanup.policy', 'retention.ms'].every(
    name => !declared.has(name) || standing.get(name) === declared.get(name),
  )
  if (isKept) return undefined
  return [...new Map([...standing, ...declared])].map(([name, value]) => ({ name, value }))
}

/** An acknowledgement is no fsync. So two machines must have the record, or a single one must have flushed it. */
const durability = (brokers: number) =>
  brokers >= 3 ? { 'min.insync.replicas': 2 } : { 'min.insync.replicas': 1, 'flush.messages': 1 }

/** Kafka drops whole segments, so a segment covers only a part of the time that Kafka keeps records. */
function retention(keep: Topic['keep']): Record<string, string | number> {
  if (keep === 'forever') return { 'cleanup.policy': 'delete', 'retention.ms': -1, 'retention.bytes': -1 }
  if (keep === 'newest')
    return {
      'cleanup.policy': 'compact',
      'segment.ms': 6 * hourMs,
      'min.cleanable.dirty.ratio': 0.1,
      // Compaction does not wait for groups. A sink has this time to see every state of a key.
      'min.compaction.lag.ms': dayMs,
      'delete.retention.ms': dayMs,
    }
  return {
    'cleanup.policy': 'delete',
    'retention.ms': keep.ms,
    'segment.ms': Math.max(60_000, Math.min(dayMs, Math.floor(keep.ms / 4))),
  }
}
