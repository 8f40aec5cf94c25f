/**
 * All facilitators of a till, and who is asked what. On EVM chains the nonce of an authorization is taken once, so any may verify, and
 * another may settle once the outcome of the first is unknown: the chain judges. On Solana the fee payer stands in the quote, so the
 * choice falls there, and only whose fee payer a payment names is asked about it.
 */
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { familyOf } from '../../../schemas/tables/networks.ts'
import type { FacilitatorState, Payment, Settleable } from '../till.ts'
import type { Candidate } from './candidate.ts'
import type { Catalog } from './catalog.ts'
import { Choice } from './choice.ts'
import type { Leave } from './connection-line.ts'
import { type CallPatience, timeouts } from './facilitator.ts'
import type { MoneyCall } from './health.ts'
import type { SettleReply, Supported, VerifyReply } from './reply.ts'
import { anyVerdict, orSilent } from './verdict.ts'

/** The place of a payment at one facilitator. */
export interface Turn {
  candidate: Candidate
  leave: Leave
}

export type SettleWord = SettleReply & {
  /** The facilitator whose word it is. */
  by: string
  /** It never left this machine, so no facilitator has seen it. */
  isUnsent: boolean
}
/** How the chain can deny a facilitator's word. */
export type Lie = 'settled' | 'transaction' | 'refused'

export interface FacilitatorsOptions {
  candidates: readonly Candidate[]
  catalog: Catalog
  timeoutsMs?: Partial<typeof timeouts> | undefined
  /** Gets what can be quoted, whenever that may have changed. */
  onSupported(supported: Supported): void
  onError(error: unknown): void
}

/** Where another one may be asked, a facilitator is waited for no longer than this. */
const patienceMs = 8000
const timedOut = 'TIMEOUT'

export class Facilitators {
  readonly choice: Choice
  readonly #options: FacilitatorsOptions
  readonly #timeoutsMs: typeof timeouts
  /** How often each was asked to settle a payment. */
  readonly #tries = new WeakMap<Settleable, Map<Candidate, number>>()

  constructor(options: FacilitatorsOptions) {
    this.#options = options
    this.#timeoutsMs = { ...timeouts, ...options.timeoutsMs }
    this.choice = new Choice(options.candidates)
  }

