/** Makes and reads the records of `till.promises`. */
import type { Entry } from '../../../pipelines/rails/log/log.ts'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import type { SettlementEvent } from '../../../schemas/settlements.ts'
import { mostKeys, mostLetters, type TillStep, tillPromises } from '../../../schemas/till-promises.ts'
import type { Purchase } from './purchase.ts'

/** Writes a step without its empty fields. */
export type Said = Pick<TillStep, 'step'> & Partial<Omit<TillStep, 'by' | 'at'>>

export const entryOf = (by: string, at: string, { step, ...more }: Said): Entry => ({
  key: more.spend_id ?? by,
  value: JSON.stringify({
    by,
    step,
    spend_id: '',
    request_id: '',
    at,
    keys: [],
    payment_tx: null,
    payment_position: null,
    promised: null,
    ...more,
  } satisfies Omit<TillStep, 'paying'>),
})

/** Names a step. A run writes each step of a request once. */
export const nameOf = ({ step, request_id }: Said): string => `${step} ${request_id}`

/**
 * Reads a record. It fully checks all but those that begin with `own` and are what this run writes: whoever may write the topic may
 * write in its name, too. `awaited` has the promises that this run waits to read back, by their requests.
 */
export function readStep(
  value: string,
  own: string,
  awaited: ReadonlyMap<string, unknown>,
): { event: TillStep; reason?: undefined } | { event?: undefined; reason: string } {
  if (value.startsWith(own))
    try {
      const event = JSON.parse(value)
      if (isPlain(event) && (event.promised === null || awaited.has(event.request_id))) return { event }
    } catch {
      // Somebody else has written this record under the name of this run.
    }
  return readEvent(tillPromises, value)
}

const isShort = (text: unknown): boolean => typeof text === 'string' && text.length <= mostLetters

const isPlain = ({ step, spend_id, request_id, keys, payment_tx, payment_position }: TillStep): boolean =>
  typeof (payment_position ?? 0) === 'number' &&
  [step, spend_id, request_id, payment_tx ?? ''].every(isShort) &&
  Array.isArray(keys) &&
  keys.length <= mostKeys &&
  keys.every(isShort)

/** The beginning of every record of a run. */
export const beginningOf = (run: string): string => `{"by":${JSON.stringify(run)},`

/** The step that records the state of a purchase whose promise is in the log. Undefined while a run works on it. */
export function outcomeOf({ state, delivered, holder }: Purchase): TillStep['step'] | undefined {
  if (state === 'failed' || state === 'refused') return state
  if (delivered) return 'delivered'
  if (holder === undefined) return 'returned'
  return state === 'settled' ? 'settled' : undefined
}

export type More = Partial<Pick<SettlementEvent, 'resolved' | 'reason' | 'payment_tx' | 'payment_position'>>

export const settlementOf = (
  { spendId, requestId, promised }: Purchase,
  state: SettlementEvent['state'],
  at: string,
  more: More = {},
): SettlementEvent => ({
  spend_id: spendId,
  state,
  at,
  request_id: requestId,
  origin: promised.origin,
  operation: promised.operation,
  network: promised.network,
  amount_usdc: promised.price_usdc,
  payer: promised.payer,
  pay_to: promised.pay_to,
  payment_tx: null,
  payment_position: null,
  question_sha256: promised.question_sha256,
  answer_sha256: promised.answer_sha256,
  resolved: false,
  reason: null,
  ...more,
})
