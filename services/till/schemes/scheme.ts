/** How a payment on a network works. Each family of chains has one implementation, which makes a scheme per network. */
import type { Finding } from '../../../pipelines/domains/payments/finder.ts'
import type { ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Offer, Spend } from '../till.ts'

/** A payment as it names itself. */
export interface Past {
  trace: Trace
  /** It was not settled before this. */
  sinceMs: number
  /** The chain does not take it after this. Undefined: only the chain can say. */
  deadAt: number | undefined
  /** Whether its payer has signed it. Undefined: only the chain, or the payer's contract, can say. */
  isSigned(): boolean | undefined
  /** Whether it pays this address. */
  pays(payTo: string): boolean
}

export interface Scheme<OwnTrace extends Trace = Trace> {
  /** What the receipt calls the network. */
  network: ReceiptNetwork
  /** Throws Failure 402 if the presented payment does not pay the offer. */
  check(payload: Record<string, unknown>, offer: Offer): Promise<Spend>
  /** The spend id of a payload, whatever its signature is. Undefined: its form is none that this scheme takes. */
  spendOf(payload: Record<string, unknown>): string | undefined
  /** What a payload says of itself, whatever the offers are now. Undefined: it could never pay. */
  past(payload: Record<string, unknown>): Past | undefined
  /** Whether the chain still takes it. Absent: the payment itself says until when. */
  isLive?(trace: OwnTrace): Promise<boolean>
  /**
   * Asks the chain how a spend ended, which nobody settled before `sinceMs`. Rejects if the chain cannot say. `tx`: somebody
   * says that it settled the spend.
   */
  find(trace: OwnTrace, sinceMs: number, tx?: string): Promise<Finding>
}

/** The key is the CAIP-2 id of the network. */
export type Schemes = ReadonlyMap<string, Scheme>
