/** Raydium's CLMM. Limit orders at ticks are left out, so depth is never too large. */

import type { Bytes } from '../bytes.ts'
import { derivedAddress, i32Be, inOrder } from '../derived-address.ts'
import { clmmProgram } from '../programs.ts'
import { accountMark } from './account-mark.ts'
import { arrayStarts } from './tick-arrays.ts'
import { type TickChange, tickPool } from './ticks.ts'
import type { Venue } from './venue.ts'

const ticksInArray = 60
const tickBytes = 168
const swapDisabled = 1 << 4
const mostFeePpm = 100_000

export const clmm: Venue = {
  kind: 'raydium_clmm',
  program: clmmProgram,
  mark: accountMark('PoolState'),

  addresses(a, b, { clmmConfigs }) {
    const [first, second] = inOrder(a, b)
    return clmmConfigs.map(config =>
      derivedAddress(clmmProgram, 'pool', { key: config }, { key: first }, { key: second }),
    )
  },

  state(address, data) {
    const [config, spacing, tick] = [data.key(9), data.u16(235), data.i32(269)]
    const [liquidity, sqrtPrice] = [data.u128(237), data.u128(253)]
    if (sqrtPrice === 0n || data.u8(389) & swapDisabled) return undefined
    const mints = [data.key(73), data.key(105)] as const
    const span = spacing * ticksInArray
    const starts = arrayStarts(tick, span)
    const arrays = starts.map(start =>
      derivedAddress(clmmProgram, 'tick_array', { key: address }, i32Be(start)),
    )
    const feeOn = data.u8(390)
    return {
      kind: 'raydium_clmm',
      address,
      mints,
      vaults: [data.key(137), data.key(169)],
      needs: [config, ...arrays],
      pool(accounts) {
        const settings = accounts.get(config)
        if (!settings) return undefined
        return tickPool(
          { kind: 'raydium_clmm', address, mints },
          {
            sqrtPrice,
            tick,
            liquidity,
            feePpm: Math.min(settings.u32(47) + movedFeePpm(data, spacing), mostFeePpm),
            // The fee may be taken in one token only: then an input of the other pays it of what comes out.
            ...(feeOn === 1 && { feeOnOut: 1 as const }),
            ...(feeOn === 2 && { feeOnOut: 0 as const }),
            changes: arrays.flatMap(at => changesIn(accounts.get(at))),
            readFrom: starts[0] as number,
            readTo: (starts.at(-1) as number) + span,
          },
        )
      },
    }
  },
}

/** Of a pool whose fee grows while the price moves: its part as of the last swap. */
function movedFeePpm(data: Bytes, spacing: number): number {
  const at = 1096
  if (data.u16(at) === 0) return 0
  const [control, volatility] = [BigInt(data.u32(at + 6)), BigInt(data.u32(at + 22))]
  const crossed = volatility * BigInt(spacing)
  return Number((control * crossed * crossed + 9_999_999_999_999n) / 10_000_000_000_000n)
}

function changesIn(data: Bytes | undefined): TickChange[] {
  if (!data) return []
  return Array.from({ length: ticksInArray }, (_, i) => 44 + i * tickBytes)
    .filter(at => data.u128(at + 20) > 0n)
    .map(at => ({ tick: data.i32(at), net: data.i128(at + 4) }))
}
