/** A block that is read, and what was read of it. */
import type { Hex } from 'viem'
import type { ContractCall } from './call.ts'
import type { Returned } from './words.ts'

export interface EvmBlock {
  number: number
  atMs: number
  /** Identifies the past of the block: if it changes at the same number, the chain has dropped blocks. */
  parent: Hex
}

/** What one look has read of a node. */
export interface Witnessed {
  block: EvmBlock
  url: string
  calls: readonly ContractCall[]
  returned: readonly Returned[]
}
