/** Prices beside pools that somebody has moved, and trades that a wallet cannot make, on a real anvil. */
import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChains } from '../../../../pipelines/domains/chain/open-chains.ts'
import type { Operation } from '../../../../services/offer/operation.ts'
import { chainCheck } from '../../../../services/origins/chain/check.ts'
import { chainPortfolio } from '../../../../services/origins/chain/portfolio.ts'
import { chainPretrade } from '../../../../services/origins/chain/pretrade.ts'
import { chainPrice } from '../../../../services/origins/chain/price.ts'
import { dollars, type Market, startMarket, usdc, weth } from '../../../pipelines/domains/chain/market.ts'
import { startUpstream } from '../../../upstream.ts'
import { asking } from './asking.ts'

const ether = 10n ** 18n
const highest = 1461446703485210103287273052203988822378723970341n
const wallet = '0x00000000000000000000000000000000000b0b50'
const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function swap(uint256 out0, uint256 out1, address to, bytes data)',
])
const observing = parseAbi(['function increaseObservationCardinalityNext(uint16 next)'])

let market: Market
let token: Address
let pair: Address
let coined: Address
beforeAll(async () => {
  market = await startMarket()
  token = await market.deploy('Plain')
  pair = await market.v2Pool(token, 1_000_000n * ether, usdc, dollars(1_000_000))
  await market.call(weth, 'deposit', []).catch(() => undefined)
  coined = await market.deploy('Plain')
  await market.v2Pool(coined, 3_000n * ether, weth, 20n * ether)
  await market.call(token, 'transfer', [wallet, 50n * ether])
})
afterAll(() => market?.close())

const ask = (operation: Operation, question: Record<string, unknown>, urls = [market.rpcUrl]) =>
  asking(
    operation,
    { chain: 'base', ...question },
    openChains({ base: { urls, perSecond: 100_000 } }, Date.now),
  )
const codes = (warnings: readonly { code: string }[]) => warnings.map(({ code }) => code).sort()

/** Buys the token of a pair until its reserve of dollars is this many times what it was. */
async function pumped(at: Address, of: Address, times: bigint) {
  const [first, second] = await market.client.readContract({ address: at, abi, functionName: 'getReserves' })
  const isZero = BigInt(of) < BigInt(usdc)
  const [tokens, quotes] = isZero ? [first, second] : [second, first]
  const amountIn = quotes * (times - 1n)
  const after = amountIn * 997n
  const out = (after * tokens) / (quotes * 1000n + after)
  await market.call(usdc, 'transfer', [at, amountIn])
  const args = isZero ? ([out, 0n, market.me, '0x'] as const) : ([0n, out, market.me, '0x'] as const)
  await market.send(at, encodeFunctionData({ abi, functionName: 'swap', args }))
}

describe('a wallet that holds less than goes into the trade', () => {
  const trade = { wallet, amount_usd: 500_000 }

  it('is told so: in danger where it sells, with care where it buys', async () => {
    const sale = await ask(chainPretrade, { ...trade, token, side: 'sell' })
    expect(sale.warnings).toContainEqual({
      code: 'exceeds_holding',
      severity: 'danger',
      evidence: 'the wallet holds 50 PLN, and $500000 are 500000 PLN',
    })
    const purchase = await ask(chainPretrade, { ...trade, token, side: 'buy' })
    expect(purchase.warnings).toContainEqual({
      code: 'exceeds_holding',
      severity: 'caution',
      evidence: 'the wallet holds 0 USDC, and $500000 are 500000 USDC',
    })
  })

  it('hears nothing where it holds enough, and its native coin counts where a router wraps it', async () => {
    const sale = await ask(chainPretrade, { wallet, token, amount_usd: 50, side: 'sell' })
    expect(sale.warnings).toEqual([])
    const purchase = { wallet, token: coined, amount_usd: 50 }
    expect(codes((await ask(chainPretrade, purchase)).warnings)).toContain('exceeds_holding')
    await market.node.setBalance({ address: wallet, value: ether })
    expect(codes((await ask(chainPretrade, purchase)).warnings)).not.toContain('exceeds_holding')
  })
})

