/** Free: ends a subscription now. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { instant } from '../../../../schemas/values/values.ts'
import { watchOrders } from '../../../../schemas/watch-subscriptions.ts'
import { defineFree } from '../../../offer/operation.ts'
import { text } from './endpoint.ts'
import { subscriberAsked, subscriberOf, subscriberRefusals } from './subscriber.ts'

export const weighCancel = defineFree({
  id: 'weighCancel',
  path: '/weigh/cancel',
  method: 'POST',
  perMinute: 10,
  title: 'Ends a subscription',
  about:
    'Ends a subscription now; nothing is paid back, and the webhook hears subscription.ended. For the payee who signed, or with the secret of the subscription.',
  tags: ['webhook', 'monitoring'],
  request: z.strictObject(subscriberAsked),
  response: z.strictObject({ subscription_id: text, ended_at: text }),
  refusals: subscriberRefusals,
  example: {
    request: { subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw', secret: 'whsec_…' },
    response: { subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw', ended_at: '2026-11-20T12:00:00.000Z' },
  },
  async answer(asked, tools, refuse) {
    const { row, desk } = await subscriberOf(asked, 'cancel', tools, refuse)
    const at = instant(tools.now())
    await desk.tell(watchOrders, {
      order_id: randomUUID(),
      order: 'cancel',
      subscription_id: row.subscription_id,
      at,
      nonce: '',
      answer_sha256: null,
      subscription: null,
      baseline: null,
    })
    return { subscription_id: row.subscription_id, ended_at: at }
  },
})