  /** Resolves when each has responded or failed. */
  async ask(): Promise<void> {
    await Promise.all(this.#options.candidates.map(({ availability }) => availability.ask()))
  }

  /** A connection to the one that will settle the payment, at once if one is free. Undefined if the wait takes too long. */
  turn(payment: Payment, waitMs: number): Turn | Promise<Turn | undefined> {
    const expected = expectedOf(payment)
    const all = this.choice.of(payment)
    for (const candidate of all.filter(isAble)) {
      const leave = candidate.facilitator.turn(expected, 0)
      if (!(leave instanceof Promise)) return { candidate, leave }
    }
    const [candidate] = all
    return waited(candidate, candidate?.facilitator.turn(expected, waitMs))
  }

  verify(payment: Payment): Promise<VerifyReply> {
    const all = this.choice.of(payment)
    const able = all.filter(isAble)
    const ask = (candidate: Candidate, timeoutMs: number) => this.#verify(candidate, payment, timeoutMs)
    const { network } = payment.offer
    const onSilent = (candidate: Candidate) => void this.#isSilent(candidate, network)
    return anyVerdict(able.length > 0 ? able : all.slice(0, 1), { ask, onSilent }, this.#timeoutsMs.verify)
  }

  /** Settles with one after the other, until one says something of the payment. All together take no longer than one may. */
  async settle(payment: Payment, { candidate, leave }: Turn): Promise<SettleWord> {
    const endsAt = performance.now() + this.#timeoutsMs.settle
    const asked = new Set([candidate])
    const isEvm = familyOf(payment.offer.network) === 'evm'
    const other = () =>
      isEvm ? this.choice.of(payment).find(each => isAble(each) && !asked.has(each)) : undefined
    let told = await this.#settle(candidate, payment, { turn: leave }, other() !== undefined)
    while (saysNothing(told)) {
      const next = other()
      const timeoutMs = endsAt - performance.now()
      if (!next || timeoutMs <= 0) break
      asked.add(next)
      told = after(told, await this.#settle(next, payment, { timeoutMs }, other() !== undefined))
    }
    return told
  }

  /** Settles once more: with the one that was asked least, if the payment may go to several. */
  settleAgain(payment: Settleable, timeoutMs: number): Promise<SettleWord> {
    const all = this.choice.of(payment)
    const able = all.filter(isAble)
    const tries = (candidate: Candidate) => this.#tries.get(payment)?.get(candidate) ?? 0
    const [next] = able.length > 0 ? able.toSorted((a, b) => tries(a) - tries(b)) : all
    if (!next) return Promise.resolve({ outcome: 'unknown', reason: 'nobody_asked', by: '', isUnsent: true })
    return this.#settle(next, payment, { timeoutMs }, able.length > 1)
  }

  /**
   * The chain denies its word, so others are asked before it. Undefined: nobody remembers who said it. A refused payment can be sent by
   * its payer, too, who could so have any facilitator left out: that is counted, and no more.
   */
  lied(kind: Lie, by: string | undefined): void {
    metrics.facilitatorLies.inc({ kind, facilitator: by ?? 'unknown' })
    if (kind === 'refused') return
    this.#options.candidates.find(({ name }) => name === by)?.health.distrust()
    this.changed()
  }

  /** Quotes what can be paid now. */
  changed(): void {
    const { candidates, onSupported, onError } = this.#options
    metrics.facilitatorUp.set(this.choice.down ? 0 : 1)
    for (const candidate of candidates) candidate.tell()
    try {
      const supported = this.choice.supported()
      if (supported) onSupported(supported)
    } catch (error) {
      // The old quotes stay.
      onError(error)
    }
  }

  get states(): readonly FacilitatorState[] {
    const { candidates, catalog } = this.#options
    return candidates.map(candidate => ({
      name: candidate.name,
      state: candidate.state,
      listings: catalog.listings.filter(({ facilitator }) => facilitator === candidate.name),
    }))
  }

  async close(): Promise<void> {
    const { candidates } = this.#options
    for (const { availability } of candidates) availability.close()
    await Promise.all(candidates.map(({ facilitator }) => facilitator.close()))
  }

  async #verify(candidate: Candidate, payment: Payment, timeoutMs: number): Promise<VerifyReply> {
    candidate.health.begin(payment.offer.network, 'verify')
    const reply = await candidate.facilitator.verify(payment.request(), expectedOf(payment), { timeoutMs })
    this.#heard(candidate, 'verify', payment, reply)
    return reply
  }

  async #settle(
    candidate: Candidate,
    payment: Settleable,
    { timeoutMs = Number.POSITIVE_INFINITY, turn }: CallPatience,
    isOneOfMany: boolean,
  ): Promise<SettleWord> {
    const { network } = payment.offer
    this.#tried(payment, candidate)
    candidate.health.begin(network, 'settle')
    const patience = { timeoutMs: isOneOfMany ? Math.min(timeoutMs, patienceMs) : timeoutMs, turn }
    const call = candidate.facilitator
      .settle(payment.request(), expectedOf(payment), patience)
      .then(reply => {
        if (isOneOfMany && timeoutMs >= patienceMs && showsSlow(payment, reply)) {
          candidate.leave(network)
          this.changed()
        }
        this.#heard(candidate, 'settle', payment, reply)
        return reply
      })
    const silent = { outcome: 'unknown', reason: 'SILENT', isFault: true } as const
    const isSilent = () => this.#isSilent(candidate, network)
    const reply = isOneOfMany
      ? ((await orSilent(call, isSilent, end => candidate.wait(network, end))) ?? silent)
      : await call
    const isUnsent = reply.outcome === 'failed' && reply.isFault === true
    return { ...reply, by: candidate.name, isUnsent }
  }

  async #isSilent(candidate: Candidate, network: string): Promise<boolean> {
    const is = await candidate.isSilent(network)
    if (is) this.changed()
    return is
  }

  /** Where there is no choice, a count would be kept for nothing. */
  #tried(payment: Settleable, candidate: Candidate): void {
    if (this.#options.candidates.length === 1) return
    const tries = this.#tries.get(payment) ?? new Map<Candidate, number>()
    this.#tries.set(payment, tries.set(candidate, (tries.get(candidate) ?? 0) + 1))
  }

  #heard(
    candidate: Candidate,
    call: MoneyCall,
    { offer, network, operation }: Settleable,
    reply: (VerifyReply | SettleReply) & { extensions?: string | undefined },
  ): void {
    const before = candidate.rankOn(offer.network)
    candidate.heard(offer.network, call, reply)
    if (candidate.rankOn(offer.network) !== before) this.changed()
    metrics.facilitatorOutcomes.inc({ facilitator: candidate.name, network, call, outcome: reply.outcome })
    this.#options.catalog.hear(candidate.name, operation, reply.extensions)
  }
}

/** Of two words, one after the other. The first one may have sent the payment, so a no of the second proves nothing. */
const after = (first: SettleWord, second: SettleWord): SettleWord =>
  first.outcome === 'unknown' && second.outcome === 'failed'
    ? { ...first, isFault: saysNothing(second) }
    : { ...second, isUnsent: first.isUnsent && second.isUnsent }

/** It failed by itself, or says that it has sent nothing for a reason of its own. */
const saysNothing = (told: SettleWord): boolean =>
  told.outcome === 'failed'
    ? told.code === 'facilitator_unavailable'
    : told.outcome === 'unknown' && told.isFault === true

/** A payer with a contract could be what is slow: his payments count as other failures do. */
const showsSlow = ({ proven }: Settleable, told: SettleReply): boolean =>
  proven && told.outcome === 'unknown' && told.reason === timedOut

async function waited(
  candidate: Candidate | undefined,
  turn: Leave | Promise<Leave | undefined> | undefined,
): Promise<Turn | undefined> {
  const leave = await turn
  return candidate && leave && { candidate, leave }
}

const isAble = ({ availability, health }: Candidate): boolean => !availability.down && !health.isQuiet

const expectedOf = ({ offer: { network }, payer }: Settleable) => ({ network, payer })
