/**
 * Pools of bins, each with its own price: Meteora DLMM. Limit orders within bins are left out, so depth is never too
 * large.
 */
import { ceilDiv, type Ratio, type Reached, type Side, type SvmPool, type Swapped } from './pool.ts'

interface Bins {
  active: number
  /** The difference in price from bin to bin, in ten-thousandths. */
  step: number
  fee: BinFee
  bins: ReadonlyMap<number, Bin>
  readFrom: number
  /** The first bin after the part that was read. */
  readTo: number
}

export interface Bin {
  amounts: readonly [bigint, bigint]
  /** One atom of the first mint in atoms of the second, with 64 binary places. */
  price: bigint
}

export interface BinFee {
  /** In billionths. */
  base: bigint
  control: bigint
  mostVolatility: bigint
  volatility: bigint
  index: number
  /** The fee of an input of the first mint is taken from the output. */
  secondOnly: boolean
}

const priceBits = 64n
const billion = 1_000_000_000n
const mostFee = 100_000_000n

export function binPool(names: Pick<SvmPool, 'kind' | 'address' | 'mints'>, bins: Bins): SvmPool {
  return {
    ...names,
    feePpm: Number(feeAt(bins, bins.active)) / 1000,
    price: { over: binPrice(bins, bins.active), under: 1n << priceBits },
    swap: (into, amount) => swap(bins, into, amount),
    reach: (into, dearer) => reach(bins, into, dearer),
  }
}

/** The fee grows with the distance that the swap itself has moved the price. */
function feeAt({ fee, step }: Bins, bin: number): bigint {
  const moved = fee.volatility + BigInt(Math.abs(fee.index - bin)) * 10_000n
  const volatility = moved < fee.mostVolatility ? moved : fee.mostVolatility
  const scaled = (volatility * BigInt(step)) ** 2n * fee.control
  const total = fee.base + ceilDiv(scaled, 100_000_000_000n)
  return total < mostFee ? total : mostFee
}

function swap(bins: Bins, into: Side, amount: bigint): Swapped {
  let [left, out] = [amount, 0n]
  const ofOut = into === 0 && bins.fee.secondOnly
  for (const { at, held, price } of onTheWay(bins, into)) {
    if (left === 0n) break
    const fee = feeAt(bins, at)
    const full = costOf(held, price, into)
    const gross = full + (ofOut ? 0n : ceilDiv(full * fee, billion - fee))
    if (left > gross) {
      left -= gross
      out += held - (ofOut ? ceilDiv(held * fee, billion) : 0n)
      continue
    }
    const net = left - (ofOut ? 0n : ceilDiv(left * fee, billion))
    const bought = into === 0 ? (net * price) >> priceBits : (net << priceBits) / price
    const most = bought < held ? bought : held
    out += most - (ofOut ? ceilDiv(most * fee, billion) : 0n)
    left = 0n
  }
  return { used: amount - left, out }
}

function reach(bins: Bins, into: Side, { over, under }: Ratio): Reached {
  const from = binPrice(bins, bins.active)
  let [input, out] = [0n, 0n]
  for (const { held, price } of onTheWay(bins, into)) {
    const beyond = into === 1 ? price * under > from * over : price * over < from * under
    if (beyond) return { input, out, cut: false }
    input += costOf(held, price, into)
    out += held
  }
  return { input, out, cut: true }
}

/** The bins from the active one on, with the amounts that they give for this side. */
function* onTheWay({ bins, active, readFrom, readTo, step }: Bins, into: Side) {
  for (let at = active; at >= readFrom && at < readTo; at += into === 0 ? -1 : 1) {
    const bin = bins.get(at)
    yield { at, held: bin?.amounts[into === 0 ? 1 : 0] ?? 0n, price: bin?.price || priceOf(at, step) }
  }
}

const costOf = (held: bigint, price: bigint, into: Side): bigint =>
  into === 0 ? ceilDiv(held << priceBits, price) : ceilDiv(held * price, 1n << priceBits)

const binPrice = (bins: Bins, at: number): bigint => bins.bins.get(at)?.price || priceOf(at, bins.step)

const bits = 192n
const one = 1n << bits

function priceOf(bin: number, step: number): bigint {
  let [power, product] = [one + (one * BigInt(step)) / 10_000n, one]
  for (let left = Math.abs(bin); left > 0; left >>= 1) {
    if (left & 1) product = (product * power) >> bits
    power = (power * power) >> bits
  }
  return (bin < 0 ? (one << bits) / product : product) >> (bits - priceBits)
}
