/** Refunds of one day beside the transfers that they call paid. */
import { networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../payments/atoms.ts'
import { isLost } from './coverage.ts'
import type { DayWanted, Differing } from './day.ts'
import { type AskStore, plainOf } from './facts.ts'

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

/** A refund goes to an own transaction, so one transfer of its amount shows it. It stands in the books of the wallet that was paid. */
export async function refundsOn(ask: AskStore, wanted: DayWanted): Promise<RefundsFound> {
  const { network, payTo, day, throughMs, readSinceMs, lost } = wanted
  const plain = plainOf(network)
  const rows = await ask<Row>(
    `select refund.request_id as request_id, toFloat64(toUnixTimestamp64Milli(refund.at)) as at_ms, toString(refund.amount_usdc) as amount, refund.payer as payer,
      refund.by as by, refund.tx as tx, toUInt8(refund.is_final) as is_final, toUInt8(moved.tx <> '') as found
    from (
      select request_id, at, amount_usdc, ${plain('r.payer')} as payer, ${plain('refunded_by')} as by, ${plain("ifNull(refund_tx, '')")} as tx, is_final
      from refunded as r where network = '${networks[network].receipt}' and toDate(at) = {day: Date} and request_id global in (
        select request_id from receipts where ${plain('pay_to')} = {payTo: String}
          and request_id global in (select request_id from refunded where toDate(at) = {day: Date})
      )
    ) as refund
    left any join (
      select tx, payer, pay_to, amount from chain_payments where network = '${network}' and not provisional
        and tx in (select ${plain("ifNull(refund_tx, '')")} from refunded where network = '${networks[network].receipt}' and toDate(at) = {day: Date})
    ) as moved on moved.tx = refund.tx and moved.payer = refund.by and moved.pay_to = refund.payer and moved.amount = refund.amount_usdc
    order by request_id`,
    { day, payTo },
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
