/** The messages to webhooks: each event, the attempts to deliver it, and the events that were given up. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const text = z.string()
const word = 'LowCardinality(String)'
const moment = "DateTime64(3, 'UTC')"
const count = z.int().min(0)
const keptDays = 40
const kept = {
  keep: { ms: keptDays * 86_400_000 },
  table: { partitionBy: 'toYYYYMM(at)', expires: { after: 'at', days: keptDays } },
} as const

const named = {
  event_id: field(
    z.string().regex(/^msg_[\w-]+$/),
    'String',
    'The event; the same in every attempt, so that a receiver can tell a repeat',
  ),
  subscription_id: field(text.min(1), 'String', 'Whose webhook is told'),
  type: field(text.min(1), word, 'What happened, such as endpoint.down'),
  at: field(Instant, moment, 'When'),
}

const eventFields = {
  ...named,
  body: field(text, 'String', 'The body as it is sent, encrypted under the key of the service'),
  replay: field(count, 'UInt64', '0, or the time in ms at which its subscriber asked for it again'),
}

export type WebhookEvent = RowOf<typeof eventFields>

export const webhookHistory = latest<WebhookEvent>({
  name: 'webhook_history',
  about: 'Events of a subscription, the newest first',
  key: ['event_id'],
  looked: { by: ['subscription_id'], newestBy: ['at', 'event_id'], most: 500 },
})

export const webhookEvents = defineDataset({
  name: 'webhook_events',
  about: 'What is to be told to webhooks',
  fields: eventFields,
  key: ['subscription_id'],
  identity: ['event_id', 'replay'],
  views: [webhookHistory],
  audience: 'service',
  ...kept,
})

const dueFields = {
  due_id: field(text.min(1), 'String', 'The event, and which of its replays'),
  event: field(webhookEvents.event, 'String', 'The event'),
  place: field(z.string().regex(/^\d+$/), 'String', 'Its place among the events of its subscription'),
  attempts: field(count, 'UInt16', 'How many were made'),
  next_at: field(Instant, moment, 'When the next one is due'),
}

export type WebhookDue = RowOf<typeof dueFields>

export const webhookDue = defineDataset({
  name: 'webhook_due',
  about: 'Events that are not delivered yet, each with its next attempt',
  fields: dueFields,
  key: ['due_id'],
  identity: ['due_id'],
  audience: 'log',
  keep: 'newest',
})

const deliveryFields = {
  ...named,
  attempt: field(z.int().min(1), 'UInt16', 'Which attempt'),
  outcome: field(
    z.enum(['delivered', 'failed', 'gone', 'sealed']),
    word,
    'gone: the receiver wants no more events; sealed: nothing was sent, because our key that sealed the event is gone',
  ),
  status: field(count.nullable(), 'Nullable(UInt16)', 'The HTTP status; null: no answer came'),
  took_ms: field(count, 'UInt32', 'How long it took'),
  problem: field(text.nullable(), 'LowCardinality(Nullable(String))', 'Why no answer came'),
  next_at: field(Instant.nullable(), `Nullable(${moment})`, 'When the next attempt is due'),
}

export type WebhookDelivery = RowOf<typeof deliveryFields>

export const deliveryHistory = latest<WebhookDelivery>({
  name: 'delivery_history',
  about: 'Attempts to deliver the events of a subscription, the newest first',
  key: ['event_id', 'at'],
  looked: { by: ['subscription_id'], newestBy: ['at', 'event_id'], most: 1000 },
})

export const webhookDeliveries = defineDataset({
  name: 'webhook_deliveries',
  about: 'Every attempt to deliver an event to a webhook',
  fields: deliveryFields,
  key: ['subscription_id'],
  identity: ['event_id', 'at'],
  views: [deliveryHistory],
  ...kept,
})

const deadFields = {
  ...named,
  attempts: field(count, 'UInt16', 'How many were made'),
  reason: field(
    text,
    word,
    'Why it was given up. attempts: all failed; sealed: our key that sealed it is gone; gone, paused: what the webhook was; ended: the subscription was over',
  ),
}

export const webhookDead = defineDataset({
  name: 'webhook_dead',
  about: 'Events that were given up',
  fields: deadFields,
  key: ['subscription_id'],
  identity: ['event_id', 'at'],
  audience: 'service',
})

const standingFields = {
  subscription_id: named.subscription_id,
  state: field(
    z.enum(['open', 'paused', 'gone']),
    'String',
    'paused: too many events were given up in a row; gone: the receiver wants no more',
  ),
  dead_in_a_row: field(count, 'UInt16', 'Events that were given up since the last one that was delivered'),
  at: named.at,
}

export type WebhookStanding = RowOf<typeof standingFields>

export const standingNow = latest<WebhookStanding>({
  name: 'standing_now',
  about: 'Webhooks that are in trouble, or were',
  key: ['subscription_id'],
  held: true,
  required: false,
})

export const webhookStandings = defineDataset({
  name: 'webhook_standings',
  about: 'Whether a webhook still gets events',
  fields: standingFields,
  key: ['subscription_id'],
  identity: ['subscription_id'],
  views: [standingNow],
  audience: 'log',
})
