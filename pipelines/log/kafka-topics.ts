/** How Kafka keeps a topic. */
import type { Topic } from '../../schemas/dataset.ts'

export interface TopicSettings {
  topic: string
  numPartitions: number
  replicationFactor: number
  configEntries: { name: string; value: string }[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** At most so many processes of a group share a topic. */
const partitions = 6

export function settingsOf({ name, keep, inOneOrder = false }: Topic, brokers: number): TopicSettings {
  const settings: Record<string, string | number> = {
    // `at` is the log's clock, and not that of the process that appends.
    'message.timestamp.type': 'LogAppendTime',
    ...durability(brokers),
    ...retention(keep),
  }
  return {
    topic: name,
    numPartitions: inOneOrder ? 1 : partitions,
    replicationFactor: Math.min(3, brokers),
    configEntries: Object.entries(settings).map(([name, value]) => ({ name, value: String(value) })),
  }
}

/** An acknowledgement is no fsync. So two machines have the record, or the one that has it has flushed it. */
const durability = (brokers: number) =>
  brokers >= 3 ? { 'min.insync.replicas': 2 } : { 'min.insync.replicas': 1, 'flush.messages': 1 }

/** Kafka drops whole segments, so a segment is a part of the time that records are kept. */
function retention(keep: Topic['keep']) {
  if (keep === 'forever') return { 'cleanup.policy': 'delete', 'retention.ms': -1, 'retention.bytes': -1 }
  if (keep === 'newest')
    return {
      'cleanup.policy': 'compact',
      'segment.ms': 6 * hourMs,
      'min.cleanable.dirty.ratio': 0.1,
      // Compaction waits for no group. A sink has this long to see every state of a key.
      'min.compaction.lag.ms': dayMs,
      'delete.retention.ms': dayMs,
    }
  return {
    'cleanup.policy': 'delete',
    'retention.ms': keep.ms,
    'segment.ms': Math.max(60_000, Math.min(dayMs, Math.floor(keep.ms / 4))),
  }
}
