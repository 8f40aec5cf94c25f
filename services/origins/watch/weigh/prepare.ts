/** Free: the message that the payee of an endpoint signs to prove that the endpoint is his. */
import { z } from 'zod'
import { actions, subscriptionPriceUsd } from '../../../../pipelines/domains/watch/message.ts'
import { plainAddress } from '../../../../schemas/tables/stablecoins.ts'
import type { Offer } from '../../../../schemas/values/offers.ts'
import { exact, instant } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import { defineFree } from '../../../offer/operation.ts'
import { deskOf } from '../desk.ts'
import { hookUrl, shopOffer, shopPayee, shopUrl } from '../examples.ts'
import { webhookAsked, webhookOf } from '../hook.ts'
import { offerAnswer, offerShape, urlAsked, urlOf } from '../quoted.ts'
import { type Payee, payableQuote, payeeShape, payeesIn, quoteRefusals, text } from './endpoint.ts'

const terms =
  '30 days from the purchase; an active subscription is prolonged. Checked every 15 minutes; told by signed webhooks (Standard Webhooks) of down, recovered, price and payee changes. The message is valid for 15 minutes and starts one subscription.'

export const weighPrepare = defineFree({
  id: 'weighPrepare',
  path: '/weigh/prepare',
  tool: 'weigh_prepare',
  inBrief: 'Writes the message that the payee of an x402 endpoint signs for weigh_subscribe.',
  method: 'POST',
  perMinute: 20,
  title: 'The message that starts the watching of an endpoint',
  about:
    'Reads the live quote of an endpoint and writes a message (EIP-4361 or CAIP-122) for its payee to sign: for /weigh/subscribe, or for the routes that show, test, replay and cancel a subscription. Nothing is stored.',
  tags: ['x402', 'monitoring', 'webhook'],
  request: z.strictObject({
    url: urlAsked,
    webhookUrl: webhookAsked.optional().describe('Where events are posted, by https; with action subscribe'),
    payee: text.max(100).optional().describe('The address that signs, if the endpoint quotes several'),
    action: z.enum(actions).default('subscribe').describe('What the message is for'),
  }),
  response: z.strictObject({
    message: text.describe('Sign it as it is'),
    payee: payeeShape,
    expires_at: text,
    price_usd: exact(),
    quote: z.array(offerShape).describe('What the endpoint asks for now'),
    terms: text,
  }),
  refusals: {
    ...quoteRefusals,
    invalid_webhook: { status: 400, about: 'The webhook is absent, malformed, not public or not https' },
    unknown_payee: { status: 422, about: 'No offer of the endpoint pays this address' },
    payee_cannot_sign: {
      status: 422,
      about: 'The payee is a program or on a network whose signatures we cannot check',
    },
  },
  example: {
    request: { url: shopUrl, webhookUrl: hookUrl },
    response: {
      message:
        'farebox.example wants you to sign in with your Ethereum account:\n0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC\n\nWatch http://shop.sample/fx for 30 days, report to hooks.sample, price 5.00 USDC.\n\n…',
      payee: shopPayee,
      expires_at: '2026-11-16T09:15:00.000Z',
      price_usd: 5,
      quote: [shopOffer],
      terms,
    },
  },
  async answer({ url: typed, webhookUrl, payee: wanted, action }, tools, refuse) {
    const desk = deskOf(tools)
    const url = urlOf(typed, message => refuse('invalid_url', message))
    const isNew = action === 'subscribe'
    if (isNew && webhookUrl === undefined)
      return refuse('invalid_webhook', 'webhookUrl is missing: where shall events go?')
    const hook = isNew ? webhookOf(webhookUrl ?? '', said => refuse('invalid_webhook', said)) : undefined
    const { seen } = await payableQuote(url, tools, refuse)
    const payees = payeesIn(seen.offers).filter(
      ({ address }) => wanted === undefined || address === plainAddress(wanted),
    )
    if (!payees.length) return refuse('unknown_payee', `No offer of the endpoint pays ${wanted}`)
    const payee = payees.find(({ network, address }) => desk.canSign(network, address))
    if (!payee) return refuse('payee_cannot_sign', cannotSign(seen.offers, payees, desk.canSign))
    const message = desk.write({
      action,
      network: payee.network,
      address: payee.address,
      url,
      webhookUrl: hook,
    })
    const { address, expiresAt } = desk.read(message) ?? { address: payee.address, expiresAt: 0 }
    return {
      message,
      payee: { network: payee.network, address },
      expires_at: instant(expiresAt),
      price_usd: number(isNew ? subscriptionPriceUsd : '0'),
      quote: seen.offers.map(offerAnswer),
      terms,
    }
  },
})

function cannotSign(
  offers: readonly Offer[],
  payees: readonly Payee[],
  canSign: (network: string, address: string) => boolean,
): string {
  const other = offers.find(({ network, pay_to }) => canSign(network, pay_to))
  const named = payees.map(({ network, address }) => `${address} on ${network}`).join(', ')
  return `No key can sign for ${named}${other ? `; ${other.pay_to} on ${other.network} could` : ''}`
}
