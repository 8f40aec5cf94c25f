/** Orca's Whirlpool. */
import type { Bytes } from '../bytes.ts'
import { derivedAddress, inOrder, u16Le } from '../derived-address.ts'
import { whirlpoolProgram, whirlpoolsConfig } from '../programs.ts'
import { accountMark } from './account-mark.ts'
import { after, groupOf, type MovingFee } from './moving-fee.ts'
import { arrayStarts } from './tick-arrays.ts'
import { type TickChange, tickPool } from './ticks.ts'
import type { Venue } from './venue.ts'

/** The spacings for which Orca has fixed fees. The last spans all prices. */
const spacings = [1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 32_896]
const ticksInArray = 88
const tickBytes = 113

const dynamicArray = Buffer.from(accountMark('DynamicTickArray'))

export const whirlpool: Venue = {
  kind: 'whirlpool',
  program: whirlpoolProgram,
  mark: accountMark('Whirlpool'),

  addresses(a, b, { adaptiveTiers }) {
    const [first, second] = inOrder(a, b)
    return [...spacings, ...adaptiveTiers].map(tier =>
      derivedAddress(
        whirlpoolProgram,
        'whirlpool',
        { key: whirlpoolsConfig },
        { key: first },
        { key: second },
        u16Le(tier),
      ),
    )
  },

  state(address, data) {
    const [spacing, tick] = [data.u16(41), data.i32(81)]
    const [liquidity, sqrtPrice, feePpm] = [data.u128(49), data.u128(65), data.u16(45)]
    // Without liquidity at the current price, the price of a pool has no meaning.
    if (liquidity === 0n || sqrtPrice === 0n) return undefined
    const mints = [data.key(101), data.key(181)] as const
    const span = spacing * ticksInArray
    // The address of a pool with a fixed fee follows from its spacing, that of one with an adaptive fee from its
    // tier.
    const oracle =
      data.u16(43) === spacing ? undefined : derivedAddress(whirlpoolProgram, 'oracle', { key: address })
    const starts = arrayStarts(tick, span)
    const arrays = starts.map(start =>
      derivedAddress(whirlpoolProgram, 'tick_array', { key: address }, String(start)),
    )
    return {
      kind: 'whirlpool',
      address,
      mints,
      vaults: [data.key(133), data.key(213)],
      needs: [...arrays, ...(oracle ? [oracle] : [])],
      pool(accounts, { unixSeconds }) {
        const adapting = oracle && accounts.get(oracle)
        // Its oracle has the begin of trading, and the adaptation of its fee.
        if (oracle && (!adapting || adapting.u64(40) > BigInt(unixSeconds))) return undefined
        return tickPool(
          { kind: 'whirlpool', address, mints },
          {
            sqrtPrice,
            tick,
            liquidity,
            feePpm,
            ...(adapting && { moving: movingFee(adapting, feePpm, tick, unixSeconds) }),
            changes: arrays.flatMap((at, i) => changesIn(accounts.get(at), starts[i] as number, spacing)),
            readFrom: starts[0] as number,
            readTo: (starts.at(-1) as number) + span,
          },
        )
      },
    }
  },
}

/** Older volatility is forgotten in any case. */
const oldestS = 3600

function movingFee(oracle: Bytes, basePpm: number, tick: number, nowS: number): MovingFee {
  const [size, referredS, swappedS] = [oracle.u16(62), Number(oracle.u64(82)), Number(oracle.u64(90))]
  const volatility = {
    filterS: oracle.u16(48),
    decayS: oracle.u16(50),
    reduction: oracle.u16(52),
    reference: oracle.u32(98),
    index: oracle.i32(102),
    accumulated: oracle.u32(106),
  }
  const elapsedS = nowS - referredS > oldestS ? volatility.decayS : nowS - Math.max(referredS, swappedS)
  const rest = after(elapsedS, volatility, groupOf(tick, size))
  return { ...rest, basePpm, size, control: oracle.u32(54), most: oracle.u32(58) }
}

/** An array that nobody has opened has no account and no changes. */
function changesIn(data: Bytes | undefined, start: number, spacing: number): TickChange[] {
  if (!data) return []
  const isDynamic = dynamicArray.equals(data.data.subarray(0, 8))
  const changes: TickChange[] = []
  let at = isDynamic ? 60 : 12
  for (let i = 0; i < ticksInArray; i++) {
    const isUsed = data.flag(at)
    if (isUsed) changes.push({ tick: start + i * spacing, net: data.i128(at + 1) })
    at += isDynamic && !isUsed ? 1 : tickBytes
  }
  return changes
}
