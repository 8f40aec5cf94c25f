/** The webhook of a new subscription: its secret, and a trial of its address. */
import { z } from 'zod'
import type { Desk } from '../../../pipelines/domains/watch/desk.ts'
import { webhookUrl } from '../../../pipelines/domains/watch/url.ts'
import { newSecret, readSecret, secretText } from '../../../pipelines/rails/outbox/signature.ts'
import { NotPublic } from '../../../pipelines/rails/outside/fetching/visit-failures.ts'

export const webhookAsked = z
  .string()
  .min(1)
  .max(2048)
  .describe('Where events are posted, by https; no redirect is followed')

export const secretAsked = z
  .string()
  .max(200)
  .optional()
  .describe('Your own secret; otherwise you are told one. It is whsec_ and 24 to 64 bytes in base64')

export const hookRefusals = {
  invalid_webhook: {
    status: 400,
    about: 'The webhook is malformed, not public or not https, or its secret is none',
  },
  webhook_unreachable: { status: 422, about: 'The webhook did not answer a test event with 2xx within 10 s' },
} as const

type Refuse = (code: keyof typeof hookRefusals, message: string) => never

export function secretOf(given: string | undefined, refuse: Refuse): Buffer {
  if (given === undefined) return newSecret()
  return (
    readSecret(given) ?? refuse('invalid_webhook', 'webhookSecret is not whsec_ and 24 to 64 bytes in base64')
  )
}

interface Trial {
  subscriptionId: string
  url: string
  secret: Buffer
  data: Record<string, unknown>
}

/** Tries the webhook before anything is charged. Returns what the subscriber needs to verify events. */
export async function triedHook(desk: Desk, { subscriptionId, url, secret, data }: Trial, refuse: Refuse) {
  const posted = await desk.tryHook({ url, secrets: [secret] }, subscriptionId, data)
  if (posted.outcome !== 'delivered')
    refuse(
      'webhook_unreachable',
      posted.status === null
        ? `The webhook does not answer: ${posted.problem}`
        : `The webhook answers ${posted.status} to a test event`,
    )
  return {
    sealed: desk.seal.hide(secret, subscriptionId),
    told: { secret: secretText(secret), public_key: desk.seal.publicKeys[0] ?? '' },
  }
}

export function webhookOf(typed: string, invalid: (message: string) => never): string {
  try {
    return webhookUrl(typed)
  } catch (error) {
    if (error instanceof NotPublic) return invalid(error.message)
    throw error
  }
}
