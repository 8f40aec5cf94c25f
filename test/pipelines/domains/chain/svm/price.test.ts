import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ChainPrice } from '../../../../../pipelines/domains/chain/reader.ts'
import { derivedAddress, inOrder, u16Le } from '../../../../../pipelines/domains/chain/svm/derived-address.ts'
import {
  ammV4Program,
  systemProgram,
  token2022Program,
  tokenProgram,
  usdcMint,
  whirlpoolProgram,
  whirlpoolsConfig,
  wrappedSol,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { tokenAccount } from '../../../../../pipelines/domains/payments/svm/payment.ts'
import { layMarket } from '../../../../../services/sandbox/solana-market.ts'
import { asked } from '../rounds.ts'
import { account, mint, mint2022, tokenAccountData } from './account-writer.ts'
import {
  layAmmV4,
  layClmm,
  layClmmConfig,
  layCpmm,
  layCpmmConfig,
  layDlmm,
  layPreset,
  layPumpFees,
  layPumpSwap,
  layWhirlpool,
} from './pool-writer.ts'
import { answered, newKey, type Solana, startSolana } from './solana.ts'

let solana: Solana
let token: string
/** Of CPMM, in millionths. */
let [quarter, whole] = ['', '']
let clmmConfig: string
const dollar = 1_000_000n

/** Configurations are read once in an hour, so they exist from the start. */
async function start(options?: Parameters<typeof startSolana>[0]): Promise<Solana> {
  const started = await startSolana(options)
  const { lay, chain } = started
  layMarket(chain)
  quarter = layCpmmConfig(lay, 0, 2500n)
  whole = layCpmmConfig(lay, 1, 10_000n)
  clmmConfig = layClmmConfig(lay, 3, 500, 10)
  layPreset(lay, 10, 10_000)
  return started
}

const layToken = (): string => {
  const made = newKey()
  solana.lay(tokenProgram, made, mint({ decimals: 6, supply: 10n ** 15n }))
  return made
}

beforeAll(async () => {
  solana = await start()
})
beforeEach(() => {
  token = layToken()
})
afterAll(() => solana.close())

const priced = async (asked = token): Promise<ChainPrice> => {
  const answer = await solana.reader.price(asked)
  if ('refused' in answer) throw new Error(answer.because)
  return answer
}
const near = (text: string, value: number, within = 0.001) =>
  expect(Math.abs(Number(text) / value - 1)).toBeLessThan(within)

/** Both tokens have six decimals, so this is dollars for a token. */
const at = (usd: number) => (BigInt(Math.round(usd * 1e9)) * (1n << 128n)) / 1_000_000_000n

describe('price', () => {
  it('reads a Whirlpool, whichever mint comes first', async () => {
    const isFirst = (one: string) => inOrder(one, usdcMint)[0] === one
    for (const wanted of [true, false]) {
      let one = newKey()
      while (isFirst(one) !== wanted) one = newKey()
      solana.lay(tokenProgram, one, mint({ decimals: 6 }))
      const pool = layWhirlpool(solana.lay, {
        token: one,
        quote: usdcMint,
        priceX128: at(0.25),
        width: 1280,
        liquidity: 10n ** 13n,
      })
      const price = await priced(one)
      near(price.price_usd, 0.25)
      expect(price.pool).toEqual({ address: pool, kind: 'whirlpool', fee: '0.3', quote: 'USDC' })
      // L √p (1 - √0.98), in dollars.
      near(price.depth_usd, 1e7 * 0.5 * (1 - Math.sqrt(0.98)))
      expect(price).toMatchObject({ thin_liquidity: false, pools_seen: 1, price_30m_usd: null, warnings: [] })
    }
  })

  it('tells of a price in SOL that the dollar pools of SOL disagree', async () => {
    const own = await start()
    onTestFinished(() => own.close())
    const one = newKey()
    own.lay(tokenProgram, one, mint({ decimals: 6, supply: 10n ** 15n }))
    const inSol = { token: one, quote: wrappedSol, priceX128: at(1), width: 2560, liquidity: 10n ** 13n }
    layWhirlpool(own.lay, inSol)
    // Both have their decimals: 0.3 atoms of USDC for an atom of SOL are $300.
    const moved = layWhirlpool(own.lay, {
      token: wrappedSol,
      quote: usdcMint,
      priceX128: at(0.3),
      width: 2560,
      liquidity: 10n ** 15n,
    })
    const { warnings } = (await own.reader.price(one)) as ChainPrice
    expect(warnings).toContainEqual({
      code: 'skewed',
      severity: 'danger',
      evidence: expect.stringMatching(/^its quote token SOL: \$(300|299\.9)\S* in \w+, and \$150\S* in \w+$/),
    })
    expect(warnings.find(({ code }) => code === 'skewed')?.evidence).toContain(moved)
  })

  it('counts liquidity only up to the end of a position', async () => {
    const ranged = { token, quote: usdcMint, priceX128: at(1), liquidity: 10n ** 13n, spacing: 4 }
    layWhirlpool(solana.lay, { ...ranged, width: 100 })
    const price = await priced()
    // 100 ticks are 1 %, so half of the distance.
    near(price.depth_usd, 1e7 * (1 - 1.0001 ** -50), 0.05)
  })

  it('reads CLMM, CPMM, DLMM, PumpSwap and AMM v4', async () => {
    const kinds: Record<string, (token: string) => [pool: string, usd: number, depth: number]> = {
      raydium_clmm(token) {
        const ranged = { token, quote: usdcMint, priceX128: at(4), width: 2000, liquidity: 10n ** 12n }
        return [
          layClmm(solana.lay, { ...ranged, config: clmmConfig, spacing: 10 }),
          4,
          1e6 * 2 * (1 - Math.sqrt(0.98)),
        ]
      },
      raydium_cpmm(token) {
        const reserves = { ofToken: 1000n * dollar, ofQuote: 3000n * dollar, owed: 77n * dollar }
        return [
          layCpmm(solana.lay, { token, quote: usdcMint, config: quarter, ...reserves }),
          3,
          3000 * (1 - Math.sqrt(0.98)),
        ]
      },
      meteora_dlmm(token) {
        const first = inOrder(token, usdcMint)[0] === token
        // Bins are a thousandth apart, so 19 or 20 of them lie within 2 %.
        const pool = layDlmm(solana.lay, {
          token,
          quote: usdcMint,
          step: 10,
          factor: 10_000,
          active: first ? 700 : -700,
          bins: 60,
          perBin: [50n * dollar, 50n * dollar],
        })
        return [pool, 1.001 ** 700, 50 * 20.5]
      },
      pumpswap(token) {
        const reserves = { ofToken: 10n ** 12n, ofQuote: 100n * 10n ** 9n }
        layPumpFees(solana.lay, [
          [0n, 125n],
          [10n ** 9n, 30n],
        ])
        const pool = layPumpSwap(solana.lay, { token, quote: wrappedSol, ...reserves })
        return [pool, (100 / 1e6) * 150, 100 * 150 * (1 - Math.sqrt(0.98))]
      },
      raydium_amm(token) {
        const reserves = { ofToken: 500n * dollar, ofQuote: 1000n * dollar }
        return [
          layAmmV4(solana.lay, { token, quote: usdcMint, ...reserves }),
          2,
          1000 * (1 - Math.sqrt(0.98)),
        ]
      },
    }
    const fees: Record<string, string> = {
      raydium_clmm: '0.05',
      raydium_cpmm: '0.25',
      meteora_dlmm: '0.1',
      // The fee of the tier that its market value has reached.
      pumpswap: '0.3',
      raydium_amm: '0.25',
    }
    for (const [kind, lay] of Object.entries(kinds)) {
      const one = layToken()
      const [pool, usd, depth] = lay(one)
      const price = await priced(one)
      expect(price.pool).toMatchObject({ address: pool, kind, fee: fees[kind] })
      near(price.price_usd, usd)
      near(price.depth_usd, depth, kind === 'meteora_dlmm' ? 0.06 : 0.001)
    }
  })

  it('takes the deepest pool among decoys', async () => {
    const deepest = layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: quarter,
      ofToken: 10n ** 12n,
      ofQuote: 10n ** 12n,
    })
    // Millions that are not at the current price.
    layWhirlpool(solana.lay, {
      token,
      quote: usdcMint,
      priceX128: at(9),
      width: 64,
      off: 6400,
      liquidity: 10n ** 18n,
    })
    // Dust at a wild price.
    layCpmm(solana.lay, { token, quote: usdcMint, config: whole, ofToken: 10n, ofQuote: 10_000_000n })
    // A worthless copy as quote token.
    const twin = newKey()
    solana.lay(tokenProgram, twin, mint())
    layCpmm(solana.lay, { token, quote: twin, config: quarter, ofToken: 10n ** 15n, ofQuote: 10n ** 18n })
    // A pool at the address of another pair's pool.
    const [first, second] = inOrder(token, usdcMint)
    const seeds = [{ key: whirlpoolsConfig }, { key: first }, { key: second }]
    const place = derivedAddress(whirlpoolProgram, 'whirlpool', ...seeds, u16Le(8))
    const other = layWhirlpool(solana.lay, {
      token: twin,
      quote: usdcMint,
      priceX128: at(77),
      width: 6400,
      liquidity: 10n ** 18n,
    })
    solana.lay(whirlpoolProgram, place, solana.chain.account(other as never)?.data as Uint8Array)
    const price = await priced()
    expect(price.pool.address).toBe(deepest)
    near(price.price_usd, 1)
    expect(price.warnings).toEqual([])
  })

  it('warns of a thin pool, and of a second one that disagrees', async () => {
    layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: quarter,
      ofToken: 2000n * dollar,
      ofQuote: 2000n * dollar,
    })
    const second = layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: whole,
      ofToken: 1000n * dollar,
      ofQuote: 1100n * dollar,
    })
    const price = await priced()
    expect(price).toMatchObject({ thin_liquidity: true, pools_seen: 2 })
    expect(price.warnings).toEqual([
      { code: 'thin', severity: 'caution', evidence: expect.stringContaining('$20.1') },
      {
        code: 'price_disagrees',
        severity: 'caution',
        evidence: expect.stringContaining(`${second} is $1.1, 10 %`),
      },
    ])
  })

  it('leaves out pools that are closed to swaps, or not open yet', async () => {
    const soon = BigInt(Math.floor(Date.now() / 1000)) + 3600n
    const reserves = { token, quote: usdcMint, ofToken: 10n ** 12n, ofQuote: 10n ** 12n }
    layCpmm(solana.lay, { ...reserves, config: quarter, status: 4 })
    layCpmm(solana.lay, { ...reserves, config: whole, openedAt: soon })
    expect(await solana.reader.price(token)).toMatchObject({ refused: 'no_pool' })
  })

  it('refuses a token without a pool, and an address that is not a token', async () => {
    expect(await solana.reader.price(token)).toEqual({
      refused: 'no_pool',
      because: expect.stringContaining(token),
    })
    expect(await solana.reader.price(newKey())).toMatchObject({ refused: 'not_a_token' })
  })

  it('says that pools of AMM v4 are left out if the node does not list them', async () => {
    const deaf = await start({
      answer: ({ method }, would) =>
        method === 'getProgramAccounts'
          ? { jsonrpc: '2.0', id: 1, error: { code: -32010, message: `${ammV4Program} excluded` } }
          : would(),
    })
    onTestFinished(() => deaf.close())
    deaf.lay(tokenProgram, token, mint())
    layWhirlpool(deaf.lay, { token, quote: usdcMint, priceX128: at(1), width: 1280, liquidity: 10n ** 13n })
    expect(await deaf.reader.price(token)).toMatchObject({
      warnings: [{ code: 'pools_left_out', severity: 'info' }],
    })
  })

  it('reads everything for an answer in one call once it knows the pools', async () => {
    layWhirlpool(solana.lay, { token, quote: usdcMint, priceX128: at(1), width: 1280, liquidity: 10n ** 13n })
    await priced()
    solana.calls.length = 0
    await priced()
    expect(solana.calls).toEqual(['getMultipleAccounts'])
  })

  it('reads a new token in two rounds: the possible addresses of its pools, and then the pools', async () => {
    await solana.reader.price(token)
    token = layToken()
    layWhirlpool(solana.lay, { token, quote: usdcMint, priceX128: at(1), width: 1280, liquidity: 10n ** 13n })
    layAmmV4(solana.lay, { token, quote: wrappedSol, ofToken: 10n ** 12n, ofQuote: 10n ** 9n })
    expect(await asked(() => priced())).toEqual({ calls: 4, rounds: 2 })
  })

  it('prices SOL by its largest pools, of whatever kind', async () => {
    const misled = await start()
    onTestFinished(() => misled.close())
    const dust = { token: wrappedSol, quote: usdcMint, width: 128, liquidity: 10n ** 6n }
    for (const spacing of [1, 2]) {
      const pool = layWhirlpool(misled.lay, { ...dust, spacing, priceX128: at(7) })
      for (const [name, of] of [
        ['vault a', wrappedSol],
        ['vault b', usdcMint],
      ] as const)
        misled.lay(
          tokenProgram,
          derivedAddress(whirlpoolProgram, name, { key: pool }),
          tokenAccountData(of, pool, 9n),
        )
    }
    misled.lay(tokenProgram, token, mint())
    layCpmm(misled.lay, {
      token,
      quote: wrappedSol,
      config: quarter,
      ofToken: 10n ** 12n,
      ofQuote: 10n ** 12n,
    })
    const price = await misled.reader.price(token)
    near((price as ChainPrice).price_usd, 150 / 1000)
  })

  it('follows a price that has left the known ticks', async () => {
    const ranged = { token, quote: usdcMint, width: 128, liquidity: 10n ** 13n, spacing: 1 }
    layWhirlpool(solana.lay, { ...ranged, priceX128: at(1) })
    near((await priced()).price_usd, 1)
    layWhirlpool(solana.lay, { ...ranged, priceX128: at(3) })
    const price = await priced()
    near(price.price_usd, 3)
    near(price.depth_usd, 1e7 * Math.sqrt(3) * (1 - 1.0001 ** -64), 0.05)
  })
})

