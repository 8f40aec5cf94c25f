/** What some origins offer, as the catalog goes through it. */
import type { Endpoint } from '../../operation.ts'
import type { OpenOrigin } from '../../origin.ts'

export interface CatalogOptions {
  contact: string
  /** The networks that can be paid on, as a sentence names them. */
  paidOn: string
}

export interface Offered extends Endpoint {
  origin: OpenOrigin
  method: 'GET' | 'POST'
  /** Absent: it is free. */
  price?: string
}

/** The operations of each origin, then its free routes. */
export const offeredBy = (origins: readonly OpenOrigin[]): Offered[] =>
  origins.flatMap(origin => [
    ...origin.operations.map(operation => ({ ...operation, origin, method: 'POST' as const })),
    ...origin.free.map(route => ({ ...route, origin })),
  ])

export const fee = ({ price }: Offered): string => (price === undefined ? 'free' : `${price} USDC`)

/** Where the example is asked: with its question, where that stands in the address. */
export function addressOf({ origin, path, method, example }: Offered): string {
  const query = method === 'GET' ? String(new URLSearchParams(example.request as Record<string, string>)) : ''
  return `${origin.url}${path}${query && '?'}${query}`
}

export const titlesOf = (origins: readonly OpenOrigin[]): string =>
  origins.map(({ title }) => title).join('; ')

/** Where a page about several origins is found: at the first one's. */
export const urlOf = ([first]: readonly OpenOrigin[]): string => first?.url ?? ''
