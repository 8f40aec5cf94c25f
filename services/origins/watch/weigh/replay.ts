/** Free: sends the events of a subscription again, from a moment on. */
import { z } from 'zod'
import { webhookEvents, webhookHistory } from '../../../../schemas/webhooks.ts'
import { defineFree } from '../../../offer/operation.ts'
import { text } from './endpoint.ts'
import { subscriberAsked, subscriberOf, subscriberRefusals } from './subscriber.ts'

export const weighReplay = defineFree({
  id: 'weighReplay',
  path: '/weigh/replay',
  method: 'POST',
  perMinute: 3,
  title: 'Sends the events of a subscription again',
  about:
    'Sends again every event of the last 40 days that happened at or after a moment, at most 500, each with the id that it had; one that still waits for its next attempt is sent now, and not twice. For the payee who signed, or with the secret of the subscription.',
  tags: ['webhook', 'monitoring'],
  request: z.strictObject({
    ...subscriberAsked,
    from: z.iso.datetime().describe('From this moment on (RFC 3339, UTC)'),
  }),
  response: z.strictObject({ subscription_id: text, events: z.int().describe('How many are sent again') }),
  refusals: {
    ...subscriberRefusals,
    nothing_to_replay: { status: 422, about: 'No event happened since then' },
  },
  example: {
    request: {
      subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw',
      secret: 'whsec_…',
      from: '2026-11-16T00:00:00Z',
    },
    response: { subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw', events: 2 },
  },
  async answer({ from, ...asked }, tools, refuse) {
    const { row, desk } = await subscriberOf(asked, 'replay', tools, refuse)
    const all = await tools.lookAll(webhookHistory, row.subscription_id)
    const events = new Map(
      all
        .filter(({ at }) => Date.parse(at) >= Date.parse(from))
        .toSorted((a, b) => (a.at < b.at ? -1 : 1))
        .map(event => [event.event_id, event]),
    )
    if (!events.size) return refuse('nothing_to_replay', `No event happened since ${from}`)
    const replay = tools.now()
    await desk.tell(webhookEvents, ...[...events.values()].map(event => ({ ...event, replay })))
    return { subscription_id: row.subscription_id, events: events.size }
  },
})
