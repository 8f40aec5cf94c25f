/** Orca's Whirlpool. */
import type { Bytes } from '../bytes.ts'
import { derivedAddress, inOrder, u16Le } from '../derived-address.ts'
import { whirlpoolProgram, whirlpoolsConfig } from '../programs.ts'
import { accountMark } from './account-mark.ts'
import { arrayStarts } from './tick-arrays.ts'
import { type TickChange, tickPool } from './ticks.ts'
import type { Venue } from './venue.ts'

/** Those that Orca has fee tiers for. The last spans all prices. */
const spacings = [1, 2, 4, 8, 16, 32, 64, 96, 128, 256, 32_896]
const ticksInArray = 88
const tickBytes = 113

const dynamicArray = Buffer.from(accountMark('DynamicTickArray'))

export const whirlpool: Venue = {
  kind: 'whirlpool',
  program: whirlpoolProgram,
  mark: accountMark('Whirlpool'),

  addresses(a, b) {
    const [first, second] = inOrder(a, b)
    return spacings.map(spacing =>
      derivedAddress(
        whirlpoolProgram,
        'whirlpool',
        { key: whirlpoolsConfig },
        { key: first },
        { key: second },
        u16Le(spacing),
      ),
    )
  },

  state(address, data) {
    const [spacing, tick] = [data.u16(41), data.i32(81)]
    const [liquidity, sqrtPrice, feePpm] = [data.u128(49), data.u128(65), data.u16(45)]
    if (sqrtPrice === 0n) return undefined
    const mints = [data.key(101), data.key(181)] as const
    const span = spacing * ticksInArray
    const starts = arrayStarts(tick, span)
    const arrays = starts.map(start =>
      derivedAddress(whirlpoolProgram, 'tick_array', { key: address }, String(start)),
    )
    return {
      kind: 'whirlpool',
      address,
      mints,
      vaults: [data.key(133), data.key(213)],
      needs: arrays,
      pool: accounts =>
        tickPool(
          { kind: 'whirlpool', address, mints },
          {
            sqrtPrice,
            tick,
            liquidity,
            feePpm,
            changes: arrays.flatMap((at, i) => changesIn(accounts.get(at), starts[i] as number, spacing)),
            readFrom: starts[0] as number,
            readTo: (starts.at(-1) as number) + span,
          },
        ),
    }
  },
}

/** An array that nobody opened has no account and no changes. */
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
