/** Who may see and control a subscription: its payee, by a signed message, or any holder of its webhook secret. */
import { timingSafeEqual } from 'node:crypto'
import type { Desk } from '../../../../pipelines/domains/watch/desk.ts'
import type { Action } from '../../../../pipelines/domains/watch/message.ts'
import { secretsOf } from '../../../../pipelines/domains/watch/sealed.ts'
import { secretText } from '../../../../pipelines/rails/outbox/signature.ts'
import { subscriptionNow, type WatchSubscription } from '../../../../schemas/watch-subscriptions.ts'
import type { Tools } from '../../../offer/operation.ts'
import { deskOf } from '../desk.ts'
import { signatureRefusals, signedAsked, signedMessage, text } from './endpoint.ts'
import { subscriptionIdOf } from './subscribe.ts'

export const subscriberAsked = {
  message: signedAsked.message.optional(),
  signature: signedAsked.signature.optional(),
  subscription_id: text.max(100).optional().describe('In place of message and signature, with secret'),
  secret: text.max(200).optional().describe('The webhook secret of the subscription'),
}

export const subscriberRefusals = {
  ...signatureRefusals,
  not_subscribed: { status: 422, about: 'There is no such subscription, or the secret is not its own' },
} as const

interface Asked {
  message?: string | undefined
  signature?: string | undefined
  subscription_id?: string | undefined
  secret?: string | undefined
}

type Refuse = (code: keyof typeof subscriberRefusals, message: string) => never

export async function subscriberOf(
  { message, signature, subscription_id, secret }: Asked,
  action: Action,
  tools: Tools,
  refuse: Refuse,
): Promise<{ row: WatchSubscription; desk: Desk }> {
  const desk = deskOf(tools)
  const held = tools.view(subscriptionNow, undefined)
  if (message !== undefined && signature !== undefined) {
    const signed = await signedMessage({ message, signature }, { action, desk, now: tools.now() }, refuse)
    const row = held.get(subscriptionIdOf(signed.url, signed.network, signed.address))
    return { row: row ?? refuse('not_subscribed', `${signed.url} is not watched for this payee`), desk }
  }
  if (subscription_id === undefined || secret === undefined)
    return refuse('not_subscribed', 'Send message and signature, or subscription_id and secret')
  const row = held.get(subscription_id)
  if (!row || !secretsOf(row, desk.seal, tools.now()).some(own => isSame(own, secret)))
    return refuse('not_subscribed', 'No subscription has this id and this secret')
  return { row, desk }
}

function isSame(secret: Buffer, given: string): boolean {
  const [own, told] = [Buffer.from(secretText(secret)), Buffer.from(given)]
  return own.length === told.length && timingSafeEqual(own, told)
}
