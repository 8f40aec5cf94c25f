/**
 * Writes the events for subscribers. The id of an event follows from its content, so that writing it twice gives the
 * same event.
 */
import { createHash } from 'node:crypto'
import type { EndpointChange } from '../../../schemas/endpoint-states.ts'
import type { WatchSubscription } from '../../../schemas/watch-subscriptions.ts'
import type { WebhookEvent } from '../../../schemas/webhooks.ts'
import type { Seal } from './seal.ts'
import { subjectOf } from './sealed.ts'

/** Receivers need accept no larger event. */
const mostBytes = 20_000

export const eventId = (...parts: readonly string[]): string =>
  `msg_${createHash('sha256').update(parts.join('|')).digest('base64url').slice(0, 27)}`

interface Happening {
  type: string
  at: string
  data: Record<string, unknown>
  /** Further data that tells two events of a subscription apart. */
  of?: string
  /** Its place among the events of the same moment. */
  nth?: number
}

function eventOf(
  { subscription_id }: Pick<WatchSubscription, 'subscription_id'>,
  { type, at, data, of = '', nth = 0 }: Happening,
): WebhookEvent {
  return {
    event_id: eventId(subscription_id, type, at, of),
    subscription_id,
    type,
    at,
    body: bodyOf({ type, timestamp: at, data: { subscription_id, ...data } }, nth),
    replay: 0,
  }
}

const mostOfMoment = 100

/**
 * `sequence` grows from event to event of a subscription, and is the same in every attempt and replay. Events arrive in any
 * order, because each has its own schedule.
 */
export function bodyOf(
  { type, timestamp, data }: { type: string; timestamp: string; data: Record<string, unknown> },
  nth = 0,
): string {
  const head = { type, timestamp, sequence: Date.parse(timestamp) * mostOfMoment + nth }
  const whole = JSON.stringify({ ...head, data })
  if (Buffer.byteLength(whole) < mostBytes) return whole
  // The record shows the evidence too, and the receiver can ask for the whole answer.
  const { evidence: _evidence, answer: _answer, ...rest } = data
  return JSON.stringify({ ...head, data: { ...rest, cut: true } })
}

const statusUrl = (origin: string, url: string): string =>
  `${origin}/weigh/status?url=${encodeURIComponent(url)}`

export const changeEvent = (
  row: WatchSubscription,
  { type, at, before, after, evidence }: EndpointChange,
  nth: number,
): WebhookEvent =>
  eventOf(row, {
    type,
    at,
    nth,
    data: {
      url: row.subject,
      before: JSON.parse(before),
      after: JSON.parse(after),
      evidence: JSON.parse(evidence),
      status_url: statusUrl(row.origin, row.subject),
    },
  })

/** Events about the subscription itself. */
export const endingEvent = (
  row: WatchSubscription,
  type: 'subscription.expiring' | 'subscription.ended',
  at: string,
  seal: Seal,
): WebhookEvent => ({
  ...eventOf(row, { type, at, data: { ...subjectOf(row, seal), expires_at: row.expires_at } }),
  // A later check of the same end gives the same event.
  event_id: eventId(row.subscription_id, type, row.expires_at),
})
