/**
 * Asks the nodes of a chain, one call after another at a given pace. After two errors in a row it asks the next node. Where a
 * caller waits, a node that is silent for too long is not waited for: the next one is asked beside it.
 */
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
  /** After this time without an answer, the next node is asked as well. If absent, it is not. */
  hedgeMs?: number
}

type Call<T> = (url: string, again: boolean) => Promise<T>

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
  async ask<T>(call: Call<T>, signal: AbortSignal): Promise<T> {
    const { urls, network } = this.#options
    const failed: string[] = []
    while (failed.length < errorsInARow * urls.length) {
      await this.#pace(signal)
      const url = urls[this.#current % urls.length] as string
      try {
        const answer = await orAborted(this.#hedged(call, url, signal), signal)
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

  /** The first good answer counts. A node that the next one has overtaken is not asked first any more. */
  async #hedged<T>(call: Call<T>, url: string, signal: AbortSignal): Promise<T> {
    const { hedgeMs, urls } = this.#options
    const first = call(url, this.#errors > 0)
    if (hedgeMs === undefined || urls.length < 2 || !(await isLate(first, hedgeMs))) return first
    await this.#pace(signal)
    const next = urls[(urls.indexOf(url) + 1) % urls.length] as string
    const by = (node: string) => (answer: T) => ({ node, answer })
    try {
      const { node, answer } = await Promise.any([first.then(by(url)), call(next, false).then(by(next))])
      if (node === next && urls[this.#current % urls.length] === url) {
        metrics.rpcErrors.inc({ network: this.#options.network })
        this.#switch()
      }
      return answer
    } catch (error) {
      // Both have failed, and the first failure counts against the node that was asked first.
      throw error instanceof AggregateError ? error.errors[0] : error
    }
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

async function isLate(answer: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  const ended = answer.then(
    () => false,
    () => false,
  )
  const late = sleep(ms, true, { signal: waiting.signal }).catch(() => false)
  try {
    return await Promise.race([ended, late])
  } finally {
    waiting.abort()
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
