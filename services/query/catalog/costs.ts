/** How the log and the store keep each dataset, according to its declaration. */
import { settingsOf } from '../../../pipelines/rails/log/kafka-topics.ts'
import { expirySql } from '../../../pipelines/rails/store/ddl.ts'
import type { Dataset, Topic } from '../../../schemas/dataset/dataset.ts'
import measured from '../../../schemas/measured-sizes.json' with { type: 'json' }

/** The number in a cluster. A single broker replicates nothing and flushes every message. */
const brokers = 3

export const costsTable = (datasets: readonly Dataset[]): string =>
  [
    '| dataset | topic | partitions x copies | the log keeps | bytes a record | order of the table | codecs | bytes a row | the store keeps |',
    '|---|---|---|---|---:|---|---|---:|---|',
    ...datasets.map(rowOf),
  ].join('\n')

function rowOf(dataset: Dataset): string {
  const { numPartitions, replicationFactor } = settingsOf(dataset.topic, brokers)
  const topic = [dataset.topic.name, `${numPartitions} x ${replicationFactor}`, keptOf(dataset.topic)]
  const { record, row } = sizeOf(dataset.name)
  const [order, codecs, kept] = tableOf(dataset)
  const cells = [`\`${dataset.name}\``, ...topic, record ?? '', order, codecs, row ?? '', kept]
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
  if (hours < 1) return `${hours * 60} minutes`
  return hours === 1 ? '1 hour' : hours < 72 ? `${hours} hours` : `${hours / 24} days`
}

interface Size {
  record?: number
  row?: number
}
const sizeOf = (name: string): Size => (measured as Record<string, Size>)[name] ?? {}

/** The measured sizes of sales and polls in log and store. */
export function sizesTable(sources: readonly { schedule: string }[]): string {
  const sales = 2_000_000
  const polls = sources.reduce((sum, { schedule }) => sum + timesADay(schedule), 0)
  const line = (what: string, count: number, name: string) => {
    const { record = 0, row = 0 } = sizeOf(name)
    return `| ${what} | ${megabytes(count * record)} | ${megabytes(count * row)} |`
  }
  return [
    '| what | log, times the copies | store |',
    '|---|---:|---:|',
    line('a million paid calls: two `settlements` each', sales, 'settlements'),
    line('a million polls: `source_ticks`', 1e6, 'source_ticks'),
    line(`a day of polls: ${polls.toLocaleString('en')} at most, of all sources`, polls, 'source_ticks'),
  ].join('\n')
}

const megabytes = (bytes: number): string => {
  const size = bytes / 1e6
  return `${size < 10 ? size.toFixed(1) : Math.round(size).toLocaleString('en')} MB`
}

/** Counts how often a cron schedule is due in a day, from its fields for seconds, minutes and hours. */
function timesADay(schedule: string): number {
  const fields = schedule.split(' ')
  const [seconds = '0', minutes = '', hours = ''] = fields.length === 6 ? fields : ['0', ...fields]
  return timesIn(seconds, 60) * timesIn(minutes, 60) * timesIn(hours, 24)
}

function timesIn(field: string, range: number): number {
  if (field === '*') return range
  const [, step] = /^\*\/(\d+)$/.exec(field) ?? []
  return step ? Math.floor(range / Number(step)) : field.split(',').length
}
