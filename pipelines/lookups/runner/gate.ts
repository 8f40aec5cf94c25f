/** The one door to an upstream: so many at once, retries, and a circuit that spares it while it is down. */
import { UpstreamFailed } from '../../failures.ts'
import type { Answer, Outside } from '../../outside/outside.ts'
import type { Patience } from '../../outside/upstream.ts'
import type { Waiting } from './waiting.ts'

/** Nothing was sent. */
export class GateShut extends UpstreamFailed {}

export class Gate {
  readonly #name: string
  readonly #patience: Patience
  readonly #waiting: Waiting
  readonly #turns: (() => void)[] = []
  #inside = 0
  #failures = 0
  #openUntil = 0
  #probing = false

  constructor(name: string, patience: Patience, waiting: Waiting) {
    this.#name = name
    this.#patience = patience
    this.#waiting = waiting
  }

  /** While it is shut, a request fails without being sent. */
  get shut(): boolean {
    const { circuit } = this.#patience
    return this.#failures >= circuit.failures && (this.#probing || this.#waiting.now() < this.#openUntil)
  }

  /** What callers typed stands in what is asked here: no error carries it into anybody's log. */
  through(outside: Outside): Outside {
    const { timeoutMs } = this.#patience
    return {
      ...outside,
      get: (upstream, path, request) =>
        this.#get(() => outside.get(upstream, path, { timeoutMs, ...request, secret: true }), outside.signal),
    }
  }

  async #get(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const { pausesMs } = this.#patience
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(ask, signal)
      } catch (error) {
        // The world fails: whatever the last try brought is what is told.
        const pauseMs = pausesMs[tries]
        if (pauseMs === undefined || this.shut || signal.aborted) throw error
        await this.#waiting.sleep(pauseMs * (0.7 + 0.6 * Math.random()), signal)
        if (this.shut || signal.aborted) throw error
      }
    }
  }

  async #once(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const probe = await this.#enter(signal)
    try {
      const answer = await ask()
      this.#failures = 0
      return answer
    } catch (error) {
      this.#failed()
      throw error
    } finally {
      if (probe) this.#probing = false
      this.#leave()
    }
  }

  #failed(): void {
    const { failures, openMs } = this.#patience.circuit
    this.#failures += 1
    if (this.#failures >= failures) this.#openUntil = this.#waiting.now() + openMs
  }

  /** Waits for a turn. Answers whether this request is the one that tries whether the upstream is back. */
  async #enter(signal: AbortSignal): Promise<boolean> {
    const { atOnce, mostWaiting, circuit } = this.#patience
    if (this.shut) throw new GateShut(`${this.#name} is failing`)
    if (this.#inside < atOnce) this.#inside += 1
    else {
      if (this.#turns.length >= mostWaiting) throw new GateShut(`${this.#name} is asked too much at once`)
      await new Promise<void>(resolve => this.#turns.push(resolve))
    }
    const refused = signal.aborted ? signal.reason : this.shut && new GateShut(`${this.#name} is failing`)
    if (refused) {
      this.#leave()
      throw refused
    }
    if (this.#failures < circuit.failures) return false
    this.#probing = true
    return true
  }

  /** Hands the place on, so that nobody who comes later slips in before those who wait. */
  #leave(): void {
    const next = this.#turns.shift()
    if (next) next()
    else this.#inside -= 1
  }
}