describe('a pool that was moved', () => {
  it('is not there before a large swap, and is told after it, with both prices and both depths', async () => {
    expect((await ask(chainPrice, { token })).warnings).toEqual([])
    await pumped(pair, token, 5n)
    const moved = await ask(chainPrice, { token })
    expect(moved.price_usd).toBeGreaterThan(24)
    const [skewed] = moved.warnings
    expect(skewed).toMatchObject({ code: 'skewed', severity: 'danger' })
    expect(skewed.evidence).toMatch(
      new RegExp(
        `^\\$24\\.\\d+ in ${pair}, and \\$1 100 blocks before \\(depth \\$\\d{5}\\.\\d+, \\$10050\\.51 before\\)$`,
      ),
    )
    expect(codes((await ask(chainCheck, { token })).warnings)).toContain('skewed')
    const trade = await ask(chainPretrade, { token, wallet, amount_usd: 5 })
    expect(codes(trade.warnings)).toContain('skewed')
  })

  it('counts in a portfolio as it was before', async () => {
    const { holdings, total_usd, warnings } = await ask(chainPortfolio, { address: wallet, tokens: [token] })
    expect(holdings[1].value_usd).toBeGreaterThan(1200)
    expect(total_usd - holdings[0].value_usd).toBeCloseTo(50, 1)
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'skewed', evidence: expect.stringMatching(/^PLN: \$24/) }),
    )
  })

  it('gives way to a pool that was not, although that is shallower', async () => {
    const pool = [token, 300_000n * ether, false, usdc, dollars(300_000)] as const
    const steady = await market.solidlyPool(...pool, true)
    const told = await ask(chainPrice, { token })
    expect(told).toMatchObject({ price_usd: 1, pool: { address: steady } })
    expect(told.warnings).toContainEqual(
      expect.objectContaining({
        code: 'skewed',
        severity: 'caution',
        evidence: expect.stringMatching(/^\$24.*the price is from another pool$/),
      }),
    )
    expect(told.warnings).toContainEqual({
      code: 'past_unknown',
      severity: 'info',
      evidence: 'the pool is younger than that',
    })
  })

  it('is told by a node that forgets blocks as not compared', async () => {
    const forgetful = await startUpstream(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      const { id, method, params } = JSON.parse(body)
      const latest = await market.client.getBlockNumber({ cacheTime: 0 })
      const isOld = method === 'eth_call' && /^0x/.test(params[1]) && BigInt(params[1]) < latest - 50n
      const real = isOld
        ? JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'missing trie node' } })
        : await (
            await fetch(market.rpcUrl, {
              method: 'POST',
              body,
              headers: { 'content-type': 'application/json' },
            })
          ).text()
      response.setHeader('content-type', 'application/json').end(real)
    })
    const { warnings } = await ask(chainPrice, { token: coined }, [forgetful.url])
    expect(codes(warnings)).toContain('past_unknown')
  })

  it('of WETH is told of every token that is priced in WETH', async () => {
    const { pool } = await ask(chainPrice, { token: weth })
    await market.send(pool.address, encodeFunctionData({ abi: observing, args: [10] }))
    await market.node.increaseTime({ seconds: 2000 })
    await market.node.mine({ blocks: 1 })
    const before = await ask(chainPrice, { token: coined })
    expect(codes(before.warnings)).not.toContain('skewed')
    await market.trade(pool.address, false, dollars(1_000_000), highest)
    const after = await ask(chainPrice, { token: coined })
    expect(after.price_usd / before.price_usd).toBeGreaterThan(1.5)
    expect(after.warnings).toContainEqual({
      code: 'skewed',
      severity: 'danger',
      evidence: expect.stringMatching(
        /^its quote token WETH: \$\d+\.\d+ in 0x\w{40}, and \$2999\.\d+ 100 blocks before \(depth \$[\d.]+, \$27136\.37 before\)$/,
      ),
    })
  })

  it('is told by its own average of 30 minutes when the blocks before are as bad', async () => {
    await market.node.mine({ blocks: 130 })
    const { warnings } = await ask(chainPrice, { token: weth })
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'skewed',
        evidence: expect.stringMatching(/, and \$\d+\.\d+ on average over 30 minutes \(depth/),
      }),
    )
  })

  it('of WETH is told where its two deepest dollar pools disagree, though both have stood still', async () => {
    const { pool } = await ask(chainPrice, { token: weth })
    const other = await market.v2Pool(weth, 60n * ether, usdc, dollars(540_000))
    const { warnings, price_usd } = await ask(chainPrice, { token: coined })
    expect(price_usd).toBeCloseTo(60, 3)
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'skewed',
        evidence: expect.stringMatching(
          new RegExp(`^its quote token WETH: \\$9000 in ${other}, and \\$5\\d+\\.\\d+ in ${pool.address}$`),
        ),
      }),
    )
  })
})
