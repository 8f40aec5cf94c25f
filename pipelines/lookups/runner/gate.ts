/** All requests of lookups to one upstream pass its gate: it bounds them, retries them, and shuts while the upstream is down. */
import { callerNow } from '../../rails/children/caller.ts'
import { FairTurns } from '../../rails/children/fair-turns.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import type { Patience } from '../../rails/outside/upstreams/upstream.ts'
import { type Attempt, Circuit } from './circuit.ts'
import type { Waiting } from './clock.ts'

/** The gate refused the request, and sent nothing. */
export class GateShut extends UpstreamFailed {}

export class LookupGate {
  readonly #name: string
  readonly #patience: Patience
  readonly #waiting: Waiting
  readonly #turns: FairTurns
  readonly #circuit: Circuit

  constructor(name: string, patience: Patience, waiting: Waiting) {
    this.#name = name
    this.#patience = patience
    this.#waiting = waiting
    this.#turns = new FairTurns(patience)
    this.#circuit = new Circuit(patience.circuit, waiting.now)
  }

  /** While it is shut to this caller, his request fails without being sent. */
  get shut(): boolean {
    return this.#circuit.isShutTo(callerNow())
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
        return await this.#inTurn(ask, signal)
      } catch (error) {
        // The world fails: after the last try its error is thrown.
        const pauseMs = pausesMs[tries]
        if (pauseMs === undefined || this.shut || signal.aborted) throw error
        await this.#waiting.sleep(pauseMs * (0.7 + 0.6 * Math.random()), signal)
        if (this.shut || signal.aborted) throw error
      }
    }
  }

  async #inTurn<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.shut) throw this.#isFailing()
    const attempt = this.#circuit.begin(callerNow())
    try {
      const done = await this.#turns.run(callerNow(), async () => {
        if (signal.aborted) throw signal.reason
        if (!attempt.mayAsk()) throw this.#isFailing()
        return { answer: await once(ask, attempt) }
      })
      if (!done) throw new GateShut(`too many requests wait for ${this.#name}`)
      return done.answer
    } finally {
      attempt.over()
    }
  }

  #isFailing(): GateShut {
    return new GateShut(`${this.#name} is failing`)
  }
}

async function once<T>(ask: () => Promise<T>, attempt: Attempt): Promise<T> {
  try {
    const answer = await ask()
    attempt.answered()
    return answer
  } catch (error) {
    attempt.failed(error)
    throw error
  }
}
