/** How a topic is kept by Kafka. */
import type { Topic } from '../../schemas/dataset.ts'

export interface TopicSettings {
  topic: string
  numPartitions: number
  replicationFactor: number
  configEntries: { name: string; value: string }[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A topic is never shared by more processes of a group than this. */
const partitions = 6

export function settingsOf({ name, keep }: Topic, brokers: number): TopicSettings {
  const settings: Record<string, string | number> = {
    // `at` is the log's clock, and not that of whoever appends.
    'message.timestamp.type': 'LogAppendTime',
    ...durability(brokers),
    ...retention(keep),
  }
  return {
    topic: name,
    numPartitions: partitions,
    replicationFactor: Math.min(3, brokers),
    configEntries: Object.entries(settings).map(([name, value]) => ({ name, value: String(value) })),
  }
}

/** An acknowledgement is no fsync: either two machines have it, or the one that has it flushed. */
const durability = (brokers: number) =>
  brokers >= 3 ? { 'min.insync.replicas': 2 } : { 'min.insync.replicas': 1, 'flush.messages': 1 }

/** Kafka drops whole segments, so these are cut to a part of what is kept. */
function retention(keep: Topic['keep']) {
  if (keep === 'forever') return { 'cleanup.policy': 'delete', 'retention.ms': -1, 'retention.bytes': -1 }
  if (keep === 'newest')
    return {
      'cleanup.policy': 'compact',
      'segment.ms': 6 * hourMs,
      'min.cleanable.dirty.ratio': 0.1,
      // Compaction asks no group: a sink has this long to see every state of a key.
      'min.compaction.lag.ms': dayMs,
      'delete.retention.ms': dayMs,
    }
  return {
    'cleanup.policy': 'delete',
    'retention.ms': keep.ms,
    'segment.ms': Math.max(60_000, Math.min(dayMs, Math.floor(keep.ms / 4))),
  }
}
