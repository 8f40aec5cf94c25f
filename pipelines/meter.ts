/** Turns settlements into metrics. Sales are counted from the log, not in the process that made them. */
import { readEvent } from '../schemas/dataset.ts'
import { settlements } from '../schemas/settlements.ts'
import type { Log } from './log/log.ts'
import { metrics } from './metrics.ts'
import type { Running } from './running.ts'
import type { Worker } from './worker.ts'

export const startMeter = (log: Log): Promise<Running> =>
  log.follow(settlements.topic, 'meter', batch => {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(settlements, value)
      if (!event) continue
      const { origin, operation, network, state } = event
      metrics.settlements.inc({ origin, operation, network, state })
      if (state === 'settled') metrics.revenue.inc({ origin, operation, network }, Number(event.amount_usdc))
    }
  })

export const meter: Worker = {
  part: 'meter',
  role: 'meter',
  follows: { topic: settlements.topic, group: 'meter' },
  open: ({ log }) => startMeter(log),
}
