/** Asks the nodes of a chain, one call after another at a given pace. After two errors in a row it asks the next node. */
import { setTimeout as sleep } from 'node:timers/promises'
import { UpstreamFailed } from '../../rails/failures.ts'
import { metrics } from '../../rails/metrics.ts'

/** The node answers, but refuses this many blocks at once. Other nodes need not be asked. */
export class TooMuch extends Error {
  override name = 'TooMuch'
}

interface EndpointOptions {
  network: string
  urls: readonly string[]
  /** The largest number of calls that begin in a second. */
  perSecond: number
}

const errorsInARow = 2

export class Endpoints {
  readonly #options: EndpointOptions
  #current = 0
  #errors = 0
  #nextAt = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: EndpointOptions) {
    this.#options = options
  }

  /** Rejects with all errors once every node has failed twice. */
  async ask<T>(call: (url: string, again: boolean) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { urls, network } = this.#options
    const failed: string[] = []
    while (failed.length < errorsInARow * urls.length) {
      await this.#pace(signal)
      const url = urls[this.#current % urls.length] as string
      try {
        const answer = await orAborted(call(url, this.#errors > 0), signal)
        this.#errors = 0
        return answer
      } catch (error) {
        if (error instanceof TooMuch || signal.aborted) throw error
        // The world fails: this node is asked once more, then the next. The caller gets an error when none is left.
        failed.push(`${new URL(url).host}: ${reasonOf(error)}`)
        metrics.rpcErrors.inc({ network })
        if (++this.#errors >= errorsInARow) this.#switch()
      }
    }
    throw new UpstreamFailed(`no ${network} node answers: ${[...new Set(failed)].join('; ')}`)
  }

  #switch(): void {
    this.#errors = 0
    this.#current++
    if (this.#options.urls.length > 1) metrics.rpcSwitches.inc({ network: this.#options.network })
  }

  #pace(signal: AbortSignal): Promise<void> {
    const turn = this.#turn.then(async () => {
      signal.throwIfAborted()
      const waitMs = this.#nextAt - performance.now()
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      this.#nextAt = Math.max(this.#nextAt, performance.now()) + 1000 / this.#options.perSecond
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }
}

/** viem's calls take no signal, but a stop must not wait for them. */
export function orAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([answer, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** The address of a node may hold a key, and viem's long messages contain the address. */
const reasonOf = (error: unknown): string =>
  (error as { shortMessage?: string }).shortMessage ??
  (error instanceof Error ? error.message : String(error))
