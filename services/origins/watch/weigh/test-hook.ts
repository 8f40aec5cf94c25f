/** Free: sends a test event to the webhook of a subscription. */
import { z } from 'zod'
import { secretsOf, subjectOf } from '../../../../pipelines/domains/watch/sealed.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { standingNow, webhookStandings } from '../../../../schemas/webhooks.ts'
import { defineFree } from '../../../offer/operation.ts'
import { text } from './endpoint.ts'
import { subscriberAsked, subscriberOf, subscriberRefusals } from './subscriber.ts'

export const weighTest = defineFree({
  id: 'weighTest',
  path: '/weigh/test',
  method: 'POST',
  perMinute: 6,
  title: 'Sends a test event to a webhook',
  about:
    'Sends endpoint.test to the webhook of a subscription and says how it answered. If deliveries were paused, a 2xx opens them again, and what waited goes out. For the payee who signed, or with the secret.',
  tags: ['webhook', 'monitoring'],
  request: z.strictObject(subscriberAsked),
  response: z.strictObject({
    subscription_id: text,
    delivered: z.boolean(),
    status: z.int().nullable().describe('null: no answer came'),
    problem: text.nullable(),
    took_ms: z.int(),
  }),
  refusals: subscriberRefusals,
  example: {
    request: { subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw', secret: 'whsec_…' },
    response: {
      subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw',
      delivered: true,
      status: 204,
      problem: null,
      took_ms: 88,
    },
  },
  async answer(asked, tools, refuse) {
    const { row, desk } = await subscriberOf(asked, 'test', tools, refuse)
    const { subscription_id, webhook_url: url } = row
    const hook = { url, secrets: secretsOf(row, desk.seal, tools.now()) }
    const data = subjectOf(row, desk.seal)
    const { outcome, status, problem, tookMs } = await desk.tryHook(hook, subscription_id, data)
    const standing = tools.view(standingNow, undefined).get(subscription_id)
    const delivered = outcome === 'delivered'
    if (delivered && standing && standing.state !== 'open')
      await desk.tell(webhookStandings, {
        subscription_id,
        state: 'open',
        dead_in_a_row: 0,
        at: instant(tools.now()),
      })
    return { subscription_id, delivered, status, problem, took_ms: tookMs }
  },
})
