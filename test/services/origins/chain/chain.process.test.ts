/** The operations of the chain origin, on a real anvil with the contracts of Uniswap. */
import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openChains } from '../../../../pipelines/domains/chain/open-chains.ts'
import { chainPriceLookup } from '../../../../pipelines/lookups/onchain.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import type { Outside } from '../../../../pipelines/rails/outside/upstreams/outside.ts'
import { poolsOn } from '../../../../pipelines/sources/pools.ts'
import { chainPools } from '../../../../schemas/chain-pools.ts'
import { type TokenPrice, tokenPrices } from '../../../../schemas/token-prices.ts'
import type { Operation } from '../../../../services/offer/operation.ts'
import { chainBalance } from '../../../../services/origins/chain/balance.ts'
import { chainCheck } from '../../../../services/origins/chain/check.ts'
import { chain as origin } from '../../../../services/origins/chain/origin.ts'
import { chainPortfolio } from '../../../../services/origins/chain/portfolio.ts'
import { chainPretrade } from '../../../../services/origins/chain/pretrade.ts'
import { chainPrice } from '../../../../services/origins/chain/price.ts'
import { chainToken } from '../../../../services/origins/chain/token.ts'
import { chainTx } from '../../../../services/origins/chain/tx.ts'
import { dollars, type Market, startMarket, usdc, weth } from '../../../pipelines/domains/chain/market.ts'
import { fetchV4, type V4Contracts, v4Package } from '../../../pipelines/domains/chain/v4-package.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'
import { startUpstream } from '../../../upstream.ts'
import { asking } from './asking.ts'

const ether = 10n ** 18n
const wethAbi = parseAbi(['function withdraw(uint256 amount)'])
let market: Market
let v4: Promise<V4Contracts | Error>
beforeAll(async () => {
  // It downloads while the market is placed.
  v4 = fetchV4(scratchFolder(afterAll)).catch(error => error)
  market = await startMarket()
})
afterAll(() => market?.close())

/** Each question gets readers of its own, so that nothing is cached from an earlier one. */
const ask = (operation: Operation, question: Record<string, unknown>, urls = [market.rpcUrl]) =>
  asking(
    operation,
    { chain: 'base', ...question },
    openChains({ base: { urls, perSecond: 100_000 } }, Date.now),
  )
const codes = (warnings: readonly { code: string }[]) => warnings.map(({ code }) => code).sort()

describe('the examples', () => {
  it.each(origin.operations.map(operation => [operation.path, operation] as const))(
    '%s: the sandbox gives the answer of the example',
    async (_, operation) => {
      const { request, response } = operation.example
      const answer = await ask(operation, request as Record<string, unknown>)
      const lasting = ({
        block,
        fetched_at,
        block_time,
        confirmations,
        finalized,
        tx_block,
        ...rest
      }: Record<string, unknown>) => rest
      expect(lasting(answer)).toEqual(lasting(response as Record<string, unknown>))
    },
  )
})

