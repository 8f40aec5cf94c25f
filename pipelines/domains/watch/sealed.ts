/**
 * The sealed parts of a subscription in the log: its webhook secrets, the question of a thing (which may show where a
 * person lives), and the bodies of its events. Every read throws KeyGone if the key is missing.
 */
import type { WatchSubscription } from '../../../schemas/watch-subscriptions.ts'
import { type WebhookEvent, webhookEvents } from '../../../schemas/webhooks.ts'
import { entryOf } from '../../rails/log/log.ts'
import { KeyGone, type Seal } from './seal.ts'

type Subject = Pick<WatchSubscription, 'subscription_id' | 'what' | 'subject'>

/** The secrets that sign at this moment. It is enough if one opens: a newer purchase may have brought it. */
export function secretsOf(
  { subscription_id, secrets }: Pick<WatchSubscription, 'subscription_id' | 'secrets'>,
  seal: Seal,
  now: number,
): Buffer[] {
  const valid = secrets.filter(({ until }) => until === null || now < Date.parse(until))
  const opened = valid.flatMap(({ sealed }) => seal.opened(sealed, subscription_id) ?? [])
  if (!opened.length) throw new KeyGone(`the webhook secret of ${subscription_id}`)
  return opened
}

export const hideQuestion = (asked: object, subscriptionId: string, seal: Seal): string =>
  seal.hide(JSON.stringify(asked), subscriptionId)

export const questionOf = ({ subscription_id, subject }: Subject, seal: Seal): Record<string, unknown> =>
  JSON.parse(seal.open(subject, subscription_id, `the question of ${subscription_id}`).toString())

/** The subject in its events. */
export function subjectOf(row: Subject, seal: Seal): Record<string, unknown> {
  if (row.what === 'endpoint') return { url: row.subject }
  try {
    return { what: row.what, ...questionOf(row, seal) }
  } catch (error) {
    if (error instanceof KeyGone) return { what: row.what }
    throw error
  }
}

/** Events in the form for the log. */
export const eventEntries = (events: readonly WebhookEvent[], seal: Seal) =>
  events.map(event => entryOf(webhookEvents, { ...event, body: seal.hide(event.body, event.event_id) }))

export const bodyIn = ({ event_id, body }: Pick<WebhookEvent, 'event_id' | 'body'>, seal: Seal): string =>
  seal.open(body, event_id, `the event ${event_id}`).toString()