describe('check', () => {
  it('reports the transfer fee, a young pool, and the holders of the supply', async () => {
    const fee = account(108, {
      80: { u64: 10n ** 18n },
      88: { u16: 500 },
      98: { u64: 10n ** 18n },
      106: { u16: 500 },
    })
    solana.lay(token2022Program, token, mint2022([[1, fee]], { supply: 10n ** 12n }))
    const opened = BigInt(Math.floor(Date.now() / 1000)) - 7200n
    layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: quarter,
      ofToken: 95n * 10n ** 10n,
      ofQuote: 10n ** 12n,
      openedAt: opened,
    })
    const check = await solana.reader.check(token)
    expect(check).toMatchObject({ buy_tax_pct: '5', sell_tax_pct: '5', sellable: null })
    expect((check as { warnings: unknown[] }).warnings).toMatchObject([
      { code: 'transfer_fee', evidence: expect.stringContaining('5 %') },
      { code: 'young_pool', evidence: expect.stringContaining('2 h ago') },
      { code: 'held_by_pool', evidence: expect.stringContaining('950000 of 1000000') },
      { code: 'not_tried' },
    ])
  })

  it('sells the check of a token without a price, and knows when a token cannot be sold', async () => {
    solana.lay(token2022Program, token, mint2022([[9, Buffer.alloc(0)]]))
    expect(await solana.reader.check(token)).toMatchObject({
      price_usd: null,
      pool: null,
      sellable: false,
      warnings: [{ code: 'non_transferable' }, { code: 'no_pool' }, { code: 'not_tried' }],
    })
    expect(await solana.reader.check(newKey())).toMatchObject({ refused: 'not_a_token' })
  })
})

