/** A release is the market on sale: one JSON text that a build wrote. Money and prices are decimal text. */
export interface ReleaseEndpoint {
  url: string
  price_usd: string | null
  calls: number
  wallets: number
  /** Buyers come back. */
  repeat: boolean
  /** It may be recommended: it can be paid as listed, somebody has paid it, and its listing describes it. */
  listed: boolean
  name: string | null
  description: string
  /** How to ask it for its quote, and its addresses. Only for a listed endpoint. */
  method?: string
  pay_to?: readonly string[]
  /** Its networks, as CAIP-2. Earlier releases have none. */
  networks?: readonly string[]
  tags: readonly string[]
  parameters: readonly string[]
}

export interface OnchainNote {
  checked: string
  note: string
  source: string
}

export interface ReleaseSeller {
  host: string
  operator: string
  rank: number
  est_revenue_usd: string
  calls: number
  paying_wallets_max: number
  paid_endpoints: number
  endpoint_count: number
  patterns: readonly string[]
  caution: string | null
  categories: readonly string[]
  competitors_category: string | null
  repeat_basis: 'chain' | 'catalog'
  onchain_note: OnchainNote | null
  /** The busiest first. */
  endpoints: readonly ReleaseEndpoint[]
}

export interface ReleaseCategory {
  category: string
  sellers: number
  endpoints: number
  calls: number
  est_revenue_usd: string
  paying_wallets_max: number
  median_price_usd: string | null
}

export interface Release {
  week: string
  snapshot: string
  /** The 30 days end before this day. */
  as_of: string
  rule_version: string
  rules_sha256: string
  /** Sorted by rank. */
  sellers: readonly ReleaseSeller[]
  categories: readonly ReleaseCategory[]
  /** Hosts that the catalog names or once named, and that had no paid call in the 30 days. */
  inactive: readonly string[]
}
