/** Lists for the catalog everything that origins offer. */
import { contractOf, type Endpoint } from '../../offer/operation.ts'
import type { OpenOrigin, ServedPage } from '../../offer/origin.ts'
import { refusalsAMinute } from '../../offer/rate.ts'
import { priceWords } from '../../offer/tariff.ts'
import { pictureEnd } from '../face/picture.ts'
import { docsPath } from '../face/text.ts'

export interface CatalogOptions {
  contact: string
  /** The networks that accept payments, as words in a sentence: Base or Solana. */
  paidOn: string
  /** The token of each network that MPP pays on. Absent: only x402 is spoken. */
  mppCurrencies?: readonly string[] | undefined
  /** The number of requests a minute for one caller. */
  requestsAMinute: number
  /** The address for MCP clients. */
  mcpUrl: string
  /** Absent where the money is real. Then no page tries an operation. */
  play?: Play | undefined
  /** The networks on which a person's own wallet pays on the pages. Absent where the money is play money. */
  wallets?: readonly WalletNetwork[] | undefined
  behind?: ((offered: Offered, origins: readonly OpenOrigin[]) => Promise<Behind>) | undefined
  /** What the first page tells of now. It waits for nothing that is slow. */
  figures?: (() => Promise<readonly Figure[]>) | undefined
}

/** What stands behind an operation: the sources of its facts, and a query for each view that it reads. */
export interface Behind {
  sources: readonly {
    name: string
    state: string
    isGood: boolean
    /** How long ago, and how long it may be. */
    lastGood: string
    promise: string
    /** The newest first. None while the store is away. */
    polls: readonly { at: string; outcome: string; tookMs: number; error: string | null }[]
  }[]
  /** With what each column means. */
  views: readonly {
    name: string
    sql: string
    columns: readonly (readonly [name: string, about: string])[]
  }[]
}

export interface Figure {
  name: string
  value: string
}

/** Play money. */
export interface Play {
  /** The page that makes a payment for an offer of a quote. */
  page: ServedPage
  /** What else the sandbox shows. */
  others?: readonly ServedPage[]
  /** The networks, by their CAIP-2 ids. */
  networks: readonly { id: string; title: string }[]
}

/** What a page needs to know of a network, so that it takes nothing of it from a quote. */
export interface WalletNetwork {
  id: string
  title: string
  /** Its USDC. */
  asset: string
  /** Of its EIP-712 domain. A network of Solana has none. */
  domain?: { name: string; version: string }
  /** Where people look at a transaction, which takes the place of `{tx}`. */
  explorer: string
}

export interface Offered extends Endpoint {
  origin: OpenOrigin
  method: 'GET' | 'POST'
  /** Absent for a free route. */
  price?: string
  prices?: Readonly<Record<string, string>>
  tool?: string
}

/** The operations of each origin, then its free routes. */
export const offeredBy = (origins: readonly OpenOrigin[]): Offered[] =>
  origins.flatMap(origin => [
    ...origin.operations.map(operation => ({
      ...operation,
      about: contractOf(operation),
      origin,
      method: 'POST' as const,
    })),
    ...origin.free.map(route => ({ ...route, origin })),
  ])

export const fee = ({ price, prices }: Offered): string =>
  price === undefined ? 'free' : priceWords({ price, ...(prices && { prices }) })

/** The URL that asks the example. With GET it contains the question. */
export function addressOf({ origin, path, method, example }: Offered): string {
  const query = method === 'GET' ? String(new URLSearchParams(example.request as Record<string, string>)) : ''
  return `${origin.url}${path}${query && '?'}${query}`
}

export const titlesOf = (origins: readonly OpenOrigin[]): string =>
  origins.map(({ title }) => title).join('; ')

/** A page about several origins names the address of the first. */
export const urlOf = ([first]: readonly OpenOrigin[]): string => first?.url ?? ''

/** The picture of a page without one of its own. */
export const generalPicture = (origins: readonly OpenOrigin[]): string =>
  urlOf(origins) + docsPath(pictureEnd)

/** How a client of MPP pays, as a sentence. */
export const mppOf = ({ mppCurrencies = [] }: CatalogOptions): string =>
  mppCurrencies.length
    ? 'A client of MPP (the scheme Payment of HTTP authentication) pays the same quote on EVM networks: the 402 bears WWW-Authenticate: Payment with method evm, intent charge; send the signed authorization (EIP-3009) in Authorization: Payment, and the answer bears Payment-Receipt. No transaction and no hash of one is taken; on Solana, whose method has nothing else, pay through x402.'
    : ''

/** The rates that callers must keep, as a sentence for readers of the catalog. */
export const limitsOf = ({ requestsAMinute }: CatalogOptions): string =>
  `One caller, of IPv6 a whole /64, may make ${requestsAMinute} requests a minute; every call counts, also one that cannot be read. Pages, free routes and probes have rates of their own. The refused calls of one payer may cost ${refusalsAMinute} requests to upstreams a minute; a refusal that costs none is not counted. Payments that cannot be taken, ${refusalsAMinute} a minute, count against payer and caller. The headers RateLimit and RateLimit-Policy show how many are left. Above a limit the answer is a free 429 with Retry-After.`

/** A title as a sentence. Some ask. */
export const sentence = (title: string): string => (title.endsWith('?') ? title : `${title}.`)
