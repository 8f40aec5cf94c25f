/** The fields of a quote in the answers of /check, /weigh and /watch. */
import { z } from 'zod'
import { watchedUrl } from '../../../pipelines/domains/watch/url.ts'
import type { ProbeSeen } from '../../../pipelines/domains/x402/quote-probe.ts'
import { NotPublic } from '../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { fromAtoms, stablecoinDecimals } from '../../../schemas/tables/stablecoins.ts'
import type { Offer } from '../../../schemas/values/offers.ts'
import { exact } from '../../../schemas/values/values.ts'
import { number } from '../../offer/answer.ts'
import { Failure } from '../../offer/errors.ts'
import type { Tools } from '../../offer/operation.ts'
import { marketOnSale } from '../data/market/on-sale.ts'

export const offerShape = z.strictObject({
  network: z.string().describe('As CAIP-2, where the name is known'),
  scheme: z.string(),
  asset: z.string(),
  amount: z.string().describe('In atoms of the asset'),
  price_usd: exact().nullable().describe('null: the asset is no stablecoin that we know'),
  pay_to: z.string(),
})

export const price = (usd: string | null) => (usd === null ? null : number(usd))

export function offerAnswer({ network, scheme, asset, amount, pay_to }: Offer) {
  const decimals = stablecoinDecimals(network, asset)
  const usd = decimals === undefined || amount.length > 38 ? null : fromAtoms(BigInt(amount), decimals)
  return { network, scheme, asset, amount, price_usd: price(usd), pay_to }
}

export const urlAsked = z.string().min(1).max(2048).describe('The URL of an x402 endpoint, as it is paid')

/** Brings a caller's URL into its one form. */
export function urlOf(text: string, invalid: (message: string) => never): string {
  try {
    return watchedUrl(text)
  } catch (error) {
    if (error instanceof NotPublic) return invalid(error.message)
    throw error
  }
}

/** Refuses if the endpoint did not respond. */
export function answering(
  seen: ProbeSeen,
  refuse: (code: 'invalid_url' | 'unreachable', message: string) => never,
): number {
  if (seen.failure instanceof NotPublic) return refuse('invalid_url', seen.failure.message)
  return seen.status ?? refuse('unreachable', seen.failure?.message ?? 'Nobody answered')
}

/** The method that the catalog lists for the endpoint. */
export function listedMethod(url: string, tools: Pick<Tools, 'view'>): 'GET' | 'POST' | undefined {
  try {
    const { market, held } = marketOnSale(tools)
    const methods = held.once('methods', () => ({
      value: new Map(market.listings.map(({ endpoint }) => [endpoint.url, endpoint.method])),
    }))
    const method = methods.get(url)
    return method === 'GET' || method === 'POST' ? method : undefined
  } catch (error) {
    // The market may have no release yet. The endpoint can be asked all the same.
    if (error instanceof Failure) return undefined
    throw error
  }
}
