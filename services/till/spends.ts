/**
 * What a presented payment may spend. A payer signs a payload for one chain and one token. What stands beside it is the
 * presenter's word alone, so no ledger is asked by that.
 */
import { isObject } from './header.ts'
import type { Past, Scheme, Schemes } from './schemes/scheme.ts'
import type { Presented } from './till.ts'

interface Candidate {
  spendId: string
  scheme: Scheme
}

export class Spends {
  readonly #schemes: Schemes
  /** One call asks several times about one payment. */
  readonly #asked = new WeakMap<object, readonly Candidate[]>()

  constructor(schemes: Schemes) {
    this.#schemes = schemes
  }

  /**
   * The known spend that this payment is, in whatever words it comes. It is cheap. One nonce may be signed for two chains:
   * what the payer has signed for the chain that the payment names is not the spend on another one.
   */
  known({ json }: Presented, isKnown: (spendId: string) => boolean): string | undefined {
    const candidates = this.#candidates(json)
    const found = candidates.find(({ spendId }) => isKnown(spendId))
    if (!found || found === candidates[0]) return found?.spendId
    const named = this.#named(json)
    if (named && named === candidates[0]?.scheme && pastOf(named, json)?.isSigned()) return undefined
    return found.spendId
  }

  /** What a payment that nobody knows says of itself, for each chain that it may be for. The one that it names comes first. */
  pasts({ json }: Presented): (Candidate & { past: Past })[] {
    return this.#candidates(json).flatMap(each => {
      const past = pastOf(each.scheme, json)
      return past ? [{ ...each, past }] : []
    })
  }

  #named({ accepted }: Presented['json']): Scheme | undefined {
    return isObject(accepted) ? this.#schemes.get(String(accepted.network)) : undefined
  }

  /** The one that the payment names comes first. */
  #candidates(json: Presented['json']): readonly Candidate[] {
    const asked = this.#asked.get(json) ?? this.#candidatesIn(json)
    this.#asked.set(json, asked)
    return asked
  }

  #candidatesIn(json: Presented['json']): readonly Candidate[] {
    const { payload } = json
    if (!isObject(payload)) return []
    const named = this.#named(json)
    const schemes = new Set([...(named ? [named] : []), ...this.#schemes.values()])
    return [...schemes].flatMap(scheme => {
      const spendId = scheme.spendOf(payload)
      return spendId === undefined ? [] : [{ spendId, scheme }]
    })
  }
}

const pastOf = (scheme: Scheme, { payload }: Presented['json']): Past | undefined =>
  isObject(payload) ? scheme.past(payload) : undefined
