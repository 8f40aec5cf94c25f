/** The one door to an upstream: so many at once, retries, and a circuit that spares it while it is down. */

import { UpstreamFailed } from '../../failures.ts'
import type { Answer, Outside } from '../../outside/outside.ts'
import type { Upstream } from '../lookup.ts'
import type { Waiting } from './waiting.ts'

/** Nothing was sent. */
export class GateShut extends UpstreamFailed {}

export class Gate {
  readonly #upstream: Upstream
  readonly #waiting: Waiting
  readonly #turns: (() => void)[] = []
  #inside = 0
  #failures = 0
  #openUntil = 0
  #probing = false

  constructor(upstream: Upstream, waiting: Waiting) {
    this.#upstream = upstream
    this.#waiting = waiting
  }

  /** While it is shut, a request fails without being sent. */
  get shut(): boolean {
    const { circuit } = this.#upstream
    return this.#failures >= circuit.failures && (this.#probing || this.#waiting.now() < this.#openUntil)
  }

  through(outside: Outside): Outside {
    const { timeoutMs, name } = this.#upstream
    return {
      ...outside,
      get: (url, request) =>
        this.#get(
          () =>
            outside.get(url, { timeoutMs, ...request }).catch(error => {
              throw withoutUrl(error, url, name)
            }),
          outside.signal,
        ),
    }
  }

  async #get(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const { pausesMs } = this.#upstream
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
    const { failures, openMs } = this.#upstream.circuit
    this.#failures += 1
    if (this.#failures >= failures) this.#openUntil = this.#waiting.now() + openMs
  }

  /** Waits for a turn. Answers whether this request is the one that tries whether the upstream is back. */
  async #enter(signal: AbortSignal): Promise<boolean> {
    const { name, atOnce, mostWaiting, circuit } = this.#upstream
    if (this.shut) throw new GateShut(`${name} is failing`)
    if (this.#inside < atOnce) this.#inside += 1
    else {
      if (this.#turns.length >= mostWaiting) throw new GateShut(`${name} is asked too much at once`)
      await new Promise<void>(resolve => this.#turns.push(resolve))
    }
    const refused = signal.aborted ? signal.reason : this.shut && new GateShut(`${name} is failing`)
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

/** What a caller typed stands in the URL: no error carries it into anybody's log. */
function withoutUrl(error: unknown, url: string, name: string): unknown {
  if (!(error instanceof UpstreamFailed)) return error
  return new UpstreamFailed(error.message.replaceAll(url, name))
}
