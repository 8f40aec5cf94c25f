/** Honeypots that look for simulations, and honest tokens, on an anvil with the router of Uniswap. */
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRefused } from '../../../../pipelines/domains/chain/reader.ts'
import { checkOf, evasive, honest, isAccused, isTold, untold, withHoneypots } from './honeypots.ts'
import { dollars, type Market, startMarket, usdc } from './market.ts'

/** Each check is a hundred simulated blocks, seconds of work of two processes. The short form tries the first four traps and half of the others, an honest token of three, and one trap through each other router. */
const isLong = process.env.LONG_FORM !== undefined
const traps = evasive
  .map((name, nth) => [name, nth + 1] as const)
  .filter(([, kind]) => isLong || kind <= 4 || kind % 2 === 0)
const shapes = isLong ? honest : honest.filter((_, nth) => nth % 3 === 0)
const otherRouters = ['solidly', 'uniswap v3'] as const

let market: Market
beforeAll(async () => {
  market = await withHoneypots(await startMarket())
})
afterAll(() => market?.close())

const codes = (warnings: readonly { code: string }[]) => warnings.map(({ code }) => code).sort()

describe('a trap that tries not to be seen', () => {
  it.each(traps)('%s', async (_, kind) => {
    const check = await checkOf(market, 'Evasive', [BigInt(kind)])
    expect(check, JSON.stringify(check.warnings)).toSatisfy(isTold)
  })
})

describe('a trap that no trial can tell: whoever cures one moves it above', () => {
  it.each(Object.entries(untold))('%s: %s', async kind => {
    expect(await checkOf(market, 'Evasive', [BigInt(kind)])).not.toSatisfy(isTold)
  })
})

describe('an honest token is not accused', () => {
  it.each(shapes.map(shape => [shape.name, shape] as const))(
    '%s',
    async (_, { contract, args, decimals }) => {
      const check = await checkOf(market, contract, args, decimals)
      expect(isAccused(check), JSON.stringify([check.sellable, check.tried, check.warnings])).toBe(false)
    },
  )
})

describe('what is told in place of an accusation', () => {
  it('a wait of one block is a cooldown', async () => {
    const check = await checkOf(market, 'Honest', [6n, 18])
    expect(check.sellable).toBe(true)
    expect(codes(check.warnings)).toEqual(['cooldown'])
  })

  it('a maximum is a limit, with the amount that went through', async () => {
    const check = await checkOf(market, 'Honest', [8n, 18])
    expect(check).toMatchObject({ sellable: true })
    expect(check.warnings).toContainEqual(
      expect.objectContaining({
        code: 'buy_limit',
        evidence: expect.stringMatching(/\$10 failed: .*; one of \$1 went through/),
      }),
    )
  })

  it('the answer says what was tried', async () => {
    const { tried } = await checkOf(market, 'Honest', [0n, 18])
    expect(tried).toMatch(
      /6 new accounts tried to buy, for \$\d+.*, through the router 0x4752\w+; that of \$100 sold in the same block, in the next, a day and a half and a month later; those of /,
    )
  })
})

describe('through the routers of other pools', () => {
  const ether = 10n ** 18n
  const lay = {
    solidly: (token: Address) => market.solidlyPool(token, 500_000n * ether, false, usdc, dollars(500_000)),
    'uniswap v3': (token: Address) =>
      market.v3Pool(token, usdc, 3000, 1e-12, [{ below: 6000, above: 6000, liquidity: 10n ** 18n }]),
  }
  const checked = async (pool: keyof typeof lay, contract: string, ...args: unknown[]) => {
    const token = await market.deploy(contract, ...args)
    await market.call(token, 'begin', [await lay[pool](token)])
    const check = await market.reader().check(token)
    if (isRefused(check)) throw new Error(check.because)
    return check
  }

  it.each(otherRouters)('%s: the same traps are told, and no honest token', async pool => {
    for (const kind of isLong ? [1n, 2n, 3n, 4n] : [1n])
      expect(await checked(pool, 'Evasive', kind)).toSatisfy(isTold)
    for (const kind of isLong ? [0n, 1n, 6n] : [0n]) {
      const check = await checked(pool, 'Honest', kind, 18)
      expect(isAccused(check), JSON.stringify([check.tried, check.warnings])).toBe(false)
    }
    const taxed = await checked(pool, 'Honest', 1n, 18)
    expect(taxed).toMatchObject({ buy_tax_pct: '3', sell_tax_pct: '3' })
  })
})