describe('pretrade', () => {
  const trade = { wallet: newKey(), amountUsd: 1000, side: 'buy' as const }

  it('buys and sells with the impact of a constant product, including its fee', async () => {
    layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: whole,
      ofToken: 99_000n * dollar,
      ofQuote: 99_000n * dollar,
    })
    solana.lay(
      tokenProgram,
      tokenAccount(trade.wallet, token),
      tokenAccountData(token, trade.wallet, 42n * dollar),
    )
    const bought = await solana.reader.pretrade({ ...trade, token })
    // 990 go into 99,000: 99000 × 990 / 99990.
    expect(bought).toMatchObject({
      side: 'buy',
      amount_usd: 1000,
      holding: { balance: '42' },
      wallet: trade.wallet,
    })
    expect((bought as { receive: { amount: string } }).receive.amount).toBe('980.198019')
    expect((bought as { price_impact_pct: string }).price_impact_pct).toBe('1.9802')
    const sold = await solana.reader.pretrade({ ...trade, token, side: 'sell' })
    expect(sold).toMatchObject({
      receive: { symbol: 'USDC', amount: '980.198019' },
      price_impact_pct: '1.9802',
    })
  })

  it('reports an amount that a pool cannot take', async () => {
    const ranged = { token, quote: usdcMint, priceX128: at(1), width: 128, liquidity: 10n ** 10n }
    const pool = layWhirlpool(solana.lay, ranged)
    const answer = await solana.reader.pretrade({ ...trade, token })
    expect(answer).toMatchObject({ route: [{ address: pool }], price_impact_pct: null, receive: null })
    expect((answer as { warnings: unknown[] }).warnings).toContainEqual({
      code: 'exceeds_pool',
      severity: 'danger',
      evidence: expect.stringContaining(`${pool} takes $`),
    })
  })

  it('reports an amount that is too small to bring anything', async () => {
    solana.lay(tokenProgram, token, mint({ decimals: 0 }))
    layCpmm(solana.lay, {
      token,
      quote: usdcMint,
      config: quarter,
      ofToken: 100n,
      ofQuote: 100_000n * dollar,
    })
    for (const side of ['buy', 'sell'] as const) {
      const answer = await solana.reader.pretrade({ ...trade, token, amountUsd: 5, side })
      expect(answer).toMatchObject({ price_impact_pct: null, receive: null })
      expect(answer).toMatchObject({
        warnings: expect.arrayContaining([expect.objectContaining({ code: 'too_small' })]),
      })
    }
  })

  it('refuses a token without a pool, and an address that is not a token', async () => {
    expect(await solana.reader.pretrade({ ...trade, token })).toMatchObject({ refused: 'no_pool' })
    expect(await solana.reader.pretrade({ ...trade, token: newKey() })).toMatchObject({
      refused: 'not_a_token',
    })
  })
})

