/** Whether a transaction landed before anybody could have sent it for us, by the clock of the chain. */
import type { Rpc } from './rpc.ts'

export type IsBefore = (landed: { blockTime: number | null }) => Promise<boolean>

const marginSeconds = 180

/** A clock of ours that is ahead of the chain's, then or now, must not make our own settlement look too old. */
export function isBeforeOf({ rpc, now }: { rpc: Rpc; now: () => number }, sinceMs: number): IsBefore {
  const sinceHere = Math.min(sinceMs, now())
  let onChain: Promise<number> | undefined

  async function sinceOnChain(): Promise<number> {
    const slot = await rpc<number>('getSlot', { commitment: 'finalized' })
    const atMs = (await rpc<number>('getBlockTime', slot)) * 1000
    return sinceHere - Math.max(0, now() - atMs)
  }

  return async ({ blockTime }) => {
    if (blockTime === null || blockTime >= secondOf(sinceHere)) return false
    onChain ??= sinceOnChain()
    return blockTime < secondOf(await onChain)
  }
}

/** What has landed in the same second is not older. */
const secondOf = (sinceMs: number): number => Math.floor(sinceMs / 1000) - marginSeconds
