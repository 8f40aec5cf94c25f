/**
 * /chain: the promised outcome of a trade beside the swap that is really executed, the deepest pool among decoys, traps
 * and honest tokens, and what a price costs. All on an anvil with the contracts of Uniswap; then trades on Solana.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, encodeDeployData, encodeFunctionData, parseAbi } from 'viem'
import { Decimal } from '../../pipelines/domains/chain/dollars.ts'
import { isRefused, type Pretrade } from '../../pipelines/domains/chain/reader.ts'
import { dollars, type Market, startMarket, usdc, weth } from '../pipelines/domains/chain/market.ts'
import { fetchV4, v4Package } from '../pipelines/domains/chain/v4-package.ts'
import { evmCost, solanaCost } from './chain-cost.ts'
import { chainSolana } from './chain-solana.ts'
import { randomFrom } from './weather-questions.ts'

const ether = 10n ** 18n
const pools = Number(process.env.BENCH_POOLS ?? 200)
const random = randomFrom(15)
const between = (low: number, high: number) => low * (high / low) ** random()
const atoms = (units: number) => BigInt(Math.round(units * 1e6)) * 10n ** 12n

export async function chain(): Promise<void> {
  const market = await startMarket()
  try {
    await impacts(market)
    await decoys(market)
    await traps(market)
    await evmCost(market)
  } finally {
    await market.close()
  }
  await solanaCost()
  await chainSolana()
}

const routerAbi = parseAbi([
  'constructor(address factory, address weth)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 least, address[] path, address to, uint256 deadline)',
])
const erc20 = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const v2Factory = '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6'
const forever = 2n ** 40n
const lowest = 4295128740n
const highest = 1461446703485210103287273052203988822378723970341n

interface Trade {
  token: Address
  pool: Address
  side: 'buy' | 'sell'
  amountIn: bigint
  told: bigint
}

type Executed = (trade: Trade) => Promise<unknown>

async function v4Of(market: Market): Promise<Awaited<ReturnType<Market['layV4']>> | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-v4-'))
  try {
    return await market.layV4(await fetchV4(folder))
  } catch (error) {
    console.log(
      `${v4Package} is not to be had, so v4 is left out: ${(error as Error).message.split('\n')[0]}`,
    )
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function impacts(market: Market): Promise<void> {
  const { v2Pool, v3Pool, solidlyPool, deploy, call, client, me, send } = market
  const v4 = await v4Of(market)
  const { bytecode } = createRequire(import.meta.url)('@uniswap/v2-periphery/build/UniswapV2Router02.json')
  const router = (
    await send(
      undefined,
      encodeDeployData({
        abi: routerAbi,
        bytecode: `0x${bytecode.replace(/^0x/, '')}`,
        args: [v2Factory, weth],
      }),
    )
  ).contractAddress as Address
  await call(usdc, 'approve', [router, 2n ** 255n])

  const byRouter: Executed = async ({ token, side, amountIn }) => {
    await call(token, 'approve', [router, 2n ** 255n])
    const path = side === 'buy' ? [usdc, token] : [token, usdc]
    await succeed(
      send(
        router,
        encodeFunctionData({
          abi: routerAbi,
          functionName: 'swapExactTokensForTokens',
          args: [amountIn, 0n, path, me, forever],
        }),
      ),
    )
  }
  const byTrader: Executed = async ({ token, pool, side, amountIn }) => {
    const zeroForOne = BigInt(token) < BigInt(usdc) === (side === 'sell')
    await succeed(market.trade(pool, zeroForOne, amountIn, zeroForOne ? lowest : highest))
  }
  const byPair: Executed = async ({ token, pool, side, amountIn, told }) => {
    await call(side === 'buy' ? usdc : token, 'transfer', [pool, amountIn])
    const zeroOut = BigInt(token) < BigInt(usdc) === (side === 'buy')
    const swap = (out: bigint) => call(pool, 'swap', [zeroOut ? out : 0n, zeroOut ? 0n : out, me, '0x'])
    // The pair gives what it is asked for, up to its curve: more than was told must be too much.
    if ((await swap(told + told / 500n + 2n)).status === 'success') throw new Error('the pair gives more')
    await succeed(swap(told))
  }
  const concentrated = () => {
    const price = between(1e-15, 1e-9)
    const liquidity = BigInt(Math.round(between(1e5, 1e7) * 1e6 * price ** -0.5))
    const steps = [1, 2, 3, 4].map(n => ({
      below: 400 * n ** 2,
      above: 300 * n ** 2,
      liquidity: liquidity / BigInt(n),
    }))
    return { price, ranges: [...steps, { below: 9e5, above: 9e5, liquidity: liquidity / 20n }] }
  }
  const tier = { fee: 3000, spacing: 60 }
  const kinds: Record<string, { lay(token: Address): Promise<Address>; execute: Executed }> = {
    'Uniswap v2': {
      lay: token => v2Pool(token, atoms(between(1e3, 1e7)), usdc, dollars(between(1e4, 1e7))),
      execute: byRouter,
    },
    'Uniswap v3': {
      lay: token => {
        const { price, ranges } = concentrated()
        return v3Pool(token, usdc, [500, 3000, 10_000][Math.floor(random() * 3)] as number, price, ranges)
      },
      execute: byTrader,
    },
    ...(v4 && {
      'Uniswap v4': {
        lay: (token: Address) => {
          const { price, ranges } = concentrated()
          return v4.v4Pool(token, usdc, tier, price, ranges)
        },
        execute: ({ token, side, amountIn }: Trade) => {
          const zeroForOne = BigInt(token) < BigInt(usdc) === (side === 'sell')
          return succeed(v4.v4Trade(token, usdc, tier, zeroForOne, amountIn, zeroForOne ? lowest : highest))
        },
      },
    }),
    'Solidly volatile': {
      lay: token => solidlyPool(token, atoms(between(1e3, 1e7)), false, usdc, dollars(between(1e4, 1e7))),
      execute: byPair,
    },
    'Solidly stable': {
      lay: token => {
        const size = between(1e4, 1e7)
        return solidlyPool(token, atoms(size * between(0.5, 2)), true, usdc, dollars(size))
      },
      execute: byPair,
    },
  }
  console.log('\nwhat was told beside what the executed swap paid, in millionths, over both sides')
  for (const [kind, { lay, execute }] of Object.entries(kinds)) {
    const off: number[] = []
    for (let i = 0; i < pools / Object.keys(kinds).length; i++) {
      const token = await deploy('Plain')
      const pool = await lay(token)
      for (const side of ['buy', 'sell'] as const) {
        const price = await market.reader().price(token)
        if (isRefused(price)) throw new Error(price.because)
        const amountUsd = Number(price.depth_usd) * between(1e-4, 0.5)
        if (amountUsd < 0.01) throw new Error(`${kind}: a depth of $${price.depth_usd}`)
        const told = await market.reader().pretrade({ token, wallet: me, amountUsd, side })
        if (isRefused(told) || !told.receive) throw new Error(`${kind}: nothing was told`)
        const out = side === 'buy' ? token : usdc
        const held = () =>
          client.readContract({ address: out, abi: erc20, functionName: 'balanceOf', args: [me] })
        const before = await held()
        await execute({
          token,
          pool,
          side,
          amountIn: amountInOf(told, amountUsd),
          told: BigInt(told.receive.raw),
        })
        const paid = (await held()) - before
        off.push(Math.abs(Number(new Decimal(told.receive.raw).div(String(paid)).sub(1).mul(1e6))))
      }
    }
    off.sort((a, b) => a - b)
    const at = (q: number) => (off[Math.min(off.length - 1, Math.floor(off.length * q))] as number).toFixed(3)
    console.log(
      `${kind.padEnd(18)} ${off.length} swaps   median ${at(0.5)}   p99 ${at(0.99)}   worst ${at(1)}`,
    )
  }
}

/** As the reader computes it: dollars of the quote token, or the token's worth of them at the mid price. */
const amountInOf = ({ side, price_usd }: Pretrade, amountUsd: number): bigint =>
  side === 'buy'
    ? BigInt(new Decimal(amountUsd).mul(1e6).floor().toFixed())
    : BigInt(
        new Decimal(amountUsd)
          .div(price_usd as string)
          .mul(1e18)
          .floor()
          .toFixed(),
      )

