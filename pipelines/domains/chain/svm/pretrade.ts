/** The result of a trade, from the deepest pool. */
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { centsText, toUnits, unit } from '../dollars.ts'
import { lackOf } from '../holdings.ts'
import type { ChainRefused, ChainWarning, Pretrade, Trade } from '../reader.ts'
import { atomsOf } from './balance.ts'
import { checked } from './check.ts'
import { knownSymbol } from './known-tokens.ts'
import { marketOf, noPool } from './market.ts'
import type { SvmNodes } from './nodes.ts'
import { other } from './pools/pool.ts'
import { quotes, type SvmPricedPool } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { wrappedSol } from './programs.ts'
import { shownPool } from './shown-price.ts'
import { type HeldIn, heldBy } from './token/held.ts'

export async function pretradeOf(
  nodes: SvmNodes,
  pricing: Pricing,
  { token, wallet, amountUsd, side }: Trade,
): Promise<Pretrade | ChainRefused<'not_a_token' | 'no_pool'>> {
  const { held } = await heldBy(nodes, wallet)
  const ofQuotes = held.filter(({ mint }) => mint !== token && quotes.includes(mint))
  const mine = [...largest(held.filter(({ mint }) => mint === token)), ...largest(ofQuotes, mostOfQuotes)]
  const market = await marketOf(pricing, token, [wallet, ...mine.map(({ account }) => account)])
  if ('refused' in market) return market
  const { read, reading, pools } = market
  const [deepest] = pools
  if (!deepest) return noPool(token)
  const { decimals } = read.mint
  const trade = traded(deepest, decimals, amountUsd, side)
  const check = checked(nodes, market)
  const atoms = atomsOf(token, mine, reading.sight)
  const quote = deepest.read.quote
  // A wallet wraps its SOL for the trade.
  const holds = (mint: string) =>
    atomsOf(mint, mine, reading.sight) +
    (mint === wrappedSol ? (reading.sight.account(wallet)?.lamports ?? 0n) : 0n)
  const lack = lackOf(
    side === 'buy'
      ? {
          symbol: knownSymbol(quote) ?? quote,
          decimals: deepest.quoteDecimals,
          held: holds(quote),
        }
      : { symbol: read.symbol ?? token, decimals, held: holds(token) },
    trade.given,
    { side, amountUsd },
  )
  return {
    ...check,
    warnings: [...check.warnings, ...(trade.short ? [trade.short] : []), ...lack],
    wallet,
    side,
    amount_usd: amountUsd,
    price_impact_pct: trade.short ? null : trade.impactPct,
    receive: trade.short
      ? null
      : side === 'buy'
        ? { symbol: read.symbol, amount: fromAtoms(trade.out, decimals), raw: String(trade.out) }
        : {
            symbol: knownSymbol(deepest.read.quote) ?? null,
            amount: fromAtoms(trade.out, deepest.quoteDecimals),
            raw: String(trade.out),
          },
    route: [shownPool(deepest)],
    holding: { balance: fromAtoms(atoms, decimals), raw: String(atoms) },
  }
}

/** A wallet holds a token in one account, or in a few. Strangers may open more of them. */
const mostOwn = 14
const mostOfQuotes = 6

const largest = (held: readonly HeldIn[], most = mostOwn) =>
  [...held].sort((a, b) => (a.amount > b.amount ? -1 : 1)).slice(0, most)

/**
 * The impact is the loss against the value at the mid price. `short`: the pool cannot take the whole amount, or pays
 * nothing for it.
 */
function traded(deepest: SvmPricedPool, decimals: number, amountUsd: number, direction: Trade['side']) {
  const { read, side, quoteDecimals, priceUsd, quoteUsd } = deepest
  const buys = direction === 'buy'
  const [inUsd, inDecimals] = buys ? [quoteUsd, quoteDecimals] : [priceUsd, decimals]
  const [outUsd, outDecimals] = buys ? [priceUsd, decimals] : [quoteUsd, quoteDecimals]
  const given = BigInt(unit(inDecimals).mul(amountUsd).div(inUsd).floor().toFixed(0))
  const { used, out } = read.pool.swap(buys ? other(side) : side, given)
  const kept = toUnits(out, outDecimals).mul(outUsd).div(amountUsd)
  const short: ChainWarning | undefined =
    used < given
      ? {
          code: 'exceeds_pool',
          severity: 'danger',
          evidence: `${read.pool.address} takes $${centsText(toUnits(used, inDecimals).mul(inUsd))} of $${amountUsd} within what was read of it`,
        }
      : out === 0n
        ? {
            code: 'too_small',
            severity: 'danger',
            evidence: `${read.pool.address} pays nothing for $${amountUsd}`,
          }
        : undefined
  return { given, out, impactPct: unit(0).sub(kept).mul(100).toDecimalPlaces(4).toFixed(), short }
}
