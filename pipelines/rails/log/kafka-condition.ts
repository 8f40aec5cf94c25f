/** Reads from the metadata of a cluster whether its brokers are there and its copies are up to date. */
import type { Metadata, PartitionMetadata } from './kafkajs-inside.ts'
import type { LogCondition } from './log.ts'

export function conditionIn({ brokers, topicMetadata }: Metadata): LogCondition {
  const present = new Set(brokers.map(({ nodeId }) => nodeId))
  // A broker that is away stands in no list of brokers, but its copies are still its own.
  const known = new Set(present)
  for (const { partitionMetadata } of topicMetadata)
    for (const { replicas } of partitionMetadata) for (const id of replicas) known.add(id)
  return {
    brokers: { known: known.size, present: present.size },
    partitions: topicMetadata.map(({ topic, partitionMetadata }) => ({
      topic,
      behind: partitionMetadata.filter(isBehind).length,
      leaderless: partitionMetadata.filter(({ leader }) => leader < 0).length,
    })),
  }
}

const isBehind = ({ isr, replicas }: PartitionMetadata): boolean => isr.length < replicas.length
