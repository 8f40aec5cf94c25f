/** Refunds of one day beside the transfers that they call paid. */
import { networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../payments/atoms.ts'
import { clocksMs, isLost } from './coverage.ts'
import type { DayWanted, Differing } from './day.ts'
import { type AskStore, plainOf, time } from './facts.ts'

interface Row {
  request_id: string
  at_ms: number
  amount: string
  payer: string
  by: string
  tx: string
  is_final: number
  found: number
}

export interface RefundsFound {
  count: number
  usdc: string
  waiting: number
  differences: Differing[]
}

/**
 * A refund goes to an own transaction, so one transfer of its amount shows it. It stands in the books of the wallet that was paid, on the
 * day of its block; where it stands in none, on that of its newest step.
 */
export async function refundsOn(ask: AskStore, wanted: DayWanted): Promise<RefundsFound> {
  const { network, payTo, day, throughMs, readSinceMs, lost } = wanted
  const plain = plainOf(network)
  // No step is told before its block, but clocks differ. A process that was away tells it days later.
  const told = `network = '${networks[network].receipt}' and at >= ${time('told')}`
  const rows = await ask<Row>(
    `select refund.request_id as request_id, toFloat64(toUnixTimestamp64Milli(refund.at)) as at_ms, toString(refund.amount_usdc) as amount, refund.payer as payer,
      refund.by as by, refund.tx as tx, toUInt8(refund.is_final) as is_final, toUInt8(moved.tx <> '') as found
    from (
      select request_id, at, amount_usdc, ${plain('r.payer')} as payer, ${plain('refunded_by')} as by, ${plain("ifNull(refund_tx, '')")} as tx, is_final
      from refunded as r where ${told} and request_id global in (
        select request_id from receipts where ${plain('pay_to')} = {payTo: String}
          and request_id global in (select request_id from refunded where ${told})
      )
    ) as refund
    left any join (
      select at, tx, payer, pay_to, amount from chain_payments where network = '${network}' and not provisional
        and tx in (select ${plain("ifNull(refund_tx, '')")} from refunded where ${told})
    ) as moved on moved.tx = refund.tx and moved.payer = refund.by and moved.pay_to = refund.payer and moved.amount = refund.amount_usdc
    where toDate(if(moved.tx <> '', moved.at, refund.at)) = {day: Date}
    order by request_id`,
    { day, payTo, told: String(Date.parse(`${day}T00:00:00.000Z`) - clocksMs) },
  )
  const found: RefundsFound = { count: rows.length, usdc: '0', waiting: 0, differences: [] }
  let atoms = 0n
  for (const row of rows) {
    atoms += atomsOf(row.amount)
    // Before that, nobody read what the accounts of refunds send.
    if (row.found || row.at_ms < readSinceMs || isLost(lost, row.at_ms)) continue
    if (!row.is_final || throughMs < row.at_ms) found.waiting++
    else found.differences.push(unseen(row, day))
  }
  found.usdc = fromAtoms(atoms, networks[network].decimals)
  return found
}

const unseen = ({ tx, by, payer, amount, request_id, at_ms }: Row, day: string): Differing => ({
  ...{ kind: 'no_refund', day, tx, payer: by, pay_to: payer, chain_usdc: '0', books_usdc: amount },
  ...{ times: 1, method: null, request_id, moved_at: instant(at_ms) },
})
