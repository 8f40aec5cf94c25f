/** The parts that the operations of /weigh share: the endpoint, its payee, the signed message. */
import { z } from 'zod'
import type { Desk } from '../../../../pipelines/domains/watch/desk.ts'
import type { Action, WatchMessage } from '../../../../pipelines/domains/watch/message.ts'
import type { ProbeSeen } from '../../../../pipelines/domains/x402/quote-probe.ts'
import { quoteLookup } from '../../../../pipelines/lookups/quote.ts'
import { plainAddress } from '../../../../schemas/tables/stablecoins.ts'
import type { Offer } from '../../../../schemas/values/offers.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'
import { answering, listedMethod } from '../quoted.ts'

export const text = z.string()

export const payeeShape = z.strictObject({
  network: text.describe('As CAIP-2'),
  address: text,
})
export type Payee = z.output<typeof payeeShape>

export const signedAsked = {
  message: text.max(8192).describe('As /weigh/prepare wrote it'),
  signature: text
    .max(8192)
    .describe(
      'By the payee: 65 bytes in hex (EVM; a contract signs by ERC-1271 or ERC-6492), or 64 bytes in base58 or base64 (Solana)',
    ),
}

export const quoteRefusals = {
  invalid_url: { status: 400, about: 'The URL is malformed or not public' },
  unreachable: { status: 502, about: 'Nobody answers there' },
  not_x402: { status: 422, about: 'The endpoint asks for no payment that somebody could make' },
} as const

export const signatureRefusals = {
  invalid_message: { status: 400, about: 'We did not write this message, or for something else' },
  message_expired: { status: 422, about: 'The message is older than 15 minutes' },
  bad_signature: { status: 422, about: 'The payee did not sign this message' },
} as const

type Refuse<Code extends string> = (code: Code, message: string) => never

/** Asks the endpoint, and refuses a quote that nobody could pay. */
export async function payableQuote(
  url: string,
  tools: Tools,
  refuse: Refuse<keyof typeof quoteRefusals>,
  anew = false,
): Promise<{ seen: ProbeSeen; at: number }> {
  const found = await tools.find(quoteLookup, { url, method: listedMethod(url, tools), anew })
  if (!found) throw new Failure('upstream_failed')
  const status = answering(found.seen, refuse)
  if (!found.seen.offers.length)
    refuse(
      'not_x402',
      status === 402 ? 'Its 402 carries no offer that can be paid' : `It answers ${status}, not 402`,
    )
  return found
}

/** Each payee once, in the order of the offers. */
export const payeesIn = (offers: readonly Offer[]): Payee[] => [
  ...new Map(
    offers.map(({ network, pay_to }) => [`${network} ${pay_to}`, { network, address: pay_to }]),
  ).values(),
]

export const isPaid = (offers: readonly Offer[], { network, address }: Payee): boolean =>
  offers.some(offer => offer.network === network && offer.pay_to === plainAddress(address))

/** Returns the message if we wrote it for this action, it has not expired, and its payee signed it. Refuses otherwise. */
export async function signedMessage(
  { message: written, signature }: { message: string; signature: string },
  { action, desk, now }: { action: Action; desk: Desk; now: number },
  refuse: Refuse<keyof typeof signatureRefusals>,
): Promise<WatchMessage> {
  const message = desk.read(written)
  if (!message) return refuse('invalid_message', 'We did not write this message: ask /weigh/prepare for one')
  if (message.action !== action)
    return refuse('invalid_message', `The message is for ${message.action}, not for ${action}`)
  if (message.expiresAt <= now) return refuse('message_expired', 'The message has expired: prepare a new one')
  if (!(await desk.isSigned(message, written, signature)))
    return refuse('bad_signature', `The message is not signed by ${message.address}`)
  return message
}
