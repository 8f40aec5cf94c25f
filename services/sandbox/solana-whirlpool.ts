/** Writes the accounts of a Whirlpool with the same bytes as its program: its state, its tick arrays and its vaults. */
import { type Address, address, getAddressEncoder } from '@solana/kit'
import { derivedAddress, inOrder, u16Le } from '../../pipelines/domains/chain/svm/derived-address.ts'
import { accountMark } from '../../pipelines/domains/chain/svm/pools/account-mark.ts'
import { sqrtPriceAt } from '../../pipelines/domains/chain/svm/pools/tick-price.ts'
import { whirlpoolProgram, whirlpoolsConfig } from '../../pipelines/domains/chain/svm/programs.ts'
import { tokenData, tokenProgram, withTokenAmount } from './solana-token.ts'

export interface WhirlpoolPosition {
  from: number
  to: number
  liquidity: bigint
}

interface WhirlpoolSample {
  mints: readonly [string, string]
  spacing: number
  feePpm: number
  sqrtPrice: bigint
  tick: number
  /** Their ends are multiples of the spacing. */
  positions: readonly WhirlpoolPosition[]
}

interface Laid {
  address: Address
  programAddress: Address
  data: Uint8Array
}

const ticksInArray = 88
const tickBytes = 113
const arrayBytes = 9988
const poolBytes = 653
/** More than the positions are worth, because a reader must not take the vaults for the pool's depth. */
const inVaults = 1_000_000_000_000_000n

export function whirlpoolAccounts(sample: WhirlpoolSample): Laid[] {
  const [first, second] = inOrder(...sample.mints)
  const seeds = [{ key: whirlpoolsConfig }, { key: first }, { key: second }]
  const at = derivedAddress(whirlpoolProgram, 'whirlpool', ...seeds, u16Le(sample.spacing))
  const vaults = ['vault a', 'vault b'].map(name => derivedAddress(whirlpoolProgram, name, { key: at }))
  const programAddress = address(whirlpoolProgram)
  return [
    { address: address(at), programAddress, data: poolData(sample, [first, second], vaults) },
    ...arraysOf(sample).map(({ start, data }) => {
      data.set(bytesOf(at), arrayBytes - 32)
      const place = derivedAddress(whirlpoolProgram, 'tick_array', { key: at }, String(start))
      return { address: address(place), programAddress, data }
    }),
    ...vaults.map((vault, i) => ({
      address: address(vault),
      programAddress: tokenProgram,
      data: withTokenAmount(tokenData(address([first, second][i] as string), address(at)), inVaults),
    })),
  ]
}

/** The tick at a price, by the program's own rule. */
export function tickAt(sqrtPrice: bigint): number {
  let [low, high] = [-443_636, 443_636]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sqrtPriceAt(middle) <= sqrtPrice) low = middle
    else high = middle - 1
  }
  return low
}

const bytesOf = (key: string) => getAddressEncoder().encode(address(key)) as Uint8Array

function poolData(sample: WhirlpoolSample, mints: readonly string[], vaults: readonly string[]): Uint8Array {
  const data = Buffer.alloc(poolBytes)
  const { spacing, feePpm, sqrtPrice, tick, positions } = sample
  data.set(accountMark('Whirlpool'), 0)
  data.set(bytesOf(whirlpoolsConfig), 8)
  data.writeUInt16LE(spacing, 41)
  data.writeUInt16LE(spacing, 43)
  data.writeUInt16LE(feePpm, 45)
  const inRange = positions.filter(({ from, to }) => from <= tick && tick < to)
  writeWide(
    data,
    49,
    inRange.reduce((sum, { liquidity }) => sum + liquidity, 0n),
  )
  writeWide(data, 65, sqrtPrice)
  data.writeInt32LE(tick, 81)
  for (const [i, from] of [101, 181].entries()) {
    data.set(bytesOf(mints[i] as string), from)
    data.set(bytesOf(vaults[i] as string), from + 32)
  }
  return data
}

/** The array of the price and two on each side exist even if no position ends there. */
function arraysOf({ spacing, tick, positions }: WhirlpoolSample): { start: number; data: Buffer }[] {
  const span = spacing * ticksInArray
  const startOf = (at: number) => Math.floor(at / span) * span
  const arrays = new Map<number, Buffer>()
  const arrayAt = (start: number) => {
    const known = arrays.get(start)
    if (known) return known
    const data = Buffer.alloc(arrayBytes)
    data.set(accountMark('TickArray'), 0)
    data.writeInt32LE(start, 8)
    arrays.set(start, data)
    return data
  }
  for (let i = -2; i <= 2; i++) arrayAt(startOf(tick) + i * span)
  for (const { from, to, liquidity } of positions)
    for (const [end, net] of [
      [from, liquidity],
      [to, -liquidity],
    ] as const) {
      const data = arrayAt(startOf(end))
      const at = 12 + ((end - startOf(end)) / spacing) * tickBytes
      data[at] = 1
      writeWide(data, at + 1, BigInt.asUintN(128, net + wideAt(data, at + 1)))
      writeWide(data, at + 17, liquidity + wideAt(data, at + 17))
    }
  return [...arrays].map(([start, data]) => ({ start, data }))
}

function writeWide(data: Buffer, at: number, value: bigint): void {
  data.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, at)
  data.writeBigUInt64LE(value >> 64n, at + 8)
}

const wideAt = (data: Buffer, at: number): bigint =>
  data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
