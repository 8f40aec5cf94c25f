/** All requests of lookups to one upstream pass its gate: it bounds them, retries them, and shuts while the upstream is down. */
import { AnsweredElse, UpstreamFailed, UpstreamRefused } from '../../rails/failures.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import type { Patience } from '../../rails/outside/upstreams/upstream.ts'
import type { Waiting } from './clock.ts'

/** An upstream that is overloaded may refuse with one of these, whatever the question. */
const ofUpstream: ReadonlySet<number> = new Set([408, 425, 429])

/** A question may be one that an upstream refuses. That says nothing of the questions of others, so it shuts no gate. */
const isOfUpstream = (error: unknown): boolean =>
  error instanceof UpstreamRefused
    ? error.status >= 500 || ofUpstream.has(error.status)
    : !(error instanceof AnsweredElse)

/** The gate refused the request, and sent nothing. */
export class GateShut extends UpstreamFailed {}

export class LookupGate {
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

  /** The requests contain texts of callers. No error from here repeats them, so no log does. */
  through(outside: Outside): Outside {
    const { timeoutMs } = this.#patience
    return {
      ...outside,
      get: (upstream, path, request) =>
        this.pass(() => outside.get(upstream, path, { timeoutMs, ...request, secret: true }), outside.signal),
    }
  }

  /** Asks in its turn, and again after a failure, as the patience says. */
  async pass<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { pausesMs } = this.#patience
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(ask, signal)
      } catch (error) {
        // The world fails: after the last try its error is thrown.
        const pauseMs = pausesMs[tries]
        if (pauseMs === undefined || this.shut || signal.aborted) throw error
        await this.#waiting.sleep(pauseMs * (0.7 + 0.6 * Math.random()), signal)
        if (this.shut || signal.aborted) throw error
      }
    }
  }

  async #once<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const probe = await this.#enter(signal)
    try {
      const answer = await ask()
      this.#failures = 0
      return answer
    } catch (error) {
      if (isOfUpstream(error)) this.#failed()
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

  /** Waits for a turn. Resolves with true for the one request that tests whether the upstream is back. */
  async #enter(signal: AbortSignal): Promise<boolean> {
    const { atOnce, mostWaiting, circuit } = this.#patience
    if (this.shut) throw new GateShut(`${this.#name} is failing`)
    if (this.#inside < atOnce) this.#inside += 1
    else {
      if (this.#turns.length >= mostWaiting) throw new GateShut(`too many requests wait for ${this.#name}`)
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

  /** Passes its place to the first waiting request, so that no later request overtakes it. */
  #leave(): void {
    const next = this.#turns.shift()
    if (next) next()
    else this.#inside -= 1
  }
}
