/** What the memory may not know of a payment, the chain must say before it is sold: that no money has moved for it. */
import { AlreadyUsed, Failure } from '../../offer/errors.ts'
import { unknownOutcome } from '../failures.ts'
import type { Ledger } from '../ledger.ts'
import type { Payment } from '../till.ts'
import type { Recovery } from './recovery.ts'

/** A payment that we take lives no longer. */
const longestLifeMs = 120_000

interface UnspentParts {
  ledger: Ledger
  recovery: Recovery
  now: () => number
}

export function unspent({ ledger, recovery, now }: UnspentParts) {
  const { purchases, unread } = ledger

  /** A record about the payment cannot be read and may be a promise. Then the chain must say that no money has moved. */
  async function mustBeUnspent({ spendId, trace }: Payment): Promise<void> {
    const since = unread.since(spendId)
    if (since === undefined) return
    const found = await recovery.find(trace, since - longestLifeMs)
    if (found?.found) throw unknownOutcome(`The payment is taken, with ${found.tx}; what it bought is unread`)
    if (!found?.final)
      throw unknownOutcome('A record of the payment cannot be read, and the chain has not said')
    unread.clear(spendId)
  }

  /** A clock that was wrong may have made us forget what is good still. Then the chain must show that nobody has used it. */
  async function mustBeNew({ spendId, trace, firstDeadAt }: Payment): Promise<void> {
    if (!purchases.mayHaveForgotten(firstDeadAt)) return
    const known = purchases.word(spendId)
    if (known) throw new AlreadyUsed(known.tx, known.bought ?? 'The payment was taken before')
    const seen = await recovery.find(trace, Math.min(firstDeadAt, now()) - longestLifeMs)
    if (seen?.found) throw new AlreadyUsed(seen.tx, 'The payment was taken before')
    if (seen?.reason === 'not_seen') return
    if (seen?.reason === 'expired') throw new Failure('payment_expired')
    throw unknownOutcome('The payment may have been taken before, and the chain has not said')
  }

  return { mustBeUnspent, mustBeNew }
}