describe('refusals', () => {
  const holder = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const questions: [Operation, Record<string, unknown>][] = [
    [chainBalance, { address: holder }],
    [chainToken, { token: weth }],
    [chainPrice, { token: weth }],
    [chainCheck, { token: weth }],
    [chainPortfolio, { address: holder }],
    [chainPretrade, { token: weth, wallet: holder, amount_usd: 5 }],
  ]

  it.each(questions)('$path: unsupported_chain, and invalid_address', async (operation, question) => {
    expect(await ask(operation, { ...question, chain: 'dogechain' })).toMatchObject({
      refused: 'unsupported_chain',
    })
    const field = 'token' in question ? 'token' : 'address'
    for (const [text, why] of [
      [holder.replace('C5', 'c5'), /checksum is wrong/],
      ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', /looks like a Solana address/],
      [`0x${'ab'.repeat(32)}`, /a transaction, a block or the id of a v4 pool/],
      ['vitalik.eth', /should be an address of 0x/],
    ] as const) {
      const answer = await ask(operation, { ...question, [field]: text })
      expect(answer).toMatchObject({ refused: 'invalid_address', message: expect.stringMatching(why) })
    }
  })

  it('of a transaction: unsupported_chain, and unknown_transaction', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    expect(await ask(chainTx, { hash, chain: 'dogechain' })).toMatchObject({ refused: 'unsupported_chain' })
    expect(await ask(chainTx, { hash })).toMatchObject({
      refused: 'unknown_transaction',
      message: expect.stringMatching(/of a block, the id of a v4 pool or a user operation/),
    })
    expect(await ask(chainTx, { hash: holder })).toMatchObject({
      refused: 'unknown_transaction',
      message: expect.stringMatching(/this is an address/),
    })
  })

  it('of an address without a token: not_a_token', async () => {
    const nft = await market.deploy('Nft')
    for (const [token, why] of [
      [holder, /does not answer totalSupply/],
      [nft, /collection of NFTs/],
    ] as const)
      for (const operation of [chainToken, chainPrice, chainCheck])
        expect(await ask(operation, { token })).toMatchObject({
          refused: 'not_a_token',
          message: expect.stringMatching(why),
        })
    expect(await ask(chainPretrade, { token: nft, wallet: holder, amount_usd: 5 })).toMatchObject({
      refused: 'not_a_token',
    })
  })

  it('of a token without a pool: no_pool; a check is sold without a price', async () => {
    const token = await market.deploy('Plain')
    expect(await ask(chainPrice, { token })).toMatchObject({ refused: 'no_pool' })
    expect(await ask(chainPretrade, { token, wallet: holder, amount_usd: 5 })).toMatchObject({
      refused: 'no_pool',
    })
    const check = await ask(chainCheck, { token })
    expect(check).toMatchObject({ price_usd: null, pool: null, sellable: null })
    expect(codes(check.warnings)).toEqual(['no_pool'])
  })

  it('of too many tokens: too_many_tokens', async () => {
    const tokens = Array.from({ length: 51 }, () => weth)
    expect(await ask(chainPortfolio, { address: holder, tokens })).toMatchObject({
      refused: 'too_many_tokens',
    })
  })

  it('a chain without a node is not configured', async () => {
    await expect(ask(chainPrice, { token: weth, chain: 'arbitrum' })).rejects.toThrow(
      /ARBITRUM_RPC_URL is unset/,
    )
  })
})

