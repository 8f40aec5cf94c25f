/** What a key for gas works with, in all its parts. */
import type { EvmFinder } from '../../../pipelines/domains/payments/evm/finder.ts'
import type { EvmSender, evmAccountOf } from '../../../pipelines/domains/payments/evm/sender.ts'
import type { Bounded } from '../../../pipelines/rails/bounded.ts'
import type { Numbers } from './numbers.ts'
import type { Queue } from './queue.ts'

export interface LaneParts {
  network: string
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
  onError(error: unknown): void
}
