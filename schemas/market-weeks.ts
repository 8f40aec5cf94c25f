/** The market week by week: every active seller with its rank, its endpoints, and the outcome of each build. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { marketViews } from './market-views.ts'
import { Instant, IsoDate, Sha256 } from './values/values.ts'

const word = 'LowCardinality(String)'
const time = "DateTime64(3, 'UTC')"
const count = z.int().min(0)

const Week = z.string().regex(/^\d{4}-W\d{2}$/, 'an ISO week as YYYY-Www')
const Usd = z.string().regex(/^\d{1,18}(\.\d{1,6})?$/, 'dollars with at most 6 decimals')
const usd = 'Decimal(38, 6)'

const pattern = z.strictObject({
  code: z.string(),
  witness: z.enum(['catalog', 'chain', 'both']),
  severity: z.enum(['strong', 'caution', 'info']),
  /** JSON: the numbers behind the label. */
  evidence: z.string(),
})

const week = field(Week, word, 'The ISO week of the snapshot')
const release = field(Sha256, word, 'The release, by the hash of its content')

const sellerFields = {
  week,
  release,
  host: field(z.string().min(1), 'String', 'The seller: a host without a leading www.'),
  operator: field(z.string(), 'String', 'The first of all hosts that share its wallets'),
  rank: field(count, 'UInt32', 'By estimated revenue, then paying wallets, then calls'),
  est_revenue_usd: field(Usd, usd, 'Calls times listed price: an estimate, not money that was seen'),
  calls: field(count, 'UInt64', 'Paid calls in 30 days, as the catalog counts them'),
  paying_wallets_max: field(count, 'UInt64', 'Paying wallets of its busiest endpoint; never a sum'),
  endpoints: field(count, 'UInt32', 'Endpoints listed'),
  paid_endpoints: field(count, 'UInt32', 'Endpoints with at least one call'),
  repeat_buyers: field(z.boolean(), 'Bool', 'Wallets come back'),
  basis: field(z.enum(['chain', 'catalog']), word, 'Where repeat_buyers is known from'),
  categories: field(z.array(z.string()), `Array(${word})`, 'Up to 3, the strongest first'),
  competitors_category: field(
    z.string().nullable(),
    'LowCardinality(Nullable(String))',
    'The category that most of its revenue comes from',
  ),
  patterns: field(
    z.array(pattern),
    `Array(Tuple(code ${word}, witness ${word}, severity ${word}, evidence String))`,
    'A label for each way in which its numbers look unusual, with those numbers',
  ),
  chain_payments: field(
    count.nullable(),
    'Nullable(UInt64)',
    'Payments seen at wallets of its own, in 30 days',
  ),
  chain_paid_usd: field(Usd.nullable(), `Nullable(${usd})`, 'The sum of those payments'),
  chain_wash_usd: field(
    // Weeks of before have none.
    Usd.nullable().default(null),
    `Nullable(${usd})`,
    'What it paid itself of that sum, and what came back of money that it had sent to others',
  ),
  chain_payers: field(count.nullable(), 'Nullable(UInt64)', 'The number of wallets that made them'),
  returning_payers: field(count.nullable(), 'Nullable(UInt64)', 'Customers that paid on 2 days or more'),
  rule_version: field(z.string(), word, 'The version of the rules that judged it'),
}
export type MarketSeller = RowOf<typeof sellerFields>

export const sellerWeeks = latest<MarketSeller>({
  name: 'market_seller_weeks',
  about: 'Every week of every seller, as it was ranked',
  key: ['week', 'host'],
  looked: { by: ['host'], newestBy: ['week'], most: 520 },
})

export const marketWeeks = defineDataset({
  name: 'market_weeks',
  about: 'Active x402 sellers, a row per seller and week',
  fields: sellerFields,
  key: ['host'],
  identity: ['week', 'host'],
  views: [sellerWeeks, ...marketViews],
})

const endpointFields = {
  week,
  release,
  host: field(z.string().min(1), 'String', 'The seller'),
  resource_key: field(z.string().min(1), 'String', 'The endpoint, whatever form its URL has'),
  url: field(z.string(), 'String', 'As listed'),
  price_usd: field(
    z.string().nullable(),
    'Nullable(Decimal(38, 18))',
    'Its lowest quote in a stablecoin; null: no such quote can be read',
  ),
  calls: field(count, 'UInt64', 'Paid calls in 30 days, as the catalog counts them'),
  paying_wallets: field(count, 'UInt64', 'Different payers in 30 days, as the catalog counts them'),
  category: field(z.string(), word, 'Its subject, judged by the words of its listing'),
}

export const marketEndpoints = defineDataset({
  name: 'market_endpoints',
  about: 'Endpoints of active x402 sellers, a row per endpoint and week',
  fields: endpointFields,
  key: ['week', 'host'],
  identity: ['week', 'host', 'resource_key'],
})

const buildFields = {
  at: field(Instant, time, 'When it was built'),
  week,
  snapshot: field(Instant, time, 'The snapshot of the catalog that it was built from'),
  outcome: field(
    z.enum(['published', 'unchanged', 'held_back']),
    word,
    'held_back: the build looked wrong, so the previous release stays on sale',
  ),
  reasons: field(z.array(z.string()), 'Array(String)', 'What looked wrong'),
  release,
  sellers: field(count, 'UInt32', 'Active sellers'),
  endpoints: field(count, 'UInt32', 'Their endpoints'),
  rated: field(z.number().min(0).max(1), 'Float64', 'The share of the catalog that has usage numbers'),
  chain_coverage: field(
    z.number().min(0).max(1),
    'Float64',
    'The share of the 30 days that was read on chain',
  ),
  as_of: field(IsoDate, 'Date', 'The 30 days end before this day'),
  rule_version: field(z.string(), word, 'The version of the rules'),
  rules_sha256: field(Sha256, 'FixedString(64)', 'A hash over the rules and thresholds'),
}
export type MarketBuild = RowOf<typeof buildFields>

export const marketBuilds = defineDataset({
  name: 'market_builds',
  about: 'Every build of the market, and whether it went on sale',
  fields: buildFields,
  key: ['week'],
  identity: ['at'],
})

/**
 * A release on sale: one JSON text, compressed and cut into parts that fit into a record. It counts once all its
 * parts are there. So a reader has the old release or the new one, never parts of both.
 */
const partFields = {
  release: field(Sha256, 'FixedString(64)', 'The hash of the whole text'),
  week,
  built_at: field(Instant, time, 'When it was built; the latest complete release counts'),
  part: field(count, 'UInt16', 'From 0'),
  parts: field(z.int().min(1), 'UInt16', 'The number of parts'),
  body: field(z.string(), 'String', 'This part of the text, which is gzip in base64'),
}
export type ReleasePart = RowOf<typeof partFields>

/** A release stays on sale until the next one. An answer from an old week says so; it is not refused. */
export const marketRelease = latest<ReleasePart>({
  name: 'market_release',
  about: 'The release on sale',
  key: ['release', 'part'],
  held: true,
})

export const marketReleases = defineDataset({
  name: 'market_releases',
  about: 'Releases of the market as they are sold',
  fields: partFields,
  key: ['release', 'part'],
  identity: ['release', 'part'],
  views: [marketRelease],
  audience: 'log',
})