describe('tokens as they are', () => {
  const facts = async (name: string, ...args: unknown[]) =>
    ask(chainToken, { token: await market.deploy(name, ...args) })

  it('names in bytes32', async () => {
    expect(await facts('Bytes32Name')).toMatchObject({ name: 'Maker', total_supply: '1000000' })
  })

  it('names that are empty, too long, or hide something, are cleaned and told', async () => {
    expect(await facts('WildName', '', 'X')).toMatchObject({ name: null, symbol: 'X' })
    const long = await facts('WildName', 'x'.repeat(10_240), 'X')
    expect(long.name).toBe('x'.repeat(100))
    const hidden = await facts('WildName', 'US\u202EDC\u0000\u200B', 'X')
    expect(hidden.name).toBe('USDC')
    for (const each of [long, hidden]) expect(codes(each.warnings)).toContain('odd_name')
  })

  it('a name that copies a known token is reported', async () => {
    const twin = await facts('WildName', 'usd coin', ' usdc ')
    expect(twin.warnings).toContainEqual(
      expect.objectContaining({ code: 'lookalike', evidence: `USDC is the token at ${usdc}` }),
    )
  })

  it('without decimals, or with too many, amounts stay in atoms; 30 decimals lose no digit', async () => {
    expect(await facts('NoDecimals')).toMatchObject({
      decimals: null,
      total_supply: null,
      total_supply_raw: String(10n ** 24n),
    })
    expect(await facts('ManyDecimals')).toMatchObject({ decimals: null })
    expect(await facts('ThirtyDecimals')).toMatchObject({ decimals: 30, total_supply: '0.001' })
  })

  it('a proxy names its implementation: EIP-1967, and a minimal clone', async () => {
    const plain = await market.deploy('Owned')
    const slot = (n: string): Hex => `0x${n}`
    const proxy = await market.deploy(
      'Proxy',
      plain,
      slot('360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'),
    )
    const code = `0x363d3d373d3d3d363d73${plain.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3` as Hex
    const clone = '0x00000000000000000000000000000000000c104e'
    await market.node.setCode({ address: clone, bytecode: code })
    for (const token of [proxy, clone]) {
      const told = await ask(chainToken, { token })
      expect(told).toMatchObject({
        is_proxy: true,
        implementation: expect.stringMatching(new RegExp(plain, 'i')),
      })
      expect(codes(told.warnings)).toContain('owner_can_mint')
    }
  })

  it('powers of an owner are reported', async () => {
    const told = await facts('Owned')
    expect(told).toMatchObject({ owner: market.me, is_proxy: false })
    expect(codes(told.warnings)).toEqual(['owner_can_mint', 'owner_can_pause'])
  })

  it('balances that change without transfers are reported', async () => {
    expect(codes((await facts('Rebasing')).warnings)).toEqual(['rebasing'])
  })

  it('a balance that fails, or burns all gas, does not affect the others', async () => {
    const odd = '0x0000000000000000000000000000000000000011'
    const [bomb, refuses, nothing, little, much, more, most] = [
      await market.deploy('Bomb'),
      await market.deploy('RefusesOne'),
      await market.deploy('Bytes', 0n),
      await market.deploy('Bytes', 16n),
      await market.deploy('Bytes', 100_000n),
      await market.deploy('Bytes', 100_000n),
      await market.deploy('Bytes', 100_000n),
    ]
    const answer = await ask(chainBalance, {
      address: odd,
      tokens: [bomb, refuses, nothing, little, much, usdc, more, most],
    })
    expect(answer.tokens.map(({ raw }: { raw: string | null }) => raw)).toEqual([
      null,
      null,
      null,
      null,
      '9',
      '0',
      '9',
      '9',
    ])
    expect(answer.tokens[0].error).toMatch(/balanceOf/)
    const none = {
      refused: 'not_a_token',
      message: expect.stringMatching(/^[23] of the [23] tokens that you name do not tell/),
    }
    expect(await ask(chainBalance, { address: odd, tokens: [bomb, nothing] })).toEqual(none)
    expect(await ask(chainPortfolio, { address: odd, tokens: [bomb, nothing] })).toEqual(none)
    const fewer = { ...none, message: expect.stringContaining('2 of the 3 tokens') }
    expect(await ask(chainBalance, { address: odd, tokens: [bomb, usdc, nothing] })).toEqual(fewer)
    expect(await ask(chainPortfolio, { address: odd, tokens: [bomb, usdc, nothing] })).toEqual(fewer)
    const some = await ask(chainPortfolio, { address: odd, tokens: [bomb, usdc] })
    expect(some.coverage.toLowerCase()).toBe(
      `the native coin and the 2 tokens that were asked for; not told, or no token: ${bomb}`,
    )
  })

  it('of the native coin asks for nothing more, however it is written', async () => {
    const holder = '0x00000000000000000000000000000000000b01de'
    const held = await ask(chainBalance, { address: holder, tokens: ['ETH', ' eth ', 'USDC'] })
    expect(held).toMatchObject({ native: { symbol: 'ETH' }, tokens: [{ symbol: 'USDC' }] })
    const worth = await ask(chainPortfolio, { address: holder, tokens: ['eth'] })
    expect(worth.coverage).toBe('the native coin alone')
  })

  it('a contract is distinguished from an account', async () => {
    expect(await ask(chainBalance, { address: usdc })).toMatchObject({ is_contract: true })
    const delegated = '0x00000000000000000000000000000000000de1e9'
    await market.node.setCode({ address: delegated, bytecode: `0xef0100${usdc.slice(2)}` })
    expect(await ask(chainBalance, { address: delegated })).toMatchObject({ is_contract: false })
  })
})

describe('a portfolio', () => {
  it('names a token once, and counts a thin holding for no more than the depth of its pool', async () => {
    const token = await market.deploy('Plain')
    await market.v2Pool(token, 1_000n * ether, usdc, dollars(1_000))
    const holder = '0x00000000000000000000000000000000000b01de'
    await market.call(token, 'transfer', [holder, 1_000_000n * ether])
    const told = await ask(chainPortfolio, { address: holder, tokens: [token, token.toLowerCase()] })
    expect(told.holdings.slice(1)).toMatchObject([
      { symbol: 'PLN', value_usd: 1_000_000, thin_liquidity: true },
    ])
    expect(told.total_usd).toBeCloseTo(1000 * (1 - Math.sqrt(0.98)), 1)
    expect(told.warnings).toMatchObject([
      { code: 'thin', evidence: expect.stringContaining(String(told.total_usd)) },
    ])
  })
})

