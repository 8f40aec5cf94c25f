/**
 * Who is notified of what, until when, and by which webhook. A webhook's address and secret are private, so they have
 * no table.
 */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { endpointChecks } from './endpoint-checks.ts'
import { Instant, Sha256 } from './values/values.ts'

const text = z.string()
const moment = "DateTime64(3, 'UTC')"

const secret = z.strictObject({
  /** Encrypted under the key of the service. */
  sealed: text,
  /** Until then an old secret signs beside the new one. */
  until: Instant.nullable(),
})

const fields = {
  subscription_id: field(z.string().regex(/^sub_[\w-]+$/), 'String', 'The subscription'),
  what: field(text.min(1), 'String', 'endpoint, or one of the things that we sell ourselves'),
  subject: field(
    text.min(1),
    'String',
    'The URL of the endpoint; the question about the thing, encrypted under the key of the service',
  ),
  method: field(z.enum(['GET', 'POST']), 'String', 'How an endpoint is asked'),
  body: field(text, 'String', 'With what body'),
  network: field(text, 'String', 'The network of the payee who subscribed; empty where nobody signed'),
  payee: field(text, 'String', 'Its address'),
  origin: field(text.min(1), 'String', 'The address where it was bought'),
  webhook_url: field(text.min(1), 'String', 'Where events go'),
  secrets: field(
    z.array(secret).min(1),
    `Array(Tuple(sealed String, until Nullable(${moment})))`,
    'What signs them, the newest first',
  ),
  started_at: field(Instant, moment, 'When it began'),
  expires_at: field(Instant, moment, 'When it ends'),
  reminded: field(
    z.enum(['nothing', 'expiring', 'ended']),
    'String',
    'What the subscriber was told of its end',
  ),
  orders: field(z.array(text), 'Array(String)', 'The newest purchases that it comes from'),
}

export type WatchSubscription = RowOf<typeof fields>

export const subscriptionNow = latest<WatchSubscription>({
  name: 'subscription_now',
  about: 'Every subscription that has begun',
  key: ['subscription_id'],
  held: true,
  required: false,
})

export const watchSubscriptions = defineDataset({
  name: 'watch_subscriptions',
  about: 'Every subscription that was paid for',
  fields,
  key: ['subscription_id'],
  identity: ['subscription_id'],
  views: [subscriptionNow],
  audience: 'log',
})

const orderFields = {
  order_id: field(text.min(1), 'String', 'This order and no other'),
  order: field(z.enum(['begin', 'cancel']), 'String', 'begin: when its payment is settled; cancel: now'),
  subscription_id: field(text, 'String', 'The subscription'),
  at: field(Instant, moment, 'When it was ordered'),
  nonce: field(text, 'String', 'The nonce of the signed message: the first order with it stands'),
  answer_sha256: field(Sha256.nullable(), 'Nullable(String)', 'The answer whose settlement begins it'),
  subscription: field(watchSubscriptions.event.nullable(), 'Nullable(String)', 'With begin'),
  baseline: field(endpointChecks.event.nullable(), 'Nullable(String)', 'The check that the answer tells'),
}

export type WatchOrder = RowOf<typeof orderFields>

export const watchOrders = defineDataset({
  name: 'watch_orders',
  about: 'What callers ordered of subscriptions; one that is to begin waits for its payment',
  fields: orderFields,
  key: ['order_id'],
  identity: ['order_id'],
  audience: 'log',
  keep: { ms: 7 * 86_400_000 },
  inOneOrder: true,
})

const toldFields = {
  subscription_id: field(text, 'String', 'The subscription to a thing'),
  told: field(text, 'String', 'JSON: what its subscriber knows'),
  at: field(Instant, moment, 'Since when'),
}

export type WatchTold = RowOf<typeof toldFields>

export const watchTold = defineDataset({
  name: 'watch_told',
  about: 'What the subscriber to a thing was told last',
  fields: toldFields,
  key: ['subscription_id'],
  identity: ['subscription_id'],
  audience: 'log',
  keep: 'newest',
})
