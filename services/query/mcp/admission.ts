/** Decides who may send a message. Above the rate a caller gets only an answer that is owed, as at the paths. */
import type { Failure } from '../../offer/errors.ts'
import { isObject } from '../../till/header.ts'
import type { Till } from '../../till/till.ts'
import { type Callers, callerOf } from '../callers.ts'
import type { Request } from '../http.ts'
import { presentedIn } from './charges.ts'

export function admissionTo({ callers, till }: { callers: Callers; till: Till }) {
  const over = new WeakMap<Request, Failure>()

  return {
    /** Counts a message before its body is read. Above the rate only a few bodies are read. */
    async begin(request: Request): Promise<void> {
      const standing = callers.admitPayment(callerOf(request))
      if (typeof standing !== 'string') over.set(request, standing)
    },

    /** Returns the 429 if the caller is above the rate: what else is wrong with his message does not matter then. */
    turnedAway: (request: Request): Failure | undefined => over.get(request),

    /** Throws the 429 if the caller is above the rate and the message is anything but one call for an owed answer. */
    end(request: Request, sold: ReadonlyMap<string, unknown>): void {
      const isOver = over.get(request)
      if (isOver && !fetchesOwed(request.body, sold, till)) throw isOver
    },
  }
}

function fetchesOwed(body: unknown, sold: ReadonlyMap<string, unknown>, till: Till): boolean {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return false
  const { name } = body.params
  if (typeof name !== 'string' || !sold.has(name) || !('id' in body)) return false
  return presentedIn(body, till).some(payment => till.owes(payment))
}