describe('transactions', () => {
  it('are pending until a block has them', async () => {
    const { client, me } = market
    const nonce = await client.getTransactionCount({ address: me })
    const sent = (at: number) =>
      client.sendTransaction({ to: me, value: 3n, gas: 21_000n, nonce: at } as never)
    // The transaction before it is missing, so no block takes it yet.
    const hash = await sent(nonce + 1)
    const shown = await ask(chainTx, { hash })
    await sent(nonce)
    await client.waitForTransactionReceipt({ hash })
    expect(shown).toMatchObject({
      ...{ status: 'pending', tx_block: null, block_time: null, confirmations: 0, finalized: false },
      ...{ fee: null, method: null, transfers: [], revert_reason: null, value: '0.000000000000000003' },
    })
    expect(await ask(chainTx, { hash })).toMatchObject({ status: 'success', transfers: [{ raw: '3' }] })
  })

  it('show NFTs, batches, wrapped coin, created contracts, and why one failed', async () => {
    const nft = await market.deploy('Nft')
    const { abi } = market.contracts.Nft as unknown as { abi: never }
    const moved = await market.send(
      nft,
      encodeFunctionData({ abi, functionName: 'moves', args: [usdc] } as never),
    )
    const shown = await ask(chainTx, { hash: moved.transactionHash })
    expect(
      shown.transfers.map(({ standard, token_id, raw, from }: Record<string, unknown>) => [
        standard,
        token_id,
        raw,
        from !== null,
      ]),
    ).toEqual([
      ['erc721', '42', '1', true],
      ['erc1155', '7', '3', true],
      ['erc1155', '1', '10', false],
      ['erc1155', '2', '20', false],
    ])
    const wrapped = await market.send(weth, '0xd0e30db0', ether)
    expect(await ask(chainTx, { hash: wrapped.transactionHash })).toMatchObject({
      method: 'deposit()',
      value: '1',
      transfers: [
        { standard: 'native', amount: '1' },
        { standard: 'erc20', symbol: 'WETH', from: null, amount: '1' },
      ],
    })
    const unwrapped = await market.send(weth, encodeFunctionData({ abi: wethAbi, args: [ether] }))
    expect(await ask(chainTx, { hash: unwrapped.transactionHash })).toMatchObject({
      method: 'withdraw(uint256)',
      transfers: [{ standard: 'erc20', symbol: 'WETH', from: market.me, to: null, amount: '1' }],
    })
    const failed = await market.send(nft, encodeFunctionData({ abi, functionName: 'refuses' } as never))
    expect(await ask(chainTx, { hash: failed.transactionHash })).toMatchObject({
      status: 'failed',
      revert_reason: '"no pictures today"',
      transfers: [],
    })
    const created = await market.send(undefined, market.contracts.Plain?.bytecode as Hex)
    expect(await ask(chainTx, { hash: created.transactionHash })).toMatchObject({
      to: null,
      created: expect.stringMatching(new RegExp(created.contractAddress as string, 'i')),
    })
  })
})

