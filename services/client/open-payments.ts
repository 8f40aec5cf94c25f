/** What a call does with the payments that it keeps: takes them up, and lets them go when their end is known. */
import { deadAtOf, isDead, type Keep, type Kept, namesOf } from './kept.ts'
import type { Offer } from './quote.ts'
import type { Result } from './results.ts'

/** How a call stands to the payments that were kept for its question. */
export interface OpenPayments {
  /** The last one first. */
  kept(): Promise<Kept[]>
  /** `beside`: the payments of this question that this call knows. False: another process was first with this question. */
  begin(made: Made, beside: readonly string[]): Promise<boolean>
  /** Hears the end of a call with this payment. dead: it was never taken, and another may be signed. */
  heard(payment: string, result: Result): Promise<'dead' | 'heard'>
}

interface Made {
  key: string
  payment: string
  payload: object
  offer: Offer
}

export function openPayments(
  keep: Keep | undefined,
  url: string,
  path: string,
  question: object,
): OpenPayments {
  const names = keep ? namesOf(url, path, question) : []
  const all = async () => (await Promise.all(names.map(name => keep?.get(name)))).flatMap(kept => kept ?? [])
  return {
    kept: async () => (await all()).sort((a, b) => (a.signedAt < b.signedAt ? 1 : -1)),

    async begin({ key, payment, payload, offer: { network, amount } }, beside) {
      if (!keep) return true
      const now = Date.now()
      const times = { signedAt: new Date(now).toISOString(), deadAt: deadAtOf(payload, network, now) }
      const made = { url, path, question, key, payment, network, amount, ...times }
      const isKnown = (kept: Kept | undefined) => kept !== undefined && beside.includes(kept.payment)
      if (!(await all()).every(isKnown)) return false
      // The first free name: of two processes at once, one gets it.
      for (const name of names) {
        if (await keep.put(name, made, true)) return true
        if (!isKnown(await keep.get(name))) return false
      }
      return false
    },

    async heard(payment, result) {
      try {
        return keep ? await ended(keep, names, payment, result) : 'heard'
      } catch {
        // The result is here, and is worth more than its record, which stays and is taken up again.
        return 'heard'
      }
    },
  }
}

async function ended(
  keep: Keep,
  names: readonly string[],
  payment: string,
  result: Result,
): Promise<'dead' | 'heard'> {
  let ending: 'dead' | 'heard' = 'heard'
  for (const name of names) {
    const kept = await keep.get(name)
    if (kept && kept.payment !== payment) {
      // The answer is here, so a payment that was refused for it is needed no more.
      if (result.ok && kept.said?.charged === false) await keep.delete(name, 'answered')
    } else if (kept) ending = await endedOne(keep, name, kept, result)
  }
  return ending
}

async function endedOne(keep: Keep, name: string, kept: Kept, result: Result): Promise<'dead' | 'heard'> {
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
