/** What origins offer, as one list for the catalog. */
import type { Endpoint } from '../../operation.ts'
import type { OpenOrigin } from '../../origin.ts'
import { refusalsAMinute } from '../../rate.ts'

export interface CatalogOptions {
  contact: string
  /** The networks that can be paid on, as a sentence names them. */
  paidOn: string
  /** How often one caller may ask. */
  requestsAMinute: number
}

export interface Offered extends Endpoint {
  origin: OpenOrigin
  method: 'GET' | 'POST'
  /** Absent where it is free. */
  price?: string
}

/** The operations of each origin, then its free routes. */
export const offeredBy = (origins: readonly OpenOrigin[]): Offered[] =>
  origins.flatMap(origin => [
    ...origin.operations.map(operation => ({ ...operation, origin, method: 'POST' as const })),
    ...origin.free.map(route => ({ ...route, origin })),
  ])

export const fee = ({ price }: Offered): string => (price === undefined ? 'free' : `${price} USDC`)

/** The address to ask the example at. A GET carries its question there. */
export function addressOf({ origin, path, method, example }: Offered): string {
  const query = method === 'GET' ? String(new URLSearchParams(example.request as Record<string, string>)) : ''
  return `${origin.url}${path}${query && '?'}${query}`
}

export const titlesOf = (origins: readonly OpenOrigin[]): string =>
  origins.map(({ title }) => title).join('; ')

/** The address of a page about several origins: that of the first. */
export const urlOf = ([first]: readonly OpenOrigin[]): string => first?.url ?? ''

/** The rates that callers are held to, as a sentence for all who read the catalog. */
export const limitsOf = ({ requestsAMinute }: CatalogOptions): string =>
  `One caller may make ${requestsAMinute} requests a minute, and the refused calls of one payer may cost ${refusalsAMinute} requests to upstreams a minute; a refusal that costs none is not counted. RateLimit and RateLimit-Policy tell where you stand; beyond the limit the answer is a free 429 with Retry-After.`
