import { describe, expect, it } from 'vitest'
import { Bytes } from '../../../../../pipelines/domains/chain/svm/bytes.ts'
import { derivedAddress, u16Le } from '../../../../../pipelines/domains/chain/svm/derived-address.ts'
import { after, feeIn } from '../../../../../pipelines/domains/chain/svm/pools/moving-fee.ts'
import { sqrtPriceAt } from '../../../../../pipelines/domains/chain/svm/pools/tick-price.ts'
import { tickPool } from '../../../../../pipelines/domains/chain/svm/pools/ticks.ts'
import { whirlpool } from '../../../../../pipelines/domains/chain/svm/pools/whirlpool.ts'
import {
  usdcMint,
  whirlpoolProgram,
  wrappedSol,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { whirlpoolAccounts } from '../../../../../services/sandbox/solana-whirlpool.ts'
import { account } from './account-writer.ts'
import { newKey } from './solana.ts'

const names = { kind: 'whirlpool', address: 'x', mints: ['a', 'b'] } as const
const L = 10n ** 15n
const clock = { slot: 1, epoch: 0n, unixSeconds: 10_000 }
const flat = {
  sqrtPrice: sqrtPriceAt(0),
  tick: 0,
  liquidity: L,
  feePpm: 0,
  changes: [{ tick: 100, net: -L }],
  readFrom: -1000,
  readTo: 1000,
}

describe('the price at a tick', () => {
  it('is a ten-thousandth higher than at the tick before', () => {
    expect(sqrtPriceAt(0)).toBe(1n << 64n)
    for (const tick of [-443_636, -20_000, -1, 1, 4321, 443_636]) {
      const price = (Number(sqrtPriceAt(tick)) / 2 ** 64) ** 2
      expect(Math.abs(price / 1.0001 ** tick - 1)).toBeLessThan(1e-9)
    }
  })
})

describe('a pool of ticks', () => {
  it('uses at most its liquidity, and says so', () => {
    const { used, out } = tickPool(names, flat).swap(1, 10n ** 20n)
    // L (√p - 1) goes in, and L (1 - 1/√p) comes out.
    expect(Number(used) / (1e15 * (1.0001 ** 50 - 1))).toBeCloseTo(1, 9)
    expect(Number(out) / (1e15 * (1 - 1.0001 ** -50))).toBeCloseTo(1, 9)
    expect(tickPool(names, { ...flat, changes: [] }).reach(1, { over: 2n, under: 1n }).cut).toBe(true)
  })

  it('takes its fee from the input, or from the output', () => {
    const amount = 10n ** 9n
    const whole = tickPool(names, flat).swap(1, amount).out
    const ofInput = tickPool(names, { ...flat, feePpm: 10_000 }).swap(1, amount).out
    const ofOutput = tickPool(names, { ...flat, feePpm: 10_000, feeOnOut: 1 }).swap(1, amount).out
    expect(Number(ofInput) / Number(whole)).toBeCloseTo(0.99, 6)
    expect(Number(ofOutput) / Number(whole)).toBeCloseTo(0.99, 6)
  })

  it('takes a fee that grows while the swap moves the price', () => {
    const moving = { basePpm: 1000, control: 10_000, size: 10, most: 60_000, volatility: 0, index: 0 }
    const [small, large] = [10n ** 9n, 10n ** 13n / 3n]
    const still = tickPool(names, { ...flat, feePpm: 1000 })
    const grows = tickPool(names, { ...flat, feePpm: 1000, moving })
    expect(grows.feePpm).toBe(1000)
    expect(grows.swap(1, small)).toEqual(still.swap(1, small))
    // Over six groups the fee is that of the group, and there it stays: 1000 + 10,000 (10 × 60,000)² / 10^13.
    expect([0, 1, 6, 7].map(group => feeIn(moving, group))).toEqual([1000n, 1010n, 1360n, 1360n])
    const [less, more] = [grows.swap(1, large).out, still.swap(1, large).out]
    const paid = Number(more - less) / Number(more)
    expect(paid).toBeGreaterThan(0.0001)
    expect(paid).toBeLessThan(0.00036)
  })
})

describe('the volatility left by an earlier swap', () => {
  const earlier = {
    filterS: 30,
    decayS: 600,
    reduction: 5000,
    accumulated: 40_000,
    reference: 30_000,
    index: 7,
  }
  it.for([
    [10, { volatility: 30_000, index: 7 }],
    [30, { volatility: 20_000, index: 9 }],
    [600, { volatility: 0, index: 9 }],
  ] as const)('after %i s', ([seconds, left]) => {
    expect(after(seconds, earlier, 9)).toEqual(left)
  })
})

describe('the arrays of a Whirlpool', () => {
  const sample = {
    mints: [wrappedSol, usdcMint],
    spacing: 8,
    feePpm: 3000,
    sqrtPrice: sqrtPriceAt(0),
    tick: 0,
    positions: [
      { from: -80, to: 64, liquidity: 10n ** 12n },
      { from: -8, to: 800, liquidity: 3n * 10n ** 12n },
    ],
  } as const

  it('have the same content in the form that holds only ticks in use', () => {
    const laid = whirlpoolAccounts(sample)
    const [pool] = laid
    const read = (form: (data: Uint8Array) => Uint8Array) =>
      whirlpool
        .state(pool?.address as string, new Bytes(pool?.data as Uint8Array))
        ?.pool(new Map(laid.slice(1).map(({ address, data }) => [address, new Bytes(form(data))])), clock)
    const [fixed, dynamic] = [read(data => data), read(dynamicForm)]
    for (const side of [0, 1] as const)
      for (const amount of [10n ** 9n, 10n ** 12n])
        expect(dynamic?.swap(side, amount)).toEqual(fixed?.swap(side, amount))
    expect(fixed?.swap(1, 10n ** 10n).out).toBeGreaterThan(0n)
  })

  it('are not read if the pool has no liquidity: its price has no meaning', () => {
    const [pool] = whirlpoolAccounts({ ...sample, tick: 900, sqrtPrice: sqrtPriceAt(900) })
    expect(whirlpool.state(pool?.address as string, new Bytes(pool?.data as Uint8Array))).toBeUndefined()
  })

  /** An unused tick takes one byte, and a used one 113. */
  function dynamicForm(data: Uint8Array): Uint8Array {
    if (data.length !== 9988) return data
    const ticks = Array.from({ length: 88 }, (_, i) => data.subarray(12 + i * 113, 125 + i * 113))
    const head = account(60, { 0: { mark: 'DynamicTickArray' } })
    head.set(data.subarray(8, 12), 8)
    return Buffer.concat([head, ...ticks.map(tick => (tick[0] ? tick : tick.subarray(0, 1)))])
  }
})

describe('a Whirlpool with an adaptive fee', () => {
  const tier = 1027
  const settings = { adaptiveTiers: [tier], clmmConfigs: [], cpmmConfigs: [], dlmmPresets: [] }
  const at = newKey()
  const data = account(653, {
    41: { u16: 64 },
    43: { u16: tier },
    45: { u16: 3000 },
    49: { u128: L },
    65: { u128: sqrtPriceAt(0) },
    101: { key: wrappedSol },
    181: { key: usdcMint },
  })
  const oracle = derivedAddress(whirlpoolProgram, 'oracle', { key: at })
  const poolWith = (opensAt: bigint) =>
    whirlpool.state(at, new Bytes(data))?.pool(
      new Map([
        [
          oracle,
          new Bytes(
            account(254, {
              40: { u64: opensAt },
              48: { u16: 30 },
              50: { u16: 600 },
              52: { u16: 5000 },
              54: { u32: 10_000 },
              58: { u32: 350_000 },
              62: { u16: 64 },
              82: { u64: 9900n },
              90: { u64: 9900n },
              106: { u32: 40_000 },
            }),
          ),
        ],
      ]),
      clock,
    )

  it('is found by its tier, and its fee is read from its oracle', () => {
    expect(whirlpool.addresses(wrappedSol, usdcMint, settings)).toHaveLength(12)
    expect(whirlpool.state(at, new Bytes(data))?.needs).toContain(oracle)
    // Half of the volatility is left after 100 s: 3000 + 10,000 (64 × 20,000)² / 10^13.
    expect(poolWith(0n)?.feePpm).toBe(3000 + 1639)
  })

  it('is left out before it opens, and without its oracle', () => {
    expect(poolWith(10_001n)).toBeUndefined()
    expect(whirlpool.state(at, new Bytes(data))?.pool(new Map(), clock)).toBeUndefined()
    const fixed = Buffer.from(data)
    fixed.set(u16Le(64), 43)
    expect(whirlpool.state(at, new Bytes(fixed))?.pool(new Map(), clock)?.feePpm).toBe(3000)
  })
})
