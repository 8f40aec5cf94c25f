/** A log that fails to take an entry, or takes it and fails to say so: once for each planned purchase. */
import type { Entry, Log } from '../../pipelines/rails/log/log.ts'
import { type TillStep, tillPromises } from '../../schemas/till-promises.ts'
import { sameLog } from '../same-log.ts'
import type { Plan } from './plan.ts'

type Failing = Pick<Plan, 'id' | 'log'>

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

  return sameLog(log, {
    async append(topic, entries) {
      const failing = topic.name === tillPromises.topic.name ? entries.flatMap(each => fails(each) ?? []) : []
      if (failing.length === 0) return log.append(topic, entries)
      for (const { id } of failing) failed.add(id)
      if (failing.some(({ log: fault }) => fault?.endsWith('not told'))) await log.append(topic, entries)
      throw new Error('the disk is full')
    },
  })
}
