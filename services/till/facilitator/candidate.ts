/** One of several facilitators: where it is asked, how it fares, and the fee payers that it has named. */
import { metrics } from '../../../pipelines/rails/metrics.ts'
import {
  type NetworkName,
  networkNames,
  networks,
  type ReceiptNetwork,
} from '../../../schemas/tables/networks.ts'
import type { FacilitatorAddress } from './addresses.ts'
import { Availability } from './availability.ts'
import { type Facilitator, noConnection } from './facilitator.ts'
import { Health, type MoneyCall } from './health.ts'
import type { Supported } from './reply.ts'

/** Its place on each network, or on all. */
type Places = NonNullable<FacilitatorAddress['places']> | number
type Kind = Supported['kinds'][number]

/** What a reply shows of the facilitator. */
interface Heard {
  outcome: string
  reason?: string
  isFault?: boolean
  retryAfterMs?: number | undefined
}

/** The fee payers that payments may still name. A quote lasts a quarter of an hour, and few of them differ. */
const mostFeePayers = 64
const probeMs = 1000

export class Candidate {
  readonly facilitator: Facilitator
  readonly availability: Availability
  readonly health = new Health()
  /** By the id of the network, or on all. */
  readonly #places: ReadonlyMap<string, number> | number
  /** The name in receipts of each network, and its id. */
  readonly #networks: readonly (readonly [ReceiptNetwork, string])[]
  readonly #feePayers = new Set<string>()
  #probing: Promise<boolean> | undefined
  /** What ends the wait of each call that settles there, by the id of its network. One for each sale under way. */
  readonly #waits = new Map<() => void, string>()

  /** `sold`: the networks that this till sells on. */
  constructor(
    facilitator: Facilitator,
    places: Places,
    { sold, onAnswer }: { sold: readonly NetworkName[]; onAnswer: () => void },
  ) {
    this.facilitator = facilitator
    this.#places = typeof places === 'number' ? places : byId(places)
    this.#networks = sold.map(name => [networks[name].receipt, networks[name].caip2])
    this.availability = new Availability(facilitator, onAnswer)
  }

  get name(): string {
    return this.facilitator.name
  }

  /** Its place in the order of a network. Undefined if it does not serve it. */
  placeOn(network: string): number | undefined {
    return typeof this.#places === 'number' ? this.#places : this.#places.get(network)
  }

  /** What it offers on a network. Undefined if it offers nothing there now. */
  kindOn(network: string): Kind | undefined {
    if (this.availability.down || this.placeOn(network) === undefined) return undefined
    return this.availability.supported?.kinds.find(kind => kind.network === network)
  }

  /** May it be asked about a payment there? What it has not said yet, a call will show. */
  serves(network: string): boolean {
    const { supported } = this.availability
    const isSupported = supported?.kinds.some(kind => kind.network === network) ?? true
    return this.placeOn(network) !== undefined && isSupported
  }

  /** The least is asked first. */
  rankOn(network: string): number {
    const { health } = this
    const bad = [
      this.availability.down !== undefined,
      health.isQuiet,
      health.isOut(network),
      health.isDistrusted,
    ]
    return bad.reduce((rank, is) => 2 * rank + Number(is), 0)
  }

  /** Its fee payer stands in our quotes. */
  quoted(feePayer: string): void {
    this.#feePayers.delete(feePayer)
    this.#feePayers.add(feePayer)
    for (const oldest of this.#feePayers) {
      if (this.#feePayers.size <= mostFeePayers) break
      this.#feePayers.delete(oldest)
    }
  }

  /** Has it named this fee payer, so that it alone can settle? */
  hasNamed(feePayer = ''): boolean {
    return this.#feePayers.has(feePayer) || this.availability.supported?.signers.includes(feePayer) === true
  }

  /** Learns from a reply to a call, and asks whether it is there at all if that was none. */
  heard(network: string, call: MoneyCall, { outcome, reason, isFault, retryAfterMs }: Heard): void {
    if (retryAfterMs !== undefined) this.health.quiet(retryAfterMs)
    else if (isFault) {
      this.health.failed(network, call, outcome === 'failed')
      void this.availability.ask()
    }
    // A wait in our own line says nothing of it.
    if (!isFault && reason !== noConnection) this.health.answered(network, call)
  }

  /** Asks it beside a silent call. True if it says nothing to that either: then it is left out. */
  isSilent(network: string): Promise<boolean> {
    this.#probing ??= this.#probe(network).finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  /** `end` is called once the candidate is silent or too slow there. Gives what ends the wait for that. */
  wait(network: string, end: () => void): () => void {
    this.#waits.set(end, network)
    return () => this.#waits.delete(end)
  }

  /** It is silent, or too slow. Those that wait at it would wait as long: all of them go elsewhere now, and new ones at once. */
  leave(network: string): void {
    this.health.failed(network, 'settle', true)
    for (const [end, of] of this.#waits) if (of === network) end()
  }

  async #probe(network: string): Promise<boolean> {
    try {
      await this.facilitator.supported(probeMs)
      return false
    } catch {
      // The world fails: another facilitator is asked.
      this.leave(network)
      void this.availability.ask()
      return true
    }
  }

  /** In words, for people. */
  get state(): string {
    if (this.availability.down) return this.availability.down
    const out = this.#networks.filter(([, caip2]) => this.health.hasFailed(caip2)).map(([name]) => name)
    if (out.length > 0) return `Its calls fail on ${out.join(', ')}, so others come first`
    if (this.health.isDistrusted) return 'A chain has denied its word, so others come first'
    return this.health.isQuiet ? 'It has asked for a pause' : 'It answers'
  }

  /** Shows operators where it is asked in its turn. */
  tell(): void {
    for (const [network, caip2] of this.#networks) {
      if (!this.serves(caip2)) continue
      const isOpen = !this.availability.down && !this.health.hasFailed(caip2)
      metrics.facilitatorOpen.set({ facilitator: this.name, network }, isOpen ? 1 : 0)
    }
  }
}

const byId = (places: Exclude<Places, number>): Map<string, number> =>
  new Map(
    networkNames.flatMap(name => {
      const place = places[name]
      return place === undefined ? [] : [[networks[name].caip2, place]]
    }),
  )