describe('pools', () => {
  it('the deepest wins over decoys: dust at a wild price, millions out of range, a worthless twin', async () => {
    const [token, twin] = [await market.deploy('Plain'), await market.deploy('Plain')]
    const real = await market.v2Pool(token, 100_000n * ether, usdc, dollars(100_000))
    await market.v2Pool(token, 1_000n * ether, twin, 1_000_000n * ether)
    const price = 1e6 / 1e18
    await market.v3Pool(token, usdc, 3000, price * 50, [{ below: 6000, above: 6000, liquidity: 10n ** 9n }])
    const answer = await ask(chainPrice, { token })
    expect(answer).toMatchObject({ price_usd: 1, pools_seen: 2, pool: { address: real } })
  })

  it('liquidity out of range makes no pool, whatever its amount', async () => {
    const token = await market.deploy('Plain')
    const pool = await market.v3Pool(token, usdc, 3000, 1e-12, [
      { below: -60_000, above: 120_000, liquidity: 10n ** 15n },
    ])
    expect(pool).toMatch(/^0x/)
    expect(await ask(chainPrice, { token })).toMatchObject({ refused: 'no_pool' })
  })

  it('a price against a coin is in dollars, and a stable pool has the price of its curve', async () => {
    const token = await market.deploy('Plain')
    await market.call(weth, 'deposit', []).catch(() => undefined)
    await market.v2Pool(token, 3_000n * ether, weth, 20n * ether)
    const inCoins = await ask(chainPrice, { token })
    expect(inCoins.price_usd).toBeCloseTo(20, 3)
    expect(inCoins.pool).toMatchObject({ quote: 'WETH', fee: 0.3 })
    const stable = await market.deploy('Plain')
    await market.solidlyPool(stable, 500_000n * ether, true, usdc, dollars(600_000))
    const onCurve = await ask(chainPrice, { token: stable })
    expect(onCurve.pool).toMatchObject({ kind: 'solidly_stable', fee: 0.05 })
    expect(onCurve.price_usd).toBeGreaterThan(1)
    expect(onCurve.price_usd).toBeLessThan(1.02)
  })

  it('pools that disagree and thin pools are reported', async () => {
    const token = await market.deploy('Plain')
    await market.v2Pool(token, 1_000n * ether, usdc, dollars(1_000))
    await market.solidlyPool(token, 1_000n * ether, false, usdc, dollars(900))
    const answer = await ask(chainPrice, { token })
    expect(answer.thin_liquidity).toBe(true)
    expect(codes(answer.warnings)).toEqual(['price_disagrees', 'thin'])
  })

  it('swaps that together need more gas than a call has are asked one by one', async () => {
    const token = await market.deploy('Plain')
    const steps = Array.from({ length: 12 }, (_, n) => ({
      below: 10 * (n + 1),
      above: 10 * (n + 1),
      liquidity: 10n ** 15n,
    }))
    for (const fee of [100, 500]) await market.v3Pool(token, usdc, fee, 1e-12, steps)
    const poor = await startUpstream(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      const call = JSON.parse(body)
      // A call without a target creates the contract that asks the pools. It gets little more gas than one swap needs.
      if (call.method === 'eth_call' && !call.params[0].to) call.params[0].gas = '0x180000'
      const real = await fetch(market.rpcUrl, {
        method: 'POST',
        body: JSON.stringify(call),
        headers: { 'content-type': 'application/json' },
      })
      response.setHeader('content-type', 'application/json').end(await real.text())
    })
    const rich = await ask(chainPrice, { token })
    expect(rich.pools_seen).toBe(2)
    const { depth_usd, pools_seen } = await ask(chainPrice, { token }, [poor.url])
    expect({ depth_usd, pools_seen }).toEqual({ depth_usd: rich.depth_usd, pools_seen: 2 })
  })

  it('an amount that the pool cannot take is told, and has no impact', async () => {
    const token = await market.deploy('Plain')
    await market.v3Pool(token, usdc, 3000, 1e-12, [{ below: 600, above: 600, liquidity: 10n ** 15n }])
    const answer = await ask(chainPretrade, { token, wallet: market.me, amount_usd: 1_000_000 })
    expect(answer).toMatchObject({ price_impact_pct: null, receive: null, web_results: null })
    expect(codes(answer.warnings)).toContain('exceeds_pool')
  })
})

describe('pools of concentrated liquidity', () => {
  const ranges = [1, 10].map(n => ({ below: 600 * n, above: 600 * n, liquidity: 10n ** 19n / BigInt(n) }))
  const price = 0.5e-12
  const tier = { fee: 3000, spacing: 60 }
  const limits = { down: 4295128740n, up: 1461446703485210103287273052203988822378723970341n }

  /** The executed swap pays what the answer said of a trade of $50,000, and a trial of the trade succeeds. */
  async function isRead(
    token: Address,
    swap: (zeroForOne: boolean, amount: bigint, limit: bigint) => Promise<unknown>,
  ) {
    const held = async (account: Address) =>
      BigInt((await ask(chainBalance, { address: market.me, tokens: [account] })).tokens[0].raw)
    const zeroForOne = BigInt(usdc) < BigInt(token)
    const told = await ask(chainPretrade, { token, wallet: market.me, amount_usd: 50_000 })
    const before = await held(token)
    await swap(zeroForOne, dollars(50_000), zeroForOne ? limits.down : limits.up)
    expect((await held(token)) - before).toBe(BigInt(told.receive.raw))
    expect(told.price_usd).toBeCloseTo(0.5, 3)
    expect(told).toMatchObject({ sellable: true, buy_tax_pct: 0, sell_tax_pct: 0, warnings: [] })
    return told.pool
  }

  it('Slipstream: a spacing in place of a fee, a fee of the pool itself, and a slot0 of six fields', async () => {
    const token = await market.deploy('Plain')
    const address = await market.slipstreamPool(token, usdc, 2600, price, ranges)
    const pool = await isRead(token, (...how) => market.trade(address, ...how))
    expect(pool).toEqual({ address, kind: 'slipstream', fee: 0.26, fee_pct: 0.26, quote: 'USDC' })
  })

  it('Uniswap v4: entries of its pool manager, also with the native coin itself', async ({ skip }) => {
    const contracts = await v4
    if (contracts instanceof Error) return skip(`${v4Package} is not to be had: ${contracts.message}`)
    const { v4Pool, v4Trade } = await market.layV4(contracts)
    const token = await market.deploy('Plain')
    const id = await v4Pool(token, usdc, tier, price, ranges)
    const pool = await isRead(token, (...how) => v4Trade(token, usdc, tier, ...how))
    expect(pool).toEqual({ address: id, kind: 'uniswap_v4', fee: 0.3, fee_pct: 0.3, quote: 'USDC' })

    const other = await market.deploy('Plain')
    const native = await v4Pool(other, zeroAddress, tier, 1 / 3000, [
      { below: 6000, above: 6000, liquidity: 10n ** 21n },
    ])
    const inCoins = await ask(chainCheck, { token: other })
    expect(inCoins.pool).toEqual({
      address: native,
      kind: 'uniswap_v4',
      fee: 0.3,
      fee_pct: 0.3,
      quote: 'WETH',
    })
    expect(inCoins.price_usd).toBeCloseTo(1, 1)
    expect(inCoins).toMatchObject({ sellable: true, buy_tax_pct: 0, sell_tax_pct: 0 })
  })
})

