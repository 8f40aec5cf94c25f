/** The current knowledge about each watched endpoint, with the times of its changes. The judge writes both. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { endpointFields } from './endpoint-checks.ts'
import { PriceUsd } from './market-resources.ts'
import { Offer, offerColumn } from './values/offers.ts'
import { Instant, IsoDate } from './values/values.ts'

const moment = "DateTime64(3, 'UTC')"
const maybe = `Nullable(${moment})`
const count = z.int().min(0)
const upOrDown = z.enum(['up', 'down'])

const payee = z.strictObject({
  /** As CAIP-2, if the name is known. */
  network: z.string(),
  pay_to: z.string(),
  /** When it was seen last. */
  at: Instant,
  /** Two checks have seen it. */
  stands: z.boolean(),
  /** The last check has not seen it. */
  missed: z.boolean(),
})

const day = z.strictObject({ day: IsoDate, checks: count, good: count })

const stateFields = {
  ...endpointFields,
  state: field(z.enum(['up', 'down', 'unknown']), 'LowCardinality(String)', 'What it is now'),
  since: field(Instant, moment, 'Since when'),
  told: field(upOrDown, 'LowCardinality(String)', 'What its subscribers were told last'),
  checked_at: field(Instant, moment, 'The last check that was judged'),
  problem: field(z.string().nullable(), 'LowCardinality(Nullable(String))', 'Why it is not up'),
  failing_since: field(Instant.nullable(), maybe, 'The first of the checks that failed in a row'),
  price_usd: field(
    PriceUsd.nullable(),
    'Nullable(Decimal(38, 18))',
    'Its cheapest offer in a known stablecoin',
  ),
  offers: field(
    z.array(Offer),
    offerColumn,
    'The newest quote with the prices that two checks in a row have seen',
  ),
  unsure: field(z.array(Offer), offerColumn, 'Another quote, seen once'),
  unsure_at: field(Instant.nullable(), maybe, 'When'),
  changed_at: field(z.array(Instant), `Array(${moment})`, 'Changes of its prices in the last 24 hours'),
  summed_at: field(
    Instant.nullable(),
    maybe,
    'Its prices change so often that one event a day sums up: the last such event. Null: each change is told',
  ),
  payees: field(
    z.array(payee).default([]),
    `Array(Tuple(network LowCardinality(String), pay_to String, at ${moment}, stands Bool, missed Bool))`,
    'Whom it names as payee; a payee that two checks have seen stands. Empty: written by an older release',
  ),
  paid: field(z.array(Offer).default([]), offerColumn, 'The newest quote whose payees all stand'),
  payees_vary: field(z.boolean().default(false), 'Bool', 'Each check sees another payee'),
  days: field(
    z.array(day),
    'Array(Tuple(day Date, checks UInt32, good UInt32))',
    'Checks of each of the last 30 days',
  ),
  latencies: field(z.array(count), 'Array(UInt32)', 'Of the newest good checks, in ms'),
}

export type EndpointState = RowOf<typeof stateFields>

export const endpointNow = latest<EndpointState>({
  name: 'endpoint_now',
  about: 'The state of each watched endpoint',
  key: ['endpoint'],
  held: true,
  required: false,
})

export const endpointStates = defineDataset({
  name: 'endpoint_states',
  about: 'Each watched endpoint: up or down, since when, its price, its payees and its uptime',
  fields: stateFields,
  key: ['endpoint'],
  identity: ['endpoint'],
  views: [endpointNow],
})

export const changeType = z.enum([
  'endpoint.down',
  'endpoint.recovered',
  'endpoint.price_changed',
  'endpoint.payee_changed',
])

const changeFields = {
  ...endpointFields,
  at: field(Instant, moment, 'When it was seen'),
  type: field(changeType, 'LowCardinality(String)', 'What changed'),
  before: field(z.string(), 'String', 'JSON: what was known before'),
  after: field(z.string(), 'String', 'JSON: what is known now'),
  evidence: field(z.string(), 'String', 'JSON: the checks that it follows from'),
}

export type EndpointChange = RowOf<typeof changeFields>

export const endpointHistory = latest<EndpointChange>({
  name: 'endpoint_history',
  about: 'Every change of a watched endpoint that its subscribers were told',
  key: ['endpoint', 'at', 'type'],
  looked: { by: ['endpoint'], newestBy: ['at', 'type'], most: 200 },
})

export const endpointChanges = defineDataset({
  name: 'endpoint_changes',
  about: 'Every change of a watched endpoint, with the checks that it follows from',
  fields: changeFields,
  key: ['endpoint'],
  identity: ['endpoint', 'at', 'type'],
  views: [endpointHistory],
})
