/** Finds the origins of a host. */
import type { OpenOrigin } from '../offer/origin.ts'

/** Callers write a host in any case, with or without a dot at the end. */
const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '')

export class Hosts {
  #all: readonly OpenOrigin[] = []
  #byHost: ReadonlyMap<string, readonly OpenOrigin[]> = new Map()

  constructor(origins: readonly OpenOrigin[]) {
    this.show(origins)
  }

  /** Shows the same origins with other prices. */
  show(origins: readonly OpenOrigin[]): void {
    this.#all = origins
    this.#byHost = Map.groupBy(origins, ({ url }) => new URL(url).hostname)
  }

  get areShared(): boolean {
    return this.#byHost.size <= 1
  }

  /** The public hosts of all origins. */
  get names(): readonly string[] {
    return [...this.#byHost.keys()]
  }

  /** At a host that belongs to no origin, such as an internal address for probes, all origins answer. */
  at(host: string): readonly OpenOrigin[] {
    if (this.areShared) return this.#all
    return this.#byHost.get(host) ?? this.#byHost.get(plain(host)) ?? this.#all
  }
}
