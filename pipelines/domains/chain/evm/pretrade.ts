/** The result of a trade: the check of the token, the impact of the amount, and the wallet's holding. */
import type { Address } from 'viem'
import { Decimal, toUnits } from '../dollars.ts'
import { lackOf } from '../holdings.ts'
import type { ChainRefused, ChainWarning, Pretrade, Trade } from '../reader.ts'
import { markets } from './chains/index.ts'
import { checkOf } from './check.ts'
import { midOf, toAtoms } from './curves.ts'
import { nativeBalance } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import type { Plan } from './plan.ts'
import { noPool } from './price.ts'
import type { EvmPricedPool } from './prices.ts'
import { shownPool } from './shown-price.ts'
import { paidFor } from './swaps.ts'
import { balanceCall, inUnits, shownAddress } from './token.ts'
import { uintOf } from './words.ts'

export async function pretradeOf(
  nodes: EvmNodes,
  { token, wallet, amountUsd, side }: Trade,
): Promise<Pretrade | ChainRefused<'not_a_token' | 'no_pool'>> {
  const checked = await checkOf(nodes, token as Address, heldPlan(nodes, token, wallet), amountUsd)
  if ('refused' in checked) return checked
  const { check, deepest, token: read, prices } = checked
  const { decimals } = read
  if (!deepest || decimals === null) return noPool(nodes, token as Address, read)
  const amountIn = amountInOf(deepest, side, amountUsd, decimals)
  const paid = amountIn > 0n ? await paidFor(nodes, deepest.pool, side, amountIn, prices.block) : 0n
  const held = prices.extra.more
  const short = [
    ...shortOf(deepest, amountUsd, paid),
    ...lackOf(
      side === 'buy'
        ? { symbol: deepest.pool.quote.symbol, decimals: deepest.pool.quote.decimals, held: held.of(deepest) }
        : { symbol: read.symbol.text ?? 'the token', decimals, held: held.tradable },
      amountIn,
      { side, amountUsd },
    ),
  ]
  const out = {
    symbol: side === 'buy' ? read.symbol.text : deepest.pool.quote.symbol,
    places: placesOf(deepest, side, decimals),
  }
  return {
    ...check,
    wallet: shownAddress(wallet as Address),
    side,
    amount_usd: amountUsd,
    price_impact_pct: paid ? impactOf(deepest, side, decimals, amountIn, paid) : null,
    receive: paid ? { symbol: out.symbol, amount: inUnits(paid, out.places), raw: String(paid) } : null,
    route: [shownPool(deepest.pool)],
    holding: { balance: inUnits(held.token, decimals), raw: String(held.token) },
    warnings: [...check.warnings, ...short],
  }
}

interface Held {
  token: bigint
  /** With the native coin where the token is its wrapped form: a router wraps it. */
  tradable: bigint
  /** The wallet's quote token of this pool, in the same way. */
  of(priced: EvmPricedPool): bigint
}

/** In the first look, so it costs no call. The pool is not known yet, so every quote token is asked for. */
function heldPlan({ chain }: EvmNodes, token: string, wallet: string): Plan<Held> {
  const { quotes, wrapped } = markets[chain]
  const holder = wallet as Address
  return {
    calls: [
      balanceCall(token as Address, holder),
      nativeBalance(holder),
      ...quotes.map(({ address }) => balanceCall(address, holder)),
    ],
    read: returned => {
      const [own = 0n, coins = 0n, ...ofQuotes] = returned.map(one => uintOf(one) ?? 0n)
      const wrappable = (address: string) => (address.toLowerCase() === wrapped.toLowerCase() ? coins : 0n)
      return {
        token: own,
        tradable: own + wrappable(token),
        of: ({ pool: { quote } }) => (ofQuotes[quotes.indexOf(quote)] ?? 0n) + wrappable(quote.address),
      }
    },
  }
}

function shortOf({ pool }: EvmPricedPool, amountUsd: number, paid: bigint | undefined): ChainWarning[] {
  const address = shownAddress(pool.address)
  if (paid === undefined)
    return [
      {
        code: 'exceeds_pool',
        severity: 'danger',
        evidence: `${address} does not take $${amountUsd} in one trade`,
      },
    ]
  return paid === 0n
    ? [{ code: 'too_small', severity: 'danger', evidence: `${address} pays nothing for $${amountUsd}` }]
    : []
}

const placesOf = ({ pool }: EvmPricedPool, side: Trade['side'], decimals: number) =>
  side === 'buy' ? decimals : pool.quote.decimals

const amountInOf = (
  { pool, quoteUsd, priceUsd }: EvmPricedPool,
  side: Trade['side'],
  amountUsd: number,
  decimals: number,
): bigint =>
  side === 'buy'
    ? toAtoms(new Decimal(amountUsd).div(quoteUsd), pool.quote.decimals)
    : toAtoms(new Decimal(amountUsd).div(priceUsd), decimals)

/** In percent: how much less the trade brings than the mid price promises. */
function impactOf(
  { pool }: EvmPricedPool,
  side: Trade['side'],
  decimals: number,
  amountIn: bigint,
  paid: bigint,
): string {
  const mid = midOf(pool, decimals)
  const [token, quote] = side === 'buy' ? [paid, amountIn] : [amountIn, paid]
  const [tokens, quotes] = [toUnits(token, decimals), toUnits(quote, pool.quote.decimals)]
  const share = side === 'buy' ? tokens.mul(mid).div(quotes) : quotes.div(tokens.mul(mid))
  return new Decimal(1).sub(share).mul(100).toDecimalPlaces(4).toFixed()
}
