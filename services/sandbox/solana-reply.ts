/** The parts that all calls of the sandbox's Solana node share. */
import { type Address, address } from '@solana/kit'
import type { SolanaChain } from './solana-chain.ts'

export type Params = readonly unknown[]
export type Methods = Record<string, (chain: SolanaChain, params: Params) => unknown>

export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const withContext = (chain: SolanaChain, value: unknown) => ({
  context: { apiVersion: '3.0.0', slot: chain.slot },
  value,
})

export function addressOf(text: unknown): Address {
  try {
    return address(String(text))
  } catch {
    throw new RpcError(-32602, 'Invalid param: not an address')
  }
}
