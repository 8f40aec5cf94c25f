/** What a chain must do to pay a sale back: show that the sale was paid, fix a transfer before it is sent, send it, and find it. */
import type { z } from 'zod'
import type { refundTrace } from '../../../schemas/refunds.ts'
import { type Kind, sign, type TypedMessage } from '../../rails/signing/eip712.ts'

export type RefundTrace = z.output<typeof refundTrace>

/** A sale, as its settlement tells it. */
export interface PaidSale {
  payer: string
  payTo: string
  amount: bigint
  tx: string
  /** Null as long as the chain was not asked for the place of its transfer. */
  position: number | null
}

/** `pending`: not final yet, or not shown now. `several`: nobody can tell yet which transfer is its own. */
export type SalePayment = { position: number } | 'pending' | 'unpaid' | 'several'

/** Why nothing can be sent. Only `no account` is not mended by waiting. `unread`: a node still looks for a refund of before. */
export type RefundObstacle = 'balance' | 'gas' | 'no account' | 'unread' | 'other'

export type RefundEnd = { tx: string } | 'dead' | 'open'

/** When the first and this try were written. A chain is asked from the one or the other on, by what a try is on it. */
export interface Tries {
  firstMs: number
  thisMs: number
}

export interface RefundChain {
  /** The address that pays. */
  address: string
  payment(sale: PaidSale): Promise<SalePayment>
  /**
   * Fixes all that will be sent. Whatever happens afterwards, the chain takes it once at most. `landed`: the chain shows a refund of
   * this sale, which the log has forgotten.
   */
  prepare(
    sale: PaidSale & { position: number },
  ): Promise<RefundTrace | { obstacle: RefundObstacle } | { landed: string }>
  /** Safe to call again: what it sends is what was prepared. */
  send(trace: RefundTrace): Promise<void>
  /** `dead`: it moved nothing and never will. */
  endOf(trace: RefundTrace, tries: Tries): Promise<RefundEnd>
  /** No reorganisation takes this transaction back. */
  isFinal(tx: string): Promise<boolean>
  /** What it has cost, in coins of the chain. Undefined where no node says so. */
  feeOf(tx: string): Promise<string | undefined>
}

export const refundKind: Kind = {
  domain: 'Farebox refund',
  name: 'Refund',
  fields: {
    version: 'uint256',
    requestId: 'string',
    network: 'string',
    asset: 'string',
    amount: 'string',
    payer: 'string',
    payment: 'string',
    transaction: 'string',
    issuedAt: 'uint256',
  },
}

export const signedRefund = (payload: TypedMessage, key: string) => ({
  format: 'eip712',
  payload,
  signature: sign(refundKind, payload, key),
})
