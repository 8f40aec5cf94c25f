/**
 * Decides who may work on a payment or a key when instances share the log. Only the log counts, so all instances at the same place
 * of it decide alike: the lowest place wins, and a later one yields.
 */
import type { TillStep } from '../../../schemas/till-promises.ts'
import { replayMs } from './purchase.ts'

interface Asked {
  by: string
  requestId: string
  at: number
}

interface Claim {
  requestId: string
  /** The run that works on it. Undefined if no run does. */
  holder: string | undefined
  state: 'announced' | 'open' | 'settled' | 'refused'
  /** By the log's clock, like all times here. */
  at: number
  /** The payment, and then its keys. */
  things: readonly string[]
  /** A proof. It was used, whatever became of the run that took it. */
  isProof: boolean
}

/** A run that is silent for this time is dead. */
export const deadMs = 12_000
const rememberMs = 15 * 60_000
/** The longest work that a run announces, with room. Its withdrawal may be lost, and its key must not stay shut. */
const announcedMs = 90_000
/** No payment lives longer. */
const watchMs = 2 * 60 * 60_000
/** The memory has given up by then what no chain could end. */
const openMs = 8 * 24 * 60 * 60_000
const rememberMsOf = { announced: rememberMs, open: openMs, settled: rememberMs, refused: watchMs }

export class Judge {
  readonly #claims = new Map<string, Claim>()
  readonly #heardAt = new Map<string, number>()

  /** Takes the next record. Returns false if the record claims what belongs to another run. It is then void. */
  hear(step: TillStep, at: number): boolean {
    this.#heardAt.set(step.by, at)
    const { by, spend_id: spendId, request_id: requestId } = step
    if (step.step === 'beat') return true
    if (step.step === 'announced' || step.step === 'promised') return this.#claim(step, at)
    const claim = this.#claims.get(spendId)
    if (claim?.requestId !== requestId) return false
    // Only who works on a payment ends it. Another may have handed it to a facilitator since.
    const isEnd = step.step === 'failed' || step.step === 'refused'
    if (isEnd && this.#isOfAnother(claim, by, at)) return false
    if (step.step === 'failed' || step.step === 'yielded') this.#drop(claim)
    if (step.step === 'taken') {
      if (this.#isOfAnother(claim, by, at)) return false
      claim.holder = by
    }
    if (step.step === 'refused') this.#free(claim, spendId)
    if (step.payment_tx !== null && claim.state !== 'settled') Object.assign(claim, { state: 'settled', at })
    if (step.step === 'returned' && claim.state === 'announced') this.#drop(claim)
    else if (step.step === 'delivered' || (step.step === 'returned' && claim.holder === by))
      claim.holder = undefined
    return true
  }

  /** Takes over a carried claim. */
  restore(carried: Omit<Claim, 'isProof'>): void {
    this.#put({ ...carried, isProof: false })
  }

  #put(claim: Claim): void {
    for (const thing of claim.things) this.#claims.set(thing, claim)
  }

  isAlive(run: string, at: number): boolean {
    const heardAt = this.#heardAt.get(run)
    return heardAt !== undefined && at - heardAt <= deadMs
  }

  /** Does a live run other than this one work on it? */
  isBusy(thing: string, run: string, at: number): boolean {
    const claim = this.#claims.get(thing)
    if (!claim || isOver(claim, at)) return false
    return claim.holder !== undefined && claim.holder !== run && this.isAlive(claim.holder, at)
  }

  /** `isOwed`: does the memory still hold an answer for the payment? Such a claim stays, so that a run can take it over. */
  forget(now: number, isOwed: (spendId: string) => boolean): void {
    for (const [thing, { state, at, things }] of this.#claims) {
      if (now - at <= rememberMsOf[state]) continue
      if (state !== 'settled' || !isOwed(things[0] as string)) this.#claims.delete(thing)
    }
    for (const [run, at] of this.#heardAt) if (now - at > rememberMs) this.#heardAt.delete(run)
  }

  #claim({ by, step, spend_id, request_id: requestId, keys }: TillStep, at: number): boolean {
    const things = [spend_id, ...keys]
    const isProof = isProofIn(spend_id, keys)
    const asked = { by, requestId, at }
    if (things.some(thing => this.#stands(thing, asked, isProof || thing === spend_id))) return false
    const state = step === 'announced' ? 'announced' : 'open'
    this.#put({ requestId, holder: by, state, at, things, isProof })
    return true
  }

  #isOfAnother({ holder }: Claim, by: string, at: number): boolean {
    return holder !== undefined && holder !== by && this.isAlive(holder, at)
  }

  #stands(thing: string, { by, requestId, at }: Asked, isSpend: boolean): boolean {
    const claim = this.#claims.get(thing)
    if (!claim || claim.requestId === requestId) return false
    if (claim.isProof) return true
    // A run has one call at a time for a payment or a key. So what it announced before is over, whatever the log has lost.
    if (claim.state === 'announced') return this.isBusy(thing, by, at)
    if (claim.state === 'refused') return false
    if (claim.state === 'open' || isSpend) return true
    return at - claim.at < replayMs
  }

  /** Lets its keys and its payment buy again. The claim stays known until then, because money may move for it. */
  #free(claim: Claim, spendId: string): void {
    this.#drop(claim)
    Object.assign(claim, { state: 'refused', holder: undefined, things: [spendId] })
    this.#put(claim)
  }

  #drop(claim: Claim): void {
    for (const thing of claim.things) if (this.#claims.get(thing) === claim) this.#claims.delete(thing)
  }
}

/** The things of a proof: it names itself as its key, as no payment does. */
export const keysOfProof = (proof: string): string[] => [proof]
const isProofIn = (name: string, keys: readonly string[]): boolean => keys.includes(name)

const isOver = ({ state, isProof, at }: Claim, now: number): boolean =>
  state === 'announced' && !isProof && now - at > announcedMs
