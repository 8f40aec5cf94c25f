/** Who may send a message. Above his rate a caller is heard only with a payment whose answer is owed, as at the paths. */
import type { Failure } from '../../offer/errors.ts'
import { isObject } from '../../till/header.ts'
import type { Till } from '../../till/till.ts'
import { type Callers, callerOf } from '../callers.ts'
import type { Request } from '../http.ts'
import { presentedIn } from './charges.ts'

export function admissionTo({ callers, till }: { callers: Callers; till: Till }) {
  const over = new WeakMap<Request, Failure>()

  return {
    /** Counts a message before its body is read. So few above the rate are read at all. */
    async begin(request: Request): Promise<void> {
      const caller = callerOf(request)
      const standing = callers.count(caller)
      if (typeof standing === 'string') return
      if (!callers.maySeek(caller)) throw standing
      over.set(request, standing)
    },

    /** Throws the 429 of whoever is above his rate and has sent anything but one call with a payment that is owed. */
    end(request: Request, sold: ReadonlyMap<string, unknown>): void {
      const isOver = over.get(request)
      if (isOver && !fetchesOwed(request.body, sold, till)) throw isOver
    },
  }
}

function fetchesOwed(body: unknown, sold: ReadonlyMap<string, unknown>, till: Till): boolean {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return false
  if (!sold.has(String(body.params.name)) || !('id' in body)) return false
  return presentedIn(body, till).some(payment => till.owes(payment))
}
