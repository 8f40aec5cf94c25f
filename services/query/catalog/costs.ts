/** How log and store keep each dataset, as their declarations say. */
import { settingsOf } from '../../../pipelines/log/kafka-topics.ts'
import { expirySql } from '../../../pipelines/store/ddl.ts'
import type { Dataset, Topic } from '../../../schemas/dataset.ts'

/** Of a cluster. A single broker replicates nothing, and flushes every message. */
const brokers = 3

export const costsTable = (datasets: readonly Dataset[]): string =>
  [
    '| dataset | topic | partitions x copies | the log keeps | order of the table | codecs | the store keeps |',
    '|---|---|---|---|---|---|---|',
    ...datasets.map(rowOf),
  ].join('\n')

function rowOf(dataset: Dataset): string {
  const { numPartitions, replicationFactor } = settingsOf(dataset.topic, brokers)
  const topic = [dataset.topic.name, `${numPartitions} x ${replicationFactor}`, keptOf(dataset.topic)]
  const cells = [`\`${dataset.name}\``, ...topic, ...tableOf(dataset)]
  return `| ${cells.join(' | ')} |`
}

function tableOf(dataset: Dataset): [order: string, codecs: string, kept: string] {
  if (dataset.audience === 'log') return ['no table', '', '']
  const codecs = Object.entries(dataset.fields).flatMap(([name, { codec }]) =>
    codec ? `${name}: ${codec}` : [],
  )
  const { partitionBy } = dataset.table
  const kept = expirySql(dataset) ? `${dataset.table.expires?.days} days` : 'for ever'
  return [dataset.identity.join(', '), codecs.join('; '), partitionBy ? `${kept}, by ${partitionBy}` : kept]
}

function keptOf({ keep }: Topic): string {
  if (keep === 'newest') return 'the newest of each key'
  if (keep === 'forever') return 'for ever'
  const hours = keep.ms / 3_600_000
  return hours === 1 ? '1 hour' : hours < 72 ? `${hours} hours` : `${hours / 24} days`
}
