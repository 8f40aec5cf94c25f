/** The result of a trade, from the deepest pool. */
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { centsText, toUnits, unit } from '../dollars.ts'
import type { ChainRefused, ChainWarning, Pretrade, Trade } from '../reader.ts'
import { atomsOf } from './balance.ts'
import { checked } from './check.ts'
import { knownSymbol } from './known-tokens.ts'
import { marketOf, noPool } from './market.ts'
import type { SvmNodes } from './nodes.ts'
import { other } from './pools/pool.ts'
import type { SvmPricedPool } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { shownPool } from './shown-price.ts'
import { heldBy } from './token/held.ts'

export async function pretradeOf(
  nodes: SvmNodes,
  pricing: Pricing,
  { token, wallet, amountUsd, side }: Trade,
): Promise<Pretrade | ChainRefused<'not_a_token' | 'no_pool'>> {
  const { held } = await heldBy(nodes, wallet)
  const own = held.filter(({ mint }) => mint === token)
  const market = await marketOf(pricing, token, own.map(({ account }) => account).slice(0, mostOwn))
  if ('refused' in market) return market
  const { read, reading, pools } = market
  const [deepest] = pools
  if (!deepest) return noPool(token)
  const { decimals } = read.mint
  const trade = traded(deepest, decimals, amountUsd, side)
  const check = checked(nodes, market)
  const atoms = atomsOf(token, own.slice(0, mostOwn), reading.sight)
  return {
    ...check,
    warnings: trade.short ? [...check.warnings, trade.short] : check.warnings,
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

/** A wallet holds a token in one account, or in a few. */
const mostOwn = 20

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
  return { out, impactPct: unit(0).sub(kept).mul(100).toDecimalPlaces(4).toFixed(), short }
}
