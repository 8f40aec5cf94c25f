/** What a call brings beside its question and its payment. */
import { idempotencyKey, proofKey, traceKey } from './payment.ts'

interface Caller {
  name: string
  requestId: string
  traceparent?: string | undefined
}

/** The proof, the trace and the names that come with a payment. */
export const evidenceOf = (meta: Record<string, unknown>, { requestId, name, traceparent }: Caller) => ({
  requestId,
  caller: name,
  proof: textIn(meta[proofKey]),
  traceparent: textIn(meta[traceKey]) ?? traceparent,
})

/** Models write null for what they leave out. */
const isLeftOut = (given: unknown): given is undefined | null => given === undefined || given === null

/** Only a text can be a proof or a trace. */
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * A model writes arguments alone, and its host writes `_meta`. Only a text can be a key: a number would be another key here than over
 * HTTP. Two different keys are no key.
 */
export function keyIn(
  argument: unknown,
  { [idempotencyKey]: inMeta }: Record<string, unknown>,
): string | undefined {
  const [key, ...others] = new Set([argument, inMeta].filter(given => !isLeftOut(given)))
  if (key === undefined) return undefined
  return others.length ? '' : (textIn(key) ?? '')
}
