import type { Topic } from '../../../schemas/dataset/dataset.ts'

/** Names one group per topic. In a shared group kafkajs gives a member partitions of topics that only others read. */
export const groupIdOf = (topic: Topic, group: string): string => `farebox.${group}.${topic.name}`
