/** Free: how the events of a subscription were delivered. */
import { z } from 'zod'
import { deliveryHistory, standingNow } from '../../../../schemas/webhooks.ts'
import { defineFree } from '../../../offer/operation.ts'
import { hookUrl } from '../examples.ts'
import { text } from './endpoint.ts'
import { subscriberAsked, subscriberOf, subscriberRefusals } from './subscriber.ts'

const listedMs = 30 * 86_400_000

export const weighDeliveries = defineFree({
  id: 'weighDeliveries',
  path: '/weigh/deliveries',
  method: 'POST',
  perMinute: 30,
  title: 'How the events of a subscription were delivered',
  about:
    'Every attempt of the last 30 days to deliver an event to the webhook, the newest first, with its status and the time of the next one. For the payee who signed, or with the secret of the subscription.',
  tags: ['webhook', 'monitoring'],
  request: z.strictObject(subscriberAsked),
  response: z.strictObject({
    subscription_id: text,
    webhook_url: text,
    webhook: z
      .enum(['open', 'paused', 'gone'])
      .describe('paused: five events in a row were given up; gone: it answered 410'),
    attempts: z.array(
      z.strictObject({
        event_id: text,
        type: text,
        at: text,
        attempt: z.int(),
        outcome: z
          .enum(['delivered', 'failed', 'gone', 'sealed'])
          .describe(
            'sealed: nothing was sent, because we have lost a key; subscribe again, or have it sent again later',
          ),
        status: z.int().nullable(),
        problem: text.nullable(),
        took_ms: z.int(),
        next_at: text.nullable(),
      }),
    ),
  }),
  refusals: subscriberRefusals,
  example: {
    request: { subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw', secret: 'whsec_…' },
    response: {
      subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw',
      webhook_url: hookUrl,
      webhook: 'open',
      attempts: [
        {
          event_id: 'msg_K7C0sJ4Yk2HnBvQ1m3t8wZpLxDa',
          type: 'endpoint.down',
          at: '2026-11-17T08:52:45.000Z',
          attempt: 1,
          outcome: 'delivered',
          status: 204,
          problem: null,
          took_ms: 132,
          next_at: null,
        },
      ],
    },
  },
  async answer(asked, tools, refuse) {
    const { row } = await subscriberOf(asked, 'deliveries', tools, refuse)
    const { subscription_id, webhook_url } = row
    const since = tools.now() - listedMs
    const attempts = await tools.lookAll(deliveryHistory, subscription_id)
    return {
      subscription_id,
      webhook_url,
      webhook: tools.view(standingNow, undefined).get(subscription_id)?.state ?? 'open',
      attempts: attempts
        .filter(({ at }) => Date.parse(at) >= since)
        .map(({ event_id, type, at, attempt, outcome, status, problem, took_ms, next_at }) => ({
          ...{ event_id, type, at, attempt, outcome, status, problem, took_ms, next_at },
        })),
    }
  },
})
