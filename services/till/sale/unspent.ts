/** Makes sure that no money has moved for a payment that the memory may not know. Before its sale, the chain must say so. */
import type { Trace } from '../../../schemas/till-promises.ts'
import { AlreadyUsed, Failure } from '../../offer/errors.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome } from '../payment-failures.ts'
import type { Schemes } from '../schemes/scheme.ts'
import type { Payment, Sale } from '../till.ts'
import { Looks } from './looks.ts'
import type { Recovery } from './recovery.ts'

/** The looks of one caller for payments that are dead: each may read far back. */
const deadAtOnce = 1
const deadAMinute = 10
const beforeAll = 1
const before = 'The payment was taken before'

export interface UnspentParts {
  ledger: Ledger
  recovery: Recovery
  schemes: Schemes
  now: () => number
}

export function unspent({ ledger, recovery, schemes, now }: UnspentParts) {
  const { purchases, unread } = ledger
  const looks = new Looks(now, { atOnce: deadAtOnce, aMinute: deadAMinute })
  const longestLifeOf = ({ network }: Trace): number => schemes.get(network)?.longestLifeMs ?? 0

  /** An unreadable record about the payment may be a promise. Then the chain must say that no money has moved. */
  function mustBeUnspent({ spendId, trace }: Payment): undefined | Promise<void> {
    const since = unread.since(spendId)
    return since === undefined ? undefined : mustBeUnspentSince(since, { spendId, trace })
  }

  async function mustBeUnspentSince(since: number, { spendId, trace }: Pick<Payment, 'spendId' | 'trace'>) {
    const found = await recovery.find(trace, since - longestLifeOf(trace))
    if (found?.found) throw unknownOutcome(`The payment is taken, with ${found.tx}; what it bought is unread`)
    if (!found?.final)
      throw unknownOutcome('A record of the payment cannot be read, and the chain has not said')
    unread.clear(spendId)
  }

  /** The memory may have forgotten the payment, or a clock that was wrong may have made it. Then the chain must show that nobody has used it. */
  function mustBeNew({ caller, payment }: Sale): undefined | Promise<void> {
    const { spendId, trace, firstDeadAt } = payment
    const known = purchases.word(spendId)
    if (known) throw new AlreadyUsed(known.tx, known.bought ?? before)
    const asksChain = schemes.get(trace.network)?.isLive || purchases.mayHaveForgotten(firstDeadAt, spendId)
    return asksChain ? chainMustKnowNone(payment, caller) : undefined
  }

  async function chainMustKnowNone(payment: Payment, caller: string): Promise<void> {
    const { spendId, trace, firstDeadAt } = payment
    await mustLive(payment, caller)
    if (!purchases.mayHaveForgotten(firstDeadAt, spendId)) return
    const seen = await recovery.find(trace, Math.min(firstDeadAt, now()) - longestLifeOf(trace))
    if (seen?.found) throw new AlreadyUsed(seen.tx, before)
    if (seen?.reason === 'not_seen') return
    if (seen?.reason === 'expired') throw new Failure('payment_expired')
    throw unknownOutcome('The payment may have been taken before, and the chain has not said')
  }

  /** A payment that says nothing of its end may be older than the memory. While the chain takes it still, it is not. */
  async function mustLive({ spendId, trace }: Payment, caller: string): Promise<void> {
    const scheme = schemes.get(trace.network)
    if (!scheme?.isLive) return
    const isLive = await scheme.isLive(trace).catch(() => undefined)
    if (isLive === true) return
    const isUntold = 'Nobody can tell whether the payment was taken before: the chain has not said'
    if (isLive === undefined) {
      if (purchases.mayHaveForgotten(beforeAll, spendId)) throw unknownOutcome(isUntold)
      return
    }
    const seen = await looks.look(caller, () => recovery.find(trace, 0))
    if (seen?.found) throw new AlreadyUsed(seen.tx, before)
    if (seen?.final) throw new Failure('payment_expired')
    throw unknownOutcome(isUntold)
  }

  return { mustBeUnspent, mustBeNew }
}
