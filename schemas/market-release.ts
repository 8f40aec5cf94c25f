/** A release of the market as it is sold: what a build wrote, in one JSON text. Money and prices are decimal text. */
export interface ReleaseEndpoint {
  url: string
  price_usd: string | null
  calls: number
  wallets: number
  /** Do its buyers come back? */
  repeat: boolean
  /** May it be recommended: it can be paid as listed, has been, and says what it is. */
  listed: boolean
  name: string | null
  description: string
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
  /** By rank. */
  sellers: readonly ReleaseSeller[]
  categories: readonly ReleaseCategory[]
  /** Hosts that the catalog names or once named, without a paid call in the window. */
  inactive: readonly string[]
}
