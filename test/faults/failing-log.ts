/** A log that cannot take an entry, or takes it and cannot say so: once for each purchase that is to meet with it. */
import type { Log } from '../../pipelines/log/log.ts'
import { tillClaims } from '../../schemas/till-claims.ts'
import { tillIntents } from '../../schemas/till-intents.ts'
import type { LogFault, Plan } from './plan.ts'

/** The log is a class with private fields: what is not altered must be called on itself. */
export function failingLog(log: Log, plan: () => Pick<Plan, 'id' | 'log'> | undefined): Log {
  const failed = new Set<number>()
  return {
    isOwned: log.isOwned,
    follow: (...args) => log.follow(...args),
    watch: (...args) => log.watch(...args),
    end: topic => log.end(topic),
    lag: (...args) => log.lag(...args),
    close: () => log.close(),
    async append(topic, entries) {
      const { id, log: fault } = plan() ?? {}
      const hit = fault && id !== undefined && !failed.has(id) && meets(fault, topic.name, entries[0]?.value)
      if (!hit) return log.append(topic, entries)
      failed.add(id)
      if (fault.endsWith('not told')) await log.append(topic, entries)
      throw new Error('the disk is full')
    },
  }
}

function meets(fault: LogFault, topic: string, value: string | null | undefined): boolean {
  if (fault.startsWith('claim')) return topic === tillClaims.topic.name
  if (topic !== tillIntents.topic.name || !value) return false
  const { step } = JSON.parse(value) as { step: string }
  return step === (fault.startsWith('intent') ? 'intended' : 'settled')
}
