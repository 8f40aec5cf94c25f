/** A stablecoin transfer, in the form that every reader returns. */
import type { paymentMethod } from '../../../schemas/chain-payments.ts'

export interface Transfer {
  tx: string
  position: number
  block: number
  atMs: number
  payer: string
  payTo: string
  amount: bigint
  method: (typeof paymentMethod.options)[number]
  facilitator: string | null
  nonce: string | null
}
