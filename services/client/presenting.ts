/** Presents a payment with a question, until the seller has said what became of it. */
import { addressOf, ask, type ConnectionOptions, patienceEnd } from './connection.ts'
import { proofFor } from './proof.ts'
import { type Problem, type Result, resultOf } from './results.ts'
import type { Wallet } from './wallet.ts'

/** A question with its Idempotency-Key. */
export type Asked = RequestInit & { headers: object }

const mostProofs = 3

export async function presented(
  { connection, wallet }: { connection: ConnectionOptions; wallet: Wallet },
  path: string,
  request: Asked,
  payment: string,
): Promise<Result> {
  const headers = { ...request.headers, 'payment-signature': payment }
  const asking = { until: patienceEnd(connection), paid: true }
  let heard = await ask({ ...request, headers }, path, connection, asking)
  // A proof works once, so an answer that was lost again needs another one.
  for (let tries = 0; tries < mostProofs; tries++) {
    if ('lost' in heard || heard.code !== 'payment_already_used') break
    const proof = await proofFor(heard.json, addressOf(path, connection), wallet)
    if (!proof) break
    const proven = { ...request, headers: { ...headers, 'sign-in-with-x': proof } }
    heard = await ask(proven, path, connection, asking)
  }
  const result = resultOf(heard, null)
  return result.ok || result.error.charged === false
    ? result
    : { ok: false, error: { ...result.error, payment } }
}

/**
 * Whether this payment was refused, and not the question: another network may do then. The seller must say that nothing was charged;
 * silence is no such word. One who asks for a payment, as if there were none, has not refused it.
 */
export function isRefusedPayment({ charged, status, code }: Problem): boolean {
  if (charged !== false) return false
  return status === 402 ? code !== 'payment_required' : code === 'facilitator_unavailable'
}
