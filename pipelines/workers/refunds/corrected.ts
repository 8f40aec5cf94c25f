/** Orders what the rule for corrected facts says: a payer has shown that what he bought was corrected by its source. */

import { type SaleCorrected, salesCorrected } from '../../../schemas/sales-corrected.ts'
import { NotReady } from '../../rails/failures.ts'
import { eventsIn } from '../../rails/log/events.ts'
import type { Log } from '../../rails/log/log.ts'
import type { Running } from '../../rails/running.ts'
import type { Store } from '../../rails/store/store.ts'
import type { Refunder } from './refunder.ts'
import type { RefundRule } from './rules.ts'

interface Needs {
  log: Pick<Log, 'follow'>
  store: () => Promise<Store>
  refunder: Pick<Refunder, 'orderByRule'>
  rules: readonly RefundRule[]
  group: string
  onFailed(name: string, error: unknown): void
}

/** A receipt is signed anew with each replay, for seven days after the sale. */
const sql = `
  select distinct request_id, toString(toDate(at)) as day from receipts
  where at between parseDateTime64BestEffort({issued: String}, 3) - interval 8 day and parseDateTime64BestEffort({issued: String}, 3) + interval 1 hour
    and network = {network: String} and tool = {operation: String} and payment_tx = {tx: String} and lower(payer) = lower({payer: String})
  limit 2`

export function followCorrected({
  log,
  store,
  refunder,
  rules,
  group,
  onFailed,
}: Needs): Promise<Running> | undefined {
  const rule = rules.find(({ because }) => because === 'corrected')
  if (!rule) return undefined
  const order = async (sale: SaleCorrected): Promise<void> => {
    if (rule.operations && !rule.operations.includes(sale.operation)) return
    const { network, operation, payment_tx: tx, payer, issued_at: issued } = sale
    const rows = await (await store()).query<{ request_id: string; day: string }>(sql, {
      ...{ network, operation, tx, payer, issued },
    })
    const [only, another] = rows
    // A transaction may hold several sales to one payer. Which one was corrected, nobody can tell here: an operator can.
    if (another) return onFailed('corrected', new NotReady(`several sales of ${operation} stand in ${tx}`))
    // Who brings his receipt again later is heard again.
    if (!only) return onFailed('corrected', new NotReady(`the store has not got the sale in ${tx} yet`))
    if (only.day < rule.since) return
    await refunder.orderByRule(only.request_id, 'corrected', 'its source has corrected a fact of the answer')
  }
  return log.follow(salesCorrected.topic, group, async batch => {
    for (const { event } of eventsIn(salesCorrected, batch)) await order(event)
  })
}
