/** A payer of MPP: reads challenges and signs credentials as the specification of method `evm` says, without code of the service. */
import { concat, keccak256, toBytes } from 'viem'
import { payer, type Signed, signed } from '../../till/paying.ts'

export interface Challenge {
  id: string
  realm: string
  method: string
  intent: string
  request: string
  expires: string
  opaque: string
}

export const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The challenges of an answer. `fetch` joins the lines of a header. */
export const challengesIn = ({ headers }: Response): Challenge[] =>
  (headers.get('www-authenticate') ?? '')
    .split(/(?:^|, )Payment /)
    .slice(1)
    .map(text =>
      Object.fromEntries(Array.from(text.matchAll(/(\w+)="([^"]*)"/g), ([, name, value]) => [name, value])),
    )

export interface Credential {
  challenge: Challenge
  payload: Record<string, string>
  source?: string
}

export interface Answering {
  /** What the payer signs otherwise than the challenge asks. */
  signs?: Parameters<typeof signed>[0]
  payer?: typeof payer
}

const nonceOf = ({ id, realm }: Challenge) => keccak256(concat([toBytes(id), toBytes(realm)]))

/** A credential, and the same payment in the form of x402. */
export async function answerTo(
  challenge: Challenge,
  { signs = {}, payer: by = payer }: Answering = {},
): Promise<{ credential: Credential; x402: Signed }> {
  const { amount, recipient } = decoded(challenge.request)
  const terms = {
    to: recipient,
    value: amount,
    validBefore: String(Math.floor(Date.parse(challenge.expires) / 1000)),
    nonce: nonceOf(challenge),
    ...signs,
  }
  const x402 = await signed(terms, Date.now(), 'base', by)
  const { authorization, signature } = x402.payload
  const payload = { type: 'authorization', ...authorization, signature }
  return { credential: { challenge, payload, source: `did:pkh:eip155:8453:${by.address}` }, x402 }
}

export const authorized = (credential: unknown) => ({ authorization: `Payment ${encoded(credential)}` })
