/** Turns settlements into metrics. Sales are counted from the log, not in the process that made them. */
import { readEvent } from '../schemas/dataset.ts'
import { networks } from '../schemas/networks.ts'
import { settlementState, settlements } from '../schemas/settlements.ts'
import type { Log } from './log/log.ts'
import { metrics } from './metrics.ts'
import type { Running } from './running.ts'
import type { Sold, Worker, WorkerNeeds } from './worker.ts'

/** The log may tell a state twice; the second time comes long before this many others. */
const rememberedStates = 200_000

interface MeterNeeds {
  log: Pick<Log, 'follow' | 'end'>
  sold: readonly Sold[]
  networks: WorkerNeeds['networks']
}

export async function startMeter({ log, sold, networks: open }: MeterNeeds): Promise<Running> {
  beginAtZero(sold, new Set(open.map(({ name }) => networks[name].receipt)))
  // What was sold before this start was counted by the process before. To count it here would be a jump.
  const begun = await log.end(settlements.topic)
  const counted = new Set<string>()

  return log.follow(settlements.topic, 'meter', batch => {
    for (const { value, partition, offset } of batch) {
      if (offset < (begun.get(partition) ?? 0n)) continue
      const { event } = value === null ? {} : readEvent(settlements, value)
      if (!event) continue
      const { origin, operation, network, state } = event
      const step = `${event.spend_id} ${state}`
      if (counted.has(step)) continue
      counted.add(step)
      if (counted.size > rememberedStates) counted.delete(counted.values().next().value as string)
      metrics.settlements.inc({ origin, operation, network, state })
      if (state === 'settled') metrics.revenue.inc({ origin, operation, network }, Number(event.amount_usdc))
    }
  })
}

/** A counter that is born with its first sale hides that sale: Prometheus sees no increase. */
function beginAtZero(sold: readonly Sold[], paidOn: ReadonlySet<string>): void {
  for (const { origin, operation } of sold)
    for (const network of paidOn) {
      metrics.revenue.inc({ origin, operation, network }, 0)
      for (const state of settlementState.options)
        metrics.settlements.inc({ origin, operation, network, state }, 0)
    }
}

export const meter: Worker = {
  part: 'meter',
  role: 'meter',
  follows: { topic: settlements.topic, group: 'meter' },
  open: startMeter,
}
