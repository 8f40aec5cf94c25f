/**
 * The spends that a presented payment may be. A payer signs a payload for one chain and one token. The words beside it are the
 * presenter's alone, so no look at the ledger depends on them.
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
   * Finds the known spend of this payment, however it is written. It is cheap. One nonce may be signed for two chains, so the
   * payer's signature for the named chain is not the spend on another one.
   */
  known({ json }: Presented, isKnown: (spendId: string) => boolean): string | undefined {
    const candidates = this.#candidates(json)
    const found = candidates.find(({ spendId }) => isKnown(spendId))
    if (!found || found === candidates[0]) return found?.spendId
    const named = this.#named(json)
    if (named && named === candidates[0]?.scheme && pastOf(named, json)?.isSigned()) return undefined
    return found.spendId
  }

  /** The words of an unknown payment about itself, for each chain that it may be for. The named chain comes first. */
  pasts({ json }: Presented): (Candidate & { past: Past })[] {
    return this.#candidates(json).flatMap(each => {
      const past = pastOf(each.scheme, json)
      return past ? [{ ...each, past }] : []
    })
  }

  #named({ accepted }: Presented['json']): Scheme | undefined {
    return isObject(accepted) && typeof accepted.network === 'string'
      ? this.#schemes.get(accepted.network)
      : undefined
  }

  /** The named chain comes first. */
  #candidates(json: Presented['json']): readonly Candidate[] {
    const asked = this.#asked.get(json) ?? this.#candidatesIn(json)
    this.#asked.set(json, asked)
    return asked
  }

  #candidatesIn(json: Presented['json']): readonly Candidate[] {
    const { payload } = json
    if (!isObject(payload)) return []
    const named = this.#named(json)
    const candidates: Candidate[] = []
    for (const scheme of this.#schemes.values()) {
      const spendId = scheme.spendOf(payload)
      if (spendId === undefined) continue
      if (scheme === named) candidates.unshift({ spendId, scheme })
      else candidates.push({ spendId, scheme })
    }
    return candidates
  }
}

const pastOf = (scheme: Scheme, { payload }: Presented['json']): Past | undefined =>
  isObject(payload) ? scheme.past(payload) : undefined
