/** From the durable intent to an end that is sure: the money has moved, or it has not and will not. */
import { Failure } from '../errors.ts'
import type { Allowance } from './allowance.ts'
import type { Entry } from './book.ts'
import type { Facilitator, Settled } from './facilitator.ts'
import type { Ledger } from './ledger.ts'
import type { Checked } from './payment.ts'
import { notSettled } from './receipt.ts'
import type { Recovery } from './recovery.ts'

export interface SettlingParts {
  ledger: Ledger
  facilitator: Facilitator
  recovery: Recovery
  allowance: Allowance
  step(step: 'settled' | 'recorded'): void
  aside(work: Promise<unknown>): void
  onError(error: unknown): void
}

export const unknown = () => new Failure('payment_unknown', undefined, { 'Retry-After': '5' })

export function settling(parts: SettlingParts) {
  const { ledger, facilitator, recovery, allowance, step } = parts

  const ask = ({ request, offer, payer }: Checked, withinMs?: number): Promise<Settled> =>
    facilitator.settle(request, { network: offer.network, payer }, withinMs)

  /** Tries until the deadline to learn how it ended, by looking and by settling the same payment again. */
  const resolve = (entry: Entry, payment: Checked, deadline: number): Promise<void> =>
    recovery.resolve(entry, deadline, withinMs => ask(payment, withinMs))

  /** Returns only when the money has moved, and says "not charged" only when it has not and will not. */
  async function settle(entry: Entry, payment: Checked, deadline: number): Promise<void> {
    const said = await ask(payment)
    step('settled')
    if (said.outcome === 'settled' && !ledger.book.creditedElsewhere(said.tx, entry.spendId)) {
      await recovery.settled(entry, said.tx, false)
      step('recorded')
      return
    }
    if (said.outcome === 'failed') {
      await ledger.fail(entry, said.reason, false).catch(parts.onError)
      throw refused(payment, said.code)
    }
    parts.aside(ledger.doubt(entry, said.outcome === 'unknown' ? said.reason : 'transaction_known'))
    await resolve(entry, payment, deadline)
    if (entry.state === 'open') throw unknown()
    if (entry.state === 'failed') throw refused(payment, 'payment_rejected')
  }

  function refused({ offer, payer }: Checked, code: ConstructorParameters<typeof Failure>[0]): Failure {
    if (code !== 'facilitator_unavailable') allowance.count(payer)
    return new Failure(code, undefined, notSettled(offer.network, payer, code))
  }

  return { settle, resolve }
}
