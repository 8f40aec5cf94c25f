/** What a wallet has bought from us, with what was given back: for the statement of a payer. */
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { plainAddress } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type AskStore, plainOf, time } from './facts.ts'

export interface PurchasesWanted {
  network: NetworkName
  payer: string
  fromMs: number
  untilMs: number
  most: number
}

export interface PayerPurchase {
  at: string
  request_id: string
  origin: string
  tool: string
  /** Decimal text. */
  price_usdc: string
  pay_to: string
  payment_tx: string | null
  refunded_usdc: string | null
  refund_tx: string | null
}

interface Row extends Omit<PayerPurchase, 'at'> {
  ms: string
}

/** The oldest first. */
export async function purchasesOf(ask: AskStore, wanted: PurchasesWanted): Promise<PayerPurchase[]> {
  const { network, payer, fromMs, untilMs, most } = wanted
  const only = `network = '${networks[network].receipt}' and ${plainOf(network)('payer')} = {payer: String} and at >= ${time('from')} and at < ${time('until')}`
  const rows = await ask<Row>(
    `select toString(toUnixTimestamp64Milli(sale.at)) as ms, sale.request_id as request_id, origin, tool, toString(price_usdc) as price_usdc, pay_to,
      sale.payment_tx as payment_tx, if(back.request_id = '', null, toString(back.amount_usdc)) as refunded_usdc, back.refund_tx as refund_tx
    from (select * from receipts where ${only} order by at, spend_id limit 1 by spend_id limit {most: UInt32}) as sale
    left any join (select request_id, amount_usdc, refund_tx from refunded where request_id global in (select request_id from receipts where ${only})) as back
      on back.request_id = sale.request_id
    order by sale.at, sale.spend_id`,
    { payer: plainAddress(payer), from: String(fromMs), until: String(untilMs), most: String(most) },
  )
  return rows.map(({ ms, ...row }) => ({ at: instant(Number(ms)), ...row }))
}
