/** Meteora's DLMM. */
import type { Bytes } from '../bytes.ts'
import { derivedAddress, i64Le, inOrder, u16Le } from '../derived-address.ts'
import { dlmmProgram } from '../programs.ts'
import { accountMark } from './account-mark.ts'
import { type Bin, type BinFee, binPool } from './bins.ts'
import { arrayStarts } from './tick-arrays.ts'
import type { Clock, Venue } from './venue.ts'

/** The base address of pairs that anybody may open, one for each two mints. */
const customizable = 'MFGQxwAmB91SwuYX36okv2Qmdc9aMuHTwWGUrp4AtB1'
const binsInArray = 70
const binBytes = 144

export const dlmm: Venue = {
  kind: 'meteora_dlmm',
  program: dlmmProgram,
  mark: accountMark('LbPair'),

  addresses(a, b, { dlmmPresets }) {
    const [first, second] = inOrder(a, b).map(key => ({ key })) as [{ key: string }, { key: string }]
    return [
      derivedAddress(dlmmProgram, { key: customizable }, first, second),
      ...dlmmPresets.map(preset =>
        'key' in preset
          ? derivedAddress(dlmmProgram, { key: preset.key }, first, second)
          : derivedAddress(dlmmProgram, first, second, u16Le(preset.step), u16Le(preset.factor)),
      ),
    ]
  },

  state(address, data) {
    const [active, step, disabled] = [data.i32(76), data.u16(80), data.flag(82)]
    if (disabled) return undefined
    const mints = [data.key(88), data.key(120)] as const
    const starts = arrayStarts(active, binsInArray)
    const arrays = starts.map(start =>
      derivedAddress(dlmmProgram, 'bin_array', { key: address }, i64Le(start / binsInArray)),
    )
    return {
      kind: 'meteora_dlmm',
      address,
      mints,
      vaults: [data.key(152), data.key(184)],
      needs: arrays,
      pool(accounts, clock) {
        const bins = new Map(arrays.flatMap((at, i) => binsIn(accounts.get(at), starts[i] as number)))
        const held = bins.get(active)?.amounts ?? [0n, 0n]
        // If the active bin is empty, the price of a pair has no meaning.
        if ((held[0] === 0n && held[1] === 0n) || !isActivated(data, clock)) return undefined
        return binPool(
          { kind: 'meteora_dlmm', address, mints },
          {
            active,
            step,
            fee: feeIn(data, clock),
            bins,
            readFrom: starts[0] as number,
            readTo: (starts.at(-1) as number) + binsInArray,
          },
        )
      },
    }
  },
}

/** Pairs of a launch open at a time or at a slot. */
function isActivated(data: Bytes, { slot, unixSeconds }: Clock): boolean {
  const [pairType, bySeconds] = [data.u8(75), data.u8(86) === 1]
  const isGated = pairType === 1 || pairType === 2
  return !isGated || data.u64(816) <= BigInt(bySeconds ? unixSeconds : slot)
}

/** Over time, the program forgets the volatility of the last swap. */
function feeIn(data: Bytes, { unixSeconds }: Clock): BinFee {
  const elapsed = BigInt(unixSeconds) - data.i64(56)
  const rested = elapsed >= BigInt(data.u16(10))
  const decayed = elapsed >= BigInt(data.u16(12))
  const held = BigInt(data.u32(44))
  const reduced = (BigInt(data.u32(40)) * BigInt(data.u16(14))) / 10_000n
  return {
    base: BigInt(data.u16(8)) * BigInt(data.u16(80)) * 10n * 10n ** BigInt(data.u8(34)),
    control: BigInt(data.u32(16)),
    mostVolatility: BigInt(data.u32(20)),
    volatility: !rested ? held : decayed ? 0n : reduced,
    index: rested ? data.i32(76) : data.i32(48),
    secondOnly: data.u8(36) === 1,
  }
}

function binsIn(data: Bytes | undefined, start: number): [number, Bin][] {
  if (!data) return []
  return Array.from({ length: binsInArray }, (_, i) => {
    const at = 56 + i * binBytes
    return [start + i, { amounts: [data.u64(at), data.u64(at + 8)], price: data.u128(at + 16) }]
  })
}
