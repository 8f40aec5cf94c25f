/** The log for a process of some roles. It allows only the rights of these roles, and rejects records that cannot be read. */

import type { Role } from '../../pipelines/rails/environment/roles.ts'
import type { Handle, Log } from '../../pipelines/rails/log/log.ts'
import { type Reject, rejecting } from '../../pipelines/rails/log/rejection.ts'
import { metrics } from '../../pipelines/rails/metrics.ts'
import { type Dataset, readEvent, type Topic } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { rejects } from '../../schemas/rejects.ts'
import { tillOpen } from '../../schemas/till-open.ts'
import { tillPromises } from '../../schemas/till-promises.ts'
import { tillSecrets } from '../../schemas/till-secrets.ts'
import { rightsOf } from './rights.ts'

interface OwnLogOptions {
  now: () => number
  onError(error: unknown): void
}

/**
 * The till reads these topics itself: an unreadable record may be a promise, and a reject must not show a secret. The sink rejects
 * the records of tables, and other readers skip them. Nobody else would report the records of all other topics.
 */
const ofTill: ReadonlySet<string> = new Set([tillPromises, tillOpen, tillSecrets].map(({ name }) => name))
const screened = new Map<string, Dataset>(
  datasets
    .filter(({ audience, name }) => audience === 'log' && !ofTill.has(name))
    .map(dataset => [dataset.topic.name, dataset]),
)

export function ownLog(log: Log, of: readonly Role[], options: OwnLogOptions): Log {
  const names = (what: 'reads' | 'writes') =>
    new Set(of.flatMap(role => rightsOf[role][what]).map(({ name }) => name))
  const [reads, writes] = [names('reads'), names('writes')]
  const groups = new Set(
    of.flatMap(role => rightsOf[role].groups).map(({ topic, group }) => `${group} ${topic.name}`),
  )
  const may = (allowed: ReadonlySet<string>, does: string, name: string) => {
    if (!allowed.has(name))
      throw new Error(`the role ${of.join(',')} ${does} ${name}: services/roles/rights.ts says no`)
  }
  const mayRead = ({ name }: Topic) => may(reads, 'reads', name)
  const mayFollow = ({ name }: Topic, group: string) => may(groups, 'follows', `${group} ${name}`)
  const reject = writes.has(rejects.topic.name) ? rejecting({ log, ...options }) : counting(options)
  return {
    isOwned: log.isOwned,
    append: async (topic, entries) => {
      may(writes, 'writes', topic.name)
      await log.append(topic, entries)
    },
    follow: async (topic, group, handle, ...asked) => {
      mayFollow(topic, group)
      return log.follow(topic, group, readable(topic, handle, reject), ...asked)
    },
    watch: async (topic, handle, ...asked) => {
      mayRead(topic)
      return log.watch(topic, readable(topic, handle, reject), ...asked)
    },
    end: async topic => {
      mayRead(topic)
      return log.end(topic)
    },
    lag: async (topic, group) => {
      mayFollow(topic, group)
      return log.lag(topic, group)
    },
    lags: async (topic, group) => {
      mayFollow(topic, group)
      return log.lags(topic, group)
    },
    condition: () => log.condition(),
    close: () => log.close(),
  }
}

function readable({ name }: Topic, handle: Handle, reject: Reject): Handle {
  const dataset = screened.get(name)
  if (!dataset) return handle
  return async batch => {
    const good = batch.filter(record => {
      const { reason } = record.value === null ? {} : readEvent(dataset, record.value)
      if (reason === undefined) return true
      reject(record, reason, record.value ?? '')
      return false
    })
    if (good.length) await handle(good)
  }
}

/** Counts a bad record, for a role that may not write to the rejects. */
const counting =
  ({ onError }: OwnLogOptions): Reject =>
  ({ topic, partition, offset }, reason) => {
    metrics.sinkRejects.inc({ topic })
    onError(new Error(`${topic}: the record ${partition}/${offset} cannot be read: ${reason}`))
  }
