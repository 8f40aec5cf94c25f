/** The sale of a request, as its settlements tell it. */
import { type ReceiptNetwork, receiptNetworks } from '../../../schemas/tables/networks.ts'
import { atomsOf } from '../../domains/payments/atoms.ts'
import type { PaidSale } from '../../domains/payments/refund.ts'
import type { Store } from '../../rails/store/store.ts'

export interface SaleFound extends PaidSale {
  network: ReceiptNetwork
  amountUsdc: string
}

interface Row {
  network: string
  amount: string
  payer: string
  pay_to: string
  tx: string | null
  position: number | null
  last: string
  /** As in `taken_back`; empty: its chain never took it back. */
  taken: string
  standing: string
}

const credited = "state in ('settled', 'confirmed')"
const sales = `
  select spend_id, network, toString(amount_usdc) as amount, payer, pay_to,
    argMaxIf(payment_tx, (state = 'confirmed', at), ${credited}) as tx,
    argMaxIf(payment_position, (state = 'confirmed', at), ${credited}) as position,
    argMaxIf(state, (at, state = 'confirmed'), state in ('settled', 'confirmed', 'refuted')) as last
  from settlements where request_id = {id: String} and network <> 'none'
  group by spend_id, network, amount_usdc, payer, pay_to
  having countIf(${credited}) > 0`
/** A reorganisation may have moved a sale to another transaction. */
const moved = `
  select spend_id, argMax(toString(state), at) as taken, argMax(ifNull(standing_tx, ''), at) as standing
  from taken_back where request_id = {id: String} group by spend_id`
const sql = `
  select network, amount, payer, pay_to, tx, position, last, taken, standing
  from (${sales}) as sale left join (${moved}) as moved on moved.spend_id = sale.spend_id`

/** A text says why it is nothing to pay back. Undefined: there is no such sale, or not yet. */
export async function saleOf(store: Store, requestId: string): Promise<SaleFound | string | undefined> {
  const [row, another] = await store.query<Row>(sql, { id: requestId })
  if (!row) return undefined
  if (another) return 'several sales have this request'
  if (row.taken === 'lost') return 'its chain has taken the payment back for good'
  if (row.last === 'refuted') return 'the chain denies the payment'
  const network = receiptNetworks.find(name => name === row.network)
  const amount = atomsOf(row.amount)
  const isMoved = row.taken === 'settled_again' && row.standing !== '' && row.standing !== row.tx
  if (!network || !row.tx || amount <= 0n) return 'nothing was paid'
  return {
    ...{ network, amount, amountUsdc: row.amount },
    ...{ payer: row.payer, payTo: row.pay_to, tx: isMoved ? row.standing : row.tx },
    position: isMoved || row.position === null ? null : Number(row.position),
  }
}