async function succeed(sent: Promise<{ status: string }>): Promise<void> {
  if ((await sent).status !== 'success') throw new Error('the swap failed')
}

const tokensWithDecoys = 30

async function decoys({ deploy, v2Pool, v3Pool, solidlyPool, reader }: Market): Promise<void> {
  let right = 0
  const twin = await deploy('Plain')
  for (let i = 0; i < tokensWithDecoys; i++) {
    const token = await deploy('Plain')
    const price = between(0.01, 100)
    const size = between(2e4, 1e6)
    const lay = [
      () => v2Pool(token, atoms(size / price), usdc, dollars(size)),
      () => solidlyPool(token, atoms(size / price), false, usdc, dollars(size)),
      () =>
        v3Pool(token, usdc, 500, (price * 1e6) / 1e18, [
          {
            below: 5000,
            above: 5000,
            liquidity: BigInt(Math.round((size * 1e6 * 5) / Math.sqrt((price * 1e6) / 1e18))),
          },
        ]),
    ][i % 3] as () => Promise<Address>
    const real = await lay()
    // A worthless twin; dust at a wild price; millions out of range; a shallow pool of the same kind.
    await v2Pool(token, atoms(1e6), twin, atoms(1e6))
    await v3Pool(token, usdc, 3000, (price * 1e9) / 1e18, [
      { below: 6000, above: 6000, liquidity: 10n ** 8n },
    ])
    await v3Pool(token, usdc, 10_000, (price * 1e3) / 1e18, [
      { below: -20_000, above: 60_000, liquidity: 10n ** 13n },
    ])
    await solidlyPool(token, atoms(100), true, usdc, dollars(price * 100))
    const found = await reader().price(token)
    if (!isRefused(found) && found.pool.address.toLowerCase() === real.toLowerCase()) right++
    else console.log('wrong', i, found)
  }
  console.log(`\ndeepest pool among decoys: right for ${right} of ${tokensWithDecoys} tokens`)
}