describe('portfolio', () => {
  it('prices every token account, the native coin first, then by value', async () => {
    const owner = newKey()
    const [cheap, unpriced, nft] = [newKey(), newKey(), newKey()]
    const { lay } = solana
    lay(systemProgram, owner, Buffer.alloc(0))
    for (const [one, ofQuote] of [
      [token, 5_000_000n * dollar],
      [cheap, 1000n * dollar],
    ] as const) {
      lay(tokenProgram, one, mint())
      layCpmm(lay, { token: one, quote: usdcMint, config: quarter, ofToken: 1_000_000n * dollar, ofQuote })
      lay(tokenProgram, newKey(), tokenAccountData(one, owner, 10n * dollar))
    }
    lay(tokenProgram, unpriced, mint())
    lay(tokenProgram, newKey(), tokenAccountData(unpriced, owner, 1n))
    lay(tokenProgram, nft, mint({ decimals: 0, supply: 1n }))
    lay(tokenProgram, newKey(), tokenAccountData(nft, owner, 1n))
    lay(tokenProgram, newKey(), tokenAccountData(usdcMint, owner, 7n * dollar))
    lay(tokenProgram, newKey(), tokenAccountData(newKey(), owner, 0n))
    const portfolio = answered(await solana.reader.portfolio({ address: owner }))
    expect(portfolio.holdings).toMatchObject([
      { symbol: 'SOL', amount: '1000', price_usd: '150', value_usd: '150000' },
      { token, amount: '10', price_usd: '5', value_usd: '50', thin_liquidity: false },
      { token: usdcMint, symbol: 'USDC', value_usd: '7' },
      { token: cheap, price_usd: '0.001', value_usd: '0.01', thin_liquidity: true },
      { value_usd: null, thin_liquidity: null },
      { value_usd: null, thin_liquidity: null },
    ])
    expect(portfolio).toMatchObject({ total_usd: '150057.01', unpriced: 2 })
    expect(portfolio.coverage).toContain('every token account')
    expect(portfolio.warnings).toMatchObject([{ code: 'thin', evidence: expect.stringContaining(cheap) }])
    const named = answered(await solana.reader.portfolio({ address: owner, tokens: [cheap] }))
    expect(named.holdings).toMatchObject([{ symbol: 'SOL' }, { token: cheap }])
    expect(named.coverage).toContain('that were named')
  })

  it('counts a thin holding at most with the depth of its pool, because a stranger may send a million of anything', async () => {
    const owner = newKey()
    const { lay } = solana
    lay(tokenProgram, token, mint())
    layCpmm(lay, {
      token,
      quote: usdcMint,
      config: quarter,
      ofToken: 1000n * dollar,
      ofQuote: 1000n * dollar,
    })
    lay(tokenProgram, newKey(), tokenAccountData(token, owner, 10n ** 12n * dollar))
    const { holdings, total_usd, warnings } = answered(await solana.reader.portfolio({ address: owner }))
    expect(holdings).toMatchObject([{ token, value_usd: '1000000000000', thin_liquidity: true }])
    near(total_usd, 1000 * (1 - Math.sqrt(0.98)))
    expect(warnings).toMatchObject([
      { code: 'thin', evidence: expect.stringContaining(`$${total_usd} of it`) },
    ])
  })

  it('shows 100 tokens of a flooded wallet, and prices the known ones', async () => {
    const owner = newKey()
    const { lay } = solana
    for (let i = 0; i < 105; i++) {
      const one = newKey()
      lay(tokenProgram, one, mint())
      lay(tokenProgram, newKey(), tokenAccountData(one, owner, 1n))
    }
    lay(tokenProgram, newKey(), tokenAccountData(usdcMint, owner, 3n * dollar))
    const portfolio = answered(await solana.reader.portfolio({ address: owner }))
    expect(portfolio.holdings).toHaveLength(100)
    expect(portfolio.holdings[0]).toMatchObject({ symbol: 'USDC', value_usd: '3' })
    expect(portfolio).toMatchObject({ total_usd: '3', unpriced: 99 })
    expect(portfolio.coverage).toMatch(/6 tokens are left out.*of 80 tokens/)
  })
})
