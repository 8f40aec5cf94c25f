/** A log that fails to take an entry, or takes it and fails to say so: once for each planned purchase. */
import type { Entry, Log } from '../../pipelines/rails/log/log.ts'
import { type TillStep, tillPromises } from '../../schemas/till-promises.ts'
import type { Plan } from './plan.ts'

type Failing = Pick<Plan, 'id' | 'log'>

/** The log is a class with private fields, so unchanged methods must be called on the log itself. */
export function failingLog(log: Log, plan: () => Failing | undefined): Log {
  const failed = new Set<number>()
  /** Outcomes are written later, and for several purchases at once. */
  const plans = new Map<string, Failing>()

  function fails({ value }: Entry): Failing | undefined {
    const { step, spend_id } = JSON.parse(value as string) as TillStep
    const current = plan()
    if (step === 'promised' && current) plans.set(spend_id, current)
    const failing = plans.get(spend_id)
    const what = step === 'promised' ? 'promise' : 'outcome'
    return failing?.log?.startsWith(what) && !failed.has(failing.id) ? failing : undefined
  }

  return {
    isOwned: log.isOwned,
    follow: (...args) => log.follow(...args),
    watch: (...args) => log.watch(...args),
    end: topic => log.end(topic),
    lag: (...args) => log.lag(...args),
    lags: (...args) => log.lags(...args),
    condition: () => log.condition(),
    close: () => log.close(),
    async append(topic, entries) {
      const failing = topic.name === tillPromises.topic.name ? entries.flatMap(each => fails(each) ?? []) : []
      if (failing.length === 0) return log.append(topic, entries)
      for (const { id } of failing) failed.add(id)
      if (failing.some(({ log: fault }) => fault?.endsWith('not told'))) await log.append(topic, entries)
      throw new Error('the disk is full')
    },
  }
}
