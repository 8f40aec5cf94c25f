/** A wallet that pays for a call as a customer does, and asks the chain what became of its own payment. */
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Finding } from './finder.ts'

/** What an offer of a quote asks for. */
interface PaymentTerms {
  payTo: string
  amount: bigint
  maxTimeoutSeconds: number
  /** On Solana: who pays the fee. */
  feePayer: string | undefined
}

export interface OwnPayment {
  /** The payload of the x402 payment. */
  payload: object
  trace: Trace
}

export interface PayingWallet {
  address: string
  sign(terms: PaymentTerms): Promise<OwnPayment>
  /** By the nonce, or the message, of this payment alone. No other transfer is taken for it, however alike. */
  find(trace: Trace, sinceMs: number, tx?: string): Promise<Finding>
}

export interface WalletOptions {
  key: string
  rpcUrls: readonly string[]
  now: () => number
}