const trapKinds = [
  'a tax on buying',
  'a tax on selling',
  'both',
  'a fee on each transfer',
  'nobody sells',
  'an allow-list',
  'paused',
  'max wallet',
  'a tax above an amount',
  'a delay after buying',
  're-entrant',
  'a gas bomb',
  'what is sold is swallowed',
]
const telling = new Set(['buy_tax', 'sell_tax', 'cannot_buy', 'cannot_sell'])

async function traps({ deploy, v2Pool, solidlyPool, call, reader }: Market): Promise<void> {
  const warned = async (kind: number, form: 'v2' | 'solidly'): Promise<string[]> => {
    const token = await deploy('Trap', BigInt(kind))
    const lay =
      form === 'v2'
        ? v2Pool(token, 1_000_000n * ether, usdc, dollars(1e6))
        : solidlyPool(token, 1_000_000n * ether, false, usdc, dollars(1e6))
    await call(token, 'begin', [await lay])
    const check = await reader().check(token)
    if (isRefused(check)) throw new Error(check.because)
    return check.warnings.map(({ code }) => code).filter(code => telling.has(code))
  }
  console.log('\ntraps, and what the check says of them')
  for (const [i, name] of trapKinds.entries())
    console.log(`${name.padEnd(28)} ${(await warned(i + 1, 'v2')).join(', ') || 'NOTHING'}`)
  let alarms = 0
  for (let i = 0; i < 12; i++) alarms += (await warned(0, i % 2 ? 'v2' : 'solidly')).length
  console.log(`12 honest tokens: ${alarms} false alarms`)
}
