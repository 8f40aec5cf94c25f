/** How a network is paid on. Each family of chains has one implementation, and each network a scheme made by it. */
import type { Finding } from '../../../pipelines/chain/finding.ts'
import type { ReceiptNetwork } from '../../../schemas/networks.ts'
import type { Trace } from '../../../schemas/till-promises.ts'
import type { Offer, Spend } from '../till.ts'

export interface Scheme<OwnTrace extends Trace = Trace> {
  /** What the receipt calls the network. */
  network: ReceiptNetwork
  /** Throws Failure 402 when what was presented does not pay the offer. */
  check(payload: Record<string, unknown>, offer: Offer): Promise<Spend>
  /** The spend id of a payload, whether or not it is good; undefined where it has none. */
  spendOf(payload: Record<string, unknown>, asset: string): string | undefined
  /** Asks the chain how a spend ended that was not settled before `sinceMs`. Rejects when the chain cannot tell. */
  find(trace: OwnTrace, sinceMs: number): Promise<Finding>
}

/** By the CAIP-2 id of the network. */
export type Schemes = ReadonlyMap<string, Scheme>
