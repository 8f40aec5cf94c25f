/** What a key for gas works with, in all its parts. */
import type { EvmFinder } from '../../../pipelines/domains/payments/evm/finder.ts'
import type { EvmSender, evmAccountOf } from '../../../pipelines/domains/payments/evm/sender.ts'
import type { Bounded } from '../../../pipelines/rails/bounded.ts'
import type { SettleCost } from '../../../schemas/settle-costs.ts'
import type { EvmNetworkName } from '../../../schemas/tables/networks.ts'
import type { Numbers } from './numbers.ts'
import type { Queue } from './queue.ts'

export interface LaneParts {
  network: EvmNetworkName
  account: ReturnType<typeof evmAccountOf>
  sender: EvmSender
  finder: EvmFinder
  queue: Queue
  /** Payers that have starved or failed a transaction. */
  starvers: Bounded<number>
  mostFee: bigint
  /** Has any key of the network enough for a payment? */
  canAnyPay(): boolean
  /** The numbers of this key's transactions. */
  numbers: Numbers
  blockMs: number
  now: () => number
  /** Hears what each transaction has cost. */
  spent(cost: SettleCost): void
  onError(error: unknown): void
}
