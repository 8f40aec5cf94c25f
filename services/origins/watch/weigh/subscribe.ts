/** Watches an endpoint for its payee. A webhook reports when the endpoint goes down, comes back, or changes its quote. */

import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { subscriptionPriceUsd } from '../../../../pipelines/domains/watch/message.ts'
import { checkOf } from '../../../../pipelines/domains/watch/verdict.ts'
import type { ProbeSeen } from '../../../../pipelines/domains/x402/quote-probe.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { subscribedMs } from '../../../../pipelines/workers/watch/keeper.ts'
import { exact, instant } from '../../../../schemas/values/values.ts'
import {
  subscriptionNow,
  type WatchSubscription,
  watchOrders,
} from '../../../../schemas/watch-subscriptions.ts'
import { Serialised } from '../../../offer/answer.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { deskOf } from '../desk.ts'
import { hookUrl, shopPayee, shopUrl } from '../examples.ts'
import { hookRefusals, secretAsked, secretOf, triedHook } from '../hook.ts'
import { price } from '../quoted.ts'
import {
  isPaid,
  payableQuote,
  payeeShape,
  payeesIn,
  quoteRefusals,
  signatureRefusals,
  signedAsked,
  signedMessage,
  text,
} from './endpoint.ts'

const { invalid_url: _, ...askedRefusals } = quoteRefusals

export const weighSubscribe = defineOperation({
  id: 'weighSubscribe',
  path: '/weigh/subscribe',
  price: subscriptionPriceUsd,
  inBrief:
    'Watches your x402 endpoint for 30 days: webhooks when it is down or changes. First weigh_prepare.',
  costs: 'costly',
  sold: 'whole',
  holdsSecret: true,
  title: 'Watches an x402 endpoint for 30 days',
  about:
    'Checks your x402 endpoint every 15 minutes and tells your webhook, signed, when it is down, recovers, changes its price, or quotes another payee wallet (with both quotes as evidence). Two checks must agree, so nothing flaps. Sign the message of /weigh/prepare with the payee wallet. The webhook is tried first; a bad signature is not charged.',
  tags: ['x402', 'monitoring', 'webhook', 'uptime'],
  request: z.strictObject({ ...signedAsked, webhookSecret: secretAsked }),
  response: z.strictObject({
    subscription_id: text,
    url: text,
    payee: payeeShape,
    webhook_url: text,
    started_at: text,
    expires_at: text,
    secret: text.describe('Signs your events (v1). It is told once'),
    public_key: text.describe('Signs all events (v1a)'),
    baseline: z.strictObject({
      price_usd: exact().nullable(),
      payees: z.array(payeeShape),
      status: z.int(),
      latency_ms: z.int().nullable(),
      checked_at: text,
    }),
  }),
  refusals: {
    ...askedRefusals,
    ...signatureRefusals,
    ...hookRefusals,
    message_used: { status: 422, about: 'The message has already started a subscription' },
    payee_changed: { status: 422, about: 'The endpoint no longer quotes the payee who signed' },
  },
  example: {
    request: { message: 'farebox.example wants you to sign in …', signature: `0x${'12'.repeat(65)}` },
    response: {
      subscription_id: 'sub_S2tXk0dB8o5ysMZ0p1HTrw',
      url: shopUrl,
      payee: shopPayee,
      webhook_url: hookUrl,
      started_at: '2026-11-16T09:00:00.000Z',
      expires_at: '2026-12-16T09:00:00.000Z',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      public_key: 'whpk_1scCvrMOMBPu2dyLyBNQ9u2XcLlWuBOSSjBJf2JyqPQ=',
      baseline: {
        price_usd: 0.002,
        payees: [shopPayee],
        status: 402,
        latency_ms: 87,
        checked_at: '2026-11-16T09:00:00.000Z',
      },
    },
  },
  async answer({ webhookSecret, ...signed }, tools, refuse) {
    const desk = deskOf(tools)
    const message = await signedMessage(signed, { action: 'subscribe', desk, now: tools.now() }, refuse)
    const { url, network, address, nonce, webhookUrl = '' } = message
    const secret = secretOf(webhookSecret, refuse)
    const used = () =>
      refuse('message_used', 'The message has already started a subscription: prepare a new one')
    // Before the test of the webhook, because a used message must send nothing.
    return desk.once(nonce, used, async () => {
      const invalid = (code: string, said: string) =>
        refuse(code === 'unreachable' ? 'unreachable' : 'not_x402', said)
      const { seen, at } = await payableQuote(url, tools, invalid, true)
      if (!isPaid(seen.offers, { network, address }))
        refuse('payee_changed', `The endpoint does not quote ${address} any more: prepare a new message`)
      const subscription_id = subscriptionIdOf(url, network, address)
      const baseline = checkOf(url, seen, at, false)
      const { sealed, told } = await triedHook(
        desk,
        { subscriptionId: subscription_id, url: webhookUrl, secret, data: { url } },
        refuse,
      )
      const standing = tools.view(subscriptionNow, undefined).get(subscription_id)
      const now = tools.now()
      const stands = standing && Date.parse(standing.expires_at) > now ? standing : undefined
      const subscription: WatchSubscription = {
        subscription_id,
        what: 'endpoint',
        subject: url,
        method: seen.method,
        body: seen.method === 'POST' ? '{}' : '',
        network,
        payee: address,
        origin: desk.origin,
        webhook_url: webhookUrl,
        secrets: [{ sealed, until: null }],
        started_at: stands?.started_at ?? instant(now),
        expires_at: instant((stands ? Date.parse(stands.expires_at) : now) + subscribedMs),
        reminded: 'nothing',
        orders: [],
      }
      const answer = new Serialised({
        subscription_id,
        url,
        payee: { network, address },
        webhook_url: webhookUrl,
        started_at: subscription.started_at,
        expires_at: subscription.expires_at,
        ...told,
        baseline: shownBaseline(seen, baseline.at),
      })
      const order_id = randomUUID()
      // The subscription begins when the settlement of this answer is in the log.
      await desk.tell(watchOrders, {
        order_id,
        order: 'begin',
        subscription_id,
        at: instant(now),
        nonce,
        answer_sha256: sha256(answer.json),
        subscription: { ...subscription, started_at: instant(now), expires_at: instant(now + subscribedMs) },
        baseline,
      })
      if (!(await desk.isFirst(nonce, order_id))) used()
      return answer
    })
  },
})

const shownBaseline = ({ quotes, offers, status, latencyMs }: ProbeSeen, checked_at: string) => ({
  price_usd: price(quotes.price_usd),
  payees: payeesIn(offers),
  status: status ?? 402,
  latency_ms: latencyMs ?? null,
  checked_at,
})

export const subscriptionIdOf = (...parts: readonly string[]): string =>
  `sub_${createHash('sha256').update(parts.join('|')).digest('base64url').slice(0, 22)}`