describe('a trial', () => {
  const checked = async (kind: number) => {
    const token = await market.deploy('Trap', BigInt(kind))
    const pair = await market.v2Pool(token, 1_000_000n * ether, usdc, dollars(1_000_000))
    await market.call(token, 'begin', [pair])
    return ask(chainCheck, { token })
  }

  it('of an honest token finds nothing', async () => {
    expect(await checked(0)).toMatchObject({ sellable: true, buy_tax_pct: 0, sell_tax_pct: 0, warnings: [] })
  })

  it('of a token without parts buys two pieces, or none where three are worth more than the depth', async () => {
    const [dear, rare] = [await market.deploy('WholePieces'), await market.deploy('WholePieces')]
    await market.v2Pool(dear, 500n, usdc, dollars(50_000))
    await market.v2Pool(rare, 100n, usdc, dollars(50_000))
    expect(await ask(chainCheck, { token: dear })).toMatchObject({ sellable: true, buy_tax_pct: 0 })
    const untried = await ask(chainCheck, { token: rare })
    expect(untried).toMatchObject({ sellable: null, buy_tax_pct: null })
    expect(codes(untried.warnings)).toEqual(['not_tried', 'thin'])
    for (const side of ['buy', 'sell']) {
      const trade = await ask(chainPretrade, { token: rare, wallet: market.me, amount_usd: 5, side })
      expect(trade).toMatchObject({ price_impact_pct: null, receive: null })
      expect(codes(trade.warnings)).toContain('too_small')
    }
  })

  it('reads taxes to the percent', async () => {
    expect(await checked(3)).toMatchObject({ sellable: true, buy_tax_pct: 5, sell_tax_pct: 20 })
  })

  it('reports who cannot sell, in the words of the token, and who cannot buy', async () => {
    const trap = await checked(5)
    expect(trap).toMatchObject({ sellable: false })
    expect(trap.warnings).toContainEqual(
      expect.objectContaining({ code: 'cannot_sell', evidence: expect.stringMatching(/not for sale/) }),
    )
    const bomb = await checked(12)
    expect(bomb).toMatchObject({ sellable: false })
    expect(codes((await checked(7)).warnings)).toContain('cannot_buy')
  })
})

/** A node on the way to the real one. It may answer in its place. */
const rpc = (answer: (body: string, real: (asked?: string) => Promise<string>) => Promise<string> | string) =>
  startUpstream(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const real = async (asked = body) =>
      (
        await fetch(market.rpcUrl, {
          method: 'POST',
          body: asked,
          headers: { 'content-type': 'application/json' },
        })
      ).text()
    response.setHeader('content-type', 'application/json').end(await answer(body, real))
  })

