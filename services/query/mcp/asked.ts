/** What a call brings beside its question and its payment. */
import { Failure } from '../../offer/errors.ts'
import type { Operation } from '../../offer/operation.ts'
import { answerSchema } from './brief.ts'
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

/** The fields of the answer that the caller wants. Who has paid before gets his answer, whatever he wants of it. */
export function fieldsIn(
  wanted: unknown,
  { response }: Operation,
  isKnown: boolean,
): readonly string[] | undefined {
  if (isLeftOut(wanted)) return undefined
  const { properties } = answerSchema(response)
  const known = new Set(['receipt', ...Object.keys(properties ?? {})])
  const isList = Array.isArray(wanted) && wanted.length > 0 && wanted.every(name => typeof name === 'string')
  if (isList && (!properties || wanted.every(name => known.has(name)))) return wanted
  if (isKnown) return undefined
  throw new Failure(
    'invalid_request',
    `fields: a list of fields of the answer, out of ${[...known].join(', ')}`,
  )
}
