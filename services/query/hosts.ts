/** Which origins answer at a host. */
import type { OpenOrigin } from '../origin.ts'

/** A name as callers write it: in any case, with or without the dot at its end. */
const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '')

export class Hosts {
  readonly #all: readonly OpenOrigin[]
  readonly #byHost: ReadonlyMap<string, readonly OpenOrigin[]>

  constructor(origins: readonly OpenOrigin[]) {
    this.#all = origins
    this.#byHost = Map.groupBy(origins, ({ url }) => new URL(url).hostname)
  }

  /** Where one host is the address of all, or the host is a name that no origin goes by, all of them answer. */
  at(host: string): readonly OpenOrigin[] {
    if (this.#byHost.size <= 1) return this.#all
    return this.#byHost.get(plain(host)) ?? this.#all
  }
}
