/** Signs a message by Standard Webhooks 1.0.0. */
import { createHmac, randomBytes } from 'node:crypto'

const secretForm = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const secretBytes = { least: 24, most: 64, usual: 32 }

export interface Signing {
  id: string
  /** The time of this attempt, in ms. */
  at: number
  body: string
  /** Each secret gives a signature. A receiver needs to know one of them. */
  secrets: readonly Buffer[]
  /** ed25519, in base64. */
  sign(text: string): string
}

export function webhookHeaders({ id, at, body, secrets, sign }: Signing): Record<string, string> {
  const seconds = Math.floor(at / 1000)
  const text = `${id}.${seconds}.${body}`
  const hmac = (secret: Buffer) => `v1,${createHmac('sha256', secret).update(text).digest('base64')}`
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': [...secrets.map(hmac), `v1a,${sign(text)}`].join(' '),
  }
}

export const newSecret = (): Buffer => randomBytes(secretBytes.usual)

export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`

/** Undefined if the text is not a secret of `whsec_` and 24 to 64 bytes in base64. */
export function readSecret(text: string): Buffer | undefined {
  if (!secretForm.test(text)) return undefined
  const bytes = Buffer.from(text.slice('whsec_'.length), 'base64')
  return bytes.length >= secretBytes.least && bytes.length <= secretBytes.most ? bytes : undefined
}
