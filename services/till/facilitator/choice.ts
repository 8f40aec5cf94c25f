/** Which of several facilitators a payment may go to, the best first, and whose offers are quoted. */
import { familyOf } from '../../../schemas/tables/networks.ts'
import type { Failure } from '../../offer/errors.ts'
import { facilitatorUnavailable, unfit } from '../payment-failures.ts'
import type { Payment } from '../till.ts'
import type { Candidate } from './candidate.ts'
import type { Supported } from './reply.ts'

type Asked = Pick<Payment, 'offer'>

export class Choice {
  readonly #candidates: readonly Candidate[]

  constructor(candidates: readonly Candidate[]) {
    this.#candidates = candidates
  }

  /** Who may be asked about a payment. On Solana that is the one whose fee payer it names. */
  of({ offer: { network, extra } }: Asked): Candidate[] {
    const ranked = this.#ranked(network)
    return familyOf(network) === 'evm'
      ? ranked
      : ranked.filter(candidate => candidate.hasNamed(extra.feePayer)).slice(0, 1)
  }

  /** Have all that may be asked about the payment asked for a pause? */
  isQuiet(payment: Asked): boolean {
    return this.of(payment).every(({ health }) => health.isQuiet)
  }

  /** Why no payment can be taken now. Undefined if some can. */
  get down(): string | undefined {
    const reasons = this.#candidates.map(({ availability }) => availability.down)
    return reasons.every(Boolean) ? reasons[0] : undefined
  }

  /** Why this payment cannot be taken now. */
  closedFor(payment: Asked): Failure | undefined {
    const { network } = payment.offer
    const able = this.of(payment)
    if (able.some(({ availability }) => !availability.down))
      return this.isQuiet(payment)
        ? facilitatorUnavailable('The payment facilitator is asked too often')
        : undefined
    const isElsewhere = this.#candidates.some(candidate => candidate.kindOn(network))
    return isElsewhere && familyOf(network) === 'svm'
      ? unfit('the facilitator of its fee payer does not answer: pay what is quoted now')
      : facilitatorUnavailable(able[0]?.availability.down ?? this.down)
  }

  /** What the best of each network offers now. Undefined while nobody answers: then the quotes stay as they are. */
  supported(): Supported | undefined {
    if (this.down) return undefined
    const kinds: Supported['kinds'] = []
    const signers: string[] = []
    for (const network of this.#networks()) {
      const best = this.#ranked(network).find(candidate => candidate.kindOn(network))
      const kind = best?.kindOn(network)
      if (!best || !kind) continue
      kinds.push(kind)
      if (kind.feePayer === undefined) continue
      best.quoted(kind.feePayer)
      signers.push(...(best.availability.supported?.signers ?? []))
    }
    return { kinds, signers }
  }

  #networks(): Set<string> {
    const kinds = this.#candidates.flatMap(({ availability }) => availability.supported?.kinds ?? [])
    return new Set(kinds.map(({ network }) => network))
  }

  #ranked(network: string): Candidate[] {
    const [only] = this.#candidates
    if (only && this.#candidates.length === 1) return only.serves(network) ? [only] : []
    const place = (candidate: Candidate) => candidate.placeOn(network) ?? 0
    return this.#candidates
      .filter(candidate => candidate.serves(network))
      .toSorted((a, b) => a.rankOn(network) - b.rankOn(network) || place(a) - place(b))
  }
}
