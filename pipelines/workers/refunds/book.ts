/** What became of each refund, by the steps in the log. */
import type { RefundStep } from '../../../schemas/refunds.ts'
import { atomsOf } from '../../domains/payments/atoms.ts'

export interface Refund {
  requestId: string
  cause: RefundStep['cause']
  state: 'ordered' | 'refused' | 'intended' | 'paid' | 'final'
  /** Its newest step. */
  last: RefundStep
  orderedAt: number
  /** When the first try was written: nothing was sent before. */
  intendedAt: number | undefined
  /** When its newest try was written. On the budget of that UTC day it counts, whenever it is sent. */
  triedAt: string
}

export class RefundBook {
  readonly #refunds = new Map<string, Refund>()
  /** Transfers of sales that are paid back, or may be, and the request that each belongs to. */
  readonly #credits = new Map<string, string>()
  readonly #open = new Set<Refund>()

  of(requestId: string): Refund | undefined {
    return this.#refunds.get(requestId)
  }

  /**
   * They need work: so many, those first that have waited longest for a look. What is under way stands before all, and an operator
   * before the rules: payers can make those order a crowd.
   */
  next(most: number, isDue: (refund: Refund) => boolean): readonly Refund[] {
    const due = Map.groupBy(this.#open.values().filter(isDue), rankOf)
    return [0, 1, 2, 3].flatMap(rank => due.get(rank) ?? []).slice(0, most)
  }

  open(): Iterable<Refund> {
    return this.#open
  }

  /** Others are looked at before it. */
  later(refund: Refund): void {
    if (this.#open.delete(refund)) this.#open.add(refund)
  }

  /** The request whose refund has taken this transfer of a sale. */
  takenBy(credit: string): string | undefined {
    return this.#credits.get(credit)
  }

  /** What the tries that were written on this UTC day take, whether or not they have landed. */
  spentOn(
    day: string,
    of: Partial<Pick<RefundStep, 'cause' | 'payer'>> = {},
  ): { atoms: bigint; count: number } {
    const spent = { atoms: 0n, count: 0 }
    for (const { state, cause, last, triedAt } of this.#refunds.values()) {
      if (!isTried(state) || !triedAt.startsWith(day)) continue
      if (cause !== (of.cause ?? cause) || last.payer !== (of.payer ?? last.payer)) continue
      spent.atoms += atomsOf(last.amount_usdc)
      spent.count++
    }
    return spent
  }

  /** A step that comes twice, or too late, changes nothing. */
  take(step: RefundStep): void {
    const known = this.#refunds.get(step.request_id)
    if (known && !follows(known, step)) return
    if (!known && step.step !== 'ordered') return
    const refund: Refund = known ?? {
      requestId: step.request_id,
      cause: step.cause,
      state: 'ordered',
      last: step,
      orderedAt: Date.parse(step.at),
      intendedAt: undefined,
      triedAt: '',
    }
    this.#refunds.set(step.request_id, refund)
    refund.last = step
    refund.state = step.step === 'dropped' ? 'ordered' : step.step
    if (step.step === 'ordered') {
      refund.orderedAt = Date.parse(step.at)
      refund.cause = step.cause
    }
    if (step.step === 'intended') {
      refund.intendedAt ??= Date.parse(step.at)
      refund.triedAt = step.at
      this.#credits.set(creditOf(step), step.request_id)
    }
    const isDone = refund.state === 'final' || refund.state === 'refused'
    if (isDone) this.#open.delete(refund)
    else this.#open.add(refund)
  }
}

const isTried = (state: Refund['state']) => state === 'intended' || state === 'paid' || state === 'final'

const rankOf = ({ state, cause }: Refund): number =>
  state === 'intended' ? 0 : state === 'paid' ? 3 : cause === 'command' ? 1 : 2

type Credit = Pick<RefundStep, 'network' | 'payment_tx' | 'payment_position'>

/** Two requests cannot get back one transfer. */
export const creditOf = ({ network, payment_tx, payment_position }: Credit): string =>
  `${network} ${/^0x/.test(payment_tx ?? '') ? payment_tx?.toLowerCase() : payment_tx} ${payment_position}`

const after: Record<Refund['state'], readonly RefundStep['step'][]> = {
  // Of several that were written at once the first counts, for every reader.
  ordered: ['intended', 'refused'],
  refused: ['ordered'],
  intended: ['paid', 'dropped'],
  // A reorganisation may take it back.
  paid: ['final', 'dropped'],
  final: [],
}

function follows({ state, last }: Refund, { step, attempt }: RefundStep): boolean {
  return after[state].includes(step) && attempt >= last.attempt
}
