/** The quotes of listed endpoints for a request without a payment, an event per endpoint and probe. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { PriceUsd } from './market-resources.ts'
import { Instant } from './values/values.ts'

const flag = z.boolean().nullable()

const fields = {
  url: field(z.string().min(1).max(4096), 'String', 'The endpoint as listed'),
  host: field(z.string(), 'String', 'Its seller'),
  checked_at: field(Instant, "DateTime64(3, 'UTC')", 'When it was asked'),
  alive: field(
    flag,
    'Nullable(Bool)',
    'true: it answers 402 with a quote; false: it fails or is not there; null: it answers something else',
  ),
  status: field(z.int().min(0).nullable(), 'Nullable(UInt16)', 'The HTTP status; null: no answer came'),
  price_usd: field(PriceUsd.nullable(), 'Nullable(Decimal(38, 18))', 'The lowest price that it quotes now'),
  price_matches: field(flag, 'Nullable(Bool)', 'It quotes the listed price; null: nothing to compare'),
  pay_to_matches: field(
    flag,
    'Nullable(Bool)',
    'Every address that it quotes is a listed one; null: nothing to compare',
  ),
  latency_ms: field(
    z.int().min(0).nullable(),
    'Nullable(UInt32)',
    'From the question to DNS until the head of the answer',
  ),
  reason: field(z.string().nullable(), 'Nullable(String)', 'Why it is not alive, or not known to be'),
}

export type MarketProbe = RowOf<typeof fields>

export const marketProbeNow = latest<MarketProbe>({
  name: 'market_probe_now',
  about: 'The last probe of each endpoint',
  key: ['url'],
  held: true,
})

export const marketProbeHistory = latest<MarketProbe>({
  name: 'market_probe_history',
  about: 'Every probe of each endpoint, the newest first',
  key: ['url', 'checked_at'],
  required: false,
  looked: { by: ['url'], newestBy: ['checked_at'], most: 168 },
})

export const marketProbes = defineDataset({
  name: 'market_probes',
  about: 'Probes of the endpoints that the market recommends most: each is asked hourly for its 402, unpaid',
  fields,
  key: ['url'],
  identity: ['url', 'checked_at'],
  views: [marketProbeNow, marketProbeHistory],
  checks: [
    {
      name: 'range',
      about: 'what is alive has answered 402, and all else has a reason',
      wrong:
        'select url, checked_at from market_probes where if(ifNull(alive, false), ifNull(status, 0) != 402, reason is null)',
    },
  ],
})
