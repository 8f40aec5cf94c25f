import { expect, it } from 'vitest'
import {
  constantProductOut,
  fallLimit,
  midOf,
  pairDepth,
} from '../../../../pipelines/domains/chain/evm/curves.ts'
import { coin, dollar } from '../../../../pipelines/domains/chain/evm/market.ts'
import type { ConcentratedPool, PairPool } from '../../../../pipelines/domains/chain/evm/pools.ts'

const address = '0x4200000000000000000000000000000000000006'
const usdc = dollar('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
const base = { address, factory: address, token: address, quote: usdc, fee: 3000, tokenIsZero: true } as const
const pair = (
  reserveToken: bigint,
  reserveQuote: bigint,
  kind: PairPool['kind'] = 'uniswap_v2',
): PairPool => ({
  ...base,
  form: 'pair',
  kind,
  reserveToken,
  reserveQuote,
})
const pool = (sqrtPriceX96: bigint, tokenIsZero: boolean, quote = usdc): ConcentratedPool => ({
  ...base,
  quote,
  form: 'concentrated',
  kind: 'uniswap_v3',
  tokenIsZero,
  sqrtPriceX96,
  averageTick: null,
})
const ether = 10n ** 18n

it('the mid price of a pair is that of its reserves, in units', () => {
  expect(midOf(pair(200n * ether, 100_000_000n), 18).toFixed()).toBe('0.5')
  expect(midOf(pair(2n * 10n ** 30n, 1n), 30).toFixed()).toBe('0.0000005')
})

it('the mid price of a concentrated pool is right from both sides', () => {
  // 2^96 is one atom for one atom.
  const one = 2n ** 96n
  expect(midOf(pool(one, true, coin('WETH', address)), 18).toFixed()).toBe('1')
  expect(midOf(pool(2n * one, true, coin('WETH', address)), 18).toFixed()).toBe('4')
  expect(midOf(pool(2n * one, false, coin('WETH', address)), 18).toFixed()).toBe('0.25')
})

it('the depth of a constant product is the amount that moves the price by 2 %', () => {
  const before = pair(1_000_000n * ether, 1_000_000_000_000n)
  const depth = pairDepth(before, 18)
  const out = BigInt(depth.mul(1e6).toFixed(0))
  const reserveQuote = before.reserveQuote - out
  const after = pair((before.reserveToken * before.reserveQuote) / reserveQuote, reserveQuote)
  expect(midOf(after, 18).toNumber()).toBeCloseTo(0.98, 6)
})

it('a stable pool holds its price: near balance it is many times deeper', () => {
  const stable = pair(1_000_000n * ether, 1_000_000_000_000n, 'solidly_stable')
  expect(midOf(stable, 18).toNumber()).toBeCloseTo(1, 9)
  const depth = pairDepth(stable, 18).toNumber()
  expect(depth / pairDepth(pair(stable.reserveToken, stable.reserveQuote), 18).toNumber()).toBeGreaterThan(10)
  expect(depth).toBeLessThan(1_000_000)
})

it('the fall of a concentrated pool ends at 98 % of its price, from both sides', () => {
  const root = 2n ** 96n
  expect(Number(fallLimit(pool(root, true))) / 2 ** 96).toBeCloseTo(Math.sqrt(0.98), 12)
  expect(Number(fallLimit(pool(root, false))) / 2 ** 96).toBeCloseTo(1 / Math.sqrt(0.98), 12)
})

it('constant product pays as its contract computes', () => {
  // (1000 * 997 * 10000) / (10000 * 1000 + 1000 * 997) = 906
  const each = pair(10_000n, 10_000n)
  expect(constantProductOut(each, 'buy', 1000n)).toBe(906n)
  expect(constantProductOut(each, 'sell', 1000n)).toBe(906n)
})
