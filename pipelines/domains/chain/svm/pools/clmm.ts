/** Raydium's CLMM. Limit orders at ticks are left out, so depth is never too large. */

import type { Bytes } from '../bytes.ts'
import { derivedAddress, i32Be, inOrder } from '../derived-address.ts'
import { clmmProgram } from '../programs.ts'
import { accountMark } from './account-mark.ts'
import { after, groupOf, type MovingFee } from './moving-fee.ts'
import { arrayStarts } from './tick-arrays.ts'
import { type TickChange, tickPool } from './ticks.ts'
import type { Venue } from './venue.ts'

const ticksInArray = 60
const tickBytes = 168
const swapDisabled = 1 << 4

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
    if (liquidity === 0n || sqrtPrice === 0n || data.u8(389) & swapDisabled) return undefined
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
      pool(accounts, { unixSeconds }) {
        const settings = accounts.get(config)
        if (!settings) return undefined
        const feePpm = settings.u32(47)
        const moving = movingFee(data, feePpm, spacing, tick, unixSeconds)
        return tickPool(
          { kind: 'raydium_clmm', address, mints },
          {
            sqrtPrice,
            tick,
            liquidity,
            feePpm,
            ...(moving && { moving }),
            // The pool may take its fee in one token only. Then an input of the other token pays it from the output.
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

/** Undefined if the fee of the pool is fixed. */
function movingFee(
  data: Bytes,
  basePpm: number,
  size: number,
  tick: number,
  nowS: number,
): MovingFee | undefined {
  const filterS = data.u16(1096)
  if (filterS === 0) return undefined
  const volatility = {
    filterS,
    decayS: data.u16(1098),
    reduction: data.u16(1100),
    index: data.i32(1110),
    reference: data.u32(1114),
    accumulated: data.u32(1118),
  }
  const rest = after(nowS - Number(data.u64(1122)), volatility, groupOf(tick, size))
  return { ...rest, basePpm, size, control: data.u32(1102), most: data.u32(1106) }
}

function changesIn(data: Bytes | undefined): TickChange[] {
  if (!data) return []
  return Array.from({ length: ticksInArray }, (_, i) => 44 + i * tickBytes)
    .filter(at => data.u128(at + 20) > 0n)
    .map(at => ({ tick: data.i32(at), net: data.i128(at + 4) }))
}
