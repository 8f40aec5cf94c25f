/** Every check of a watched endpoint: it is asked for its quote, and never paid. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { PriceUsd } from './market-resources.ts'
import { Offer, offerColumn } from './values/offers.ts'
import { Instant, Sha256 } from './values/values.ts'

const moment = "DateTime64(3, 'UTC')"

/** The first fields of every row about an endpoint. The query is private to the caller. */
export const endpointFields = {
  endpoint: field(Sha256, 'FixedString(64)', 'The endpoint: a hash of its whole URL'),
  url: field(z.string().min(1), 'String', 'Its URL without the query'),
  host: field(z.string().min(1), 'LowCardinality(String)', 'Its host'),
}

const fields = {
  ...endpointFields,
  at: field(Instant, moment, 'When it was asked', 'Delta, ZSTD'),
  verdict: field(
    z.enum(['good', 'failed', 'unknown']),
    'LowCardinality(String)',
    'good: it quotes; failed: nobody can pay it; unknown: nobody can tell, because the trouble is ours or it asks for patience',
  ),
  problem: field(z.string().nullable(), 'LowCardinality(Nullable(String))', 'Why it is not good'),
  status: field(z.int().min(0).nullable(), 'Nullable(UInt16)', 'The HTTP status; null: no answer came'),
  latency_ms: field(
    z.int().min(0).nullable(),
    'Nullable(UInt32)',
    'From the question to DNS until the head of the answer',
  ),
  price_usd: field(
    PriceUsd.nullable(),
    'Nullable(Decimal(38, 18))',
    'Its cheapest offer in a known stablecoin',
  ),
  offers: field(z.array(Offer), offerColumn, 'What it asks for'),
  again: field(z.boolean(), 'Bool', 'The second of a pair: the first one saw a failure or a change'),
}

export type EndpointCheck = RowOf<typeof fields>

export const endpointChecks = defineDataset({
  name: 'endpoint_checks',
  about: 'Every check of a watched endpoint, four an hour',
  fields,
  key: ['endpoint'],
  identity: ['endpoint', 'at'],
  keep: { ms: 90 * 86_400_000 },
  table: { partitionBy: 'toYYYYMM(at)', expires: { after: 'at', days: 90 } },
})
