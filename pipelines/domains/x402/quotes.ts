/**
 * Brings the payments that a resource accepts into one form, from version 1 or 2, names or CAIP-2, strings or
 * numbers.
 */
import type { Accept } from '../../../schemas/market-resources.ts'
import {
  caip2,
  fromAtoms,
  isTestnet,
  plainAddress,
  stablecoinDecimals,
} from '../../../schemas/tables/stablecoins.ts'
import { listOf, recordOf, textOf } from './json.ts'

export interface QuotesRead {
  accepts: Accept[]
  price_usd: string | null
  price_is_max: boolean
  testnetOnly: boolean
}

const most = 50
/** A quote with more digits is a mistake or keeps scrapers away. No column can hold it. */
const mostWholeDigits = 18

export function readQuotes(given: unknown): QuotesRead {
  const accepts = listOf(given).slice(0, most).map(readAccept)
  const priced = accepts.filter(({ network, price_usd }) => price_usd !== null && !isTestnet(network))
  const exact = priced.filter(({ scheme }) => scheme === 'exact')
  return {
    accepts,
    price_usd: lowest(exact.length ? exact : priced),
    price_is_max: exact.length === 0 && priced.length > 0,
    testnetOnly: accepts.length > 0 && accepts.every(({ network }) => isTestnet(network)),
  }
}

/** No name and no address is longer. */
const mostText = 300
const shortOf = (value: unknown): string => textOf(value).slice(0, mostText)

function readAccept(given: unknown): Accept {
  const accept = recordOf(given)
  const network = caip2(shortOf(accept.network))
  const asset = plainAddress(shortOf(accept.asset))
  const amount = textOf(accept.amount ?? accept.maxAmountRequired)
  const decimals = stablecoinDecimals(network, asset) ?? null
  return {
    scheme: shortOf(accept.scheme),
    network,
    asset,
    amount: amount.slice(0, 100),
    decimals,
    price_usd: decimals === null ? null : priceOf(amount, decimals),
    pay_to: plainAddress(shortOf(accept.payTo)),
    fee_payer: shortOf(recordOf(accept.extra).feePayer),
  }
}

/** An amount is in atoms. "0.01" probably means dollars, but we do not guess. */
function priceOf(amount: string, decimals: number): string | null {
  if (!/^\d{1,38}$/.test(amount)) return null
  const price = fromAtoms(BigInt(amount), decimals)
  return price.replace(/\..*/, '').length <= mostWholeDigits ? price : null
}

function lowest(accepts: readonly Accept[]): string | null {
  const prices = accepts.map(({ amount, decimals, price_usd }) => ({
    price_usd,
    atoms: BigInt(amount) * 10n ** BigInt(36 - (decimals ?? 0)),
  }))
  return prices.sort((a, b) => (a.atoms < b.atoms ? -1 : 1))[0]?.price_usd ?? null
}
