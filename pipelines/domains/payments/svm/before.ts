/** Whether a transaction landed too early to be a payment for us, by the clock of the chain. */
import { UpstreamFailed } from '../../../rails/failures.ts'
import { isTime, msOf } from '../head.ts'
import type { Rpc } from './rpc.ts'

export type IsBefore = (landed: { blockTime: number | null }) => Promise<boolean>

const marginSeconds = 180

/** If our clock is ahead of the chain's, then or now, our own settlement must not look too old. */
export function isBeforeOf({ rpc, now }: { rpc: Rpc; now: () => number }, sinceMs: number): IsBefore {
  const sinceHere = Math.min(sinceMs, now())
  let onChain: Promise<number> | undefined

  async function sinceOnChain(): Promise<number> {
    const slot = await rpc<number>('getSlot', { commitment: 'finalized' })
    const atMs = msOf(await rpc('getBlockTime', slot))
    if (!isTime(atMs)) throw new UpstreamFailed('a node tells of a slot without time')
    return sinceHere - Math.max(0, now() - atMs)
  }

  return async ({ blockTime }) => {
    if (blockTime === null || blockTime >= secondOf(sinceHere)) return false
    onChain ??= sinceOnChain()
    return blockTime < secondOf(await onChain)
  }
}

/** A transaction of the same second is not older. */
const secondOf = (sinceMs: number): number => Math.floor(sinceMs / 1000) - marginSeconds
