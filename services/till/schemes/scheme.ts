/** The rules of payment on a network. Each family of chains has one implementation, which makes a scheme for each network. */
import type { Finding } from '../../../pipelines/domains/payments/finder.ts'
import type { ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { PaymentOffer, Spend } from '../till.ts'

/** A payment in its own words. */
export interface Past {
  trace: Trace
  /** It was not settled before this time. */
  sinceMs: number
  /** After this time the chain does not take it. Undefined if only the chain can say. */
  deadAt: number | undefined
  /** Has its payer signed it? Undefined if only the chain or the payer's contract can say. */
  isSigned(): boolean | undefined
  /** Does it pay this address? */
  pays(payTo: string): boolean
}

export interface Scheme<OwnTrace extends Trace = Trace> {
  /** The network's name in receipts. */
  network: ReceiptNetwork
  /** No payment that we take lives longer. */
  longestLifeMs: number
  /** Throws Failure 402 if the presented payment does not pay the offer. */
  check(payload: Record<string, unknown>, offer: PaymentOffer): Promise<Spend>
  /** The spend id of a payload, whatever its signature is. Undefined: its form is none that this scheme takes. */
  spendOf(payload: Record<string, unknown>): string | undefined
  /** The payload with nothing in it but what pays, as `check` gives it. Undefined: its form is none that this scheme takes. */
  plain(payload: Record<string, unknown>): Record<string, unknown> | undefined
  /** The payload's own words, whatever the current offers are. Undefined if it could never pay. */
  past(payload: Record<string, unknown>): Past | undefined
  /** What the account that pays holds now, in the smallest unit. Rejects if the chain cannot say. */
  heldBy(trace: OwnTrace): Promise<bigint>
  /** Does the chain still take it? Absent if the payment itself contains its end. */
  isLive?(trace: OwnTrace): Promise<boolean>
  /** The name of a new block, for payers who have no node. Absent if payments name none. */
  recentBlockhash?(): Promise<string>
  /**
   * Asks the chain how a spend ended that nobody settled before `sinceMs`. Rejects if the chain cannot say. `tx` is a transaction
   * that is said to have settled the spend.
   */
  find(trace: OwnTrace, sinceMs: number, tx?: string): Promise<Finding>
}

/** The key is the CAIP-2 id of the network. */
export type Schemes = ReadonlyMap<string, Scheme>
