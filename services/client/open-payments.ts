/** What a call does with the payment that it keeps: takes it up, and lets it go when its end is known. */

import { deadAtOf, isDead, type Keep, type Kept, nameOf } from './kept.ts'
import type { Offer } from './quote.ts'
import type { Result } from './results.ts'

/** How a call stands to the payment that was kept for its question. */
export interface OpenPayment {
  kept(): Promise<Kept | undefined>
  /** False: another process was first with this question. */
  begin(made: { key: string; payment: string; payload: object; offer: Offer }): Promise<boolean>
  /** Hears the end of a call with this payment. dead: it was never taken, and another may be signed. */
  heard(payment: string, result: Result): Promise<'dead' | 'heard'>
}

export function openPayment(
  keep: Keep | undefined,
  url: string,
  path: string,
  question: object,
): OpenPayment {
  const name = keep ? nameOf(url, path, question) : ''
  return {
    kept: async () => keep?.get(name),

    async begin({ key, payment, payload, offer: { network, amount } }) {
      if (!keep) return true
      const now = Date.now()
      const times = { signedAt: new Date(now).toISOString(), deadAt: deadAtOf(payload, network, now) }
      return keep.put(name, { url, path, question, key, payment, network, amount, ...times }, true)
    },

    async heard(payment, result) {
      try {
        return keep ? await ended(keep, name, payment, result) : 'heard'
      } catch {
        // The result is here, and is worth more than its record, which stays and is taken up again.
        return 'heard'
      }
    },
  }
}

async function ended(keep: Keep, name: string, payment: string, result: Result): Promise<'dead' | 'heard'> {
  const kept = await keep.get(name)
  if (kept?.payment !== payment) return 'heard'
  if (result.ok) {
    await keep.delete(name, 'answered')
    return 'heard'
  }
  const { code, charged, answer, keptUntil } = result.error
  if (charged === false && isDead(kept)) {
    await keep.delete(name, 'dead')
    return 'dead'
  }
  if (answer === 'gone') await keep.delete(name, 'gone')
  else await keep.put(name, { ...kept, said: { code, charged, ...(keptUntil && { keptUntil }) } }, false)
  return 'heard'
}
