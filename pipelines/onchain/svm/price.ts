/** The price of one token, and what there is to know before a trade. */
import { fromAtoms } from '../../../schemas/stablecoins.ts'
import type { Check, Pretrade, Price, Refused, Trade, Warning } from '../reader.ts'
import { atomsOf } from './balance.ts'
import { knownSymbol } from './known-tokens.ts'
import type { SvmNodes } from './nodes.ts'
import { other } from './pools/pool.ts'
import type { Reading } from './pools/reading.ts'
import {
  centsText,
  type PricedPool,
  type Pricing,
  priceWarnings,
  shownPool,
  shownPrice,
  toUnits,
  unit,
  usdText,
} from './pricing.ts'
import { tokenAccount } from './token/account.ts'
import { extension, transferFeeAt } from './token/extensions.ts'
import { type ReadToken, readable, seen, tokenAccounts, tokenIn, tokenWarnings } from './token/facts.ts'
import { heldBy } from './token/held.ts'

interface Market {
  read: ReadToken
  reading: Reading
  pools: PricedPool[]
  isPartial: boolean
}

async function marketOf(
  pricing: Pricing,
  token: string,
  beside: readonly string[] = [],
): Promise<Market | Refused<'not_a_token'>> {
  const { isPartial, ...reading } = await pricing.read(token, [...tokenAccounts(token), ...beside])
  const read = tokenIn(token, reading.sight)
  if ('refused' in read) return read
  return { read, reading, pools: pricing.priced(token, read.mint.decimals, reading), isPartial }
}

export async function priceOf(
  nodes: SvmNodes,
  pricing: Pricing,
  token: string,
): Promise<Price | Refused<'not_a_token' | 'no_pool'>> {
  const market = await marketOf(pricing, token)
  if ('refused' in market) return market
  const { read, reading, pools, isPartial } = market
  const [deepest] = pools
  if (!deepest) return noPool(token)
  return {
    ...seen(nodes, reading.sight),
    token,
    symbol: read.symbol,
    ...shownPrice(deepest),
    pools_seen: pools.length,
    price_30m_usd: null,
    warnings: priceWarnings(pools, isPartial),
  }
}

const noPool = (token: string): Refused<'no_pool'> => ({
  refused: 'no_pool',
  because: `No pool of ${token} with USDC, USDT or SOL has liquidity`,
})

export async function checkOf(
  nodes: SvmNodes,
  pricing: Pricing,
  token: string,
): Promise<Check | Refused<'not_a_token'>> {
  const market = await marketOf(pricing, token)
  return 'refused' in market ? market : checked(nodes, market)
}

function checked(nodes: SvmNodes, { read, reading, pools, isPartial }: Market): Check {
  const { address, name, symbol, mint } = read
  const [deepest] = pools
  const taken = transferFeeAt(mint.extensions, reading.sight.clock.epoch)
  const taxPct = String((taken?.bps ?? 0) / 100)
  return {
    ...seen(nodes, reading.sight),
    token: address,
    name,
    symbol,
    total_supply: fromAtoms(mint.supply, mint.decimals),
    ...(deepest
      ? shownPrice(deepest)
      : { price_usd: null, depth_usd: null, thin_liquidity: null, pool: null }),
    // What a transfer withholds stands in the mint, and applies to every holder alike.
    buy_tax_pct: taxPct,
    sell_tax_pct: taxPct,
    sellable: extension(mint.extensions, 'non_transferable') ? false : null,
    warnings: [
      ...tokenWarnings(read, reading.sight),
      ...(deepest ? [] : [noPoolWarning(address)]),
      ...priceWarnings(pools, isPartial),
      ...(deepest ? poolWarnings(deepest, read, reading) : []),
      {
        code: 'not_tried',
        severity: 'info',
        evidence:
          'no purchase is tried here: the authorities and extensions of the mint say what can stop a sale',
      },
    ],
  }
}

const noPoolWarning = (token: string): Warning => ({
  code: 'no_pool',
  severity: 'caution',
  evidence: noPool(token).because,
})

const dayS = 86_400
const nearlyAll = 0.9

function poolWarnings(
  { read: { state, vault } }: PricedPool,
  { mint }: ReadToken,
  { sight }: Reading,
): Warning[] {
  const found: Warning[] = []
  const ageS = state.openedAt ? sight.clock.unixSeconds - Number(state.openedAt) : undefined
  if (ageS !== undefined && ageS < dayS)
    found.push({
      code: 'young_pool',
      severity: 'caution',
      evidence: `${state.address} opened ${Math.max(0, Math.round(ageS / 3600))} h ago`,
    })
  const account = sight.account(vault)
  const held = (account && readable(() => tokenAccount(account.data))?.amount) ?? 0n
  if (mint.supply > 0n && toUnits(held, 0).div(toUnits(mint.supply, 0)).gt(nearlyAll))
    found.push({
      code: 'held_by_pool',
      severity: 'info',
      evidence: `${vault} of the pool holds ${fromAtoms(held, mint.decimals)} of ${fromAtoms(mint.supply, mint.decimals)}`,
    })
  return found
}

export async function pretradeOf(
  nodes: SvmNodes,
  pricing: Pricing,
  { token, wallet, amountUsd, side }: Trade,
): Promise<Pretrade | Refused<'not_a_token' | 'no_pool'>> {
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

/** Wallets hold a token in one account, or in a few. */
const mostOwn = 20

/** The impact is what is missing of the value at the mid price. `short`: what was read of the pool cannot take it all. */
function traded(deepest: PricedPool, decimals: number, amountUsd: number, direction: Trade['side']) {
  const { read, side, quoteDecimals, priceUsd, quoteUsd } = deepest
  const buys = direction === 'buy'
  const [inUsd, inDecimals] = buys ? [quoteUsd, quoteDecimals] : [priceUsd, decimals]
  const [outUsd, outDecimals] = buys ? [priceUsd, decimals] : [quoteUsd, quoteDecimals]
  const given = BigInt(unit(inDecimals).mul(amountUsd).div(inUsd).floor().toFixed(0))
  const { used, out } = read.pool.swap(buys ? other(side) : side, given)
  const kept = toUnits(out, outDecimals).mul(outUsd).div(amountUsd)
  const short: Warning | undefined =
    used < given
      ? {
          code: 'thin',
          severity: 'danger',
          evidence: `${read.pool.address} takes $${centsText(toUnits(used, inDecimals).mul(inUsd))} of $${usdText(unit(0).mul(amountUsd))} within what was read of it`,
        }
      : undefined
  return { out, impactPct: unit(0).sub(kept).mul(100).toDecimalPlaces(4).toFixed(), short }
}
