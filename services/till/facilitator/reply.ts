/** Reads a facilitator's replies. Its words become our own codes, and the till never repeats them. */
import type { Exchanged } from '../../../pipelines/rails/outside/fetching/exchange.ts'
import { families, familyOf } from '../../../schemas/tables/networks.ts'
import { plainAddress } from '../../../schemas/tables/stablecoins.ts'
import type { ErrorCode } from '../../offer/errors.ts'

export interface Reply {
  status: number
  text: string
  /** The pause in the header Retry-After. */
  retryAfterMs?: number | undefined
  /** The header EXTENSION-RESPONSES. */
  extensions?: string | undefined
}

export const mostReplyBytes = 256 * 1024

export function replyOf({ status, headers, bytes }: Exchanged): Reply {
  const said = headers['extension-responses']
  const extensions = typeof said === 'string' ? said : undefined
  return { status, text: bytes.toString(), retryAfterMs: secondsOf(headers['retry-after']), extensions }
}

/** Reads seconds only. Few send a date, and for a date the usual pauses apply. */
const secondsOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined

/** A reply may omit network and payer. If it names them, they must be these. */
export interface Expected {
  network: string
  payer: string
}

export interface Supported {
  kinds: { network: string; feePayer: string | undefined }[]
  signers: string[]
}

export type VerifyReply =
  | { outcome: 'valid' }
  | { outcome: 'invalid'; code: ErrorCode; reason: string }
  | ({ outcome: 'unavailable'; reason: string } & Unheard)

export type SettleReply =
  | { outcome: 'settled'; tx: string }
  | ({ outcome: 'failed'; code: ErrorCode; reason: string } & Pick<Unheard, 'isFault'>)
  | ({ outcome: 'unknown'; reason: string } & Unheard)

interface Unheard {
  /** True if it says nothing of the payment: the failure is its own, and not that of the payment. */
  isFault?: boolean
  /** The pause that it asks for. */
  retryAfterMs?: number | undefined
}

type Json = Record<string, unknown>

function readObject({ text }: Reply): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : undefined
  } catch {
    // The facilitator may send a page of HTML instead of an answer.
    return undefined
  }
}

/** It stands in our quotes. */
const isFeePayer = (said: unknown): said is string =>
  typeof said === 'string' && families.svm.address.test(said)

export function readSupported(reply: Reply): Supported {
  const said = reply.status === 200 ? readObject(reply) : undefined
  if (!Array.isArray(said?.kinds)) throw new Error(`the facilitator answers ${reply.status}, and no kinds`)
  const kinds = (said.kinds as Json[]).flatMap((kind): Supported['kinds'] => {
    if (kind?.x402Version !== 2 || kind.scheme !== 'exact' || typeof kind.network !== 'string') return []
    if (familyOf(kind.network) === 'evm') return [{ network: kind.network, feePayer: undefined }]
    const feePayer = (kind.extra as Json | undefined)?.feePayer
    return isFeePayer(feePayer) ? [{ network: kind.network, feePayer }] : []
  })
  const signers = Object.values((said.signers ?? {}) as Json)
    .flat()
    .filter(isFeePayer)
  return { kinds, signers }
}

export function readVerified(reply: Reply, expected: Expected): VerifyReply {
  const said = readObject(reply)
  const isFault = typeof said?.isValid !== 'boolean'
  if (said?.isValid === true && reply.status === 200)
    return samePayer(said.payer, expected)
      ? { outcome: 'valid' }
      : { outcome: 'unavailable', reason: 'payer_mismatch' }
  const reason = word(said?.invalidReason)
  if (said?.isValid !== false || reply.status >= 500 || reason.startsWith('unexpected_'))
    return {
      outcome: 'unavailable',
      reason: said ? reason : `status_${reply.status}`,
      ...(isFault && { isFault, retryAfterMs: pauseOf(reply) }),
    }
  return { outcome: 'invalid', code: codeOf(reason), reason }
}

/**
 * Reasons that a facilitator can only give before it sends anything. A used nonce, a duplicate, a failed transaction and
 * a failed simulation are not among them: each may come from our own settlement.
 */
const beforeSending =
  /insufficient_(funds|balance)|valid_(before|after)|expired|_signature(_invalid)?$|mismatch$|_kyt$|value_too_low|invalid_(payload|scheme|network|payment_requirements|x402_version)$|unsupported_scheme|not_deployed|^settlement_not_sent$/

/** The pause after a 429 without a time in it. */
const quietMs = 5000

const pauseOf = ({ status, retryAfterMs }: Reply): number | undefined =>
  retryAfterMs ?? (status === 429 ? quietMs : undefined)

export function readSettled(reply: Reply, expected: Expected): SettleReply {
  const retryAfterMs = pauseOf(reply)
  if (reply.status === 429) return { outcome: 'unknown', reason: 'status_429', retryAfterMs, isFault: true }
  const read = readOutcome(reply, expected)
  return read.outcome === 'unknown' && retryAfterMs !== undefined ? { ...read, retryAfterMs } : read
}

function readOutcome(reply: Reply, expected: Expected): SettleReply {
  const said = readObject(reply)
  if (!said) return { outcome: 'unknown', reason: `status_${reply.status}`, isFault: true }
  const isFault = typeof said.success !== 'boolean'
  const tx = typeof said.transaction === 'string' ? said.transaction : ''
  if (said.success === true && reply.status === 200) {
    if (said.network !== expected.network) return { outcome: 'unknown', reason: 'network_mismatch' }
    if (!samePayer(said.payer, expected)) return { outcome: 'unknown', reason: 'payer_mismatch' }
    if (!isTransaction(tx, expected.network)) return { outcome: 'unknown', reason: 'no_transaction' }
    return { outcome: 'settled', tx }
  }
  const reason = word(said.errorReason)
  const definite =
    said.success === false &&
    tx === '' &&
    reply.status < 500 &&
    beforeSending.test(reason) &&
    !/transfer_event/.test(reason)
  return definite
    ? { outcome: 'failed', code: codeOf(reason), reason }
    : { outcome: 'unknown', reason: reason || `status_${reply.status}`, ...(isFault && { isFault }) }
}

const samePayer = (payer: unknown, expected: Expected): boolean =>
  payer === undefined ||
  payer === null ||
  payer === '' ||
  (typeof payer === 'string' && plainAddress(payer) === plainAddress(expected.payer))

const isTransaction = (tx: string, network: string): boolean =>
  families[familyOf(network)].transaction.test(tx)

/** Our records keep a reason only if it is a plain code. */
const word = (reason: unknown): string =>
  typeof reason === 'string' && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : ''

function codeOf(reason: string): ErrorCode {
  if (reason === 'settlement_not_sent') return 'facilitator_unavailable'
  if (/insufficient/.test(reason)) return 'insufficient_funds'
  if (/valid_before|valid_after|expired|blockhash/.test(reason)) return 'payment_expired'
  return 'payment_rejected'
}