describe('nodes', () => {
  it('a node that truncates, or belongs to another chain, gives way to the next', async () => {
    const truncating = await rpc(async (_, real) => (await real()).slice(0, 100))
    const ethereum = await rpc(async (_, real) => {
      const id = (n: number) => n.toString(16).padStart(64, '0')
      return (await real()).replaceAll(id(8453), id(1))
    })
    for (const { url } of [truncating, ethereum]) {
      expect(await ask(chainPrice, { token: weth }, [url, market.rpcUrl])).toMatchObject({ symbol: 'WETH' })
      await expect(ask(chainPrice, { token: weth }, [url])).rejects.toThrow(/no base node answers/)
    }
    await expect(ask(chainPrice, { token: weth }, [ethereum.url])).rejects.toThrow(/the node is of chain 1/)
  })

  it('a lagging node is recognised by its newest block', async () => {
    const later = openChains(
      { base: { urls: [market.rpcUrl], perSecond: 100_000 } },
      () => Date.now() + 600_000,
    )
    await expect(asking(chainPrice, { chain: 'base', token: weth }, later)).rejects.toThrow(
      /newest block of the node is 6\d\d s old/,
    )
  })

  it('a block that is dropped between two looks is told', async () => {
    let looks = 0
    const reorging = await rpc(async (body, real) => {
      if (body.includes('eth_call') && ++looks === 2) {
        // The same height, with another past.
        const header = JSON.parse(await real()) as { result: string }
        const parent = /[0-9a-f]{64}/g
        const words = header.result.slice(2).match(parent) as string[]
        const at = words.findIndex(word => /^(?!0{8})[0-9a-f]{64}$/.test(word))
        words[at] = 'e'.repeat(64)
        return JSON.stringify({ ...header, result: `0x${words.join('')}` })
      }
      return real()
    })
    expect(await ask(chainPrice, { token: weth }, [reorging.url])).toMatchObject({ symbol: 'WETH' })
    expect(looks).toBeGreaterThan(3)
  })

  it('a pool that was not there a day before is young', async () => {
    // This node counts its blocks from a high number. Blocks before its first one show that first block.
    const above = 50_000
    const first = Number(await market.client.getBlockNumber({ cacheTime: 0 }))
    const fresh = await market.deploy('Plain')
    const pool = [fresh, 100_000n * ether, false, usdc, dollars(100_000)] as const
    const made = await market.solidlyPool(...pool, true)
    const word = (n: number) => n.toString(16).padStart(64, '0')
    const height = new RegExp(`(${[8453, 1, 64, 32].map(word).join('')})([0-9a-f]{64})`)
    const grown = await rpc(async (body, real) => {
      const call = JSON.parse(body)
      const lower = (part: unknown) =>
        typeof part === 'string' && /^0x[0-9a-f]{1,8}$/.test(part)
          ? `0x${Math.max(first, Number(part) - above).toString(16)}`
          : part
      const reply = await real(JSON.stringify({ ...call, params: call.params.map(lower) }))
      return reply.replace(height, (_, before, at) => `${before}${word(Number(`0x${at}`) + above)}`)
    })
    const { block, warnings } = await ask(chainCheck, { token: fresh }, [grown.url])
    expect(block).toBeGreaterThan(above)
    expect(codes(warnings)).toContain('past_unknown')
    expect(warnings).toContainEqual({
      code: 'young_pool',
      severity: 'caution',
      evidence: `${made} had no code a day before`,
    })
  })

  it('a node that refuses overrides leaves the trial out, and says so', async () => {
    const plain = await rpc(async (body, real) =>
      body.includes('balance') && body.includes('"code"')
        ? JSON.stringify({
            jsonrpc: '2.0',
            id: JSON.parse(body).id,
            error: { code: -32602, message: 'too many arguments, want at most 2' },
          })
        : real(),
    )
    const answer = await ask(chainCheck, { token: weth }, [plain.url])
    expect(answer).toMatchObject({ sellable: null, buy_tax_pct: null })
    expect(codes(answer.warnings)).toEqual(['not_tried'])
  })

  it('equal questions share one reading, and a price costs at most four calls', async () => {
    let calls = 0
    const counting = await rpc((_, real) => {
      calls++
      return real()
    })
    const chains = openChains({ base: { urls: [counting.url], perSecond: 100_000 } }, Date.now)
    const looking = chainPriceLookup.open({ chains })
    const price = () => looking.find({ chain: 'base', token: weth }, undefined as never)
    const [first, ...others] = await Promise.all([price(), price(), price()])
    expect(calls).toBeLessThanOrEqual(4)
    for (const other of [...others, await price()]) expect(other).toBe(first)
    expect(calls).toBeLessThanOrEqual(4)
  })
})

