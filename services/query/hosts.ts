/** Which origins answer at a host. */
import type { OpenOrigin } from '../offer/origin.ts'

/** Callers write a host in any case, with or without a dot at its end. */
const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '')

export class Hosts {
  readonly #all: readonly OpenOrigin[]
  readonly #byHost: ReadonlyMap<string, readonly OpenOrigin[]>

  constructor(origins: readonly OpenOrigin[]) {
    this.#all = origins
    this.#byHost = Map.groupBy(origins, ({ url }) => new URL(url).hostname)
  }

  get areShared(): boolean {
    return this.#byHost.size <= 1
  }

  /** At a host of no origin, such as an internal address that a probe uses, all origins answer. */
  at(host: string): readonly OpenOrigin[] {
    if (this.areShared) return this.#all
    return this.#byHost.get(host) ?? this.#byHost.get(plain(host)) ?? this.#all
  }
}
