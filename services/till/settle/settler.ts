/** What one network's part of our own facilitator does, whatever its chain. */
import type { Duties } from '../../../pipelines/rails/duties/duties.ts'
import type { SettleCost } from '../../../schemas/settle-costs.ts'
import type { PaymentOffer, Spend } from '../till.ts'

/** x402's answer to a settlement. A failure that names a transaction leaves the end to the chain. */
export type Settled =
  | { success: true; transaction: string }
  | { success: false; transaction: string; errorReason: string }

export interface Settler {
  /** CAIP-2. */
  network: string
  /** The accounts that pay the fees. */
  signers: readonly string[]
  /** What callers must know to pay here. Undefined while this process can settle nothing on the network. */
  terms(): { feePayer?: string } | undefined
  /** Checks the payment as far as its own words go. Throws a Failure. */
  check(payload: Record<string, unknown>, offer: PaymentOffer): Promise<Spend>
  /** Why the payment would not settle now. Undefined: it would. Rejects if no node can tell. */
  obstacle(spend: Spend): Promise<string | undefined>
  /** Never rejects. */
  settle(spend: Spend): Promise<Settled>
  close(): Promise<void>
}

export interface SettlingOptions {
  rpcUrls: readonly string[]
  keys: readonly string[]
  /** The most that a unit of gas may cost, in wei. */
  mostFee: bigint
  /** For tests: how long the first payment waits for company. */
  windowMs?: number
  /** Runs something in one process of all. */
  alone: Duties['alone']
  now: () => number
  /** Hears what each transaction has cost. */
  spent(cost: SettleCost): void
  onError(error: unknown): void
}

/** A payer whose own transaction has failed gets no fee of ours for so long. */
export const distrustMs = 10 * 60_000

/** Reasons of x402, and one of ours: this process has sent nothing, and another try may work. */
export const reasons = {
  used: 'invalid_exact_evm_nonce_already_used',
  balance: 'invalid_exact_evm_insufficient_balance',
  expired: 'invalid_exact_evm_payload_authorization_valid_before',
  early: 'invalid_exact_evm_payload_authorization_valid_after',
  signature: 'invalid_exact_evm_payload_signature',
  blocked: 'invalid_exact_evm_address_kyt',
  other: 'invalid_exact_evm_transaction_simulation_failed',
  notSent: 'settlement_not_sent',
  pending: 'settlement_pending',
} as const