describe('what analysts get', () => {
  it('each price that was read is in the log once, and nothing says who asked', async () => {
    const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
      topics: [tokenPrices.topic],
      onError: () => {},
    })
    onTestFinished(() => log.close())
    const nodes = { base: { urls: [market.rpcUrl], perSecond: 100_000 } }
    const chains = openChains(nodes, Date.now, {
      log,
      onFailed: error => {
        throw error
      },
    })
    const price = await asking(chainPrice, { chain: 'base', token: weth }, chains)
    await asking(chainPrice, { chain: 'base', token: weth }, chains)
    const events: TokenPrice[] = []
    const watching = await log.watch(tokenPrices.topic, batch => {
      for (const { value } of batch) events.push(JSON.parse(value as string))
    })
    onTestFinished(() => watching.close())
    await until(() => events.length > 0, 'the price in the log')
    expect(events).toEqual([
      expect.objectContaining({
        chain: 'base',
        token: weth,
        block: price.block,
        price_usd: String(price.price_usd),
        pool_kind: 'uniswap_v3',
      }),
    ])
  })

  it('the pools of the factories are read from final blocks, and each once', async () => {
    const token = await market.deploy('Plain')
    const pool = await market.slipstreamPool(token, usdc, 2600, 1e-12, [])
    await market.node.mine({ blocks: 5 })
    const source = poolsOn('base', { urls: [market.rpcUrl], perSecond: 100_000 })
    const outside = { now: Date.now, signal: new AbortController().signal } as unknown as Outside
    const poll = async (cursor?: unknown) => {
      const pages = await Array.fromAsync(source.pull(cursor, outside, undefined))
      return {
        rows: pages.flatMap(({ events }) => events.map(({ event }) => chainPools.event.parse(event))),
        cursor: pages.at(-1)?.cursor,
      }
    }
    const first = await poll()
    expect(first.rows).toContainEqual(
      expect.objectContaining({
        kind: 'uniswap_v3',
        token0: weth,
        token1: usdc.toLowerCase(),
        fee: 500,
        tick_spacing: 10,
      }),
    )
    expect(first.rows).toContainEqual(
      expect.objectContaining({ kind: 'uniswap_v2', token1: expect.any(String), fee: 3000 }),
    )
    expect(first.rows).toContainEqual(
      expect.objectContaining({ kind: 'slipstream', pool: pool.toLowerCase(), fee: null, tick_spacing: 200 }),
    )
    expect((await poll(first.cursor)).rows).toEqual([])
    // Another chain answers at the same address, and the cursor is beyond its end.
    expect((await poll({ next: 10 ** 9 })).rows).toEqual(first.rows)
  })
})

// This moves the clock of the chain forward, and the next one ends its blocks: they come last.
it('the average of 30 minutes stands beside the price, and a price that leaves it is told', async () => {
  const young = await ask(chainPrice, { token: weth })
  expect(young.price_30m_usd).toBeNull()
  const abi = parseAbi(['function increaseObservationCardinalityNext(uint16 next)'])
  await market.send(young.pool.address, encodeFunctionData({ abi, args: [10] }))
  await market.node.increaseTime({ seconds: 2000 })
  await market.node.mine({ blocks: 1 })
  const calm = await ask(chainPrice, { token: weth })
  expect(calm.price_30m_usd / calm.price_usd).toBeCloseTo(1, 3)
  expect(calm.warnings).toEqual([])
  const highest = 1461446703485210103287273052203988822378723970341n
  await market.trade(calm.pool.address, false, dollars(200_000), highest)
  const moved = await ask(chainPrice, { token: weth })
  expect(moved.price_usd / calm.price_usd).toBeGreaterThan(1.1)
  expect(moved.warnings).toContainEqual(
    expect.objectContaining({
      code: 'price_disagrees',
      evidence: expect.stringMatching(/the average of 30 minutes is/),
    }),
  )
})

it('a chain that drops its newest blocks between two looks gives no answer, and the next question gets one', async () => {
  let looks = 0
  const reorging = await rpc(async (body, real) => {
    if (body.includes('eth_call') && ++looks === 2)
      await market.client.request({ method: 'anvil_reorg', params: [6, []] } as never)
    return real()
  })
  // Without a transaction the new blocks would be the same as the old ones.
  await market.send(market.me, '0x')
  await market.node.mine({ blocks: 2 })
  // A block of the clock in the middle of it would leave this chain confused for good.
  await market.node.setIntervalMining({ interval: 0 })
  await expect(ask(chainPrice, { token: weth }, [reorging.url])).rejects.toThrow(
    /the chain has dropped block \d+ while it was read/,
  )
  expect(await ask(chainPrice, { token: weth }, [reorging.url])).toMatchObject({ symbol: 'WETH' })
})
