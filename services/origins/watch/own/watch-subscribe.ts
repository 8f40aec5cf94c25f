/** Calls a webhook when an answer of ours changes. */

import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { hideQuestion } from '../../../../pipelines/domains/watch/sealed.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { subscribedMs } from '../../../../pipelines/workers/watch/keeper.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { watchOrders, watchTold } from '../../../../schemas/watch-subscriptions.ts'
import { jsonOf, Serialised, withItsDigits } from '../../../offer/answer.ts'
import { Refused } from '../../../offer/errors.ts'
import { defineOperation, refuseFor, type Tools } from '../../../offer/operation.ts'
import { deskOf } from '../desk.ts'
import { hookUrl } from '../examples.ts'
import { hookRefusals, secretAsked, secretOf, triedHook, webhookAsked, webhookOf } from '../hook.ts'
import { type Sides, type Thing, thingNames, thingOf, things, type WatchAsked } from './subjects.ts'

const text = z.string()
const mostNamed = 30
const anything = z.unknown()
const side = z.number().optional()
const what = z.union([
  z.enum(thingNames),
  z.string().regex(/^\/[a-z0-9/_-]{1,99}$/, 'the path of an operation'),
])

export const watchSubscribe = defineOperation({
  id: 'watchSubscribe',
  path: '/watch/subscribe',
  price: '0.50',
  inBrief: 'Webhooks for 30 days when an airport, filings, a rate, alerts or a seller’s rank change.',
  costs: 'costly',
  sold: 'whole',
  holdsSecret: true,
  title: 'Watches an answer for 30 days',
  about:
    'Tells your webhook, signed and within seconds, when something that is sold here changes: an airport’s status, a company’s filings (of one form), a currency pair beyond a threshold, the weather alerts at a place, the rank of an x402 seller. The event holds the new answer as it is sold. No wallet signature; the webhook and the question are tried first, and nothing is sold if one of them fails.',
  tags: ['monitoring', 'webhook', 'events'],
  request: z.strictObject({
    what: what.describe('What is watched; or the path of an operation whose description says so'),
    question: z
      .record(text, anything)
      .describe(
        `As its operation asks: ${thingNames.map(name => `${name} ${things[name].operation.path}`).join(', ')}`,
      ),
    above: side.describe('With currency: tells when the rate rises above it; and when it is back'),
    below: side.describe('With currency: tells when the rate falls below it; and when it is back'),
    webhookUrl: webhookAsked,
    webhookSecret: secretAsked,
  }),
  response: z.strictObject({
    subscription_id: text,
    what,
    event: text.describe('The type of its events'),
    webhook_url: text,
    started_at: text,
    expires_at: text,
    secret: text.describe('Signs your events (v1). It is told once'),
    public_key: text.describe('Signs all events (v1a)'),
    told: anything.describe('What is watched of the answer, as it is now'),
    answer: anything.describe('The answer as it is now'),
  }),
  refusals: {
    ...hookRefusals,
    invalid_question: {
      status: 400,
      about: 'The operation does not take this question, or a threshold is missing or wrong',
    },
    no_answer: { status: 422, about: 'The operation refuses this question' },
  },
  example: {
    request: {
      what: 'airport',
      question: { airport: 'BOS' },
      webhookUrl: hookUrl,
    },
    response: {
      subscription_id: 'sub_4X8KwNLSsfNVua4aVOWgjS',
      what: 'airport',
      event: things.airport.event,
      webhook_url: hookUrl,
      started_at: '2026-11-16T09:00:00.000Z',
      expires_at: '2026-12-16T09:00:00.000Z',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      public_key: 'whpk_1scCvrMOMBPu2dyLyBNQ9u2XcLlWuBOSSjBJf2JyqPQ=',
      told: { status: 'normal', events: [] },
      answer: { airport: 'BOS', status: 'normal', events: [] },
    },
  },
  async answer({ what, question, above, below, webhookUrl, webhookSecret }, tools, refuse) {
    const desk = deskOf(tools)
    const url = webhookOf(webhookUrl, said => refuse('invalid_webhook', said))
    const secret = secretOf(webhookSecret, refuse)
    const thing = thingOf(what, tools)
    if (!thing) {
      const names = [...thingNames, ...tools.watched.keys()].slice(0, mostNamed).join(', ')
      return refuse('invalid_question', `Nothing is watched under ${what}: there are ${names}`)
    }
    const { operation, event, needsSides } = thing
    const wrong = wrongSides({ above, below }, needsSides === true)
    if (wrong) refuse('invalid_question', wrong)
    const checked = operation.request.safeParse(question)
    if (!checked.success)
      return refuse('invalid_question', `${operation.path} does not take it: ${whyNot(checked.error)}`)
    const asked: WatchAsked = { question, above, below }
    const { told, answer: now } = await toldOf(thing, asked, tools).catch(error => {
      if (error instanceof Refused) return refuse('no_answer', `${error.code}: ${error.message}`)
      throw error
    })
    const subscription_id = `sub_${randomUUID().replaceAll('-', '')}`
    const tried = { subscriptionId: subscription_id, url, secret, data: { what, question } }
    const { sealed, told: keys } = await triedHook(desk, tried, refuse)
    const at = tools.now()
    const times = { started_at: instant(at), expires_at: instant(at + subscribedMs) }
    const answer = new Serialised({
      ...{ subscription_id, what, event, webhook_url: url },
      ...times,
      ...keys,
      told,
      answer: now,
    })
    await desk.tell(watchTold, { subscription_id, told: JSON.stringify(told), at: instant(at) })
    // The subscription begins when the settlement of this answer is in the log.
    await desk.tell(watchOrders, {
      order_id: randomUUID(),
      order: 'begin',
      subscription_id,
      at: instant(at),
      nonce: '',
      answer_sha256: sha256(answer.json),
      subscription: {
        ...{
          subscription_id,
          what,
          subject: hideQuestion(asked, subscription_id, desk.seal),
          method: 'POST',
          body: '',
          network: '',
          payee: '',
        },
        origin: desk.origin,
        webhook_url: url,
        secrets: [{ sealed, until: null }],
        ...times,
        reminded: 'nothing',
        orders: [],
      },
      baseline: null,
    })
    return answer
  },
})

function wrongSides({ above, below }: Sides, isNumber: boolean): string | undefined {
  const isGiven = above !== undefined || below !== undefined
  if (!isNumber) return isGiven ? '`above` and `below` are for currency alone' : undefined
  if (!isGiven) return 'Say `above` or `below`, or both'
  return (below ?? -Infinity) > (above ?? Infinity) ? '`below` is more than `above`' : undefined
}

const whyNot = ({ issues: [first] }: z.ZodError): string =>
  [first?.path.join('.'), first?.message].filter(Boolean).join(': ')

/** The current answer, and the part of it that is reported. Throws what its operation throws. */
export async function toldOf(
  { operation, told, keyOf }: Thing,
  { question, ...sides }: WatchAsked,
  tools: Tools,
): Promise<{ told: unknown; answer: unknown; key: string | undefined }> {
  const given = await operation.answer(operation.request.parse(question), tools, refuseFor(operation))
  const json = jsonOf(given)
  const read: unknown = JSON.parse(json)
  return { answer: withItsDigits(json), told: told(read, sides), key: keyOf?.(read) }
}
